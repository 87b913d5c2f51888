//! The recipe that tutorials and sample programs teach: MD5 of readable texts.
//!
//! | knob | value |
//! |---|---|
//! | score text | name, `:`, key |
//! | hash | MD5, first 8 bytes, big-endian; of these the top 53 bits |
//! | owner | the highest −w ⁄ ln(u), u = (x + ½) ⁄ 2⁵³ |
//! | ties | the bytewise smaller name |
//!
//! For comparing with a program written on an afternoon, in any language with an MD5. It is slow
//! (one digest a server a key); the native placement is [`Rendezvous::new`].

use crate::error::Error;
use crate::hash::Md5Prefix;
use crate::members::Members;
use crate::rendezvous::{Rendezvous, Score};
use crate::server::ServerName;

/// The score of `name:key`: 53 bits of its MD5.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NameColonKey;

impl Score for NameColonKey {
    type Key<'k> = &'k [u8];
    type Server = Md5Prefix;
    const BITS: u32 = 53;

    fn key<'k>(&self, key: &'k [u8]) -> &'k [u8] {
        key
    }

    fn server(&self, name: &ServerName) -> Md5Prefix {
        Md5Prefix::new(alloc::format!("{name}:").as_bytes())
    }

    fn score(&self, key: &&[u8], server: &Md5Prefix) -> u64 {
        server.hash(key) >> 11
    }
}

/// Rendezvous hashing as the sample programs do it.
///
/// ```
/// use clockwise::dialect::handbook;
/// use clockwise::{Members, Server};
///
/// let members = Members::new([
///     Server::new("a")?,
///     Server::new("b")?,
///     Server::new("c")?,
///     Server::new("d")?.with_weight(2)?,
/// ])?;
/// let place = handbook::rendezvous(&members)?;
/// let replicas: Vec<_> = place.owners("user:42", 3).map(|server| server.name().as_str()).collect();
/// assert_eq!(replicas, ["c", "d", "a"]);
/// # Ok::<(), clockwise::Error>(())
/// ```
pub fn rendezvous(members: &Members) -> Result<Rendezvous<NameColonKey>, Error> {
    Rendezvous::with_score(NameColonKey, members)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::hash::{KeyHash, Md5};
    use crate::testing::{members, user_keys};

    const FLEET: [(&str, u32); 4] = [("a", 1), ("b", 1), ("c", 1), ("d", 2)];

    #[test]
    fn weighted_owners_as_computed_apart() {
        let fleet = members(&FLEET);
        let (before, after) =
            (rendezvous(&fleet).unwrap(), rendezvous(&fleet.without("c").unwrap()).unwrap());
        let (mut counts, mut heirs) = ([0; 4], [0; 3]);
        for key in user_keys(100_000) {
            let owner = before.owner_ix(&key);
            counts[owner.index()] += 1;
            if before.owner(&key).name().as_str() == "c" {
                heirs[after.owner_ix(&key).index()] += 1;
            } else {
                assert_eq!(before.owner(&key), after.owner(&key), "{key}");
            }
        }
        assert_eq!(counts, [19_879, 20_090, 20_000, 40_031]);
        assert_eq!(heirs, [4_990, 5_006, 10_004]);
    }

    #[test]
    fn preference_follows_the_formula_as_it_is_taught() {
        let place = rendezvous(&members(&FLEET)).unwrap();
        for key in user_keys(2_000) {
            let mut taught: Vec<(f64, &str)> = FLEET
                .iter()
                .map(|&(name, weight)| {
                    let x = Md5.hash(alloc::format!("{name}:{key}").as_bytes()) >> 11;
                    let u = (x as f64 + 0.5) / 9_007_199_254_740_992.0;
                    (-f64::from(weight) / u.ln(), name)
                })
                .collect();
            taught.sort_by(|a, b| b.0.total_cmp(&a.0));
            let taught: Vec<&str> = taught.into_iter().map(|(_, name)| name).collect();
            let ours: Vec<&str> = place.owners(&key, 4).map(|server| server.name().as_str()).collect();
            assert_eq!(ours, taught, "{key}");
        }
    }
}
