//! klog's text and JSON (kubernetes/klog, internal/serialize/keyvalues.go; component-base, logs/json).

use super::{Level, Record, Shape, assemble::empty};
use crate::model::escape::quoted;
use jiff::{Timestamp, ToSpan, civil, tz::TimeZone};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;

/// What stands before the `]` of klog's text, and the text behind it.
pub(super) struct Header<'a> {
    level: Level,
    /// `MMDD`
    date: &'a str,
    /// `hh:mm:ss.micros`
    time: &'a str,
    origin: &'a str,
    rest: &'a str,
}

/// The header of a klog line.
pub(super) fn header(line: &str) -> Option<Header<'_>> {
    let level = match line.as_bytes().first()? {
        b'I' => Level::Info,
        b'W' => Level::Warning,
        b'E' => Level::Error,
        b'F' => Level::Fatal,
        _ => return None,
    };
    let date = line.get(1..5).filter(|date| date.bytes().all(|b| b.is_ascii_digit()))?;
    let (time, after) = line.get(5..)?.strip_prefix(' ')?.split_once(' ')?;
    if time.as_bytes().get(2) != Some(&b':') || time.as_bytes().get(5) != Some(&b':') {
        return None;
    }
    let (thread, after) = after.trim_start_matches(' ').split_once(' ')?;
    let (origin, rest) = after.split_once(']')?;
    let sound = !thread.is_empty()
        && thread.bytes().all(|b| b.is_ascii_digit())
        && origin.contains(':')
        && !origin.contains([' ', '"']);
    sound.then(|| Header { level, date, time, origin, rest: rest.strip_prefix(' ').unwrap_or(rest) })
}

/// A record of klog's text, continuation lines included.
pub(super) fn text_record(text: &str, taken_at: Timestamp) -> Option<Record> {
    let head = header(text)?;
    let (message, pairs) = match quoted(head.rest) {
        Some((message, rest)) => (message, key_values(rest)),
        None => (head.rest.to_owned(), Vec::new()),
    };
    let at = moment(head.date, head.time, taken_at);
    Some(Record {
        at,
        level: head.level,
        origin: head.origin.to_owned(),
        message,
        pairs,
        ..empty(Shape::Klog)
    })
}

/// `key="…"`, `key={…}`, `key=word` and `key=<` blocks, up to what is none of them.
fn key_values(mut rest: &str) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    loop {
        rest = rest.trim_start_matches([' ', '\n']);
        let Some((key, after)) = rest.split_once('=') else { return pairs };
        if key.is_empty() || key.contains(['\n', '"']) {
            return pairs;
        }
        let (value, next) = value(after);
        pairs.push((key.to_owned(), value));
        rest = next;
    }
}

/// One value and the text behind it.
fn value(text: &str) -> (String, &str) {
    if let Some((value, rest)) = quoted(text) {
        return (value, rest);
    }
    if let Some(block) = text.strip_prefix("<\n") {
        return self::block(block);
    }
    if text.starts_with(['{', '[']) {
        return structured(text);
    }
    let end = text.find([' ', '\n']).unwrap_or(text.len());
    let (value, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    (value.to_owned(), rest)
}

/// A value of several lines: each behind a tab, the end is a line that starts with ` >`.
fn block(text: &str) -> (String, &str) {
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(" >") {
            return (lines.join("\n"), after);
        }
        let (line, next) = rest.split_once('\n').unwrap_or((rest, ""));
        lines.push(line.strip_prefix('\t').unwrap_or(line));
        rest = next;
    }
    (lines.join("\n"), "")
}

/// A JSON value printed without quotes around it, or Go's `[a b]` and `{a b}`: up to the bracket that closes.
fn structured(text: &str) -> (String, &str) {
    let (mut depth, mut in_string, mut escaped) = (0_u32, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && !in_string {
            let (value, rest) = text.split_at_checked(at + 1).unwrap_or((text, ""));
            return (value.to_owned(), rest);
        }
    }
    (text.to_owned(), "")
}

/// The time of a header, in the latest year that does not put it over a day ahead of `taken_at`.
fn moment(date: &str, time: &str, taken_at: Timestamp) -> Option<Timestamp> {
    let (month, day) = (date.get(..2)?.parse().ok()?, date.get(2..)?.parse().ok()?);
    let clock: civil::Time = time.parse().ok()?;
    let latest = taken_at.checked_add(24.hours()).unwrap_or(taken_at);
    let year = TimeZone::UTC.to_datetime(taken_at).year();
    [year + 1, year, year - 1].into_iter().find_map(|year| {
        let day = civil::Date::new(year, month, day).ok()?;
        TimeZone::UTC.to_timestamp(day.to_datetime(clock)).ok().filter(|at| *at <= latest)
    })
}

/// A record of klog's or zap's JSON.
pub(super) fn json_record(line: &str) -> Option<Record> {
    let Fields(fields) = serde_json::from_str(line).ok()?;
    let mut record = empty(Shape::KlogJson);
    let mut told = None;
    for (key, value) in fields {
        match key.as_str() {
            "ts" | "time" | "timestamp" if record.at.is_none() => record.at = json_moment(&value),
            "caller" => record.origin = plain(value),
            "msg" | "message" if record.message.is_empty() => record.message = plain(value),
            "level" => told = Some(Level::of_word(&plain(value))),
            _ => record.pairs.push((key, plain(value))),
        }
    }
    // klog's JSON has no level: errors alone carry `err`.
    let by_error = if record.get("err").is_some() { Level::Error } else { Level::Info };
    record.level = told.unwrap_or(by_error);
    Some(record)
}

/// Seconds (zap) or milliseconds (component-base) since 1970, or RFC 3339.
fn json_moment(value: &Value) -> Option<Timestamp> {
    if let Some(text) = value.as_str() {
        return text.parse().ok();
    }
    let number = value.as_f64()?;
    let milliseconds = if number.abs() < 1e11 { number * 1e3 } else { number };
    Timestamp::from_microsecond((milliseconds * 1e3).round() as i64).ok()
}

/// A string as it is, anything else as compact JSON.
fn plain(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// A JSON object with its fields in order and its duplicates.
struct Fields(Vec<(String, Value)>);

impl<'de> serde::Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}
