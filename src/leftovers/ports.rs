//! Ports of machines with their trunks, and what Octavia leaves on the cluster's own network.

use super::item::Item;
use super::kind::Kind;
use super::ties::Ties;
use crate::model::balancer::status;
use crate::model::{Doc, port};
use crate::report::Tie;

/// Ports and trunks. `items` has the cluster's networks.
pub(super) fn items<'w>(ties: &Ties<'_, 'w>, items: &[Item<'w>]) -> Vec<Item<'w>> {
    let networks: Vec<&str> = items.iter().filter(|i| i.kind == Kind::Network).map(Item::id).collect();
    let mut found = Vec::new();
    for row in ties.snapshot.cloud.ports.some().iter().copied().filter(|row| ties.own(*row)) {
        if let Some(tied_by) = of_machine(ties, row) {
            found.push(Item::new(Kind::Port, row, Tie::Exact, tied_by).takes("port", 1));
            found.extend(trunk(row, tied_by));
        } else if let Some((tie, tied_by, why)) = debris(ties, &networks, row) {
            let mut item = Item::new(Kind::Port, row, tie, tied_by).takes("port", 1);
            item.why = Some(why);
            found.push(item);
        }
    }
    found
}

/// A port that CAPO made for a machine: by its words, else by a name in the shape of a machine's
/// with a number or a word behind it, unless somebody else described it.
fn of_machine(ties: &Ties<'_, '_>, row: Doc<'_>) -> Option<&'static str> {
    if ties.by_capo(row) {
        return Some("description (stack id)");
    }
    let (machine, _) = row.text("name").rsplit_once('-')?;
    (row.str("description").is_none() && ties.machine(machine)).then_some("name (stack id)")
}

/// The trunk of a port, which has its name (pkg/cloud/services/networking/trunk.go). Neutron shows
/// it with the port, so that no further list is read.
fn trunk<'w>(port: Doc<'w>, tied_by: &str) -> Option<Item<'w>> {
    let id = port.str("trunk_details.trunk_id")?;
    let mut item = Item::new(Kind::Trunk, port, Tie::ByReference, format!("its port, by {tied_by}"));
    item.own_id = Some(id);
    Some(item.takes("trunk", 1))
}

/// A port of Octavia whose load balancer is gone. It has no mark, so only the place tells: a network
/// that CAPO made for this cluster, or that the cluster itself names the load balancer.
fn debris(ties: &Ties<'_, '_>, networks: &[&str], row: Doc<'_>) -> Option<(Tie, &'static str, String)> {
    let here = networks.contains(&row.text("network_id"));
    if let Some(id) = port::balancer(row) {
        let list = &ties.snapshot.cloud.load_balancers;
        let exists = list.some().iter().any(|l| l.text("id") == id && status(*l) != "DELETED");
        if exists || !list.whole() {
            return None;
        }
        let why = format!("the address of load balancer {id}, which does not exist any more");
        let infra = ties.snapshot.kube.openstack_cluster();
        if infra.is_some_and(|c| c.str("status.apiServerLoadBalancer.id") == Some(id)) {
            return Some((Tie::ByReference, "the API load balancer of the OpenStackCluster", why));
        }
        if ties.floating_ip_on(row) {
            return Some((Tie::ByReference, "its floating IP", why));
        }
        return here.then_some((Tie::Blocks, OWN_NETWORK, why));
    }
    let monitor =
        row.text("device_owner") == "ovn-lb-hm:distributed" || row.text("name").starts_with("ovn-lb-hm-");
    (here && monitor)
        .then(|| (Tie::Blocks, OWN_NETWORK, "a health monitor port of Octavia's OVN provider".to_owned()))
}

const OWN_NETWORK: &str = "the cluster's own network";
