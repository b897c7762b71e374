//! What many causes need: things, evidence, and the commands that show them again.

pub mod denied;
pub mod login;
pub mod machine;
pub mod passes;
pub mod refused;

pub use crate::age::human as age;
use crate::model::api_error::{ApiError, Failing};
use crate::model::message::{Message, Source};
use crate::model::node::Node;
use crate::model::{Doc, Snapshot};
use crate::report::{Evidence, Recovers, Thing};

use super::{Finding, Step};

/// A thing by kind and id.
#[must_use]
pub fn thing(kind: &str, id: &str) -> Thing {
    Thing { kind: kind.to_owned(), id: id.to_owned(), name: None, project: None }
}

/// A row of an OpenStack list, with its name and project.
#[must_use]
pub fn row(kind: &str, row: Doc<'_>) -> Thing {
    Thing {
        kind: kind.to_owned(),
        id: row.str("id").or_else(|| row.str("uuid")).unwrap_or_default().to_owned(),
        name: row.str("name").map(str::to_owned),
        project: row.str("project_id").map(str::to_owned),
    }
}

/// A Kubernetes object.
#[must_use]
pub fn object(doc: Doc<'_>) -> Thing {
    thing(doc.kind(), doc.name())
}

/// The object that a message is about.
#[must_use]
pub fn subject(message: &Message) -> Thing {
    thing(&message.kind, &message.name)
}

/// The machine that an OpenStackServer, OpenStackMachine, server or Machine of that
/// name belongs to.
#[must_use]
pub fn node_of<'a, 'w>(snapshot: &'a Snapshot<'w>, name: &str) -> Option<&'a Node<'w>> {
    snapshot.nodes.iter().find(|n| n.name == name || n.infra_name() == name)
}

/// `kubectl -n <namespace> get <kind> <name> -o yaml`
#[must_use]
pub fn kubectl_get(snapshot: &Snapshot<'_>, kind: &str, name: &str) -> String {
    format!("kubectl -n {} get {} {name} -o yaml", snapshot.marks.namespace, kind.to_ascii_lowercase())
}

/// A message as evidence: who said it, the command that shows it again, its words.
#[must_use]
pub fn evidence(snapshot: &Snapshot<'_>, message: &Message) -> Evidence {
    Evidence { source: source(snapshot, message), place: place(snapshot, message), words: words(message) }
}

/// Something read in a document as evidence.
#[must_use]
pub fn seen(source: impl Into<String>, place: impl Into<String>, words: impl Into<String>) -> Evidence {
    Evidence { source: source.into(), place: place.into(), words: words.into() }
}

/// Evidence for the messages that say the same, at most one of each kind of source, state
/// first: a condition, an event, a log.
#[must_use]
pub fn evidence_of(snapshot: &Snapshot<'_>, messages: &[&Message]) -> Vec<Evidence> {
    let mut sorted: Vec<&&Message> = messages.iter().collect();
    let summary = |m: &Message| matches!(&m.source, Source::Condition(kind, ..) if kind == "Ready");
    sorted.sort_by_key(|m| {
        (!m.current(), rank(&m.source), summary(m), std::cmp::Reverse(m.last), m.name.clone())
    });
    let mut kinds = Vec::new();
    let mut evidence = Vec::new();
    for message in sorted {
        let kind = (rank(&message.source), message.name.clone());
        // A controller logs one failure for each object that it comes from.
        let logged = log(message).map(|pod| (rank(&message.source), format!("{pod} {}", words(message))));
        let known = kinds.contains(&kind) || logged.as_ref().is_some_and(|l| kinds.contains(l));
        if !known && evidence.len() < 4 {
            kinds.extend([Some(kind), logged].into_iter().flatten());
            evidence.push(self::evidence(snapshot, message));
        }
    }
    evidence
}

/// The pod whose log a message is from.
fn log(message: &Message) -> Option<&str> {
    match &message.source {
        Source::Log(pod) | Source::Conductor(pod) => Some(pod),
        _ => None,
    }
}

fn rank(source: &Source) -> u8 {
    match source {
        Source::ClusterReason => 0,
        Source::GroupReason(_) => 1,
        Source::Fault(_) => 2,
        Source::Condition(..) => 3,
        Source::Failure => 4,
        Source::Event(_) => 5,
        Source::Log(_) => 6,
        Source::Conductor(_) => 7,
        Source::Gap(_) => 8,
    }
}

fn source(snapshot: &Snapshot<'_>, message: &Message) -> String {
    let ago = |at| age(snapshot.age(at));
    let times = if message.times > 1 { format!("{} times, last ", message.times) } else { String::new() };
    match &message.source {
        Source::Condition(kind, status, _) => {
            let since = message.since.map(|at| format!(", since {}", ago(at))).unwrap_or_default();
            let reason =
                if message.reason.is_empty() { String::new() } else { format!(" ({})", message.reason) };
            format!("{} {}, {kind} {}{reason}{since}", message.kind, message.name, status.word())
        }
        Source::Failure => format!("{} {}, failureMessage", message.kind, message.name),
        Source::Event(_) => {
            format!(
                "event {} on {} {} ({times}{} ago)",
                message.reason,
                message.kind,
                message.name,
                ago(message.last)
            )
        }
        Source::Log(pod) | Source::Conductor(pod) => {
            format!("log of {pod} ({times}{} ago)", ago(message.last))
        }
        Source::Fault(_) => format!("Nova, fault of server {}", message.name),
        Source::ClusterReason => "Magnum, status_reason of the cluster".to_owned(),
        Source::GroupReason(group) => format!("Magnum, status_reason of node group {group}"),
        Source::Gap(part) => format!("reading {part}"),
    }
}

fn place(snapshot: &Snapshot<'_>, message: &Message) -> String {
    let cluster = snapshot.marks.uuid.as_deref().unwrap_or(&snapshot.asked_for);
    match &message.source {
        Source::Condition(..) | Source::Failure => kubectl_get(snapshot, &message.kind, &message.name),
        Source::Event(_) => format!(
            "kubectl -n {} get events --field-selector involvedObject.name={}",
            snapshot.marks.namespace, message.name
        ),
        Source::Log(pod) | Source::Conductor(pod) => logs(pod, &message.name),
        Source::Fault(id) => format!("openstack server show -c status -c fault {id}"),
        Source::ClusterReason => format!("openstack coe cluster show -c status -c status_reason {cluster}"),
        Source::GroupReason(group) => format!("openstack coe nodegroup show {cluster} {group}"),
        Source::Gap(_) => String::new(),
    }
}

/// `kubectl -n <namespace> logs <pod>`, only the lines with a word if there is one.
#[must_use]
pub fn logs(pod: &str, word: &str) -> String {
    let (namespace, pod) = pod.split_once('/').unwrap_or(("", pod));
    let filter = if word.is_empty() { String::new() } else { format!(" | grep {word}") };
    format!("kubectl -n {namespace} logs {pod} --since=2h{filter}")
}

/// The decisive words of a message: the request and its refusal, else the text without its traceback.
#[must_use]
pub fn words(message: &Message) -> String {
    let text = message.text.split("\nTraceback (most recent call last)").next().unwrap_or_default().trim();
    let reason =
        matches!(message.source, Source::ClusterReason | Source::GroupReason(_) | Source::Conductor(_));
    match &message.api {
        // Magnum's reasons are short, and a request without an answer says little by itself: there the
        // words are what people search for.
        Some(api) if api.text.is_some() || text.is_empty() || !(reason || unanswered(api)) => request(api),
        _ if text.is_empty() => "no message".to_owned(),
        _ => text.to_owned(),
    }
}

/// True if the connection failed, so that no server said anything.
fn unanswered(api: &ApiError) -> bool {
    !matches!(api.failing, Failing::Http(_))
}

/// `POST /v2.1/servers 403 "Quota exceeded for cores: …"`
#[must_use]
pub fn request(api: &ApiError) -> String {
    let target = api.path.as_deref().or(api.url.as_deref()).map(str::to_owned);
    let target = target.or_else(|| api.webhook.as_ref().map(|w| format!("webhook {}", w.name)));
    let how = match &api.failing {
        Failing::Http(code) => Some(code.to_string()),
        other => api.text.is_none().then(|| format!("{other:?}").to_ascii_lowercase()),
    };
    let kind = api.kind.clone().filter(|k| api.webhook.is_none() && !k.is_empty());
    let text = api.text.as_ref().map(|t| format!("\"{t}\""));
    [api.method.clone(), target, how, kind, text].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Current messages whose API error is of that type (Neutron's error types).
#[must_use]
pub fn refused_as<'a>(snapshot: &'a Snapshot<'_>, kind: &str) -> Vec<&'a Message> {
    let of_kind = |m: &&Message| m.api.as_ref().is_some_and(|a| a.kind.as_deref() == Some(kind));
    snapshot.said.messages.iter().filter(|m| m.current()).filter(of_kind).collect()
}

/// True for a floating IP that CAPO made for the cluster's API, or its cloud controller for a
/// Service. Source: cluster-api-provider-openstack networking/floatingip.go,
/// cloud-provider-openstack pkg/openstack/loadbalancer.go.
#[must_use]
pub fn own_address(snapshot: &Snapshot<'_>, address: Doc<'_>) -> bool {
    let marks = &snapshot.marks;
    let description = address.text("description");
    let by_capo = marks.stack_id.as_deref().is_some_and(|stack_id| {
        description
            == format!("Created by cluster-api-provider-openstack cluster {}-{stack_id}", marks.namespace)
    });
    let by_service = marks.uuid.as_deref().is_some_and(|uuid| {
        description.starts_with("Floating IP for Kubernetes external service ")
            && description.ends_with(&format!(" from cluster {uuid}"))
    });
    by_capo || by_service
}

/// A floating IP as evidence.
#[must_use]
pub fn address(address: Doc<'_>) -> Evidence {
    let id = address.text("id");
    let words = format!(
        "{} on port {}; description \"{}\"",
        address.text("floating_ip_address"),
        address.str("port_id").unwrap_or("none"),
        address.text("description")
    );
    seen(format!("Neutron, floating IP {id}"), format!("openstack floating ip show {id}"), words)
}

/// A port on a network as evidence.
#[must_use]
pub fn occupies(port: Doc<'_>) -> Evidence {
    let id = port.text("id");
    let name = port.str("name").map(|name| format!(" \"{name}\"")).unwrap_or_default();
    let words = format!(
        "network_id {}; device_owner {}; device_id {}",
        port.text("network_id"),
        port.str("device_owner").unwrap_or("none"),
        port.str("device_id").unwrap_or("none")
    );
    seen(format!("Neutron, port {id}{name}"), format!("openstack port show {id}"), words)
}

/// The step after a fix for a delete that Magnum has given up.
pub(super) const DELETE_AGAIN: Step =
    Step::say("delete the cluster once more: Magnum never looks again at a cluster in DELETE_FAILED")
        .run(&["openstack coe cluster delete {uuid}"])
        .when("delete-failed");

/// The finding of something that holds up a delete: after the fix CAPO goes on by itself, at
/// its next try. Its pauses grow to 16 minutes (controller-runtime's rate limiter).
#[must_use]
pub fn delete_goes_on(snapshot: &Snapshot<'_>, finding: Finding) -> Finding {
    if snapshot.status() == "DELETE_FAILED" {
        let says = "Once that is done Cluster API goes on by itself; Magnum only follows once the cluster is deleted again.";
        return finding.flag("delete-failed").recovers(Recovers::AfterFix, says);
    }
    let says = "Once that is done the delete goes on by itself: CAPO tries again, up to 16 minutes after its last try.";
    finding.recovers(Recovers::AfterFix, says)
}

/// `machine`/`machines` and the like.
#[must_use]
pub fn plural(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

/// `a`, `a and b`, `a, b and c`.
#[must_use]
pub fn and(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [init @ .., last] => format!("{} and {last}", init.join(", ")),
    }
}

/// The part that holds the log of the magnum-conductor.
#[must_use]
pub fn conductor_log(snapshot: &Snapshot<'_>) -> String {
    let seen = snapshot.controllers.iter().find(|c| c.provider == "magnum-conductor");
    format!("log/{}", seen.map_or("openstack", |c| c.namespace))
}

/// `kubectl -n openstack logs statefulset/magnum-conductor`: the conductor as it was seen, else
/// as Atmosphere installs it (vexxhost/atmosphere roles/magnum).
#[must_use]
pub fn conductor(snapshot: &Snapshot<'_>, verb: &str) -> String {
    let seen = snapshot.controllers.iter().find(|c| c.provider == "magnum-conductor");
    let (namespace, kind, name) =
        seen.map_or(("openstack", "StatefulSet", "magnum-conductor"), |c| (c.namespace, c.kind, c.name));
    format!("kubectl -n {namespace} {verb} {}/{name}", kind.to_ascii_lowercase())
}
