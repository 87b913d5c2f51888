//! A file of keys that was pasted or dropped, read as the command reads one.

use clockwise_config::keys::{KeyOptions, KeyReader};
use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::answer::{Array, Values};
use crate::sentence::{grouped, many};
use crate::state::MAX_KEYS;

/// How many keys are named at once.
const FIRST: usize = 5;

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// What the file is called, for messages.
    #[serde(default = "pasted")]
    pub name: String,
    /// What it holds.
    pub text: String,
}

fn pasted() -> String {
    "pasted".to_owned()
}

/// The keys of a file. Beside it an array `list`: the text of a JSON array of all of them, ready for
/// [`Keys::list`](crate::state::Keys::list).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KeyFile {
    /// What stands in it: `lines`, `csv`, `metadump`, `redis`.
    pub format: String,
    /// How many keys.
    pub total: u64,
    /// The first of them.
    pub first: Vec<String>,
    /// What was found, for a person.
    pub sentence: String,
}

/// Reads a file of keys. Refuses what the command refuses, keys that are no text, and too many.
pub fn keys(ask: &Ask) -> Result<(KeyFile, Vec<Array>), Refusal> {
    let refused = |error: clockwise_config::keys::Error| Refusal::new(error.to_string());
    if ask.text.contains('\0') {
        return Err(Refusal::new(format!("{} holds NUL bytes: it is no list of keys in lines", ask.name)));
    }
    let mut reader =
        KeyReader::new(ask.name.as_str(), ask.text.as_bytes(), KeyOptions::default()).map_err(refused)?;
    let format = reader.format().to_string();
    let mut keys = Vec::new();
    while let Some(record) = reader.read().map_err(refused)? {
        if keys.len() as u64 == MAX_KEYS {
            return Err(Refusal::new(format!(
                "{} holds more keys than the {} of a page; `clockwise plan` takes any number",
                ask.name,
                grouped(MAX_KEYS)
            )));
        }
        let key = String::from_utf8(record.key.to_vec()).map_err(|_| {
            Refusal::new(format!(
                "{}: key {} is not text, and a page's keys are; `clockwise plan` takes any bytes",
                ask.name,
                keys.len() + 1
            ))
        })?;
        keys.push(key);
    }
    if keys.is_empty() {
        return Err(Refusal::new(format!("{} holds no keys", ask.name)));
    }
    let list = serde_json::to_vec(&keys).map_err(|error| Refusal::new(error.to_string()))?;
    let file = KeyFile {
        sentence: format!("{} of {}, read as {format}.", many(keys.len() as u64, "key", "keys"), ask.name),
        format,
        total: keys.len() as u64,
        first: keys.into_iter().take(FIRST).collect(),
    };
    Ok((file, vec![Array::new("list", Values::U8(list))]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(KeyFile, Vec<Array>), Refusal> {
        keys(&Ask { name: "mine".to_owned(), text: text.to_owned() })
    }

    fn list(text: &str) -> Vec<String> {
        let (file, arrays) = read(text).unwrap();
        let list: Vec<String> = serde_json::from_slice(&arrays[0].to_bytes()).unwrap();
        assert_eq!((file.total, &file.first[..]), (list.len() as u64, &list[..list.len().min(5)]));
        list
    }

    #[test]
    fn files_are_read_as_the_command_reads_them() {
        assert_eq!(list("a\nb c\n"), ["a", "b c"]);
        assert_eq!(list("a\r\nb\r\n"), ["a", "b"]);
        assert_eq!(list("requests,key\n5,\"a,b\"\n6,\"say \"\"hi\"\"\"\n"), ["a,b", "say \"hi\""]);
        assert_eq!(read("key,requests\na,1\n").unwrap().0.sentence, "1 key of mine, read as csv.");
    }

    #[test]
    fn what_is_no_list_of_keys_is_refused() {
        for (text, said) in
            [("", "holds no keys"), ("a\0b", "NUL bytes"), ("key,requests\na,b,c\n", "mine, line 2")]
        {
            let refusal = read(text).unwrap_err().to_string();
            assert!(refusal.contains(said), "{text:?}: {refusal}");
        }
        let many = "k\n".repeat(MAX_KEYS as usize + 1);
        assert!(read(&many).unwrap_err().to_string().contains("more keys than the 1,000,000"));
    }
}
