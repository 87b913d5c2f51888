//! Test vectors as data: files of groups of tests.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What the files call themselves.
pub(super) const FORMAT: &str = "clockwise-test-vectors";
/// The version of their shape.
pub(super) const VERSION: u64 = 1;

/// The test vectors of one scheme, one dialect, or of all hashes.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) groups: Vec<Group>,
}

impl File {
    /// What they are of: `ring`, `twemproxy`, `hash`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The same in a sentence.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// How many groups there are.
    pub fn groups(&self) -> usize {
        self.groups.len()
    }

    /// How many tests there are in all groups.
    pub fn tests(&self) -> usize {
        self.groups.iter().map(Group::tests).sum()
    }
}

/// Tests that share what they are about.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Group {
    /// Values of a hash.
    Hash(Tests<HashHead, HashTest>),
    /// Points of a ring or slots of a table.
    Points(Tests<PoolHead, PointsTest>),
    /// Owners of keys.
    Owner(Tests<PoolHead, OwnerTest>),
    /// Pools that must be refused.
    Reject(Tests<RejectHead, RejectTest>),
}

impl Group {
    /// How many tests it has.
    pub(super) fn tests(&self) -> usize {
        match self {
            Group::Hash(group) => group.tests.len(),
            Group::Points(group) => group.tests.len(),
            Group::Owner(group) => group.tests.len(),
            Group::Reject(group) => group.tests.len(),
        }
    }
}

/// A group's head and its tests.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tests<H, T> {
    pub(super) head: H,
    pub(super) tests: Vec<T>,
}

/// What the tests of a hash share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HashHead {
    pub(super) hash: String,
    /// How many low bits of a value ever vary.
    pub(super) bits: u32,
    pub(super) source: String,
}

/// A pool and its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PoolHead {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) scheme: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) dialect: Option<String>,
    pub(super) settings: Map<String, Value>,
    pub(super) servers: Vec<ServerEntry>,
    pub(super) source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) comment: Option<String>,
}

/// Whose pools are refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RejectHead {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) scheme: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) dialect: Option<String>,
    pub(super) source: String,
}

/// A server of a pool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ServerEntry {
    pub(super) name: String,
    /// Where it is reached; its name, unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) address: Option<String>,
    pub(super) weight: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) zone: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) state: Option<State>,
    /// The number of its removal, of a fleet that goes by its history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) removed: Option<u32>,
}

/// Whether a server owns keys; it does, unless said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    Active,
    Draining,
}

/// The value of a hash.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HashTest {
    pub(super) id: u64,
    pub(super) input: Hex,
    pub(super) value: Number,
    pub(super) flags: Vec<Flag>,
}

/// All points of a ring or all slots of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PointsTest {
    pub(super) id: u64,
    pub(super) of: Shape,
    pub(super) count: u64,
    /// Of the lines `POSITION,SERVER`, each with its line feed, in ascending order.
    pub(super) sha256: Hex,
    /// The first and the last of them, to see how far one has come.
    pub(super) first: Point,
    pub(super) last: Point,
    pub(super) flags: Vec<Flag>,
}

/// What points are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Shape {
    /// A circle: a key belongs to a point near its hash.
    Ring,
    /// A table: a key belongs to the slot that is its hash modulo their number.
    Table,
}

/// A point or a slot, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Point {
    pub(super) position: Number,
    pub(super) server: String,
}

/// The owner of a key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OwnerTest {
    pub(super) id: u64,
    pub(super) key: Hex,
    pub(super) owner: String,
    /// The key's servers in order, the owner first: all of them, or the first few.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) preference: Option<Vec<String>>,
    /// Where it goes under a cap when the keys of the group arrive in order and all stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) goes_to: Option<String>,
    pub(super) flags: Vec<Flag>,
}

/// A pool that must be refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RejectTest {
    pub(super) id: u64,
    pub(super) settings: Map<String, Value>,
    /// Anything, for what is wrong may be here.
    pub(super) servers: Vec<Map<String, Value>>,
    /// What is wrong, in our words.
    pub(super) message: String,
    pub(super) flags: Vec<Flag>,
}

/// Bytes, written as two lower-case hexadecimal digits each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(super) struct Hex(pub(super) Vec<u8>);

impl From<Hex> for String {
    fn from(hex: Hex) -> String {
        data_encoding::HEXLOWER.encode(&hex.0)
    }
}

impl TryFrom<String> for Hex {
    type Error = String;
    fn try_from(text: String) -> Result<Hex, String> {
        data_encoding::HEXLOWER
            .decode(text.as_bytes())
            .map(Hex)
            .map_err(|_| format!("{text:?} is not bytes in lower-case hexadecimal"))
    }
}

/// A number of up to 64 bits, written as text in decimal: JSON's readers may keep only 53 bits of a
/// number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(super) struct Number(pub(super) u64);

impl From<Number> for String {
    fn from(number: Number) -> String {
        number.0.to_string()
    }
}

impl TryFrom<String> for Number {
    type Error = String;
    fn try_from(text: String) -> Result<Number, String> {
        let number = text.parse().ok().filter(|number: &u64| number.to_string() == text);
        number.map(Number).ok_or_else(|| format!("{text:?} is not a decimal number of up to 64 bits"))
    }
}

macro_rules! flags {
    ($($flag:ident = $meaning:literal,)+) => {
        /// The trap that a test is there for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
                pub(super) enum Flag {
            $(#[doc = $meaning] $flag,)+
        }

        impl Flag {
            /// What the trap is.
            pub(super) fn meaning(self) -> &'static str {
                match self { $(Flag::$flag => $meaning,)+ }
            }
        }
    };
}

flags! {
    Boundary = "The key's hash is exactly a point's position: whether it belongs to that point or to the next is the rule under test.",
    WrapAround = "The key's hash lies after the last point, or on a ring of nearest points before the first: the circle closes.",
    Collision = "Two servers have a point at this position, and a rule, not the sorting, says which of them owns the arc. Where the system leaves that open, the group says so.",
    EmptyKey = "The key has no bytes.",
    NonUtf8 = "The bytes are not UTF-8: keys are bytes.",
    HashTag = "Only the part of the key between two marks is hashed.",
    HashTagEmpty = "There is nothing between the marks, so the whole key is hashed.",
    WeightRounding = "Points or slots are not in the ratio of the weights: they were rounded, by a rule that is part of the placement.",
    SignExtension = "A byte from 0x80 enters the hash as a negative number, as C's char and Java's byte are.",
    ReorderedList = "The servers of the group before in another order: the same placement or another, as the group says.",
    Label = "The text that is hashed for a server is not its address as written: a default port, brackets or a scheme is left out or put in.",
    Draining = "A server is listed and owns nothing. No total counts it.",
    KeyPrefix = "A prefix is hashed before the key, as one text with it.",
}
