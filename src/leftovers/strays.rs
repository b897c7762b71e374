//! Marks of clusters that neither Magnum nor the management cluster knows.

use std::collections::{BTreeMap, BTreeSet};

use super::item;
use super::ties::{BY_CAPO, CSI_CLUSTER, Ties, is_driver_made};
use crate::model::plan::is_uuid;
use crate::model::snapshot::stack_id;
use crate::model::{Doc, World};

/// A cluster of which only its mark is left.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stray {
    /// Stack id, if things of CAPO or of the driver are left.
    pub stack_id: Option<String>,
    /// Magnum UUID, if things of the cluster's cloud provider are left.
    pub uuid: Option<String>,
}

/// Rows of a list that are of the project that was read: an admin's lists have others' too.
fn rows<'w>(world: &World<'w>, part: &str, key: &str) -> Vec<Doc<'w>> {
    let project = world.meta.target.project_id.as_deref();
    let own = |row: &Doc<'w>| project.is_none() || item::project(*row).is_none_or(|its| Some(its) == project);
    world.rows(part, key).some().iter().copied().filter(own).collect()
}

/// Stack ids in names and descriptions that only CAPO writes.
pub(super) fn stack_ids(world: &World<'_>) -> BTreeSet<String> {
    let namespace = world.namespace;
    let framed = |part: &str, key: &str, start: &str, ends: &[&str]| {
        let front = format!("{start}{namespace}-");
        let rows = rows(world, part, key);
        let names = rows.iter().filter_map(|row| row.text("name").strip_prefix(&front));
        let ids = names.filter_map(|rest| ends.iter().find_map(|end| rest.strip_suffix(end)));
        ids.map(str::to_owned).collect::<BTreeSet<String>>()
    };
    let roles = ["-secgroup-controlplane", "-secgroup-worker", "-secgroup-bastion"];
    let net = "k8s-clusterapi-cluster-";
    let mut ids = framed("openstack/network/security-groups", "security_groups", "k8s-cluster-", &roles);
    ids.extend(framed("openstack/network/networks", "networks", net, &[""]));
    ids.extend(framed("openstack/network/subnets", "subnets", net, &[""]));
    ids.extend(framed("openstack/network/routers", "routers", net, &[""]));
    ids.extend(framed("openstack/load-balancer/loadbalancers", "loadbalancers", net, &["-kubeapi"]));
    let front = format!("{namespace}-");
    let described = [("openstack/network/floatingips", "floatingips"), ("openstack/network/ports", "ports")];
    for (part, key) in described {
        let rows = rows(world, part, key);
        let makers = rows.iter().filter_map(|row| row.text("description").strip_prefix(BY_CAPO));
        // Ports have the bare name of the Cluster, or the namespace before it (CAPO 0.10).
        ids.extend(makers.map(|maker| maker.strip_prefix(&front).unwrap_or(maker).to_owned()));
    }
    ids.retain(|id| !id.is_empty());
    ids
}

/// Stack ids of the driver's shape in the names of server groups, which nothing else frames.
fn grouped(world: &World<'_>) -> BTreeSet<String> {
    let rows = rows(world, "openstack/compute/server-groups", "server_groups");
    let whole = |name: &str| name.get(..10).filter(|id| is_driver_made(id)).map(str::to_owned);
    let plain = |rest: Option<&str>| rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
    let names = rows.iter().map(|row| row.text("name"));
    names.filter(|name| plain(name.get(10..))).filter_map(whole).collect()
}

/// Magnum UUIDs in what a cluster's own cloud provider and CSI driver made, and in the names of
/// application credentials that the driver made, each with the networks that it is seen on.
fn uuids(world: &World<'_>) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut add = |uuid: Option<&str>, network: Option<&str>| {
        if let Some(uuid) = uuid.filter(|uuid| uuid.contains('-') && is_uuid(uuid)) {
            found.entry(uuid.to_owned()).or_default().extend(network.map(str::to_owned));
        }
    };
    let behind = |row: Doc<'_>, word: &str| {
        row.str("description").and_then(|d| d.rsplit_once(word)).map(|(_, uuid)| uuid.to_owned())
    };
    for row in rows(world, "openstack/load-balancer/loadbalancers", "loadbalancers") {
        let by_name = row.text("name").strip_prefix("kube_service_").and_then(|rest| rest.split_once('_'));
        let network = row.str("vip_network_id");
        add(by_name.map(|(uuid, _)| uuid), network);
        if row.text("description").starts_with("Kubernetes ") {
            add(behind(row, " from cluster ").as_deref(), network);
        }
    }
    for row in rows(world, "openstack/network/floatingips", "floatingips") {
        if row.text("description").starts_with("Floating IP for Kubernetes ") {
            add(behind(row, " from cluster ").as_deref(), None);
        }
    }
    for row in rows(world, "openstack/network/security-groups", "security_groups") {
        if row.text("name").starts_with("lb-sg-") {
            add(behind(row, " in cluster ").as_deref(), None);
        }
    }
    for (part, key) in [("openstack/volume/volumes", "volumes"), ("openstack/volume/snapshots", "snapshots")]
    {
        for row in rows(world, part, key) {
            add(row.at("metadata").and_then(|m| m.get(CSI_CLUSTER)?.as_str()), None);
        }
    }
    for row in rows(world, "openstack/identity/application_credentials", "application_credentials") {
        let name = row.text("name");
        if row.text("description") == format!("Magnum cluster ({name})") {
            add(Some(name), None);
        }
    }
    found
}

/// The clusters whose mark something in the project carries, and that nobody knows. A UUID and a
/// stack id are one cluster's if a load balancer with the one is on the network with the other.
#[must_use]
pub fn strays(world: &World<'_>) -> Vec<Stray> {
    let known = Known::of(world);
    let mut ids = stack_ids(world);
    let more: Vec<String> = grouped(world).into_iter().filter(|id| !ids.contains(id)).collect();
    ids.extend(more);
    ids.retain(|id| !known.stack_ids.contains(id));
    let networks = networks(world);
    let mut left: Vec<(String, BTreeSet<String>)> =
        uuids(world).into_iter().filter(|(uuid, _)| !known.uuids.contains(uuid)).collect();
    let mut found = Vec::new();
    for id in ids {
        let at =
            left.iter().position(|(_, on)| networks.get(&id).is_some_and(|network| on.contains(network)));
        let uuid = at.map(|at| left.remove(at).0);
        found.push(Stray { stack_id: Some(id), uuid });
    }
    found.extend(left.into_iter().map(|(uuid, _)| Stray { stack_id: None, uuid: Some(uuid) }));
    found
}

/// Stack id to the network that CAPO made for it.
fn networks(world: &World<'_>) -> BTreeMap<String, String> {
    let front = format!("k8s-clusterapi-cluster-{}-", world.namespace);
    let rows = rows(world, "openstack/network/networks", "networks");
    let named = rows.iter().filter_map(|row| {
        Some((row.text("name").strip_prefix(&front)?.to_owned(), row.str("id")?.to_owned()))
    });
    named.collect()
}

/// What Magnum and the management cluster know.
struct Known {
    stack_ids: BTreeSet<String>,
    uuids: BTreeSet<String>,
}

impl Known {
    fn of(world: &World<'_>) -> Known {
        let rows = world.rows("openstack/container-infra/clusters", "clusters");
        let objects = world.objects("cluster");
        let mut stack_ids: BTreeSet<String> = objects.some().iter().map(|c| c.name().to_owned()).collect();
        stack_ids.extend(rows.some().iter().filter_map(|row| stack_id(*row)).map(str::to_owned));
        let labels = objects.some().iter().filter_map(|c| c.label("cluster-uuid"));
        let mut uuids: BTreeSet<String> = labels.map(str::to_owned).collect();
        uuids.extend(rows.some().iter().filter_map(|row| row.str("uuid")).map(str::to_owned));
        Known { stack_ids, uuids }
    }
}

/// The Magnum UUID of a cluster of which only the stack id is known, or the other way round, if a
/// load balancer on the cluster's own network tells it, or the label of the driver's Secret.
#[must_use]
pub fn other_half(world: &World<'_>, uuid: Option<&str>, stack_id: Option<&str>) -> Option<Stray> {
    let networks = networks(world);
    let on_network = |network: &String| {
        let uuids = uuids(world);
        uuids.into_iter().find(|(_, on)| on.contains(network)).map(|(uuid, _)| uuid)
    };
    match (uuid, stack_id) {
        (None, Some(id)) => {
            let secrets = world.objects("secret");
            let mut logins =
                secrets.some().iter().filter(|s| s.name().strip_suffix("-cloud-config") == Some(id));
            let label = logins.find_map(|secret| secret.label("cluster-uuid")).map(str::to_owned);
            let uuid = label.or_else(|| on_network(networks.get(id)?))?;
            Some(Stray { stack_id: Some(id.to_owned()), uuid: Some(uuid) })
        }
        (Some(uuid), None) => {
            let on = uuids(world).remove(uuid)?;
            let (id, _) = networks.into_iter().find(|(_, network)| on.contains(network))?;
            Some(Stray { stack_id: Some(id), uuid: Some(uuid.to_owned()) })
        }
        _ => None,
    }
}

/// Where only one of the two keys is known: what carries the other kind of key and is nobody's may
/// be this cluster's, so nobody can say that nothing is left.
pub(super) fn unattributed(ties: &Ties<'_, '_>) -> Option<String> {
    let world = ties.snapshot.world;
    let (what, kinds) = match (&ties.marks.uuid, &ties.marks.stack_id) {
        (None, Some(_)) => ("Magnum UUID", "load balancers of Services, volumes of pods"),
        (Some(_), None) => ("stack id", "network, groups, servers, ports"),
        _ => return None,
    };
    if !world.meta.all_clusters {
        return Some(format!(
            "the cluster's {what} is not known, so nothing that carries it was found: {kinds}"
        ));
    }
    let half = |stray: &Stray| match (&stray.uuid, &stray.stack_id) {
        (Some(uuid), None) if ties.marks.uuid.is_none() => Some(uuid.clone()),
        (None, Some(id)) if ties.marks.stack_id.is_none() => Some(id.clone()),
        _ => None,
    };
    let ids: Vec<String> = strays(world).iter().filter_map(half).collect();
    let first = ids.first()?;
    let project = ties.snapshot.project_id().map(|p| format!(" --project {p}")).unwrap_or_default();
    Some(format!(
        "the cluster's {what} is not known, and things in the project carry one that nobody knows ({}); \
         if it is this cluster's, see: kubectl magnum leftovers {first}{project}",
        ids.join(", ")
    ))
}
