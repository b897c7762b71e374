//! How far the cluster is: the stage it waits in, since when, and how long that usually
//! takes.

use jiff::Timestamp;

use super::action::Action;
use super::node::Node;
use super::operation::{self, Step, Verb};
use super::snapshot::Snapshot;
use super::{Doc, Status};

/// Stages in the order in which a cluster goes through them; causes are sorted by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The cluster's login to OpenStack.
    Credentials,
    /// The controllers themselves.
    Controllers,
    /// Webhooks, and the Cluster's objects being written.
    Topology,
    /// Network, subnet, router, security groups.
    Network,
    /// API load balancer and its floating IP.
    LoadBalancer,
    /// A server being built.
    Server,
    /// A server becoming a node.
    Bootstrap,
    /// A node becoming Ready.
    Node,
    /// Add-ons.
    Addons,
    /// Magnum noticing.
    MagnumSync,
    /// Delete: load balancers of Services.
    ServiceLoadBalancers,
    /// Delete: machines.
    Machines,
    /// Delete: API load balancer.
    ApiLoadBalancer,
    /// Delete: router and network.
    RouterAndNetwork,
    /// Delete: security groups.
    Groups,
    /// Delete: what Magnum removes last.
    MagnumCleanUp,
}

/// What the cluster waits for.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    /// The stage.
    pub stage: Stage,
    /// Words that fit after "waiting for".
    pub what: String,
    /// The last progress.
    pub since: Timestamp,
    /// Minutes it usually takes.
    pub usual: f64,
    /// Minutes after which something is wrong.
    pub limit: Option<f64>,
}

impl Waiting {
    /// True if the stage has lasted longer than its limit.
    #[must_use]
    pub fn over(&self, now: Timestamp) -> bool {
        let minutes = now.duration_since(self.since).as_secs_f64() / 60.0;
        self.limit.is_some_and(|limit| minutes > limit)
    }
}

/// Usual time and limit in minutes.
type Times = (f64, Option<f64>);

const TOPOLOGY: Times = (1.0, Some(5.0));
const NETWORK: Times = (1.0, Some(10.0));
const LOAD_BALANCER: Times = (3.0, Some(20.0));
const SERVER: Times = (3.0, Some(15.0));
const BOOTSTRAP: Times = (5.0, Some(20.0));
const NODE: Times = (3.0, Some(15.0));
const SYNC: Times = (0.5, Some(5.0));
const REPLACED: Times = (10.0, Some(30.0));
const REMOVED: Times = (2.0, Some(15.0));
const SERVICES: Times = (1.0, Some(3.0));
const MACHINES: Times = (5.0, Some(20.0));
const GONE: Times = (1.0, Some(10.0));

/// True if what tells the stages apart could be looked at: that there is no machine must not be
/// said where the machines were not read.
#[must_use]
pub fn told(snapshot: &Snapshot<'_>) -> bool {
    let kube = &snapshot.kube;
    let deciding = [&kube.clusters, &kube.openstack_clusters, &kube.control_planes, &kube.machines];
    deciding.into_iter().all(|seen| seen.whole() || !seen.some().is_empty())
}

/// What the cluster waits for by all that was read, or nothing if it is all there. Whether that
/// may be said depends on [`told`].
#[must_use]
pub fn waiting(snapshot: &Snapshot<'_>) -> Option<Waiting> {
    if snapshot.action == Action::Delete {
        return deleting(snapshot);
    }
    infrastructure(snapshot)
        .or_else(|| control_plane(snapshot))
        .or_else(|| most_overdue(snapshot))
        .or_else(|| missing(snapshot))
        .or_else(|| sync(snapshot))
}

/// What the machines of a cluster that is up wait for: several things go on at once, and one
/// that is over its limit must not hide behind another that has only begun, or has no limit.
fn most_overdue(snapshot: &Snapshot<'_>) -> Option<Waiting> {
    let mut waits = leaving(snapshot);
    if waits.is_empty() {
        waits.extend(rollout(snapshot));
    }
    waits.extend(machines(snapshot));
    let late = waits.iter().position(|w| w.over(snapshot.taken_at)).unwrap_or(0);
    (late < waits.len()).then(|| waits.swap_remove(late))
}

fn new(
    snapshot: &Snapshot<'_>,
    stage: Stage,
    what: &str,
    times: Times,
    progress: &[Option<Timestamp>],
) -> Waiting {
    let last = progress.iter().flatten().copied().max();
    // Where the start is only an upper bound (Magnum's `updated_at` moves with every poll of
    // the health), a known progress is the better clock.
    let start = snapshot.since.at.filter(|_| last.is_none() || !snapshot.since.at_most);
    let since = last.into_iter().chain(start).max().unwrap_or(snapshot.taken_at);
    Waiting {
        stage,
        what: what.to_owned(),
        since: since.min(snapshot.taken_at),
        usual: times.0,
        limit: times.1,
    }
}

/// From nothing to a ready API endpoint.
fn infrastructure(snapshot: &Snapshot<'_>) -> Option<Waiting> {
    let kube = &snapshot.kube;
    let Some(cluster) = kube.cluster() else {
        let create = snapshot.action == Action::Create;
        return create
            .then(|| new(snapshot, Stage::Topology, "the Cluster object to be written", TOPOLOGY, &[]));
    };
    let made = cluster.created();
    let Some(infra) = kube.openstack_cluster() else {
        let what = "Cluster API to write the cluster's objects";
        return Some(new(snapshot, Stage::Topology, what, TOPOLOGY, &[made]));
    };
    if infrastructure_ready(snapshot) {
        return None;
    }
    let last = success(snapshot, Verb::Make, infra.name());
    let conditions =
        ["NetworkReady", "RouterReady", "SecurityGroupsReady"].map(|kind| turned_true(infra, kind));
    let [network, router, groups] = conditions;
    let progress = [made, infra.created(), last, network, router, groups];
    let has_groups = infra.at("status.workerSecurityGroup").is_some() || groups.is_some();
    let past_groups = reached(snapshot, infra.name(), Step::LoadBalancer);
    if has_groups || past_groups {
        let what = "the API load balancer and its address";
        return Some(new(snapshot, Stage::LoadBalancer, what, LOAD_BALANCER, &progress));
    }
    Some(new(snapshot, Stage::Network, "network, router and security groups", NETWORK, &progress))
}

/// True once the Cluster has an infrastructure to put machines on. It stays true through
/// later failures.
#[must_use]
pub fn infrastructure_ready(snapshot: &Snapshot<'_>) -> bool {
    let cluster = snapshot.kube.cluster();
    let by_cluster = cluster.is_some_and(|c| {
        c.is("status.infrastructureReady") || c.is("status.initialization.infrastructureProvisioned")
    });
    by_cluster || snapshot.kube.openstack_cluster().is_some_and(|c| c.is("status.ready"))
}

/// The first control plane machine.
fn control_plane(snapshot: &Snapshot<'_>) -> Option<Waiting> {
    let kcp = snapshot.kube.control_plane()?;
    if snapshot.initialised() != Some(false) {
        return None;
    }
    let masters: Vec<&Node<'_>> = snapshot.nodes.iter().filter(|n| n.control_plane).collect();
    let first = masters.iter().filter(|n| n.deleting().is_none()).max_by_key(|n| n.built());
    let Some(first) = first.copied() else {
        let what = "the first control plane machine to be made";
        let progress = [kcp.created(), endpoint_ready(snapshot)];
        return Some(new(snapshot, Stage::Server, what, SERVER, &progress));
    };
    Some(machine(snapshot, first, "the first control plane machine"))
}

/// The stage of one machine that is to become a node.
#[must_use]
pub fn machine(snapshot: &Snapshot<'_>, node: &Node<'_>, who: &str) -> Waiting {
    let made = machine_progress(snapshot, node);
    if node.built() {
        let infra = node.machine.and_then(|m| turned_true(m, "InfrastructureReady"));
        let server = node.server.and_then(|s| turned_true(s, "InstanceReady"));
        let replaced = replaced(snapshot, node);
        let progress = if replaced { [made, None, None] } else { [made, infra, server] };
        return new(snapshot, Stage::Bootstrap, &format!("{who} to become a node"), BOOTSTRAP, &progress);
    }
    let what = format!("the server of {who} to be built");
    new(snapshot, Stage::Server, &what, SERVER, &[made, endpoint_ready(snapshot)])
}

fn endpoint_ready(snapshot: &Snapshot<'_>) -> Option<Timestamp> {
    snapshot.kube.cluster().and_then(|c| turned_true(c, "InfrastructureReady"))
}

/// A machine made in place of one that never became a node is no progress.
fn machine_progress(snapshot: &Snapshot<'_>, node: &Node<'_>) -> Option<Timestamp> {
    if replaced(snapshot, node) { None } else { node.created() }
}

/// True if the events know an earlier machine of the same owner that is gone.
fn replaced(snapshot: &Snapshot<'_>, node: &Node<'_>) -> bool {
    let owner = node.infra_name().rsplit_once('-').map(|(owner, _)| owner);
    snapshot.said.events.iter().any(|e| {
        matches!(e.kind.as_str(), "OpenStackServer" | "OpenStackMachine" | "Machine")
            && e.name != node.infra_name()
            && owner.is_some()
            && e.name.rsplit_once('-').map(|(owner, _)| owner) == owner
            && !snapshot.nodes.iter().any(|n| n.infra_name() == e.name || n.name == e.name)
    })
}

/// Machines that are being removed, the longest first.
fn leaving(snapshot: &Snapshot<'_>) -> Vec<Waiting> {
    let mut nodes: Vec<&Node<'_>> = snapshot.nodes.iter().filter(|n| n.deleting().is_some()).collect();
    nodes.sort_by_key(|n| n.deleting());
    nodes.into_iter().map(|node| removal(snapshot, node)).collect()
}

fn removal(snapshot: &Snapshot<'_>, node: &Node<'_>) -> Waiting {
    let machine = node.machine;
    let deleting = machine.and_then(|m| m.condition("Deleting"));
    let draining = deleting.is_some_and(|c| c.reason == "DrainingNode")
        || machine.and_then(|m| m.condition("DrainingSucceeded")).is_some_and(|c| !c.good());
    if draining {
        let what = format!("machine {} to be drained", node.name);
        return new(snapshot, Stage::Machines, &what, (REMOVED.0, None), &[node.deleting()]);
    }
    let what = format!("machine {} to be removed", node.name);
    new(snapshot, Stage::Machines, &what, REMOVED, &[node.deleting(), deleting.and_then(|c| c.since)])
}

/// A rolling replacement of machines.
fn rollout(snapshot: &Snapshot<'_>) -> Option<Waiting> {
    let owners = snapshot.kube.control_planes.some().iter().chain(snapshot.kube.deployments.some());
    let rolling =
        owners.copied().find(|o| o.condition("RollingOut").is_some_and(|c| c.status == Status::True))?;
    let since = rolling.condition("RollingOut").and_then(|c| c.since);
    let made = snapshot.nodes.iter().filter_map(|n| machine_progress(snapshot, n)).max();
    let joined = snapshot.nodes.iter().filter_map(|n| turned_true(n.machine?, "NodeHealthy")).max();
    let what = format!("{} {} to replace its machines", rolling.kind(), rolling.name());
    Some(new(snapshot, Stage::Server, &what, REPLACED, &[since, made, joined]))
}

/// Machines of an initialised cluster that are not nodes yet, then those that are not Ready.
fn machines(snapshot: &Snapshot<'_>) -> Vec<Waiting> {
    if snapshot.initialised() != Some(true) {
        return Vec::new();
    }
    let staying = || snapshot.nodes.iter().filter(|n| n.deleting().is_none() && n.machine.is_some());
    let joining = staying()
        .filter(|n| !n.joined())
        .map(|node| machine(snapshot, node, &format!("machine {}", node.name)));
    let sick = staying().filter(|n| n.joined()).filter_map(|node| {
        let health = node.machine.and_then(|m| m.condition("NodeHealthy"));
        if health.is_some_and(|c| c.good()) {
            return None;
        }
        let what = format!("node of machine {} to be Ready", node.name);
        Some(new(snapshot, Stage::Node, &what, NODE, &[health.and_then(|c| c.since)]))
    });
    joining.chain(sick).collect()
}

/// Machines of an initialised cluster that are wanted and not made.
fn missing(snapshot: &Snapshot<'_>) -> Option<Waiting> {
    snapshot.initialised().filter(|up| *up)?;
    let owners = snapshot.kube.control_planes.some().iter().chain(snapshot.kube.deployments.some());
    let short = owners
        .copied()
        .find(|o| o.int("spec.replicas").unwrap_or(0) > o.int("status.replicas").unwrap_or(0))?;
    let scaling = short.condition("ScalingUp").and_then(|c| c.since);
    let what = format!("{} {} to make its machines", short.kind(), short.name());
    Some(new(snapshot, Stage::Server, &what, SERVER, &[short.created(), scaling]))
}

/// Everything is there and Magnum has not noticed.
fn sync(snapshot: &Snapshot<'_>) -> Option<Waiting> {
    if !snapshot.status().ends_with("_IN_PROGRESS") || snapshot.kube.cluster().is_none() {
        return None;
    }
    let settled =
        snapshot.kube.all().flat_map(Doc::conditions).filter(|c| c.good()).filter_map(|c| c.since).max();
    // Just after a request nothing has moved yet.
    let begun = snapshot.since.at;
    Some(new(snapshot, Stage::MagnumSync, "Magnum to notice that the work is done", SYNC, &[settled, begun]))
}

fn deleting(snapshot: &Snapshot<'_>) -> Option<Waiting> {
    let kube = &snapshot.kube;
    let Some(cluster) = kube.cluster() else {
        let what = "Magnum to clean up after the Cluster is gone";
        return Some(new(snapshot, Stage::MagnumCleanUp, what, SYNC, &[]));
    };
    if cluster.deleting().is_none() {
        let what = "the driver to delete the Services' load balancers and the Cluster";
        return Some(new(snapshot, Stage::ServiceLoadBalancers, what, SERVICES, &[]));
    }
    let moved = cluster.condition("Deleting").and_then(|c| c.since);
    let removed = snapshot
        .said
        .events
        .iter()
        .filter(|e| operation::of_reason(&e.reason).is_some_and(|(o, ok)| ok && o.verb == Verb::Remove))
        .filter_map(|e| e.last)
        .max();
    let progress = [cluster.deleting(), moved, removed];
    if !snapshot.nodes.is_empty() || !kube.control_planes.some().is_empty() {
        return Some(new(snapshot, Stage::Machines, "the machines to be removed", MACHINES, &progress));
    }
    let infra = kube.openstack_cluster();
    let progress = [cluster.deleting(), moved, removed, infra.and_then(Doc::deleting)];
    let load_balancer = snapshot.marks.api_load_balancer();
    let there =
        snapshot.cloud.load_balancers.some().iter().any(|l| l.str("name") == load_balancer.as_deref());
    if there {
        return Some(new(
            snapshot,
            Stage::ApiLoadBalancer,
            "the API load balancer to be removed",
            GONE,
            &progress,
        ));
    }
    let what = "network, router and security groups to be removed";
    Some(new(snapshot, Stage::Groups, what, GONE, &progress))
}

/// When a condition turned True, if it is.
fn turned_true(doc: Doc<'_>, kind: &str) -> Option<Timestamp> {
    doc.condition(kind).filter(|c| c.status == Status::True).and_then(|c| c.since)
}

/// The last success of a verb on an object.
fn success(snapshot: &Snapshot<'_>, verb: Verb, name: &str) -> Option<Timestamp> {
    let events = snapshot.said.events.iter().filter(|e| e.name == name);
    events
        .filter(|e| operation::of_reason(&e.reason).is_some_and(|(o, ok)| ok && o.verb == verb))
        .filter_map(|e| e.last)
        .max()
}

/// True if CAPO has been seen at a step or a later one.
fn reached(snapshot: &Snapshot<'_>, name: &str, step: Step) -> bool {
    snapshot.said.events.iter().filter(|e| e.name == name).any(|e| {
        operation::of_reason(&e.reason)
            .is_some_and(|(o, _)| o.verb == Verb::Make && o.step >= step && o.step < Step::Port)
    })
}

#[cfg(test)]
mod tests;
