//! What clients agree on: a placement, its epoch and its fingerprints.
//!
//! Two clients that place keys differently, each sure of itself, are the failure that no single
//! placement can see. So what is handed out is a view: a placement under an epoch that rises with
//! every change, and fingerprints of what it decides. A client that holds one [`admit`]s another
//! only if it is newer.

use alloc::string::ToString;
use core::cmp::Ordering;
use core::fmt;

use crate::error::{Error, Kind};
use crate::fingerprint::Fingerprint;
use crate::placement::Placement;

/// The number of a fleet's state. Each change of the fleet has a larger one; liveness and load
/// change none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch(u64);

impl Epoch {
    /// The epoch of that number.
    pub const fn new(number: u64) -> Epoch {
        Epoch(number)
    }

    /// Its number.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// A placement as it was at one epoch.
#[derive(Clone, Debug)]
pub struct View<P> {
    epoch: Epoch,
    fingerprint: Fingerprint,
    addresses: Fingerprint,
    placement: P,
}

impl<P: Placement> View<P> {
    /// A placement under an epoch. Takes its fingerprints, a few thousand lookups or one pass over
    /// its points.
    pub fn new(epoch: Epoch, placement: P) -> View<P> {
        let layout = placement.measured().and_then(Fingerprint::of_layout);
        let fingerprint = layout.unwrap_or_else(|| Fingerprint::of_probes(&placement));
        let addresses = Fingerprint::of_addresses(placement.servers());
        View { epoch, fingerprint, addresses, placement }
    }
}

impl<P> View<P> {
    /// When it came into force.
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// Of its decisions: of the layout where the scheme has one, else of the probes.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Of the names and addresses of its servers.
    pub fn addresses(&self) -> Fingerprint {
        self.addresses
    }

    /// Who owns what.
    pub fn placement(&self) -> &P {
        &self.placement
    }
}

/// What a client does with a view that it may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It is newer: put it in force.
    Newer,
    /// It is the one in force.
    Unchanged,
}

/// Whether a client that holds `current` may take `offered`.
///
/// Refuses an older epoch ([`Error::is_stale_epoch`]). Refuses the epoch in force with other
/// decisions or other addresses ([`Error::is_split_epoch`]): then two fleets go by one number, and
/// no client can know which is meant.
pub fn admit<P, Q>(current: &View<P>, offered: &View<Q>) -> Result<Admission, Error> {
    let split = |differs: &'static str, offered: Fingerprint, in_force: Fingerprint| {
        let epoch = current.epoch.get();
        let (offered, current) = (offered.to_string(), in_force.to_string());
        Err(Error::new(Kind::SplitEpoch { epoch, differs, offered, current }))
    };
    match offered.epoch.cmp(&current.epoch) {
        Ordering::Greater => Ok(Admission::Newer),
        Ordering::Less => {
            let (offered, current) = (offered.epoch.get(), current.epoch.get());
            Err(Error::new(Kind::StaleEpoch { offered, current }))
        }
        Ordering::Equal if offered.fingerprint != current.fingerprint => {
            split("place keys differently", offered.fingerprint, current.fingerprint)
        }
        Ordering::Equal if offered.addresses != current.addresses => {
            split("reach servers at different addresses", offered.addresses, current.addresses)
        }
        Ordering::Equal => Ok(Admission::Unchanged),
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;
    use crate::hash::Xxh3;
    use crate::members::Buckets;
    use crate::modulo::ModN;
    use crate::ring::Ring;
    use crate::testing::{list, members};

    fn view(epoch: u64, fleet: &[(&str, u32)]) -> View<Ring> {
        View::new(Epoch::new(epoch), Ring::builder(Xxh3).build(&members(fleet)).unwrap())
    }

    const TWO: &[(&str, u32)] = &[("a", 1), ("b", 1)];
    const THREE: &[(&str, u32)] = &[("a", 1), ("b", 1), ("c", 1)];

    #[test]
    fn a_newer_epoch_is_taken_whatever_it_decides() {
        assert_eq!(admit(&view(7, TWO), &view(8, TWO)), Ok(Admission::Newer));
        assert_eq!(admit(&view(7, TWO), &view(u64::MAX, THREE)), Ok(Admission::Newer));
    }

    #[test]
    fn the_view_in_force_changes_nothing() {
        assert_eq!(admit(&view(7, TWO), &view(7, TWO)), Ok(Admission::Unchanged));
    }

    #[test]
    fn an_older_epoch_is_refused_even_if_it_decides_the_same() {
        let error = admit(&view(7, TWO), &view(6, TWO)).unwrap_err();
        assert!(error.is_stale_epoch() && !error.is_split_epoch());
        assert_eq!(format!("{error}"), "epoch 6 is older than 7, the one in force");
    }

    #[test]
    fn one_epoch_with_other_decisions_is_an_error_of_its_own() {
        let (current, offered) = (view(7, TWO), view(7, THREE));
        let error = admit(&current, &offered).unwrap_err();
        assert!(error.is_split_epoch() && !error.is_stale_epoch());
        let text = format!("{error}");
        assert!(text.contains("epoch 7 and place keys differently"), "{text}");
        assert!(text.contains(&format!("{} was offered", offered.fingerprint())), "{text}");
        assert!(text.contains(&format!("{} is in force", current.fingerprint())), "{text}");
        // Another weight is other decisions too, and another scheme.
        assert!(admit(&current, &view(7, &[("a", 1), ("b", 2)])).unwrap_err().is_split_epoch());
        let mod_n = View::new(Epoch::new(7), ModN::new(Xxh3, &list(TWO)).unwrap());
        assert!(admit(&current, &mod_n).unwrap_err().is_split_epoch());
    }

    #[test]
    fn one_epoch_with_other_addresses_is_refused_and_a_newer_one_moves_no_key() {
        let moved = members(TWO).changed("b", |b| b.with_address("10.0.0.9:11211")).unwrap();
        let at = |epoch| View::new(Epoch::new(epoch), Ring::builder(Xxh3).build(&moved).unwrap());
        let current = view(7, TWO);
        let error = admit(&current, &at(7)).unwrap_err();
        assert!(error.is_split_epoch());
        assert!(format!("{error}").contains("reach servers at different addresses"), "{error}");
        assert_eq!(admit(&current, &at(8)), Ok(Admission::Newer));
        assert_eq!(at(8).fingerprint(), current.fingerprint());
    }

    #[test]
    fn a_scheme_without_a_layout_is_known_by_its_probes() {
        let view = View::new(Epoch::default(), ModN::new(Xxh3, &Buckets::from(&members(TWO))).unwrap());
        assert_eq!(view.fingerprint(), Fingerprint::of_probes(view.placement()));
        assert_eq!(view.epoch().get(), 0);
    }
}
