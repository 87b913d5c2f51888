//! The keys that are asked for: few, and each for a reason.

/// Keys of every full group.
pub(super) const KEYS: &[&[u8]] = &[
    b"",
    b"0",
    b"a",
    b"user:42",
    b"user:1000000",
    b"session/8f14e45fceea167a5a36dedd4bea2543",
    b"a b",
    // Two bytes of UTF-8; several alphabets and a character that takes two units of UTF-16.
    b"\xc3\xa9",
    "na\u{ef}ve:\u{43a}\u{43b}\u{44e}\u{447}:\u{1d11e}".as_bytes(),
    b"\x80",
    b"\xff\xfe\x00\x01",
    // Long enough for the last of the ways in which short inputs are hashed.
    b"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
];

/// Keys of a group that varies one setting.
pub(super) const FEW: &[&[u8]] =
    &[b"", b"a", b"user:42", b"user:43", "caf\u{e9}".as_bytes(), b"\xff\xfe\x00"];

/// Keys with braces, where those count.
pub(super) const TAGGED: &[&[u8]] = &[
    b"user:42",
    b"{user:42}.cart",
    b"{user:42}.orders",
    b"foo{bar}zap",
    b"foo{bar}{zap}",
    b"foo{}{bar}",
    b"foo{{bar}}zap",
    b"{}",
    b"foo{bar",
    b"foo}bar{",
];

/// Inputs of every hash: the lengths around its blocks of 4, 8 and 16 bytes among them.
pub(super) const INPUTS: &[&[u8]] = &[
    b"",
    b"a",
    b"abc",
    b"abcd",
    b"user:42",
    b"12345678",
    b"123456789",
    b"0123456789abcdef",
    b"0123456789abcdefg",
    b"0123456789abcdef0123456789abcdef!",
    b"\x00",
    b"\x7f",
    b"\x80",
    b"\xff",
    b"\xff\xfe\xfd",
    b"\x00\x80\x00\x80\x00",
    b"\xc3\xa9",
    "na\u{ef}ve:\u{43a}\u{43b}\u{44e}\u{447}:\u{1d11e}".as_bytes(),
];

/// Lengths at which xxHash and MurmurHash3 take another way, and those on either side.
pub(super) const LENGTHS: &[usize] = &[31, 32, 64, 65, 96, 97, 128, 129, 240, 241, 256, 1024, 1025];

/// An input of that length in which no two stretches of 64 bytes are equal: byte *i* is
/// *i* + ⌊*i* / 251⌋ × 7, of which the low eight bits count.
pub(super) fn long(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i + i / 251 * 7) as u8).collect()
}
