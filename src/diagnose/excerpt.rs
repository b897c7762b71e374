//! The log records about this cluster that are worth a line.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use crate::model::log::Level;
use crate::model::said::Spoken;
use crate::model::{Message, Snapshot, Source, current, noise};
use crate::report::LogLine;

/// Lines in a report.
const MOST: usize = 40;

/// Information that tells what a controller stopped at.
const STOPS: [&str; 5] = [
    "Not reconciling",
    "instance state is ERROR",
    "Waiting for load balancer",
    "Load balancer is already in PENDING",
    "Waiting for machines to be deleted",
];

/// Errors, panics, warnings and what a controller stops at, of the last back-offs; repeats
/// folded; the infrastructure's controller first, oldest first.
pub(super) fn log(snapshot: &Snapshot<'_>) -> Vec<LogLine> {
    let mut lines: Vec<LogLine> = Vec::new();
    let mut known: BTreeMap<(String, String), usize> = BTreeMap::new();
    for spoken in snapshot.said.records.iter().filter(|s| telling(snapshot, s)) {
        let words = words(spoken);
        let key = (spoken.pod.clone(), words.clone());
        if let Some(line) = known.get(&key).and_then(|at| lines.get_mut(*at)) {
            line.times += 1;
            line.at = spoken.record.at.max(line.at);
            continue;
        }
        known.insert(key, lines.len());
        lines.push(LogLine {
            pod: spoken.pod.clone(),
            container: spoken.container.clone(),
            level: spoken.record.level.letter().to_owned(),
            at: spoken.record.at,
            times: 1,
            words,
            unattributed: !spoken.mine,
        });
    }
    let surplus = lines.len().saturating_sub(MOST);
    lines.drain(..surplus);
    lines.sort_by_key(|line| (rank(snapshot, &line.pod), line.pod.clone(), line.at));
    lines
}

fn rank(snapshot: &Snapshot<'_>, pod: &str) -> usize {
    let order = ["infrastructure-openstack", "cluster-api", "control-plane-kubeadm", "bootstrap-kubeadm"];
    let namespace = pod.split('/').next().unwrap_or_default();
    let provider = snapshot.controllers.iter().find(|c| c.namespace == namespace).map(|c| c.provider);
    order.iter().position(|p| Some(*p) == provider).unwrap_or(order.len())
}

/// What a reader would stop at.
fn telling(snapshot: &Snapshot<'_>, spoken: &Spoken) -> bool {
    let record = &spoken.record;
    if record.is_panic() || record.level == Level::Fatal {
        return true;
    }
    let at = record.at.unwrap_or(snapshot.taken_at);
    if snapshot.age(at) > current::FRESH && !of_the_failure(snapshot, at) {
        return false;
    }
    if !spoken.mine && !unattributed(snapshot, at) {
        return false;
    }
    if let Some(event) = record.event() {
        return event.warning && !told_as_error(snapshot, &event.message, at);
    }
    if record.level == Level::Info {
        return STOPS.iter().any(|words| record.message.contains(words));
    }
    let text = record.error().unwrap_or(&record.message);
    let message = Message::new(Source::Log(spoken.pod.clone()), "", "", &record.message, text, at);
    record.level == Level::Error && noise::of(snapshot, &message).is_none()
}

/// Records that name no cluster are of interest where Magnum has failed: around that
/// moment, and where its passes still fail.
fn unattributed(snapshot: &Snapshot<'_>, at: Timestamp) -> bool {
    let now = snapshot.age(at) <= SignedDuration::from_mins(1);
    snapshot.status().ends_with("_FAILED") && now || of_the_failure(snapshot, at)
}

/// A *_FAILED of Magnum is explained by what its conductor logged around that moment.
fn of_the_failure(snapshot: &Snapshot<'_>, at: Timestamp) -> bool {
    let failed = snapshot.status().ends_with("_FAILED");
    let updated = snapshot.magnum.cluster.and_then(|c| c.time("updated_at"));
    failed && updated.is_some_and(|u| u.duration_since(at).abs() < SignedDuration::from_mins(2))
}

/// CAPO writes a failure twice: as an event, and as the error of the reconcile.
fn told_as_error(snapshot: &Snapshot<'_>, event: &str, at: Timestamp) -> bool {
    let refusal = crate::model::api_error::last(event).and_then(|a| a.text);
    snapshot.said.records.iter().filter(|s| s.record.level == Level::Error).any(|s| {
        let near = s.record.at.is_some_and(|t| t.duration_since(at).abs() < SignedDuration::from_secs(5));
        near && refusal
            .as_ref()
            .is_some_and(|words| s.record.error().is_some_and(|e| e.contains(words.as_str())))
    })
}

/// One line: of a traceback the first and the last, which name the error.
fn words(spoken: &Spoken) -> String {
    let record = &spoken.record;
    if let Some(error) = record.error() {
        return format!("{}: {error}", record.message);
    }
    let mut lines = record.message.lines().map(str::trim).filter(|l| !l.is_empty());
    let first = lines.next().unwrap_or_default();
    match lines.next_back() {
        Some(last) if !first.contains(last) => format!("{first} … {last}"),
        _ => first.to_owned(),
    }
}
