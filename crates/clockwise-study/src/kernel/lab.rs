//! The interactive page's ring of four to eight nodes and 48 keys, hash for hash.
//!
//! | what | how |
//! |---|---|
//! | hash | FNV-1a of 32 bits, then the last mixing of MurmurHash3 |
//! | token i of node X | the hash of `node-X#i`, i from 0 |
//! | key | the hash of `user:1` to `user:48`; of 100,000 keys, `key:0` and so on |
//! | hash mod N | over the nodes in the order they joined; one that leaves closes the gap |
//! | rendezvous | the highest hash of `key\|X`, X the node's letter |
//!
//! Nothing here is drawn: every run is the same.

use clockwise::hash::{Fmix32Fnv1a32, KeyHash as _};
use clockwise::rendezvous::Score;
use clockwise::ring::Label;
use clockwise::{
    Buckets, Measured as _, Members, ModN, Moves, Placement, Rendezvous, Ring, Server, ServerName,
};

use super::{Kernel, Measures, Metric, knobs};

pub(super) const KERNEL: Kernel = Kernel {
    name: "lab",
    about: "the interactive page's nodes, tokens and keys, exactly",
    knobs: &[],
    metrics: &[
        Metric { name: "token_a", label: "token of A", unit: "degrees" },
        Metric { name: "token_b", label: "token of B", unit: "degrees" },
        Metric { name: "token_c", label: "token of C", unit: "degrees" },
        Metric { name: "token_d", label: "token of D", unit: "degrees" },
        Metric { name: "token_e", label: "token of E", unit: "degrees" },
        Metric { name: "token_f", label: "token of F", unit: "degrees" },
        Metric { name: "token_g", label: "token of G", unit: "degrees" },
        Metric { name: "token_h", label: "token of H", unit: "degrees" },
        Metric { name: "f_to_h", label: "from F's token to H's", unit: "degrees" },
        Metric { name: "join_e", label: "keys that E's join moves", unit: "keys" },
        Metric { name: "join_e_stray", label: "of these, not to E", unit: "keys" },
        Metric { name: "join_f", label: "keys that F's join moves", unit: "keys" },
        Metric { name: "join_g", label: "keys that G's join moves", unit: "keys" },
        Metric { name: "join_h", label: "keys that H's join moves", unit: "keys" },
        Metric { name: "keys_a_node", label: "keys a node, of five", unit: "keys" },
        Metric { name: "mod_join_e", label: "keys that E's join moves, mod N", unit: "keys" },
        Metric { name: "mod_join_e_old", label: "of these, between old nodes", unit: "keys" },
        Metric { name: "mod_a_to_b", label: "of these, from A to B", unit: "keys" },
        Metric { name: "mod_b_to_c", label: "of these, from B to C", unit: "keys" },
        Metric {
            name: "mod_leave_d",
            label: "keys that D's leave moves, of eight nodes, mod N",
            unit: "keys",
        },
        Metric { name: "share_b", label: "B's share of eight nodes", unit: "" },
        Metric { name: "share_h", label: "H's share of eight nodes", unit: "" },
        Metric { name: "fair_share", label: "fair share of eight nodes", unit: "" },
        Metric { name: "busiest_1", label: "busiest ÷ mean, arcs, 1 token", unit: "" },
        Metric { name: "busiest_2", label: "busiest ÷ mean, arcs, 2 tokens", unit: "" },
        Metric { name: "busiest_200", label: "busiest ÷ mean, arcs, 200 tokens", unit: "" },
        Metric { name: "keys_d", label: "keys on D, of eight nodes", unit: "keys" },
        Metric { name: "d_to_a", label: "keys that go from D to A when D leaves", unit: "keys" },
        Metric { name: "keys_a", label: "keys on A before D leaves", unit: "keys" },
        Metric { name: "keys_a_after", label: "keys on A after D has left", unit: "keys" },
        Metric { name: "keys_d_200", label: "keys on D, 200 tokens", unit: "keys" },
        Metric { name: "d_to_a_200", label: "from D to A, 200 tokens", unit: "keys" },
        Metric { name: "d_to_c_200", label: "from D to C, 200 tokens", unit: "keys" },
        Metric { name: "d_to_e_200", label: "from D to E, 200 tokens", unit: "keys" },
        Metric { name: "d_to_g_200", label: "from D to G, 200 tokens", unit: "keys" },
        Metric { name: "rendezvous_b", label: "keys on B, rendezvous of four nodes", unit: "keys" },
        Metric { name: "rendezvous_b_to_a", label: "from B to A when B leaves", unit: "keys" },
        Metric { name: "rendezvous_b_to_c", label: "from B to C when B leaves", unit: "keys" },
        Metric { name: "rendezvous_b_to_d", label: "from B to D when B leaves", unit: "keys" },
        Metric { name: "rendezvous_leave_b", label: "keys that B's leave moves", unit: "keys" },
        Metric { name: "mod_100k", label: "share of 100,000 keys that E's join moves, mod N", unit: "" },
        Metric { name: "ring_100k", label: "share of 100,000 keys that E's join moves, ring", unit: "" },
        Metric {
            name: "rendezvous_100k",
            label: "share of 100,000 keys that E's join moves, rendezvous",
            unit: "",
        },
    ],
    revision: 1,
    cost: |_| 5e7,
    fits: knobs::any,
    run: |_, out| Ok(run(out)?),
};

const LETTERS: [char; 8] = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'];

/// The score of `key|X`, of the node `node-X`.
struct KeyBarLetter;

impl Score for KeyBarLetter {
    type Key<'k> = &'k [u8];
    type Server = u8;
    const BITS: u32 = 32;

    fn key<'k>(&self, key: &'k [u8]) -> &'k [u8] {
        key
    }

    fn server(&self, name: &ServerName) -> u8 {
        name.as_str().bytes().last().unwrap_or(0)
    }

    fn score(&self, key: &&[u8], letter: &u8) -> u64 {
        let mut text = [0; 64];
        let length = key.len().min(text.len() - 2);
        text[..length].copy_from_slice(&key[..length]);
        text[length..length + 2].copy_from_slice(&[b'|', *letter]);
        Fmix32Fnv1a32.hash(&text[..length + 2])
    }
}

fn nodes(letters: &[char]) -> Result<Buckets, clockwise::Error> {
    Buckets::new(
        letters.iter().map(|letter| Server::new(format!("node-{letter}"))).collect::<Result<Vec<_>, _>>()?,
    )
}

fn ring(letters: &[char], tokens: u32) -> Result<Ring<Fmix32Fnv1a32>, clockwise::Error> {
    let members = Members::from(&nodes(letters)?);
    Ring::builder(Fmix32Fnv1a32).points_per_weight(tokens).label(Label::Joined("#")).build(&members)
}

fn mod_n(letters: &[char]) -> Result<ModN<Fmix32Fnv1a32>, clockwise::Error> {
    ModN::new(Fmix32Fnv1a32, &nodes(letters)?)
}

fn rendezvous(letters: &[char]) -> Result<Rendezvous<KeyBarLetter>, clockwise::Error> {
    Rendezvous::with_score(KeyBarLetter, &Members::from(&nodes(letters)?))
}

/// Owners by letter, before and after.
struct Owners(Vec<(char, char)>);

impl Owners {
    fn of(before: &dyn Placement, after: &dyn Placement, keys: &[String]) -> Owners {
        let letter = |placement: &dyn Placement, key: &String| {
            placement.owner(key.as_bytes()).name().as_str().chars().last().unwrap_or(' ')
        };
        Owners(keys.iter().map(|key| (letter(before, key), letter(after, key))).collect())
    }

    fn count(&self, of: impl Fn(char, char) -> bool) -> f64 {
        self.0.iter().filter(|(before, after)| of(*before, *after)).count() as f64
    }

    fn moved(&self) -> f64 {
        self.count(|before, after| before != after)
    }

    fn sent(&self, from: char, to: char) -> f64 {
        self.count(|before, after| (before, after) == (from, to))
    }
}

fn run(out: &mut Measures) -> Result<(), clockwise::Error> {
    let degrees = |letter: char| {
        Fmix32Fnv1a32.hash(format!("node-{letter}#0").as_bytes()) as f64 * 360.0 / 4_294_967_296.0
    };
    for (letter, metric) in LETTERS.into_iter().zip(KERNEL.metrics) {
        out.put(metric.name, degrees(letter));
    }
    out.put("f_to_h", degrees('H') - degrees('F'));

    let keys: Vec<String> = (1..=48).map(|i| format!("user:{i}")).collect();
    let without = |gone: char| LETTERS.into_iter().filter(|&letter| letter != gone).collect::<Vec<_>>();
    let join = |count: usize| -> Result<Owners, clockwise::Error> {
        Ok(Owners::of(&ring(&LETTERS[..count], 1)?, &ring(&LETTERS[..=count], 1)?, &keys))
    };
    let e = join(4)?;
    out.put("join_e", e.moved());
    out.put("join_e_stray", e.count(|before, after| before != after && after != 'E'));
    for (metric, count) in [("join_f", 5), ("join_g", 6), ("join_h", 7)] {
        out.put(metric, join(count)?.moved());
    }
    out.put("keys_a_node", keys.len() as f64 / 5.0);

    let e = Owners::of(&mod_n(&LETTERS[..4])?, &mod_n(&LETTERS[..5])?, &keys);
    out.put("mod_join_e", e.moved());
    out.put("mod_join_e_old", e.count(|before, after| before != after && after != 'E'));
    out.put("mod_a_to_b", e.sent('A', 'B'));
    out.put("mod_b_to_c", e.sent('B', 'C'));
    out.put("mod_leave_d", Owners::of(&mod_n(&LETTERS)?, &mod_n(&without('D'))?, &keys).moved());

    let shares = |tokens| -> Result<Vec<f64>, clockwise::Error> {
        Ok(ring(&LETTERS, tokens)?.shares().iter().map(|share| share.as_f64()).collect())
    };
    let one = shares(1)?;
    let (b, h) = (one.get(1), one.get(7));
    out.put("share_b", b.copied().unwrap_or(f64::NAN));
    out.put("share_h", h.copied().unwrap_or(f64::NAN));
    out.put("fair_share", 1.0 / LETTERS.len() as f64);
    for (metric, tokens) in [("busiest_1", 1), ("busiest_2", 2), ("busiest_200", 200)] {
        out.put(metric, shares(tokens)?.into_iter().fold(0.0, f64::max) * 8.0);
    }

    let leave = Owners::of(&ring(&LETTERS, 1)?, &ring(&without('D'), 1)?, &keys);
    out.put("keys_d", leave.count(|before, _| before == 'D'));
    out.put("d_to_a", leave.sent('D', 'A'));
    out.put("keys_a", leave.count(|before, _| before == 'A'));
    out.put("keys_a_after", leave.count(|_, after| after == 'A'));
    let leave = Owners::of(&ring(&LETTERS, 200)?, &ring(&without('D'), 200)?, &keys);
    out.put("keys_d_200", leave.count(|before, _| before == 'D'));
    for (metric, to) in [("d_to_a_200", 'A'), ("d_to_c_200", 'C'), ("d_to_e_200", 'E'), ("d_to_g_200", 'G')] {
        out.put(metric, leave.sent('D', to));
    }

    let leave = Owners::of(&rendezvous(&LETTERS[..4])?, &rendezvous(&['A', 'C', 'D'])?, &keys);
    out.put("rendezvous_b", leave.count(|before, _| before == 'B'));
    for (metric, to) in [("rendezvous_b_to_a", 'A'), ("rendezvous_b_to_c", 'C'), ("rendezvous_b_to_d", 'D')] {
        out.put(metric, leave.sent('B', to));
    }
    out.put("rendezvous_leave_b", leave.moved());

    let many = || (0..100_000).map(|i| format!("key:{i}"));
    let share = |moves: Moves| moves.moved().keys as f64 / moves.total().keys as f64;
    let (four, five) = (&LETTERS[..4], &LETTERS[..5]);
    out.put("mod_100k", share(Moves::count_keys(&mod_n(four)?, &mod_n(five)?, many())));
    out.put("ring_100k", share(Moves::count_keys(&ring(four, 1)?, &ring(five, 1)?, many())));
    out.put("rendezvous_100k", share(Moves::count_keys(&rendezvous(four)?, &rendezvous(five)?, many())));
    Ok(())
}
