//! Numbers as people read them.

/// `1234567` as `1,234,567`.
pub(crate) fn count(number: impl Into<u128>) -> String {
    let digits = number.into().to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `0.18515` as `18.52%`.
pub(crate) fn percent(part: f64) -> String {
    format!("{:.2}%", part * 100.0)
}

/// `1 server`, `2 servers`: a number and what it counts.
pub(crate) fn counted(number: impl Into<u128>, thing: &str) -> String {
    let number = number.into();
    format!("{} {thing}{}", count(number), if number == 1 { "" } else { "s" })
}

/// Text in a cell of a Markdown table. A bar would end it, so it is escaped.
pub(crate) fn markdown(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|")
}

/// `1.1074` as `1.107`.
pub(crate) fn ratio(value: f64) -> String {
    format!("{value:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped_from_the_right() {
        let shown = [0_u64, 7, 999, 1_000, 123_456, 1_234_567, 10_000_000].map(count);
        assert_eq!(shown, ["0", "7", "999", "1,000", "123,456", "1,234,567", "10,000,000"]);
    }

    #[test]
    fn one_of_a_thing_is_not_plural() {
        let shown = [0_u64, 1, 2, 1_000].map(|number| counted(number, "key"));
        assert_eq!(shown, ["0 keys", "1 key", "2 keys", "1,000 keys"]);
    }
}
