//! More than one replica: the tokens that even out what units and tokens hold as replicas.
//!
//! A token of group *g* holds, as a replica, what lies between it and its **start**: going back from
//! it, the first token of *g* itself, or the token with which so many groups have been met as there
//! are replicas. A new token of another group may move that start forward, but not past the
//! **threshold**: the token with which the last group but one was met.
//!
//! | step | |
//! |---|---|
//! | candidates | the middle of every range, each once |
//! | goodness | how much of the squared distance from the ideal goes away: of the tokens whose start moves, and of their units; the newcomer's own counts less while it has few tokens |
//! | choice | the best; it is taken if, seen again, it is no worse than the next best was, and put back otherwise |
//!
//! Source: Apache Cassandra, `ReplicationAwareTokenAllocator`. Sums are made in its order, since
//! binary64 sums depend on it.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::arc;
use super::java::Heap;

/// So many tokens for one unit more, in the order in which they are chosen. The ring has at least as
/// many, and its units are of at least as many groups as there are replicas.
pub(super) fn tokens(
    owners: &BTreeMap<i64, u32>,
    groups: &[u32],
    replicas: u32,
    group: u32,
    count: usize,
) -> Vec<i64> {
    let mut search = Search::new(owners, groups, replicas, group, count);
    let mut heap = Heap::with_capacity(search.candidates.len());
    for candidate in 0..search.candidates.len() {
        heap.push(search.goodness(candidate, 1.0 / count as f64), candidate);
    }
    let mut found = Vec::with_capacity(count);
    while let Some((_, best)) = heap.pop() {
        if !found.is_empty() {
            // Its goodness may have changed with the tokens chosen since.
            let share = (found.len() as f64 + 1.0) / count as f64;
            let goodness = search.goodness(best, share);
            if heap.peek().is_some_and(|&(next, _)| goodness < next) {
                heap.push(goodness, best);
                continue;
            }
        }
        found.push(search.candidates[best].span.token);
        search.accept(best);
        if found.len() == count {
            break;
        }
    }
    found
}

/// A token, in the ring or only thought of, and what it holds as a replica.
#[derive(Clone, Copy)]
struct Span {
    token: i64,
    unit: usize,
    start: i64,
    threshold: i64,
    held: f64,
}

/// A token of the ring, in a circular list by its order.
struct Node {
    span: Span,
    before: usize,
    after: usize,
}

/// A token that could be chosen: the middle of the range that ends at a node.
struct Candidate {
    span: Span,
    end: usize,
    before: usize,
    after: usize,
}

struct Unit {
    group: u32,
    tokens: f64,
    held: f64,
}

struct Search {
    replicas: usize,
    /// What each token should hold.
    ideal: f64,
    nodes: Vec<Node>,
    candidates: Vec<Candidate>,
    units: Vec<Unit>,
    /// The newcomer, the last of the units.
    newcomer: usize,
}

impl Search {
    fn new(owners: &BTreeMap<i64, u32>, groups: &[u32], replicas: u32, group: u32, count: usize) -> Search {
        let ideal = f64::from(replicas) / (owners.len() + count) as f64;
        let mut units: Vec<Unit> =
            groups.iter().map(|&group| Unit { group, tokens: 0.0, held: 0.0 }).collect();
        let newcomer = units.len();
        // As if it had its share already.
        units.push(Unit { group, tokens: count as f64, held: count as f64 * ideal });

        let length = owners.len();
        let round = |at: usize| ((at + length - 1) % length, (at + 1) % length);
        let mut nodes = Vec::with_capacity(length + count);
        for (at, (&token, &unit)) in owners.iter().enumerate() {
            let unit = unit as usize;
            units[unit].tokens += 1.0;
            let (before, after) = round(at);
            let span = Span { token, unit, start: token, threshold: token, held: 0.0 };
            nodes.push(Node { span, before, after });
        }
        let replicas = replicas as usize;
        let mut search = Search { replicas, ideal, nodes, candidates: Vec::new(), units, newcomer };
        for node in 0..length {
            search.settle(node);
        }
        for end in 0..length {
            let (before, after) = round(end);
            let node = &search.nodes[end];
            let token = arc::midpoint(search.nodes[node.before].span.token, node.span.token);
            let span = Span { token, unit: newcomer, start: token, threshold: token, held: ideal };
            search.candidates.push(Candidate { span, end, before, after });
            search.look_again(end);
        }
        search
    }

    /// Start and threshold of a token of a group whose next token back is `node`.
    fn reach(&self, token: i64, group: u32, mut node: usize) -> (i64, i64) {
        let newcomers = self.units[self.newcomer].group;
        let mut met = Groups::new(self.replicas);
        let mut threshold = token;
        let (start, last) = loop {
            let Node { span, before, .. } = &self.nodes[node];
            let met_now = self.units[span.unit].group;
            node = *before;
            if !met.insert(met_now) {
                continue;
            }
            if met.is_full() {
                break (span.token, met_now);
            }
            threshold = span.token;
            if met_now == group {
                break (span.token, met_now);
            }
        };
        if newcomers == group {
            // Its own next token will be a start, if it is nearer.
            threshold = token;
        } else if newcomers != last && met.contains(newcomers) {
            // The newcomer's group is met already: nothing changes.
            threshold = start;
        }
        (start, threshold)
    }

    /// Brings what a node holds, and its unit, up to date.
    fn settle(&mut self, node: usize) {
        let Node { span, before, .. } = self.nodes[node];
        let (start, threshold) = self.reach(span.token, self.units[span.unit].group, before);
        let held = arc::size(start, span.token);
        self.units[span.unit].held += held - span.held;
        self.nodes[node].span = Span { start, threshold, held, ..span };
    }

    /// Brings a candidate's reach up to date. What it would hold is only weighed, not kept.
    fn look_again(&mut self, candidate: usize) {
        let Candidate { span, end, .. } = self.candidates[candidate];
        let before = self.nodes[end].before;
        let (start, threshold) = self.reach(span.token, self.units[span.unit].group, before);
        self.candidates[candidate].span = Span { start, threshold, ..span };
    }

    /// How much better the ring would be with a candidate; `share` weighs the newcomer's own part.
    fn goodness(&self, candidate: usize, share: f64) -> f64 {
        let Candidate { span, end, .. } = self.candidates[candidate];
        let mut changes = Changes::default();
        let mut tokens = self.change(&span, span.start, &mut changes);
        let (mut met, mut node) = (Groups::new(self.replicas), end);
        while !met.is_full() {
            let Node { span: other, after, .. } = self.nodes[node];
            node = after;
            if met.insert(self.units[other.unit].group) {
                let start = farther(other.threshold, span.token, other.token);
                tokens += self.change(&other, start, &mut changes);
            }
        }
        let mut units = 0.0;
        // The one touched last comes first, the newcomer last.
        for &(unit, held) in changes.0.iter().rev() {
            let Unit { tokens, held: now, .. } = self.units[unit];
            let change = square(held / tokens - self.ideal) - square(now / tokens - self.ideal);
            units += if unit == self.newcomer { change * share } else { change };
        }
        -(tokens + units)
    }

    /// The change in a token's squared distance from the ideal when it holds from `start` on.
    fn change(&self, span: &Span, start: i64, changes: &mut Changes) -> f64 {
        let held = arc::size(start, span.token);
        let unit = &self.units[span.unit];
        changes.add(span.unit, unit.held, held - span.held);
        (square(held - self.ideal) - square(span.held - self.ideal)) / square(unit.tokens)
    }

    /// Puts a candidate into the ring.
    fn accept(&mut self, candidate: usize) {
        let Candidate { span, end, before, after } = self.candidates[candidate];
        self.candidates[before].after = after;
        self.candidates[after].before = before;

        let (new, previous) = (self.nodes.len(), self.nodes[end].before);
        self.nodes.push(Node { span, before: previous, after: end });
        self.nodes[previous].after = new;
        self.nodes[end].before = new;
        self.settle(new);

        let (mut met, mut node, mut next) = (Groups::new(self.replicas), end, after);
        while !met.is_full() {
            self.look_again(next);
            next = self.candidates[next].after;
            if met.insert(self.units[self.nodes[node].span.unit].group) {
                self.settle(node);
            }
            node = self.nodes[node].after;
        }
    }
}

/// What units would hold, in the order in which they were first touched.
#[derive(Default)]
struct Changes(Vec<(usize, f64)>);

impl Changes {
    fn add(&mut self, unit: usize, held: f64, change: f64) {
        match self.0.iter_mut().find(|(touched, _)| *touched == unit) {
            Some((_, held)) => *held += change,
            None => self.0.push((unit, held + change)),
        }
    }
}

/// The groups met on a walk, until they are as many as there are replicas.
struct Groups {
    met: Vec<u32>,
    enough: usize,
}

impl Groups {
    fn new(replicas: usize) -> Groups {
        Groups { met: Vec::with_capacity(replicas.min(16)), enough: replicas }
    }

    /// Whether the group is new.
    fn insert(&mut self, group: u32) -> bool {
        let new = !self.contains(group);
        if new {
            self.met.push(group);
        }
        new
    }

    fn contains(&self, group: u32) -> bool {
        self.met.contains(&group)
    }

    fn is_full(&self) -> bool {
        self.met.len() >= self.enough
    }
}

/// Of two tokens the one that is farther back from `end`; one that is `end` itself does not count.
fn farther(a: i64, b: i64, end: i64) -> i64 {
    if a == end {
        b
    } else if b == end || arc::size(a, end) > arc::size(b, end) {
        a
    } else {
        b
    }
}

fn square(x: f64) -> f64 {
    x * x
}
