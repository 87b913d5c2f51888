//! Rings that grow by the allocator.

use alloc::vec::Vec;
use core::num::NonZeroU32;

use super::Allocator;
use crate::placement::Share;

fn number(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).unwrap()
}

/// A ring grown to so many units, unit i in the group that `group` says.
fn grown(units: u32, replicas: u32, tokens: u32, first: i64, group: impl Fn(u32) -> u32) -> Allocator {
    let mut allocator = Allocator::new(number(replicas));
    for unit in 0..units {
        let joined = allocator.join(group(unit), number(tokens), first).unwrap();
        assert_eq!(joined.len(), tokens as usize);
        assert!(joined.is_sorted());
    }
    allocator
}

/// The largest share over the mean.
fn busiest(allocator: &Allocator) -> f64 {
    let shares: Vec<f64> = allocator.shares().iter().map(|share| share.as_f64()).collect();
    shares.iter().copied().fold(0.0, f64::max) / (shares.iter().sum::<f64>() / shares.len() as f64)
}

/// Of the real classes, grown to 100 nodes: busiest over mean, to three decimals.
#[test]
fn a_hundred_units_are_as_even_as_cassandras() {
    for (replicas, tokens, racks, said) in [
        (1, 1, 0, 1.454),
        (1, 4, 0, 1.122),
        (1, 16, 0, 1.030),
        (3, 1, 0, 1.242),
        (3, 4, 0, 1.065),
        (3, 4, 6, 1.091),
    ] {
        let group = |unit: u32| if racks == 0 { unit } else { unit % racks };
        let even = busiest(&grown(100, replicas, tokens, 0, group));
        assert!((even - said).abs() < 0.0006, "{replicas} replicas, {tokens} tokens, {racks} racks: {even}");
    }
}

#[test]
fn another_first_token_turns_the_ring_and_changes_nothing_else() {
    let lengths = |first| {
        let tokens: Vec<i64> = grown(12, 3, 4, first, |unit| unit).tokens().map(|(token, _)| token).collect();
        let at = tokens.iter().position(|&token| token == first).unwrap();
        let turned: Vec<i64> =
            tokens[at..].iter().chain(&tokens[..at]).map(|&token| token.wrapping_sub(first)).collect();
        turned
    };
    let [here, there] = [0, 5_000_000_000_000_000_000].map(lengths);
    for (here, there) in here.iter().zip(&there) {
        // Cuts are rounded towards zero, which lies elsewhere on a ring that is turned.
        assert!(here.abs_diff(*there) < 1_000, "{here} {there}");
    }
}

#[test]
fn shares_sum_to_the_replicas_and_to_the_groups_where_those_are_fewer() {
    let whole = |allocator: &Allocator| {
        Share::new(allocator.shares().iter().map(|share| share.part()).sum(), 1 << 64)
    };
    assert_eq!(whole(&grown(9, 1, 4, 3, |unit| unit)), Share::new(1, 1));
    assert_eq!(whole(&grown(9, 3, 4, 3, |unit| unit)), Share::new(3, 1));
    assert_eq!(whole(&grown(9, 3, 4, 3, |unit| unit % 2)), Share::new(2, 1));
    assert_eq!(whole(&grown(1, 3, 1, 3, |unit| unit)), Share::new(1, 1));
}

#[test]
fn tokens_that_are_there_are_refused() {
    let mut allocator = grown(2, 1, 4, 3, |unit| unit);
    assert!(allocator.insert(9, [3]).unwrap_err().is_parameter());
    assert!(allocator.insert(9, [5, 6, 5]).unwrap_err().is_parameter());
    assert_eq!(allocator.tokens().count(), 8);
    assert_eq!(allocator.insert(9, [5, 6]).unwrap(), 2);
}

#[test]
fn a_ring_too_narrow_to_be_cut_is_refused() {
    // Every range but one is a single token wide, and the wide one has but one middle.
    let mut allocator = Allocator::new(number(2));
    for unit in 0..4 {
        allocator.insert(unit, (0..4).map(|i| 4 * i64::from(unit) + i)).unwrap();
    }
    let error = allocator.join(9, number(16), 0).unwrap_err();
    assert!(error.is_parameter(), "{error}");
    assert_eq!(allocator.tokens().count(), 16);
}

#[test]
fn a_unit_with_fewer_tokens_than_it_should_give_is_refused() {
    let mut allocator = Allocator::new(number(1));
    allocator.insert(0, [0]).unwrap();
    allocator.insert(1, (1..=7).map(|i| i << 55)).unwrap();
    let error = allocator.join(2, number(8), 0).unwrap_err();
    assert!(error.is_parameter(), "{error}");
}

#[test]
fn more_tokens_than_a_ring_may_have_are_refused_before_any_are_found() {
    let mut allocator = Allocator::new(number(1));
    assert!(allocator.join(0, number(u32::MAX), 0).unwrap_err().is_too_large());
}
