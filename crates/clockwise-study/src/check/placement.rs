//! Findings about how keys are placed on the servers.

use std::io::Write as _;

use clockwise::dialect::{Dialect, haproxy};
use clockwise::hash::{KeyHash as _, Width};
use clockwise::{Buckets, Geometry, Placement as _, Scheme, Server, Share};

use super::{BUSIEST, Checked, Finding, MANY_POINTS, NUMBERED, SLOTS_A_SERVER, Severity, Subject};
use crate::keys::seeded_key;
use crate::number::{self, grouped};
use crate::theory;

/// How many numbered keys in a row are looked at: a hash may crowd few and spread many.
const BLOCKS: [u32; 3] = [1_000, 10_000, 100_000];

/// How many seeded keys tell what another order moves.
const SAMPLE: u64 = 20_000;

pub(super) fn check(checked: &Checked<'_>) -> Vec<Finding> {
    let ring = checked.built.ring();
    let mut findings = Vec::new();
    if let Some(ring) = &ring {
        findings.extend(no_points(checked, ring));
        findings.extend(unequal_points(checked, ring));
        findings.extend(lost_digest(checked, ring));
    }
    findings.extend(ties(checked, ring.as_ref()));
    let narrow = ring.as_ref().and_then(|ring| narrow_hash(checked, ring));
    match narrow {
        // Whatever else is uneven is so because of it.
        Some(narrow) => findings.push(narrow),
        None => {
            findings.extend(numbered_keys(checked));
            findings.extend(uneven_shares(checked, ring.as_ref()));
        }
    }
    let by_position = ids_by_position(checked);
    // That the order matters is another word for it.
    findings.extend(by_position.or_else(|| order_matters(checked)));
    findings.extend(small_table(checked));
    findings.extend(large_table(checked, ring.as_ref()));
    findings.extend(prefix_tag(checked));
    findings
}

/// A prefix that holds a hash tag leaves nothing of the key to be hashed.
fn prefix_tag(checked: &Checked<'_>) -> Option<Finding> {
    let (prefix, hash) = (checked.scheme.key_prefix()?, checked.built.key_hash()?);
    let hash_of = |index| hash.hash(&seeded_key(7, index));
    if (1..64).any(|index| hash_of(index) != hash_of(0)) {
        return None;
    }
    let owner = checked.built.owner(b"");
    let finding = Finding::new("prefix-tag", Severity::Warning, checked.setting("key_prefix")).because(
        format!("the key prefix {prefix:?} holds a whole hash tag: server {} owns every key", owner.name()),
        "only what is between the marks is hashed, and that is the same in all keys",
        "take the marks out of the prefix, unless all keys shall lie on one server",
    );
    let ratio = checked.servers.total_weight() as f64 / f64::from(owner.weight().get());
    Some(finding.figure("busiest ÷ mean", ratio, BUSIEST))
}

/// Servers that own keys, with the number of their points.
fn active<'c>(checked: &'c Checked<'_>, ring: &'c Geometry) -> impl Iterator<Item = (&'c Server, u32)> {
    let counted = checked.built.servers().iter().zip(ring.point_counts().iter().copied());
    counted.filter(|(server, _)| !server.is_draining())
}

/// Whether points were written down, and follow from no weight.
fn are_given(checked: &Checked<'_>) -> bool {
    matches!(checked.scheme.bare(), Scheme::Dialect(Dialect::Cassandra(_) | Dialect::Dskit(_)))
}

fn no_points(checked: &Checked<'_>, ring: &Geometry) -> Vec<Finding> {
    let total = checked.servers.total_weight();
    let finding = |server: &Server| {
        let subject = Subject::Server(server.name().clone());
        let share = f64::from(server.weight().get()) / total as f64;
        let finding = Finding::new("no-points", Severity::Warning, subject);
        let finding = if are_given(checked) {
            finding.because(
                format!("server {} owns nothing: it has no tokens", server.name()),
                "a server owns what its tokens do, whatever it weighs",
                "give it tokens; to take it out of use, let it drain",
            )
        } else {
            finding.because(
                format!(
                    "server {} owns nothing: its weight of {} out of {total} rounds to no points",
                    server.name(),
                    server.weight()
                ),
                "the system rounds down, without a word",
                "raise its weight or lower the others'; to take it out of use, let it drain",
            )
        };
        finding.figure("share by weight", share, None)
    };
    ring.pointless().map(finding).collect()
}

fn unequal_points(checked: &Checked<'_>, ring: &Geometry) -> Option<Finding> {
    // nginx gives others the points of a server that is down: theirs are then no matter of rounding.
    let handed_on = matches!(checked.scheme.bare(), Scheme::Dialect(Dialect::Nginx(_)));
    if handed_on && checked.servers.servers().iter().any(Server::is_draining) {
        return None;
    }
    let mut seen: std::collections::BTreeMap<u32, (&Server, u32)> = std::collections::BTreeMap::new();
    for (server, points) in active(checked, ring) {
        let &mut (first, other) = seen.entry(server.weight().get()).or_insert((server, points));
        if points == other || points == 0 || other == 0 {
            continue;
        }
        let subject = Subject::Server(server.name().clone());
        let ratio = f64::from(points.max(other)) / f64::from(points.min(other));
        let (reason, remedy) = if are_given(checked) {
            ("a server owns what its tokens do, whatever it weighs", "give equal servers equally many tokens")
        } else {
            (
                "the system's rounding gives equal servers unequal shares",
                "choose weights, or a number of servers, for which it does not",
            )
        };
        let finding = Finding::new("unequal-points", Severity::Warning, subject).because(
            format!(
                "server {} has {} and server {} has {}, both of weight {}",
                server.name(),
                number::counted(points, "point"),
                first.name(),
                grouped(other),
                server.weight()
            ),
            reason,
            remedy,
        );
        return Some(finding.figure("more points ÷ fewer", ratio, 1.0));
    }
    None
}

/// Rings of the ketama family count digests in single precision, and lose one where the exact number
/// is whole. Whether a system does so its numbers tell.
fn lost_digest(checked: &Checked<'_>, ring: &Geometry) -> Option<Finding> {
    if !matches!(checked.scheme.bare(), Scheme::Dialect(_)) {
        return None;
    }
    let servers = active(checked, ring).count() as u64;
    let total = checked.servers.total_weight();
    let single = |server: &Server| {
        let part = server.weight().get() as f32 / total as f32;
        4 * u64::from((part * 160.0 / 4.0 * servers as f32 + 1e-10) as u32)
    };
    let exact = |server: &Server| {
        let digests = 40 * u128::from(servers) * u128::from(server.weight().get()) / u128::from(total);
        4 * digests as u64
    };
    if active(checked, ring).any(|(server, points)| single(server) != u64::from(points)) {
        return None;
    }
    let (server, points) = active(checked, ring).find(|(server, points)| exact(server) > (*points).into())?;
    let subject = Subject::Server(server.name().clone());
    let all = active(checked, ring).filter(|(server, points)| exact(server) > (*points).into()).count();
    let finding = Finding::new("lost-digest", Severity::Note, subject).because(
        format!(
            "server {} has {} where its weight calls for {}{}",
            server.name(),
            number::counted(points, "point"),
            grouped(exact(server)),
            match all {
                1 => String::new(),
                2 => ", and so has 1 more".to_owned(),
                _ => format!(", and so have {} more", grouped(all as u64 - 1)),
            }
        ),
        format!(
            "single precision rounds down {servers} servers of these weights: with one server more or less the \
             points of all of them change, and keys move between servers that stay"
        ),
        "nothing for a fleet that stays; measure a change with `clockwise plan` before making it",
    );
    Some(finding.figure("points ÷ points by weight", f64::from(points) / exact(server) as f64, 1.0))
}

fn ties(checked: &Checked<'_>, ring: Option<&Geometry>) -> Option<Finding> {
    let open = checked.built.unsettled();
    let settled = ring.map(Geometry::collisions).unwrap_or_default();
    let collisions = if open.is_empty() { settled } else { &open };
    let first = collisions.first()?;
    let servers = checked.built.servers();
    let names: Vec<&str> = first.servers().iter().map(|ix| servers[ix.index()].name().as_str()).collect();
    let count = collisions.len();
    let message = format!(
        "servers {} have a point at one position, {}{}",
        names.join(" and "),
        first.position(),
        match count {
            1 => String::new(),
            2 => "; 1 more position is shared".to_owned(),
            _ => format!("; {} more positions are shared", grouped(count as u64 - 1)),
        }
    );
    let finding = if !open.is_empty() {
        Finding::new("ties", Severity::Warning, Subject::Fleet).because(
            message,
            "the system sorts points and does not say which of equal ones comes first: two of its instances may differ",
            "rename one of the servers, which gives it other points",
        )
    } else {
        let rule = match checked.built.depends_on_order() {
            true => "the one listed first owns the arc, so the order of the list counts here",
            false => "a fixed rule decides, so all clients agree",
        };
        Finding::new("ties", Severity::Note, Subject::Fleet).because(
            message,
            rule,
            "nothing, unless another product shares the ring: it may decide otherwise",
        )
    };
    Some(finding.figure("shared positions", count as f64, None))
}

/// The largest share of some keys ÷ target share, and whose it is.
struct Busiest<'c> {
    keys: u32,
    ratio: f64,
    server: &'c Server,
}

/// Counts keys until each of `stops` many are counted, and says how even they lie then.
fn counted<'c>(
    checked: &'c Checked<'_>,
    stops: &[u32],
    mut key: impl FnMut(u32, &mut Vec<u8>),
) -> Vec<Busiest<'c>> {
    let servers = checked.built.servers();
    let total = checked.servers.total_weight() as f64;
    let mut counts = vec![0_u32; servers.len()];
    let (mut text, mut next) = (Vec::new(), 0);
    let mut found = Vec::new();
    for &keys in stops {
        for number in next..keys {
            text.clear();
            key(number, &mut text);
            counts[checked.built.owner_ix(&text).index()] += 1;
        }
        next = keys;
        let over = |(server, &count): (&'c Server, &u32)| {
            let target = f64::from(server.effective_weight()) / total;
            let ratio = f64::from(count) / f64::from(keys) / target;
            (target > 0.0).then_some(Busiest { keys, ratio, server })
        };
        let all = servers.iter().zip(&counts).filter_map(over);
        found.extend(all.max_by(|a, b| a.ratio.total_cmp(&b.ratio)));
    }
    found
}

/// `key:0`, `key:1` and so on.
fn numbered(number: u32, text: &mut Vec<u8>) {
    // Writing to a vector does not fail.
    let _ = write!(text, "key:{number}");
}

fn narrow_hash(checked: &Checked<'_>, ring: &Geometry) -> Option<Finding> {
    let width = match ring.width() {
        Width::Bits32 => 32,
        Width::Bits64 => 64,
    };
    let bits = ring.key_bits();
    let is_reached = |(position, _): &(u64, _)| position.checked_shr(bits).unwrap_or(0) == 0;
    let (all, reached) = (ring.points().count(), 1 + ring.points().filter(is_reached).count());
    if bits >= width || reached >= all {
        return None;
    }
    let busiest = counted(checked, &[BLOCKS[2]], numbered).pop()?;
    let instead = match checked.scheme.bare() {
        Scheme::Dialect(Dialect::Twemproxy(_)) => "take crc32a, which has all 32 bits",
        _ => "take a key hash that has all bits of the ring",
    };
    let finding = Finding::new("narrow-hash", Severity::Error, checked.setting("hash")).because(
        format!(
            "the key hash has {bits} bits and the ring {width}: keys reach only {} of its {} points",
            grouped(reached as u64),
            grouped(all as u64)
        ),
        format!(
            "of the keys key:0 to key:{}, server {} gets {:.2} times its share",
            busiest.keys - 1,
            busiest.server.name(),
            busiest.ratio
        ),
        format!("{instead}; nearly all keys move once"),
    );
    Some(finding.figure("busiest ÷ mean, numbered keys", busiest.ratio, NUMBERED))
}

fn numbered_keys(checked: &Checked<'_>) -> Option<Finding> {
    if checked.built.cap().is_some() {
        // There load decides, and an owner is only where a key goes first.
        return None;
    }
    // With fewer keys a server than a hundred, chance alone is uneven.
    let servers = checked.servers.active().count() as u64;
    let stops: Vec<u32> = BLOCKS.into_iter().filter(|&keys| u64::from(keys) >= 100 * servers).collect();
    let blocks = counted(checked, &stops, numbered);
    let worst = blocks.iter().max_by(|a, b| a.ratio.total_cmp(&b.ratio))?;
    if worst.ratio <= NUMBERED {
        return None;
    }
    // Where as many random keys lie as unevenly, the hash is not to blame.
    let random = |number: u32, text: &mut Vec<u8>| text.extend(seeded_key(1, number.into()));
    let chance = counted(checked, &[worst.keys], random).pop()?;
    if worst.ratio <= 1.25 * chance.ratio {
        return None;
    }
    let all: Vec<String> = blocks
        .iter()
        .map(|block| format!("{:.2} of {} in a row", block.ratio, grouped(block.keys)))
        .collect();
    let finding = Finding::new("numbered-keys", Severity::Warning, checked.setting("hash")).because(
        format!(
            "keys that end in numbers crowd: of key:0 to key:{}, server {} gets {:.2} times its share",
            worst.keys - 1,
            worst.server.name(),
            worst.ratio
        ),
        format!(
            "the key hash hardly mixes the last bytes of a key, so keys in a row stay together: the busiest gets {}, \
             where random keys give {:.2}",
            all.join(", "),
            chance.ratio
        ),
        "take a key hash that mixes well (murmur, jenkins or md5 where there are those), or measure your own keys \
         with `clockwise plan --keys`; a new hash moves nearly all keys once",
    );
    Some(finding.figure("busiest ÷ mean, numbered keys", worst.ratio, NUMBERED))
}

/// The largest share ÷ target share, exactly, where shares can be measured.
fn busiest_share(checked: &Checked<'_>) -> Option<f64> {
    let total: u128 = checked.servers.total_weight().into();
    let shares = checked.built.measured()?.shares();
    let over = |(server, share): (&Server, Share)| {
        let target = Share::new(server.effective_weight().into(), total).as_f64();
        (target > 0.0).then(|| share.as_f64() / target)
    };
    checked.built.servers().iter().zip(shares).filter_map(over).reduce(f64::max)
}

fn uneven_shares(checked: &Checked<'_>, ring: Option<&Geometry>) -> Option<Finding> {
    let exact = busiest_share(checked)?;
    // Theory is of points that fell where a hash threw them, and not of tokens that somebody chose.
    let expected = ring.filter(|_| !are_given(checked)).and_then(|ring| {
        let mut all = active(checked, ring);
        let (first, points) = all.next()?;
        let alike = all.all(|(server, count)| server.weight() == first.weight() && count == points);
        let servers = active(checked, ring).count() as u64;
        let expected = theory::expected_busiest(servers, points.into()).ok()?;
        alike.then_some((servers, points, expected))
    });
    match expected {
        Some((servers, points, expected)) if expected > BUSIEST => {
            let needed = |excess| match theory::points_needed(servers, excess) {
                Ok(needed) => format!("{} each", number::counted(needed, "point")),
                Err(_) => "more points than any ring has".to_owned(),
            };
            let finding = Finding::new("thin-ring", Severity::Warning, point_setting(checked)).because(
                format!(
                    "{} with {} each: the busiest is expected at {expected:.2} times its share",
                    number::counted(servers, "server"),
                    number::counted(points, "point")
                ),
                format!(
                    "arcs between few points are uneven; here the busiest owns {exact:.2} times its share"
                ),
                format!("{} bring it within 25%, {} within 10%", needed(0.25), needed(0.10)),
            );
            Some(finding.figure("expected busiest ÷ mean", expected, BUSIEST))
        }
        _ if exact > BUSIEST => {
            let finding = Finding::new("uneven-shares", Severity::Warning, Subject::Fleet).because(
                format!("the busiest server owns {exact:.2} times its share of the key space"),
                match expected {
                    Some((_, _, expected)) => {
                        format!("as many servers with as many points are expected at {expected:.2}: these names fell badly")
                    }
                    None => "the busiest server fills up first, whatever the others hold".to_owned(),
                },
                match checked.scheme.bare() {
                    Scheme::Dialect(Dialect::RedisCluster(_)) => {
                        "`redis-cli --cluster rebalance` evens the slots, with --cluster-use-empty-masters also of a \
                         master that has none"
                    }
                    _ if are_given(checked) => "tokens closer to even; `clockwise ring` shows each server's share",
                    _ => "more points or slots a server; `clockwise ring` shows each server's share",
                },
            );
            Some(finding.figure("busiest ÷ mean", exact, BUSIEST))
        }
        _ => None,
    }
}

/// The setting that says how many points a server has, where there is one.
fn point_setting(checked: &Checked<'_>) -> Subject {
    checked.setting("points_per_weight")
}

/// HAProxy makes the points of a server from its id, and numbers servers by their place unless the
/// file does.
fn ids_by_position(checked: &Checked<'_>) -> Option<Finding> {
    let Scheme::Dialect(Dialect::Haproxy(options)) = checked.scheme.bare() else { return None };
    let from_id = matches!(options.hash_key, haproxy::HashKey::Id | haproxy::HashKey::Id32);
    if options.hash_type.method() != haproxy::Method::Consistent || !from_id {
        return None;
    }
    let servers = checked.servers.servers();
    let unnumbered = |server: &&Server| !options.ids.contains_key(server.name());
    let first = servers.iter().find(unnumbered)?;
    let rest = servers.iter().filter(|server| server.name() != first.name()).cloned();
    let without = checked.scheme.build(&Buckets::new(rest).ok()?).ok()?;
    // Keys of the others: those of the server that leaves have to move.
    let (mut others, mut moved) = (0_u32, 0_u32);
    for index in 0..SAMPLE {
        let key = seeded_key(1, index);
        let before = checked.built.owner(&key).name();
        if before != first.name() {
            others += 1;
            moved += u32::from(before != without.owner(&key).name());
        }
    }
    let share = if others == 0 { 0.0 } else { f64::from(moved) / f64::from(others) };
    if moved == 0 {
        return None;
    }
    let subject = Subject::Server(first.name().clone());
    let finding = Finding::new("ids-by-position", Severity::Warning, subject).because(
        format!(
            "server {} has no `id`, and HAProxy gives it one by its place: without it {:.1}% of the other servers' keys move too",
            first.name(),
            share * 100.0
        ),
        "points are made from ids, so whoever stands behind a server that comes or goes gets another's points",
        "write `id N` on every server, with numbers that are never used again; written as HAProxy numbers them today, no key moves",
    );
    Some(finding.figure("share of the others' keys moved without it", share, None))
}

fn order_matters(checked: &Checked<'_>) -> Option<Finding> {
    if !checked.built.depends_on_order() {
        return None;
    }
    let mut servers = checked.servers.servers().to_vec();
    servers.reverse();
    let turned = checked.scheme.build(&Buckets::new(servers).ok()?).ok()?;
    let moves = (0..SAMPLE).filter(|&index| {
        let key = seeded_key(1, index);
        checked.built.owner(&key).name() != turned.owner(&key).name()
    });
    let share = moves.count() as f64 / SAMPLE as f64;
    let finding = Finding::new("order-matters", Severity::Note, Subject::Fleet).because(
        format!("another order of the list is another placement: turned round, {:.1}% of the keys move", share * 100.0),
        "lists that are sorted, or come from name servers or directories, differ from host to host and from day to day",
        "write the list in one order everywhere and compare `clockwise fingerprint`; add at the end, replace in place",
    );
    Some(finding.figure("share moved by the reversed list", share, None))
}

fn small_table(checked: &Checked<'_>) -> Option<Finding> {
    // What has a table size fills a table by turns; other tables are the map or the list itself.
    checked.settings.get("table_size")?;
    let slots = checked.built.table()?.len() as u64;
    let servers = checked.servers.active().count() as u64;
    let a_server = slots / servers;
    if a_server >= SLOTS_A_SERVER {
        return None;
    }
    let finding = Finding::new("small-table", Severity::Warning, Subject::Setting("table_size")).because(
        format!("{} for {} are {a_server} each", number::counted(slots, "slot"), number::counted(servers, "server")),
        format!("with {SLOTS_A_SERVER} or more slots a server shares are within about 1% of even; with fewer, whole slots are too coarse"),
        format!("take a prime above {}; a new size moves nearly all keys once", grouped(SLOTS_A_SERVER * servers)),
    );
    Some(finding.figure("slots a server", slots as f64 / servers as f64, SLOTS_A_SERVER as f64))
}

fn large_table(checked: &Checked<'_>, ring: Option<&Geometry>) -> Option<Finding> {
    let (count, what) = match ring {
        Some(ring) => (ring.point_counts().iter().map(|&count| u64::from(count)).sum(), "points"),
        // A table size that was asked for is no accident of weights.
        None if checked.settings.get("table_size").is_some() || checked.settings.get("slots").is_some() => {
            return None;
        }
        None => (checked.built.table()?.len() as u64, "buckets"),
    };
    if count <= MANY_POINTS {
        return None;
    }
    let common = checked.servers.active().fold(0, |all, (_, server)| divisor(all, server.weight().get()));
    let heaviest = checked.servers.active().max_by_key(|(_, server)| server.weight())?.1;
    let remedy = match common {
        2.. => format!("divide all weights by {common}: shares stay as they are"),
        _ => "take smaller weights in about the same ratios, or fewer points a weight".to_owned(),
    };
    let finding = Finding::new("large-table", Severity::Warning, Subject::Server(heaviest.name().clone()))
        .because(
            format!("the weights make {} {what}", grouped(count)),
            format!(
                "every client holds them in memory, {} MB and more, and builds them anew at each change",
                grouped(count * 16 / 1_000_000)
            ),
            remedy,
        );
    Some(finding.figure(what, count as f64, MANY_POINTS as f64))
}

/// The greatest common divisor.
fn divisor(mut a: u32, mut b: u32) -> u32 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}
