//! Keys as text: hexadecimal, base64, memcached's percent signs, redis-cli's quotes.

use data_encoding::{BASE64, DecodePartial, Encoding, HEXLOWER_PERMISSIVE};

use super::error::{Kind, shown};

/// Decodes hexadecimal digits into `key`, replacing what it held.
pub(super) fn hex(text: &[u8], key: &mut Vec<u8>) -> Result<(), Kind> {
    by_table(&HEXLOWER_PERMISSIVE, "hexadecimal", text, key)
}

/// Decodes padded base64 into `key`, replacing what it held.
pub(super) fn base64(text: &[u8], key: &mut Vec<u8>) -> Result<(), Kind> {
    by_table(&BASE64, "base64", text, key)
}

fn by_table(table: &Encoding, encoding: &'static str, text: &[u8], key: &mut Vec<u8>) -> Result<(), Kind> {
    let refuse = |error: data_encoding::DecodeError| {
        let problem = match error.kind {
            data_encoding::DecodeKind::Length => format!("{} characters", text.len()),
            data_encoding::DecodeKind::Padding => "the padding is wrong".to_owned(),
            data_encoding::DecodeKind::Trailing => "its last digit holds bits of no byte".to_owned(),
            data_encoding::DecodeKind::Symbol => format!("see character {}", error.position + 1),
        };
        Kind::Undecodable { encoding, value: shown(text), problem }
    };
    key.clear();
    key.resize(table.decode_len(text.len()).map_err(refuse)?, 0);
    let written = table.decode_mut(text, key).map_err(|DecodePartial { error, .. }| refuse(error))?;
    key.truncate(written);
    Ok(())
}

/// Decodes `%41` to `A` as memcached's `metadump` writes keys; a plus sign is a plus sign.
pub(super) fn percent(text: &[u8], key: &mut Vec<u8>) -> Result<(), Kind> {
    key.clear();
    let mut rest = text;
    while let Some(at) = rest.iter().position(|&b| b == b'%') {
        key.extend_from_slice(&rest[..at]);
        let Some(byte) = rest.get(at + 1..at + 3).and_then(hex_byte) else {
            let problem = format!("{} is no %XX", shown(&rest[at..rest.len().min(at + 3)]));
            return Err(Kind::Undecodable { encoding: "percent-encoded", value: shown(text), problem });
        };
        key.push(byte);
        rest = &rest[at + 3..];
    }
    key.extend_from_slice(rest);
    Ok(())
}

/// Decodes the quoted form of `redis-cli --no-raw`: `"k\x00\n"`.
pub(super) fn redis(text: &[u8], key: &mut Vec<u8>) -> Result<(), Kind> {
    let refuse = |problem: String| Kind::Undecodable {
        encoding: "a key as redis-cli --no-raw prints it",
        value: shown(text),
        problem,
    };
    let inner = text.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
    let Some(mut rest) = inner else {
        return Err(refuse("it does not stand in quotes".to_owned()));
    };
    key.clear();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'"' {
            return Err(refuse("it has a quote without a backslash".to_owned()));
        }
        if byte != b'\\' {
            key.push(byte);
            continue;
        }
        let (decoded, length) = match rest.first() {
            Some(b'x') => (rest.get(1..3).and_then(hex_byte), 3),
            Some(b'n') => (Some(b'\n'), 1),
            Some(b'r') => (Some(b'\r'), 1),
            Some(b't') => (Some(b'\t'), 1),
            Some(b'a') => (Some(7), 1),
            Some(b'b') => (Some(8), 1),
            Some(same @ (b'"' | b'\\')) => (Some(*same), 1),
            _ => (None, 1),
        };
        let Some(decoded) = decoded else {
            return Err(refuse(format!("{} follows a backslash", shown(&rest[..rest.len().min(length)]))));
        };
        key.push(decoded);
        rest = &rest[length..];
    }
    Ok(())
}

fn hex_byte(digits: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*digits.get(at)?).to_digit(16);
    u8::try_from(digit(0)? * 16 + digit(1)?).ok()
}
