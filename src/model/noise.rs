//! Loud, but never a cause alone.
//!
//! Each rule was seen on a cluster that was healthy, or stuck for another reason.

use jiff::SignedDuration;

use super::action::Action;
use super::condition::Status;
use super::message::{Message, Source};
use super::snapshot::Snapshot;

/// Why a message means nothing, if so.
#[must_use]
pub fn of(snapshot: &Snapshot<'_>, message: &Message) -> Option<&'static str> {
    events(message)
        .or_else(|| logs(message))
        .or_else(|| before_the_api(snapshot, message))
        .or_else(|| conditions(snapshot, message))
        .or_else(|| topology(snapshot, message))
}

fn events(message: &Message) -> Option<&'static str> {
    let noise = ["RemediationRestricted", "FailedUpdate", "ControlPlaneUnhealthy"];
    let event = matches!(message.source, Source::Event(_) | Source::Log(_));
    // Cluster API up to 1.10 turns a failureMessage into an event as well (phase Failed).
    if event && message.kind == "Cluster" && message.reason == "Failed" {
        return Some("it is a copy of a failureMessage, which is never cleared");
    }
    (event && noise.iter().any(|n| message.reason.eq_ignore_ascii_case(n)))
        .then_some("it only says that a controller waits")
}

/// In logs these come with every restart and every conflict; in a *_FAILED reason of
/// Magnum they are the cause.
fn logs(message: &Message) -> Option<&'static str> {
    let logged = message.logged() || matches!(message.source, Source::Event(_));
    let noise = ["context canceled", "the object has been modified", "was modified by a different process"];
    if logged && noise.iter().any(|n| message.has(n)) {
        return Some("a controller was stopped, or two wrote at once; it is tried again");
    }
    (message.has("provisioned is false")
        || message.has("check controller logs")
        || message.reason == "ObjectDoesNotExist")
        .then_some("it repeats that something below is not done")
}

/// What every cluster says until its API answers for the first time.
fn before_the_api(snapshot: &Snapshot<'_>, message: &Message) -> Option<&'static str> {
    if snapshot.initialised() == Some(true) && snapshot.action != Action::Delete {
        return None;
    }
    let words = [
        "connection to the workload cluster is down",
        "failed to create cluster accessor",
        "could not connect to workload cluster",
        "failed to create remote cluster client",
        "cluster is not reachable",
        "remote connection",
        "failed to get rest config",
        "failed to get kubeconfig secret",
        "-kubeconfig\" not found",
        "controlplaneisstable",
        "waiting for cluster control plane to be initialized",
    ];
    let reasons = [
        "InspectionFailed",
        "RemoteClusterClientFailed",
        "PreflightCheckFailed",
        "ProbeFailed",
        "ConnectionDown",
    ];
    let resource_set = message.kind == "ClusterResourceSet";
    (resource_set || reasons.contains(&message.reason.as_str()) || words.iter().any(|w| message.has(w)))
        .then_some("every cluster says so until its API answers")
}

fn conditions(snapshot: &Snapshot<'_>, message: &Message) -> Option<&'static str> {
    let Source::Condition(kind, status, severity) = &message.source else { return None };
    if message.reason == "WaitingForBootstrapData" {
        let node = snapshot.nodes.iter().find(|n| n.name == message.name || n.infra_name() == message.name);
        if node.is_some_and(super::node::Node::has_bootstrap_data) {
            return Some("stale: the bootstrap data exists, CAPO has not looked again");
        }
    }
    if kind == "RemediationAllowed" && message.has("unhealthy: 0") {
        return Some("nothing is unhealthy, the machines have only not started");
    }
    if severity.as_deref() == Some("Info") && *status != Status::True {
        return Some("severity Info: it is under way");
    }
    (message.reason == "ScalingUp" && snapshot.action == Action::Create)
        .then_some("a create always scales up")
}

fn topology(snapshot: &Snapshot<'_>, message: &Message) -> Option<&'static str> {
    let moving = message.since.is_none_or(|at| snapshot.age(at) < SignedDuration::from_mins(30));
    if message.has("observedGeneration must be") && moving {
        return Some("a passing false alarm: another create has rewritten the shared ClusterClass");
    }
    (message.reason == "ClusterUpgrading" && snapshot.action == Action::Create)
        .then_some("a first create says so too, nothing is upgraded")
}
