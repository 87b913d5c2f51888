//! What to do about a plan, where something can be done.

use std::collections::HashSet;

use clockwise::{Built, Fingerprint, Placement as _, Server};
use clockwise_config::{Kind, Pool};
use clockwise_study::Change;
use clockwise_study::check::same_machines;
use clockwise_study::plan::Report;

use super::{Document, Goal};

/// One sentence or two for each thing worth knowing.
pub(super) fn hints(pool: &Pool, goal: &Goal, document: &Document, report: &Report) -> Vec<String> {
    let own_scheme = if pool.scheme() == &goal.fleet.scheme {
        position_decides(document, report).or_else(|| name_decides(pool, goal, document, report))
    } else {
        another_scheme(document)
    };
    own_scheme.into_iter().chain(address_is_the_name(pool, goal)).chain(same_machine(report)).collect()
}

/// Two files may differ in more than their servers.
fn another_scheme(document: &Document) -> Option<String> {
    let (before, after) = (&document.scheme.before, &document.scheme.after);
    let what = match before == after {
        true => format!("The settings of {before} change"),
        false => format!("The scheme changes from {before} to {after}"),
    };
    (document.moved > 0)
        .then(|| format!("{what}, and that alone moves keys, whatever becomes of the servers."))
}

/// Schemes of a list move far more than they must when a server is taken out of it.
fn position_decides(document: &Document, report: &Report) -> Option<String> {
    let (before, after) = (&report.before, &report.after);
    let by_index = |side: &Built| side.depends_on_order() && side.ring().is_none();
    let much_is_stray = document.stray as f64 > 0.01 * document.keys as f64;
    if !by_index(before) || !much_is_stray {
        return None;
    }
    let listed = |side: &Built, server: &Server| side.servers().iter().any(|s| s.name() == server.name());
    let scheme = &document.scheme.before;
    let (was, is) = (before.servers().len(), after.servers().len());
    if was == is && before.servers().iter().all(|server| listed(after, server)) {
        let same = before.servers().iter().zip(after.servers()).all(|(a, b)| a.name() == b.name());
        return (!same).then(|| {
            format!("The servers are the same in another order, and {scheme} places keys by a server's position in the list.")
        });
    }
    (is < was).then(|| {
        format!(
            "{scheme} places keys by the length of the list and a server's position in it. Put a spare in the place of \
             the one that goes (--replace OLD=NEW[=ADDR]), and only its own keys move; or keep it listed as down until \
             there is one."
        )
    })
}

/// Schemes of names need not move a key when another machine takes a server's place.
fn name_decides(pool: &Pool, goal: &Goal, document: &Document, report: &Report) -> Option<String> {
    let (old, new, address) = goal.typed.iter().find_map(|typed| match &typed.change {
        Change::Replace { old, new, address } => Some((old, new, address)),
        _ => None,
    })?;
    // Some systems call a server by its address: whether the advice holds, the placement tells.
    let kept = Change::Address(old.clone(), address.clone()).apply(pool.servers()).ok()?;
    let kept = goal.fleet.scheme.build_after(&report.before, &kept).ok()?;
    let holds = Fingerprint::of_probes(&kept) == Fingerprint::of_probes(&report.before);
    (holds && document.stray > 0).then(|| {
        format!(
            "Keys follow a server's name, not its address. If {new} is to take over from {old}, leave the name and change \
             the address alone (--address {old}={address}): then no key moves for it."
        )
    })
}

/// In a twemproxy file a server without a name is called by its address, which the change takes away.
fn address_is_the_name(pool: &Pool, goal: &Goal) -> Option<String> {
    if pool.kind() != Kind::Twemproxy {
        return None;
    }
    goal.typed.iter().find_map(|typed| {
        let Change::Address(name, address) = &typed.change else { return None };
        let was = pool.servers().get(name.as_str())?.address();
        let unnamed = name.as_str() == was.as_str() || name.as_str() == was.host();
        unnamed.then(|| {
            format!(
                "{name} has no name but its address. In the file, name it so behind its new one \
                 (- {address}:WEIGHT {name}), or its keys move."
            )
        })
    })
}

/// A line that was copied and kept its address: the plan looks as good as any other.
fn same_machine(report: &Report) -> Option<String> {
    let names = |[one, other]: &[&Server; 2]| [one.name().clone(), other.name().clone()];
    let known: HashSet<_> = same_machines(report.before.servers()).iter().map(names).collect();
    let after = same_machines(report.after.servers());
    let [one, other] = after.iter().find(|twins| !known.contains(&names(twins)))?;
    Some(format!(
        "{} and {} are one machine after the change, at {}: it owns two shares of the keys, and both are lost when it \
         fails. Was another address meant?",
        one.name(),
        other.name(),
        other.address()
    ))
}
