//! The `proctor` command.

fn main() {}
