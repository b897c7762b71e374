//! oslo.log (openstack/oslo.log, oslo_log/_options.py: default formats and exception prefix) and env_logger.

use super::{Level, Record, Shape, assemble::empty};
use jiff::{Timestamp, civil, tz::TimeZone};

/// What all lines of one oslo record share.
pub(super) struct Key<'a> {
    /// `2026-11-30 21:12:44.010`
    time: &'a str,
    pid: &'a str,
    level: &'a str,
    logger: &'a str,
    rest: &'a str,
    /// The line starts with a context of its own, so it is the first of its record.
    pub(super) has_context: bool,
}

impl Key<'_> {
    pub(super) fn same(&self, other: &Key<'_>) -> bool {
        (self.time, self.pid, self.logger) == (other.time, other.pid, other.logger)
    }
}

/// The prefix of an oslo line.
pub(super) fn key(line: &str) -> Option<Key<'_>> {
    let bytes = line.as_bytes();
    let shaped = [(4, b'-'), (7, b'-'), (10, b' '), (13, b':'), (16, b':')];
    if !shaped.iter().all(|(at, mark)| bytes.get(*at) == Some(mark)) {
        return None;
    }
    let (day, after) = line.split_once(' ')?;
    let (clock, after) = after.split_once(' ')?;
    let time = line.get(..day.len() + 1 + clock.len())?;
    let (pid, after) = after.split_once(' ')?;
    let (level, after) = after.split_once(' ')?;
    let (logger, rest) = after.split_once(' ').unwrap_or((after, ""));
    let sound = pid.bytes().all(|b| b.is_ascii_digit()) && Level::of_word(level) != Level::Unknown;
    sound.then(|| Key { time, pid, level, logger, rest, has_context: split_context(rest).is_some() })
}

/// A record from its lines; lines of its own prefix are freed of it.
pub(super) fn record(lines: &[&str]) -> Option<Record> {
    let head = key(lines.first()?)?;
    let (context, first) = split_context(head.rest).unwrap_or((Vec::new(), head.rest));
    let mut message = first.to_owned();
    for line in lines.iter().skip(1) {
        let text = key(line).filter(|other| head.same(other)).map_or(*line, |other| other.rest);
        message.push('\n');
        message.push_str(text);
    }
    message.truncate(message.trim_end().len());
    let time = civil::DateTime::strptime("%Y-%m-%d %H:%M:%S%.f", head.time).ok();
    Some(Record {
        at: time.and_then(|time| TimeZone::UTC.to_timestamp(time).ok()),
        level: Level::of_word(head.level),
        origin: head.logger.to_owned(),
        message,
        context: context.into_iter().map(str::to_owned).collect(),
        ..empty(Shape::Oslo)
    })
}

/// The context in brackets and the text behind it: `[-]`, `[req-… user project …]`, and since 2023
/// `[None req-… …]`, where the first word is the request id of the caller and is left out.
fn split_context(text: &str) -> Option<(Vec<&str>, &str)> {
    let inside = text.strip_prefix('[')?;
    if !(inside.starts_with("-]") || inside.starts_with("req-") || inside.starts_with("None ")) {
        return None;
    }
    let (words, rest) = inside.split_once(']')?;
    let mut words: Vec<&str> = words.split(' ').collect();
    let two_ids = words.get(1).is_some_and(|second| second.starts_with("req-"));
    if two_ids || matches!(words.first(), Some(&"None")) {
        words.remove(0);
    }
    if words == ["-"] {
        words.clear();
    }
    Some((words, rest.strip_prefix(' ').unwrap_or(rest)))
}

/// Time, level, target and text of an env_logger line: `[2026-11-30T21:12:06Z ERROR kube_client::client] text`.
pub(super) fn rust_header(line: &str) -> Option<(Timestamp, Level, &str, &str)> {
    if line.as_bytes().get(11) != Some(&b'T') {
        return None;
    }
    let (header, text) = line.strip_prefix('[')?.split_once(']')?;
    let mut words = header.split_whitespace();
    let at = words.next()?.parse().ok()?;
    let level = Some(Level::of_word(words.next()?)).filter(|level| *level != Level::Unknown)?;
    Some((at, level, words.next().unwrap_or_default(), text.strip_prefix(' ').unwrap_or(text)))
}

/// The record of an env_logger line.
pub(super) fn rust_record(line: &str) -> Option<Record> {
    let (at, level, origin, message) = rust_header(line)?;
    Some(Record {
        at: Some(at),
        level,
        origin: origin.to_owned(),
        message: message.to_owned(),
        ..empty(Shape::Rust)
    })
}
