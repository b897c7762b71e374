//! Collects every sentence about one cluster: conditions, failure messages, events, log
//! records, Nova faults, Magnum's reasons, and what the reader itself was told.

use std::collections::BTreeMap;

use jiff::SignedDuration;

use super::action::Action;
use super::event::Event;
use super::log::{self, Level, Record, Shape};
use super::message::{Message, Source};
use super::snapshot::Snapshot;
use super::status_reason::StatusReason;
use super::{Doc, condition};
use crate::bundle::Log;

mod near;

/// What was said about a cluster.
#[derive(Debug, Default)]
pub struct Said {
    /// Every sentence, newest state first within a source.
    pub messages: Vec<Message>,
    /// Events of the cluster's objects, from the API and from logs, oldest first.
    pub events: Vec<Event>,
    /// Log records that name the cluster, and those of a controller's own trouble.
    pub records: Vec<Spoken>,
}

/// A log record and where it stands.
#[derive(Debug, Clone)]
pub struct Spoken {
    /// `namespace/pod`.
    pub pod: String,
    /// Container.
    pub container: String,
    /// Log of the container's run before the last restart.
    pub previous: bool,
    /// True if it names this cluster or one of its objects.
    pub mine: bool,
    /// True for a record of magnum-conductor.
    pub conductor: bool,
    /// The record.
    pub record: Record,
}

/// Collects everything; messages are not yet judged as current or over.
#[must_use]
pub fn collect(snapshot: &Snapshot<'_>) -> Said {
    let records = records(snapshot);
    let events = events(snapshot, &records);
    let mut messages = Vec::new();
    messages.extend(magnum(snapshot));
    messages.extend(snapshot.kube.all().flat_map(|doc| conditions(snapshot, doc)));
    messages.extend(snapshot.kube.all().filter_map(|doc| failure(snapshot, doc)));
    messages.extend(snapshot.nodes.iter().filter_map(|n| fault(snapshot, n.nova?)));
    messages.extend(events.iter().filter(|e| e.warning || is_failure(&e.reason)).filter_map(event));
    messages.extend(logged(&records));
    messages.extend(gaps(snapshot));
    Said { messages, events, records }
}

fn is_failure(reason: &str) -> bool {
    reason.to_ascii_lowercase().starts_with("failed")
}

/// Reasons of the cluster and of its groups, where Magnum has failed. Elsewhere they are
/// copies of events or left over from an earlier operation.
fn magnum(snapshot: &Snapshot<'_>) -> Vec<Message> {
    let mut messages = Vec::new();
    let Some(cluster) = snapshot.magnum.cluster else { return messages };
    let status = cluster.text("status");
    if status.ends_with("_FAILED")
        && let StatusReason::Failure { class, text, .. } = &snapshot.magnum.reason
    {
        let reason = class.as_deref().unwrap_or_default();
        let name = cluster.text("name");
        let mut message =
            Message::new(Source::ClusterReason, "Magnum cluster", name, reason, text, snapshot.taken_at);
        message.since = cluster.time("updated_at");
        messages.push(message);
    }
    if snapshot.action == Action::Delete || status.starts_with("DELETE_") {
        return messages;
    }
    messages.extend(snapshot.magnum.groups.some().iter().filter_map(|g| group(snapshot, cluster, *g)));
    messages.extend(faults(snapshot, cluster));
    messages
}

/// Reasons of groups whose rows were not read: Magnum repeats them in the cluster's `faults`.
fn faults(snapshot: &Snapshot<'_>, cluster: Doc<'_>) -> Vec<Message> {
    let known = |name: &str| snapshot.magnum.groups.some().iter().any(|g| g.text("name") == name);
    let faults = cluster.at("faults").and_then(|f| f.as_object()).into_iter().flatten();
    faults
        .filter(|(name, _)| cluster.text("status").ends_with("_FAILED") && !known(name))
        .filter_map(|(name, reason)| {
            let source = Source::GroupReason(name.clone());
            Some(Message::new(source, "node group", name, "failed", reason.as_str()?, snapshot.taken_at))
        })
        .collect()
}

/// A group's reason is never cleared, so it counts only with *_FAILED, and only if it is
/// of the present operation.
fn group(snapshot: &Snapshot<'_>, cluster: Doc<'_>, group: Doc<'_>) -> Option<Message> {
    if !group.text("status").ends_with("_FAILED") || !cluster.text("status").ends_with("_FAILED") {
        return None;
    }
    let name = group.text("name");
    let reason = group.str("status_reason").or_else(|| cluster.at("faults")?.get(name)?.as_str())?;
    let mut message = Message::new(
        Source::GroupReason(name.to_owned()),
        "node group",
        name,
        group.text("status"),
        reason,
        snapshot.taken_at,
    );
    if let StatusReason::Failure { text, .. } = super::status_reason::parse(Some(reason)) {
        message.text = text;
    }
    message.since = group.time("updated_at");
    Some(message)
}

fn conditions(snapshot: &Snapshot<'_>, doc: Doc<'_>) -> Vec<Message> {
    let mut conditions = doc.conditions();
    // Old-shape conditions carry failures that the new ones word differently, so both are
    // listened to; a summary of the same words is dropped below.
    conditions.extend(condition::legacy(doc));
    let mut messages: Vec<Message> = Vec::new();
    for c in conditions.iter().filter(|c| !(c.good() || c.negative() && c.message.is_empty())) {
        let source = Source::Condition(c.kind.to_owned(), c.status, c.severity.map(str::to_owned));
        let mut message =
            Message::new(source, doc.kind(), doc.name(), c.reason, c.message, snapshot.taken_at);
        message.since = c.since;
        let again = |m: &Message| {
            matches!(&m.source, Source::Condition(kind, ..) if kind == c.kind) && m.text == c.message
        };
        if !messages.iter().any(again) {
            messages.push(message);
        }
    }
    messages
}

/// `failureMessage` of the contracts before v1beta2. It has no time of its own.
fn failure(snapshot: &Snapshot<'_>, doc: Doc<'_>) -> Option<Message> {
    let paths = ["status.failureMessage", "status.deprecated.v1beta1.failureMessage"];
    let text = paths.iter().find_map(|path| doc.str(path))?;
    let reason = doc.str("status.failureReason").unwrap_or_default();
    Some(Message::new(Source::Failure, doc.kind(), doc.name(), reason, text, snapshot.taken_at))
}

fn fault(snapshot: &Snapshot<'_>, server: Doc<'_>) -> Option<Message> {
    let text = server.str("fault.message")?;
    let source = Source::Fault(server.text("id").to_owned());
    let mut message = Message::new(source, "server", server.text("name"), "", text, snapshot.taken_at);
    message.since = server.time("fault.created");
    Some(message)
}

fn event(event: &Event) -> Option<Message> {
    use super::event::From;
    let source = match &event.from {
        From::Object(name) => Source::Event(name.clone()),
        From::Log(pod) => Source::Log(pod.clone()),
    };
    let mut message =
        Message::new(source, &event.kind, &event.name, &event.reason, &event.message, event.last?);
    message.since = event.first;
    message.times = usize::try_from(event.count).unwrap_or(1);
    Some(message)
}

/// Errors in logs, one message for each object and text.
fn logged(records: &[Spoken]) -> Vec<Message> {
    let mut messages: BTreeMap<(String, String, String), Message> = BTreeMap::new();
    for spoken in records.iter().filter(|s| s.record.event().is_none()) {
        let record = &spoken.record;
        let Some(at) = record.at.filter(|_| matches!(record.level, Level::Error | Level::Fatal)) else {
            continue;
        };
        let (kind, name) = about(record);
        let text = record.error().unwrap_or(&record.message);
        let key = (kind.to_owned(), name.to_owned(), text.to_owned());
        let source = if spoken.conductor {
            Source::Conductor(spoken.pod.clone())
        } else {
            Source::Log(spoken.pod.clone())
        };
        let message = messages.entry(key).or_insert_with(|| {
            let mut message = Message::new(source, kind, name, &record.message, text, at);
            message.times = 0;
            message.weak = !spoken.mine;
            message
        });
        message.times += 1;
        message.weak &= !spoken.mine;
        message.since = Some(message.since.map_or(at, |since| since.min(at)));
        message.last = message.last.max(at);
    }
    messages.into_values().collect()
}

/// The object a controller was working on: its own kind first.
fn about(record: &Record) -> (&str, &str) {
    let objects = record.objects();
    let own = record.get("controllerKind");
    let found = objects.iter().find(|(kind, _)| Some(*kind) == own).or_else(|| objects.first());
    found.copied().unwrap_or(("", ""))
}

fn gaps(snapshot: &Snapshot<'_>) -> Vec<Message> {
    let meta = snapshot.world.meta;
    let gaps = meta.gaps.iter().filter(|g| !g.says.is_empty());
    gaps.map(|g| {
        Message::new(Source::Gap(g.part.clone()), "part", &g.part, g.why.word(), &g.says, snapshot.taken_at)
    })
    .collect()
}

fn events(snapshot: &Snapshot<'_>, records: &[Spoken]) -> Vec<Event> {
    let objects = snapshot.world.objects("event");
    // Another namespace may hold another Magnum's cluster of the same name.
    let near = objects.some().iter().filter(|d| d.namespace() == snapshot.marks.namespace);
    let mut events: Vec<Event> = near.filter_map(|d| Event::from_doc(*d)).collect();
    events.retain(|e| snapshot.marks.names(&e.name) || snapshot.kube.all().any(|d| d.name() == e.name));
    for spoken in records.iter().filter(|s| s.mine) {
        let Some(event) = Event::from_record(&spoken.record, &spoken.pod) else { continue };
        if !events.iter().any(|known| same(known, &event)) {
            events.push(event);
        }
    }
    events.sort_by(|a, b| (a.last, &a.name, &a.reason).cmp(&(b.last, &b.name, &b.reason)));
    events
}

/// The same event, seen in the API and in a log: its object's time covers the record's.
fn same(known: &Event, event: &Event) -> bool {
    let (Some(first), Some(last), Some(at)) = (known.first, known.last, event.last) else { return false };
    let slack = SignedDuration::from_secs(3);
    known.is(&event.reason)
        && known.name == event.name
        && known.message == event.message
        && first - slack <= at
        && at <= last + slack
}

fn records(snapshot: &Snapshot<'_>) -> Vec<Spoken> {
    let mut spoken = Vec::new();
    for log in snapshot.world.logs {
        let conductor = log.pod.contains("magnum-conductor");
        for record in log::records(&log.text, snapshot.taken_at) {
            let mine = mine(snapshot, &record, conductor);
            if mine || own_trouble(&record) || (conductor && near::near(snapshot, &record)) {
                spoken.push(place(log, conductor, mine, record));
            }
        }
    }
    spoken.sort_by(|a, b| (a.record.at, &a.pod).cmp(&(b.record.at, &b.pod)));
    spoken
}

fn place(log: &Log, conductor: bool, mine: bool, mut record: Record) -> Spoken {
    // What a klog record says is in its message and pairs: its text would be kept twice.
    if matches!(record.shape, Shape::Klog | Shape::KlogJson) && !record.is_panic() {
        record.text = String::new();
    }
    Spoken {
        pod: format!("{}/{}", log.namespace, log.pod),
        container: log.container.clone(),
        previous: log.previous,
        mine,
        conductor,
        record,
    }
}

fn mine(snapshot: &Snapshot<'_>, record: &Record, conductor: bool) -> bool {
    if record.shape == Shape::Bare || elsewhere(snapshot, record) {
        return false;
    }
    let objects = record.objects();
    if objects.iter().any(|(_, name)| snapshot.marks.names(name)) {
        return true;
    }
    let named = snapshot.marks.in_text(&record.text);
    named || (conductor && names_group(snapshot, &record.message))
}

/// True for a controller's record about an object of another namespace that does not name this
/// cluster by its UUID: stack ids are unique in a namespace only.
fn elsewhere(snapshot: &Snapshot<'_>, record: &Record) -> bool {
    let other = record.get("namespace").is_some_and(|ns| !ns.is_empty() && ns != snapshot.marks.namespace);
    let named = snapshot.marks.uuid.as_deref().is_some_and(|uuid| record.text.contains(uuid));
    other && record.get("controllerKind").is_some() && !named
}

/// A node group with a name of its own ties a conductor's record to the cluster; every
/// cluster has a `default-worker`.
fn names_group(snapshot: &Snapshot<'_>, text: &str) -> bool {
    let groups = snapshot.magnum.groups.some().iter().map(|g| g.text("name"));
    groups.filter(|name| !name.is_empty() && !name.starts_with("default-")).any(|name| {
        text.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '_').any(|word| word == name)
    })
}

/// Panics and fatal errors stop a controller for every cluster.
fn own_trouble(record: &Record) -> bool {
    record.is_panic() || record.level == Level::Fatal || record.message.contains("problem running manager")
}

#[cfg(test)]
mod tests;
