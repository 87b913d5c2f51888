//! A pool of the vectors as a placement: it is read as a fleet file would be, so that settings and
//! servers mean what they mean there and are refused for the same reasons.

use clockwise::Scheme;
use clockwise_config::{Options, Settings, parse};
use serde_json::{Map, Value};

use super::model::{PoolHead, ServerEntry};

/// A system by its name, and the settings that were said.
#[derive(Clone, Debug)]
pub(super) struct Pool<'a> {
    /// `scheme` or `dialect`.
    pub(super) what: &'static str,
    pub(super) system: &'a str,
    pub(super) settings: &'a Map<String, Value>,
    pub(super) servers: Vec<Map<String, Value>>,
}

/// A pool that was read and built.
#[derive(Clone, Debug)]
pub(super) struct Built {
    pub(super) scheme: Scheme,
    pub(super) built: clockwise::Built,
}

impl<'a> Pool<'a> {
    pub(super) fn of(head: &'a PoolHead) -> Pool<'a> {
        let (what, system) = system(head.scheme.as_deref(), head.dialect.as_deref());
        Pool { what, system, settings: &head.settings, servers: head.servers.iter().map(fields).collect() }
    }

    /// The placement, or why it is refused.
    pub(super) fn build(&self) -> Result<Built, String> {
        let text = self.to_toml()?;
        let file = parse("pool", text.as_bytes(), &Options::default())
            .map_err(|all| all.iter().next().map_or_else(String::new, |first| first.message().to_owned()))?;
        let pool = file.pick(None).map_err(|error| error.message().to_owned())?;
        let scheme = pool.scheme().clone();
        let built = scheme.build(pool.servers()).map_err(|error| error.to_string())?;
        Ok(Built { scheme, built })
    }

    fn to_toml(&self) -> Result<String, String> {
        let mut out = format!("version = 1\n[placement]\n{} = {}\n", self.what, text(self.system));
        lines(&mut out, self.settings)?;
        for server in &self.servers {
            out.push_str("[[server]]\n");
            lines(&mut out, server)?;
        }
        Ok(out)
    }
}

/// Which of the two it is.
pub(super) fn system<'a>(scheme: Option<&'a str>, dialect: Option<&'a str>) -> (&'static str, &'a str) {
    match (scheme, dialect) {
        (_, Some(dialect)) => ("dialect", dialect),
        (scheme, None) => ("scheme", scheme.unwrap_or_default()),
    }
}

/// A server's fields.
pub(super) fn fields(server: &ServerEntry) -> Map<String, Value> {
    match serde_json::to_value(server) {
        Ok(Value::Object(fields)) => fields,
        // It is a struct, so it is an object.
        _ => Map::new(),
    }
}

/// The settings that were said and, written out, the defaults of the others.
pub(super) fn complete(said: &Map<String, Value>, scheme: &Scheme) -> Map<String, Value> {
    let all = Settings::of(scheme);
    let mut complete = said.clone();
    for key in all.keys() {
        if complete.contains_key(key) {
            continue;
        }
        let value = match (all.get(key), all.shown(key)) {
            (Some(quoted), Some(text)) if quoted.starts_with('"') => Some(Value::from(text)),
            // A number or a truth value is the same in JSON; nothing said of any server is not said.
            (Some(plain), _) => serde_json::from_str(plain).ok().filter(|value: &Value| !value.is_object()),
            (None, _) => None,
        };
        complete.extend(value.map(|value| (key.to_owned(), value)));
    }
    complete
}

fn lines(out: &mut String, fields: &Map<String, Value>) -> Result<(), String> {
    for (key, value) in fields {
        *out += &format!("{} = {}\n", text(key), toml(value)?);
    }
    Ok(())
}

/// A value of JSON in TOML.
fn toml(value: &Value) -> Result<String, String> {
    Ok(match value {
        Value::String(string) => text(string),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        Value::Object(fields) => {
            let pairs = fields.iter().map(|(key, value)| Ok(format!("{} = {}", text(key), toml(value)?)));
            format!("{{ {} }}", pairs.collect::<Result<Vec<_>, String>>()?.join(", "))
        }
        Value::Array(items) => {
            let items = items.iter().map(toml);
            format!("[{}]", items.collect::<Result<Vec<_>, _>>()?.join(", "))
        }
        Value::Null => return Err(format!("no setting is {value}")),
    })
}

/// Text in TOML: JSON's escapes are TOML's too, but TOML wants one more control character escaped.
fn text(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(settings: Value, servers: Value) -> Result<Built, String> {
        let Value::Object(settings) = settings else { panic!("settings are an object") };
        let servers = serde_json::from_value(servers).unwrap();
        Pool { what: "dialect", system: "haproxy", settings: &settings, servers }.build()
    }

    #[test]
    fn a_pool_means_what_a_fleet_file_of_its_fields_means() {
        let settings = serde_json::json!({"hash_type": "consistent djb2", "ids": {"a\"\\é": 101}});
        let servers =
            serde_json::json!([{"name": "a\"\\é", "weight": 2}, {"name": "b", "state": "draining"}]);
        let Built { scheme, built } = built(settings.clone(), servers).unwrap();
        assert_eq!(built.ring().unwrap().point_counts(), [32, 0]);
        let complete = complete(settings.as_object().unwrap(), &scheme);
        assert_eq!(Value::Object(complete.clone())["hash_key"], "id");
        assert_eq!(complete["ids"], settings["ids"]);
        assert!(!complete.contains_key("guids"), "{complete:?}");
    }

    #[test]
    fn what_is_no_pool_is_refused_in_the_words_of_files() {
        for (settings, servers, says) in [
            (serde_json::json!({}), serde_json::json!([]), "has no servers"),
            (serde_json::json!({}), serde_json::json!([{"name": "a\u{7f}"}]), "control character"),
            (serde_json::json!({}), serde_json::json!([{"name": "a", "weight": -1}]), "weight -1"),
            (
                serde_json::json!({"hash_type": null}),
                serde_json::json!([{"name": "a"}]),
                "no setting is null",
            ),
            (serde_json::json!({"hash_type": "sorted"}), serde_json::json!([{"name": "a"}]), "sorted"),
        ] {
            let refused = built(settings, servers).unwrap_err();
            assert!(refused.contains(says), "{refused}");
        }
    }
}
