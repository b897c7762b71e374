//! Whether the cluster still exists, and what must have been read to say so.

use crate::model::seen::How;
use crate::model::{Snapshot, World};
use crate::report::Life;

/// Lists in which something of a cluster can be left. Quotas are not among them: they only
/// say what a leftover costs. Listeners and pools go with their load balancers.
const LISTS: [&str; 14] = [
    "openstack/network/ports",
    "openstack/network/security-groups",
    "openstack/network/floatingips",
    "openstack/network/networks",
    "openstack/network/subnets",
    "openstack/network/routers",
    "openstack/load-balancer/loadbalancers",
    "openstack/compute/servers",
    "openstack/compute/server-groups",
    "openstack/volume/volumes",
    "openstack/volume/snapshots",
    "kubernetes/secret",
    "kubernetes/clusterresourceset",
    "kubernetes/openstackcluster",
];

/// What a bundle that was collected for one cluster does not have.
pub const ALL: &str = "the list of all clusters";

/// Whether the cluster lives. Magnum's row and the Cluster object decide; each only if it was read.
pub(super) fn of(snapshot: &Snapshot<'_>) -> Life {
    let cluster = snapshot.kube.cluster();
    let deleting = cluster.is_some_and(|c| c.deleting().is_some());
    let status = snapshot.status();
    let row = snapshot.magnum.cluster.is_some() && status != "DELETE_COMPLETE";
    // A delete that failed before it reached the Cluster has changed next to nothing.
    let failed = status == "DELETE_FAILED" && cluster.is_some();
    let unread_failed = status == "DELETE_FAILED" && cluster.is_none() && !snapshot.kube.clusters.whole();
    match (row, cluster.is_some()) {
        _ if deleting => Life::Deleting,
        _ if unread_failed => Life::Unknown,
        (true, _) if status.starts_with("DELETE_") && !failed => Life::Deleting,
        (true, _) | (false, true) => Life::Live,
        (false, false) if asked_for(snapshot) && unread(snapshot.world).is_empty() => Life::Gone,
        (false, false) => Life::Unknown,
    }
}

/// True if the lists of clusters would have this one: they were read for it, or have them all.
fn asked_for(snapshot: &Snapshot<'_>) -> bool {
    let meta = snapshot.world.meta;
    let (target, marks) = (&meta.target, &snapshot.marks);
    let by_uuid = marks.uuid.is_some() && marks.uuid == target.uuid;
    let by_stack_id = marks.stack_id.is_some() && marks.stack_id == target.stack_id;
    meta.all_clusters || by_uuid || by_stack_id
}

/// The two lists of clusters that were not read whole.
fn unread(world: &World<'_>) -> Vec<String> {
    missing(world, &["openstack/container-infra/clusters", "kubernetes/cluster"])
}

fn missing(world: &World<'_>, parts: &[&str]) -> Vec<String> {
    parts.iter().filter(|part| world.how(part) != How::Whole).map(|part| (*part).to_owned()).collect()
}

/// Parts without which nobody can say that nothing is left.
#[must_use]
pub fn needs(world: &World<'_>, life: Life) -> Vec<String> {
    let mut needs = missing(world, &LISTS);
    if life == Life::Unknown {
        needs.extend(unread(world));
        if !world.meta.all_clusters {
            needs.push(ALL.to_owned());
        }
    }
    needs
}
