//! Container logs as records: klog text and JSON, oslo.log, Rust's env_logger, and blocks without a header.
//! Nothing here fails: a line that no shape explains becomes part of a bare record.

mod assemble;
mod klog;
mod oslo;
#[cfg(test)]
mod tests;

use jiff::Timestamp;

/// Text of a record that is kept, in bytes.
const TEXT_LIMIT: usize = 64 * 1024;

/// Keys under which Cluster API Provider OpenStack up to 0.14 logs plain names, and the kinds they name
/// (kubernetes-sigs/cluster-api-provider-openstack, controllers/*.go).
const PLAIN_KEYS: [(&str, &str); 6] = [
    ("cluster", "Cluster"),
    ("machine", "Machine"),
    ("openStackCluster", "OpenStackCluster"),
    ("openStackMachine", "OpenStackMachine"),
    ("openStackServer", "OpenStackServer"),
    ("openStackMachineTemplate", "OpenStackMachineTemplate"),
];

/// Keys with several names (kubernetes-sigs/cluster-api, util/log and internal/controllers).
const PLURAL_KEYS: [(&str, &str); 3] =
    [("Machines", "Machine"), ("MachineSets", "MachineSet"), ("MachineDeployments", "MachineDeployment")];

/// How loud a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nothing told how loud it is.
    Unknown,
    /// Information, debug and trace.
    Info,
    /// Warning.
    Warning,
    /// Error.
    Error,
    /// Fatal, critical, or the trace of a panic.
    Fatal,
}

impl Level {
    /// klog's letter, empty when the level is unknown.
    pub fn letter(self) -> &'static str {
        match self {
            Level::Info => "I",
            Level::Warning => "W",
            Level::Error => "E",
            Level::Fatal => "F",
            Level::Unknown => "",
        }
    }

    /// The level behind a word as oslo.log, zap or env_logger write it.
    fn of_word(word: &str) -> Level {
        match word {
            "DEBUG" | "INFO" | "TRACE" | "AUDIT" | "debug" | "info" => Level::Info,
            "WARNING" | "WARN" | "warn" | "warning" => Level::Warning,
            "ERROR" | "error" => Level::Error,
            "CRITICAL" | "FATAL" | "fatal" | "panic" | "dpanic" => Level::Fatal,
            _ => Level::Unknown,
        }
    }
}

/// Which printer wrote a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// klog text: `E1130 20:42:31.704149 31296 controller.go:495] "message" key="value"`.
    Klog,
    /// klog or zap JSON, one object a line.
    KlogJson,
    /// oslo.log, the lines of one traceback joined.
    Oslo,
    /// Rust's env_logger, as the driver's extension prints it.
    Rust,
    /// Lines without a header: the trace of a panic, or what a library printed.
    Bare,
}

/// One record of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// When it was written: the kubelet's prefix if there is one, else the header's own time taken as UTC.
    pub at: Option<Timestamp>,
    /// How loud it is.
    pub level: Level,
    /// Which printer wrote it.
    pub shape: Shape,
    /// Where in the program: klog's `controller.go:329`, the logger's name of oslo and Rust.
    pub origin: String,
    /// What is said: klog's first quoted string unescaped, oslo's text after the context, a traceback's lines
    /// joined.
    pub message: String,
    /// klog's keys and values in order, unescaped, duplicates kept; the fields of klog JSON.
    pub pairs: Vec<(String, String)>,
    /// oslo's context: request id, user id, project id and what follows, `-` where one is missing.
    pub context: Vec<String>,
    /// The record as written, without the kubelet's prefixes, lines joined, 64 KiB at most.
    pub text: String,
}

/// An event as client-go's recorder logs it; dropped events are logged too
/// (kubernetes-sigs/controller-runtime, pkg/internal/recorder).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedEvent {
    /// Type is Warning, not Normal.
    pub warning: bool,
    /// The event's reason, such as `Failedcreaterouter`.
    pub reason: String,
    /// Kind of the object the event is about.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its uid.
    pub uid: String,
    /// The event's message.
    pub message: String,
}

/// All records of a log in the order of their first lines. `taken_at` is when the log was read: klog prints
/// no year, and a date over a day ahead of it belongs to the year before.
pub fn records(text: &str, taken_at: Timestamp) -> Vec<Record> {
    assemble::drafts(text).into_iter().map(|draft| draft.finish(taken_at)).collect()
}

/// Whether `line` may belong to the record that begins with the line `first`: for whoever
/// reads a log line by line and cannot hold it. Lines of a record never come apart; a block
/// may hold lines without a header that [`records`] makes a record of their own.
#[must_use]
pub fn joins(first: &str, line: &str) -> bool {
    assemble::joins(first, line)
}

/// The line without the time that the kubelet puts before it.
#[must_use]
pub fn without_stamp(line: &str) -> &str {
    assemble::strip_stamp(line).1
}

impl Record {
    /// The first value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// The error of the record: klog's `err`, zap's `error`.
    pub fn error(&self) -> Option<&str> {
        self.get("err").or_else(|| self.get("error"))
    }

    /// The objects the record names by key, as kind and name, without their namespaces.
    pub fn objects(&self) -> Vec<(&str, &str)> {
        let mut objects = Vec::new();
        for (key, value) in &self.pairs {
            match PLURAL_KEYS.iter().find(|(plural, _)| plural == key) {
                Some((_, kind)) => {
                    objects.extend(value.split(", ").filter_map(|one| Some((*kind, name_of(one)?))))
                }
                None => objects.extend(kind_of(key).zip(name_of(value))),
            }
        }
        objects
    }

    /// The event, if the record is the recorder's.
    pub fn event(&self) -> Option<LoggedEvent> {
        if self.get("logger").is_none_or(|logger| logger != "events" && !logger.ends_with(".events")) {
            return None;
        }
        let object: serde_json::Value = serde_json::from_str(self.get("object")?).ok()?;
        let field = |key: &str| object.get(key).and_then(|v| v.as_str()).unwrap_or_default().to_owned();
        Some(LoggedEvent {
            warning: self.get("type") == Some("Warning"),
            reason: self.get("reason").unwrap_or_default().to_owned(),
            kind: field("kind"),
            name: field("name"),
            uid: field("uid"),
            message: self.message.clone(),
        })
    }

    /// The program panicked: the announcement of the controller's runtime or the trace itself.
    pub fn is_panic(&self) -> bool {
        match self.shape {
            Shape::Bare => is_trace(&self.text),
            Shape::Klog | Shape::KlogJson => self.message.starts_with("Observed a panic"),
            Shape::Oslo | Shape::Rust => false,
        }
    }
}

/// A block without a header is the trace of Go's runtime.
fn is_trace(text: &str) -> bool {
    text.starts_with("panic: ") || text.starts_with("fatal error: ") || text.contains("\ngoroutine ")
}

/// The kind behind a key: controller-runtime uses the kind itself as key.
fn kind_of(key: &str) -> Option<&str> {
    let camel = key.starts_with(|c: char| c.is_ascii_uppercase())
        && key.chars().all(|c| c.is_ascii_alphanumeric())
        && key.contains(|c: char| c.is_ascii_lowercase());
    if camel {
        return Some(key);
    }
    PLAIN_KEYS.iter().find(|(plain, _)| *plain == key).map(|(_, kind)| *kind)
}

/// The name in `ns/name`, `name` or `{"name":"…","namespace":"…"}`.
fn name_of(value: &str) -> Option<&str> {
    let name = match value.starts_with('{') {
        true => value.split_once("\"name\":")?.1.trim_start().strip_prefix('"')?.split_once('"')?.0,
        false => value.split_once('/').map_or(value, |(_, name)| name),
    };
    let named = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.' | ':');
    (!name.is_empty() && name != "null" && name.chars().all(named)).then_some(name)
}

/// The text cut to a number of bytes, never inside a character.
fn cut(mut text: String, limit: usize) -> String {
    if text.len() > limit {
        let end = (0..=limit).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
        text.truncate(end);
    }
    text
}
