//! What a Neutron port belongs to, and which ports stand in the way of a delete.
//!
//! Sources: kubernetes-sigs/cluster-api-provider-openstack pkg/cloud/services/networking/port.go
//! and pkg/utils/names/names.go (names and descriptions); openstack/octavia
//! octavia/network/drivers/neutron and openstack/ovn-octavia-provider (VIP and health
//! monitor ports); openstack/neutron neutron/db (device owners).

use std::collections::BTreeMap;

use jiff::SignedDuration;

use super::operation::{self, Verb};
use super::seen::Unseen;
use super::snapshot::Snapshot;
use super::{Doc, Message};

/// Whose port it is, as far as deleting it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose<'w> {
    /// CAPO made it for a machine of this cluster, and nothing uses it any more.
    Left,
    /// CAPO made it for a machine of this cluster, and this device has it or may have it.
    Busy(&'w str),
    /// Somebody else's.
    Foreign,
}

/// The load balancer whose virtual address the port is.
#[must_use]
pub fn balancer(port: Doc<'_>) -> Option<&str> {
    let octavia = port.text("device_owner").eq_ignore_ascii_case("octavia")
        || port.text("device_owner") == "ovn-lb:vip";
    let by_device = port.str("device_id").filter(|_| octavia).and_then(|id| id.strip_prefix("lb-"));
    by_device.or_else(|| {
        let name = port.text("name");
        let rest = name.strip_prefix("octavia-lb-").or_else(|| name.strip_prefix("ovn-lb-vip-"))?;
        let id = rest.strip_prefix("additional-").and_then(|r| r.split_once('-')).map_or(rest, |(_, id)| id);
        is_id(id).then_some(id)
    })
}

/// A UUID as OpenStack writes it.
#[must_use]
pub fn is_id(word: &str) -> bool {
    word.len() == 36
        && word.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
        && word.matches('-').count() == 4
}

/// Port ids and other ids in a sentence.
#[must_use]
pub fn ids(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_ascii_hexdigit() && c != '-').filter(|word| is_id(word)).collect()
}

/// Whose port it is. A name alone counts only where no other description speaks against it.
#[must_use]
pub fn whose<'w>(snapshot: &Snapshot<'w>, port: Doc<'w>) -> Whose<'w> {
    if !made_for_a_machine(snapshot, port) {
        return Whose::Foreign;
    }
    let Some(device) = port.str("device_id") else { return Whose::Left };
    let servers = &snapshot.cloud.servers;
    let gone = servers.all().is_ok_and(|rows| !rows.iter().any(|s| s.text("id") == device));
    if gone && port.text("device_owner").starts_with("compute:") { Whose::Left } else { Whose::Busy(device) }
}

fn made_for_a_machine(snapshot: &Snapshot<'_>, port: Doc<'_>) -> bool {
    let Some(stack_id) = &snapshot.marks.stack_id else { return false };
    match port.str("description") {
        Some(description) => {
            let maker = description.strip_prefix("Created by cluster-api-provider-openstack cluster ");
            maker.is_some_and(|name| {
                name == stack_id
                    || name.strip_prefix(&format!("{}-", snapshot.marks.namespace)) == Some(stack_id)
            })
        }
        None => snapshot.marks.names(port.text("name")),
    }
}

/// Id and name, as sentences show a thing.
#[must_use]
pub fn named(row: Doc<'_>) -> String {
    match row.str("name") {
        Some(name) => format!("{} \"{name}\"", row.text("id")),
        None => row.text("id").to_owned(),
    }
}

/// What has the port, in words that fit after a comma.
#[must_use]
pub fn holder(snapshot: &Snapshot<'_>, port: Doc<'_>) -> String {
    if let Some(id) = balancer(port) {
        return format!("the virtual address of load balancer {id}");
    }
    let owner = port.text("device_owner");
    if owner == "ovn-lb-hm:distributed" || port.text("name").starts_with("ovn-lb-hm-") {
        return "a health monitor port of Octavia's OVN provider".to_owned();
    }
    let Some(device) = port.str("device_id") else { return "attached to nothing".to_owned() };
    if owner.starts_with("network:") && owner.contains("router") {
        return format!("an interface of router {device}");
    }
    let servers = &snapshot.cloud.servers;
    if let Some(server) = servers.some().iter().find(|s| s.text("id") == device) {
        return format!("of server {device} \"{}\"", server.text("name"));
    }
    match (owner.starts_with("compute:"), servers.whole()) {
        (true, true) => format!("of server {device}, which the server list does not have"),
        (true, false) => format!("of server {device}"),
        (false, _) => format!("of device {device} ({owner})"),
    }
}

/// True if all machines of the cluster are gone.
///
/// # Errors
/// [`Unseen`] if the lists of machines were not read whole.
pub fn machines_gone(snapshot: &Snapshot<'_>) -> Result<bool, Unseen> {
    let machines = snapshot.kube.machines.all()?;
    let infra = snapshot.kube.openstack_machines.all()?;
    Ok(machines.is_empty() && infra.is_empty() && snapshot.kube.openstack_servers.some().is_empty())
}

/// Ids of the cluster's own security groups with their roles (`control plane`, `worker`).
/// What a whole list lacks is not there any more.
#[must_use]
pub fn groups(snapshot: &Snapshot<'_>) -> BTreeMap<String, String> {
    let mut groups = BTreeMap::new();
    let list = &snapshot.cloud.groups;
    for row in list.some().iter().filter(|g| snapshot.marks.group(g.text("name"))) {
        let role = row.text("name").rsplit_once('-').map(|(_, role)| role).unwrap_or_default();
        groups.insert(row.text("id").to_owned(), role.replace("controlplane", "control plane"));
    }
    if list.whole() {
        return groups;
    }
    let roles = [
        ("controlPlaneSecurityGroup", "control plane"),
        ("workerSecurityGroup", "worker"),
        ("bastionSecurityGroup", "bastion"),
    ];
    for (field, role) in roles {
        let id = snapshot.kube.openstack_cluster().and_then(|c| c.str(&format!("status.{field}.id")));
        if let Some(id) = id {
            groups.entry(id.to_owned()).or_insert_with(|| role.to_owned());
        }
    }
    groups
}

/// Current refusals (409) to delete a thing, with its id: the last word of the path.
pub fn refused<'a>(snapshot: &'a Snapshot<'_>, collection: &str) -> Vec<(&'a Message, &'a str)> {
    let messages = snapshot.said.messages.iter().filter(|m| m.current());
    let wanted = format!("/{collection}/");
    messages
        .filter_map(|m| {
            let api = m
                .api
                .as_ref()
                .filter(|a| a.method.as_deref() == Some("DELETE") && a.status() == Some(409))?;
            let (_, id) = api.path.as_deref()?.split_once(&wanted)?;
            is_id(id).then_some((m, id))
        })
        .collect()
}

/// What is known about the delete of the network that CAPO made for the cluster.
#[derive(Debug)]
pub struct Network<'a, 'w> {
    /// Its id.
    pub id: String,
    /// Current refusals to delete it.
    pub messages: Vec<&'a Message>,
    /// Ports on it that do not go with it or with the cluster's router.
    pub ports: Vec<Doc<'w>>,
    /// Ids that the refusals name and that were not among the ports that were read.
    pub unknown: Vec<String>,
}

/// The managed network, once its turn in the delete has come: its removal was refused, or
/// machines and API load balancer are gone. Nothing if there is no such network.
///
/// # Errors
/// [`Unseen`] if what is needed to say so was not read.
pub fn network<'a, 'w>(snapshot: &'a Snapshot<'w>) -> Result<Option<Network<'a, 'w>>, Unseen> {
    let refusals = refused(snapshot, "networks");
    let id = match refusals.first() {
        Some((_, id)) => (*id).to_owned(),
        None => match turn_of_the_network(snapshot)? {
            Some(id) => id,
            None => return Ok(None),
        },
    };
    let messages: Vec<&Message> =
        refusals.iter().filter(|(_, other)| *other == id).map(|(m, _)| *m).collect();
    let ports: Vec<Doc<'w>> =
        snapshot.cloud.ports.some().iter().copied().filter(|p| p.text("network_id") == id).collect();
    let told =
        messages.iter().filter_map(|m| m.api.as_ref()?.text.as_deref()?.split_once("for these ports is:"));
    let mut unknown: Vec<String> = told.flat_map(|(_, list)| ids(list)).map(str::to_owned).collect();
    unknown.retain(|id| !snapshot.cloud.ports.some().iter().any(|p| p.text("id") == id));
    unknown.sort();
    unknown.dedup();
    let ports = ports.into_iter().filter(|p| stays(snapshot, *p)).collect();
    Ok(Some(Network { id, messages, ports, unknown }))
}

fn turn_of_the_network(snapshot: &Snapshot<'_>) -> Result<Option<String>, Unseen> {
    let deleting = snapshot.kube.cluster().is_some_and(|c| c.deleting().is_some());
    if !deleting || !machines_gone(snapshot)? || removing(snapshot) {
        return Ok(None);
    }
    let api = snapshot.marks.api_load_balancer();
    let balancers = snapshot.cloud.load_balancers.all()?;
    if balancers.iter().any(|l| l.str("name") == api.as_deref() && l.text("provisioning_status") != "DELETED")
    {
        return Ok(None);
    }
    managed_network(snapshot)
}

/// True if CAPO removed something within the last minute: the lists were not read in one
/// moment, so what they say about it may disagree.
fn removing(snapshot: &Snapshot<'_>) -> bool {
    let removed = snapshot.said.events.iter().filter(|e| {
        operation::of_reason(&e.reason).is_some_and(|(done, ok)| ok && done.verb == Verb::Remove)
    });
    removed.filter_map(|e| e.last).any(|at| snapshot.age(at) < SignedDuration::from_mins(1))
}

/// Id of the network that CAPO made for the cluster, by its whole name.
///
/// # Errors
/// [`Unseen`] if neither the networks nor the OpenStackCluster tell it and one of them was
/// not read.
pub fn managed_network(snapshot: &Snapshot<'_>) -> Result<Option<String>, Unseen> {
    let name = snapshot.marks.network();
    let list = &snapshot.cloud.networks;
    let row = list.some().iter().find(|n| name.is_some() && n.str("name") == name.as_deref());
    if let Some(id) = row.and_then(|n| n.str("id")) {
        return Ok(Some(id.to_owned()));
    }
    if list.whole() {
        return Ok(None);
    }
    let infra = snapshot.kube.openstack_clusters.all()?.first().copied();
    let by_status = infra
        .filter(|c| c.str("status.network.name") == name.as_deref())
        .and_then(|c| c.str("status.network.id"));
    if by_status.is_some() { Ok(by_status.map(str::to_owned)) } else { list.all().map(|_| None) }
}

/// What a port on the managed network belongs to.
#[derive(Debug, Clone, Copy)]
pub enum Occupant<'w> {
    /// A load balancer that does not exist any more.
    LostBalancer(&'w str),
    /// A load balancer of a Service: on this network nobody else's cluster has any.
    ServiceBalancer(Doc<'w>),
    /// The API load balancer, which CAPO removes itself.
    ApiBalancer,
    /// A load balancer that somebody else made.
    OtherBalancer(Doc<'w>),
    /// A load balancer of which was not read whether it exists.
    UnseenBalancer(&'w str),
    /// No load balancer.
    None,
}

/// What a port on the managed network belongs to.
#[must_use]
pub fn occupant<'w>(snapshot: &Snapshot<'w>, port: Doc<'w>) -> Occupant<'w> {
    let list = &snapshot.cloud.load_balancers;
    let row = list.some().iter().copied().find(|l| {
        l.str("vip_port_id") == port.str("id") || balancer(port).is_some_and(|id| l.text("id") == id)
    });
    match (row.filter(|l| l.text("provisioning_status") != "DELETED"), balancer(port)) {
        (Some(row), _) if row.str("name") == snapshot.marks.api_load_balancer().as_deref() => {
            Occupant::ApiBalancer
        }
        (Some(row), _) if serves(snapshot, row) => Occupant::ServiceBalancer(row),
        (Some(row), _) => Occupant::OtherBalancer(row),
        (None, Some(id)) if list.whole() || row.is_some() => Occupant::LostBalancer(id),
        (None, Some(id)) => Occupant::UnseenBalancer(id),
        (None, None) => Occupant::None,
    }
}

/// True for the load balancer of a Service. An old cloud controller calls every cluster
/// `kubernetes`, so a load balancer on the cluster's own network counts by its kind of name.
#[must_use]
pub fn serves(snapshot: &Snapshot<'_>, balancer: Doc<'_>) -> bool {
    let (name, description) = (balancer.text("name"), balancer.text("description"));
    snapshot.marks.service_load_balancer(name, description)
        || name.starts_with("kube_service_")
        || (description.starts_with("Kubernetes external service ") && description.contains(" from cluster "))
}

/// False for ports that Neutron removes with the network, and for the interface of the
/// cluster's own router, which CAPO takes away before.
fn stays(snapshot: &Snapshot<'_>, port: Doc<'_>) -> bool {
    let owner = port.text("device_owner");
    if matches!(
        owner,
        "network:dhcp"
            | "network:distributed"
            | "network:floatingip_agent_gateway"
            | "network:router_centralized_snat"
    ) {
        return false;
    }
    let own_router = || {
        let name = snapshot.marks.network();
        let device = port.text("device_id");
        let listed = snapshot
            .cloud
            .routers
            .some()
            .iter()
            .any(|r| r.text("id") == device && r.str("name") == name.as_deref());
        listed || snapshot.kube.openstack_cluster().is_some_and(|c| c.str("status.router.id") == Some(device))
    };
    !(owner.starts_with("network:") && owner.contains("router") && own_router())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn virtual_addresses_name_their_load_balancer() {
        let id = "8c4129ed-f254-408f-b17a-7c1c61c94300";
        let check = |name: &str, owner: &str, device: &str, expected: Option<&str>| {
            let port = json!({"name": name, "device_owner": owner, "device_id": device});
            assert_eq!(balancer(Doc(&port)), expected, "{name} {owner} {device}");
        };
        check("", "Octavia", &format!("lb-{id}"), Some(id));
        check(&format!("octavia-lb-{id}"), "", "", Some(id));
        check(&format!("ovn-lb-vip-{id}"), "", "", Some(id));
        check(&format!("ovn-lb-vip-additional-1-{id}"), "", "", Some(id));
        check(&format!("octavia-lb-vrrp-{id}"), "compute:nova", "s1", None);
        check("octavia-lb-web", "", "", None);
        check("web", "compute:nova", &format!("lb-{id}"), None);
    }

    #[test]
    fn ids_are_found_in_a_list_that_ends_with_a_full_stop() {
        let (a, b) = ("33ecca41-ee43-44ae-a9e8-d8b0611cbe0d", "b8ba4ef7-2a20-477f-9d43-fe4eedce51af");
        assert_eq!(ids(&format!("id for these ports is: {a},{b}.")), [a, b]);
        assert_eq!(ids("no id here, not even deadbeef-dead"), Vec::<&str>::new());
    }
}
