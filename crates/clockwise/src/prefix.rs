//! A prefix that stands before every key when it is hashed: a namespace that several programs keep
//! apart in one fleet.
//!
//! Clients differ in whether their namespace counts. Some hash it with the key (libmemcached with
//! HASH_WITH_NAMESPACE, memcached of npm), others put it before the key only on the way to a server
//! that the bare key chose (libmemcached unless told, pymemcache); then it is no part of a placement.
//! Where it counts, the system hashes one text, prefix and key: a hash tag is searched in both, and
//! found in the prefix if it has one.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::ControlFlow;
use core::str::FromStr;

use crate::error::{Error, Kind};
use crate::placement::{BATCH, Layout, Measured, Placement, Ranked, ServerIx, Share};
use crate::server::Server;

/// Text before every key: 1 to 250 bytes, as long as the longest key of memcached.
///
/// ```
/// use clockwise::KeyPrefix;
///
/// let prefix: KeyPrefix = "app:".parse()?;
/// assert_eq!(prefix.as_str(), "app:");
/// assert!("".parse::<KeyPrefix>().unwrap_err().is_parameter());
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyPrefix(Arc<str>);

/// The longest prefix, in bytes.
const MOST: usize = 250;

/// Prefix and key of up to this many bytes are put together without an allocation.
const SHORT: usize = 512;

/// Of many keys at a time, in bytes: a batch of keys of usual length.
const ROOM: usize = 4_096;

impl KeyPrefix {
    /// Refuses an empty prefix, which is none, and one of more than 250 bytes.
    pub fn new(text: impl AsRef<str>) -> Result<KeyPrefix, Error> {
        let text = text.as_ref();
        let problem = match text.len() {
            0 => "is empty: leave it out",
            1..=MOST => return Ok(KeyPrefix(text.into())),
            _ => "has more than 250 bytes, which no key of memcached has",
        };
        let shown = match text.char_indices().nth(40) {
            Some((end, _)) => format!("{:?}…", &text[..end]),
            None => format!("{text:?}"),
        };
        Err(Error::new(Kind::Option { name: "key prefix", value: shown, problem }))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Calls `then` with prefix and key as one text. Allocates only if that has more than 512 bytes.
    pub(crate) fn before<R>(&self, key: &[u8], then: impl FnOnce(&[u8]) -> R) -> R {
        let prefix = self.0.as_bytes();
        let mut short = [0; SHORT];
        match short.get_mut(..prefix.len() + key.len()) {
            Some(whole) => {
                let (before, after) = whole.split_at_mut(prefix.len());
                before.copy_from_slice(prefix);
                after.copy_from_slice(key);
                then(whole)
            }
            None => then(&[prefix, key].concat()),
        }
    }

    /// Calls `then` with the prefix and each of some keys as one text, as many keys at a time as fit, and with the
    /// place of the first of them. Allocates as [`before`](KeyPrefix::before) does.
    pub(crate) fn before_each(&self, keys: &[&[u8]], mut then: impl FnMut(usize, &[&[u8]])) {
        let prefix = self.0.as_bytes();
        let mut room = [0; ROOM];
        let mut at = 0;
        while let Some(&first) = keys.get(at) {
            let mut texts: [&[u8]; BATCH] = [&[]; BATCH];
            let mut rest = &mut room[..];
            let mut count = 0;
            for (text, key) in texts.iter_mut().zip(&keys[at..]) {
                let length = prefix.len() + key.len();
                if length > rest.len() {
                    break;
                }
                let (whole, after) = rest.split_at_mut(length);
                let (front, back) = whole.split_at_mut(prefix.len());
                front.copy_from_slice(prefix);
                back.copy_from_slice(key);
                (*text, rest) = (whole, after);
                count += 1;
            }
            if count > 0 {
                then(at, &texts[..count]);
            } else {
                count = 1;
                self.before(first, |whole| then(at, &[whole]));
            }
            at += count;
        }
    }

    /// The name of a key hash that is taken of the prefix and the key.
    pub(crate) fn name(&self, key_hash: &str) -> String {
        format!("{key_hash} behind {self:?}")
    }
}

impl fmt::Display for KeyPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for KeyPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

impl FromStr for KeyPrefix {
    type Err = Error;
    fn from_str(text: &str) -> Result<KeyPrefix, Error> {
        KeyPrefix::new(text)
    }
}

/// A placement whose keys have a prefix before them: each is owned by whoever owns prefix and key
/// together.
///
/// Where the two have more than 512 bytes together, a lookup allocates room for them.
///
/// ```
/// use clockwise::hash::Xxh3;
/// use clockwise::{KeyPrefix, Members, Prefixed, Ring, Server};
///
/// let ring = Ring::builder(Xxh3).build(&Members::new([Server::new("a")?, Server::new("b")?])?)?;
/// let client = Prefixed::new(KeyPrefix::new("app:")?, ring.clone());
/// assert_eq!(client.owner("user:42"), ring.owner("app:user:42"));
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Prefixed<P>(Inner<P>);

impl<P: Placement> Prefixed<P> {
    /// Puts the prefix before every key of a placement.
    pub fn new(prefix: KeyPrefix, placement: P) -> Prefixed<P> {
        let layout = placement.measured().and_then(Measured::layout);
        let key_hash = layout.map(|layout| match layout {
            Layout::Circle { key_hash, .. } | Layout::Slots { key_hash, .. } => prefix.name(key_hash),
        });
        Prefixed(Inner { prefix, placement, key_hash })
    }

    /// The prefix.
    pub fn prefix(&self) -> &KeyPrefix {
        &self.0.prefix
    }

    /// The placement of prefix and key.
    pub fn placement(&self) -> &P {
        &self.0.placement
    }

    /// The owner of a key.
    pub fn owner(&self, key: impl AsRef<[u8]>) -> &Server {
        &Placement::servers(self)[self.owner_ix(key).index()]
    }

    /// The owner of a key, as an index into [`Placement::servers`].
    pub fn owner_ix(&self, key: impl AsRef<[u8]>) -> ServerIx {
        Placement::owner_ix(self, key.as_ref())
    }
}

impl<P: Placement> Placement for Prefixed<P> {
    fn servers(&self) -> &[Server] {
        self.0.servers()
    }
    fn owner_ix(&self, key: &[u8]) -> ServerIx {
        Placement::owner_ix(&self.0, key)
    }
    fn owners_of(&self, keys: &[&[u8]], owners: &mut [ServerIx]) {
        self.0.owners_of(keys, owners);
    }
    fn depends_on_order(&self) -> bool {
        self.0.depends_on_order()
    }
    fn ranked(&self) -> Option<&dyn Ranked> {
        self.0.ranked()
    }
    fn measured(&self) -> Option<&dyn Measured> {
        self.0.measured()
    }
}

impl<P: Ranked> Ranked for Prefixed<P> {
    fn visit_preference(&self, key: &[u8], visit: &mut dyn FnMut(ServerIx) -> ControlFlow<()>) {
        self.0.prefix.before(key, |whole| self.0.placement.visit_preference(whole, visit));
    }
}

impl<P: Measured> Measured for Prefixed<P> {
    fn shares(&self) -> Vec<Share> {
        self.0.placement.shares()
    }
    fn layout(&self) -> Option<Layout<'_>> {
        Measured::layout(&self.0)
    }
}

/// What a [`Prefixed`] holds. It answers as any scheme may, and is handed out as one that ranks or is
/// measured only where its placement does; the type around it has those traits only where `P` has.
#[derive(Clone, Debug)]
struct Inner<P> {
    prefix: KeyPrefix,
    placement: P,
    /// The layout's rule from key to position, by name.
    key_hash: Option<String>,
}

impl<P: Placement> Placement for Inner<P> {
    fn servers(&self) -> &[Server] {
        self.placement.servers()
    }
    fn owner_ix(&self, key: &[u8]) -> ServerIx {
        self.prefix.before(key, |whole| self.placement.owner_ix(whole))
    }
    fn owners_of(&self, keys: &[&[u8]], owners: &mut [ServerIx]) {
        let keys = &keys[..keys.len().min(owners.len())];
        self.prefix.before_each(keys, |at, wholes| {
            self.placement.owners_of(wholes, &mut owners[at..]);
        });
    }
    fn depends_on_order(&self) -> bool {
        self.placement.depends_on_order()
    }
    fn ranked(&self) -> Option<&dyn Ranked> {
        self.placement.ranked().map(|_| self as &dyn Ranked)
    }
    fn measured(&self) -> Option<&dyn Measured> {
        self.placement.measured().map(|_| self as &dyn Measured)
    }
}

impl<P: Placement> Ranked for Inner<P> {
    fn visit_preference(&self, key: &[u8], visit: &mut dyn FnMut(ServerIx) -> ControlFlow<()>) {
        if let Some(ranked) = self.placement.ranked() {
            self.prefix.before(key, |whole| ranked.visit_preference(whole, visit));
        }
    }
}

impl<P: Placement> Measured for Inner<P> {
    fn shares(&self) -> Vec<Share> {
        self.placement.measured().map_or_else(Vec::new, Measured::shares)
    }
    fn layout(&self) -> Option<Layout<'_>> {
        // The same division of another rule's positions.
        let key_hash = self.key_hash.as_deref()?;
        Some(match self.placement.measured()?.layout()? {
            Layout::Circle { arcs, last, .. } => Layout::Circle { arcs, last, key_hash },
            Layout::Slots { owners, .. } => Layout::Slots { owners, key_hash },
        })
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::fingerprint::Fingerprint;
    use crate::hash::{Fnv1a32, Xxh3};
    use crate::moves::ArcMoves;
    use crate::ring::Ring;
    use crate::testing::{Random, list, members};

    fn prefix(text: &str) -> KeyPrefix {
        KeyPrefix::new(text).unwrap()
    }

    #[test]
    fn a_key_belongs_to_whoever_owns_prefix_and_key_as_one_text() {
        let ring = Ring::builder(Xxh3).build(&members(&[("a", 1), ("b", 2), ("c", 3)])).unwrap();
        for text in ["x", "app:", "größe/", &"p".repeat(MOST)] {
            let client = Prefixed::new(prefix(text), ring.clone());
            // Around the bound of what is put together on the stack, and beyond it.
            for length in [0, 1, 7, 250, SHORT - text.len() - 1, SHORT - text.len(), SHORT, 5_000] {
                for byte in [b'k', 0, 0xff] {
                    let key = vec![byte; length];
                    let whole = [text.as_bytes(), &key].concat();
                    assert_eq!(client.owner(&key), ring.owner(&whole));
                    let ranked = Placement::ranked(&client).unwrap();
                    assert_eq!(ranked.preference(&key, 3), Ranked::preference(&ring, &whole, 3));
                    assert_eq!(Ranked::preference(&client, &key, 2), ranked.preference(&key, 2));
                }
            }
        }
    }

    /// More keys than a batch has, and longer ones than it has room for, alone and among others.
    #[test]
    fn many_keys_are_owned_as_one_by_one() {
        let ring = Ring::builder(Xxh3).build(&members(&[("a", 1), ("b", 2), ("c", 3)])).unwrap();
        let client = Prefixed::new(prefix("app:"), ring);
        let lengths = [0, 1, 30, 64, SHORT - 4, SHORT, ROOM - 5, ROOM - 4, ROOM - 3, 2 * ROOM];
        let mut random = Random(0x9f1e);
        for round in 0..200 {
            let some = if round % 2 == 0 { 3 } else { lengths.len() as u64 };
            let keys: Vec<Vec<u8>> = (0..random.below(3 * BATCH as u64))
                .map(|_| vec![random.next() as u8; lengths[random.below(some) as usize]])
                .collect();
            let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
            let mut owners = vec![ServerIx::new(7); keys.len() + 1];
            client.owners_of(&keys, &mut owners);
            assert_eq!(owners.pop(), Some(ServerIx::new(7)), "round {round}");
            let single: Vec<ServerIx> = keys.iter().map(|key| client.owner_ix(key)).collect();
            assert_eq!(owners, single, "round {round}");
            let fewer = keys.len() / 2;
            let mut short = vec![ServerIx::new(7); fewer];
            client.owners_of(&keys, &mut short);
            assert_eq!(short, single[..fewer], "round {round}");
        }
    }

    #[test]
    fn a_layout_says_what_its_keys_are_hashed_behind() {
        let ring = Ring::builder(Fnv1a32).build(&members(&[("a", 1), ("b", 2)])).unwrap();
        let (app, web) = (prefix("app:"), prefix("web:"));
        let client = Prefixed::new(app.clone(), ring.clone());
        let Some(Layout::Circle { key_hash, .. }) = Measured::layout(&client) else { panic!("a circle") };
        assert_eq!(key_hash, "fnv1a-32 behind \"app:\"");
        assert_eq!(Measured::shares(&client), ring.shares());
        // Positions of keys behind other prefixes cannot be compared, nor layouts be one.
        let other = Prefixed::new(web, ring.clone());
        assert!(ArcMoves::between(&client, &other).is_none() && ArcMoves::between(&client, &ring).is_none());
        assert!(ArcMoves::between(&client, &client).is_some_and(|arcs| arcs.moved() == Share::ZERO));
        let print = |measured: &dyn Measured| Fingerprint::of_layout(measured).unwrap();
        assert_ne!(print(&client), print(&other));
        assert_eq!(print(&client), print(&Prefixed::new(app, ring)));
    }

    /// The owner is the key's length, and no more is known.
    #[derive(Clone, Debug)]
    struct ByLength(Vec<Server>);

    impl Placement for ByLength {
        fn servers(&self) -> &[Server] {
            &self.0
        }
        fn owner_ix(&self, key: &[u8]) -> ServerIx {
            ServerIx::from_usize(key.len() % self.0.len())
        }
    }

    #[test]
    fn a_scheme_without_an_order_has_none_behind_a_prefix() {
        let servers = list(&[("a", 1), ("b", 1), ("c", 1)]).servers().to_vec();
        let client = Prefixed::new(prefix("app:"), ByLength(servers));
        assert!(Placement::ranked(&client).is_none() && Placement::measured(&client).is_none());
        assert_eq!(client.owner("7").name().as_str(), "c");
        assert_eq!((client.prefix().as_str(), client.placement().owner(b"7").name().as_str()), ("app:", "b"));
    }

    #[test]
    fn a_prefix_is_text_of_1_to_250_bytes() {
        for (text, says) in [
            (String::new(), "key prefix \"\" is empty"),
            ("é".repeat(126), "has more than 250 bytes"),
            ("x".repeat(1 << 20), "has more than 250 bytes"),
        ] {
            let error = KeyPrefix::new(&text).unwrap_err();
            let message = format!("{error}");
            assert!(error.is_parameter() && message.contains(says) && message.len() < 200, "{message}");
        }
        assert_eq!(KeyPrefix::new("é".repeat(125)).map(|prefix| prefix.as_str().len()), Ok(250));
    }
}
