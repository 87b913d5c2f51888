//! Reading test vectors: the shape of the schema, or an error that names the place.

use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::model::{FORMAT, File, Flag, Group, PoolHead, RejectHead, Tests, VERSION};

/// Why a text is no file of test vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    place: String,
    problem: String,
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
    let at = |place: &str, problem: String| Unreadable { place: place.to_owned(), problem };
    let value: Value = serde_json::from_str(text).map_err(|error| at("", error.to_string()))?;
    let Value::Object(mut fields) = value else {
        return Err(at("", "test vectors are an object, and this is not".to_owned()));
    };
    let mut take = |name: &str| fields.remove(name).ok_or_else(|| at("", format!("there is no `{name}`")));
    if take("format")? != FORMAT {
        return Err(at("", format!("`format` is not {FORMAT:?}")));
    }
    let version = take("version")?;
    if version != VERSION {
        return Err(at(
            "",
            format!("version {version} is not known here; this program reads version {VERSION}"),
        ));
    }
    let name: String = typed("name", take("name")?)?;
    let about: String = typed("about", take("about")?)?;
    // What flags mean is for readers, and is said anew when written.
    let _: std::collections::BTreeMap<Flag, String> = typed("flags", take("flags")?)?;
    let groups: Vec<Value> = typed("groups", take("groups")?)?;
    if let Some(unknown) = fields.keys().next() {
        return Err(at("", format!("there is no field `{unknown}`")));
    }
    let groups = groups.into_iter().zip(1..).map(|(group, number)| read_group(group, number));
    Ok(File { name, about, groups: groups.collect::<Result<_, _>>()? })
}

fn typed<T: DeserializeOwned>(place: &str, value: Value) -> Result<T, Unreadable> {
    serde_json::from_value(value)
        .map_err(|error| Unreadable { place: place.to_owned(), problem: error.to_string() })
}

fn read_group(value: Value, number: usize) -> Result<Group, Unreadable> {
    let place = format!("group {number}");
    let error = |problem: &str| Unreadable { place: place.clone(), problem: problem.to_owned() };
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
    let missing = || Unreadable { place: place.to_owned(), problem: "there is no `tests`".to_owned() };
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
            ("", "EOF while parsing a value at line 1 column 0"),
            ("{\n  \"format\": }", "expected value at line 2 column 13"),
            ("[]", "test vectors are an object"),
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
        assert_eq!(read(&file("")).unwrap().tests(), 0);
    }
}
