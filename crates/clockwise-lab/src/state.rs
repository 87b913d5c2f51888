//! What the page is about: two or more fleets, keys, and who is down. The page changes it, and everything
//! else follows from it.

use std::str::FromStr;

use clockwise::catalogue::{self, Chosen};
use clockwise::dialect::Dialect;
use clockwise::dialect::lab::{self, Algorithm};
use clockwise::hash::NamedHash;
use clockwise::maglev::TABLE_SIZE;
use clockwise::{Buckets, Cap, Scheme, Server};
use clockwise_config::Settings;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Refusal;
use crate::sentence::{grouped, many};

/// The most nodes of a fleet.
pub const MAX_NODES: usize = 1_000;
/// The most tokens for each unit of weight.
pub const MAX_TOKENS: u32 = 1_000;
/// The most tokens of a fleet: what a page still draws and a browser still holds.
pub const MAX_POINTS: u64 = 1 << 20;
/// The most keys.
pub const MAX_KEYS: u64 = 1_000_000;
/// The most earlier fleets.
pub const MAX_HISTORY: usize = 64;
/// The most replicas of a key.
pub const MAX_REPLICAS: usize = 16;

/// All that a page shows follows from this.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// The fleet as it is.
    pub fleet: Fleet,
    /// The fleets before it, the oldest first; the last one is what the change is measured from.
    #[serde(default)]
    pub history: Vec<Fleet>,
    /// The keys.
    #[serde(default)]
    pub keys: Keys,
    /// How many nodes hold each key, the owner included.
    #[serde(default = "one")]
    pub replicas: usize,
    /// Whether replicas are spread over zones.
    #[serde(default)]
    pub spread: bool,
    /// Names of nodes that are down. They still own their keys.
    #[serde(default)]
    pub down: Vec<String>,
}

/// Nodes in the order in which they joined, and how keys are placed on them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fleet {
    /// The scheme.
    #[serde(default)]
    pub scheme: SchemeName,
    /// The hash of keys, and of tokens and scores.
    #[serde(default = "lab_hash")]
    pub hash: String,
    /// Tokens for each unit of weight.
    #[serde(default = "one_token")]
    pub tokens: u32,
    /// ε of bounded loads, in decimal digits.
    #[serde(default = "quarter")]
    pub epsilon: String,
    /// How many fixed slots there are.
    #[serde(default = "redis_slots")]
    pub slots: u32,
    /// The size of Maglev's table, a prime.
    #[serde(default = "maglev_table")]
    pub table: u32,
    /// Of the scheme `product`: its settings, as `clockwise plan --placement` takes them.
    #[serde(default)]
    pub product: String,
    /// The nodes.
    pub nodes: Vec<Node>,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// Its name, a letter at first.
    pub name: String,
    /// Its weight; 0 drains it.
    #[serde(default = "one_token")]
    pub weight: u32,
    /// Its zone; empty for none.
    #[serde(default)]
    pub zone: String,
    /// Where it is reached; empty for its name.
    #[serde(default)]
    pub address: String,
}

/// Which keys are placed, in their order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keys {
    /// `user:1..48`: a text and the first and last of the numbers that follow it. Empty where a list is given.
    #[serde(default)]
    pub pattern: String,
    /// The keys one by one.
    #[serde(default)]
    pub list: Vec<String>,
    /// A key that is asked for again after all others.
    #[serde(default)]
    pub hot: Option<Hot>,
}

/// A key that is asked for many times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hot {
    /// The key.
    pub key: String,
    /// How many times more.
    pub times: u32,
}

/// The schemes of the lab.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum SchemeName {
    /// The hash modulo the number of nodes, in joining order.
    ModN,
    /// Tokens on a circle.
    #[default]
    Ring,
    /// The highest hash of key and node.
    Rendezvous,
    /// Jump hash over the list.
    Jump,
    /// A table that the nodes fill by turns.
    Maglev,
    /// The ring, and a cap on load.
    Bounded,
    /// A map of slots that moves with the fewest slots.
    Slots,
    /// Another system's recipe, or a placement with settings that the lab has no control for.
    Product,
    /// One of the library's [catalogue], by its name there.
    Catalogued(&'static str),
}

impl SchemeName {
    /// Those with controls of their own, in the order of a comparison.
    const OF_THEIR_OWN: [SchemeName; 7] = [
        SchemeName::ModN,
        SchemeName::Ring,
        SchemeName::Rendezvous,
        SchemeName::Jump,
        SchemeName::Maglev,
        SchemeName::Bounded,
        SchemeName::Slots,
    ];

    /// Those that a comparison sets side by side, in its order.
    pub fn compared() -> impl Iterator<Item = SchemeName> {
        let catalogued = catalogue::SCHEMES.iter().map(|entry| SchemeName::Catalogued(entry.name));
        SchemeName::OF_THEIR_OWN.into_iter().chain(catalogued)
    }

    /// In a state.
    pub fn name(self) -> &'static str {
        match self {
            SchemeName::ModN => "mod-n",
            SchemeName::Ring => "ring",
            SchemeName::Rendezvous => "rendezvous",
            SchemeName::Jump => "jump",
            SchemeName::Maglev => "maglev",
            SchemeName::Bounded => "bounded",
            SchemeName::Slots => "slots",
            SchemeName::Product => "product",
            SchemeName::Catalogued(name) => name,
        }
    }

    /// As the page calls it.
    pub fn title(self) -> &'static str {
        match self {
            SchemeName::ModN => "Hash mod N",
            SchemeName::Ring => "Ring",
            SchemeName::Rendezvous => "Rendezvous",
            SchemeName::Jump => "Jump",
            SchemeName::Maglev => "Maglev",
            SchemeName::Bounded => "Bounded loads",
            SchemeName::Slots => "Fixed slots",
            SchemeName::Product => "Product",
            SchemeName::Catalogued(name) => catalogue::find(name).map_or(name, |entry| entry.title),
        }
    }

    /// What it does, in a sentence.
    pub fn about(self) -> &'static str {
        match self {
            SchemeName::ModN => {
                "The hash of a key modulo the number of nodes says which one in the list owns it."
            }
            SchemeName::Ring => "A key belongs to the first token clockwise from its hash.",
            SchemeName::Rendezvous => {
                "Every node has a score for every key, a hash of both; the highest owns the key."
            }
            SchemeName::Jump => {
                "A number of ln N jumps names a node in the list; only the last may come or go without harm."
            }
            SchemeName::Maglev => "Nodes take slots of a table by turns, each in an order of its own.",
            SchemeName::Bounded => {
                "The ring, but a node that holds its share and a little more passes keys on to the next."
            }
            SchemeName::Slots => {
                "A map says which node has each slot, and changes with the fewest slots moved."
            }
            SchemeName::Product => "The placement of the configuration that was given.",
            SchemeName::Catalogued(name) => catalogue::find(name).map_or("", |entry| entry.about),
        }
    }
}

impl FromStr for SchemeName {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<SchemeName, Refusal> {
        let mut known = SchemeName::compared().chain([SchemeName::Product]);
        known
            .find(|scheme| scheme.name() == text)
            .ok_or_else(|| Refusal::new(format!("there is no scheme {text:?}")))
    }
}

impl Serialize for SchemeName {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for SchemeName {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<SchemeName, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

fn one() -> usize {
    1
}
fn one_token() -> u32 {
    1
}
fn lab_hash() -> String {
    NamedHash::Fmix32Fnv1a32.to_string()
}
fn quarter() -> String {
    "0.25".to_owned()
}
fn redis_slots() -> u32 {
    clockwise::hash::RedisSlot::SLOTS
}
fn maglev_table() -> u32 {
    TABLE_SIZE as u32
}

impl Default for Keys {
    /// The 48 keys of the first page.
    fn default() -> Keys {
        Keys::pattern("user:1..48")
    }
}

impl Keys {
    /// The keys of a pattern.
    pub fn pattern(pattern: &str) -> Keys {
        Keys { pattern: pattern.to_owned(), list: Vec::new(), hot: None }
    }

    /// How many there are. Refuses none, and more than [`MAX_KEYS`].
    pub fn count(&self) -> Result<u64, Refusal> {
        let listed = if self.pattern.is_empty() {
            self.list.len() as u64
        } else if self.list.is_empty() {
            let (_, first, last) = range(&self.pattern)?;
            last - first + 1
        } else {
            return Err(Refusal::new("keys are given as a pattern and as a list; take one of them"));
        };
        let keys = listed + self.hot.as_ref().map_or(0, |hot| hot.times.into());
        match keys {
            0 => Err(Refusal::new("there are no keys")),
            keys if keys > MAX_KEYS => Err(Refusal::new(format!(
                "{} keys are more than the {} of a page",
                grouped(keys),
                grouped(MAX_KEYS)
            ))),
            keys => Ok(keys),
        }
    }

    /// What is counted, in the singular.
    pub(crate) fn unit(&self) -> &'static str {
        if self.hot.is_some() { "request" } else { "key" }
    }

    /// All keys in their order.
    pub fn all(&self) -> Result<Vec<String>, Refusal> {
        self.count()?;
        let mut keys = self.list.clone();
        if !self.pattern.is_empty() {
            let (text, first, last) = range(&self.pattern)?;
            keys.extend((first..=last).map(|number| format!("{text}{number}")));
        }
        if let Some(hot) = &self.hot {
            keys.extend((0..hot.times).map(|_| hot.key.clone()));
        }
        Ok(keys)
    }
}

/// The text and the numbers of `user:1..48`.
pub(crate) fn range(pattern: &str) -> Result<(&str, u64, u64), Refusal> {
    let wrong = || Refusal::new(format!("{pattern:?} is no pattern of keys such as user:1..48"));
    let (start, last) = pattern.rsplit_once("..").ok_or_else(wrong)?;
    let digits = start.len() - start.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (text, first) = start.split_at(start.len() - digits);
    let number = |digits: &str| {
        let canonical = digits == "0" || !digits.starts_with('0');
        digits.parse::<u64>().ok().filter(|_| canonical && digits.bytes().all(|b| b.is_ascii_digit()))
    };
    let (first, last) = number(first).zip(number(last)).ok_or_else(wrong)?;
    if last < first || last - first >= MAX_KEYS {
        let problem = if last < first { "ends before it begins" } else { "has more than 1,000,000 keys" };
        return Err(Refusal::new(format!("the pattern {pattern:?} {problem}")));
    }
    Ok((text, first, last))
}

impl Default for Fleet {
    /// The four nodes of the first page, one token each.
    fn default() -> Fleet {
        Fleet {
            scheme: SchemeName::Ring,
            hash: lab_hash(),
            tokens: 1,
            epsilon: quarter(),
            slots: redis_slots(),
            table: maglev_table(),
            product: String::new(),
            nodes: ["A", "B", "C", "D"].map(Node::named).into(),
        }
    }
}

impl Default for State {
    /// The first page.
    fn default() -> State {
        State {
            fleet: Fleet::default(),
            history: Vec::new(),
            keys: Keys::default(),
            replicas: 1,
            spread: false,
            down: Vec::new(),
        }
    }
}

impl State {
    /// Refuses a state that has no meaning, short of placing its keys.
    pub fn check(&self) -> Result<(), Refusal> {
        for fleet in self.history.iter().chain([&self.fleet]) {
            fleet.servers()?;
            fleet.placement()?;
        }
        if let Some(stranger) = self.down.iter().find(|name| !self.fleet.has(name)) {
            return Err(Refusal::new(format!("{stranger:?} cannot be down: there is no such node")));
        }
        if !(1..=MAX_REPLICAS).contains(&self.replicas) {
            return Err(Refusal::new(format!(
                "{} replicas: the lab takes 1 to {MAX_REPLICAS}",
                self.replicas
            )));
        }
        if self.history.len() > MAX_HISTORY {
            return Err(Refusal::new(format!("a page remembers {MAX_HISTORY} earlier fleets at most")));
        }
        self.keys.count().map(|_| ())
    }
}

impl Node {
    /// A node of weight 1.
    pub fn named(name: &str) -> Node {
        Node { name: name.to_owned(), weight: 1, zone: String::new(), address: String::new() }
    }

    pub(crate) fn server(&self) -> Result<Server, Refusal> {
        let mut server = Server::new(self.name.as_str())?;
        if !self.address.is_empty() {
            server = server.with_address(self.address.as_str())?;
        }
        if !self.zone.is_empty() {
            server = server.with_zone(self.zone.as_str())?;
        }
        Ok(if self.weight == 0 { server.draining() } else { server.with_weight(self.weight)? })
    }
}

impl From<&Server> for Node {
    fn from(server: &Server) -> Node {
        let (name, address) = (server.name().as_str(), server.address().as_str());
        Node {
            name: name.to_owned(),
            weight: server.effective_weight(),
            zone: server.zone().map_or(String::new(), |zone| zone.as_str().to_owned()),
            address: if address == name { String::new() } else { address.to_owned() },
        }
    }
}

impl Fleet {
    /// The servers, in joining order.
    pub fn servers(&self) -> Result<Buckets, Refusal> {
        if self.nodes.len() > MAX_NODES {
            return Err(Refusal::new(format!(
                "{} are more than the {} of a page",
                many(self.nodes.len() as u64, "node", "nodes"),
                grouped(MAX_NODES as u64)
            )));
        }
        let servers: Vec<Server> = self.nodes.iter().map(Node::server).collect::<Result<_, _>>()?;
        Ok(Buckets::new(servers)?)
    }

    /// The library's scheme.
    pub fn placement(&self) -> Result<Scheme, Refusal> {
        self.placement_as(self.scheme)
    }

    /// The library's scheme for what comes after another fleet: a map of slots that is written down is where
    /// slots lie at first, and from then on they move from where they are.
    pub(crate) fn placement_after(&self, was: &Fleet) -> Result<Scheme, Refusal> {
        let mut scheme = self.placement()?;
        if let Scheme::Dialect(Dialect::RedisCluster(options)) = &mut scheme
            && self.same_settings(was)
        {
            options.slots = None;
        }
        Ok(scheme)
    }

    /// The same settings under another scheme.
    pub fn placement_as(&self, scheme: SchemeName) -> Result<Scheme, Refusal> {
        let hash: NamedHash = self.hash.parse()?;
        let lab = |algorithm| -> Result<Scheme, Refusal> {
            self.check_tokens()?;
            let epsilon: Cap = self.epsilon.parse()?;
            let points_per_weight = self.tokens;
            Ok(lab::Options { algorithm, hash, points_per_weight, epsilon }.into())
        };
        match scheme {
            SchemeName::ModN => Ok(Scheme::ModN { hash }),
            SchemeName::Ring => lab(Algorithm::Ring),
            SchemeName::Rendezvous => lab(Algorithm::Rendezvous),
            SchemeName::Bounded => lab(Algorithm::Bounded),
            SchemeName::Jump => Ok(Scheme::Jump { hash }),
            SchemeName::Maglev => Ok(Scheme::Maglev { hash, table_size: self.table.into() }),
            SchemeName::Slots => Ok(Scheme::Slots { hash, slots: self.slots }),
            SchemeName::Catalogued(name) => {
                let entry = catalogue::find(name)
                    .ok_or_else(|| Refusal::new(format!("there is no scheme {name:?}")))?;
                Ok(Scheme::Catalogued(Chosen::new(entry).with_hash(hash)))
            }
            SchemeName::Product if self.product.is_empty() => {
                Err(Refusal::new("the rule of a product is chosen, and none is named"))
            }
            SchemeName::Product => {
                let settings: Settings =
                    self.product.parse().map_err(|error| Refusal::new(format!("{error}")))?;
                settings.scheme().map_err(|error| Refusal::new(format!("{error}")))
            }
        }
    }

    /// Refuses more tokens than a page can hold, before any is placed.
    fn check_tokens(&self) -> Result<(), Refusal> {
        if !(1..=MAX_TOKENS).contains(&self.tokens) {
            return Err(Refusal::new(format!(
                "{} tokens a node: the lab takes 1 to {MAX_TOKENS}",
                self.tokens
            )));
        }
        let points = self.total_weight().saturating_mul(self.tokens.into());
        if points > MAX_POINTS {
            return Err(Refusal::new(format!(
                "{} tokens are more than the {} of a page",
                grouped(points),
                grouped(MAX_POINTS)
            )));
        }
        Ok(())
    }

    /// The weights of all nodes, which is how many buckets a list of them has.
    pub(crate) fn total_weight(&self) -> u64 {
        self.nodes.iter().map(|node| u64::from(node.weight)).sum()
    }

    /// The settings of the lab's own recipe, where it is one.
    pub(crate) fn lab(&self) -> Option<lab::Options> {
        match self.placement() {
            Ok(Scheme::Dialect(Dialect::Lab(options))) => Some(options),
            _ => None,
        }
    }

    /// Whether there is a node of that name.
    pub fn has(&self, name: &str) -> bool {
        self.nodes.iter().any(|node| node.name == name)
    }

    /// Whether both place keys alike on equal nodes.
    pub(crate) fn same_settings(&self, other: &Fleet) -> bool {
        self.scheme == other.scheme && self.placement().ok() == other.placement().ok()
    }
}
