//! Knobs that several kernels take, each in one place, and what a setting has to fit into beside the
//! bounds of each knob.

use clockwise::{Buckets, Cap, Scheme, Server};
use clockwise_config::Settings;

use super::{Knob, Values};
use crate::experiment::Setting;

/// How many servers there are before the change.
pub(super) const fn servers(least: u64, most: u64) -> Knob {
    Knob { name: "servers", label: "servers", values: Values::Whole(least, most), draws: true }
}

/// Points of each server.
pub(super) const fn points(most: u64) -> Knob {
    Knob { name: "points", label: "points a server", values: Values::Whole(1, most), draws: true }
}

/// Keys, as a multiple of the servers.
pub(super) const fn keys_per_server(most: u64) -> Knob {
    Knob { name: "keys_per_server", label: "keys a server", values: Values::Whole(1, most), draws: true }
}

/// Servers that hold each key.
pub(super) const fn replicas(most: u64) -> Knob {
    Knob { name: "replicas", label: "copies of a key", values: Values::Whole(1, most), draws: false }
}

/// The cap on load, as what it allows above the mean.
pub(super) const EPSILON: Knob =
    Knob { name: "epsilon", label: "ε, cap over the mean", values: Values::Cap, draws: false };

/// A scheme of the library, or a dialect with its settings. `compared` in a file is every one of
/// [`Scheme::compared`]: what joins that list joins the tables.
pub(super) const SCHEME: Knob =
    Knob { name: "scheme", label: "scheme", values: Values::Schemes, draws: false };

/// The cap of a setting, exactly as its ε is written.
pub(super) fn cap(setting: &Setting) -> Result<Cap, String> {
    setting.number("epsilon").to_string().parse().map_err(|error: clockwise::Error| error.to_string())
}

/// The scheme of a setting.
pub(super) fn scheme(setting: &Setting) -> Result<Scheme, String> {
    let scheme = setting.text("scheme").parse::<Settings>().and_then(|settings| settings.scheme());
    scheme.map_err(|error| error.without_places())
}

/// A scheme with a number of slots or of places has room for all servers and the newcomers; and its settings
/// are such that it could be built at all.
pub(super) fn room(setting: &Setting, newcomers: u64) -> Result<(), String> {
    let servers = setting.whole("servers") + newcomers;
    let scheme = scheme(setting)?;
    let room = match scheme.bare() {
        Scheme::Catalogued(chosen) => {
            chosen.number().filter(|(number, _)| number.key == "capacity").map(|(_, room)| room)
        }
        Scheme::Maglev { table_size, .. } => Some(*table_size),
        Scheme::Slots { slots, .. } => Some(u64::from(*slots)),
        // A system may refuse names, and which a run gives its servers is not known here.
        Scheme::Dialect(_) => return Ok(()),
        _ => None,
    };
    if let Some(room) = room.filter(|&room| servers > room) {
        return Err(format!("{servers} servers are more than the {room} there is room for"));
    }
    let alone = Server::new("alone").and_then(|server| Buckets::new([server]));
    match alone.and_then(|alone| scheme.build(&alone)) {
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// Nothing but the bounds of the knobs.
pub(super) fn any(_: &Setting) -> Result<(), String> {
    Ok(())
}

/// What two knobs make together, at most so much: the memory that a run may take.
pub(super) fn product(setting: &Setting, knobs: [&str; 2], what: &str, most: u64) -> Result<u64, String> {
    let [first, second] = knobs.map(|knob| setting.whole(knob));
    match first.saturating_mul(second) {
        all if all <= most => Ok(all),
        all => Err(format!("{all} {what} are more than the {most} that a run can have")),
    }
}

/// Copies of a key are on servers of their own.
pub(super) fn copies(setting: &Setting) -> Result<(), String> {
    let (copies, servers) = (setting.whole("replicas"), setting.whole("servers"));
    if copies > servers {
        return Err(format!("{copies} copies of a key have no room on {servers} servers"));
    }
    Ok(())
}

/// Bounded loads that are held one key by one, with named servers and their points.
pub(super) fn held(setting: &Setting) -> Result<(), String> {
    product(setting, ["servers", "keys_per_server"], "keys", 20_000_000)?;
    product(setting, ["servers", "points"], "points", 10_000_000)?;
    Ok(())
}
