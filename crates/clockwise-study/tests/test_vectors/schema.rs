//! JSON Schema, as much of it as the schema of the vectors uses. A keyword that is not known here
//! stops the test.

use serde_json::Value;

/// Where a document breaks the schema, and how.
pub(crate) fn problem(schema: &Value, document: &Value) -> Option<String> {
    Validator { root: schema }.problem(schema, document, "")
}

struct Validator<'a> {
    root: &'a Value,
}

impl Validator<'_> {
    fn problem(&self, schema: &Value, value: &Value, at: &str) -> Option<String> {
        if let Value::Bool(allowed) = schema {
            return (!allowed).then(|| format!("{at} is not allowed"));
        }
        schema.as_object().unwrap().iter().find_map(|(keyword, rule)| {
            self.broken(schema, keyword, rule, value, at).map(|found| match found {
                Broken::Here => format!("{at}: {keyword} {rule}"),
                Broken::Inside(problem) => problem,
            })
        })
    }

    fn broken(&self, schema: &Value, keyword: &str, rule: &Value, value: &Value, at: &str) -> Option<Broken> {
        let here = |is_right: bool| (!is_right).then_some(Broken::Here);
        let inside = |schema: &Value, value: &Value, place: &str| {
            self.problem(schema, value, &format!("{at}/{place}")).map(Broken::Inside)
        };
        let fits = |schema: &Value| self.problem(schema, value, at).is_none();
        let count = || rule.as_array().unwrap().iter().filter(|rule| fits(rule)).count();
        match keyword {
            "$schema" | "$id" | "$defs" | "title" | "description" => None,
            "$ref" => {
                let target = self.root.pointer(rule.as_str().unwrap().trim_start_matches('#')).unwrap();
                self.problem(target, value, at).map(Broken::Inside)
            }
            "type" => {
                let kinds = rule.as_array().cloned().unwrap_or_else(|| vec![rule.clone()]);
                here(kinds.iter().any(|kind| is_a(kind.as_str().unwrap(), value)))
            }
            "const" => here(value == rule),
            "enum" => here(rule.as_array().unwrap().contains(value)),
            "oneOf" => here(count() == 1),
            "anyOf" => here(count() > 0),
            "minimum" => here(value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap())),
            "maximum" => here(value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap())),
            "minLength" => {
                here(value.as_str().is_none_or(|text| text.chars().count() as u64 >= rule.as_u64().unwrap()))
            }
            "pattern" => here(value.as_str().is_none_or(|text| matches(rule.as_str().unwrap(), text))),
            "minItems" => {
                here(value.as_array().is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap()))
            }
            "items" => {
                let items = value.as_array().into_iter().flatten();
                items.zip(0..).find_map(|(item, at): (_, usize)| inside(rule, item, &at.to_string()))
            }
            "required" => here(value.as_object().is_none_or(|fields| {
                rule.as_array().unwrap().iter().all(|name| fields.contains_key(name.as_str().unwrap()))
            })),
            "properties" => rule
                .as_object()
                .unwrap()
                .iter()
                .find_map(|(name, rule)| value.get(name).and_then(|value| inside(rule, value, name))),
            "additionalProperties" => value.as_object().into_iter().flatten().find_map(|(name, value)| {
                let known = schema.get("properties").is_some_and(|known| known.get(name).is_some());
                if known { None } else { inside(rule, value, name) }
            }),
            "propertyNames" => value
                .as_object()
                .into_iter()
                .flatten()
                .find_map(|(name, _)| inside(rule, &Value::from(name.as_str()), name)),
            _ => panic!("{keyword} is not known here"),
        }
    }
}

enum Broken {
    Here,
    Inside(String),
}

fn is_a(kind: &str, value: &Value) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        _ => panic!("{kind} is not known here"),
    }
}

fn matches(pattern: &str, text: &str) -> bool {
    let is_hex = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    match pattern {
        "^([0-9a-f]{2})*$" => is_hex && text.len().is_multiple_of(2),
        "^[0-9a-f]{64}$" => is_hex && text.len() == 64,
        "^(0|[1-9][0-9]{0,19})$" => {
            let digits = (1..=20).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
            digits && (text == "0" || !text.starts_with('0'))
        }
        _ => panic!("{pattern} is not known here"),
    }
}
