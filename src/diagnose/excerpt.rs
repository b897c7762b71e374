//! The log records about this cluster that are worth a line.

use std::collections::BTreeMap;

use crate::model::log::Level;
use crate::model::said::Spoken;
use crate::model::{Snapshot, noise};
use crate::model::{Message, Source};
use crate::report::LogLine;

/// Lines in a report.
const MOST: usize = 40;

/// Errors, panics, warnings and what a controller waits for; repeats folded, oldest first.
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
    lines
}

/// What a reader would stop at.
fn telling(snapshot: &Snapshot<'_>, spoken: &Spoken) -> bool {
    let record = &spoken.record;
    if record.is_panic() || record.level == Level::Fatal {
        return true;
    }
    if let Some(event) = record.event() {
        return event.warning;
    }
    let waits = ["error state", "Waiting for load balancer", "Instance in ERROR", "instance state is ERROR", "failed state"];
    if record.level == Level::Info {
        return waits.iter().any(|w| record.message.contains(w));
    }
    let text = record.error().unwrap_or(&record.message);
    let at = record.at.unwrap_or(snapshot.taken_at);
    let message = Message::new(Source::Log(spoken.pod.clone()), "", "", &record.message, text, at);
    matches!(record.level, Level::Error | Level::Warning) && noise::of(snapshot, &message).is_none()
}

fn words(spoken: &Spoken) -> String {
    let record = &spoken.record;
    match record.error() {
        Some(error) => format!("{}: {error}", record.message),
        None => record.message.clone(),
    }
}
