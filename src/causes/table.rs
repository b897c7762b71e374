//! The table of causes, in the order in which equal ones are named.

use super::Cause;
use super::{
    external_network_not_reachable, floating_ip_already_associated, floating_ip_holds_router,
    load_balancer_error, load_balancer_stuck, network_in_use, no_free_address, orphan_vip_port,
    quota_used_up, security_group_in_use, security_group_rule_exists, service_load_balancer_delete_failed,
    service_load_balancer_holds_network,
};

/// Every cause.
pub static ALL: &[&Cause] = &[
    &security_group_rule_exists::CAUSE,
    &no_free_address::CAUSE,
    &external_network_not_reachable::CAUSE,
    &floating_ip_already_associated::CAUSE,
    &load_balancer_error::CAUSE,
    &load_balancer_stuck::CAUSE,
    &quota_used_up::CAUSE,
    &service_load_balancer_delete_failed::CAUSE,
    &service_load_balancer_holds_network::CAUSE,
    &floating_ip_holds_router::CAUSE,
    &orphan_vip_port::CAUSE,
    &network_in_use::CAUSE,
    &security_group_in_use::CAUSE,
];
