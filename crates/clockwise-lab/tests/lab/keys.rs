//! One key under the lens.

use serde_json::{Value, json};

use crate::asking::{ask, change, fleet};

fn key(state: &Value, key: &str) -> Value {
    ask(&json!({ "op": "key", "state": state, "key": key }))
}

#[test]
fn a_key_of_the_ring_falls_to_the_first_token_at_or_after_it() {
    let state = change("A B C D", "A B C D E", &json!({}));
    let figures = key(&state, "user:42");
    assert_eq!(
        (&figures["hash"], &figures["owner"], &figures["was"]),
        (&json!("23bf9c12"), &json!("E"), &json!("C"))
    );
    assert_eq!(figures["token"]["text"], "node-E#0");
    assert_eq!(figures["token"]["hash"], "2417daa8");
    // Clockwise from the key: 51°, 76°, 178°, 287°, 347°.
    assert_eq!(figures["preference"], json!(["E", "C", "B", "D", "A"]));
    assert_eq!(
        figures["why"],
        json!([
            "fmix32-fnv1a-32 of \"user:42\" is 23bf9c12, 50.3\u{b0} clockwise from the top.",
            "The first token at or after it is node-E#0 at 50.8\u{b0}, so E owns it.",
            "Before the change it was on C."
        ])
    );
    // Past the last token the circle closes: user:18 lies at 351°.
    let wrapped = key(&json!({ "fleet": fleet("A B C D", &json!({})) }), "user:18");
    assert_eq!(wrapped["owner"], "C");
    assert!(wrapped["why"][1].as_str().unwrap().contains("at 76.2\u{b0}, past the top, so C owns it"));
}

#[test]
fn replicas_follow_the_circle_and_skip_zones_where_asked() {
    let mut state = json!({ "fleet": fleet("A B C D E", &json!({})), "replicas": 3 });
    for (node, zone) in ["n", "n", "n", "s", "n"].iter().enumerate() {
        state["fleet"]["nodes"][node]["zone"] = json!(zone);
    }
    assert_eq!(key(&state, "user:42")["replicas"], json!(["E", "C", "B"]));
    state["replicas"] = json!(2);
    state["spread"] = json!(true);
    assert_eq!(key(&state, "user:42")["replicas"], json!(["E", "D"]));
    state["replicas"] = json!(6);
    let refused = key(&state, "user:42");
    assert_eq!(refused["replicas"], json!([]));
    assert_ne!(refused["replicas_refused"], "");
    let mod_n = json!({ "fleet": fleet("A B", &json!({ "scheme": "mod-n" })), "replicas": 2 });
    assert!(key(&mod_n, "x")["replicas_refused"].as_str().unwrap().contains("no next one"));
}

#[test]
fn the_rule_of_every_scheme_is_told() {
    for (scheme, said) in [
        ("mod-n", "mod 4 is 2: place 2 of the list, counted from 0, is C's."),
        ("rendezvous", "'s is the highest: "),
        ("jump", "jump hash over 4 buckets ends at "),
        ("maglev", "Modulo 65,537 that is slot "),
        ("slots", "Modulo 16,384 that is slot "),
    ] {
        let state = json!({ "fleet": fleet("A B C D", &json!({ "scheme": scheme })) });
        let figures = key(&state, "user:42");
        let why: Vec<&str> =
            figures["why"].as_array().unwrap().iter().map(|why| why.as_str().unwrap()).collect();
        assert!(why.join(" ").contains(said), "{scheme}: {why:?}");
    }
    let state = json!({ "fleet": fleet("A B C D", &json!({ "scheme": "rendezvous" })) });
    let figures = key(&state, "user:42");
    let scores = figures["scores"].as_array().unwrap();
    assert!(scores.windows(2).all(|pair| pair[0]["hash"].as_str() >= pair[1]["hash"].as_str()));
    assert_eq!((&scores[0]["node"], scores.len()), (&figures["owner"], 4));
    assert!(scores.contains(&json!({ "node": "A", "text": "user:42|A", "hash": "18a65df1" })));
}

/// What is said of why a key is where it is.
fn why(state: &Value, name: &str) -> String {
    let figures = key(state, name);
    let why: Vec<&str> = figures["why"].as_array().unwrap().iter().map(|why| why.as_str().unwrap()).collect();
    why.join(" ")
}

#[test]
fn skeleton_rendezvous_names_the_places_that_a_key_draws() {
    let names = ["A", "B", "C", "D", "E"];
    let state = json!({ "fleet": fleet(&names.join(" "), &json!({ "scheme": "skeleton" })) });
    for number in 1..=48 {
        let name = format!("user:{number}");
        let told = why(&state, &name);
        let drawn = told.split("places it draws ").nth(1).unwrap();
        let places: Vec<usize> = drawn
            .split(|sign: char| !sign.is_ascii_digit())
            .filter(|digits| !digits.is_empty())
            .map(|digits| digits.parse().unwrap())
            .collect();
        let (last, empty) = places.split_last().unwrap();
        assert_eq!(names[*last], key(&state, &name)["owner"], "{told}");
        // Of many the first four are named, and how many more there are.
        assert!(empty.iter().take(4).all(|place| (5..64).contains(place)), "{told}");
    }
    assert!(why(&state, "user:5").contains(", which are empty, and then "));
    // A place that was left is as empty as one that was never taken.
    let mut left = json!({ "fleet": fleet("B C D E", &json!({ "scheme": "skeleton" })) });
    left["history"] = json!([state["fleet"]]);
    for number in 1..=48 {
        let name = format!("user:{number}");
        if key(&state, &name)["owner"] == "A" {
            assert!(why(&left, &name).contains("empty"), "{}", why(&left, &name));
        }
    }
    let many: Vec<String> = (0..70).map(|number| format!("n{number}")).collect();
    let state = json!({ "fleet": fleet(&many.join(" "), &json!({ "scheme": "skeleton" })) });
    let owner = key(&state, "user:42")["owner"].as_str().unwrap()[1..].parse::<usize>().unwrap();
    assert!(why(&state, "user:42").contains("Of the 64 places in each of 2 groups it draws "));
    let said = format!(" {} of group {}, which is n{owner}'s.", owner % 64, owner / 64);
    assert!(why(&state, "user:42").ends_with(&said), "{}", why(&state, "user:42"));
}

#[test]
fn what_a_product_hashes_is_said_as_it_is() {
    let of = |product: &str| {
        let state =
            json!({ "fleet": fleet("a:1 b:1 c:1", &json!({ "scheme": "product", "product": product })) });
        why(&state, "user:42")
    };
    // One without a ring, a table or a hash of its own is drawn by the page's.
    let said = of("nginx,consistent=false");
    assert!(
        said.contains("The rule of its product gives")
            && said.contains("says nothing of that: fmix32-fnv1a-32 of"),
        "{said}"
    );
    let said = of("twemproxy,distribution=ketama,hash=fnv1a_64,hash_tag={}");
    assert!(said.contains("fnv1a-64-low-signed (0 of nothing, in {}) of \"user:42\" is "), "{said}");
}

#[test]
fn a_hot_key_walks_past_full_nodes() {
    let keys = json!({ "pattern": "user:1..48", "hot": { "key": "user:42", "times": 30 } });
    let state = json!({ "fleet": fleet("A B C D E", &json!({ "scheme": "bounded" })), "keys": keys });
    let figures = key(&state, "user:42");
    let walk = figures["walk"].as_array().unwrap();
    // 78 requests over five nodes, a quarter above: 19.5, so 20.
    assert_eq!(walk[0], json!({ "node": "E", "load": 20, "limit": 20, "full": true }));
    let last = walk.last().unwrap();
    assert_eq!((&last["full"], &last["node"]), (&json!(false), &figures["owner"]));
    assert!(walk[..walk.len() - 1].iter().all(|step| step["full"] == true));
    assert!(figures["why"][2].as_str().unwrap().contains("E (20 of 20)"), "{figures}");
    let all = ask(&json!({ "op": "figures", "state": state }));
    let loads: Vec<u64> =
        all["nodes"].as_array().unwrap().iter().map(|node| node["keys"].as_u64().unwrap()).collect();
    assert_eq!((loads.iter().sum::<u64>(), *loads.iter().max().unwrap()), (78, 20));
    assert!(all["displaced"].as_u64().unwrap() > 0);
    // A key that is none of them comes as one more.
    assert!(key(&state, "guest")["walk"].as_array().unwrap().iter().all(|step| step["limit"] == 20));
}
