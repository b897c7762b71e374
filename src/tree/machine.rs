//! A Machine and what makes it real: OpenStackMachine, OpenStackServer, the server in
//! Nova, KubeadmConfig. What only repeats the Machine is left out.

use super::row::{self, Ground, SETTLES};
use super::{Mood, Node, conditions};
use crate::model::node::Node as Parts;
use crate::model::{Doc, Status};

/// The row of a machine; of an orphan, the row of what is left of it.
pub(super) fn machine(ground: Ground<'_, '_>, parts: &Parts<'_>) -> Option<Node> {
    let Some(doc) = parts.machine else { return orphan(ground, parts) };
    let mut node = row::summary(ground, doc, &["Ready"]);
    shorten(ground, parts, doc, &mut node);
    row::finish(ground, doc, &mut node);
    let below = below(ground, parts, doc, &node);
    if node.mood == Mood::Unsure && node.reason != "deleting" && below.iter().any(|n| n.any(Mood::Bad)) {
        node.mood = Mood::Bad;
    }
    node.children.extend(below);
    Some(node)
}

/// An OpenStackMachine or OpenStackServer without Machine.
fn orphan(ground: Ground<'_, '_>, parts: &Parts<'_>) -> Option<Node> {
    let mut nova = nova(ground, parts, false);
    let server = parts.server.map(|doc| {
        let mut node = row::object(ground, doc, &["Ready"]);
        node.folded.extend(parts.server_id().map(str::to_owned));
        node.children.extend(nova.take());
        node
    });
    let Some(infra) = parts.infra else { return server };
    let mut node = row::object(ground, infra, &["Ready"]);
    node.children.extend(server.or(nova));
    Some(node)
}

/// Replaces a summary by what it comes down to: the sentences that report a failure, or
/// one word for what the machine waits for.
fn shorten(ground: Ground<'_, '_>, parts: &Parts<'_>, doc: Doc<'_>, node: &mut Node) {
    if node.mood == Mood::Good {
        return;
    }
    let message = std::mem::take(&mut node.message);
    let quiet = |top: &str| doc.condition(top).is_some_and(|c| conditions::quiet(ground, doc, &c));
    let mut told = conditions::leaves(&message);
    told.retain(|leaf| !leaf.waits() && leaf.top != "Deleting" && !quiet(leaf.top));
    node.message = conditions::join(&told);
    // The whole may have passed for noise because of the parts that were left out.
    if !told.is_empty() && message.starts_with("* ") && node.status == Status::False.word() {
        node.mood = Mood::Bad;
    }
    let summary = node.reason.starts_with("WaitingFor")
        || matches!(node.reason.as_str(), "NotReady" | "ReadyUnknown" | "NotReported");
    if told.is_empty()
        && summary
        && let Some(word) = waits_for(ground, parts)
    {
        word.clone_into(&mut node.reason);
        node.mood = Mood::Unsure;
    }
}

/// The next thing that a machine needs on its way to a node.
fn waits_for(ground: Ground<'_, '_>, parts: &Parts<'_>) -> Option<&'static str> {
    let snapshot = ground.snapshot;
    if !parts.has_bootstrap_data() {
        let network = snapshot.kube.openstack_cluster();
        if network.is_some_and(|c| !c.is("status.ready") && !c.good("Ready")) {
            return Some("waits for the network");
        }
        if !parts.control_plane && snapshot.initialised() == Some(false) {
            return Some("waits for the control plane");
        }
        return Some("waits for its bootstrap data");
    }
    match (parts.built(), parts.joined()) {
        (false, _) => Some("waits for its server"),
        (true, false) => Some("waits for its node"),
        (true, true) => None,
    }
}

fn below(ground: Ground<'_, '_>, parts: &Parts<'_>, machine: Doc<'_>, node: &Node) -> Vec<Node> {
    let ready = machine.good("Ready");
    let nova = nova(ground, parts, ready);
    let server = parts.server.and_then(|doc| server(ground, parts, doc));
    let mut rows = Vec::new();
    if let Some(doc) = parts.infra {
        if ground.shape.echo || !repeats(ground, doc, [Some(node), server.as_ref()]) {
            rows.push(row::object(ground, doc, &["Ready"]));
        }
    } else if let Some(name) = machine.str("spec.infrastructureRef.name") {
        let list = &ground.snapshot.kube.openstack_machines;
        let mut missing = row::absent(ground, "OpenStackMachine", name, list);
        if missing.mood == Mood::Bad && machine.created().is_some_and(|at| ground.snapshot.age(at) < SETTLES)
        {
            missing.mood = Mood::Unsure;
        }
        rows.extend(list.whole().then_some(missing));
    }
    let config = parts.config.filter(|doc| ground.shape.echo || !repeats(ground, *doc, [Some(node), None]));
    rows.extend(config.map(|doc| row::object(ground, doc, &["Ready"])));
    match server {
        Some(mut server) => {
            server.children.extend(nova);
            rows.push(server);
        }
        None => rows.extend(nova),
    }
    rows
}

/// True for an object that adds nothing to the rows `shown`: it is fine, it waits, its
/// words are stale, or they stand there already.
fn repeats(ground: Ground<'_, '_>, doc: Doc<'_>, shown: [Option<&Node>; 2]) -> bool {
    if doc.deleting().is_some() {
        return false;
    }
    let Some(c) = doc.condition("Ready") else { return doc.str("status.failureMessage").is_none() };
    if c.good() || conditions::quiet(ground, doc, &c) {
        return true;
    }
    let leaves = conditions::leaves(c.message);
    if leaves.is_empty() && c.reason.starts_with("WaitingFor") {
        return true;
    }
    if !leaves.is_empty() && leaves.iter().all(conditions::Leaf::waits) {
        return true;
    }
    let said = |n: &&Node| n.reason == c.reason && n.message.contains(c.message.trim());
    shown.iter().flatten().any(said)
}

/// The OpenStackServer, if it is not Ready or not of Nova's opinion.
fn server(ground: Ground<'_, '_>, parts: &Parts<'_>, doc: Doc<'_>) -> Option<Node> {
    let ready = doc.good("Ready") && doc.deleting().is_none();
    if ready && !disagrees(ground, parts) && !ground.shape.echo {
        return None;
    }
    let mut node = row::object(ground, doc, &["Ready", "InstanceReady"]);
    node.folded.extend(parts.server_id().map(str::to_owned));
    Some(node)
}

/// The state of the server as CAPO last saw it.
fn recorded<'w>(parts: &Parts<'w>) -> Option<&'w str> {
    let server = parts.server.and_then(|s| s.str("status.instanceState"));
    server.or_else(|| parts.infra?.str("status.instanceState"))
}

/// True if Kubernetes records another state than Nova has.
fn disagrees(ground: Ground<'_, '_>, parts: &Parts<'_>) -> bool {
    let Some(recorded) = recorded(parts) else { return false };
    match parts.nova {
        Some(nova) => nova.text("status") != recorded,
        None => recorded == "ACTIVE" && ground.snapshot.cloud.servers.whole(),
    }
}

/// The server in Nova. A server that is as it should be is shown only where its machine
/// is not.
fn nova(ground: Ground<'_, '_>, parts: &Parts<'_>, ready: bool) -> Option<Node> {
    let Some(row) = parts.nova else { return no_nova(ground, parts, ready) };
    let status = row.text("status");
    let disagrees = disagrees(ground, parts);
    if status == "ACTIVE" && ready && !disagrees && !ground.shape.echo {
        return None;
    }
    let mut node = row::plain("Server", row.str("name").unwrap_or(parts.infra_name()));
    node.folded.extend(row.str("id").map(str::to_owned));
    status.clone_into(&mut node.status);
    node.mood = match status {
        "ACTIVE" => Mood::Good,
        "BUILD" | "REBOOT" | "HARD_REBOOT" | "" => Mood::Unsure,
        _ if parts.deleting().is_some() && status != "ERROR" => Mood::Unsure,
        _ => Mood::Bad,
    };
    node.since = row.time("fault.created").filter(|_| status == "ERROR");
    let fault = if status == "ACTIVE" && !disagrees { "" } else { row.text("fault.message") };
    let other = match recorded(parts) {
        Some(recorded) if disagrees => format!("Kubernetes still has it as {recorded}"),
        _ => String::new(),
    };
    node.message = row::lines(&[fault.trim(), &other]);
    Some(node)
}

/// A row for a server that should be in Nova's list.
fn no_nova(ground: Ground<'_, '_>, parts: &Parts<'_>, ready: bool) -> Option<Node> {
    let id = parts.server_id();
    let expected = id.is_some() || recorded(parts) == Some("ACTIVE");
    let whole = ground.snapshot.cloud.servers.whole();
    if !expected || (ready && !whole && !ground.shape.echo) {
        return None;
    }
    let mut node = row::absent(ground, "Server", parts.infra_name(), &ground.snapshot.cloud.servers);
    node.folded.extend(id.map(str::to_owned));
    let made = parts.server.or(parts.infra).and_then(Doc::created);
    if whole && parts.deleting().is_some() {
        node.mood = Mood::Plain;
    } else if whole && made.is_some_and(|at| ground.snapshot.age(at) < SETTLES) {
        node.mood = Mood::Unsure;
    }
    Some(node)
}

/// True for a MachineHealthCheck that holds back: not allowed, and not only because
/// nothing has started yet.
pub(super) fn holds_back(ground: Ground<'_, '_>, check: Doc<'_>) -> bool {
    check
        .condition("RemediationAllowed")
        .is_some_and(|c| c.status == Status::False && !conditions::quiet(ground, check, &c))
}
