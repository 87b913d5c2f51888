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

/// A server of either fleet or of both: what it weighs in each, and nothing where it is not listed.
#[derive(Clone, Debug)]
struct Account<T> {
    name: ServerName,
    weight_before: u128,
    weight_after: u128,
    /// What it held and holds still.
    kept: T,
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
    /// What changed hands. Kept sparse: a fleet of thousands has millions of pairs, and a change
    /// worth making touches few of them.
    flows: BTreeMap<(u32, u32), T>,
}

/// Sums of what no server gave away, kept apart from the book until they are all there: parts of a circle that end
/// before its last position, so that all of them together are fewer than 2⁶⁴.
pub(super) struct Kept {
    /// For each server of the fleet before, its number after, if it has one.
    numbers: Vec<u32>,
    /// What each has kept.
    sums: Vec<u64>,
}

impl Kept {
    /// To add arcs that follow on each other from a position on.
    #[inline]
    pub(super) fn arcs(&mut self, start: u64) -> KeptArcs<'_> {
        let servers = self.numbers.len().min(self.sums.len());
        KeptArcs {
            numbers: &self.numbers[..servers],
            sums: &mut self.sums[..servers],
            end: start.wrapping_sub(1),
        }
    }
}

/// [`Kept`], for arcs in a row.
pub(super) struct KeptArcs<'a> {
    /// As many of both, which the compiler is told so.
    numbers: &'a [u32],
    sums: &'a mut [u64],
    /// Where the arc before ends: of the one that begins at position 0, the end of the circle.
    end: u64,
}

impl KeptArcs<'_> {
    /// Adds the arc that ends at a position, if both are one server.
    #[inline]
    pub(super) fn keep(&mut self, before: ServerIx, after: ServerIx, end: u64) -> bool {
        let at = before.index();
        match (self.numbers.get(at), self.sums.get_mut(at)) {
            (Some(&same), Some(sum)) if same == after.get() => *sum += end.wrapping_sub(self.end),
            _ => return false,
        }
        self.end = end;
        true
    }

    /// Where the next arc begins.
    #[inline]
    pub(super) fn start(&self) -> u64 {
        self.end.wrapping_add(1)
    }
}

impl Ledger<u128> {
    /// Starts such sums.
    pub(super) fn kept(&self) -> Kept {
        let mut after = alloc::vec![u32::MAX; self.accounts.len()];
        for (number, &at) in (0..).zip(&self.after) {
            after[at as usize] = number;
        }
        let numbers = self.before.iter().map(|&at| after[at as usize]).collect();
        Kept { numbers, sums: alloc::vec![0; self.before.len()] }
    }

    /// Books them.
    pub(super) fn record_kept(&mut self, kept: &Kept) {
        for (number, (&after, &sum)) in (0..).zip(kept.numbers.iter().zip(&kept.sums)) {
            self.record(ServerIx::new(number), ServerIx::new(after), sum.into());
        }
    }
}

impl<T: Amount> Ledger<T> {
    pub(super) fn new(before: &[Server], after: &[Server]) -> Ledger<T> {
        let mut names: Vec<&ServerName> = before.iter().chain(after).map(Server::name).collect();
        // Most fleets are in order already, which this sort makes use of.
        names.sort();
        names.dedup();
        let places = |servers: &[Server]| -> Vec<u32> {
            let mut next = 0;
            let place = |server: &Server| {
                if names.get(next) != Some(&server.name()) {
                    // Every name is there, so the place is found.
                    next = names.binary_search(&server.name()).unwrap_or_else(|at| at);
                }
                next += 1;
                next as u32 - 1
            };
            servers.iter().map(place).collect()
        };
        let (before_places, after_places) = (places(before), places(after));

        let mut accounts: Vec<Account<T>> = names
            .into_iter()
            .map(|name| Account { name: name.clone(), weight_before: 0, weight_after: 0, kept: T::default() })
            .collect();
        for (&at, server) in before_places.iter().zip(before) {
            accounts[at as usize].weight_before += u128::from(server.effective_weight());
        }
        for (&at, server) in after_places.iter().zip(after) {
            accounts[at as usize].weight_after += u128::from(server.effective_weight());
        }
        Ledger {
            weight_before: accounts.iter().map(|account| account.weight_before).sum(),
            weight_after: accounts.iter().map(|account| account.weight_after).sum(),
            accounts,
            before: before_places,
            after: after_places,
            flows: BTreeMap::new(),
        }
    }

    /// Books an amount. Indices of no server of these fleets are left out.
    pub(super) fn record(&mut self, before: ServerIx, after: ServerIx, amount: T) {
        let places = (self.before.get(before.index()), self.after.get(after.index()));
        let (Some(&from), Some(&to)) = places else { return };
        match from == to {
            true => self.accounts[from as usize].kept.add(amount),
            false => self.flows.entry((from, to)).or_default().add(amount),
        }
    }

    /// Closes the book; `shown` turns amounts into what is reported.
    pub(super) fn finish<U>(self, shown: impl Fn(T) -> U) -> Moves<U> {
        let (mut total, mut moved, mut stray) = (T::default(), T::default(), T::default());
        let mut before: Vec<T> = self.accounts.iter().map(|account| account.kept).collect();
        let mut after = before.clone();
        before.iter().for_each(|&kept| total.add(kept));
        let mut flows = Vec::with_capacity(self.flows.len());
        for (&(from, to), &amount) in &self.flows {
            let is_stray = self.direction(from) != Ordering::Less || self.direction(to) != Ordering::Greater;
            before[from as usize].add(amount);
            after[to as usize].add(amount);
            total.add(amount);
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
        let server = |((account, &before), &after): ((&Account<T>, &T), &T)| ServerMoves {
            name: account.name.clone(),
            target_before: self.target_before(account),
            target_after: self.target_after(account),
            before: shown(before),
            after: shown(after),
        };
        Moves {
            total: shown(total),
            moved: shown(moved),
            stray: shown(stray),
            minimum: self.minimum(),
            flows: flows.into_iter().map(flow).collect(),
            servers: self.accounts.iter().zip(&before).zip(&after).map(server).collect(),
        }
    }

    fn target_before(&self, account: &Account<T>) -> Share {
        Share::new(account.weight_before, self.weight_before)
    }

    fn target_after(&self, account: &Account<T>) -> Share {
        Share::new(account.weight_after, self.weight_after)
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
            let after = account.weight_after * self.weight_before;
            after.saturating_sub(account.weight_before * self.weight_after)
        };
        Share::new(self.accounts.iter().map(gain).sum(), self.weight_before * self.weight_after)
    }
}
