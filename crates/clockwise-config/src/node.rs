//! The tree that every format is read into: text with its place.
//!
//! Readers of a product's files are written once against this, whatever the syntax the product
//! chose. What a value is written as (quoted or not, which kind of number) is kept, because
//! products differ in what they take.

use crate::source::Span;

/// Deeper nesting is refused: no fleet file comes near, and the tree can be walked by recursion.
pub(crate) const MAX_DEPTH: usize = 64;

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) span: Span,
    pub(crate) value: Value,
}

#[derive(Clone, Debug)]
pub(crate) enum Value {
    Scalar(Scalar),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// A key of a mapping with its value. Keys are unique: syntax readers refuse a second one.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_span: Span,
    pub(crate) value: Node,
}

/// A single value, as text.
#[derive(Clone, Debug)]
pub(crate) struct Scalar {
    /// What a string says; a number, date or truth value as it is written.
    pub(crate) text: String,
    pub(crate) kind: ScalarKind,
}

/// What the syntax says a scalar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScalarKind {
    /// Text, where the format tells it from numbers.
    Text,
    /// Letters whose meaning the product decides: all of YAML.
    Untyped,
    /// Nothing at all: `key:` in YAML.
    Nothing,
    /// A whole number in any base.
    Integer,
    /// A number with a fraction, an exponent, or no finite value.
    Float,
    /// `true` or `false`.
    Boolean,
    /// A date or time.
    Date,
}

impl Node {
    pub(crate) fn as_scalar(&self) -> Option<&Scalar> {
        match &self.value {
            Value::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// What it is, for "… is expected, and `…` is …".
    pub(crate) fn describe(&self) -> &'static str {
        match &self.value {
            Value::List(_) => "a list",
            Value::Map(_) => "a group of keys",
            Value::Scalar(scalar) => match scalar.kind {
                ScalarKind::Text | ScalarKind::Untyped => "text",
                ScalarKind::Nothing => "nothing",
                ScalarKind::Integer => "a whole number",
                ScalarKind::Float => "a number",
                ScalarKind::Boolean => "a truth value",
                ScalarKind::Date => "a date",
            },
        }
    }
}

impl Entry {
    /// Where to point at: the value, or the key if the value is empty.
    pub(crate) fn place(&self) -> Span {
        if self.value.span.is_empty() { self.key_span } else { self.value.span }
    }
}
