//! The pages a visitor sees first: every figure on them, and every owner of the recorded ones.

use clockwise::catalogue;
use serde_json::{Value, json};

use crate::asking::{array, ask, ask_all, change, figures, fleet};

const FOUR: &str = "A B C D";
const FIVE: &str = "A B C D E";
const SEVEN: &str = "A B C E F G H";
const EIGHT: &str = "A B C D E F G H";

fn recorded() -> Value {
    serde_json::from_str(include_str!("../../../../vectors/lab/lab.json")).unwrap()
}

fn keys_of(figures: &Value, node: &str) -> u64 {
    let nodes = figures["nodes"].as_array().unwrap();
    nodes.iter().find(|known| known["name"] == node).unwrap()["keys"].as_u64().unwrap()
}

fn moved(figures: &Value) -> (u64, u64) {
    let change = &figures["change"];
    (change["moved"].as_u64().unwrap(), change["stray"].as_u64().unwrap())
}

/// `to → keys` of all moves that leave `from`.
fn leaving(figures: &Value, from: &str) -> Vec<(String, u64)> {
    let flows = figures["change"]["flows"].as_array().unwrap().iter();
    flows
        .filter(|flow| flow["from"] == from)
        .map(|flow| (flow["to"].as_str().unwrap().to_owned(), flow["keys"].as_u64().unwrap()))
        .collect()
}

fn percent(share: &Value) -> String {
    format!("{:.1}%", share.as_f64().unwrap() * 100.0)
}

fn ratio(ratio: &Value) -> String {
    format!("{:.2}", ratio.as_f64().unwrap())
}

/// The owner of each of the 48 keys, by name.
fn owners(state: &Value) -> Vec<String> {
    let (figures, arrays) = ask_all(&json!({ "op": "figures", "state": state }));
    let name = |number: f64| figures["names"][number as usize].as_str().unwrap().to_owned();
    array(&arrays, "owners").into_iter().map(name).collect()
}

#[test]
fn tokens_lie_at_the_degrees_of_the_first_page() {
    for (node, degrees) in [("C", 76), ("B", 178), ("D", 287), ("A", 347), ("E", 51), ("F", 199), ("H", 203)]
    {
        let state = json!({ "fleet": fleet(node, &json!({})) });
        let (_, arrays) = ask_all(&json!({ "op": "figures", "state": state }));
        let ends = array(&arrays, "ends");
        assert_eq!(ends.len(), 1);
        assert_eq!((ends[0] * 360.0).round() as u64, degrees, "{node}");
        let exact = recorded()["tokens"][node]["degrees"].as_f64().unwrap();
        assert!((ends[0] * 360.0 - exact).abs() < 0.001, "{node}");
    }
}

#[test]
fn a_fifth_node_takes_seven_of_48_and_by_mod_n_44_move() {
    let ring = figures(&change(FOUR, FIVE, &json!({})));
    assert_eq!((moved(&ring), keys_of(&ring, "E")), ((7, 0), 7));
    assert_eq!(ring["change"]["fair"], json!(9.6));
    assert_eq!(
        ring["sentence"],
        "E joined: 7 of 48 keys moved, all from C to E; none of them for nothing. A perfectly even split would \
         move 9.6."
    );
    let mod_n = figures(&change(FOUR, FIVE, &json!({ "scheme": "mod-n" })));
    assert_eq!(moved(&mod_n), (44, 36));
    assert_eq!(
        mod_n["sentence"],
        "E joined: 44 of 48 keys moved; 36 of them for nothing. A perfectly even split would move 9.6."
    );
}

#[test]
fn growing_to_eight_is_uneven_with_one_token_and_even_with_200() {
    for (before, now, keys) in
        [(FIVE, "A B C D E F", 2), ("A B C D E F", "A B C D E F G", 2), ("A B C D E F G", EIGHT, 0)]
    {
        let joined = figures(&change(before, now, &json!({})));
        let newcomer = now.rsplit(' ').next().unwrap();
        assert_eq!((moved(&joined), keys_of(&joined, newcomer)), ((keys, 0), keys), "{newcomer}");
    }
    let eight = figures(&json!({ "fleet": fleet(EIGHT, &json!({})) }));
    assert_eq!(percent(&eight["nodes"][1]["share"]), "28.2%");
    assert_eq!(percent(&eight["nodes"][7]["share"]), "1.1%");
    for (tokens, expected) in [(1, "2.26"), (2, "2.76"), (200, "1.12")] {
        let figures = figures(&json!({ "fleet": fleet(EIGHT, &json!({ "tokens": tokens })) }));
        assert_eq!(ratio(&figures["busiest_space"]), expected, "{tokens} tokens");
        assert_eq!(figures["points"], 8 * tokens);
    }
}

#[test]
fn without_d_one_heir_has_all_its_keys_or_many_share_them() {
    let one = figures(&change(EIGHT, SEVEN, &json!({})));
    assert_eq!((moved(&one), leaving(&one, "D")), ((20, 0), vec![("A".to_owned(), 20)]));
    assert_eq!((&one["nodes"][0]["keys_before"], &one["nodes"][0]["keys"]), (&json!(6), &json!(26)));
    let many = figures(&change(EIGHT, SEVEN, &json!({ "tokens": 200 })));
    let heirs = [("C", 2), ("A", 1), ("E", 1), ("G", 1)].map(|(name, keys)| (name.to_owned(), keys));
    assert_eq!((moved(&many), leaving(&many, "D")), ((5, 0), heirs.to_vec()));
    assert_eq!(
        many["sentence"],
        "D left: 5 of 48 keys moved, all from D: 2 to C, 1 to A, 1 to E and 1 to G; none of them for nothing. A \
         perfectly even split would move 6."
    );
    assert_eq!(moved(&figures(&change(EIGHT, SEVEN, &json!({ "scheme": "mod-n" })))).0, 42);
}

#[test]
fn rendezvous_without_b_spreads_its_twelve_keys_over_all() {
    let figures = figures(&change(FOUR, "A C D", &json!({ "scheme": "rendezvous" })));
    let heirs = [("D", 7), ("A", 3), ("C", 2)].map(|(name, keys)| (name.to_owned(), keys));
    assert_eq!((moved(&figures), leaving(&figures, "B")), ((12, 0), heirs.to_vec()));
}

#[test]
fn of_100000_keys_a_fifth_or_four_fifths_move() {
    let asked = ["mod-n", "rendezvous", "ring"];
    let state = change(FOUR, FIVE, &json!({}));
    let compared =
        ask(&json!({ "op": "compare", "state": state, "pattern": "key:0..99999", "schemes": asked }));
    assert_eq!((&compared["total"], &compared["fair"]), (&json!(100_000), &json!(0.2)));
    let rows = compared["rows"].as_array().unwrap();
    for (row, (scheme, expected)) in rows.iter().zip(asked.into_iter().zip(["80.0%", "20.1%", "17.6%"])) {
        assert_eq!((&row["scheme"], &row["percent"]), (&json!(scheme), &json!(expected)));
        let exact = recorded()["moved_of_100000"][scheme].as_f64().unwrap();
        assert_eq!(row["moved"].as_u64().unwrap(), (exact * 100_000.0).round() as u64, "{scheme}");
    }
}

#[test]
fn every_recorded_key_has_its_hash_place_and_owners() {
    let recorded = recorded();
    let keys = recorded["keys"].as_object().unwrap();
    let mod_n = json!({ "scheme": "mod-n" });
    let columns = [
        ("ring4", fleet(FOUR, &json!({}))),
        ("ring8", fleet(EIGHT, &json!({}))),
        ("ring8_200", fleet(EIGHT, &json!({ "tokens": 200 }))),
        ("mod4", fleet(FOUR, &mod_n)),
        ("mod5", fleet(FIVE, &mod_n)),
        ("mod8", fleet(EIGHT, &mod_n)),
        ("rendezvous4", fleet(FOUR, &json!({ "scheme": "rendezvous" }))),
    ];
    for (column, fleet) in columns {
        for (i, owner) in owners(&json!({ "fleet": fleet })).into_iter().enumerate() {
            assert_eq!(keys[&format!("user:{}", i + 1)][column], owner, "user:{} in {column}", i + 1);
        }
    }
    let state = json!({ "fleet": fleet(FOUR, &json!({})) });
    for (key, known) in keys {
        let figures = ask(&json!({ "op": "key", "state": state, "key": key }));
        assert_eq!((&figures["hash"], &figures["owner"]), (&known["hash"], &known["ring4"]), "{key}");
        assert!((figures["degrees"].as_f64().unwrap() - known["degrees"].as_f64().unwrap()).abs() < 0.001);
    }
}

#[test]
fn the_unevenness_of_eight_nodes_is_the_recorded_one_for_every_number_of_tokens() {
    for (tokens, expected) in recorded()["busiest_of_eight"].as_object().unwrap() {
        let tokens: u32 = tokens.parse().unwrap();
        let figures = figures(&json!({ "fleet": fleet(EIGHT, &json!({ "tokens": tokens })) }));
        let found = figures["busiest_space"].as_f64().unwrap();
        assert!((found - expected.as_f64().unwrap()).abs() < 0.000_6, "{tokens}: {found}");
    }
}

#[test]
fn a_comparison_has_a_line_for_every_scheme() {
    let compared = ask(&json!({ "op": "compare", "state": change(FOUR, FIVE, &json!({})) }));
    let rows = compared["rows"].as_array().unwrap();
    let line = |row: &Value| {
        (
            row["scheme"].as_str().unwrap().to_owned(),
            row["moved"].as_u64().unwrap(),
            row["stray"].as_u64().unwrap(),
        )
    };
    let lines: Vec<_> = rows.iter().map(line).collect();
    assert_eq!(lines[0], ("mod-n".to_owned(), 44, 36));
    assert_eq!(lines[1], ("ring".to_owned(), 7, 0));
    let schemes: Vec<&str> = lines.iter().map(|(scheme, ..)| scheme.as_str()).collect();
    let own = ["mod-n", "ring", "rendezvous", "jump", "maglev", "bounded", "slots"];
    assert_eq!(schemes[..7], own);
    // Those of the catalogue follow, and a name of the library's is the lab's.
    assert!(schemes[7..].iter().copied().eq(catalogue::SCHEMES.iter().map(|entry| entry.name)));
    assert!(schemes.contains(&"jump-back") && schemes.contains(&"multi-probe"));
    assert!(rows.iter().all(|row| row["refused"] == ""));
    // Rendezvous, jump, slots and the catalogue move to the newcomer alone.
    assert!([2, 3].into_iter().chain(6..lines.len()).all(|at| lines[at].2 == 0), "{lines:?}");
    // A weight that no ring of the page can hold leaves the others in the comparison.
    let mut heavy = change(FOUR, FIVE, &json!({ "tokens": 1000 }));
    heavy["fleet"]["nodes"][0]["weight"] = json!(2_000);
    let compared = ask(&json!({ "op": "compare", "state": heavy }));
    assert!(compared["rows"][1]["refused"].as_str().unwrap().contains("tokens are more than"));
    assert_eq!(compared["rows"][0]["refused"], "");
}
