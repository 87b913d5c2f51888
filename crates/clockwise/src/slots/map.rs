//! The map from slots to servers, and how it is made and changed.

use alloc::collections::BTreeMap;
use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::fmt;

use super::SlotRanges;
use crate::error::{Error, Kind};
use crate::members::Members;
use crate::placement::{ServerIx, Table};
use crate::server::{Server, ServerName};

/// The most slots a map may have: 2²⁴ (16,777,216).
pub const MAX_SLOTS: u32 = 1 << 24;

/// Which server owns which slot: complete, or not built.
///
/// Nothing about it follows from the servers alone. It begins as somebody dealt it
/// ([`even`](SlotMap::even)) or wrote it down ([`builder`](SlotMap::builder)), and changes by
/// planned moves ([`assigned`](SlotMap::assigned), [`rebalanced`](SlotMap::rebalanced)), each of which
/// gives a new map. Clones share it.
///
/// ```
/// use clockwise::slots::SlotMap;
/// use clockwise::{Members, Server};
///
/// let members = Members::new([Server::new("a")?, Server::new("b")?, Server::new("c")?])?;
/// let map = SlotMap::builder(&members, 16_384)?
///     .assign(0..=5_460, "a")?
///     .assign(5_461..=10_922, "b")?
///     .assign(10_923..=16_383, "c")?
///     .build()?;
/// let planned = map.assigned(0..100, "c")?;
/// assert_eq!(planned.owner(99).map(|server| server.name().as_str()), Some("c"));
///
/// let error = map.assigned(16_380..=16_384, "b").unwrap_err();
/// assert_eq!(error.to_string(), "server \"b\": slot 16384 is outside 0..16384");
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SlotMap {
    servers: Arc<[Server]>,
    owners: Arc<[ServerIx]>,
}

impl SlotMap {
    /// A map of so many slots, to be written down range by range. Refuses 0 slots and more than
    /// [`MAX_SLOTS`].
    pub fn builder(members: &Members, slots: u32) -> Result<SlotMapBuilder, Error> {
        if slots == 0 || slots > MAX_SLOTS {
            return Err(Error::new(Kind::Option {
                name: "slot count",
                value: slots.to_string(),
                problem: "is not between 1 and 16777216",
            }));
        }
        Ok(SlotMapBuilder { members: members.clone(), owners: alloc::vec![None; slots as usize] })
    }

    /// A first map: each server, in bytewise order of the names, gets a run of slots in proportion
    /// to its weight.
    ///
    /// Its quota is the whole part of slots × weight ⁄ total weight; the slots left over go one
    /// each to the largest remainders, of equal ones to the smaller name. A quota may be 0 where
    /// weights are far apart (see [`slotless`](SlotMap::slotless)). Refuses more active servers than
    /// slots, and what [`builder`](SlotMap::builder) refuses.
    pub fn even(members: &Members, slots: u32) -> Result<SlotMap, Error> {
        let mut builder = SlotMap::builder(members, slots)?;
        let quotas = quotas(members, slots, &alloc::vec![0; members.servers().len()])?;
        let owners = (0..).map(ServerIx::new).zip(quotas);
        let runs = owners.flat_map(|(owner, quota)| core::iter::repeat_n(owner, quota as usize));
        for (slot, owner) in builder.owners.iter_mut().zip(runs) {
            *slot = Some(owner);
        }
        builder.build()
    }

    /// A map that is written down as the slots of each server. Those of servers that are not in the
    /// fleet are passed over, so that they have no owner.
    ///
    /// Refuses slots without an owner (the error says how many, and the first of them), slots that two
    /// servers have, that do not exist, or that a draining server has, and what
    /// [`builder`](SlotMap::builder) refuses.
    ///
    /// ```
    /// use clockwise::slots::{SlotMap, SlotRanges};
    /// use clockwise::{Members, Server, ServerName};
    ///
    /// let members = Members::new([Server::new("a")?, Server::new("b")?])?;
    /// let slots = |text: &str| text.parse::<SlotRanges>();
    /// let mut written = [("a".parse::<ServerName>()?, slots("0-3,6")?)].into();
    /// let error = SlotMap::of_ranges(&members, 8, &written).unwrap_err();
    /// assert_eq!(error.to_string(), "3 of 8 slots have no owner, the first of them 4-5");
    /// written.insert("b".parse()?, slots("4-5,7")?);
    /// assert_eq!(SlotMap::of_ranges(&members, 8, &written)?.ranges(), written);
    /// # Ok::<(), clockwise::Error>(())
    /// ```
    pub fn of_ranges(
        members: &Members,
        slots: u32,
        ranges: &BTreeMap<ServerName, SlotRanges>,
    ) -> Result<SlotMap, Error> {
        let mut map = SlotMap::builder(members, slots)?;
        for (name, ranges) in ranges {
            if members.get(name.as_str()).is_some() {
                map = map.assign(ranges.slots(), name.as_str())?;
            }
        }
        map.build()
    }

    /// The map as it is written down: the slots of each server that has any.
    pub fn ranges(&self) -> BTreeMap<ServerName, SlotRanges> {
        let mut ranges: BTreeMap<ServerName, Vec<(u32, u32)>> = BTreeMap::new();
        let mut first = 0;
        for run in self.owners.chunk_by(|a, b| a == b) {
            let name = self.servers[run[0].index()].name().clone();
            let end = first + run.len() as u32;
            ranges.entry(name).or_default().push((first, end - 1));
            first = end;
        }
        ranges.into_iter().map(|(name, runs)| (name, SlotRanges::of_runs(runs))).collect()
    }

    /// The map with some slots given to one server. Refuses slots that do not exist, and servers
    /// that do not or that drain.
    pub fn assigned(&self, slots: impl IntoIterator<Item = u32>, server: &str) -> Result<SlotMap, Error> {
        let to = find(&self.servers, server)?;
        let mut owners = self.owners.to_vec();
        for slot in slots {
            *slot_mut(&mut owners, slot, &self.servers[to.index()])? = to;
        }
        Ok(SlotMap { servers: self.servers.clone(), owners: owners.into() })
    }

    /// The map with slots given to active servers of its own.
    pub(crate) fn moved(&self, moves: impl Iterator<Item = (u32, ServerIx)>) -> SlotMap {
        let mut owners = self.owners.to_vec();
        for (slot, to) in moves {
            owners[slot as usize] = to;
        }
        SlotMap { servers: self.servers.clone(), owners: owners.into() }
    }

    /// The same owners over a fleet that changed otherwise: addresses, weights, new servers (which
    /// own nothing yet). Refuses a fleet in which a server that has slots is missing or drains.
    pub fn over(&self, members: &Members) -> Result<SlotMap, Error> {
        let new = self.renumbered(members);
        let owners = self.owners.iter().zip(0..).map(|(owner, slot)| {
            let name = self.servers[owner.index()].name().as_str();
            new[owner.index()].ok_or_else(|| match members.get(name) {
                Some(server) => draining(slot, server),
                None => Error::new(Kind::Unknown { name: name.to_string() }),
            })
        });
        Ok(SlotMap { servers: members.shared(), owners: owners.collect::<Result<Vec<_>, _>>()?.into() })
    }

    /// The map over a changed fleet with the fewest moves that give every server its quota.
    ///
    /// Quotas are those of [`even`](SlotMap::even), except that of equal remainders those go first
    /// whose servers have the slot already. A server that left or drains gives up all its slots, one
    /// above its quota its lowest; they go, in ascending order, to the servers below their quotas, in
    /// order of the names, each filled before the next. Refuses more active servers than slots.
    pub fn rebalanced(&self, members: &Members) -> Result<SlotMap, Error> {
        let new = self.renumbered(members);
        let mut owners: Vec<Option<ServerIx>> = self.owners.iter().map(|owner| new[owner.index()]).collect();
        let mut has = alloc::vec![0_u32; members.servers().len()];
        for owner in owners.iter().flatten() {
            has[owner.index()] += 1;
        }
        let quotas = quotas(members, self.slots(), &has)?;
        for slot in &mut owners {
            if let Some(owner) = *slot
                && has[owner.index()] > quotas[owner.index()]
            {
                has[owner.index()] -= 1;
                *slot = None;
            }
        }
        let missing = has.iter().zip(&quotas).map(|(has, quota)| quota - has);
        let takers = (0..).map(ServerIx::new).zip(missing);
        let mut takers = takers.flat_map(|(taker, count)| core::iter::repeat_n(taker, count as usize));
        for slot in owners.iter_mut().filter(|slot| slot.is_none()) {
            *slot = takers.next();
        }
        SlotMapBuilder { members: members.clone(), owners }.build()
    }

    /// How many slots there are.
    pub fn slots(&self) -> u32 {
        self.owners.len() as u32
    }

    /// The owner of each slot.
    pub fn owners(&self) -> &[ServerIx] {
        &self.owners
    }

    /// The same as a table, which shares them.
    pub(crate) fn table(&self) -> Table {
        Table::wide(self.owners.clone())
    }

    /// The owner of a slot; none if there is no such slot.
    pub fn owner(&self, slot: u32) -> Option<&Server> {
        self.owners.get(slot as usize).map(|owner| &self.servers[owner.index()])
    }

    /// The servers, draining ones included, in bytewise order of their names.
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }

    /// Where the server of that name stands.
    pub fn index_of(&self, name: &str) -> Option<ServerIx> {
        find(&self.servers, name).ok()
    }

    /// How many slots each server has, by [`ServerIx`].
    pub fn slot_counts(&self) -> Vec<u32> {
        let mut counts = alloc::vec![0; self.servers.len()];
        for owner in &*self.owners {
            counts[owner.index()] += 1;
        }
        counts
    }

    /// Active servers without a single slot: they own nothing, whatever their weight says.
    pub fn slotless(&self) -> impl Iterator<Item = &Server> {
        let counted = self.servers.iter().zip(self.slot_counts());
        counted.filter(|(server, count)| *count == 0 && !server.is_draining()).map(|(server, _)| server)
    }

    /// Where each server stands in another fleet, if it is active there.
    fn renumbered(&self, members: &Members) -> Vec<Option<ServerIx>> {
        let active = |ix: &ServerIx| !members.servers()[ix.index()].is_draining();
        self.servers.iter().map(|s| members.index_of(s.name().as_str()).filter(active)).collect()
    }
}

impl fmt::Debug for SlotMap {
    /// The runs of slots: `{0..=5460: "a", 5461..=16383: "b"}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        let mut first = 0;
        for run in self.owners.chunk_by(|a, b| a == b) {
            let end = first + run.len();
            map.entry(&(first..=end - 1), self.servers[run[0].index()].name());
            first = end;
        }
        map.finish()
    }
}

/// A map that is being written down; made by [`SlotMap::builder`].
#[derive(Clone)]
pub struct SlotMapBuilder {
    members: Members,
    owners: Vec<Option<ServerIx>>,
}

impl SlotMapBuilder {
    /// Gives slots to a server. Refuses slots that do not exist or are given already, and servers
    /// that do not exist or that drain; the error names server and slot.
    pub fn assign(mut self, slots: impl IntoIterator<Item = u32>, server: &str) -> Result<Self, Error> {
        let servers = self.members.servers();
        let to = find(servers, server)?;
        for slot in slots {
            let owner = slot_mut(&mut self.owners, slot, &servers[to.index()])?;
            if let Some(first) = owner {
                let owner = servers[first.index()].name().to_string();
                return Err(Error::new(Kind::SlotTaken { slot, owner }).of_server(server));
            }
            *owner = Some(to);
        }
        Ok(self)
    }

    /// The map, if every slot has an owner; else the error says how many have none, and the first
    /// range of them.
    pub fn build(self) -> Result<SlotMap, Error> {
        let slots = self.owners.len();
        let complete: Vec<ServerIx> = self.owners.iter().copied().flatten().collect();
        match self.owners.iter().position(Option::is_none) {
            None => Ok(SlotMap { servers: self.members.shared(), owners: complete.into() }),
            Some(first) => {
                let run = self.owners[first..].iter().take_while(|owner| owner.is_none()).count();
                let (last, missing) = (first + run - 1, slots - complete.len());
                Err(Error::new(Kind::SlotsUnassigned { first, last, missing, slots }))
            }
        }
    }
}

impl fmt::Debug for SlotMapBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given = self.owners.iter().flatten().count();
        f.debug_struct("SlotMapBuilder").field("slots", &self.owners.len()).field("given", &given).finish()
    }
}

fn find(servers: &[Server], name: &str) -> Result<ServerIx, Error> {
    match servers.binary_search_by(|server| server.name().as_str().cmp(name)) {
        Ok(at) => Ok(ServerIx::from_usize(at)),
        Err(_) => Err(Error::new(Kind::Unknown { name: name.to_string() })),
    }
}

/// The place of a slot that is given to a server.
fn slot_mut<'a, T>(owners: &'a mut [T], slot: u32, to: &Server) -> Result<&'a mut T, Error> {
    if to.is_draining() {
        return Err(draining(slot, to));
    }
    let slots = owners.len();
    owners.get_mut(slot as usize).ok_or_else(|| {
        Error::new(Kind::SlotOutOfRange { slot: slot.into(), slots }).of_server(to.name().as_str())
    })
}

fn draining(slot: u32, server: &Server) -> Error {
    let problem = "cannot be given to a draining server, which owns nothing";
    Error::new(Kind::Option { name: "slot", value: slot.to_string(), problem })
        .of_server(server.name().as_str())
}

/// How many slots each server should have, by weight and largest remainder, given what it has.
fn quotas(members: &Members, slots: u32, has: &[u32]) -> Result<Vec<u32>, Error> {
    let active = members.active().count();
    if active > slots as usize {
        return Err(Error::new(Kind::MoreServersThanSlots { servers: active, slots: slots as usize }));
    }
    let total = members.total_weight();
    let mut quotas = Vec::with_capacity(members.servers().len());
    let mut remainders = Vec::with_capacity(active);
    let mut left = slots;
    for (at, server) in members.servers().iter().enumerate() {
        // At most 2²⁴ × 2³².
        let share = u64::from(slots) * u64::from(server.effective_weight());
        let quota = (share / total) as u32;
        quotas.push(quota);
        left -= quota;
        remainders.push((Reverse(share % total), has[at] <= quota, at));
    }
    remainders.sort_unstable();
    // Fewer are left than have a remainder, so none goes to a server that drains.
    for &(_, _, at) in &remainders[..left as usize] {
        quotas[at] += 1;
    }
    Ok(quotas)
}
