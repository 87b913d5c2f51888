//! What rings of the ketama family have in common: labels, and four points from one MD5.
//!
//! | parameter | value |
//! |---|---|
//! | label of digest *j* | the server's stem, `-`, *j* in decimal, from 0 |
//! | points of a digest | its four little-endian 32-bit words |
//! | digests of a server | 40 × servers × its part of the total weight, rounded down in IEEE single |
//!
//! The rounding is done in single precision, one operation after the other, and servers of equal
//! weight lose a digest to it for some sizes of fleet: 25, 47, 50, 55, 61 … servers have 39 digests
//! (156 points) each instead of 40.
//!
//! Source: Richard Jones, "libketama: a consistent hashing algo for memcache clients", 2007, as
//! libmemcached and twemproxy compute it.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use crate::arch::{Level, TEXTS};
use crate::error::{Error, Kind};
use crate::hash::md5::Md5Batch;
use crate::members::Buckets;
use crate::placement::ServerIx;
use crate::ring::MAX_POINTS;
use crate::server::Server;

/// Digests of a server of this weight, among so many servers of this total weight.
pub(super) fn digests(weight: u32, total: u64, servers: usize) -> u32 {
    let part = weight as f32 / total as f32;
    let mut exact = part * 160.0;
    exact /= 4.0;
    exact *= servers as f32;
    exact += 1e-10;
    // Cutting a positive number is its floor.
    exact as u32
}

/// The weighted ring: each active server's digests, four points each. A server whose digests round
/// to none has no point.
pub(super) fn weighted_points(
    list: &Buckets,
    stem: impl Fn(&Server) -> String,
) -> Result<Vec<(u64, ServerIx)>, Error> {
    let (total, servers) = (list.total_weight(), list.active().count());
    let count = |server: &Server| digests(server.effective_weight(), total, servers);
    md5_points(list, count, stem, |words| words.map(u64::from))
}

/// Points of every active server: the MD5 of each of its `count` labels gives `N` of them, which `cut`
/// makes of its words. Many labels are digested side by side.
pub(super) fn md5_points<T, const N: usize>(
    list: &Buckets,
    count: impl Fn(&Server) -> u32,
    stem: impl Fn(&Server) -> String,
    cut: impl Fn([u32; 4]) -> [T; N],
) -> Result<Vec<(T, ServerIx)>, Error> {
    let mut points = Vec::with_capacity(number_of_points(list, &count, N)?);
    let mut batch = Md5Batch::new(Level::best());
    // Whose labels are digested next.
    let mut owners: Vec<ServerIx> = Vec::with_capacity(TEXTS);
    let mut empty = |batch: &mut Md5Batch, owners: &mut Vec<ServerIx>| {
        for (digest, ix) in batch.take().zip(owners.drain(..)) {
            points.extend(cut(digest).map(|position| (position, ix)));
        }
    };
    for_each_label(
        list,
        count,
        |server| stem(server) + "-",
        0,
        |label, ix| {
            owners.push(ix);
            if batch.push(label) {
                empty(&mut batch, &mut owners);
            }
        },
    );
    empty(&mut batch, &mut owners);
    Ok(points)
}

/// Points of every active server: `digest` of each of its `count` labels gives `N` of them.
pub(super) fn points<T, const N: usize>(
    list: &Buckets,
    count: impl Fn(&Server) -> u32,
    stem: impl Fn(&Server) -> String,
    digest: impl Fn(&[u8]) -> [T; N],
) -> Result<Vec<(T, ServerIx)>, Error> {
    let stem = |server: &Server| stem(server) + "-";
    labelled(list, count, stem, 0, digest)
}

/// The same with other labels: what `stem` says, and a number from `first`.
pub(super) fn labelled<T, const N: usize>(
    list: &Buckets,
    count: impl Fn(&Server) -> u32,
    stem: impl Fn(&Server) -> String,
    first: u32,
    digest: impl Fn(&[u8]) -> [T; N],
) -> Result<Vec<(T, ServerIx)>, Error> {
    let mut points = Vec::with_capacity(number_of_points(list, &count, N)?);
    for_each_label(list, count, stem, first, |label, ix| {
        points.extend(digest(label).map(|position| (position, ix)));
    });
    Ok(points)
}

/// All points of so many digests a server; more than a ring may have are refused.
fn number_of_points(list: &Buckets, count: impl Fn(&Server) -> u32, each: usize) -> Result<usize, Error> {
    let mut total: u64 = 0;
    for (_, server) in list.active() {
        total += u64::from(count(server)) * each as u64;
        if total > MAX_POINTS {
            let kind = Kind::TooManyPoints { points: total.into(), limit: MAX_POINTS };
            return Err(Error::new(kind).of_server(server.name().as_str()));
        }
    }
    Ok(total as usize)
}

/// All labels, in order of the servers and their numbers. There are at most [`MAX_POINTS`], so that no
/// number overflows.
fn for_each_label(
    list: &Buckets,
    count: impl Fn(&Server) -> u32,
    stem: impl Fn(&Server) -> String,
    first: u32,
    mut visit: impl FnMut(&[u8], ServerIx),
) {
    for (ix, server) in list.active() {
        let mut label = stem(server);
        let end = label.len();
        for number in first..first + count(server) {
            label.truncate(end);
            // Writing to a string cannot fail.
            let _ = write!(label, "{number}");
            visit(label.as_bytes(), ix);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_servers_have_40_digests_except_where_single_precision_falls_short() {
        let short: Vec<u64> = (1..=1000).filter(|&n| digests(1, n, n as usize) != 40).collect();
        assert_eq!(short[..12], [25, 47, 50, 55, 61, 71, 94, 100, 107, 109, 110, 115]);
        assert_eq!(short.len(), 103);
        assert!(short.iter().all(|&n| digests(1, n, n as usize) == 39));
    }

    #[test]
    fn no_weight_takes_more_than_all_digests_of_the_fleet() {
        assert_eq!(digests(u32::MAX, u32::MAX.into(), 1), 40);
        assert_eq!(digests(u32::MAX, u64::from(u32::MAX) + 999, 1000), 39_999);
        assert_eq!(digests(1, 1 << 40, 1000), 0);
    }
}
