//! Load balancers: the one before the Kubernetes API, and those of the cluster's Services.

use super::item::{Item, thing};
use super::kind::Kind;
use super::ties::Ties;
use crate::model::balancer::status;
use crate::model::{Doc, port};
use crate::report::{Thing, Tie};

/// Name and description that the cluster's cloud provider gives to the load balancer of a Service
/// (pkg/openstack/loadbalancer.go).
const BY_SERVICE: &str = "kube_service_";

/// The cluster's load balancers, each with what is deleted with it.
pub(super) fn items<'w>(ties: &Ties<'_, 'w>) -> Vec<Item<'w>> {
    let rows = ties.snapshot.cloud.load_balancers.some().iter().copied();
    let alive = rows.filter(|row| status(*row) != "DELETED" && ties.own(*row));
    alive.filter_map(|row| item(ties, row)).collect()
}

fn item<'w>(ties: &Ties<'_, 'w>, row: Doc<'w>) -> Option<Item<'w>> {
    let (tie, tied_by, shared) = tie(ties, row)?;
    let mut item = Item::new(Kind::LoadBalancer, row, tie, tied_by).takes("loadbalancer", 1);
    item.shared = shared;
    let listeners = parts(ties.snapshot.cloud.listeners.some(), row, "listeners", "listener");
    let pools = parts(ties.snapshot.cloud.pools.some(), row, "pools", "pool");
    item = item.takes("listener", count(&listeners)).takes("pool", count(&pools));
    item.quota.retain(|_, n| *n > 0);
    item.with = listeners;
    item.with.extend(pools);
    if let Some(port) = address(ties, row) {
        item = item.takes("port", 1);
        item.with.push(thing("port", port));
    }
    Some(item)
}

/// What ties it, and whether it serves somebody else, too.
fn tie(ties: &Ties<'_, '_>, row: Doc<'_>) -> Option<(Tie, &'static str, bool)> {
    let marks = &ties.marks;
    if row.str("name").is_some() && row.str("name") == marks.api_load_balancer().as_deref() {
        return Some((Tie::Exact, "name (stack id)", false));
    }
    let ours = marks.uuid.as_ref().map(|uuid| format!("{BY_SERVICE}{uuid}_"));
    let ours = |name: &str| ours.as_ref().is_some_and(|ours| name.starts_with(ours));
    let tags = row.strings("tags");
    // A load balancer that several Services share has a tag for each of them.
    let foreign = tags.iter().any(|tag| tag.starts_with(BY_SERVICE) && !ours(tag));
    if ours(row.text("name")) {
        return Some((Tie::Exact, "name (Magnum UUID)", foreign));
    }
    if ties.by_cloud_provider(row, "Kubernetes ", "from cluster") {
        return Some((Tie::Exact, "description (Magnum UUID)", foreign));
    }
    if tags.iter().any(|tag| ours(tag)) {
        return Some((Tie::Exact, "tag (Magnum UUID)", true));
    }
    // An old cloud provider calls every cluster `kubernetes`; on the cluster's own network nobody
    // else's has any.
    let network = port::managed_network(ties.snapshot).ok().flatten();
    let here = network.is_some() && row.str("vip_network_id") == network.as_deref();
    (here && port::serves(ties.snapshot, row)).then_some((
        Tie::ByReference,
        "the cluster's own network",
        foreign,
    ))
}

/// Listeners or pools of a load balancer.
fn parts(rows: &[Doc<'_>], balancer: Doc<'_>, field: &str, kind: &str) -> Vec<Thing> {
    let ids: Vec<&str> = balancer.list(field).filter_map(|part| part.str("id")).collect();
    let named = |id: &str| rows.iter().find(|row| row.text("id") == id).and_then(|row| row.str("name"));
    let one = |id: &&str| Thing {
        kind: kind.to_owned(),
        id: (*id).to_owned(),
        name: named(id).map(str::to_owned),
        project: None,
    };
    ids.iter().map(one).collect()
}

fn count(things: &[Thing]) -> u64 {
    u64::try_from(things.len()).unwrap_or(u64::MAX)
}

/// The port that Octavia made for its virtual address. One that the user brought stays.
pub(super) fn address<'w>(ties: &Ties<'_, 'w>, balancer: Doc<'_>) -> Option<Doc<'w>> {
    let mut ports = ties.snapshot.cloud.ports.some().iter().copied();
    ports.find(|p| port::balancer(*p).is_some_and(|id| id == balancer.text("id")))
}

/// True for a port that carries an address of the load balancer.
pub(super) fn is_address(port: Doc<'_>, balancer: Doc<'_>) -> bool {
    let by_id = port.str("id").is_some() && port.str("id") == balancer.str("vip_port_id");
    by_id || crate::model::port::balancer(port).is_some_and(|id| id == balancer.text("id"))
}
