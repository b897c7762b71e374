//! The table of causes, in the order in which equal ones are named.

use super::Cause;
use super::cluster_lock_lost;
use super::conflicting_writes;
use super::duplicate_server_group;
use super::helm_missing;
use super::invalid_cluster_field;
use super::kube_tag_missing;
use super::load_balancer_provider_missing;
use super::management_api_slow;
use super::node_count_patched;
use super::node_group_unknown_to_cluster_api;
use super::quota_used_up;
use super::replicas_null;
use super::requester_cannot_delegate;
use super::status_pass_aborted;
use super::unsupported_cni_or_even_masters;
use super::upgrade_needs_workload_api;
use super::upgrade_skips_minor;

/// Every cause.
pub static ALL: &[&Cause] = &[
    &requester_cannot_delegate::CAUSE,
    &helm_missing::CAUSE,
    &management_api_slow::CAUSE,
    &cluster_lock_lost::CAUSE,
    &conflicting_writes::CAUSE,
    &load_balancer_provider_missing::CAUSE,
    &replicas_null::CAUSE,
    &upgrade_skips_minor::CAUSE,
    &kube_tag_missing::CAUSE,
    &upgrade_needs_workload_api::CAUSE,
    &invalid_cluster_field::CAUSE,
    &unsupported_cni_or_even_masters::CAUSE,
    &node_count_patched::CAUSE,
    &node_group_unknown_to_cluster_api::CAUSE,
    &quota_used_up::CAUSE,
    &status_pass_aborted::CAUSE,
    &duplicate_server_group::CAUSE,
];
