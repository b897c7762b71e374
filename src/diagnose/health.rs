//! Whether a cluster is healthy: the conditions and numbers of a cluster that is.
//!
//! Observed on real clusters of both contracts that had been brought to *_COMPLETE.
//! Types that are not in the tables are not compared; what the noise rules name, and
//! summaries made of nothing else, do not count.

use super::compared::compared;
use crate::causes::kit;
use crate::model::snapshot::Snapshot;
use crate::model::{Condition, Doc, Message, Source, noise, version, waits};
use crate::report::Evidence;

/// What was found wrong, and what could not be seen.
#[derive(Debug, Default)]
pub(super) struct Health {
    /// Deviations, the deepest first.
    pub(super) ills: Vec<Evidence>,
    /// Vital parts that were not read whole.
    pub(super) unseen: Vec<String>,
    /// Oddities that are no illness.
    pub(super) notes: Vec<String>,
    /// Sentence for a healthy cluster.
    pub(super) summary: String,
}

/// Parts without which nobody may say "healthy".
const VITAL: [&str; 14] = [
    "openstack/container-infra/clusters",
    "openstack/container-infra/nodegroups",
    "kubernetes/cluster",
    "kubernetes/openstackcluster",
    "kubernetes/kubeadmcontrolplane",
    "kubernetes/machinedeployment",
    "kubernetes/machine",
    "kubernetes/openstackmachine",
    "kubernetes/openstackserver",
    "kubernetes/machinehealthcheck",
    "kubernetes/deployment",
    "kubernetes/pod",
    "openstack/compute/servers",
    "openstack/load-balancer/loadbalancers",
];

/// Holds the cluster against what a healthy one shows.
pub(super) fn examine(snapshot: &Snapshot<'_>) -> Health {
    let mut health = Health { unseen: snapshot.unread(&VITAL), ..Health::default() };
    machines(snapshot, &mut health);
    for doc in snapshot.kube.all().chain(class(snapshot)) {
        for condition in doc.conditions() {
            examine_condition(snapshot, doc, condition, &mut health);
        }
        if doc.kind() != "ClusterClass" {
            generation(snapshot, doc, &mut health);
            standing(snapshot, doc, &mut health);
        }
    }
    numbers(snapshot, &mut health);
    clouds(snapshot, &mut health);
    magnum(snapshot, &mut health);
    controllers(snapshot, &mut health);
    health.summary = summary(snapshot);
    health
}

/// The ClusterClass of the cluster: shared, and written anew by every create.
fn class<'w>(snapshot: &Snapshot<'w>) -> Option<Doc<'w>> {
    let cluster = snapshot.kube.cluster()?;
    let name = cluster.str("spec.topology.classRef.name").or_else(|| cluster.str("spec.topology.class"))?;
    snapshot.kube.classes.some().iter().copied().find(|c| c.name() == name)
}

fn ill(snapshot: &Snapshot<'_>, health: &mut Health, doc: Doc<'_>, words: String) {
    let place = kit::kubectl_get(snapshot, doc.kind(), doc.name());
    health.ills.push(kit::seen(format!("{} {}", doc.kind(), doc.name()), place, words));
}

fn examine_condition(snapshot: &Snapshot<'_>, doc: Doc<'_>, condition: Condition<'_>, health: &mut Health) {
    if condition.good() || !compared(doc.kind()).contains(&condition.kind) {
        return;
    }
    if only_a_left_node(&condition) {
        // A summary of one line needs no bullet.
        let words = condition.message.trim().trim_start_matches("* ");
        health.notes.push(format!("{} {}: {words}", doc.kind(), doc.name()));
        return;
    }
    if noise::of(snapshot, &message(snapshot, doc, &condition)).is_some()
        || only_noise(snapshot, doc, &condition)
    {
        return;
    }
    let reason = if condition.reason.is_empty() { String::new() } else { format!(" {}", condition.reason) };
    let text = if condition.message.is_empty() { String::new() } else { format!(": {}", condition.message) };
    ill(snapshot, health, doc, format!("{} {}{reason}{text}", condition.kind, condition.status.word()));
}

fn message(snapshot: &Snapshot<'_>, doc: Doc<'_>, condition: &Condition<'_>) -> Message {
    let source =
        Source::Condition(condition.kind.to_owned(), condition.status, condition.severity.map(str::to_owned));
    let mut message =
        Message::new(source, doc.kind(), doc.name(), condition.reason, condition.message, snapshot.taken_at);
    message.since = condition.since;
    message
}

/// After a scale-down or rollout a Node object can stay: its machine is gone, nothing is ill.
fn only_a_left_node(condition: &Condition<'_>) -> bool {
    let mut lines = condition.message.lines().map(str::trim).filter(|l| !l.is_empty()).peekable();
    condition.kind == "ControlPlaneComponentsHealthy"
        && lines.peek().is_some()
        && lines.all(|l| l.contains("does not have a corresponding Machine"))
}

/// A summary (Available, Ready) repeats other conditions as a list: it counts only if one
/// of those does.
fn only_noise(snapshot: &Snapshot<'_>, doc: Doc<'_>, condition: &Condition<'_>) -> bool {
    if !matches!(condition.kind, "Available" | "Ready") {
        return false;
    }
    let mut items = condition.message.lines().filter_map(|l| l.strip_prefix("* ")).peekable();
    if items.peek().is_none() {
        return false;
    }
    items.all(|item| {
        let (kind, text) = item.split_once(':').unwrap_or((item, ""));
        let Some(part) = doc.condition(kind.trim()) else { return false };
        let repeated =
            Condition { message: if text.trim().is_empty() { part.message } else { text.trim() }, ..part };
        part.good()
            || only_a_left_node(&part)
            || noise::of(snapshot, &message(snapshot, doc, &repeated)).is_some()
    })
}

/// `status.observedGeneration` of the object, where it has one. A condition's own lags for
/// ever on conditions that do not change.
fn generation(snapshot: &Snapshot<'_>, doc: Doc<'_>, health: &mut Health) {
    let (Some(seen), Some(now)) = (doc.int("status.observedGeneration"), doc.int("metadata.generation"))
    else {
        return;
    };
    if seen < now {
        ill(snapshot, health, doc, format!("its controller has seen generation {seen} of {now}"));
    }
}

/// What is being deleted, or was never summed up by its controller, is not as it should be.
fn standing(snapshot: &Snapshot<'_>, doc: Doc<'_>, health: &mut Health) {
    if let Some(at) = doc.deleting() {
        ill(snapshot, health, doc, format!("being deleted for {}", kit::age(snapshot.age(at))));
    }
    let summed = matches!(doc.kind(), "Cluster" | "KubeadmControlPlane" | "MachineDeployment");
    if summed && ["Available", "Ready"].iter().all(|kind| doc.condition(kind).is_none()) {
        ill(snapshot, health, doc, "no condition Available or Ready yet".to_owned());
    }
}

fn machines(snapshot: &Snapshot<'_>, health: &mut Health) {
    // OpenStackServers are CAPO 0.11's and newer's.
    let new = snapshot.capo().and_then(|v| version::at_least(v, "0.11")) == Some(true);
    let with_servers = !snapshot.kube.openstack_servers.some().is_empty() || new;
    for node in &snapshot.nodes {
        let Some(machine) = node.machine else {
            if let Some(doc) = node.infra.or(node.server) {
                ill(snapshot, health, doc, "it has no Machine".to_owned());
            }
            continue;
        };
        for kind in ["Ready", "NodeHealthy"] {
            if machine.condition(kind).is_none() {
                ill(snapshot, health, machine, format!("no condition {kind} yet"));
            }
        }
        if node.infra.is_none() && snapshot.kube.openstack_machines.whole() {
            ill(snapshot, health, machine, "its OpenStackMachine does not exist".to_owned());
        }
        if with_servers && !node.server.is_some_and(|s| s.good("Ready")) {
            let state = node.server.map_or("missing", |s| s.text("status.instanceState"));
            ill(snapshot, health, machine, format!("its OpenStackServer is not Ready ({state})"));
        }
        nova(snapshot, node, machine, health);
    }
}

fn nova(snapshot: &Snapshot<'_>, node: &crate::model::node::Node<'_>, machine: Doc<'_>, health: &mut Health) {
    let Ok(_) = snapshot.cloud.servers.all() else { return };
    match node.nova {
        None => ill(snapshot, health, machine, "Nova has no server of it".to_owned()),
        Some(server) if server.text("status") != "ACTIVE" => {
            let place = format!("openstack server show {}", server.text("id"));
            let words = format!("status {}", server.text("status"));
            health.ills.push(kit::seen(format!("Nova server {}", server.text("name")), place, words));
        }
        Some(_) => {}
    }
}

fn numbers(snapshot: &Snapshot<'_>, health: &mut Health) {
    for doc in snapshot.kube.control_planes.some().iter().chain(snapshot.kube.deployments.some()) {
        let Some(wanted) = doc.int("spec.replicas") else { continue };
        for (name, value) in replicas(*doc) {
            if value != wanted {
                ill(snapshot, health, *doc, format!("{value} of {wanted} replicas {name}"));
            }
        }
    }
    for check in snapshot.kube.health_checks.some() {
        let (expected, healthy) = (
            check.int("status.expectedMachines").unwrap_or(0),
            check.int("status.currentHealthy").unwrap_or(0),
        );
        if healthy < expected {
            ill(snapshot, health, *check, format!("{healthy} of {expected} machines are healthy"));
        }
    }
    let objects = &snapshot.kube;
    for (list, what) in [
        (&objects.clusters, "Cluster"),
        (&objects.openstack_clusters, "OpenStackCluster"),
        (&objects.control_planes, "KubeadmControlPlane"),
    ] {
        if list.whole() && list.some().is_empty() {
            let place = format!("kubectl -n {} get {}", snapshot.marks.namespace, what.to_ascii_lowercase());
            health.ills.push(kit::seen(what, place, "does not exist"));
        }
    }
}

/// Numbers of a KubeadmControlPlane or MachineDeployment; the old contract leaves out
/// what is 0, and counts what is not available.
fn replicas(doc: Doc<'_>) -> Vec<(&'static str, i64)> {
    let count = |path: &str| doc.int(path).unwrap_or(0);
    let total = count("status.replicas");
    let up_to_date = doc.int("status.upToDateReplicas").unwrap_or_else(|| count("status.updatedReplicas"));
    let available =
        doc.int("status.availableReplicas").unwrap_or_else(|| total - count("status.unavailableReplicas"));
    vec![
        ("exist", total),
        ("are up to date", up_to_date),
        ("are ready", count("status.readyReplicas")),
        ("are available", available),
    ]
}

fn clouds(snapshot: &Snapshot<'_>, health: &mut Health) {
    let (Some(name), Ok(rows)) = (snapshot.marks.api_load_balancer(), snapshot.cloud.load_balancers.all())
    else {
        return;
    };
    let wanted =
        snapshot.kube.openstack_cluster().is_some_and(|c| c.is("spec.apiServerLoadBalancer.enabled"));
    match rows.iter().find(|l| l.text("name") == name) {
        None if wanted => {
            let place = format!("openstack loadbalancer show {name}");
            health.ills.push(kit::seen("Octavia", place, "the API load balancer does not exist"));
        }
        Some(found) if found.text("provisioning_status") != "ACTIVE" => {
            let place = format!("openstack loadbalancer show {}", found.text("id"));
            let words = format!("provisioning_status {}", found.text("provisioning_status"));
            health.ills.push(kit::seen("API load balancer", place, words));
        }
        _ => {}
    }
}

fn magnum(snapshot: &Snapshot<'_>, health: &mut Health) {
    let cluster = snapshot.marks.uuid.as_deref().unwrap_or(&snapshot.asked_for);
    let place = format!("openstack coe cluster show {cluster}");
    if snapshot.magnum.clusters.whole() && snapshot.magnum.cluster.is_none() {
        health.ills.push(kit::seen("Magnum", place.clone(), "has no such cluster"));
    } else if snapshot.magnum.cluster.is_some() && !snapshot.status().ends_with("_COMPLETE") {
        health.ills.push(kit::seen("Magnum cluster", place, format!("status {}", snapshot.status())));
    }
    for group in snapshot.magnum.groups.some() {
        let status = group.text("status");
        made(snapshot, *group, health);
        if !status.is_empty() && !status.ends_with("_COMPLETE") {
            let place = format!("openstack coe nodegroup show {cluster} {}", group.text("name"));
            health.ills.push(kit::seen(
                format!("node group {}", group.text("name")),
                place,
                format!("status {status}"),
            ));
        }
    }
}

/// A worker group is real by its MachineDeployment. How many nodes it has is only a note: the
/// autoscaler changes the number behind Magnum's back.
fn made(snapshot: &Snapshot<'_>, group: Doc<'_>, health: &mut Health) {
    let (name, deployments) = (group.text("name"), &snapshot.kube.deployments);
    if group.text("role") == "master" || name.is_empty() || !deployments.whole() {
        return;
    }
    let label = "topology.cluster.x-k8s.io/deployment-name";
    let Some(made) = deployments.some().iter().find(|d| d.label(label) == Some(name)) else {
        let place = format!("kubectl -n {} get machinedeployments", snapshot.marks.namespace);
        health.ills.push(kit::seen(format!("node group {name}"), place, "has no MachineDeployment"));
        return;
    };
    let (magnum, kube) = (group.int("node_count"), made.int("spec.replicas"));
    if let (Some(magnum), Some(kube)) = (magnum, kube)
        && magnum != kube
    {
        health
            .notes
            .push(format!("node group {name}: Magnum counts {magnum} nodes, Cluster API wants {kube}"));
    }
}

fn controllers(snapshot: &Snapshot<'_>, health: &mut Health) {
    for provider in [waits::CORE, waits::KCP, waits::BOOTSTRAP, waits::CAPO] {
        if matches!(snapshot.controller(provider), Ok(None)) {
            let place = format!("kubectl get deployments -A -l cluster.x-k8s.io/provider={provider}");
            health.ills.push(kit::seen(format!("controller {provider}"), place, "does not exist"));
        }
    }
    for controller in snapshot.controllers.iter().filter(|c| c.down()) {
        let kind = controller.kind.to_ascii_lowercase();
        let place = format!("kubectl -n {} get {kind} {}", controller.namespace, controller.name);
        let words = controller.waiting().unwrap_or_else(|| "no replica is ready".to_owned());
        health.ills.push(kit::seen(format!("controller {}", controller.name), place, words));
    }
}

fn summary(snapshot: &Snapshot<'_>) -> String {
    let count = |control_plane: bool| {
        snapshot.nodes.iter().filter(|n| n.machine.is_some() && n.control_plane == control_plane).count()
    };
    let masters = kit::plural(count(true), "control plane machine", "control plane machines");
    let (workers, are) = match count(false) {
        0 => (String::new(), if count(true) == 1 { "is" } else { "are" }),
        n => (format!(" and {}", kit::plural(n, "worker", "workers")), "are"),
    };
    let wanted =
        snapshot.kube.openstack_cluster().is_some_and(|c| c.is("spec.apiServerLoadBalancer.enabled"));
    let load_balancer = if wanted { ", the API load balancer is ACTIVE" } else { "" };
    format!("nothing is wrong: {masters}{workers} {are} Ready{load_balancer}")
}
