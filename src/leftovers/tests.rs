//! Whole clusters in a made-up cloud, and what of them is found.

mod held;
mod others;
mod project;

use serde_json::{Value, json};

use super::{Found, find};
use crate::bundle::Bundle;
use crate::model::{Snapshot, World};

const OURS: &str = "p1";

/// A cloud, its clusters, and who owns what: ids begin with a digit that says whose a thing is.
#[derive(Debug, Clone, Default)]
struct Cloud {
    lists: std::collections::BTreeMap<&'static str, Vec<Value>>,
    next: u32,
}

/// Lists that were read, with the key of their rows.
const LISTS: [(&str, &str); 16] = [
    ("openstack/container-infra/clusters", "clusters"),
    ("openstack/network/ports", "ports"),
    ("openstack/network/security-groups", "security_groups"),
    ("openstack/network/floatingips", "floatingips"),
    ("openstack/network/networks", "networks"),
    ("openstack/network/subnets", "subnets"),
    ("openstack/network/routers", "routers"),
    ("openstack/load-balancer/loadbalancers", "loadbalancers"),
    ("openstack/load-balancer/listeners", "listeners"),
    ("openstack/load-balancer/pools", "pools"),
    ("openstack/compute/servers", "servers"),
    ("openstack/compute/server-groups", "server_groups"),
    ("openstack/volume/volumes", "volumes"),
    ("openstack/volume/snapshots", "snapshots"),
    ("openstack/identity/application_credentials", "application_credentials"),
    ("openstack/identity/projects", "projects"),
];

/// A cluster by its marks.
#[derive(Debug, Clone, Copy)]
struct Cluster<'a> {
    owner: char,
    stack_id: &'a str,
    uuid: &'a str,
    project: &'a str,
}

const UUID: &str = "11111111-2222-4333-8444-555555555555";

fn ours(stack_id: &str) -> Cluster<'_> {
    Cluster { owner: '1', stack_id, uuid: UUID, project: OURS }
}

impl Cloud {
    /// A new id of somebody's.
    fn id(&mut self, owner: char) -> String {
        self.next += 1;
        format!("{owner}0000000-2222-4333-8444-{:012}", self.next)
    }

    /// Puts a row in a list and gives its id back.
    fn add(&mut self, owner: char, key: &'static str, project: &str, mut row: Value) -> String {
        let id = self.id(owner);
        row["id"] = json!(id);
        let field = if key == "volumes" { "os-vol-tenant-attr:tenant_id" } else { "project_id" };
        row[field] = json!(project);
        self.lists.entry(key).or_default().push(row);
        id
    }

    /// Everything that CAPO, the driver, the cloud provider and CSI make for a cluster with one machine.
    fn cluster(&mut self, c: Cluster<'_>) {
        let Cluster { owner, stack_id, uuid, project } = c;
        let by = format!("Created by cluster-api-provider-openstack cluster magnum-system-{stack_id}");
        let net = format!("k8s-clusterapi-cluster-magnum-system-{stack_id}");
        let machine = format!("{stack_id}-default-worker-bcdfg-hjklm-npqrs");
        let network = self.add(owner, "networks", project, json!({"name": net}));
        let subnet = self.add(
            owner,
            "subnets",
            project,
            json!({"name": net, "network_id": network, "description": by}),
        );
        let router = self.add(owner, "routers", project, json!({"name": net, "description": by}));
        self.add(
            owner,
            "ports",
            project,
            json!({"name": "", "network_id": network, "device_id": router,
            "device_owner": "network:router_interface", "fixed_ips": [{"subnet_id": subnet}]}),
        );
        let mut groups = Vec::new();
        for role in ["controlplane", "worker"] {
            let name = format!("k8s-cluster-magnum-system-{stack_id}-secgroup-{role}");
            groups.push(self.add(owner, "security_groups", project, json!({"name": name})));
        }
        let server = self.add(owner, "servers", project, json!({"name": machine, "status": "ACTIVE"}));
        self.add(
            owner,
            "ports",
            project,
            json!({"name": format!("{machine}-0"), "network_id": network,
            "description": format!("Created by cluster-api-provider-openstack cluster {stack_id}"),
            "device_id": server, "device_owner": "compute:nova", "security_groups": [groups[1]]}),
        );
        self.add(
            owner,
            "volumes",
            project,
            json!({"name": format!("{machine}-root"), "status": "in-use", "size": 20,
            "description": format!("Root volume for {machine}"), "attachments": [{"server_id": server}]}),
        );
        for name in [stack_id.to_owned(), format!("{stack_id}-default-worker")] {
            self.add(owner, "server_groups", project, json!({"name": name}));
        }
        self.balancer(c, &format!("{net}-kubeapi"), &by, &network);
        self.add(
            owner,
            "floatingips",
            project,
            json!({"floating_ip_address": "203.0.113.9", "description": by}),
        );
        let service = format!("kube_service_{uuid}_default_web");
        let by_service = format!("Kubernetes external service default/web from cluster {uuid}");
        self.balancer(c, &service, &by_service, &network);
        self.add(
            owner,
            "floatingips",
            project,
            json!({"floating_ip_address": "203.0.113.10",
            "description": format!("Floating IP for {by_service}")}),
        );
        let csi = json!({"cinder.csi.openstack.org/cluster": uuid});
        let data = self.add(
            owner,
            "volumes",
            project,
            json!({"name": "pvc-1", "status": "available", "size": 5, "metadata": csi}),
        );
        self.add(
            owner,
            "snapshots",
            project,
            json!({"name": "snap-1", "volume_id": data, "size": 5, "metadata": {}}),
        );
        self.add(
            owner,
            "application_credentials",
            project,
            json!({"name": uuid, "description": format!("Magnum cluster ({uuid})")}),
        );
    }

    fn balancer(&mut self, c: Cluster<'_>, name: &str, description: &str, network: &str) -> String {
        let id = self.add(
            c.owner,
            "loadbalancers",
            c.project,
            json!({"name": name, "description": description,
            "provisioning_status": "ACTIVE", "vip_network_id": network}),
        );
        let port = self.add(
            c.owner,
            "ports",
            c.project,
            json!({"name": format!("octavia-lb-{id}"), "network_id": network,
            "device_owner": "Octavia", "device_id": format!("lb-{id}")}),
        );
        let rows = self.lists.get_mut("loadbalancers").unwrap();
        rows.last_mut().unwrap()["vip_port_id"] = json!(port);
        id
    }

    /// Takes all rows out that fit.
    fn remove(&mut self, key: &str, fits: impl Fn(&Value) -> bool) {
        self.lists.get_mut(key).unwrap().retain(|row| !fits(row));
    }

    /// The bundle that a run for a forgotten cluster makes.
    fn bundle(&self, target: Cluster<'_>) -> Bundle {
        let mut bundle = Bundle::default();
        let meta = &mut bundle.meta;
        meta.format = 1;
        meta.taken_at = "2026-11-30T21:00:00Z".parse().ok();
        meta.namespace = "magnum-system".to_owned();
        meta.all_clusters = true;
        meta.target.project_id = Some(target.project.to_owned());
        meta.target.stack_id = Some(target.stack_id.to_owned()).filter(|id| !id.is_empty());
        meta.target.uuid = Some(target.uuid.to_owned()).filter(|id| !id.is_empty());
        let kinds = [
            "cluster",
            "openstackcluster",
            "secret",
            "clusterresourceset",
            "machine",
            "openstackmachine",
            "openstackserver",
        ];
        meta.read = kinds.iter().map(|kind| format!("kubernetes/{kind}")).collect();
        for (part, key) in LISTS {
            bundle.meta.read.push(part.to_owned());
            let rows = self.lists.get(key).cloned().unwrap_or_default();
            bundle.take_body(part, json!({ key: rows })).unwrap();
        }
        bundle
    }

    fn find(&self, target: Cluster<'_>) -> Found {
        look(&self.bundle(target))
    }
}

/// What is found of the bundle's target.
fn look(bundle: &Bundle) -> Found {
    let world = World::new(bundle);
    let target = &bundle.meta.target;
    find(&Snapshot::new(&world, "x", target.uuid.as_deref(), target.stack_id.as_deref()))
}

/// How many of each kind were found, as `2 port, 1 network`.
fn kinds(found: &Found) -> String {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for left in &found.leftovers {
        match counts.iter_mut().find(|(kind, _)| *kind == left.thing.kind) {
            Some((_, count)) => *count += 1,
            None => counts.push((left.thing.kind.clone(), 1)),
        }
    }
    counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect::<Vec<_>>().join(", ")
}

/// Commands that remove things, in their order.
fn commands(found: &Found) -> Vec<&str> {
    found.leftovers.iter().filter_map(|left| left.remove.as_deref()).collect()
}
