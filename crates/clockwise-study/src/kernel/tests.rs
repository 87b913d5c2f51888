//! Each kernel against the library's own placements, at small sizes.
