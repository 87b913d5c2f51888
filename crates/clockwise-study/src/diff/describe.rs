//! Causes in words.

use clockwise::hash::KeyHash as _;
use clockwise::ring::Boundary;
use clockwise::{Built, Server};

use super::anatomy::Parts;
use super::knob::Knob;
use super::variant::{Case, Listed, by_machine};
use crate::number::{counted, grouped};

/// What a knob is on both sides.
pub(super) struct Description {
    pub(super) a: String,
    pub(super) b: String,
    pub(super) detail: Option<String>,
}

/// How many of a list are named.
const NAMED: usize = 4;

impl Case<'_> {
    /// A knob in words; `needed` are all that turned out to be causes.
    pub(super) fn describe(&self, knob: &Knob, needed: &[&Knob]) -> Description {
        let (ours, theirs) = (self.listed_a(), self.listed_b());
        let mut detail = None;
        let (a, b) = match knob {
            Knob::Scheme => (self.a.scheme.bare().to_string(), self.b.scheme.bare().to_string()),
            Knob::Points => {
                let (text, more) = self.points(needed);
                detail = Some(more);
                text
            }
            Knob::Buckets => match (self.parts(needed), &self.parts_b) {
                (Parts::Table(ours), Parts::Table(theirs)) => {
                    (counted(ours.len() as u64, "bucket"), counted(theirs.len() as u64, "bucket"))
                }
                _ => (String::new(), String::new()),
            },
            Knob::BucketOrder => {
                detail = Some("each system takes the same list in an order of its own".to_owned());
                let order = |parts: &Parts| match parts {
                    Parts::Table(table) => {
                        let firsts = table.chunk_by(|a, b| a == b).map(|run| run[0]);
                        some(firsts.map(|machine| self.pairing.name(machine).to_string()))
                    }
                    _ => String::new(),
                };
                (order(&self.parts(needed)), order(&self.parts_b))
            }
            Knob::KeyHash => {
                let name = |built: &Built| Some(built.key_hash()?.behind(None).name().into_owned());
                // Where a setting decides whether there is one, once that is set.
                let set: Vec<&Knob> = needed.iter().copied().filter(|knob| !knob.is_lent()).collect();
                let once_set = self.variant(&set).ok().and_then(|variant| name(&variant.built));
                let ours = once_set.or_else(|| name(self.built_a));
                let ours = ours.unwrap_or_else(|| self.a.scheme.bare().to_string());
                let theirs = name(self.built_b).unwrap_or_else(|| self.b.scheme.bare().to_string());
                key_hashes(&ours, &theirs)
            }
            Knob::Boundary => {
                let rule = |parts: &Parts| match parts {
                    Parts::Circle { boundary, .. } => boundary_in_words(*boundary).to_owned(),
                    _ => String::new(),
                };
                (rule(&self.parts(needed)), rule(&self.parts_b))
            }
            Knob::Ties => {
                detail = Some("several servers have a point at one position".to_owned());
                ("its own rule".to_owned(), "another".to_owned())
            }
            Knob::Setting { key, .. } => {
                let said = |settings: &clockwise_config::Settings| settings.shown(key);
                let unsaid = || "(none)".to_owned();
                let meant = self.settings_a.clone();
                let b = match (self.is_same_system(), knob) {
                    // In the first system's words what the second does.
                    (false, Knob::Setting { value: Some(value), .. }) => {
                        meant.with(key, Some(value)).shown(key)
                    }
                    (false, _) => None,
                    (true, _) => said(&self.settings_b),
                };
                if let (false, Some(theirs)) = (self.is_same_system(), said(&self.settings_b)) {
                    detail = (Some(&theirs) != b.as_ref())
                        .then(|| format!("which {} calls {theirs}", self.settings_b.system()));
                }
                (said(&self.settings_a).unwrap_or_else(unsaid), b.unwrap_or_else(unsaid))
            }
            Knob::Label { slot, text } => {
                let texts = pairs(&ours, &theirs)
                    .map(|(_, ours, theirs)| (slot.of(ours).to_owned(), text.of(theirs)));
                // Of most servers both may make the same.
                let differ = texts.clone().find(|(ours, theirs)| ours != theirs);
                let (ours, theirs) = differ.or_else(|| texts.clone().next()).unwrap_or_default();
                detail = Some("the text that a server's points are made of".to_owned());
                (format!("{slot}: {ours}"), format!("{text}: {theirs}"))
            }
            Knob::OnlyInA => (some(only(&ours, &theirs)), "not listed".to_owned()),
            Knob::OnlyInB => ("not listed".to_owned(), some(only(&theirs, &ours))),
            Knob::Order => {
                let order = |listed: &Listed| some(listed.iter().map(|(machine, _)| self.name(*machine)));
                (order(&ours), order(&theirs))
            }
            Knob::Names => {
                let both = both(&ours, &theirs, |server| server.name().to_string());
                detail = only_the_port(&both);
                sides(both)
            }
            Knob::Addresses => {
                let both = both(&ours, &theirs, |server| server.address().to_string());
                detail = only_the_port(&both);
                sides(both)
            }
            Knob::Weights => self.by_name(&ours, &theirs, |server| server.weight().to_string()),
            Knob::States => self.by_name(&ours, &theirs, |server| {
                if server.is_draining() { "draining" } else { "active" }.to_owned()
            }),
            Knob::Zones => self.by_name(&ours, &theirs, |server| {
                server.zone().map_or("none", |zone| zone.as_str()).to_owned()
            }),
        };
        Description { a, b, detail }
    }

    fn name(&self, machine: u32) -> String {
        self.pairing.name(machine).to_string()
    }

    /// The first side's parts once the other causes are set.
    fn parts(&self, needed: &[&Knob]) -> Parts {
        let set: Vec<&Knob> = needed.iter().copied().filter(|knob| !knob.is_lent()).collect();
        self.variant(&set).map_or(Parts::Other, |variant| variant.parts())
    }

    /// How many points each side has, and how many of them are the same.
    fn points(&self, needed: &[&Knob]) -> ((String, String), String) {
        let (common, ours, theirs) = self.parts(needed).in_common(&self.parts_b);
        let [a, b] = self.sides;
        let within = |few, many| {
            format!(
                "all of {few}'s are among {many}'s: {many} gives a weight more of them, or rounds otherwise"
            )
        };
        let detail = match common {
            0 => "none in common: other labels, or another hash of them".to_owned(),
            _ if common == ours && common < theirs => within(a, b),
            _ if common == theirs && common < ours => within(b, a),
            _ => format!("{} in common", grouped(common as u64)),
        };
        ((counted(ours as u64, "point"), counted(theirs as u64, "point")), detail)
    }

    /// What differs of the servers that both have, with their names.
    fn by_name(&self, ours: &Listed, theirs: &Listed, of: impl Fn(&Server) -> String) -> (String, String) {
        let named = |side: fn(&(String, String)) -> &String, all: &[(String, (String, String))]| {
            some(all.iter().map(|(name, pair)| format!("{name} {}", side(pair))))
        };
        let differing: Vec<(String, (String, String))> = pairs(ours, theirs)
            .map(|(machine, a, b)| (self.name(machine), (of(a), of(b))))
            .filter(|(_, (a, b))| a != b)
            .collect();
        (named(|pair| &pair.0, &differing), named(|pair| &pair.1, &differing))
    }
}

/// Two key hashes by name. What one makes of the empty key is said only if they differ in nothing else.
fn key_hashes(ours: &str, theirs: &str) -> (String, String) {
    const OF_NOTHING: &str = ", 0 of nothing";
    let named = |name: &str| name.replace(OF_NOTHING, "").replace(", in ", " of the part in ");
    let (a, b) = (named(ours), named(theirs));
    if a != b {
        return (a, b);
    }
    let of_nothing = |name: &str, full: String| match name.contains(OF_NOTHING) {
        true => format!("{full}, and 0 for the empty key"),
        false => full,
    };
    (of_nothing(ours, a), of_nothing(theirs, b))
}

fn boundary_in_words(boundary: Boundary) -> &'static str {
    match boundary {
        Boundary::AtOrAfter => "the first point at or after the hash",
        Boundary::After => "the first point after the hash",
        Boundary::Nearest => "the point nearest to the hash",
    }
}

/// The servers that both sides have.
fn pairs<'l>(
    ours: &'l Listed,
    theirs: &'l Listed,
) -> impl Iterator<Item = (u32, &'l Server, &'l Server)> + Clone {
    let ours = by_machine(ours);
    theirs.iter().filter_map(move |(machine, theirs)| Some((*machine, *ours.get(machine)?, theirs)))
}

/// Two texts of each server that both sides have, where they differ.
fn both(ours: &Listed, theirs: &Listed, of: impl Fn(&Server) -> String) -> Vec<(String, String)> {
    pairs(ours, theirs).map(|(_, a, b)| (of(a), of(b))).filter(|(a, b)| a != b).collect()
}

fn sides(both: Vec<(String, String)>) -> (String, String) {
    let (ours, theirs): (Vec<String>, Vec<String>) = both.into_iter().unzip();
    (some(ours.into_iter()), some(theirs.into_iter()))
}

/// Said where texts differ by a port and nothing else.
fn only_the_port(both: &[(String, String)]) -> Option<String> {
    let is_port = |rest: &str| {
        rest.strip_prefix(':')
            .is_some_and(|port| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()))
    };
    let by_port = |(a, b): &(String, String)| {
        a.strip_prefix(b.as_str()).is_some_and(is_port) || b.strip_prefix(a.as_str()).is_some_and(is_port)
    };
    (!both.is_empty() && both.iter().all(by_port)).then(|| "they differ by the port alone".to_owned())
}

/// Names of the servers of one list that the other does not have.
fn only(these: &Listed, those: &Listed) -> impl Iterator<Item = String> {
    let those = by_machine(those);
    these
        .iter()
        .filter(move |(machine, _)| !those.contains_key(machine))
        .map(|(_, server)| server.name().to_string())
}

/// The first few of a list.
fn some(all: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = all.collect();
    let shown = all[..all.len().min(NAMED)].join(", ");
    if all.len() > NAMED { format!("{shown} and {} more", all.len() - NAMED) } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_hash_is_named_without_what_decides_nothing() {
        let both = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        for (ours, theirs, said) in [
            ("xxh3-64", "md5-word, 0 of nothing", both("xxh3-64", "md5-word")),
            ("md5-word, 0 of nothing, in {}", "md5-word", both("md5-word of the part in {}", "md5-word")),
            ("md5-word", "md5-word, 0 of nothing", both("md5-word", "md5-word, and 0 for the empty key")),
        ] {
            assert_eq!(key_hashes(ours, theirs), said);
        }
    }
}
