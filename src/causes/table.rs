//! The table of causes, in the order in which equal ones are named.

use super::Cause;

/// Every cause.
pub static ALL: &[&Cause] = &[
    &super::owner_deleted::CAUSE,
    &super::project_deleted::CAUSE,
    &super::project_disabled::CAUSE,
    &super::owner_disabled::CAUSE,
    &super::application_credential_gone::CAUSE,
    &super::credential_secret_missing::CAUSE,
    &super::owner_lost_roles::CAUSE,
    &super::login_refused::CAUSE,
    &super::keystone_ca_not_trusted::CAUSE,
    &super::openstack_api_down::CAUSE,
    &super::quota_used_up::CAUSE,
    &super::credential_read_forbidden::CAUSE,
    &super::security_group_rule_exists::CAUSE,
    &super::no_free_address::CAUSE,
    &super::external_network_not_reachable::CAUSE,
    &super::floating_ip_already_associated::CAUSE,
    &super::load_balancer_error::CAUSE,
    &super::load_balancer_stuck::CAUSE,
    &super::service_load_balancer_delete_failed::CAUSE,
    &super::service_load_balancer_holds_network::CAUSE,
    &super::floating_ip_holds_router::CAUSE,
    &super::orphan_vip_port::CAUSE,
    &super::network_in_use::CAUSE,
    &super::security_group_in_use::CAUSE,
];
