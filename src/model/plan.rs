//! From what is known of a cluster to what must be read next. Pure: the same knowledge gives
//! the same questions.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use super::action::Action;
use super::{Doc, Snapshot};

/// What to read after the lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// Logs of controllers and conductors.
    pub logs: Vec<PodLog>,
    /// True if the conductor's log would help; it has no pods here if none of the logs is one.
    pub conductor: bool,
    /// Server whose console may tell why it is no node.
    pub console: Option<String>,
    /// True if a machine waits for a server that is not there: is it the image or the flavor?
    pub images_and_flavors: bool,
    /// Networks of others that the cluster names by id.
    pub networks: Vec<String>,
    /// Security groups of the cluster that a port of another project may hold.
    pub held_groups: Vec<String>,
}

/// A container's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodLog {
    /// Namespace of the pod.
    pub namespace: String,
    /// Pod.
    pub pod: String,
    /// Container.
    pub container: String,
    /// From when on.
    pub since: Timestamp,
    /// True for the log of the container's previous run.
    pub previous: bool,
    /// True for a magnum-conductor.
    pub conductor: bool,
}

/// A change of the Magnum cluster and what the conductor logs about it lie this near.
const AROUND: SignedDuration = SignedDuration::from_mins(5);

/// What to read next. `back` is how far back the controllers' logs are of interest.
#[must_use]
pub fn next(snapshot: &Snapshot<'_>, back: SignedDuration) -> Plan {
    let since = snapshot.taken_at.checked_sub(back).unwrap_or(snapshot.taken_at);
    let conductor = conductor_since(snapshot);
    let mut plan = Plan {
        logs: logs(snapshot, since, conductor),
        conductor: conductor.is_some(),
        networks: networks(snapshot),
        ..Plan::default()
    };
    if snapshot.action == Action::Delete {
        let own = snapshot.cloud.groups.some().iter().filter(|g| snapshot.marks.group(g.text("name")));
        plan.held_groups = own.map(|g| g.text("id").to_owned()).collect();
    } else if let Some(node) = snapshot.nodes.iter().find(|n| !n.joined() && n.deleting().is_none()) {
        plan.console = node.nova.and_then(|n| n.str("id")).map(str::to_owned);
        plan.images_and_flavors = plan.console.is_none();
        // A machine is made once the network is there: then nobody needs those of others.
        if plan.images_and_flavors {
            plan.networks.clear();
        }
    }
    plan
}

fn logs(snapshot: &Snapshot<'_>, since: Timestamp, conductor: Option<Timestamp>) -> Vec<PodLog> {
    let mut logs = Vec::new();
    for pod in snapshot.kube.pods.some().iter().filter(|pod| !waits_for_node(**pod)) {
        let is_conductor = pod.label(super::controller::PROVIDER).is_none();
        let since = match (is_conductor, conductor) {
            (false, _) => since,
            (true, Some(since)) => since,
            (true, None) => continue,
        };
        let Some(container) = container(*pod) else { continue };
        let log = PodLog {
            namespace: pod.namespace().to_owned(),
            pod: pod.name().to_owned(),
            container: container.to_owned(),
            since,
            previous: false,
            conductor: is_conductor,
        };
        if restarted(*pod, container, since) {
            logs.push(PodLog { previous: true, ..log.clone() });
        }
        logs.push(log);
    }
    logs
}

/// True for a pod that no node runs yet. The API server answers 200 and nothing for its log
/// (kubernetes/kubernetes, pkg/registry/core/pod/rest/log.go), which would look like a quiet controller.
fn waits_for_node(pod: Doc<'_>) -> bool {
    pod.str("spec.nodeName").is_none() && pod.text("status.phase") == "Pending"
}

/// The container that does the work: `manager` in every Cluster API provider, else the first.
fn container(pod: Doc<'_>) -> Option<&str> {
    let names: Vec<&str> = pod.list("spec.containers").filter_map(|c| c.str("name")).collect();
    names
        .iter()
        .copied()
        .find(|n| matches!(*n, "manager" | "magnum-conductor"))
        .or_else(|| names.first().copied())
}

fn restarted(pod: Doc<'_>, container: &str, since: Timestamp) -> bool {
    let mut states = pod.list("status.containerStatuses");
    let Some(state) = states.find(|s| s.text("name") == container) else { return false };
    let ended = state.time("lastState.terminated.finishedAt");
    state.int("restartCount").unwrap_or(0) > 0 && ended.is_none_or(|ended| ended >= since)
}

/// Since when the conductor's log is of interest; none if it is not: only what Magnum itself
/// did, or failed to do, is in it.
fn conductor_since(snapshot: &Snapshot<'_>) -> Option<Timestamp> {
    let row = snapshot.magnum.cluster?;
    let status = row.text("status");
    let (created, updated) = (row.time("created_at"), row.time("updated_at"));
    let changed = updated.or(created).unwrap_or(snapshot.taken_at);
    let done = snapshot.kube.cluster().is_some_and(|c| c.good("Ready") || c.good("Available"));
    let silent = row.str("status_reason").is_none()
        && snapshot.since.at.is_some_and(|at| snapshot.age(at) > SignedDuration::from_secs(60));
    let wanted = status.ends_with("_FAILED")
        || (status.ends_with("_IN_PROGRESS") && (done || silent))
        || group_without_deployment(snapshot);
    if !wanted {
        return None;
    }
    let from = if status == "CREATE_FAILED" { created.unwrap_or(changed) } else { changed };
    Some(from.checked_sub(AROUND).unwrap_or(from))
}

/// True if Magnum has a node group of workers that Cluster API has nothing for.
fn group_without_deployment(snapshot: &Snapshot<'_>) -> bool {
    let Ok(deployments) = snapshot.kube.deployments.all() else { return false };
    let made: BTreeSet<&str> =
        deployments.iter().filter_map(|d| d.label("topology.cluster.x-k8s.io/deployment-name")).collect();
    let mut workers = snapshot.magnum.groups.some().iter().filter(|g| g.text("role") != "master");
    snapshot.action != Action::Delete && workers.any(|g| !made.contains(g.text("name")))
}

/// Ids of networks that the cluster names and that are not in the project's list.
fn networks(snapshot: &Snapshot<'_>) -> Vec<String> {
    let mut ids = BTreeSet::new();
    if let Some(cluster) = snapshot.kube.openstack_cluster() {
        let paths =
            ["spec.externalNetwork.id", "status.externalNetwork.id", "spec.network.id", "status.network.id"];
        ids.extend(paths.iter().filter_map(|path| cluster.str(path)));
    }
    let magnum = [
        snapshot.magnum.cluster.and_then(|c| c.str("fixed_network")),
        snapshot.magnum.template.and_then(|t| t.str("external_network_id")),
    ];
    ids.extend(magnum.into_iter().flatten().filter(|id| is_uuid(id)));
    let known = |id: &&str| snapshot.cloud.networks.some().iter().any(|n| n.str("id") == Some(*id));
    ids.into_iter().filter(|id| !known(id)).map(str::to_owned).collect()
}

/// Names and ids of the cluster's things that do not carry its stack id: a record of a log
/// that has one of them is about this cluster.
#[must_use]
pub fn things(snapshot: &Snapshot<'_>) -> Vec<String> {
    let mut all = BTreeSet::new();
    let names = snapshot.kube.all().map(|d| d.name()).filter(|n| !snapshot.marks.names(n));
    all.extend(names.filter(|n| Some(*n) != snapshot.marks.uuid.as_deref()));
    all.extend(snapshot.nodes.iter().filter_map(|n| n.server_id()));
    if let Some(cluster) = snapshot.kube.openstack_cluster() {
        let paths = ["status.router.id", "status.apiServerLoadBalancer.id"];
        all.extend(paths.iter().filter_map(|path| cluster.str(path)));
        // A network that the user brought may be other clusters' too.
        let own = cluster.str("spec.network.id").is_none();
        all.extend(cluster.str("status.network.id").filter(|_| own));
    }
    all.into_iter().map(str::to_owned).collect()
}

/// The times at which Magnum changed the cluster.
#[must_use]
pub fn changes(row: Doc<'_>) -> Vec<Timestamp> {
    ["created_at", "updated_at"].iter().filter_map(|path| row.time(path)).collect()
}

/// A word in the form of a UUID: what Magnum looks up by id and not by name
/// (openstack/magnum, magnum/api/utils.py).
#[must_use]
pub fn is_uuid(word: &str) -> bool {
    let groups: Vec<&str> = word.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|g| g.len()).collect();
    let hex = word.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    hex && (lengths == [8, 4, 4, 4, 12] || lengths == [32])
}

#[cfg(test)]
#[path = "plan_test.rs"]
mod tests;
