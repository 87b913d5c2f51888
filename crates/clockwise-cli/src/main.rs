//! The `clockwise` command.

fn main() {}
