//! Which knobs two fleets have between them.
//!
//! Of one system: what differs among the servers, and each setting that differs. Those are all there
//! is, so that with all of them set the two are the same.
//!
//! Of two systems: what differs among the servers; the settings of the first that have a meaning in
//! the second, translated; and the parts of the two rings or tables. A setting means the same if it
//! *does* the same: hashes are compared by what they make of keys, labels and distributions by the
//! points that come out.

use clockwise::hash::KeyHash;
use clockwise::{Buckets, Built, Server};
use clockwise_config::Settings;

use super::anatomy::{self, Parts};
use super::knob::{Knob, Slot, Text};
use super::variant::{Case, Listed, Machines, by_machine};
use crate::keys::seeded_key;
use crate::pairing::Pairing;
use crate::plan::Fleet;

/// How many servers the two fleets are cut to while labels are tried.
const ENOUGH: usize = 2;

impl Case<'_> {
    /// All knobs, the broadest first.
    pub(super) fn knobs(&self) -> Vec<Knob> {
        let mut knobs = self.of_servers();
        if self.is_same_system() {
            knobs.extend(self.of_one_system());
        } else {
            knobs.extend(self.of_two_systems());
        }
        knobs.sort();
        knobs
    }

    fn of_servers(&self) -> Vec<Knob> {
        let (ours, theirs) = (self.listed_a(), self.listed_b());
        let (in_a, in_b) = (by_machine(&ours), by_machine(&theirs));
        let both: Vec<(&Server, &Server)> =
            (theirs.iter()).filter_map(|(machine, theirs)| Some((*in_a.get(machine)?, theirs))).collect();
        let any = |differs: fn(&Server, &Server) -> bool| both.iter().any(|(a, b)| differs(a, b));
        let only = |these: &Machines<'_>, those: &Machines<'_>| {
            these.keys().any(|machine| !those.contains_key(machine))
        };
        let set_all = [&Knob::OnlyInA, &Knob::OnlyInB];
        let order = |listed: &Listed| -> Vec<u32> { listed.iter().map(|(machine, _)| *machine).collect() };
        let reordered = self.servers(&set_all).is_ok_and(|listed| order(&listed) != order(&theirs));
        [
            (Knob::OnlyInA, only(&in_a, &in_b)),
            (Knob::OnlyInB, only(&in_b, &in_a)),
            (Knob::Names, any(|a, b| a.name() != b.name())),
            (Knob::Addresses, any(|a, b| a.address() != b.address())),
            (Knob::Weights, any(|a, b| a.weight() != b.weight())),
            (Knob::States, any(|a, b| a.is_draining() != b.is_draining())),
            (Knob::Zones, any(|a, b| a.zone() != b.zone())),
            (Knob::Order, reordered),
        ]
        .into_iter()
        .filter_map(|(knob, differs)| differs.then_some(knob))
        .collect()
    }

    fn of_one_system(&self) -> Vec<Knob> {
        let (ours, theirs) = (&self.settings_a, &self.settings_b);
        let mut keys: Vec<&str> = ours.keys().chain(theirs.keys()).collect();
        keys.sort_unstable();
        keys.dedup();
        keys.retain(|key| ours.get(key) != theirs.get(key));
        keys.into_iter().map(|key| setting(key, theirs.get(key))).collect()
    }

    fn of_two_systems(&self) -> Vec<Knob> {
        let mut knobs = vec![Knob::Scheme];
        let translated = self.translated();
        let (word, label) = self.tried(&translated).unwrap_or_default();
        knobs.extend(translated);
        let set: Vec<&Knob> = word.iter().collect();
        let parts = self.variant(&set).map_or(Parts::Other, |variant| variant.parts());
        knobs.extend(word);
        knobs.extend(label);
        match (&parts, &self.parts_b) {
            (Parts::Circle { points, boundary }, Parts::Circle { points: theirs, boundary: rule }) => {
                knobs.extend([Knob::Points, Knob::KeyHash]);
                if boundary != rule {
                    knobs.push(Knob::Boundary);
                }
                if anatomy::has_ties(points) || anatomy::has_ties(theirs) {
                    knobs.push(Knob::Ties);
                }
            }
            (Parts::Table(_), Parts::Table(_)) => {
                knobs.extend([Knob::Buckets, Knob::BucketOrder, Knob::KeyHash]);
            }
            _ => {}
        }
        knobs
    }

    /// Settings of the first system with the second one's meaning.
    fn translated(&self) -> Vec<Knob> {
        let (ours, theirs) = (&self.settings_a, &self.settings_b);
        let Ok(defaults) = ours.defaults() else { return Vec::new() };
        let meant = |key: &str| {
            let words = ours.words(key);
            if !words.is_empty() {
                return Some(setting(key, Some(&self.same_hash(key, words)?)));
            }
            // What the other system cannot say it does not do.
            let value = theirs.get(key).or_else(|| defaults.get(key));
            (value != ours.get(key)).then(|| setting(key, value))
        };
        let mut knobs: Vec<Knob> = ours.known().filter_map(meant).collect();
        knobs.retain(|knob| match knob {
            Knob::Setting { key, value } => ours.clone().with(key, value.as_deref()).scheme().is_ok(),
            _ => true,
        });
        knobs
    }

    /// The first system's word for the second one's key hash, if it has one and says another.
    fn same_hash(&self, key: &str, words: Vec<String>) -> Option<String> {
        // What stands before the key is a setting of its own.
        let theirs = self.built_b.key_hash()?.behind(None);
        let is_same = |settings: &Settings| {
            alone(settings)?.key_hash().map(|ours| is_same_function(&ours.behind(None), &theirs))
        };
        if is_same(&self.settings_a)? {
            return None;
        }
        words.into_iter().find(|word| is_same(&self.settings_a.clone().with(key, Some(word))) == Some(true))
    }

    /// Of the first system's words for one setting, and of the texts that labels may be made of, those
    /// with which the two have the most points in common. Tried on a few servers that both have.
    fn tried(&self, translated: &[Knob]) -> Option<(Option<Knob>, Option<Knob>)> {
        let ours = &self.settings_a;
        let mut words = vec![None];
        let is_settled = |key: &&str| translated.iter().any(|knob| knob.name() == *key);
        for key in ours.known().filter(|key| !is_settled(key)) {
            let others = ours.words(key).into_iter().filter(|word| Some(word.as_str()) != ours.get(key));
            words.extend(others.map(|word| Some(setting(key, Some(&word)))));
        }
        let mut labels = vec![None];
        if matches!(self.parts_b, Parts::Circle { .. }) {
            for slot in Slot::ALL {
                labels.extend(Text::ALL.map(|text| Some(Knob::Label { slot, text })));
            }
        }
        let (a, b) = self.few()?;
        let built = |fleet: &Fleet| fleet.scheme.build(&fleet.servers).ok();
        let (built_a, built_b) = (built(&a)?, built(&b)?);
        let pairing = Pairing::new(a.servers.servers(), b.servers.servers());
        let few = Case::new([(&a, &built_a), (&b, &built_b)], &pairing, &[], &[]);
        // What the names and addresses are is a question of its own; here it is which of them counts.
        let base = [Knob::Names, Knob::Addresses, Knob::Weights, Knob::States];
        let mut best = None;
        for word in &words {
            for label in &labels {
                let set: Vec<&Knob> = base.iter().chain(translated).chain(word).chain(label).collect();
                let Ok(variant) = few.variant(&set) else { continue };
                let parts = variant.parts();
                let score = (parts.is_like(&few.parts_b), parts.in_common(&few.parts_b).0);
                // Of equals the first: it changes the least.
                if best.as_ref().is_none_or(|(most, _)| score > *most) {
                    best = Some((score, (word.clone(), label.clone())));
                }
            }
        }
        best.map(|(_, knobs)| knobs)
    }

    /// Both fleets cut to the first few servers that both have, in the second one's order.
    fn few(&self) -> Option<(Fleet, Fleet)> {
        let ours = self.listed_a();
        let in_a = by_machine(&ours);
        let (a, b): (Vec<Server>, Vec<Server>) = (self.listed_b().into_iter())
            .filter_map(|(machine, theirs)| Some(((*in_a.get(&machine)?).clone(), theirs)))
            .take(ENOUGH)
            .unzip();
        let fleet = |whole: &Fleet, servers| {
            Some(Fleet { scheme: whole.scheme.clone(), servers: Buckets::new(servers).ok()? })
        };
        Some((fleet(self.a, a)?, fleet(self.b, b)?))
    }
}

fn setting(key: &str, value: Option<&str>) -> Knob {
    Knob::Setting { key: key.to_owned(), value: value.map(str::to_owned) }
}

/// The placement of one server with these settings; a server that every system takes.
fn alone(settings: &Settings) -> Option<Built> {
    let one = Buckets::new([Server::new("10.0.0.1:11211").ok()?]).ok()?;
    settings.scheme().ok()?.build(&one).ok()
}

/// Whether two hashes make the same numbers of keys. The empty key is left out: some systems hash it
/// and some do not, whatever their hash.
fn is_same_function(a: &dyn KeyHash, b: &dyn KeyHash) -> bool {
    let alike = |key: &[u8]| a.hash(key) == b.hash(key);
    a.width() == b.width() && (0..64).all(|index| alike(&seeded_key(7, index))) && alike(b"\xff\x80\x01")
}

#[cfg(test)]
mod tests {
    use clockwise::dialect::{libmemcached, twemproxy};

    use super::*;

    #[test]
    fn hashes_of_two_systems_are_the_same_if_they_do_the_same() {
        let mut same = Vec::new();
        for &ours in twemproxy::Hash::ALL {
            let found = libmemcached::Hash::ALL.iter().filter(|theirs| is_same_function(&ours, *theirs));
            same.extend(found.map(|theirs| format!("{ours} {theirs}")));
        }
        same.sort();
        assert_eq!(
            same,
            [
                "crc32 CRC",
                "fnv1_32 FNV1_32",
                "fnv1_64 FNV1_64",
                "fnv1a_32 FNV1A_32",
                "fnv1a_64 FNV1A_64",
                "hsieh HSIEH",
                "jenkins JENKINS",
                "md5 MD5",
                "murmur MURMUR",
                "one_at_a_time DEFAULT",
            ]
        );
    }
}
