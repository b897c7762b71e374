//! Who still removes a thing without being told.

use super::item::Item;
use super::kind::Kind;
use super::ties::Ties;
use crate::model::seen::Seen;
use crate::model::{Doc, balancer};
use crate::report::Life;

/// Who removes a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keeper {
    /// The cluster lives and needs it.
    Cluster,
    /// CAPO, in its turn.
    ClusterApi,
    /// The driver: before it deletes the Cluster, or once that is gone.
    Magnum,
    /// Octavia is at it.
    Octavia,
    /// Nobody: it stays until somebody removes it.
    Nobody,
}

impl Keeper {
    /// The word for it in a report.
    pub(super) fn word(self) -> &'static str {
        match self {
            Keeper::Cluster => "cluster",
            Keeper::ClusterApi => "Cluster API",
            Keeper::Magnum => "Magnum",
            Keeper::Octavia => "Octavia",
            Keeper::Nobody => "nobody",
        }
    }
}

/// Who removes the item. What was not read counts as still at work.
pub(super) fn of(ties: &Ties<'_, '_>, life: Life, item: &Item<'_>) -> Keeper {
    match life {
        Life::Live => Keeper::Cluster,
        Life::Deleting => deleting(ties, item),
        Life::Gone | Life::Unknown => Keeper::Nobody,
    }
}

fn deleting(ties: &Ties<'_, '_>, item: &Item<'_>) -> Keeper {
    let kube = &ties.snapshot.kube;
    let capo = || if remains(&kube.openstack_clusters) { Keeper::ClusterApi } else { Keeper::Nobody };
    let machine = || if machine_remains(ties, item) { Keeper::ClusterApi } else { Keeper::Nobody };
    match item.kind {
        Kind::DataVolume | Kind::DataSnapshot => Keeper::Nobody,
        Kind::LoadBalancer if at_work(ties, item) => Keeper::Octavia,
        Kind::LoadBalancer
            if item.name().is_some_and(|n| ties.marks.api_load_balancer().as_deref() == Some(n)) =>
        {
            capo()
        }
        Kind::LoadBalancer => of_services(ties, item),
        Kind::FloatingIp if ties.by_capo(item.row) => {
            // CAPO finds it through the port of the load balancer, and forgets it with that.
            if api_balancer_remains(ties) { capo() } else { Keeper::Nobody }
        }
        Kind::FloatingIp => of_services(ties, item),
        Kind::SecurityGroup if ties.marks.group(item.row.text("name")) => capo(),
        Kind::SecurityGroup => Keeper::Nobody,
        Kind::Router | Kind::Subnet | Kind::Network => capo(),
        Kind::Server | Kind::Volume | Kind::Port | Kind::Trunk => machine(),
        Kind::Object => Keeper::ClusterApi,
        Kind::ServerGroup | Kind::Credential | Kind::ResourceSet | Kind::Secret => {
            if ties.snapshot.magnum.cluster.is_some() || !ties.snapshot.magnum.clusters.whole() {
                Keeper::Magnum
            } else {
                Keeper::Nobody
            }
        }
    }
}

/// True if a list has something, or may have.
fn remains(list: &Seen<Doc<'_>>) -> bool {
    !list.whole() || !list.some().is_empty()
}

/// True if one of the objects is there whose removal takes the thing along. A port is the name of
/// its machine and more, a volume likewise.
fn machine_remains(ties: &Ties<'_, '_>, item: &Item<'_>) -> bool {
    let kube = &ties.snapshot.kube;
    let lists = [&kube.machines, &kube.openstack_machines, &kube.openstack_servers];
    let name = item.row.text("name");
    let made_for =
        |machine: &str| name.strip_prefix(machine).is_some_and(|r| r.is_empty() || r.starts_with('-'));
    let there = lists.iter().flat_map(|list| list.some()).any(|object| made_for(object.name()));
    there || (lists.iter().any(|list| !list.whole()) && item.tie == crate::report::Tie::Exact)
}

fn api_balancer_remains(ties: &Ties<'_, '_>) -> bool {
    let list = &ties.snapshot.cloud.load_balancers;
    !list.whole() || balancer::api(ties.snapshot).is_some()
}

/// The driver removes what its Services made before it deletes the Cluster, if it is described as
/// this cluster's, and never afterwards (magnum_cluster_api/utils.py, delete_loadbalancers).
fn of_services(ties: &Ties<'_, '_>, item: &Item<'_>) -> Keeper {
    let described = item.row.text("description").contains(" from cluster ");
    let clusters = &ties.snapshot.kube.clusters;
    let before = match ties.snapshot.kube.cluster() {
        Some(cluster) => cluster.deleting().is_none(),
        None => !clusters.whole(),
    };
    if described && before { Keeper::Magnum } else { Keeper::Nobody }
}

/// True for a load balancer that Octavia deletes and has not been at for too long.
fn at_work(ties: &Ties<'_, '_>, item: &Item<'_>) -> bool {
    item.kind == Kind::LoadBalancer
        && balancer::status(item.row) == "PENDING_DELETE"
        && balancer::touched(item.row).is_some_and(|at| ties.snapshot.age(at) < balancer::AT_WORK)
}
