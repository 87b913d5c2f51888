//! States as texts of a link, and the circle in bins.

use clockwise_lab::State;
use clockwise_lab::state::{Fleet, Hot, Keys, Node, SchemeName};
use clockwise_lab::text::{decode, encode};
use serde_json::json;

use crate::asking::{array, ask_all, fleet};

#[test]
fn the_first_pages_are_short_and_can_be_read() {
    let mut state = State::default();
    assert_eq!(encode(&state).unwrap(), "v1&f=A,B,C,D");
    state.history.push(state.fleet.clone());
    state.fleet.nodes.push(Node { weight: 3, zone: "eu west".to_owned(), ..Node::named("E") });
    state.fleet.tokens = 200;
    state.keys = Keys::pattern("key:0..99999");
    state.down = vec!["B".to_owned()];
    let text = encode(&state).unwrap();
    assert_eq!(text, "v1&f=A,B,C,D,E*3@eu%20west;t=200&b=A,B,C,D&k=key:0..99999&d=B");
    assert_eq!(decode(&text), Ok(state));
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % bound as u64) as usize
    }

    /// A text of characters that mean something to links, shells and files.
    fn text(&mut self) -> String {
        let letters: Vec<char> = "aZ09-._~:/&=;,*@%+#?'\" ü漢🦀".chars().collect();
        (0..1 + self.below(6)).map(|_| letters[self.below(letters.len())]).collect()
    }

    fn fleet(&mut self) -> Fleet {
        let schemes: Vec<SchemeName> = SchemeName::compared().collect();
        let nodes = (0..1 + self.below(5)).map(|i| Node {
            // Names may not hold blanks at their ends, and differ.
            name: format!("{i}{}x", self.text().replace(' ', "_")),
            weight: 1 + self.below(3) as u32,
            zone: if self.below(2) == 0 {
                String::new()
            } else {
                format!("z{}x", self.text().replace(' ', "_"))
            },
            address: if self.below(2) == 0 { String::new() } else { format!("h{}:1{i}", self.below(9)) },
        });
        let nodes = nodes.collect();
        Fleet {
            scheme: schemes[self.below(schemes.len())],
            hash: ["xxh3-64", "fmix32-fnv1a-32"][self.below(2)].to_owned(),
            tokens: 1 + self.below(1_000) as u32,
            epsilon: ["0.25", "1", "0.125"][self.below(3)].to_owned(),
            slots: 16_384 - self.below(2) as u32,
            table: [65_537, 251][self.below(2)],
            product: ["", "twemproxy", "ring,hash=md5,points_per_weight=3"][self.below(3)].to_owned(),
            nodes,
        }
    }
}

#[test]
fn every_state_reads_back_from_its_text() {
    const SEED: u64 = 0x1ab_0002;
    let mut random = Random(SEED);
    for _ in 0..500 {
        let fleet = random.fleet();
        let history = (0..random.below(3)).map(|_| random.fleet()).collect();
        let list = random.below(2) == 0;
        let keys = Keys {
            pattern: if list {
                String::new()
            } else {
                format!("{}1..{}", random.text().replace(char::is_numeric, "n"), 1 + random.below(99))
            },
            list: if list { (0..1 + random.below(4)).map(|_| random.text()).collect() } else { Vec::new() },
            hot: (random.below(2) == 0).then(|| Hot { key: random.text(), times: random.below(9) as u32 }),
        };
        let down = fleet.nodes.iter().take(random.below(2)).map(|node| node.name.clone()).collect();
        let state = State {
            fleet,
            history,
            keys,
            replicas: 1 + random.below(16),
            spread: random.below(2) == 0,
            down,
        };
        let text = encode(&state).unwrap();
        let allowed = |c: char| c.is_ascii_alphanumeric() || "-._~:/&=;,*@%".contains(c);
        assert!(text.chars().all(allowed), "seed {SEED:#x}: {text}");
        match state.check() {
            Ok(()) => assert_eq!(decode(&text), Ok(state), "seed {SEED:#x}: {text}"),
            Err(refusal) => assert_eq!(decode(&text), Err(refusal), "seed {SEED:#x}: {text}"),
        }
    }
}

#[test]
fn a_text_that_means_nothing_is_refused() {
    for (text, said) in [
        ("", "does not begin with its version"),
        ("f=A,B", "does not begin with its version"),
        ("v2&f=A", "version v2, which this lab does not know"),
        ("v1", "no fleet"),
        ("v1&f=", "name"),
        ("v1&f=A&f=B", "twice"),
        ("v1&f=A&x=1", "field \"x=1\""),
        ("v1&f=A&r", "field \"r\""),
        ("v1&f=A&r=01", "number \"01\""),
        ("v1&f=A&r=99999999999", "number"),
        ("v1&f=A*x", "number \"x\""),
        ("v1&f=A;t=0", "0 tokens a node"),
        ("v1&f=A;t=1;t=2", "repeated setting"),
        ("v1&f=A;s=paint", "scheme \"paint\""),
        ("v1&f=A;q=1", "setting \"q=1\""),
        ("v1&f=A%2", "text \"A%2\""),
        ("v1&f=A%ff", "text \"A%ff\""),
        ("v1&f=A B", "text \"A B\""),
        ("v1&f=A,A", "\"A\""),
        ("v1&f=A&d=B", "\"B\" cannot be down"),
        ("v1&f=A&k=a", "is no pattern"),
        ("v1&f=A&k=a1..2&l=b", "a pattern of keys and a list"),
        ("v1&f=A&z=2", "field \"z=2\""),
        ("v1&f=A&h=9", "hot key"),
    ] {
        let refusal = decode(text).unwrap_err().to_string();
        assert!(refusal.contains(said), "{text}: {refusal}");
    }
    assert!(decode(&format!("v1&f={}", "A".repeat(200_000))).unwrap_err().to_string().contains("too long"));
    let keys = Keys { pattern: String::new(), list: vec!["k".repeat(1_000); 300], hot: None };
    let long = State { keys, ..State::default() };
    assert!(encode(&long).unwrap_err().to_string().contains("too long to share"));
}

#[test]
fn bins_hold_what_the_arcs_hold() {
    let nodes = "A B C D E F G H I J K";
    let of = |tokens: u32| {
        let state = json!({ "fleet": fleet(nodes, &json!({ "tokens": tokens })) });
        ask_all(&json!({ "op": "figures", "state": state }))
    };
    let (few, arcs) = of(181);
    assert_eq!((&few["band"], array(&arcs, "ends").len()), (&json!("arcs"), 1_991));
    let (many, arrays) = of(182);
    assert_eq!((&many["band"], &many["band_of"]), (&json!("bins"), &json!("tokens")));
    let (names, bins) = (11, array(&arrays, "bins"));
    assert_eq!(bins.len(), 2_048 * names);
    for bin in bins.chunks(names) {
        assert!((bin.iter().sum::<f64>() - 1.0).abs() < 1e-4);
    }
    for (at, node) in many["nodes"].as_array().unwrap().iter().enumerate() {
        let share: f64 = bins.iter().skip(at).step_by(names).sum::<f64>() / 2_048.0;
        assert!((share - node["share"].as_f64().unwrap()).abs() < 1e-5, "{node}");
    }
    let state = json!({ "fleet": fleet("A B", &json!({ "scheme": "maglev" })) });
    let (maglev, _) = ask_all(&json!({ "op": "figures", "state": state }));
    assert_eq!(
        (&maglev["band"], &maglev["band_of"], &maglev["points"]),
        (&json!("bins"), &json!("slots"), &json!(0))
    );
}

#[test]
fn a_run_of_slots_is_one_arc() {
    let state = json!({ "fleet": fleet("A B C D", &json!({ "scheme": "slots" })) });
    let (figures, arrays) = ask_all(&json!({ "op": "figures", "state": state }));
    assert_eq!((&figures["band"], &figures["band_of"]), (&json!("arcs"), &json!("slots")));
    assert_eq!(array(&arrays, "ends"), [0.25, 0.5, 0.75, 1.0]);
    assert_eq!(array(&arrays, "arc_owners"), [0.0, 1.0, 2.0, 3.0]);
}

#[test]
fn a_hot_key_is_counted_in_requests() {
    let keys = json!({ "pattern": "user:1..48", "hot": { "key": "user:42", "times": 24 } });
    let state = json!({ "fleet": fleet("A B C D", &json!({ "scheme": "bounded" })), "keys": keys });
    let (figures, _) = ask_all(&json!({ "op": "figures", "state": state }));
    let sentence = figures["sentence"].as_str().unwrap();
    assert!(sentence.starts_with("72 requests on 4 nodes."), "{sentence}");
    assert!(sentence.contains("11 requests walk past a full node"), "{sentence}");
    assert_eq!(figures["unit"], json!("request"));
}
