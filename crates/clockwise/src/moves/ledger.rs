//! Two fleets matched by name, and the book of what went from where to where.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cmp::{Ordering, Reverse};

use super::{Flow, Moves, ServerMoves};
use crate::placement::{ServerIx, Share};
use crate::server::{Server, ServerName};

/// What is counted: keys, or parts of a circle.
pub(super) trait Amount: Copy + Default + Ord {
    fn add(&mut self, other: Self);
}

/// A server of either fleet or of both.
#[derive(Clone, Debug)]
struct Account<T> {
    name: ServerName,
    before: Side<T>,
    after: Side<T>,
}

/// What a server weighs and holds in one of the fleets; nothing where it is not listed.
#[derive(Clone, Copy, Debug, Default)]
struct Side<T> {
    weight: u128,
    amount: T,
}

/// Counts by server and by pair of servers.
#[derive(Clone, Debug)]
pub(super) struct Ledger<T> {
    /// In bytewise order of the names.
    accounts: Vec<Account<T>>,
    /// From an index of one fleet to one of `accounts`.
    before: Vec<u32>,
    after: Vec<u32>,
    /// Total weights.
    weight_before: u128,
    weight_after: u128,
    total: T,
    /// What changed hands. Kept sparse: a fleet of thousands has millions of pairs, and a change
    /// worth making touches few of them.
    flows: BTreeMap<(u32, u32), T>,
}

impl<T: Amount> Ledger<T> {
    pub(super) fn new(before: &[Server], after: &[Server]) -> Ledger<T> {
        let mut names: Vec<&ServerName> = before.iter().chain(after).map(Server::name).collect();
        names.sort_unstable();
        names.dedup();
        let places = |servers: &[Server]| -> Vec<u32> {
            // Every name is there, so the place is found.
            servers.iter().map(|s| names.binary_search(&s.name()).unwrap_or_else(|at| at) as u32).collect()
        };
        let (before_places, after_places) = (places(before), places(after));

        let mut accounts: Vec<Account<T>> = names
            .into_iter()
            .map(|name| Account { name: name.clone(), before: Side::default(), after: Side::default() })
            .collect();
        for (&at, server) in before_places.iter().zip(before) {
            accounts[at as usize].before.weight += u128::from(server.effective_weight());
        }
        for (&at, server) in after_places.iter().zip(after) {
            accounts[at as usize].after.weight += u128::from(server.effective_weight());
        }
        Ledger {
            weight_before: accounts.iter().map(|account| account.before.weight).sum(),
            weight_after: accounts.iter().map(|account| account.after.weight).sum(),
            accounts,
            before: before_places,
            after: after_places,
            total: T::default(),
            flows: BTreeMap::new(),
        }
    }

    /// Books an amount. Indices of no server of these fleets are left out.
    pub(super) fn record(&mut self, before: ServerIx, after: ServerIx, amount: T) {
        let places = (self.before.get(before.index()), self.after.get(after.index()));
        let (Some(&from), Some(&to)) = places else { return };
        self.accounts[from as usize].before.amount.add(amount);
        self.accounts[to as usize].after.amount.add(amount);
        self.total.add(amount);
        if from != to {
            self.flows.entry((from, to)).or_default().add(amount);
        }
    }

    /// Closes the book; `shown` turns amounts into what is reported.
    pub(super) fn finish<U>(self, shown: impl Fn(T) -> U) -> Moves<U> {
        let (mut moved, mut stray) = (T::default(), T::default());
        let mut flows = Vec::with_capacity(self.flows.len());
        for (&(from, to), &amount) in &self.flows {
            let is_stray = self.direction(from) != Ordering::Less || self.direction(to) != Ordering::Greater;
            moved.add(amount);
            if is_stray {
                stray.add(amount);
            }
            flows.push((amount, from, to, is_stray));
        }
        // Pairs come in order of their names, which a stable sort keeps among equals.
        flows.sort_by_key(|&(amount, ..)| Reverse(amount));
        let name = |at: u32| self.accounts[at as usize].name.clone();
        let flow =
            |(amount, from, to, stray)| Flow { from: name(from), to: name(to), moved: shown(amount), stray };
        let server = |account: &Account<T>| ServerMoves {
            name: account.name.clone(),
            target_before: self.target_before(account),
            target_after: self.target_after(account),
            before: shown(account.before.amount),
            after: shown(account.after.amount),
        };
        Moves {
            total: shown(self.total),
            moved: shown(moved),
            stray: shown(stray),
            minimum: self.minimum(),
            flows: flows.into_iter().map(flow).collect(),
            servers: self.accounts.iter().map(server).collect(),
        }
    }

    fn target_before(&self, account: &Account<T>) -> Share {
        Share::new(account.before.weight, self.weight_before)
    }

    fn target_after(&self, account: &Account<T>) -> Share {
        Share::new(account.after.weight, self.weight_after)
    }

    /// Whether the target share of a server rises or falls.
    fn direction(&self, at: u32) -> Ordering {
        let account = &self.accounts[at as usize];
        self.target_after(account).cmp(&self.target_before(account))
    }

    /// Half the sum of |after − before|. Each side sums to one, so that half is what the servers
    /// that gain, gain. Weights have 32 bits and their sums fewer than 64: all products fit.
    fn minimum(&self) -> Share {
        let gain = |account: &Account<T>| {
            let after = account.after.weight * self.weight_before;
            after.saturating_sub(account.before.weight * self.weight_after)
        };
        Share::new(self.accounts.iter().map(gain).sum(), self.weight_before * self.weight_after)
    }
}
