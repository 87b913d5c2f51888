//! The numbers of a chart as rows and columns.

/// A table: heads, and rows of as many cells. The first cell of a row names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// One a column.
    pub heads: Vec<String>,
    /// One a row, each as long as the heads.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new(heads: impl IntoIterator<Item = String>) -> Table {
        Table { heads: heads.into_iter().collect(), rows: Vec::new() }
    }
}
