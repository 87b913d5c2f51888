//! Nodes that are down, failures that spread, and clients that have not heard.

use serde_json::{Value, json};

use crate::asking::{array, ask, ask_all, change, figures, fleet, refused};

fn names(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

#[test]
fn a_node_that_is_down_keeps_its_keys_and_the_next_answers() {
    let mut state = json!({ "fleet": fleet("A B C D", &json!({})), "down": ["B"] });
    let (figures, arrays) = ask_all(&json!({ "op": "figures", "state": state }));
    let (owners, answering) = (array(&arrays, "owners"), array(&arrays, "answering"));
    let flags = array(&arrays, "flags");
    // B lies before D on the circle.
    for at in 0..48 {
        let is_b = (owners[at] - 1.0).abs() < 0.5;
        assert_eq!(
            (answering[at] as u64, flags[at] as u64 & 8),
            if is_b { (3, 8) } else { (owners[at] as u64, 0) }
        );
    }
    let b = &figures["nodes"][1];
    assert!(b["keys"].as_u64().unwrap() > 0 && b["answering"] == 0 && b["down"] == true);
    assert!(
        figures["sentence"]
            .as_str()
            .unwrap()
            .ends_with(" B is down; the next in line answers, and nothing changes its owner.")
    );
    state["fleet"]["scheme"] = json!("mod-n");
    let lost = self::figures(&state);
    assert_eq!(lost["unanswered"], lost["nodes"][1]["keys"]);
    state["fleet"]["scheme"] = json!("bounded");
    let held = self::figures(&state);
    assert_eq!(held["unanswered"], 0);
    let answered = held["nodes"].as_array().unwrap().iter().map(|node| node["answering"].as_u64().unwrap());
    assert!(answered.max().unwrap() <= 20, "{held}");
    state["down"] = json!(["A", "B", "C", "D"]);
    assert_eq!(self::figures(&state)["unanswered"], 48);
}

fn cascade(state: &Value, node_capacity: f64) -> Value {
    ask(&json!({ "op": "cascade", "state": state, "first": "D", "hit_ratio": 0.9, "requests": 4_800,
        "node_capacity": node_capacity, "database_capacity": 1_000 }))
}

#[test]
fn with_one_token_a_failure_takes_all_down_and_with_many_it_stops() {
    let eight = |tokens: u32| json!({ "fleet": fleet("A B C D E F G H", &json!({ "tokens": tokens })) });
    let one = cascade(&eight(1), 2_100.0);
    let steps = one["steps"].as_array().unwrap();
    // 100 requests a key: D's 20 keys go to A, which then has 26 and falls as well.
    assert_eq!((names(&steps[1]["fell"]), &steps[1]["moved"]), (vec!["D"], &json!(20)));
    assert_eq!(steps[1]["loads"][0]["requests"], 2_600.0);
    assert_eq!(names(&steps[2]["fell"]), ["A"]);
    assert_eq!(steps.last().unwrap()["down"].as_array().unwrap().len(), 8);
    assert_eq!(steps.last().unwrap()["database"], 4_800.0);
    assert!(one["sentence"].as_str().unwrap().contains("no node is left"), "{one}");
    // Before the failure a tenth of the requests reaches the database; then 20 of 48 keys miss once.
    assert!((steps[0]["database"].as_f64().unwrap() - 480.0).abs() < 1e-9);
    let expected = 4_800.0 * (1.0 - 0.9 * 28.0 / 48.0);
    assert!((steps[1]["database"].as_f64().unwrap() - expected).abs() < 1e-9);
    assert!((steps[1]["database_factor"].as_f64().unwrap() - expected / 480.0).abs() < 1e-9);
    assert_eq!(steps[1]["database_over"], true);
    let many = cascade(&eight(200), 2_100.0);
    assert_eq!(names(&many["steps"].as_array().unwrap().last().unwrap()["down"]), ["D"]);
    assert_eq!(many["steps"].as_array().unwrap().len(), 2);
}

#[test]
fn by_mod_n_a_failure_is_felt_by_nearly_every_key() {
    let state = json!({ "fleet": fleet("A B C D E F G H", &json!({ "scheme": "mod-n" })) });
    let steps = cascade(&state, 1e9);
    assert_eq!(steps["steps"][1]["moved"], 42);
}

#[test]
fn a_cascade_of_nothing_is_refused() {
    let ask = |first: &str, hit_ratio: f64| {
        json!({ "op": "cascade", "state": { "fleet": fleet("A B", &json!({})), "down": ["B"] }, "first": first,
            "hit_ratio": hit_ratio, "requests": 1, "node_capacity": 1, "database_capacity": 1 })
    };
    assert!(refused(&ask("Z", 0.5)).contains("there is no such node"));
    assert!(refused(&ask("B", 0.5)).contains("is down already"));
    assert!(refused(&ask("A", 1.5)).contains("not between 0 and 1"));
}

#[test]
fn clients_of_two_epochs_disagree_on_the_keys_that_moved() {
    let state = change("A B C D", "A B C D E", &json!({}));
    let clients = ask(&json!({ "op": "clients", "state": state }));
    assert_eq!(
        (&clients["old_epoch"], &clients["new_epoch"], &clients["disagree"]),
        (&json!(1), &json!(2), &json!(7))
    );
    assert_ne!(clients["old_fingerprint"], clients["new_fingerprint"]);
    let keys = clients["keys"].as_array().unwrap();
    assert!(keys.iter().all(|key| key["old"] == "C" && key["new"] == "E"));
    assert_eq!(keys[0]["key"], "user:2");
    assert!(
        clients["sentence"].as_str().unwrap().contains("They disagree on 7 of 48 keys: user:2, user:6, ")
    );
    assert!(
        refused(&json!({ "op": "clients", "state": { "fleet": fleet("A", &json!({})) } }))
            .contains("one epoch")
    );
}

#[test]
fn slots_move_from_where_they_are() {
    let slots = json!({ "scheme": "slots", "slots": 48 });
    // B came, then C: C's slots come from a map that B's arrival made, not from an even deal of A and B.
    let state =
        json!({ "fleet": fleet("A B C", &slots), "history": [fleet("A", &slots), fleet("A B", &slots)] });
    let grown = figures(&state);
    let tokens: Vec<u64> =
        grown["nodes"].as_array().unwrap().iter().map(|node| node["tokens"].as_u64().unwrap()).collect();
    assert_eq!(tokens, [16, 16, 16]);
    assert_eq!(grown["change"]["stray"], 0);
    let fresh = figures(&json!({ "fleet": fleet("A B C", &slots), "history": [fleet("A B", &slots)] }));
    assert_ne!(grown["change"]["flows"], fresh["change"]["flows"]);
}
