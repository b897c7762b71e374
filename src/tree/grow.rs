//! The tree of one cluster, from Magnum down.

use super::row::{self, Ground};
use super::{Mood, Node, Shape, cloud, conditions, machine, workers};
use crate::model::action::Action;
use crate::model::status_reason::StatusReason;
use crate::model::{Doc, Snapshot, Status};

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
        None => no_cluster(ground),
    };
    let gone = doc.is_none() && kube.clusters.whole();
    let rows = children(ground);
    node.children.extend(rows.into_iter().filter(|row| !gone || outlived(row)));
    settle(ground, &mut node);
    node
}

/// The row of a Cluster that was not read or is not there. One that Magnum has only just
/// been asked for may be on its way.
fn no_cluster(ground: Ground<'_, '_>) -> Node {
    let snapshot = ground.snapshot;
    let stack_id = snapshot.marks.stack_id.as_deref();
    let mut node = row::absent(ground, "Cluster", stack_id.unwrap_or_default(), &snapshot.kube.clusters);
    let asked = snapshot.magnum.cluster.and_then(|c| c.time("created_at"));
    if node.mood == Mood::Bad && asked.is_some_and(|at| snapshot.age(at) < row::SETTLES) {
        node.mood = Mood::Unsure;
    }
    if stack_id.is_none() && snapshot.magnum.cluster.is_some() {
        "Magnum has no stack id for it".clone_into(&mut node.message);
    }
    node
}

/// Below a Cluster that is not there only what is there is worth a row.
fn outlived(row: &Node) -> bool {
    let there = row.status != "missing" && !row.status.is_empty();
    there || row.children.iter().any(outlived)
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
    // The whole may have passed for noise because of the parts that were left out.
    if !told.is_empty() && message.starts_with("* ") && node.status == Status::False.word() {
        node.mood = Mood::Bad;
    }
}

/// Reads the rows that sum up others by those: bad if one of them is; not bad while they
/// are on their way, unless the object has a fault of its own.
fn settle(ground: Ground<'_, '_>, node: &mut Node) {
    for child in &mut node.children {
        settle(ground, child);
    }
    let kinds = ["Cluster", "KubeadmControlPlane", "MachineDeployment", "MachineSet"];
    if !kinds.contains(&node.kind.as_str()) || node.status != Status::False.word() {
        return;
    }
    let bad = node.children.iter().any(|child| !child.condition && child.any(Mood::Bad));
    match node.mood {
        Mood::Unsure if bad && node.reason != "deleting" => node.mood = Mood::Bad,
        Mood::Bad if !bad && under_way(ground, node) && !own_fault(ground, node) => node.mood = Mood::Unsure,
        _ => {}
    }
}

/// True for a row whose rows below are being made or changed, or cannot be yet.
fn under_way(ground: Ground<'_, '_>, node: &Node) -> bool {
    let parts = |n: &&Node| !n.condition && n.kind != "Templates";
    if !node.children.iter().any(|c| parts(&c)) {
        let network = ground.snapshot.kube.openstack_cluster();
        return network.is_none_or(|c| !c.is("status.ready") && !c.good("Ready"));
    }
    ground.snapshot.action != Action::Run || waits(node)
}

fn waits(node: &Node) -> bool {
    node.reason.starts_with("waits for ") || node.children.iter().any(waits)
}

/// True if a condition is bad that does not sum up other rows.
fn own_fault(ground: Ground<'_, '_>, node: &Node) -> bool {
    let doc = ground.snapshot.kube.all().find(|d| d.kind() == node.kind && d.name() == node.name);
    let conditions = doc.into_iter().flat_map(|doc| doc.conditions().into_iter().map(move |c| (doc, c)));
    conditions
        .into_iter()
        .any(|(doc, c)| !SUMS.contains(&c.kind) && conditions::mood(ground, doc, &c) == Mood::Bad)
}
