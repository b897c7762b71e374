//! The tree of one cluster, from Magnum down.

use super::row::{self, Ground};
use super::{Mood, Node, Shape, cloud, conditions, machine, workers};
use crate::model::action::Action;
use crate::model::status_reason::StatusReason;
use crate::model::{Doc, Snapshot};

/// Condition types of a Cluster, a control plane or a deployment that repeat what the
/// rows below say.
const SUMS: [&str; 14] = [
    "Available",
    "Ready",
    "InfrastructureReady",
    "ControlPlaneInitialized",
    "ControlPlaneAvailable",
    "ControlPlaneReady",
    "WorkersAvailable",
    "ControlPlaneMachinesReady",
    "WorkerMachinesReady",
    "MachinesReady",
    "MachineSetReady",
    "Initialized",
    "Resized",
    "MachinesUpToDate",
];

/// The condition tree of a cluster. The same snapshot and shape give the same tree.
#[must_use]
pub fn grow(snapshot: &Snapshot<'_>, shape: &Shape) -> Node {
    let ground = Ground { snapshot, shape };
    let mut root = magnum(ground);
    root.children.push(cluster(ground));
    root
}

/// What Magnum says. Its reason is shown only where it is Magnum's own: elsewhere it is
/// a copy of the last event, whatever that was.
fn magnum(ground: Ground<'_, '_>) -> Node {
    let snapshot = ground.snapshot;
    let Some(doc) = snapshot.magnum.cluster else {
        return row::absent(ground, "Magnum", &snapshot.asked_for, &snapshot.magnum.clusters);
    };
    let status = doc.text("status");
    let failed = status.ends_with("_FAILED");
    let mood = match status {
        _ if failed => Mood::Bad,
        _ if status.ends_with("_COMPLETE") => Mood::Good,
        _ if status.ends_with("_IN_PROGRESS") => Mood::Unsure,
        _ => Mood::Plain,
    };
    let message = match &snapshot.magnum.reason {
        StatusReason::Failure { text, .. } if failed => text.trim(),
        _ => "",
    };
    Node {
        reason: status.to_owned(),
        message: message.to_owned(),
        since: snapshot.since.at,
        mood,
        folded: doc.str("uuid").map(str::to_owned).into_iter().collect(),
        ..row::plain("Magnum", doc.str("name").unwrap_or(&snapshot.asked_for))
    }
}

fn cluster(ground: Ground<'_, '_>) -> Node {
    let kube = &ground.snapshot.kube;
    let doc = kube.cluster();
    let mut node = match doc {
        Some(doc) => {
            let mut node = row::summary(ground, doc, &row::summaries(doc));
            shorten(ground, doc, &mut node);
            row::finish(ground, doc, &mut node);
            node
        }
        None => row::absent(ground, "Cluster", ground.snapshot.marks.stack_id.as_deref().unwrap_or_default(), &kube.clusters),
    };
    let gone = doc.is_none() && kube.clusters.whole();
    let rows = children(ground);
    // Below a Cluster that is not there only what outlived it is worth a row.
    node.children.extend(rows.into_iter().filter(|row| !gone || row.status != "missing" || !row.children.is_empty()));
    settle(ground, &mut node);
    node
}

fn children(ground: Ground<'_, '_>) -> Vec<Node> {
    let kube = &ground.snapshot.kube;
    let mut rows = cloud::infrastructure(ground);
    rows.extend(resource_sets(ground));
    rows.extend(workers::control_planes(ground));
    rows.extend(workers::workers(ground));
    rows.extend(row::gap(ground, "Machines", &kube.machines));
    rows.extend(row::gap(ground, "OpenStackMachines", &kube.openstack_machines));
    // CAPO before 0.11 has no such kind, so only a refusal that was noted counts.
    let noted = ground.snapshot.world.gap(kube.openstack_servers.part()).is_some();
    rows.extend(row::gap(ground, "OpenStackServers", &kube.openstack_servers).filter(|_| noted));
    let alone = kube.health_checks.some().iter().filter(|check| workers::is_alone(ground, **check));
    rows.extend(alone.filter_map(|check| workers::health_check(ground, *check)));
    rows.extend(other(ground));
    rows
}

/// Machines of unknown owner, and what is left of machines that are gone.
fn other(ground: Ground<'_, '_>) -> Option<Node> {
    let orphans = ground.snapshot.nodes.iter().filter(|parts| !workers::has_maker(ground, parts));
    row::group("Other", orphans.filter_map(|parts| machine::machine(ground, parts)).collect())
}

fn resource_sets(ground: Ground<'_, '_>) -> Option<Node> {
    if !ground.shape.show_resourcesets {
        return None;
    }
    let sets = &ground.snapshot.kube.resource_sets;
    let mut rows: Vec<Node> =
        sets.some().iter().map(|doc| row::object(ground, *doc, &["ResourcesApplied"])).collect();
    rows.extend(row::gap(ground, "ClusterResourceSet", sets));
    row::group("ClusterResourceSets", rows)
}

/// Leaves of the Cluster's summary what no row below says and what is not noise.
fn shorten(ground: Ground<'_, '_>, doc: Doc<'_>, node: &mut Node) {
    let message = std::mem::take(&mut node.message);
    let mut told = conditions::leaves(&message);
    told.retain(|leaf| {
        let quiet = doc.condition(leaf.top).is_some_and(|c| conditions::quiet(ground, doc, &c));
        !quiet && !SUMS.contains(&leaf.top) && leaf.top != "Deleting"
    });
    node.message = conditions::join(&told);
}

/// While a cluster is made or changed, what sums up other rows is bad only if one of
/// those is, or if it has a fault of its own.
fn settle(ground: Ground<'_, '_>, node: &mut Node) {
    for child in &mut node.children {
        settle(ground, child);
    }
    let kinds = ["Cluster", "KubeadmControlPlane", "MachineDeployment", "MachineSet"];
    let sums = kinds.contains(&node.kind.as_str()) && node.children.iter().any(|c| !c.condition);
    let below = node.children.iter().any(|child| !child.condition && child.any(Mood::Bad));
    if !sums || node.mood != Mood::Bad || below || ground.snapshot.action == Action::Run {
        return;
    }
    let doc = ground.snapshot.kube.all().find(|d| d.kind() == node.kind && d.name() == node.name);
    let own = |doc: Doc<'_>| {
        doc.conditions().iter().any(|c| {
            !SUMS.contains(&c.kind) && conditions::mood(ground, doc, c) == Mood::Bad
        })
    };
    if doc.is_some_and(|doc| !own(doc)) {
        node.mood = Mood::Unsure;
    }
}
