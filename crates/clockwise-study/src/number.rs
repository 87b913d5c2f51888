//! Numbers as people read them.

/// `1234567` as `1,234,567`.
pub fn grouped(number: impl Into<u128>) -> String {
    let digits = number.into().to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 server`, `2 servers`: a number and what it counts.
pub fn counted(number: impl Into<u128>, noun: &str) -> String {
    let number = number.into();
    format!("{} {}", grouped(number), plural(number, noun))
}

/// The noun of so many things: `server` of one, `servers` of any other number.
pub fn plural(number: impl Into<u128>, noun: &str) -> String {
    format!("{noun}{}", if number.into() == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped_from_the_right() {
        let shown = [0_u64, 7, 999, 1_000, 123_456, 1_234_567, 10_000_000].map(grouped);
        assert_eq!(shown, ["0", "7", "999", "1,000", "123,456", "1,234,567", "10,000,000"]);
    }

    #[test]
    fn one_of_a_thing_is_not_plural() {
        let shown = [0_u64, 1, 2, 1_000].map(|number| counted(number, "key"));
        assert_eq!(shown, ["0 keys", "1 key", "2 keys", "1,000 keys"]);
    }
}
