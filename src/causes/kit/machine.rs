//! What becomes of a machine whose server cannot be made, and what may be done about it.

use super::thing;
use crate::causes::Finding;
use crate::model::node::Node;
use crate::model::{Doc, Message, Snapshot, version};
use crate::report::{Recovers, Risk};

/// Machines that messages are about.
#[must_use]
pub fn of_messages<'a, 'w>(snapshot: &'a Snapshot<'w>, messages: &[&Message]) -> Vec<&'a Node<'w>> {
    let named = |n: &&Node<'_>| messages.iter().any(|m| m.name == n.name || m.name == n.infra_name());
    snapshot.nodes.iter().filter(named).filter(|n| n.machine.is_some()).collect()
}

/// `the server of control plane machine x`, `the server of machine x (node group y)`,
/// `the servers of 3 machines`, `a server` if no machine is left.
#[must_use]
pub fn servers_of(nodes: &[&Node<'_>]) -> String {
    match nodes {
        [] => "a server".to_owned(),
        [one] => format!("the server of {}", named(one)),
        several => format!("the servers of {} machines", several.len()),
    }
}

/// `control plane machine x`, `machine x (node group y)`.
#[must_use]
pub fn named(node: &Node<'_>) -> String {
    match node.group {
        _ if node.control_plane => format!("control plane machine {}", node.name),
        Some(group) => format!("machine {} (node group {group})", node.name),
        None => format!("machine {}", node.name),
    }
}

/// True if a MachineHealthCheck may replace the machine: it exists, and 80 % of what it
/// expects, rounded down, leaves room for one.
/// Source: kubernetes-sigs/cluster-api internal/controllers/machinehealthcheck (getMaxUnhealthy).
#[must_use]
pub fn replaceable(snapshot: &Snapshot<'_>, node: &Node<'_>) -> bool {
    let watched = snapshot.kube.health_checks.some().iter().any(|check| {
        let selector = check.at("spec.selector.matchLabels").map(|l| l.to_string()).unwrap_or_default();
        match node.group.filter(|_| !node.control_plane) {
            Some(group) => selector.contains(&format!("\"{group}\"")),
            None => selector.contains("cluster.x-k8s.io/control-plane"),
        }
    });
    watched && siblings(snapshot, node) > 1
}

/// Machines of the control plane or node group that the machine is one of.
fn siblings(snapshot: &Snapshot<'_>, node: &Node<'_>) -> usize {
    let same = |n: &&Node<'_>| {
        n.machine.is_some()
            && n.control_plane == node.control_plane
            && (n.control_plane || n.group == node.group)
    };
    snapshot.nodes.iter().filter(same).count()
}

/// Opening of a sentence and what is known of a replacement, for machines that are not
/// [`replaceable`]: none, unless a MachineHealthCheck that nobody could read watches a group
/// of several.
#[must_use]
pub fn replacement(snapshot: &Snapshot<'_>, nodes: &[&Node<'_>]) -> (&'static str, &'static str) {
    let alone = snapshot.kube.machines.whole() && nodes.iter().all(|n| siblings(snapshot, n) <= 1);
    let (does, may) = ("It does not end by itself", "It may not end by itself");
    match (snapshot.kube.health_checks.whole() || alone, nodes.len()) {
        (true, 0 | 1) => (does, "nothing replaces the machine"),
        (true, _) => (does, "nothing replaces the machines"),
        (false, 0 | 1) => (may, "whether a MachineHealthCheck replaces the machine could not be read"),
        (false, _) => (may, "whether a MachineHealthCheck replaces the machines could not be read"),
    }
}

/// Sentence for a server that was refused where the machine's objects were not read: then
/// nobody knows whether CAPO still tries. `once` is what has to be there first.
#[must_use]
pub fn unknown(snapshot: &Snapshot<'_>, nodes: &[&Node<'_>], once: &str) -> Option<String> {
    let read = snapshot.kube.machines.whole() && snapshot.kube.openstack_servers.whole();
    (nodes.is_empty() && !read).then(|| {
        format!(
            "Once {once} it may still not go on: CAPO 0.11 and newer gives a server up, and the Machines that tell could not be read."
        )
    })
}

/// True if the control plane would be lost with the machine: it is initialised, or nobody
/// could see that it is not, and no other of its machines has become a node.
#[must_use]
pub fn keeps_the_control_plane(snapshot: &Snapshot<'_>, node: &Node<'_>) -> bool {
    let other = |n: &Node<'_>| n.control_plane && n.name != node.name && n.joined() && n.deleting().is_none();
    node.control_plane && snapshot.initialised() != Some(false) && !snapshot.nodes.iter().any(other)
}

/// True if CAPO does nothing more for the machine: it has given its server up, or Nova has
/// put the server in ERROR before it became a node.
#[must_use]
pub fn stopped(node: &Node<'_>) -> bool {
    let error = node.nova.is_some_and(|n| n.text("status") == "ERROR") && !node.joined();
    node.given_up() || error
}

/// Says whether machines without a server get one by themselves, and gives the fix its
/// flag `given-up` and its values `machine` where a person has to delete them. `once` is
/// what has to be there first: "there is room".
#[must_use]
pub fn ends(snapshot: &Snapshot<'_>, nodes: &[&Node<'_>], once: &str, mut finding: Finding) -> Finding {
    for node in nodes {
        finding =
            finding.about(thing("Machine", node.name)).about(thing("OpenStackMachine", node.infra_name()));
    }
    let stopped: Vec<&&Node<'_>> = nodes.iter().filter(|n| stopped(n)).collect();
    if stopped.is_empty() {
        let says = unknown(snapshot, nodes, once).unwrap_or_else(|| retried(snapshot, once));
        return finding.recovers(Recovers::AfterFix, says);
    }
    let alone: Vec<&Node<'_>> = stopped.iter().map(|n| **n).filter(|n| !replaceable(snapshot, n)).collect();
    if alone.is_empty() {
        let says = format!(
            "Once {once} the next machine gets its server: the MachineHealthCheck replaces the failed one about every 10 minutes."
        );
        return finding.recovers(Recovers::AfterFix, says);
    }
    for node in alone.iter().filter(|n| !keeps_the_control_plane(snapshot, n)) {
        finding = finding.value("machine", node.name).flag("given-up");
        finding.risk = Some(Risk::Deletes);
    }
    if alone.iter().any(|n| keeps_the_control_plane(snapshot, n)) {
        return finding.flag("only-one").recovers(
            Recovers::Never,
            "It does not end by itself, and the machine must not be deleted: it is the only one that the control plane has.",
        );
    }
    finding.recovers(Recovers::Never, gave_up(snapshot, &alone, &format!("once {once}")))
}

/// That CAPO tries the servers of these machines no more, even with what it lacked, and who
/// makes the machines anew.
#[must_use]
pub fn gave_up(snapshot: &Snapshot<'_>, nodes: &[&Node<'_>], even: &str) -> String {
    let servers = if nodes.len() > 1 { "these servers" } else { "this server" };
    let (opening, replacement) = replacement(snapshot, nodes);
    format!("{opening}, even {even}: CAPO gave {servers} up, and {replacement}.")
}

fn retried(snapshot: &Snapshot<'_>, once: &str) -> String {
    let old = snapshot.capo().and_then(|v| version::at_least(v, "0.11")) == Some(false);
    let who = if old { "CAPO 0.10 and older asks again" } else { "CAPO asks again" };
    format!("Once {once} it goes on by itself: {who}, up to 10 minutes apart.")
}

/// The field of a machine's spec: its OpenStackServer's, else its OpenStackMachine's.
#[must_use]
pub fn spec<'w>(node: &Node<'w>, path: &str) -> Option<&'w str> {
    let of = |doc: Option<Doc<'w>>| doc.and_then(|d| d.str(path));
    of(node.server).or_else(|| of(node.infra))
}
