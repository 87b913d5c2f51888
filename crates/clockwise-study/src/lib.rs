//! Theory and what-if.
