//! The committed blob against the native core: the same requests, and every byte of the answers.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failure here is the message")]

use serde_json::{Value, json};
use wasmi::{CompilationMode, Config, Engine, Linker, Memory, Module, Store, TypedFunc};

const BLOB: &[u8] = include_bytes!("../../clockwise-cli/assets/lab/lab.wasm");

/// The blob, loaded as a page loads it.
struct Blob {
    store: Store<()>,
    memory: Memory,
    alloc: TypedFunc<u32, u32>,
    call: TypedFunc<(u32, u32), u32>,
    out: TypedFunc<u32, u64>,
}

impl Blob {
    fn load() -> Blob {
        // Of its many functions few are called here.
        let mut config = Config::default();
        config.compilation_mode(CompilationMode::Lazy);
        let engine = Engine::new(&config);
        let module = Module::new(&engine, BLOB).unwrap();
        let mut store = Store::new(&engine, ());
        let instance = Linker::new(&engine).instantiate_and_start(&mut store, &module).unwrap();
        let memory = instance.get_memory(&store, "memory").unwrap();
        let alloc = instance.get_typed_func(&store, "alloc").unwrap();
        let call = instance.get_typed_func(&store, "call").unwrap();
        let out = instance.get_typed_func(&store, "out").unwrap();
        Blob { store, memory, alloc, call, out }
    }

    /// Whether it was refused, the document, and the arrays.
    fn ask(&mut self, request: &str, arrays: usize) -> (u32, String, Vec<Vec<u8>>) {
        let length = request.len() as u32;
        let at = self.alloc.call(&mut self.store, length).unwrap();
        self.memory.write(&mut self.store, at as usize, request.as_bytes()).unwrap();
        let refused = self.call.call(&mut self.store, (at, length)).unwrap();
        let document = String::from_utf8(self.part(0)).unwrap();
        let found = (1..=arrays as u32).map(|array| self.part(array)).collect();
        assert_eq!(self.out.call(&mut self.store, arrays as u32 + 1).unwrap(), 0);
        (refused, document, found)
    }

    fn part(&mut self, index: u32) -> Vec<u8> {
        let place = self.out.call(&mut self.store, index).unwrap();
        let mut bytes = vec![0; (place & 0xffff_ffff) as usize];
        self.memory.read(&self.store, (place >> 32) as usize, &mut bytes).unwrap();
        bytes
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) % bound
    }
}

const SCHEMES: [&str; 8] = ["ring", "mod-n", "rendezvous", "jump", "maglev", "bounded", "slots", "product"];
const HASHES: [&str; 5] = ["fmix32-fnv1a-32", "xxh3-64", "fnv1a-32", "murmur3-x64-128", "md5"];
const EPSILONS: [&str; 3] = ["0", "0.25", "1.5"];
const PRODUCTS: [&str; 4] = ["ring,points_per_weight=40", "twemproxy", "haproxy", "rendezvous"];

/// A fleet, and the one before: fewer or more nodes, of other weights.
fn change(random: &mut Random, scheme: &str) -> (Value, Value) {
    let nodes = |random: &mut Random| -> Vec<Value> {
        let weights = if random.below(2) == 0 { 1 } else { 3 };
        let count = 2 + random.below(9);
        (0..count)
            .map(|i| json!({ "name": format!("10.0.0.{i}:11211"), "weight": 1 + random.below(weights), "zone": format!("z{}", i % 3) }))
            .collect()
    };
    let hash = HASHES[random.below(5) as usize];
    // Weights of a ring are points, so few tokens do.
    let fleet = json!({ "scheme": scheme, "hash": hash, "tokens": 1 + random.below(20), "slots": 500, "table": 251,
        "epsilon": EPSILONS[random.below(3) as usize],
        "product": PRODUCTS[random.below(4) as usize], "nodes": [] });
    let (mut before, mut now) = (fleet.clone(), fleet);
    before["nodes"] = nodes(random).into();
    now["nodes"] = nodes(random).into();
    (before, now)
}

#[test]
fn the_blob_answers_as_the_native_core_does() {
    const SEED: u64 = 0x1ab_0001;
    let mut random = Random(SEED);
    let mut blob = Blob::load();
    let mut compare = |request: &Value| {
        let request = request.to_string();
        let native = clockwise_lab::handle(request.as_bytes());
        let (refused, document, arrays) = blob.ask(&request, native.arrays.len());
        assert_eq!(document, native.json, "seed {SEED:#x}: {request}");
        assert_eq!(refused == 1, document.starts_with("{\"error\""), "{request}");
        for (found, array) in arrays.iter().zip(&native.arrays) {
            assert!(*found == array.to_bytes(), "seed {SEED:#x}: {} of {request}", array.name);
        }
        refused
    };
    assert_eq!(compare(&json!({ "op": "about" })), 0);
    assert_eq!(compare(&json!({ "op": "paint" })), 1);
    let mut answered = 0;
    for i in 0..48 {
        let scheme = SCHEMES[i % SCHEMES.len()];
        let (before, now) = change(&mut random, scheme);
        let down = now["nodes"][0]["name"].clone();
        let state = json!({ "fleet": now, "history": [before], "replicas": 1 + random.below(3), "spread": true,
            "keys": { "pattern": format!("k{i}:1..{}", 1 + random.below(150)), "hot": { "key": "hot", "times": 9 } },
            "down": if random.below(3) == 0 { json!([down]) } else { json!([]) } });
        for request in [
            json!({ "op": "figures", "state": state }),
            json!({ "op": "key", "state": state, "key": format!("k{i}:7") }),
            json!({ "op": "encode", "state": state }),
        ] {
            answered += u32::from(compare(&request) == 0);
        }
    }
    // Weights that a scheme cannot hold are refused alike; most are held.
    assert!(answered >= 130, "{answered} of 144");
    let (before, now) = change(&mut random, "ring");
    let state = json!({ "fleet": now, "history": [before] });
    let first = state["fleet"]["nodes"][0]["name"].clone();
    for request in [
        json!({ "op": "compare", "state": state }),
        json!({ "op": "clients", "state": state }),
        json!({ "op": "command", "state": state }),
        json!({ "op": "cascade", "state": state, "first": first, "hit_ratio": 0.9, "requests": 9_000.5, "node_capacity": 1e3, "database_capacity": 2e3 }),
        json!({ "op": "import", "text": include_str!("../../../examples/twemproxy.yml") }),
        json!({ "op": "decode", "text": "v1&f=A*3@z,B;s=maglev;t=2&b=A,B&k=user:1..9&d=B" }),
    ] {
        assert_eq!(compare(&request), 0, "{request}");
    }
}
