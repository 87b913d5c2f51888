//! The settings of a placement as ordered pairs of text: what `[placement]` of our own files holds.
//!
//! For tools that vary a placement one setting at a time, or take one from a command line. What a
//! setting may be is stated where files are read, and nowhere else: a [`Settings`] becomes a
//! [`Scheme`] by being read as that part of a file.

use clockwise::Scheme;
use clockwise::hash::NamedHash;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::placement::{self, KEY_PREFIX, Kind, SCHEMES};
use crate::report::Report;
use crate::source::{Source, Span};
use crate::suggest::nearest;
use crate::{Options, dialect, own, write};

/// `scheme` or `dialect`, then the settings that go with it, each a key and its value in TOML.
///
/// ```
/// use clockwise_config::Settings;
///
/// let ring: Settings = "ring,points_per_weight=100".parse()?;
/// assert_eq!(ring.scheme()?.to_string(), "ring-100");
/// // Written back, defaults are written out.
/// let full = Settings::of(&ring.scheme()?);
/// assert_eq!(full.to_string(), "ring,hash=xxh3-64,points_per_weight=100");
/// assert_eq!(full.brief(), ring);
/// # Ok::<(), clockwise_config::Diagnostics>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Whether `system` is another system's recipe.
    is_dialect: bool,
    system: String,
    /// Values as they stand in TOML.
    pairs: Vec<(String, String)>,
}

impl Settings {
    /// All settings of a scheme, defaults included. One that is nothing unless said (a hash tag) is
    /// left away.
    pub fn of(scheme: &Scheme) -> Settings {
        let mut pairs = placement::settings(scheme).into_iter();
        // The first line names the scheme or the dialect.
        let (what, system) = pairs.next().unwrap_or(("scheme", String::new()));
        Settings {
            is_dialect: what == "dialect",
            system: shown(&system),
            pairs: pairs.map(|(key, value)| (key.to_owned(), value)).collect(),
        }
    }

    /// The defaults of the same scheme or dialect.
    pub fn defaults(&self) -> Result<Settings, Diagnostics> {
        let bare = Settings { pairs: Vec::new(), ..self.clone() };
        Ok(Settings::of(&bare.scheme()?))
    }

    /// The same without what is so unless said: the fewest that are read as this placement.
    #[must_use]
    pub fn brief(mut self) -> Settings {
        if let Ok(defaults) = self.defaults() {
            self.pairs.retain(|(key, value)| defaults.get(key) != Some(value));
        }
        self
    }

    /// The scheme or the dialect: `ring`, `twemproxy`.
    pub fn system(&self) -> &str {
        &self.system
    }

    /// Whether both are settings of one scheme or of one dialect.
    pub fn is_same_system(&self, other: &Settings) -> bool {
        self.is_dialect == other.is_dialect && self.system == other.system
    }

    /// The keys, in their order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.pairs.iter().map(|(key, _)| key.as_str())
    }

    /// All keys that the scheme or the dialect takes, said or not.
    pub fn known(&self) -> impl Iterator<Item = &'static str> + use<> {
        let kinds = if self.is_dialect { dialect::DIALECTS } else { SCHEMES.as_slice() };
        let keys: &[&str] = kinds.iter().find(|(name, _)| *name == self.system).map_or(&[], |(_, keys)| keys);
        keys.iter().copied().chain([KEY_PREFIX])
    }

    /// A value in TOML: text in quotes.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.pairs.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// A value as people read it: text without quotes.
    pub fn shown(&self, key: &str) -> Option<String> {
        self.get(key).map(shown)
    }

    /// The same with another value in TOML, or without the key.
    #[must_use]
    pub fn with(mut self, key: &str, value: Option<&str>) -> Settings {
        let at = self.pairs.iter().position(|(known, _)| known == key);
        match (at, value) {
            (Some(at), Some(value)) => value.clone_into(&mut self.pairs[at].1),
            (Some(at), None) => {
                self.pairs.remove(at);
            }
            (None, Some(value)) => self.pairs.push((key.to_owned(), value.to_owned())),
            (None, None) => {}
        }
        self
    }

    /// All values of a setting, in TOML, where they are a few words; else nothing.
    pub fn words(&self, key: &str) -> Vec<String> {
        match (self.is_dialect, key) {
            (true, _) => dialect::words(&self.system, key),
            (false, "hash") => NamedHash::ALL.iter().map(|hash| write::text(hash.as_str())).collect(),
            (false, _) => Vec::new(),
        }
    }

    /// The scheme that these are the settings of. Errors are those of a file that holds them; that the
    /// servers are there which they name, only the file with the fleet can tell.
    pub fn scheme(&self) -> Result<Scheme, Diagnostics> {
        let what = if self.is_dialect { "dialect" } else { "scheme" };
        let mut text = format!("{what} = {}\n", write::text(&self.system));
        for (key, value) in &self.pairs {
            text += &format!("{key} = {value}\n");
        }
        let source = Source::new(&self.to_string(), text.as_bytes())?;
        let mut report = Report::new(&source, &Options::default());
        let scheme = own::settings(&mut report);
        report.finish()?;
        // Without an error there is a scheme.
        let none = || Diagnostic::error(&source, Span::new(0, 0), "it places nothing".to_owned());
        Ok(scheme.ok_or_else(none)?)
    }
}

impl std::fmt::Display for Settings {
    /// `ring,hash=xxh3-64,points_per_weight=160`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.system)?;
        self.pairs.iter().try_for_each(|(key, value)| write!(f, ",{key}={}", typed(value)))
    }
}

impl std::str::FromStr for Settings {
    type Err = Diagnostics;

    /// `NAME[,KEY=VALUE]…`, the name being a scheme's or a dialect's. Values need no quotes.
    fn from_str(text: &str) -> Result<Settings, Diagnostics> {
        let mut parts = parts(text).into_iter();
        let system = parts.next().unwrap_or_default().to_owned();
        // What is neither is refused as that of which it is nearly one.
        let like = |kinds: &[Kind]| nearest(&system, kinds.iter().map(|(name, _)| *name)).is_some();
        let is = |kinds: &[Kind]| kinds.iter().any(|(name, _)| *name == system);
        let is_dialect =
            !is(&SCHEMES) && (is(dialect::DIALECTS) || !like(&SCHEMES) && like(dialect::DIALECTS));
        let pairs = parts.map(|part| {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            (word(key), in_toml(value))
        });
        let settings = Settings { is_dialect, system, pairs: pairs.collect() };
        settings.scheme()?;
        Ok(settings)
    }
}

/// The parts between commas, those in quotes and brackets left alone.
fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut start) = (Vec::new(), 0);
    let (mut depth, mut quoted, mut escaped) = (0_u32, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// A key, or in quotes what cannot be one: it is refused where keys are read, with its name.
fn word(key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !key.is_empty() && key.chars().all(bare) { key.to_owned() } else { write::text(key) }
}

/// Numbers, truth values and what stands in quotes or brackets as they are, all else as text.
fn in_toml(value: &str) -> String {
    let number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let digits = value.bytes().filter(|byte| *byte == b'.').count() <= 1;
    let bare = number && digits && value.starts_with(|c: char| c.is_ascii_digit()) && !value.ends_with('.');
    let within = |open, close| value.len() > 1 && value.starts_with(open) && value.ends_with(close);
    // A hash tag is two marks, and they may be brackets.
    let table = value.len() > 2 && (within('{', '}') || within('[', ']'));
    if bare || within('"', '"') || table || matches!(value, "true" | "false") {
        value.to_owned()
    } else {
        write::text(value)
    }
}

/// A value of TOML as it can be typed between commas: without quotes where it is read alike.
fn typed(value: &str) -> String {
    let bare = shown(value);
    if parts(&bare).len() == 1 && in_toml(&bare) == value { bare } else { value.to_owned() }
}

/// A value of TOML without its quotes.
fn shown(value: &str) -> String {
    match value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(text) => text.replace("\\\"", "\"").replace("\\\\", "\\"),
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use clockwise::KeyPrefix;
    use clockwise::dialect::{libmemcached, twemproxy};

    use super::*;

    fn settings(text: &str) -> Settings {
        text.parse().unwrap()
    }

    #[test]
    fn settings_are_read_and_written_alike_for_every_scheme_and_dialect() {
        let mut schemes = Scheme::compared();
        for name in SCHEMES.iter().chain(dialect::DIALECTS).map(|(name, _)| *name) {
            schemes.push(settings(name).scheme().unwrap());
        }
        let tag = Some("{}".parse().unwrap());
        schemes.push(twemproxy::Options { hash_tag: tag, ..twemproxy::Options::default() }.into());
        for tag in ["[]", "\"\"", ",,", "{,", "11", "\\\""] {
            schemes.push(settings("twemproxy").with("hash_tag", Some(&write::text(tag))).scheme().unwrap());
        }
        let keys = |text: &str| settings("envoy").with("hash_keys", Some(text)).scheme();
        schemes.push(keys("{ a = \"x, {y}\" }").unwrap());
        schemes.push(libmemcached::Options::ketama_weighted().into());
        for (at, prefix) in
            ["app:", "a b", "\"", "\\", "é,{x}", "7", "true", "[]", "\t"].into_iter().enumerate()
        {
            schemes.push(schemes[at].clone().with_key_prefix(KeyPrefix::new(prefix).unwrap()));
        }
        for scheme in schemes {
            let settings = Settings::of(&scheme);
            assert_eq!(settings.scheme().unwrap(), scheme, "{settings}");
            assert_eq!(settings.clone().brief().scheme().unwrap(), scheme, "{settings}");
            assert_eq!(settings.to_string().parse(), Ok(settings));
        }
    }

    #[test]
    fn one_setting_is_changed_added_or_taken_away() {
        let pool = settings("twemproxy,hash=md5");
        assert_eq!(pool.clone().with("hash", Some("\"murmur\"")).to_string(), "twemproxy,hash=murmur");
        let tagged = pool.clone().with("hash_tag", Some("\"$$\""));
        assert_eq!(tagged.shown("hash_tag").as_deref(), Some("$$"));
        assert_eq!(tagged.with("hash_tag", None), pool);
        assert_eq!(pool.defaults().unwrap().to_string(), "twemproxy,distribution=ketama,hash=fnv1a_64");
        assert!(pool.is_same_system(&settings("twemproxy")) && !pool.is_same_system(&settings("ring")));
    }

    #[test]
    fn words_are_those_that_the_setting_takes() {
        let pool = settings("twemproxy");
        assert_eq!(pool.words("distribution"), ["\"ketama\"", "\"modula\""]);
        assert_eq!(pool.words("hash").len(), twemproxy::Hash::ALL.len());
        assert_eq!(settings("ring").words("hash").len(), NamedHash::ALL.len());
        assert_eq!(settings("libmemcached").words("sort_hosts"), ["false", "true"]);
        assert_eq!(pool.known().collect::<Vec<_>>(), ["distribution", "hash", "hash_tag", "key_prefix"]);
        assert!(pool.words("hash_tag").is_empty() && settings("ring").words("points_per_weight").is_empty());
        for word in pool.words("hash") {
            assert!(pool.clone().with("hash", Some(&word)).scheme().is_ok(), "{word}");
        }
    }

    #[test]
    fn what_no_file_may_hold_is_refused_in_the_words_of_files() {
        for (text, says) in [
            ("rign", "there is no scheme \"rign\""),
            ("nope", "there is no scheme \"nope\""),
            ("twemprox", "there is no dialect \"twemprox\""),
            ("ring,points=5", "[placement] has no key `points`"),
            ("ring,points_per_weight=x", "`points_per_weight` takes a whole number"),
            ("ring,points_per_weight", "`points_per_weight` takes a whole number"),
            ("twemproxy,hash=fnv", "there is no hash \"fnv\""),
            ("ring,a b=1", "has no key `a b`"),
            ("", "there is no scheme \"\""),
            ("bounded,epsilon=0.25.1", "epsilon"),
        ] {
            let error = text.parse::<Settings>().unwrap_err();
            assert!(error.to_string().contains(says), "{text}: {error}");
        }
        assert_eq!(settings("twemproxy,hash_tag=\"11\"").shown("hash_tag").as_deref(), Some("11"));
        assert_eq!(settings("bounded,epsilon=0.5").scheme().unwrap().to_string(), "bounded");
    }
}
