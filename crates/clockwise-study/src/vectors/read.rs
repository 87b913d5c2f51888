//! Reading test vectors: the shape of the schema, or an error that names the place.

use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::error::Category;
use serde_json::{Map, Value};

use super::model::{FORMAT, File, Flag, Group, PoolHead, RejectHead, Tests, VERSION};

/// Why a text is no file of test vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    line: Option<usize>,
    place: String,
    problem: String,
}

/// What would have been one.
const EXPECTED: &str = "test vectors are JSON as `clockwise vectors --out DIR` writes it";

impl Unreadable {
    /// The line, counted from 1, of a text that is no JSON.
    pub fn line(&self) -> Option<usize> {
        self.line
    }

    /// Something about the whole, or about a group or test.
    fn at(place: &str, problem: impl Into<String>) -> Unreadable {
        Unreadable { line: None, place: place.to_owned(), problem: problem.into() }
    }

    fn no_json(error: &serde_json::Error) -> Unreadable {
        let what = match error.classify() {
            Category::Eof => "the file ends where its JSON does not".to_owned(),
            _ => format!("no JSON at column {}", error.column()),
        };
        Unreadable { line: Some(error.line()), ..Unreadable::at("", format!("{what}; {EXPECTED}")) }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place.as_str() {
            "" => f.write_str(&self.problem),
            place => write!(f, "{place}: {}", self.problem),
        }
    }
}

impl std::error::Error for Unreadable {}

/// Reads a file. Refuses what is not of the schema, fields that it does not know included; the error
/// names the line, or the group and the test.
pub fn read(text: &str) -> Result<File, Unreadable> {
    let at = |problem: String| Unreadable::at("", problem);
    let value: Value = serde_json::from_str(text).map_err(|error| Unreadable::no_json(&error))?;
    let Value::Object(mut fields) = value else {
        return Err(at(format!("the JSON is no object; {EXPECTED}")));
    };
    match fields.remove("format") {
        None => return Err(at(format!("there is no `format`; {EXPECTED}"))),
        Some(format) if format != FORMAT => {
            return Err(at(format!("`format` is not {FORMAT:?}; {EXPECTED}")));
        }
        Some(_) => {}
    }
    let mut take = |name: &str| fields.remove(name).ok_or_else(|| at(format!("there is no `{name}`")));
    let version = take("version")?;
    if version != VERSION {
        return Err(at(format!("version {version} is not known here; this program reads version {VERSION}")));
    }
    let name: String = typed("name", take("name")?)?;
    let about: String = typed("about", take("about")?)?;
    // What flags mean is for readers, and is said anew when written.
    let _: std::collections::BTreeMap<Flag, String> = typed("flags", take("flags")?)?;
    let groups: Vec<Value> = typed("groups", take("groups")?)?;
    if let Some(unknown) = fields.keys().next() {
        return Err(at(format!("there is no field `{unknown}`")));
    }
    let groups = groups.into_iter().zip(1..).map(|(group, number)| read_group(group, number));
    Ok(File { name, about, groups: groups.collect::<Result<_, _>>()? })
}

fn typed<T: DeserializeOwned>(place: &str, value: Value) -> Result<T, Unreadable> {
    serde_json::from_value(value).map_err(|error| Unreadable::at(place, error.to_string()))
}

fn read_group(value: Value, number: usize) -> Result<Group, Unreadable> {
    let place = format!("group {number}");
    let error = |problem: &str| Unreadable::at(&place, problem);
    let Value::Object(mut fields) = value else {
        return Err(error("is no object"));
    };
    let kind = fields.remove("type").ok_or_else(|| error("there is no `type`"))?;
    let of_one_system = |scheme: &Option<String>, dialect: &Option<String>| {
        let is_one = scheme.is_some() != dialect.is_some();
        is_one.then_some(()).ok_or_else(|| error("has a `scheme` or a `dialect`, and one of them"))
    };
    let of_pool = |head: &PoolHead| of_one_system(&head.scheme, &head.dialect);
    Ok(match kind.as_str().unwrap_or_default() {
        "hash" => Group::Hash(tests(fields, &place)?),
        "points" => {
            let group = tests(fields, &place)?;
            of_pool(&group.head)?;
            Group::Points(group)
        }
        "owner" => {
            let group = tests(fields, &place)?;
            of_pool(&group.head)?;
            Group::Owner(group)
        }
        "reject" => {
            let group: Tests<RejectHead, _> = tests(fields, &place)?;
            of_one_system(&group.head.scheme, &group.head.dialect)?;
            Group::Reject(group)
        }
        _ => return Err(error(&format!("there is no type {kind}; known: hash, points, owner, reject"))),
    })
}

fn tests<H: DeserializeOwned, T: DeserializeOwned>(
    mut fields: Map<String, Value>,
    place: &str,
) -> Result<Tests<H, T>, Unreadable> {
    let missing = || Unreadable::at(place, "there is no `tests`");
    let list: Vec<Value> = typed(place, fields.remove("tests").ok_or_else(missing)?)?;
    let head = typed(place, Value::Object(fields))?;
    let one = |(test, at): (Value, usize)| {
        let place = match test.get("id").and_then(Value::as_u64) {
            Some(id) => format!("{place}, test {id}"),
            None => format!("{place}, test number {at}"),
        };
        typed(&place, test)
    };
    let tests = list.into_iter().zip(1..).map(one).collect::<Result<_, _>>()?;
    Ok(Tests { head, tests })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(groups: &str) -> String {
        format!(
            r#"{{"format":"clockwise-test-vectors","version":1,"name":"n","about":"a","flags":{{}},"groups":[{groups}]}}"#
        )
    }

    #[test]
    fn what_is_not_of_the_schema_is_refused_with_its_place() {
        let hash = r#""type":"hash","hash":"md5","bits":64,"source":"s""#;
        let pool =
            r#""type":"owner","settings":{},"servers":[{"name":"a","weight":1}],"source":"s","tests":[]"#;
        for (groups, says) in [
            ("3".to_owned(), "group 1: is no object"),
            ("{}".to_owned(), "group 1: there is no `type`"),
            (r#"{"type":"hush"}"#.to_owned(), "group 1: there is no type \"hush\"; known: hash"),
            (format!("{{{hash}}}"), "group 1: there is no `tests`"),
            (format!("{{{hash},\"tests\":[],\"seed\":1}}"), "group 1: unknown field `seed`"),
            (format!("{{{hash},\"tests\":[{{\"id\":7}}]}}"), "group 1, test 7: missing field `input`"),
            (
                format!("{{{hash},\"tests\":[{{\"id\":7,\"input\":\"0G\",\"value\":\"1\",\"flags\":[]}}]}}"),
                "group 1, test 7: \"0G\" is not bytes in lower-case hexadecimal",
            ),
            (
                format!("{{{hash},\"tests\":[{{\"id\":7,\"input\":\"\",\"value\":\"01\",\"flags\":[]}}]}}"),
                "group 1, test 7: \"01\" is not a decimal number of up to 64 bits",
            ),
            (
                format!("{{{hash},\"tests\":[{{\"id\":7,\"input\":\"\",\"value\":1,\"flags\":[]}}]}}"),
                "group 1, test 7: invalid type: integer `1`, expected a string",
            ),
            (
                format!("{{{hash},\"tests\":[{{\"input\":\"\",\"value\":\"1\",\"flags\":[\"Trap\"]}}]}}"),
                "group 1, test number 1: unknown variant `Trap`",
            ),
            (format!("{{{pool}}}"), "group 1: has a `scheme` or a `dialect`, and one of them"),
            (
                format!("{{\"scheme\":\"ring\",\"dialect\":\"nginx\",{pool}}}"),
                "group 1: has a `scheme` or a `dialect`, and one of them",
            ),
        ] {
            let error = read(&file(&groups)).unwrap_err().to_string();
            assert!(error.contains(says), "{groups}: {error}");
        }
    }

    #[test]
    fn what_is_no_file_of_vectors_at_all_says_why() {
        for (text, says) in [
            ("", "the file ends where its JSON does not; test vectors are JSON as"),
            ("{\n  \"format\": }", "no JSON at column 13; test vectors are JSON as"),
            ("[]", "the JSON is no object; test vectors are JSON as"),
            ("{}", "there is no `format`"),
            (r#"{"format":"wycheproof"}"#, "`format` is not \"clockwise-test-vectors\""),
            (r#"{"format":"clockwise-test-vectors","version":2}"#, "version 2 is not known here"),
            (&file("").replace("\"name\":\"n\"", "\"name\":1"), "name: invalid type"),
            (&file("").replace("\"flags\":{}", "\"flags\":{\"Trap\":\"\"}"), "flags: unknown variant `Trap`"),
            (&file("").replace("\"name\"", "\"more\":1,\"name\""), "there is no field `more`"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
        assert_eq!(read("{\n  \"format\": }").unwrap_err().line(), Some(2));
        assert_eq!(read("{}").unwrap_err().line(), None);
        assert_eq!(read(&file("")).unwrap().tests(), 0);
    }
}
