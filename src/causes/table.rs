//! The table of causes, in the order in which equal ones are named.

use super::Cause;

/// Every cause.
pub static ALL: &[&Cause] = &[];
