//! The table of causes, in the order in which equal ones are named.

use super::Cause;
use super::{
    addons_not_applied, capo_too_old, cluster_paused, controller_down, controller_panic, drain_blocked,
    flavor_not_found, image_not_found, key_pair_not_found, legacy_cloud_provider, no_valid_host,
    node_never_joined, node_not_ready, quota_used_up, server_deleted, server_in_error, volume_type_not_found,
    webhook_unreachable,
};

/// Every cause.
pub static ALL: &[&Cause] = &[
    &controller_panic::CAUSE,
    &controller_down::CAUSE,
    &cluster_paused::CAUSE,
    &webhook_unreachable::CAUSE,
    &capo_too_old::CAUSE,
    &quota_used_up::CAUSE,
    &image_not_found::CAUSE,
    &flavor_not_found::CAUSE,
    &key_pair_not_found::CAUSE,
    &volume_type_not_found::CAUSE,
    &no_valid_host::CAUSE,
    &server_deleted::CAUSE,
    &server_in_error::CAUSE,
    &drain_blocked::CAUSE,
    &legacy_cloud_provider::CAUSE,
    &addons_not_applied::CAUSE,
    &node_never_joined::CAUSE,
    &node_not_ready::CAUSE,
];
