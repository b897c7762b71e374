//! Parses, runs, prints a failure with its hint and sets the exit code.
fn main() {}
