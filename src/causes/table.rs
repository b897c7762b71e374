//! The table of causes, in the order in which equal ones are named.

use super::Cause;
use super::quota_used_up;

/// Every cause.
pub static ALL: &[&Cause] = &[&quota_used_up::CAUSE];
