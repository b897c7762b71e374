//! Events: from the API, and from the controllers' logs.
//!
//! The recorder of client-go lets 25 events an object through and then one in five
//! minutes, so the decisive one may exist in the log alone; CAPO writes each event
//! there too (seen with CAPO 0.11 and 0.14).

use jiff::Timestamp;

use super::Doc;
use super::log::Record;

/// Something that a controller reported about an object.
#[derive(Debug, Clone)]
pub struct Event {
    /// `reason`, compared without case.
    pub reason: String,
    /// Kind of the object.
    pub kind: String,
    /// Name of the object.
    pub name: String,
    /// Type Warning.
    pub warning: bool,
    /// The message.
    pub message: String,
    /// First time.
    pub first: Option<Timestamp>,
    /// Last time.
    pub last: Option<Timestamp>,
    /// How often.
    pub count: i64,
    /// Where it was read.
    pub from: From,
}

/// Where an event was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum From {
    /// An Event object of that name.
    Object(String),
    /// A record in the log of `namespace/pod`.
    Log(String),
}

impl Event {
    /// An Event object, core/v1 or events.k8s.io/v1.
    #[must_use]
    pub fn from_doc(doc: Doc<'_>) -> Option<Self> {
        let about = if doc.at("involvedObject").is_some() { "involvedObject" } else { "regarding" };
        let last = ["series.lastObservedTime", "lastTimestamp", "deprecatedLastTimestamp", "eventTime"];
        Some(Event {
            reason: doc.str("reason")?.to_owned(),
            kind: doc.text(&format!("{about}.kind")).to_owned(),
            name: doc.str(&format!("{about}.name"))?.to_owned(),
            warning: doc.text("type") == "Warning",
            message: doc.str("message").or_else(|| doc.str("note")).unwrap_or_default().to_owned(),
            first: doc.time("firstTimestamp").or_else(|| doc.time("eventTime")).or_else(|| doc.created()),
            last: last.iter().find_map(|path| doc.time(path)).or_else(|| doc.created()),
            count: doc.int("series.count").or_else(|| doc.int("count")).unwrap_or(1),
            from: From::Object(doc.name().to_owned()),
        })
    }

    /// The event that a log record repeats, if it is one.
    #[must_use]
    pub fn from_record(record: &Record, pod: &str) -> Option<Self> {
        let logged = record.event()?;
        Some(Event {
            reason: logged.reason,
            kind: logged.kind,
            name: logged.name,
            warning: logged.warning,
            message: logged.message,
            first: record.at,
            last: record.at,
            count: 1,
            from: From::Log(pod.to_owned()),
        })
    }

    /// True if the reason is `reason`, whatever the case.
    #[must_use]
    pub fn is(&self, reason: &str) -> bool {
        self.reason.eq_ignore_ascii_case(reason)
    }
}
