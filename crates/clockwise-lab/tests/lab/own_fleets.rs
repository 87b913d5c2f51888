//! Configurations that are pasted: the fleet of the page is the product's own.

use clockwise::Placement;
use clockwise_config::{Options, parse};
use serde_json::{Value, json};

use crate::asking::{array, ask, ask_all, figures, refused};

const TWEMPROXY: &str = include_str!("../../../../examples/twemproxy.yml");

fn import(text: &str) -> Value {
    ask(&json!({ "op": "import", "text": text, "name": "pasted" }))
}

#[test]
fn a_pasted_twemproxy_file_has_the_shares_and_owners_of_twemproxy() {
    let imported = import(TWEMPROXY);
    assert_eq!(imported["kind"], "twemproxy");
    let state = json!({ "fleet": imported["fleet"], "keys": { "pattern": "user:1..500" } });
    let (figures, arrays) = ask_all(&json!({ "op": "figures", "state": state }));
    let pool = parse("x.yml", TWEMPROXY.as_bytes(), &Options::default()).unwrap().pick(None).unwrap();
    let built = pool.scheme().build(pool.servers()).unwrap();
    let shares = built.measured().unwrap().shares();
    for (server, share) in built.servers().iter().zip(shares) {
        let nodes = figures["nodes"].as_array().unwrap();
        let node = nodes.iter().find(|node| node["name"] == server.name().as_str()).unwrap();
        assert!((node["share"].as_f64().unwrap() - share.as_f64()).abs() < 1e-12, "{}", server.name());
    }
    for (at, owner) in array(&arrays, "owners").into_iter().enumerate() {
        let expected = built.owner(format!("user:{}", at + 1).as_bytes()).name().as_str();
        assert_eq!(figures["names"][owner as usize], expected);
    }
    assert_eq!(figures["points"], built.ring().unwrap().points().count());
    // A server that leaves is a change of that ring.
    let mut fewer = imported["fleet"].clone();
    fewer["nodes"].as_array_mut().unwrap().remove(0);
    let changed = self::figures(&json!({ "fleet": fewer, "history": [imported["fleet"]] }));
    assert!(changed["change"]["moved"].as_u64().unwrap() > 0);
}

#[test]
fn help_is_told_in_the_words_of_a_page() {
    let said = |text: &str| refused(&json!({ "op": "import", "text": text }));
    assert!(
        said("10.0.0.1:11211\n10.0.0.2:11211\n").ends_with(
            "\nHelp: say how keys are placed: NAME[,KEY=VALUE\u{2026}], as in ring (in the field for how keys are placed)."
        ),
        "{}",
        said("10.0.0.1:11211\n10.0.0.2:11211\n")
    );
    let other = said("Lorem ipsum");
    assert!(other.contains("\nHelp: what can be read: ") && !other.contains("--"), "{other}");
    // Each name that is offered there is one.
    for name in ask(&json!({ "op": "about" }))["placements"].as_array().unwrap() {
        let asked =
            json!({ "op": "import", "text": "10.0.0.1:1\n10.0.0.2:1\n10.0.0.3:1\n", "placement": name });
        let answer = clockwise_lab::handle(asked.to_string().as_bytes()).json;
        assert!(!answer.contains("there is no scheme"), "{name}: {answer}");
    }
}

const CLUSTER_NODES: &str = "\
67ed2db8d677e59ec4a4cefb06858cf2a1a89fa1 10.0.0.2:6379@16379 master - 0 1 2 connected 5461-10922
292f8b365bb7edb5e285caf0b7e6ddc7265d2f4f 10.0.0.3:6379@16379 master - 0 1 3 connected 10923-16383
e7d1eecce10fd6bb5eb35b9f99a514335d9ba9ca 10.0.0.1:6379@16379 myself,master - 0 0 1 connected 0-5460
";

#[test]
fn slots_of_a_redis_cluster_move_from_where_the_last_change_left_them() {
    let three = import(CLUSTER_NODES)["fleet"].clone();
    let mut four = three.clone();
    four["nodes"].as_array_mut().unwrap().push(json!({ "name": "10.0.0.4:6379" }));
    let mut left = four.clone();
    left["nodes"].as_array_mut().unwrap().remove(0);
    let mut state = json!({ "fleet": left, "history": [three, four], "keys": { "pattern": "key:0..9999" } });
    let gone = figures(&state);
    let tokens = |figures: &Value| -> Vec<u64> {
        figures["nodes"].as_array().unwrap().iter().map(|node| node["tokens"].as_u64().unwrap()).collect()
    };
    // The one that leaves had its share and no more, and only its slots go.
    assert_eq!(tokens(&gone).iter().sum::<u64>(), 16_384);
    assert!(tokens(&gone).iter().all(|slots| (5_461..=5_462).contains(slots)), "{:?}", tokens(&gone));
    assert_eq!(gone["change"]["stray"], 0);
    let flows = gone["change"]["flows"].as_array().unwrap();
    assert!(flows.iter().all(|flow| flow["from"] == "10.0.0.2:6379"), "{flows:?}");
    // The comparison counts the same, and a plan, which knows one change, is not offered.
    let compared = ask(&json!({ "op": "compare", "state": state }));
    assert_eq!(compared["rows"][0]["scheme"], "product");
    assert_eq!(compared["rows"][0]["moved"], gone["change"]["moved"]);
    assert!(refused(&json!({ "op": "command", "state": state })).contains("every change so far"));
    state["history"] = json!([]);
    assert!(refused(&json!({ "op": "figures", "state": state })).contains("have no owner"));
}

#[test]
fn what_the_page_has_controls_for_comes_as_those() {
    let own = |placement: &str| {
        let text = format!(
            "version = 1\n[placement]\n{placement}\n[[server]]\nname = \"A\"\nweight = 3\nzone = \"z\"\n[[server]]\nname = \"B\"\nstate = \"draining\"\n"
        );
        import(&text)["fleet"].clone()
    };
    let bounded = own(
        "dialect = \"lab\"\nalgorithm = \"bounded\"\nhash = \"md5\"\npoints_per_weight = 7\nepsilon = 0.5",
    );
    assert_eq!(
        (&bounded["scheme"], &bounded["hash"], &bounded["tokens"], &bounded["epsilon"]),
        (&json!("bounded"), &json!("md5"), &json!(7), &json!("0.5"))
    );
    assert_eq!(bounded["nodes"][0], json!({ "name": "A", "weight": 3, "zone": "z", "address": "" }));
    assert_eq!(bounded["nodes"][1]["weight"], 0);
    for (placement, scheme) in [
        ("dialect = \"lab\"", "ring"),
        ("dialect = \"lab\"\nalgorithm = \"rendezvous\"", "rendezvous"),
        ("scheme = \"mod-n\"", "mod-n"),
        ("scheme = \"jump\"", "jump"),
        ("scheme = \"maglev\"\ntable_size = 13", "maglev"),
        ("scheme = \"slots\"\nslots = 9", "slots"),
        // The native ring's labels are no texts, and its rendezvous has another score.
        ("scheme = \"ring\"", "product"),
        ("scheme = \"rendezvous\"", "product"),
        ("scheme = \"bounded\"", "product"),
    ] {
        let fleet = own(placement);
        assert_eq!(fleet["scheme"], scheme, "{placement}");
        figures(&json!({ "fleet": fleet }));
    }
}

#[test]
fn of_several_pools_one_is_chosen() {
    let pools = "a:\n  listen: 127.0.0.1:1\n  servers:\n   - 10.0.0.1:1:1\nb:\n  listen: 127.0.0.1:2\n  servers:\n   - 10.0.0.2:1:1\n";
    let offered = import(pools);
    assert_eq!((&offered["pools"], &offered["fleet"]), (&json!(["a", "b"]), &Value::Null));
    let chosen = ask(&json!({ "op": "import", "text": pools, "pool": "b" }));
    assert_eq!((&chosen["pool"], chosen["fleet"]["nodes"].as_array().unwrap().len()), (&json!("b"), 1));
    assert!(refused(&json!({ "op": "import", "text": pools, "pool": "c" })).contains("there is no pool"));
}

#[test]
fn a_list_of_servers_is_placed_as_it_is_said() {
    let list = "10.0.0.1:11211\n10.0.0.2:11211 2\n";
    let placed = ask(
        &json!({ "op": "import", "text": list, "placement": "libmemcached,distribution=CONSISTENT_KETAMA" }),
    );
    assert!(placed["fleet"]["product"].as_str().unwrap().starts_with("libmemcached,"));
    let lab = ask(&json!({ "op": "import", "text": list, "placement": "lab,points_per_weight=4" }));
    assert_eq!((&lab["fleet"]["scheme"], &lab["fleet"]["tokens"]), (&json!("ring"), &json!(4)));
    assert!(refused(&json!({ "op": "import", "text": list, "placement": "nosuch" })).contains("nosuch"));
}

#[test]
fn a_complaint_names_the_line() {
    let said = refused(
        &json!({ "op": "import", "text": TWEMPROXY.replace("distribution: ", "distribution: x"), "name": "n.yml" }),
    );
    assert!(said.contains("n.yml:") && said.contains("distribution"), "{said}");
    assert!(refused(&json!({ "op": "import", "text": "" })).contains("pasted"));
}
