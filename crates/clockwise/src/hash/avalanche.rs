//! A mix of one 32-bit number into another, such that a change of any bit changes about half of them.
//!
//! | name | of | value | check, of 0 and 1 |
//! |---|---|---|---|
//! | `avalanche32` | 32-bit number | Jenkins' six steps, × 3,221,225,473 mod 2³² | `ab4ed927`, `348681b6` |
//!
//! One to one: two numbers never mix into the same.
//!
//! Source: Bob Jenkins, "Integer hashing", <https://burtleburtle.net/bob/hash/integer.html>, and the
//! factor that HAProxy puts behind it (`full_hash`).

/// The mix that HAProxy applies to hashes (`avalanche`) and to the numbers of points.
pub const fn avalanche32(number: u32) -> u32 {
    let mut a = number;
    a = a.wrapping_add(0x7ed5_5d16).wrapping_add(a << 12);
    a = (a ^ 0xc761_c23c) ^ (a >> 19);
    a = a.wrapping_add(0x1656_67b1).wrapping_add(a << 5);
    a = a.wrapping_add(0xd3a2_646c) ^ (a << 9);
    a = a.wrapping_add(0xfd70_46c5).wrapping_add(a << 3);
    a = (a ^ 0xb55a_4f09) ^ (a >> 16);
    a.wrapping_mul(3_221_225_473)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_a_second_implementation() {
        assert_eq!([0, 1, u32::MAX].map(avalanche32), [0xab4e_d927, 0x3486_81b6, 0x7e64_c182]);
    }
}
