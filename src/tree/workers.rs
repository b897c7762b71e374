//! What makes machines: KubeadmControlPlane, MachineDeployments, MachineSets, and the
//! node groups of Magnum that nothing makes real.

use super::row::{self, Ground};
use super::{Mood, Node, fold, machine};
use crate::model::Doc;
use crate::model::node::Node as Parts;

/// Label that carries the node group's name.
const GROUP: &str = "topology.cluster.x-k8s.io/deployment-name";
/// Label that carries the MachineDeployment's name.
const DEPLOYMENT: &str = "cluster.x-k8s.io/deployment-name";

/// The control planes with their machines; a row for the one that is not there.
pub(super) fn control_planes(ground: Ground<'_, '_>) -> Vec<Node> {
    let kube = &ground.snapshot.kube;
    let docs = kube.control_planes.some();
    let first = docs.first().map(|d| d.name());
    let mut rows = Vec::new();
    for doc in docs {
        let own = |parts: &Parts<'_>| match parts.owner {
            Some(("KubeadmControlPlane", owner)) if docs.iter().any(|d| d.name() == owner) => {
                owner == doc.name()
            }
            _ => first == Some(doc.name()),
        };
        let mut node = maker(ground, *doc);
        node.children.extend(machines(ground, |parts| parts.control_plane && own(parts)));
        node.children.extend(templates(ground, &control_plane_templates(*doc)));
        rows.push(node);
    }
    if docs.is_empty() {
        let name = kube.cluster().and_then(|c| c.str("spec.controlPlaneRef.name"));
        let mut node =
            row::absent(ground, "KubeadmControlPlane", name.unwrap_or_default(), &kube.control_planes);
        node.children = machines(ground, |parts| parts.control_plane);
        if name.is_none() && node.mood == Mood::Bad && node.children.is_empty() {
            node.mood = Mood::Unsure;
            "not made yet".clone_into(&mut node.message);
        }
        rows.push(node);
    }
    rows
}

/// All MachineDeployments, with machines or without, and the node groups that have none.
pub(super) fn workers(ground: Ground<'_, '_>) -> Option<Node> {
    let deployments = &ground.snapshot.kube.deployments;
    let mut rows: Vec<Node> = deployments.some().iter().map(|doc| deployment(ground, *doc)).collect();
    rows.extend(row::gap(ground, "MachineDeployments", deployments));
    if deployments.whole() {
        rows.extend(groups(ground));
    }
    row::group("Workers", rows)
}

/// True if some row other than `Other` shows the machine.
pub(super) fn has_maker(ground: Ground<'_, '_>, parts: &Parts<'_>) -> bool {
    parts.machine.is_some()
        && (parts.control_plane
            || ground.snapshot.kube.deployments.some().iter().any(|d| made_by(ground, parts, *d)))
}

fn deployment(ground: Ground<'_, '_>, doc: Doc<'_>) -> Node {
    let mut node = maker(ground, doc);
    node.folded.extend(doc.label(GROUP).map(str::to_owned));
    if ground.shape.show_machinesets {
        node.children.extend(sets(ground, doc));
    } else {
        node.children.extend(machines(ground, |parts| made_by(ground, parts, doc)));
    }
    let path = "spec.template.spec";
    let names =
        ["bootstrap.configRef", "infrastructureRef"].map(|reference| doc.at(&format!("{path}.{reference}")));
    node.children.extend(templates(ground, &names.map(|n| n.map(Doc))));
    node
}

/// The row of an object that has replicas, with its health check.
fn maker(ground: Ground<'_, '_>, doc: Doc<'_>) -> Node {
    let mut node = row::object(ground, doc, &row::summaries(doc));
    node.replicas = row::replicas(doc);
    let checks = ground.snapshot.kube.health_checks.some().iter().filter(|c| c.name() == doc.name());
    node.children.extend(checks.filter_map(|check| health_check(ground, *check)));
    node
}

/// A MachineHealthCheck that holds back while something is ill.
pub(super) fn health_check(ground: Ground<'_, '_>, check: Doc<'_>) -> Option<Node> {
    if !ground.shape.echo && !machine::holds_back(ground, check) {
        return None;
    }
    let mut node = row::object(ground, check, &["RemediationAllowed"]);
    let wanted = check.int("status.expectedMachines");
    node.replicas = wanted.map(|n| format!("{}/{n}", check.int("status.currentHealthy").unwrap_or(0)));
    Some(node)
}

/// True for a MachineHealthCheck of no object that has a row with replicas.
pub(super) fn is_alone(ground: Ground<'_, '_>, check: Doc<'_>) -> bool {
    let kube = &ground.snapshot.kube;
    !kube.control_planes.some().iter().chain(kube.deployments.some()).any(|d| d.name() == check.name())
}

fn made_by(ground: Ground<'_, '_>, parts: &Parts<'_>, deployment: Doc<'_>) -> bool {
    let Some(machine) = parts.machine.filter(|_| !parts.control_plane) else { return false };
    let set = parts
        .owner
        .filter(|(kind, _)| *kind == "MachineSet")
        .and_then(|(_, name)| ground.snapshot.kube.sets.some().iter().find(|s| s.name() == name));
    if let Some((_, owner)) =
        set.and_then(|s| s.owners().into_iter().find(|(kind, _)| *kind == "MachineDeployment"))
    {
        return owner == deployment.name();
    }
    match machine.label(DEPLOYMENT) {
        Some(name) => name == deployment.name(),
        None => parts.group.is_some() && parts.group == deployment.label(GROUP),
    }
}

fn machines(ground: Ground<'_, '_>, of: impl Fn(&Parts<'_>) -> bool) -> Vec<Node> {
    let nodes = ground.snapshot.nodes.iter().filter(|parts| parts.machine.is_some() && of(parts));
    let rows: Vec<Node> = nodes.filter_map(|parts| machine::machine(ground, parts)).collect();
    if !ground.shape.grouping {
        return rows;
    }
    fold::fold(rows, |row| ground.shape.show_conditions.names(&row.kind, &row.name))
}

/// The MachineSets of a deployment, and its machines of no MachineSet that was read.
fn sets(ground: Ground<'_, '_>, deployment: Doc<'_>) -> Vec<Node> {
    let sets = &ground.snapshot.kube.sets;
    let own = |set: &&Doc<'_>| {
        set.owners().iter().any(|(kind, name)| *kind == "MachineDeployment" && *name == deployment.name())
    };
    let of_set = |parts: &Parts<'_>, set: Doc<'_>| parts.owner == Some(("MachineSet", set.name()));
    let own: Vec<Doc<'_>> = sets.some().iter().filter(own).copied().collect();
    let mut rows: Vec<Node> = own
        .iter()
        .map(|set| {
            let mut node = row::object(ground, *set, &["MachinesReady", "Ready"]);
            // Its message lists the machines, which are rows below.
            node.message.clear();
            node.replicas = row::replicas(*set);
            node.children.extend(machines(ground, |parts| of_set(parts, *set)));
            node
        })
        .collect();
    rows.extend(row::gap(ground, "MachineSets", sets));
    rows.extend(machines(ground, |parts| {
        made_by(ground, parts, deployment) && !own.iter().any(|set| of_set(parts, *set))
    }));
    rows
}

/// Node groups of Magnum without a MachineDeployment.
fn groups(ground: Ground<'_, '_>) -> Vec<Node> {
    let deployments = ground.snapshot.kube.deployments.some();
    let groups = ground.snapshot.magnum.groups.some().iter().filter(|g| g.text("role") != "master");
    let missing = groups.filter(|g| !deployments.iter().any(|d| d.label(GROUP) == g.str("name")));
    let mut rows: Vec<Node> = missing.map(|g| group(ground, *g)).collect();
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    rows
}

fn group(ground: Ground<'_, '_>, group: Doc<'_>) -> Node {
    let status = group.text("status");
    let mut node = row::absent(ground, "NodeGroup", group.text("name"), &ground.snapshot.kube.deployments);
    if node.mood == Mood::Bad && status.ends_with("_IN_PROGRESS") {
        node.mood = Mood::Unsure;
    }
    status.clone_into(&mut node.reason);
    if status.ends_with("_FAILED") {
        group.text("status_reason").trim().clone_into(&mut node.message);
    }
    node.folded.extend(group.str("uuid").map(str::to_owned));
    node
}

/// References to the templates of a control plane, in the places of both contracts.
fn control_plane_templates(doc: Doc<'_>) -> [Option<Doc<'_>>; 1] {
    let places = ["spec.machineTemplate.spec.infrastructureRef", "spec.machineTemplate.infrastructureRef"];
    [places.iter().find_map(|place| doc.at(place)).map(Doc)]
}

fn templates(ground: Ground<'_, '_>, references: &[Option<Doc<'_>>]) -> Option<Node> {
    if !ground.shape.show_templates {
        return None;
    }
    let rows = references.iter().flatten().map(|r| row::plain(r.kind(), r.text("name"))).collect();
    row::group("Templates", rows)
}
