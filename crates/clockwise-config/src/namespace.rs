//! Namespaces as libmemcached takes them, whoever sets them: an option string, PHP or pylibmc.
//!
//! libmemcached puts its namespace before every key that it sends, and hashes it with the key only if
//! HASH_WITH_NAMESPACE is set too, in whatever order the two are. One that it refuses leaves the namespace
//! as it was.
//!
//! Established by asking libmemcached 1.1.4, and 1.0.16 through pylibmc.

use clockwise::KeyPrefix;

use crate::diagnostic::quoted;

/// The longest one, in bytes.
const MOST: usize = 127;

/// The namespace, or what libmemcached minds about it, in a sentence that begins with the text.
pub(crate) fn namespace(text: &str) -> Result<KeyPrefix, String> {
    if let Some(wrong) = text.chars().find(|c| !c.is_ascii_graphic()) {
        return Err(format!(
            "the namespace {} has {}, and libmemcached takes printable ASCII without blanks",
            quoted(text),
            quoted(&wrong.to_string())
        ));
    }
    if text.len() > MOST {
        return Err(format!(
            "the namespace {} has {} bytes, and libmemcached takes up to {MOST}",
            quoted(text),
            text.len()
        ));
    }
    KeyPrefix::new(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_is_1_to_127_printable_bytes() {
        for right in ["a", "foo:", "~!@#$%^&*()=+", "a\"b'c\\", &"a".repeat(127)] {
            assert_eq!(namespace(right).map(|prefix| prefix.to_string()).as_deref(), Ok(right));
        }
        for (wrong, says) in [
            ("", "is empty"),
            ("a b", "the namespace \"a b\" has \" \""),
            ("a\n", "has \"\\n\""),
            ("fä", "has \"ä\""),
            ("\u{7f}", "has \"\\u{7f}\""),
            (&"a".repeat(128), "has 128 bytes, and libmemcached takes up to 127"),
        ] {
            let said = namespace(wrong).unwrap_err();
            assert!(said.contains(says), "{said}");
        }
    }
}
