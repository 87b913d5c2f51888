//! A fleet with its history: the third input beside a set and a list.
//!
//! Some schemes let any bucket go and move only its keys, and pay by remembering: which buckets are
//! empty, and in which order they became so. Servers have buckets in the order in which they came. One
//! that is removed leaves its bucket empty; the next that comes takes the bucket that was emptied last.
//!
//! Two clients agree if they have the same buckets and the same order of removals. So both are stated:
//! a removed server stays listed in its place, with the number of its removal
//! ([`Server::removed`]), and histories that cannot both be right are refused by name
//! ([`ChangeLog::continues`]).

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::num::NonZeroU32;

use crate::error::{Error, Kind};
use crate::members::Buckets;
use crate::placement::ServerIx;
use crate::server::Server;

/// Servers by bucket, and the order in which the empty buckets became so.
///
/// ```
/// use clockwise::{ChangeLog, Server};
///
/// let log = ChangeLog::new([Server::new("a")?, Server::new("b")?, Server::new("c")?])?;
/// let later = log.removed("a")?.removed("b")?;
/// let names: Vec<_> = later.history().map(|server| server.name().as_str()).collect();
/// assert_eq!(names, ["a", "b"]);
/// // Who comes takes the bucket that was emptied last.
/// let back = later.added(Server::new("d")?)?;
/// assert_eq!(back.buckets().index_of("d"), log.buckets().index_of("b"));
/// // The same removals in another order are another history.
/// assert!(log.removed("b")?.removed("a")?.continues(&later).unwrap_err().is_history());
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ChangeLog {
    /// Removed servers numbered from 1, and all others active.
    buckets: Buckets,
    /// The empty buckets, that of the oldest removal first.
    removed: Arc<[u32]>,
}

impl ChangeLog {
    /// Servers in the order of their buckets. Refuses what [`Buckets::new`] and [`ChangeLog::of`] refuse.
    pub fn new(servers: impl IntoIterator<Item = Server>) -> Result<ChangeLog, Error> {
        ChangeLog::of(&Buckets::new(servers)?)
    }

    /// The history that a list states: its removed servers carry the numbers 1, 2, 3 … in the order of
    /// their removal.
    ///
    /// A server that drains and has no number is the last removal, if it is the only such. Refuses
    /// numbers that are missing or there twice, and a second server that drains without one: each error
    /// names the server.
    pub fn of(list: &Buckets) -> Result<ChangeLog, Error> {
        let servers = list.servers();
        let mut turns: Vec<(u32, u32)> = Vec::new();
        let mut last: Option<u32> = None;
        for (bucket, server) in (0..).zip(servers).filter(|(_, server)| server.is_draining()) {
            match (server.removal(), last) {
                (Some(turn), _) => turns.push((turn.get(), bucket)),
                (None, None) => last = Some(bucket),
                (None, Some(_)) => {
                    let problem = "is missing: several servers drain, and their order places keys";
                    return Err(numbered(server, "number".to_string(), problem));
                }
            }
        }
        turns.sort_unstable();
        for (expected, &(turn, bucket)) in (1..).zip(&turns) {
            if turn != expected {
                let problem = match turn < expected {
                    true => "is there twice: each removal has a number of its own",
                    false => "skips a number: removals are counted 1, 2, 3 and so on",
                };
                return Err(numbered(&servers[bucket as usize], turn.to_string(), problem));
            }
        }
        Ok(ChangeLog::with(list, turns.into_iter().map(|(_, bucket)| bucket).chain(last).collect()))
    }

    /// Numbers the removals anew. The list has an active server.
    fn with(list: &Buckets, removed: Vec<u32>) -> ChangeLog {
        let mut servers = list.servers().to_vec();
        for server in &mut servers {
            if server.is_draining() {
                *server = server.clone().active();
            }
        }
        for (turn, &bucket) in (1..).filter_map(NonZeroU32::new).zip(&removed) {
            servers[bucket as usize] = servers[bucket as usize].clone().removed(turn);
        }
        ChangeLog { buckets: list.with_servers(servers), removed: removed.into() }
    }

    /// The buckets in their order, removed servers in their places: what [`ChangeLog::of`] reads.
    pub fn buckets(&self) -> &Buckets {
        &self.buckets
    }

    /// The servers that were removed and whose buckets are empty, the oldest removal first.
    pub fn history(&self) -> impl DoubleEndedIterator<Item = &Server> + ExactSizeIterator {
        self.removed.iter().map(|&bucket| &self.buckets.servers()[bucket as usize])
    }

    /// The same by bucket.
    pub(crate) fn removals(&self) -> &[u32] {
        &self.removed
    }

    /// One more server: in the bucket that was emptied last, or in a new one behind all if none is
    /// empty. Refuses a name that is active already.
    ///
    /// Where another empty bucket still carries the newcomer's name, the two empty buckets exchange
    /// theirs: what an empty bucket is called places no key.
    pub fn added(&self, server: Server) -> Result<ChangeLog, Error> {
        let mut servers = self.buckets.servers().to_vec();
        let mut removed = self.removed.to_vec();
        let Some(bucket) = removed.pop() else {
            return Ok(ChangeLog::with(&self.buckets.pushed(server.active())?, removed));
        };
        let old = core::mem::replace(&mut servers[bucket as usize], server.active());
        let name = servers[bucket as usize].name();
        if let Some(&other) = removed.iter().find(|&&other| servers[other as usize].name() == name) {
            servers[other as usize] = servers[other as usize].clone().with_name(old.name().clone());
        }
        Ok(ChangeLog::with(&Buckets::new(servers)?, removed))
    }

    /// Without one server, whose bucket is empty from now on. Refuses a name that is not active, and to
    /// lose the last active server.
    pub fn removed(&self, name: &str) -> Result<ChangeLog, Error> {
        let found = self.buckets.active().find(|(_, server)| server.name().as_str() == name);
        let (bucket, server) = found.ok_or_else(|| Error::unknown_server(name))?;
        let without = self.buckets.replaced(bucket.index(), server.clone().draining())?;
        let removed = self.removed.iter().copied().chain([bucket.get()]).collect();
        Ok(ChangeLog::with(&without, removed))
    }

    /// The history after a change that is told by its outcome: these servers are active now.
    ///
    /// Those that are so no longer are removed, from the last bucket to the first; then the new ones are
    /// added, in the order of the list. Of those that stay, address, weight and zone are the list's.
    pub fn after(&self, list: &Buckets) -> Result<ChangeLog, Error> {
        let now = |name: &str| list.get(name).filter(|server| !server.is_draining());
        let mut servers = self.buckets.servers().to_vec();
        let mut removed = self.removed.to_vec();
        let active = servers.iter_mut().enumerate().rev().filter(|(_, server)| !server.is_draining());
        for (bucket, server) in active {
            match now(server.name().as_str()) {
                Some(changed) => *server = changed.clone(),
                None => {
                    *server = server.clone().draining();
                    // A fleet ends below 2³² servers.
                    removed.push(bucket as u32);
                }
            }
        }
        let stays = |server: &Server| {
            let was = self.buckets.get(server.name().as_str());
            was.is_some_and(|was| !was.is_draining())
        };
        let come = list.active().map(|(_, server)| server).filter(|server| !stays(server)).cloned();
        // None may be active for a moment, so that a newcomer is added before a list is made.
        let mut come = come.collect::<Vec<_>>().into_iter();
        if servers.iter().all(Server::is_draining) {
            let Some((bucket, server)) = removed.pop().zip(come.next()) else {
                return Err(Error::new(Kind::NoServers { draining: servers.len() }));
            };
            rename(&mut servers, &removed, bucket, server);
        }
        let log = ChangeLog::with(&Buckets::new(servers)?, removed);
        come.try_fold(log, |log, server| log.added(server))
    }

    /// Whether this history can have come of another by removals and by servers that came, each in the
    /// bucket that was emptied last.
    ///
    /// If it cannot, clients of the two would place keys apart in ways that no change explains; the error
    /// names both histories, or the server whose bucket is another one.
    pub fn continues(&self, before: &ChangeLog) -> Result<(), Error> {
        let common = self.removed.iter().zip(before.removed.iter()).take_while(|(a, b)| a == b).count();
        let (new, undone) = (&self.removed[common..], &before.removed[common..]);
        let (now, then) = (self.buckets.servers(), before.buckets.servers());
        // New buckets begin, and last ones go, only while none is empty.
        let length_fits = now.len() == then.len() || common == 0;
        if !length_fits || new.iter().any(|bucket| undone.contains(bucket)) {
            let (before, after) = (before.told(), self.told());
            return Err(Error::new(Kind::Histories { before, after }));
        }
        for (bucket, server) in then.iter().enumerate().filter(|(_, server)| !server.is_draining()) {
            let place = self.buckets.index_of(server.name().as_str()).map(ServerIx::index);
            if place.is_some_and(|place| place != bucket) {
                let problem = "is not the one that it had: buckets keep their order, and a server that \
                               goes is marked as removed";
                let place = place.unwrap_or(bucket).to_string();
                let error = Error::new(Kind::Option { name: "bucket", value: place, problem });
                return Err(error.of_server(server.name().as_str()));
            }
        }
        Ok(())
    }

    /// The removals in words.
    fn told(&self) -> String {
        let names: Vec<String> =
            self.history().map(|server| format!("{:?}", server.name().as_str())).collect();
        let buckets = self.buckets.servers().len();
        match names.is_empty() {
            true => format!("no removal from {buckets} buckets"),
            false => format!("{} removed from {buckets} buckets", names.join(", then ")),
        }
    }
}

/// Puts a server into a bucket that was just taken off the removed ones.
fn rename(servers: &mut [Server], removed: &[u32], bucket: u32, server: Server) {
    let old = core::mem::replace(&mut servers[bucket as usize], server.active());
    let name = servers[bucket as usize].name().clone();
    for &other in removed {
        if *servers[other as usize].name() == name {
            servers[other as usize] = servers[other as usize].clone().with_name(old.name().clone());
        }
    }
}

fn numbered(server: &Server, value: String, problem: &'static str) -> Error {
    Error::new(Kind::Option { name: "removed", value, problem }).of_server(server.name().as_str())
}

impl fmt::Debug for ChangeLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChangeLog").field("buckets", &self.buckets).field("removed", &self.removed).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, list};

    fn log(names: &str) -> ChangeLog {
        let servers = names.split(' ').map(|name| Server::new(name).unwrap());
        ChangeLog::new(servers).unwrap()
    }

    /// Buckets as letters, empty ones with the number of their removal: `a b2 c1`.
    fn shown(log: &ChangeLog) -> String {
        let server =
            |s: &Server| format!("{}{}", s.name(), s.removal().map_or(String::new(), |n| n.to_string()));
        log.buckets().servers().iter().map(server).collect::<Vec<_>>().join(" ")
    }

    fn read(text: &str) -> Result<ChangeLog, Error> {
        ChangeLog::new(text.split(' ').map(|word| {
            let (name, turn) = word.split_at(1);
            let server = Server::new(name).unwrap();
            match turn {
                "" => server,
                "?" => server.draining(),
                turn => server.removed(turn.parse().unwrap()),
            }
        }))
    }

    #[test]
    fn who_goes_leaves_a_bucket_and_who_comes_takes_the_last() {
        let log = log("a b c d").removed("b").unwrap().removed("a").unwrap();
        assert_eq!(shown(&log), "a2 b1 c d");
        assert_eq!(log, read("a2 b1 c d").unwrap());
        let log = log.added(Server::new("x").unwrap()).unwrap();
        assert_eq!(shown(&log), "x b1 c d");
        let log = log.added(Server::new("y").unwrap()).unwrap().added(Server::new("z").unwrap()).unwrap();
        assert_eq!(shown(&log), "x y c d z");
        // Who comes back under the name of another empty bucket: the two exchange names.
        let log = read("a2 b1 c").unwrap().added(Server::new("b").unwrap()).unwrap();
        assert_eq!(shown(&log), "b a1 c");
        assert!(log.added(Server::new("c").unwrap()).unwrap_err().is_duplicate());
    }

    #[test]
    fn numbers_that_are_no_order_are_refused_and_the_server_is_named() {
        for (text, server, said) in [
            ("a b2 c", "b", "removed 2 skips a number"),
            ("a b1 c1", "c", "removed 1 is there twice"),
            ("a b1 c3", "c", "removed 3 skips a number"),
            ("a? b c?", "c", "removed number is missing"),
        ] {
            let error = read(text).unwrap_err();
            assert_eq!(error.server(), Some(server), "{text}");
            assert!(format!("{error}").contains(said), "{error}");
        }
        // One that drains without a number is the last removal.
        assert_eq!(shown(&read("a? b1 c").unwrap()), "a2 b1 c");
        assert!(read("a1").unwrap_err().is_no_servers());
        let gone = log("a b").removed("a").unwrap();
        assert!(gone.removed("a").unwrap_err().is_unknown_server());
        assert!(gone.removed("b").unwrap_err().is_no_servers());
    }

    #[test]
    fn a_change_told_by_its_outcome_is_the_change_step_by_step() {
        let before = read("a b1 c d").unwrap();
        let after = |names: &[(&str, u32)]| before.after(&list(names)).map(|log| shown(&log));
        assert_eq!(after(&[("a", 1), ("c", 1), ("d", 1)]).unwrap(), "a b1 c d");
        assert_eq!(after(&[("a", 1), ("d", 1)]).unwrap(), "a b1 c2 d");
        assert_eq!(after(&[("d", 1)]).unwrap(), "a3 b1 c2 d");
        assert_eq!(after(&[("a", 1), ("x", 1), ("c", 1), ("d", 1)]).unwrap(), "a x c d");
        assert_eq!(after(&[("a", 1), ("x", 1), ("y", 1), ("c", 1), ("d", 1)]).unwrap(), "a x c d y");
        assert_eq!(after(&[("a", 1), ("x", 1), ("d", 1)]).unwrap(), "a b1 x d");
        // All of them replaced; and an order of the list says nothing about buckets.
        assert_eq!(after(&[("x", 1)]).unwrap(), "x b1 c3 d2");
        assert_eq!(after(&[("d", 1), ("c", 1), ("a", 1)]).unwrap(), "a b1 c d");
        let weighted = before.after(&list(&[("a", 7), ("c", 1), ("d", 1)])).unwrap();
        assert_eq!(weighted.buckets().get("a").unwrap().weight().get(), 7);
    }

    #[test]
    fn histories_of_one_fleet_continue_and_others_are_told() {
        for (before, after) in [
            ("a b c", "a b c"),
            ("a b c", "a b1 c"),
            ("a b1 c", "a b1 c2"),
            ("a b1 c2", "a b1 x"),
            ("a b1 c2 d", "a b1 c d2"),
            ("a b1 c", "a b c d"),
            ("a b c d", "a b c"),
            ("a b c", "a x c"),
        ] {
            read(after).unwrap().continues(&read(before).unwrap()).unwrap();
        }
        for (before, after, said) in [
            (
                "a b1 c2 d",
                "a b2 c1 d",
                r#""b", then "c" removed from 4 buckets before, and "c", then "b" removed"#,
            ),
            ("a b1 c2 d", "a b c1 d", r#"and "c" removed from 4 buckets after"#),
            (
                "a b1 c",
                "a b1 c d",
                r#""b" removed from 3 buckets before, and "b" removed from 4 buckets after"#,
            ),
            ("a b1 c d", "a b1 c", "from 3 buckets after"),
        ] {
            let error = read(after).unwrap().continues(&read(before).unwrap()).unwrap_err();
            assert!(error.is_history(), "{before}, {after}: {error}");
            assert!(format!("{error}").contains(said), "{error}");
        }
        let error = read("b a c").unwrap().continues(&read("a b c").unwrap()).unwrap_err();
        assert_eq!((error.server(), error.is_history()), (Some("a"), false));
        assert!(
            format!("{error}").starts_with("server \"a\": bucket 1 is not the one that it had"),
            "{error}"
        );
        let error = read("a c").unwrap().continues(&read("a b c").unwrap()).unwrap_err();
        assert_eq!(error.server(), Some("c"));
    }

    /// Whatever is removed and added step by step continues what was, and so does its outcome.
    #[test]
    fn random_histories_continue_each_other() {
        let mut random = Random(0x1065);
        for round in 0..300 {
            let mut at = log("s0 s1 s2 s3 s4 s5");
            let mut next = 6;
            for _ in 0..20 {
                let active: Vec<String> = at.buckets().active().map(|(_, s)| s.name().to_string()).collect();
                let change = match active.len() > 1 && random.below(2) == 0 {
                    true => at.removed(&active[random.below(active.len() as u64) as usize]),
                    false => {
                        next += 1;
                        at.added(Server::new(format!("s{next}")).unwrap())
                    }
                };
                let after = change.unwrap();
                after.continues(&at).unwrap();
                assert_eq!(ChangeLog::of(after.buckets()).unwrap(), after, "round {round}");
                let told = Buckets::new(after.buckets().active().map(|(_, s)| s.clone())).unwrap();
                assert_eq!(at.after(&told).unwrap(), after, "round {round}");
                at = after;
            }
        }
    }
}
