//! Numbers as people read them.

pub(crate) use clockwise_study::number::{counted, grouped as count, plural};

/// `0.18515` as `18.52%`.
pub(crate) fn percent(part: f64) -> String {
    format!("{:.2}%", part * 100.0)
}

/// Text in a cell of a Markdown table. A bar would end it, so it is escaped.
pub(crate) fn markdown(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|")
}

/// `1.1074` as `1.107`.
pub(crate) fn ratio(value: f64) -> String {
    format!("{value:.3}")
}
