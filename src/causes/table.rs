//! The table of causes, in the order in which equal ones are named.

use super::Cause;
use super::{quota_used_up, security_group_in_use};

/// Every cause.
pub static ALL: &[&Cause] = &[&quota_used_up::CAUSE, &security_group_in_use::CAUSE];
