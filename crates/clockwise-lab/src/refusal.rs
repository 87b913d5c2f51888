//! Why a request has no answer: a sentence for the person at the page.

use std::fmt;

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(String);

impl Refusal {
    pub(crate) fn new(message: impl Into<String>) -> Refusal {
        Refusal(message.into())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

impl From<clockwise::Error> for Refusal {
    fn from(error: clockwise::Error) -> Refusal {
        Refusal(error.to_string())
    }
}
