//! Which of the sentences still hold.
//!
//! An error that was healed stays as an event for an hour and in a log for longer; a
//! failureMessage is never cleared by older releases. So each sentence is held against
//! what was seen later: success of the same or a later step, a condition that turned
//! True, the thing itself being gone.

use jiff::{SignedDuration, Timestamp};

use super::action::Action;
use super::api_error::{Failing, Service};
use super::message::{Message, Source};
use super::node::Node;
use super::operation::{self, Operation, Step, Verb};
use super::snapshot::Snapshot;
use super::{Doc, Seen, Status, noise, stage};

/// Two of the longest back-offs of controller-runtime as seen with CAPO (10 to 16 min).
pub const FRESH: SignedDuration = SignedDuration::from_mins(35);

/// A success that was seen.
struct Success<'a> {
    kind: &'a str,
    name: &'a str,
    operation: Operation,
    last: Timestamp,
}

/// Marks the messages that no longer hold, or never meant anything, with the reason.
#[must_use]
pub fn judge(snapshot: &Snapshot<'_>, mut messages: Vec<Message>) -> Vec<Message> {
    let successes: Vec<Success<'_>> = snapshot
        .said
        .events
        .iter()
        .filter_map(|e| {
            let (operation, ok) = operation::of_reason(&e.reason)?;
            ok.then_some(Success { kind: &e.kind, name: &e.name, operation, last: e.last? })
        })
        .collect();
    let capo_down = nobody_keeps_up(snapshot);
    for message in &mut messages {
        message.over = noise::of(snapshot, message)
            .or_else(|| old(snapshot, message))
            .or_else(|| of_the_create(snapshot, message))
            .or_else(|| completed(snapshot, message))
            .or_else(|| overtaken(snapshot, message, &successes))
            .or_else(|| turned_good(snapshot, message))
            .or_else(|| thing_gone(snapshot, message));
        message.weak |= capo_down && message.kind.starts_with("OpenStack") && !message.logged();
    }
    supersede(&mut messages);
    // A failureMessage needs a sentence that still holds beside it, so these come last.
    let spoken: Vec<Message> = messages
        .iter()
        .filter(|m| m.current() && !m.state() && m.source != Source::Failure)
        .cloned()
        .collect();
    for message in messages.iter_mut().filter(|m| m.current() && m.source == Source::Failure) {
        message.over = uncorroborated(snapshot, message, &spoken);
    }
    messages
}

/// True if CAPO does not run, or nobody knows whether it does: its conditions then tell of
/// the last time that it did.
fn nobody_keeps_up(snapshot: &Snapshot<'_>) -> bool {
    match snapshot.controllers.iter().find(|c| c.provider == "infrastructure-openstack") {
        Some(capo) => capo.down(),
        // A whole list of the others: it is gone. And who may not see the list cannot know.
        None if snapshot.kube.controllers.whole() => !snapshot.controllers.is_empty(),
        None => snapshot.world.gap("kubernetes/deployment").is_some(),
    }
}

fn old(snapshot: &Snapshot<'_>, message: &Message) -> Option<&'static str> {
    let old = !message.state() && snapshot.age(message.last) > FRESH;
    old.then_some("it was last said more than 35 minutes ago")
}

/// A failureMessage has no time: it holds only while the same request keeps failing.
fn uncorroborated(snapshot: &Snapshot<'_>, message: &Message, spoken: &[Message]) -> Option<&'static str> {
    if stage::infrastructure_ready(snapshot)
        && matches!(message.kind.as_str(), "Cluster" | "OpenStackCluster")
    {
        return Some("a failureMessage is never cleared, and the infrastructure is ready by now");
    }
    let node = snapshot.nodes.iter().find(|n| n.name == message.name || n.infra_name() == message.name);
    let made = message.reason == "CreateError" && node.is_some_and(Node::joined);
    if made && matches!(message.kind.as_str(), "Machine" | "OpenStackMachine") {
        return Some("a failureMessage is never cleared, and the machine has become a node since");
    }
    let Some(api) = &message.api else { return None };
    let again = spoken.iter().any(|other| {
        snapshot.age(other.last) <= FRESH
            && other.api.as_ref().is_some_and(|o| {
                o.method == api.method && o.path == api.path && code(&o.failing) == code(&api.failing)
            })
    });
    (!again).then_some("a failureMessage is never cleared, and the request has not failed lately")
}

fn code(failing: &Failing) -> u16 {
    match failing {
        Failing::Http(code) => *code,
        _ => 0,
    }
}

fn of_the_create(snapshot: &Snapshot<'_>, message: &Message) -> Option<&'static str> {
    let begun = snapshot.action == Action::Delete && snapshot.since.at.is_some_and(|at| message.last < at);
    let make = message.operation.is_some_and(|o| o.verb == Verb::Make);
    (begun && make && !message.state()).then_some("it is about the create, and the cluster is being deleted")
}

/// What the conductor logged before Magnum noted *_COMPLETE was not the end of it, or was
/// about another cluster of the project.
fn completed(snapshot: &Snapshot<'_>, message: &Message) -> Option<&'static str> {
    let complete = snapshot.status().ends_with("_COMPLETE");
    let noted = snapshot.magnum.cluster.and_then(|c| c.time("updated_at").or_else(|| c.time("created_at")));
    let before = message.weak || noted.is_some_and(|at| message.last <= at);
    let conductor = matches!(message.source, Source::Conductor(_));
    (conductor && complete && before).then_some("Magnum has completed what it was asked for since")
}

fn overtaken(snapshot: &Snapshot<'_>, message: &Message, successes: &[Success<'_>]) -> Option<&'static str> {
    if message.state() {
        return None;
    }
    let mut later = successes.iter().filter(|s| s.last > message.last);
    if login_or_line(message) && (later.clone().next().is_some() || reconciled_since(snapshot, message)) {
        return Some("a later request succeeded");
    }
    let operation = message.operation?;
    if operation.step >= Step::Port && operation.verb == Verb::Make {
        let owner = owner(&message.name);
        let again =
            later.any(|s| s.operation == operation && owner.is_some() && self::owner(s.name) == owner);
        return again.then_some("the same request succeeded later");
    }
    // The Cluster repeats what its OpenStackCluster says, also in an event of its own.
    let repeated = |s: &Success<'_>| {
        message.kind == "Cluster"
            && s.kind == "OpenStackCluster"
            && snapshot.kube.openstack_cluster().is_some_and(|infra| infra.name() == s.name)
    };
    let done = later.any(|s| {
        let same = s.kind == message.kind && s.name == message.name || repeated(s);
        same && s.operation.verb == operation.verb && covers(s.operation, operation)
    });
    done.then_some("this step or a later one succeeded since")
}

/// True if CAPO has worked through an object of this cluster since: it cannot without a
/// login. Source: CAPO controllers/*_controller.go, "Reconciled … successfully".
fn reconciled_since(snapshot: &Snapshot<'_>, message: &Message) -> bool {
    let capo = message.kind.starts_with("OpenStack")
        && message.api.as_ref().is_none_or(|api| api.service != Service::Kubernetes);
    capo && snapshot.said.records.iter().any(|spoken| {
        let record = &spoken.record;
        spoken.mine
            && record.at.is_some_and(|at| at > message.last)
            && record.message.starts_with("Reconciled ")
            && record.message.ends_with(" successfully")
    })
}

/// True for a refused login or a broken connection: any later success disproves it.
fn login_or_line(message: &Message) -> bool {
    let no_secret = message.has("-cloud-config\" not found");
    no_secret
        || message
            .api
            .as_ref()
            .is_some_and(|api| api.service == Service::Keystone || !matches!(api.failing, Failing::Http(_)))
}

fn covers(done: Operation, failed: Operation) -> bool {
    match done.verb {
        Verb::Make => done.step >= failed.step,
        Verb::Remove => done.step.removal_order() >= failed.step.removal_order(),
    }
}

/// The KubeadmControlPlane or MachineSet in a machine's name: all but the last word.
fn owner(name: &str) -> Option<&str> {
    name.rsplit_once('-').map(|(owner, _)| owner)
}

/// A condition of the step, or of the whole object, that became True after the message.
fn turned_good(snapshot: &Snapshot<'_>, message: &Message) -> Option<&'static str> {
    if message.state() {
        return None;
    }
    let doc = snapshot.kube.all().find(|d| d.kind() == message.kind && d.name() == message.name)?;
    let removes = message.operation.is_some_and(|o| o.verb == Verb::Remove);
    if removes || doc.deleting().is_some() {
        return None;
    }
    let step = message.operation.and_then(|o| step_condition(o.step));
    let good = |doc: Doc<'_>, kind: &str| {
        doc.condition(kind)
            .is_some_and(|c| c.status == Status::True && c.since.is_some_and(|at| at > message.last))
    };
    let own = good(doc, "Ready") || step.is_some_and(|kind| good(doc, kind));
    let infra = message.kind == "OpenStackCluster"
        && snapshot.kube.cluster().is_some_and(|c| good(c, "InfrastructureReady"));
    (own || infra).then_some("its condition has turned True since")
}

fn step_condition(step: Step) -> Option<&'static str> {
    match step {
        Step::Network | Step::Subnet => Some("NetworkReady"),
        Step::Router => Some("RouterReady"),
        Step::Groups => Some("SecurityGroupsReady"),
        Step::LoadBalancer | Step::FloatingIp | Step::Listener | Step::Pool | Step::Monitor => {
            Some("APIEndpointReady")
        }
        Step::Server => Some("InstanceReady"),
        Step::Port | Step::Volume => None,
    }
}

/// A refusal to delete a thing ends when the thing is gone.
fn thing_gone(snapshot: &Snapshot<'_>, message: &Message) -> Option<&'static str> {
    let api = message.api.as_ref().filter(|api| api.method.as_deref() == Some("DELETE"))?;
    let path = api.path.as_deref()?;
    let id = path.rsplit('/').next()?;
    let cloud = &snapshot.cloud;
    let lists: [(&str, &Seen<Doc<'_>>); 5] = [
        ("/networks/", &cloud.networks),
        ("/security-groups/", &cloud.groups),
        ("/routers/", &cloud.routers),
        ("/ports/", &cloud.ports),
        ("/loadbalancers/", &cloud.load_balancers),
    ];
    let (_, list) = lists.iter().find(|(part, _)| path.contains(part))?;
    let gone = list.all().is_ok_and(|rows| !rows.iter().any(|r| r.text("id") == id));
    gone.then_some("the thing it could not delete is gone by now")
}

/// Of one operation on one object only the newest message is current.
fn supersede(messages: &mut [Message]) {
    let newest: Vec<Message> = messages.iter().filter(|m| m.current() && !m.state()).cloned().collect();
    for message in messages.iter_mut().filter(|m| m.current() && !m.state() && m.operation.is_some()) {
        let newer = newest.iter().any(|other| {
            other.kind == message.kind
                && other.name == message.name
                && other.operation == message.operation
                && other.last > message.last
                && !alike(other, message)
        });
        if newer {
            message.over = Some("a newer message of the same operation says something else");
        }
    }
}

/// The same failure in other words: the same request refused in the same way.
fn alike(a: &Message, b: &Message) -> bool {
    match (&a.api, &b.api) {
        (Some(a), Some(b)) => {
            a.method == b.method && a.path == b.path && a.kind == b.kind && a.text == b.text
        }
        _ => a.text == b.text,
    }
}
