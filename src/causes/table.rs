//! The table of causes, in the order in which equal ones are named.

use super::Cause;
use super::{
    network_in_use, orphan_vip_port, quota_used_up, security_group_in_use,
    service_load_balancer_holds_network,
};

/// Every cause.
pub static ALL: &[&Cause] = &[
    &quota_used_up::CAUSE,
    &service_load_balancer_holds_network::CAUSE,
    &orphan_vip_port::CAUSE,
    &network_in_use::CAUSE,
    &security_group_in_use::CAUSE,
];
