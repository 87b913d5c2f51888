//! Which servers of two fleets are the same machine.
//!
//! By name where the names are equal; else by address, written the same way or not: clients that
//! know addresses only call a server by them, and a port that one list leaves out is the one that the
//! other writes. A match must be the only one possible, or the servers stay apart.

use std::collections::{BTreeMap, HashMap};

use clockwise::{Layout, Measured, Placement, Server, ServerIx, ServerName, Share};

use crate::address::Reached;

/// One number a machine, for two fleets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// By machine: what it is called. As in the first fleet, if it is there.
    names: Vec<ServerName>,
    /// By position in the first fleet.
    first: Vec<u32>,
    /// By position in the second.
    second: Vec<u32>,
}

/// What a round goes by.
type Text = fn(&Server) -> String;

/// What tells servers of one such text apart where both sides write it.
type Port = fn(&Server) -> Option<u16>;

/// The servers of one text on one side.
#[derive(Default)]
struct Group {
    all: Vec<usize>,
    by_port: HashMap<Option<u16>, Vec<usize>>,
}

impl Group {
    fn push(&mut self, at: usize, port: Option<u16>) {
        self.all.push(at);
        self.by_port.entry(port).or_default().push(at);
    }

    /// The only one that can be a server at this port of the other side. A port that is left out may be
    /// any.
    fn only(&self, port: Option<u16>) -> Option<usize> {
        let none = &[][..];
        let at = |port| self.by_port.get(&port).map_or(none, Vec::as_slice);
        let (same, open) = if port.is_none() { (&self.all[..], none) } else { (at(port), at(None)) };
        match (same, open) {
            ([one], []) | ([], [one]) => Some(*one),
            _ => None,
        }
    }
}

impl Pairing {
    /// Matches two lists.
    pub fn new(first: &[Server], second: &[Server]) -> Pairing {
        let mut partner: Vec<Option<usize>> = vec![None; second.len()];
        let mut taken = vec![false; first.len()];
        let rounds: [(Text, Port); 3] = [
            (|server| server.name().to_string(), |_| None),
            (|server| server.address().to_string(), |_| None),
            // Of one host there may be servers at several ports: then the port tells.
            (|server| Reached::new(server.address()).host, |server| Reached::new(server.address()).port),
        ];
        for (text, port) in rounds {
            let mut groups: BTreeMap<String, (Group, Group)> = BTreeMap::new();
            for (at, server) in first.iter().enumerate().filter(|(at, _)| !taken[*at]) {
                groups.entry(text(server)).or_default().0.push(at, port(server));
            }
            for (at, server) in second.iter().enumerate().filter(|(at, _)| partner[*at].is_none()) {
                groups.entry(text(server)).or_default().1.push(at, port(server));
            }
            for (ones, others) in groups.into_values() {
                for &other in &others.all {
                    let Some(one) = ones.only(port(&second[other])) else { continue };
                    if others.only(port(&first[one])) == Some(other) {
                        taken[one] = true;
                        partner[other] = Some(one);
                    }
                }
            }
        }
        let mut names: Vec<ServerName> = first.iter().map(|server| server.name().clone()).collect();
        let second = (second.iter().zip(partner))
            .map(|(server, partner)| {
                let machine = partner.unwrap_or(names.len());
                if machine == names.len() {
                    names.push(server.name().clone());
                }
                machine as u32
            })
            .collect();
        Pairing { first: (0..first.len() as u32).collect(), names, second }
    }

    /// How many machines there are in all.
    pub fn machines(&self) -> usize {
        self.names.len()
    }

    /// What a machine is called: as in the first fleet if it is there.
    pub fn name(&self, machine: u32) -> &ServerName {
        &self.names[machine as usize]
    }

    /// The machines of the first list, in its order.
    pub fn first(&self) -> &[u32] {
        &self.first
    }

    /// The machines of the second list, in its order.
    pub fn second(&self) -> &[u32] {
        &self.second
    }

    /// The same with the fleets exchanged. What machines are called stays.
    pub fn turned(&self) -> Pairing {
        Pairing { names: self.names.clone(), first: self.second.clone(), second: self.first.clone() }
    }

    /// A placement of the second fleet with its servers called as in the first, so that what counts
    /// by name counts by machine. `list` is the list that it was built of.
    pub fn renamed<'a, P: Placement>(&self, placement: &'a P, list: &[Server]) -> Renamed<'a, P> {
        let by_name: BTreeMap<&ServerName, u32> =
            list.iter().map(Server::name).zip(self.second.iter().copied()).collect();
        let servers = (placement.servers().iter())
            .map(|server| match by_name.get(server.name()) {
                Some(&machine) => server.clone().with_name(self.name(machine).clone()),
                None => server.clone(),
            })
            .collect();
        Renamed { placement, servers }
    }
}

/// A placement whose servers go by other names.
pub struct Renamed<'a, P> {
    placement: &'a P,
    servers: Vec<Server>,
}

impl<P: Placement> Placement for Renamed<'_, P> {
    fn servers(&self) -> &[Server] {
        &self.servers
    }
    fn owner_ix(&self, key: &[u8]) -> ServerIx {
        self.placement.owner_ix(key)
    }
    fn owners_of(&self, keys: &[&[u8]], owners: &mut [ServerIx]) {
        self.placement.owners_of(keys, owners);
    }
    fn depends_on_order(&self) -> bool {
        self.placement.depends_on_order()
    }
    fn measured(&self) -> Option<&dyn Measured> {
        self.placement.measured().map(|_| self as &dyn Measured)
    }
}

impl<P: Placement> Measured for Renamed<'_, P> {
    fn shares(&self) -> Vec<Share> {
        self.placement.measured().map(Measured::shares).unwrap_or_default()
    }
    fn layout(&self) -> Option<Layout<'_>> {
        self.placement.measured()?.layout()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn servers(list: &[(&str, &str)]) -> Vec<Server> {
        list.iter()
            .map(|(name, address)| Server::new(*name).unwrap().with_address(*address).unwrap())
            .collect()
    }

    /// Positions of the second list's servers in the first; −1 for those that are not there.
    fn partners(first: &[(&str, &str)], second: &[(&str, &str)]) -> Vec<i64> {
        let pairing = Pairing::new(&servers(first), &servers(second));
        let there = |&machine: &u32| if (machine as usize) < first.len() { i64::from(machine) } else { -1 };
        pairing.second().iter().map(there).collect()
    }

    #[test]
    fn names_come_before_addresses() {
        let first = [("a", "10.0.0.1:1"), ("b", "10.0.0.2:1")];
        assert_eq!(partners(&first, &[("b", "10.0.0.1:1"), ("a", "10.0.0.2:1")]), [1, 0]);
        assert_eq!(partners(&first, &[("x", "10.0.0.2:1"), ("y", "10.0.0.3:1")]), [1, -1]);
        let pairing = Pairing::new(&servers(&first), &servers(&[("x", "10.0.0.2:1"), ("y", "10.0.0.3:1")]));
        let names: Vec<&str> = pairing.second().iter().map(|&m| pairing.name(m).as_str()).collect();
        assert_eq!((names, pairing.machines()), (vec!["b", "y"], 3));
    }

    #[test]
    fn an_address_may_leave_its_port_out_and_be_spelled_differently() {
        let first = [("a", "10.0.0.1:11211"), ("b", "[2001:db8::1]:11211"), ("c", "Cache.Example.com:7")];
        let second = [("2001:db8:0:0::1", "2001:db8:0:0::1"), ("cache.example.com", "cache.example.com")];
        assert_eq!(partners(&first, &second), [1, 2]);
        assert_eq!(partners(&first, &[("10.0.0.1", "10.0.0.1")]), [0]);
        // Another port is another server.
        assert_eq!(partners(&first, &[("x", "10.0.0.1:11212")]), [-1]);
    }

    #[test]
    fn what_could_be_two_servers_is_neither() {
        let ports = [("a", "10.0.0.1:1"), ("b", "10.0.0.1:2")];
        assert_eq!(partners(&ports, &[("x", "10.0.0.1")]), [-1]);
        assert_eq!(partners(&[("x", "10.0.0.1")], &ports), [-1, -1]);
        assert_eq!(partners(&ports, &[("x", "10.0.0.1:2"), ("y", "10.0.0.1:1")]), [1, 0]);
        let twice = [("a", "10.0.0.1:1"), ("b", "10.0.0.1:1")];
        assert_eq!(partners(&twice, &[("x", "10.0.0.1:1")]), [-1]);
        assert_eq!(partners(&[("x", "10.0.0.1:1")], &twice), [-1, -1]);
    }
}
