//! Requests and what comes back, for the tests.

use clockwise_lab::answer::{Array, Values};
use serde_json::{Value, json};

/// The document of an answer, and its arrays.
pub(crate) fn ask_all(request: &Value) -> (Value, Vec<Array>) {
    let answer = clockwise_lab::handle(request.to_string().as_bytes());
    let mut document: Value = serde_json::from_str(&answer.json).unwrap();
    assert!(document.get("ok").is_some(), "{request}: {document}");
    let named: Vec<(String, String)> = document["arrays"]
        .as_array()
        .unwrap()
        .iter()
        .map(|array| (array["name"].as_str().unwrap().to_owned(), array["type"].as_str().unwrap().to_owned()))
        .collect();
    let arrays = &answer.arrays;
    assert_eq!(named.len(), arrays.len());
    assert!(named.iter().zip(arrays).all(|(named, array)| named.0 == array.name && named.1 == array.kind()));
    (document["ok"].take(), answer.arrays)
}

/// The document alone.
pub(crate) fn ask(request: &Value) -> Value {
    ask_all(request).0
}

/// What a request is refused with.
pub(crate) fn refused(request: &Value) -> String {
    let answer = clockwise_lab::handle(request.to_string().as_bytes());
    let document: Value = serde_json::from_str(&answer.json).unwrap();
    document["error"].as_str().unwrap_or_else(|| panic!("{request} is answered: {document}")).to_owned()
}

/// A fleet of these nodes with settings.
pub(crate) fn fleet(nodes: &str, settings: &Value) -> Value {
    let names = nodes.split_whitespace().map(|name| json!({ "name": name }));
    let mut fleet = json!({ "nodes": names.collect::<Vec<_>>() });
    for (key, value) in settings.as_object().unwrap() {
        fleet[key] = value.clone();
    }
    fleet
}

/// A state in which the first fleet became the second.
pub(crate) fn change(before: &str, now: &str, settings: &Value) -> Value {
    json!({ "fleet": fleet(now, settings), "history": [fleet(before, settings)] })
}

/// The figures of a state.
pub(crate) fn figures(state: &Value) -> Value {
    ask(&json!({ "op": "figures", "state": state }))
}

/// The numbers of an array.
pub(crate) fn array(arrays: &[Array], name: &str) -> Vec<f64> {
    let array = arrays.iter().find(|array| array.name == name).unwrap_or_else(|| panic!("no array {name}"));
    match &array.values {
        Values::U8(values) => values.iter().map(|value| f64::from(*value)).collect(),
        Values::U16(values) => values.iter().map(|value| f64::from(*value)).collect(),
        Values::F32(values) => values.iter().map(|value| f64::from(*value)).collect(),
    }
}
