//! For tests of the rooms that stand on any ranked placement: the smallest such placement.

use alloc::vec::Vec;
use core::ops::ControlFlow;
use std::{format, string::String};

use crate::hash::{KeyHash as _, Xxh3};
use crate::testing::Random;
use crate::{Placement, Ranked, Server, ServerIx};

/// Servers in the order of the hash of name and key.
pub(crate) struct Toy {
    servers: Vec<Server>,
    /// Active and yet in no preference list, as a server whose weight rounds to no point.
    pointless: Vec<usize>,
}

impl Toy {
    pub(crate) fn new(servers: Vec<Server>) -> Toy {
        Toy { servers, pointless: Vec::new() }
    }

    /// Servers of weight 1 named `s0`, `s1` and so on.
    pub(crate) fn of(count: usize) -> Toy {
        Toy::new((0..count).map(|i| Server::new(format!("s{i}")).unwrap()).collect())
    }

    pub(crate) fn pointless(self, pointless: &[usize]) -> Toy {
        Toy { pointless: pointless.to_vec(), ..self }
    }

    /// Up to twelve servers, some weighted, some draining, some without points; and what each
    /// weighs where load is shared out.
    pub(crate) fn random(numbers: &mut Random) -> (Toy, Vec<u64>) {
        let mut toy = Toy::of(1 + numbers.below(12) as usize);
        let mut weights = Vec::new();
        for (i, server) in toy.servers.iter_mut().enumerate() {
            let weight = if numbers.below(2) == 0 { 1 } else { 1 + numbers.below(9) };
            *server = server.clone().with_weight(weight).unwrap();
            // The first always counts, so that every fleet has a server.
            let (draining, pointless) = (i > 0 && numbers.below(6) == 0, i > 0 && numbers.below(8) == 0);
            if draining {
                *server = server.clone().draining();
            }
            if pointless {
                toy.pointless.push(i);
            }
            weights.push(if draining || pointless { 0 } else { weight });
        }
        (toy, weights)
    }

    /// The whole list, for oracles.
    pub(crate) fn order(&self, key: &[u8]) -> Vec<ServerIx> {
        let listed = (0..self.servers.len())
            .filter(|i| !self.servers[*i].is_draining() && !self.pointless.contains(i));
        let mut order: Vec<usize> = listed.collect();
        order.sort_by_key(|&i| Xxh3.hash(&[self.servers[i].name().as_str().as_bytes(), key].concat()));
        order.into_iter().map(ServerIx::from_usize).collect()
    }
}

impl Placement for Toy {
    fn servers(&self) -> &[Server] {
        &self.servers
    }
    fn owner_ix(&self, key: &[u8]) -> ServerIx {
        self.order(key)[0]
    }
    fn ranked(&self) -> Option<&dyn Ranked> {
        Some(self)
    }
}

impl Ranked for Toy {
    fn visit_preference(&self, key: &[u8], visit: &mut dyn FnMut(ServerIx) -> ControlFlow<()>) {
        let _ = self.order(key).into_iter().try_for_each(visit);
    }
}

/// The keys `k0`, `k1` and so on.
pub(crate) fn keys(count: usize) -> Vec<String> {
    (0..count).map(|i| format!("k{i}")).collect()
}
