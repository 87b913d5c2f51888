//! What has no meaning is refused with a sentence for the person at the page.

use serde_json::json;

use crate::asking::{fleet, refused};

#[test]
fn what_has_no_meaning_is_refused_and_said_why() {
    let state = |fleet| json!({ "op": "figures", "state": { "fleet": fleet } });
    let four = fleet("A B C D", &json!({}));
    let with = |field: &str, value| {
        let mut state = json!({ "fleet": four });
        state[field] = value;
        json!({ "op": "figures", "state": state })
    };
    for (request, said) in [
        (json!({ "op": "paint" }), "unknown variant `paint`"),
        (json!({ "state": {} }), "missing field `op`"),
        (state(fleet("", &json!({}))), "no servers"),
        (state(fleet("A A", &json!({}))), "\"A\""),
        (state(fleet("A", &json!({ "tokens": 0 }))), "0 tokens a node: the lab takes 1 to 1000"),
        (state(fleet("A", &json!({ "tokens": 1_001 }))), "1001 tokens a node"),
        (state(fleet("A", &json!({ "hash": "sha-9" }))), "sha-9"),
        (state(fleet("A", &json!({ "hue": 3 }))), "unknown field `hue`"),
        (state(fleet("A", &json!({ "scheme": "bounded", "epsilon": "-1" }))), "is negative"),
        (state(fleet("A B", &json!({ "scheme": "maglev", "table": 8 }))), "8"),
        (state(fleet("A", &json!({ "scheme": "product" }))), "and none is named"),
        (with("down", json!(["Z"])), "\"Z\" cannot be down: there is no such node"),
        (with("replicas", json!(0)), "0 replicas: the lab takes 1 to 16"),
        (with("history", json!(vec![four.clone(); 65])), "64 earlier fleets at most"),
        (with("keys", json!({ "pattern": "user:9..1" })), "ends before it begins"),
        (with("keys", json!({ "pattern": "user:0..1000000" })), "has more than 1,000,000 keys"),
        (with("keys", json!({ "pattern": "user" })), "is no pattern of keys such as user:1..48"),
        (with("keys", json!({ "pattern": "user:1..99999999999999999999" })), "is no pattern of keys"),
        (with("keys", json!({ "pattern": "", "list": [] })), "there are no keys"),
        (with("keys", json!({ "pattern": "a1..2", "list": ["b"] })), "as a pattern and as a list"),
        (
            with("keys", json!({ "hot": { "key": "a", "times": 4_000_000_000_u32 } })),
            "4,000,000,000 keys are more than the 1,000,000",
        ),
    ] {
        let found = refused(&request);
        assert!(found.contains(said), "{request}: {found}");
    }
}
