//! The words of a row.

use std::borrow::Cow;

use super::super::clean;
use crate::age;
use crate::report::{ClusterHead, Holder, LeftVerdict, Leftover, LeftoversReport, Life, QuotaLine, Thing};

/// Holders that a cell names.
const NAMED: usize = 3;

/// What stands in place of a Magnum status, where there is none.
pub(super) fn status(report: &LeftoversReport) -> Option<&'static str> {
    match report.life {
        _ if is_project(report) => None,
        Life::Gone => Some("Magnum and the management cluster have no such cluster any more"),
        Life::Unknown => Some("whether it still exists could not be looked up"),
        Life::Live | Life::Deleting => Some("Magnum has no such cluster, the management cluster has it"),
    }
}

/// The two lines at the top. For a whole project that is the name.
pub(super) fn cluster(report: &LeftoversReport) -> Cow<'_, ClusterHead> {
    if !is_project(report) {
        return Cow::Borrowed(&report.cluster);
    }
    let project = &report.cluster.project;
    let name = project.name.as_ref().or(project.id.as_ref()).map_or("unknown", String::as_str);
    Cow::Owned(ClusterHead { name: format!("project {name}"), ..ClusterHead::default() })
}

/// True for the report about a whole project.
pub(super) fn is_project(report: &LeftoversReport) -> bool {
    report.cluster.stack_id.is_none() && report.cluster.uuid.is_none()
}

/// The answer, as a sentence.
pub(super) fn answer(report: &LeftoversReport) -> String {
    match report.verdict {
        LeftVerdict::NotEnoughSeen => format!("not enough was seen to say: {}", report.summary),
        _ => report.summary.clone(),
    }
}

/// A thing with its name.
pub(super) fn named(thing: &Thing) -> String {
    match &thing.name {
        Some(name) => format!("{} {} \"{name}\"", thing.kind, thing.id),
        None => format!("{} {}", thing.kind, thing.id),
    }
}

/// Who holds it, short: those of the table by their rows in it.
pub(super) fn held_by(holders: &[Holder]) -> String {
    let others = holders.iter().filter(|holder| holder.order.is_none());
    let others: Vec<String> =
        others.map(|holder| format!("{} {}", holder.thing.kind, holder.thing.id)).collect();
    let mut words = some_of(&others).into_iter().collect::<Vec<_>>();
    let mut kinds: Vec<&str> = Vec::new();
    for holder in holders.iter().filter(|holder| holder.order.is_some()) {
        if !kinds.contains(&holder.thing.kind.as_str()) {
            kinds.push(&holder.thing.kind);
        }
    }
    for kind in kinds {
        let rows =
            holders.iter().filter(|holder| holder.thing.kind == kind).filter_map(|holder| holder.order);
        let rows: Vec<String> = rows.map(|row| row.to_string()).collect();
        let (kind, row) =
            if rows.len() == 1 { (kind.to_owned(), "row") } else { (format!("{kind}s"), "rows") };
        words.extend(some_of(&rows).map(|rows| format!("{kind} of {row} {rows}")));
    }
    if words.is_empty() { "nobody".to_owned() } else { words.join("; ") }
}

/// The first of them, and how many more.
fn some_of(words: &[String]) -> Option<String> {
    let first = words.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = words.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!words.is_empty()).then(|| format!("{first}{more}"))
}

/// One holder in full.
pub(super) fn holder(holder: &Holder) -> String {
    let project = holder.thing.project.as_ref().filter(|_| holder.order.is_none());
    let project = project.map(|id| format!(" (project {id})")).unwrap_or_default();
    format!("{}{project}: {}", named(&holder.thing), holder.says)
}

/// What one quota loses: `1 floatingip (5 of 100 used)`.
pub(super) fn quota(line: &QuotaLine) -> String {
    let use_of = match (line.used, line.limit) {
        (Some(used), Some(limit)) => format!(" ({used} of {limit} used)"),
        (Some(used), None) => format!(" ({used} used, no limit)"),
        (None, Some(limit)) => format!(" (limit {limit})"),
        (None, None) => String::new(),
    };
    format!("{} {}{use_of}", line.takes, line.resource)
}

/// Age of a thing when it was read.
pub(super) fn age_of(left: &Leftover, now: jiff::Timestamp) -> String {
    left.since.map(|at| age::between(at, now)).unwrap_or_default()
}

/// A line for each thing that blocks a delete or outlives it, for the pages of `why`.
pub(in super::super) fn lines(leftovers: &[Leftover]) -> Vec<String> {
    let one = |left: &Leftover| {
        let says = match (left.held_by.is_empty(), left.data) {
            (_, true) => "data of the cluster's users, which nobody deletes".to_owned(),
            (false, _) => format!("held by {}", held_by(&left.held_by)),
            (true, _) => left.why.clone().unwrap_or_else(|| "nothing removes it any more".to_owned()),
        };
        clean::line(&format!("{} {}: {says}", left.order, named(&left.thing))).into_owned()
    };
    leftovers.iter().map(one).collect()
}
