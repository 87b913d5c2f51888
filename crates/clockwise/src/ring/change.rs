//! A ring made from the ring before a change: joins are merged in, and leavers filtered out.
//!
//! The points of a server depend on nothing but its name and weight, so that those of all who stay are
//! there already, in order. What is made so is the ring that [`RingBuilder::build`] makes of the same members,
//! byte for byte, and takes little longer than copying it.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::merge::GONE;
use super::{Ring, RingBuilder};
use crate::error::Error;
use crate::hash::KeyHash;
use crate::members::Members;
use crate::placement::ServerIx;
use crate::server::Server;

impl<H: KeyHash> RingBuilder<'_, H> {
    /// The ring of `members`, which is that of [`build`](RingBuilder::build), made from one of a fleet that
    /// is not much different: after a join or a leave in a fraction of the time.
    ///
    /// Any ring will do. One of other settings or another hash, of points from elsewhere, or of a fleet that has
    /// little in common with this one, is only no help.
    ///
    /// Refuses what `build` refuses.
    ///
    /// ```
    /// use clockwise::hash::Xxh3;
    /// use clockwise::{Members, Ring, Server};
    ///
    /// let members = Members::new([Server::new("a")?, Server::new("b")?])?;
    /// let before = Ring::builder(Xxh3).build(&members)?;
    ///
    /// let members = members.with(Server::new("c")?)?;
    /// let after = Ring::builder(Xxh3).build_after(&before, &members)?;
    /// assert!(after.points().eq(Ring::builder(Xxh3).build(&members)?.points()));
    /// # Ok::<(), clockwise::Error>(())
    /// ```
    pub fn build_after(self, before: &Ring<H>, members: &Members) -> Result<Ring<H>, Error> {
        let total = self.total(members)?;
        let (places, comers) = change(before.servers(), members.servers());
        let points = |(_, server): &(ServerIx, &Server)| {
            server.effective_weight() as usize * self.points_per_weight as usize
        };
        // No more than all points, so this sum does not wrap.
        let more: usize = comers.iter().map(points).sum();
        // Points that come are sorted and then merged, which pays while they are few; and of a ring
        // without points nothing is left to merge with.
        if self.made(before) && more <= total / 4 {
            let more = self.place(comers.into_iter(), more);
            if let Some(circle) = before.inner.circle.changed(&places, &more, members.servers().len()) {
                return Ok(self.finish(members, circle));
            }
        }
        self.build(members)
    }
}

/// The new number of each server that stays with its points, and the servers whose points come.
fn change<'a>(before: &[Server], after: &'a [Server]) -> (Vec<u32>, Vec<(ServerIx, &'a Server)>) {
    let mut places = Vec::with_capacity(before.len());
    let mut comers = Vec::new();
    let mut after = (0..).map(ServerIx::new).zip(after).peekable();
    for server in before {
        // Both stand in order of their names.
        while let Some(comer) = after.next_if(|(_, other)| other.name() < server.name()) {
            comers.push(comer);
        }
        let same = after.next_if(|(_, other)| other.name().cmp(server.name()) == Ordering::Equal);
        places.push(match same {
            Some((ix, other)) if other.effective_weight() == server.effective_weight() => ix.get(),
            _ => GONE,
        });
        // With another weight a server has other points: it goes and comes.
        comers.extend(same.filter(|(_, other)| other.effective_weight() != server.effective_weight()));
    }
    comers.extend(after);
    (places, comers)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::format;
    use std::string::ToString;

    use super::*;
    use crate::hash::{Width, Xxh3, Xxh32};
    use crate::ring::{Boundary, Label, Tie};
    use crate::testing::Random;
    use crate::{Buckets, Fingerprint};

    /// All that a ring answers from.
    fn same<H: KeyHash>(made: &Ring<H>, built: &Ring<H>, context: &str) {
        let (a, b) = (&*made.inner, &*built.inner);
        assert!(a.circle == b.circle, "{context}");
        assert_eq!(a.servers, b.servers, "{context}");
        assert_eq!(
            (a.listed, a.placed, a.last, a.key_bits),
            (b.listed, b.placed, b.last, b.key_bits),
            "{context}"
        );
        assert_eq!((&a.point_counts, &a.collisions), (&b.point_counts, &b.collisions), "{context}");
        assert_eq!(Fingerprint::of_layout(made), Fingerprint::of_layout(built), "{context}");
    }

    /// Few bits, so that points of different servers meet.
    #[derive(Clone, Copy)]
    struct Top(u32, Width);

    impl KeyHash for Top {
        fn width(&self) -> Width {
            self.1
        }
        fn hash(&self, bytes: &[u8]) -> u64 {
            let bits = if self.1 == Width::Bits32 { 32 } else { 64 };
            Xxh3.hash(bytes) >> (64 - self.0) << (bits - self.0)
        }
        fn name(&self) -> Cow<'static, str> {
            format!("top {} {:?}", self.0, self.1).into()
        }
    }

    /// The next of a chain of fleets: joins, leaves, other weights, drains and undrains, several at once.
    fn next(members: &Members, random: &mut Random) -> Members {
        let mut members = members.clone();
        for _ in 0..1 + random.next() % 3 {
            let name = format!("s{}", random.next() % 60);
            let server = Server::new(name.clone()).unwrap().with_weight(1 + random.next() % 3).unwrap();
            let drains = random.next().is_multiple_of(6);
            let server = if drains { server.draining() } else { server };
            let changed = match (members.get(&name), random.next() % 3) {
                (None, _) => members.with(server),
                (Some(_), 0) => members.replaced(&name, server),
                (Some(_), _) => members.without(&name),
            };
            // The last active server cannot go.
            members = changed.unwrap_or(members);
        }
        members
    }

    fn chain<H: KeyHash + Copy>(builder: &RingBuilder<'_, H>, random: &mut Random) {
        let first = (0..20).map(|i| Server::new(format!("s{}", i * 3)).unwrap());
        let mut members = Members::new(first).unwrap();
        let mut ring = builder.clone().build(&members).unwrap();
        for step in 0..30 {
            members = next(&members, random);
            ring = builder.clone().build_after(&ring, &members).unwrap();
            let built = builder.clone().build(&members).unwrap();
            same(&ring, &built, &format!("step {step}, {} servers", members.servers().len()));
        }
    }

    #[test]
    fn a_chain_of_changes_gives_the_rings_that_are_built_anew() {
        let mut random = Random(0x5eed_0030);
        for points in [1, 7, 40] {
            for bits in [5, 11, 32, 64] {
                chain(&Ring::builder(Top(bits, Width::Bits64)).points_per_weight(points), &mut random);
            }
            for bits in [5, 11, 32] {
                chain(&Ring::builder(Top(bits, Width::Bits32)).points_per_weight(points), &mut random);
            }
        }
        chain(&Ring::builder(Xxh3).label(Label::Joined("-")), &mut random);
        chain(&Ring::builder(Xxh32).label(Label::Between("node-", "#")), &mut random);
    }

    #[test]
    fn a_join_and_a_leave_of_one_server_are_merged_and_not_built() {
        let server = |i: u32| Server::new(format!("s{i:03}")).unwrap();
        let members = Members::new((0..64).map(|i| server(i * 2))).unwrap();
        let before = Ring::builder(Xxh3).build(&members).unwrap();
        let joined = members.with(server(63)).unwrap();
        let (places, comers) = change(members.servers(), joined.servers());
        assert_eq!(
            comers.iter().map(|(ix, server)| (ix.get(), server.name().to_string())).collect::<Vec<_>>(),
            [(32, "s063".to_string())]
        );
        assert!(places.iter().enumerate().all(|(at, &place)| place as usize == at + usize::from(at >= 32)));
        let after = Ring::builder(Xxh3).build_after(&before, &joined).unwrap();
        same(&after, &Ring::builder(Xxh3).build(&joined).unwrap(), "join");
        same(&Ring::builder(Xxh3).build_after(&after, &members).unwrap(), &before, "leave");
        assert_eq!(change(joined.servers(), members.servers()).0[32], GONE);
    }

    /// Points few and far between, several in a line, on lines without a point, at the ends of the circle.
    #[test]
    fn joins_one_after_another_change_no_line_but_their_own() {
        for (points, bits) in [(1, 64), (3, 64), (1, 9), (2, 6), (1, 2)] {
            let builder = Ring::builder(Top(bits, Width::Bits64)).points_per_weight(points);
            let server = |i: u32| Server::new(format!("s{:03}", i * 7 % 401)).unwrap();
            let mut members = Members::new((0..300).map(server)).unwrap();
            let mut ring = builder.clone().build(&members).unwrap();
            for i in 300..360 {
                members = members.with(server(i)).unwrap();
                ring = builder.clone().build_after(&ring, &members).unwrap();
                let built = builder.clone().build(&members).unwrap();
                same(&ring, &built, &format!("{points} points, {bits} bits, {i} servers"));
            }
        }
    }

    /// Another recipe, another hash, points from elsewhere: silently built anew.
    #[test]
    fn a_ring_that_is_no_help_changes_nothing() {
        let members = Members::new((0..20).map(|i| Server::new(format!("s{i}")).unwrap())).unwrap();
        let joined = members.with(Server::new("t").unwrap()).unwrap();
        let expected = Ring::builder(Xxh3).build(&joined).unwrap();
        let label = Label::Joined("-");
        for before in [
            Ring::builder(Xxh3).points_per_weight(40).build(&members),
            Ring::builder(Xxh3).label(label).build(&members),
            Ring::from_points(
                Xxh3,
                &Buckets::new(members.servers().iter().rev().cloned()).unwrap(),
                Vec::from([(7, ServerIx::new(3))]),
                Boundary::After,
                Tie::Last,
            ),
            Ring::builder(Xxh3).build(&Members::new([Server::new("elsewhere").unwrap()]).unwrap()),
        ] {
            same(&Ring::builder(Xxh3).build_after(&before.unwrap(), &joined).unwrap(), &expected, "other");
        }
        let [two, three] =
            [2, 3].map(|bits| Ring::builder(Top(bits, Width::Bits64)).build(&members).unwrap());
        let made = Ring::builder(Top(3, Width::Bits64)).build_after(&two, &members).unwrap();
        same(&made, &three, "a hash of another name");
    }

    /// Indices grow from 16 bits to more between these two fleets.
    #[test]
    fn the_form_of_points_changes_with_the_size_of_the_fleet() {
        let members = Members::new((0..65_536).map(|i| Server::new(format!("s{i:05}")).unwrap())).unwrap();
        let joined = members.with(Server::new("s00000a").unwrap()).unwrap();
        let build = |members: &Members| Ring::builder(Xxh3).points_per_weight(1).build(members).unwrap();
        let after = |before: &Ring, members| {
            Ring::builder(Xxh3).points_per_weight(1).build_after(before, members).unwrap()
        };
        let (small, large) = (build(&members), build(&joined));
        let fewer = members.without("s00000").unwrap();
        same(&after(&build(&fewer), &members), &small, "to 65,536");
        same(&after(&small, &joined), &large, "to 65,537");
        same(&after(&large, &members), &small, "to 65,536");
        let another = joined.with(Server::new("s30000a").unwrap()).unwrap();
        same(&after(&large, &another), &build(&another), "to 65,538");
        same(&after(&build(&another), &joined), &large, "to 65,537 again");
    }

    /// Most of a large fleet drain, so that there are few points: alone in their bucket, several, and more than a
    /// line has.
    #[test]
    fn joins_to_a_large_fleet_change_no_line_but_their_own() {
        let name = |i: u32| format!("s{:05}", i * 7 % 70_001);
        let drained = (300..65_540).map(|i| Server::new(name(i)).unwrap().draining());
        let servers = (0..300).map(|i| Server::new(name(i)).unwrap()).chain(drained);
        let members = Members::new(servers).unwrap();
        for (points, bits) in [(1, 64), (3, 64), (2, 6)] {
            let builder = Ring::builder(Top(bits, Width::Bits64)).points_per_weight(points);
            let mut members = members.clone();
            let mut ring = builder.clone().build(&members).unwrap();
            for i in 0..6 {
                members = members.with(Server::new(name(66_000 + i * 3)).unwrap()).unwrap();
                ring = builder.clone().build_after(&ring, &members).unwrap();
                let built = builder.clone().build(&members).unwrap();
                same(&ring, &built, &format!("{points} points, {bits} bits, join {i}"));
            }
        }
    }
}
