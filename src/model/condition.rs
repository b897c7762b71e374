//! Conditions in the three shapes that Cluster API has given them.
//!
//! - objects of contract v1beta1: `status.conditions` with a severity, and since 1.9
//!   also `status.v1beta2.conditions` without;
//! - objects of contract v1beta2: `status.conditions` without a severity, and the old
//!   ones under `status.deprecated.v1beta1.conditions`.
//!
//! Source: kubernetes-sigs/cluster-api, api/core/v1beta2.

use jiff::Timestamp;

use super::Doc;

/// Types whose good value is False.
const NEGATIVE: [&str; 7] =
    ["Paused", "Deleting", "RollingOut", "ScalingUp", "ScalingDown", "Updating", "Remediating"];

/// `status` of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// `True`.
    True,
    /// `False`.
    False,
    /// `Unknown`, or a word that is none of the three.
    Unknown,
}

impl Status {
    /// The word in the object.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Status::True => "True",
            Status::False => "False",
            Status::Unknown => "Unknown",
        }
    }
}

/// One condition of one object.
#[derive(Debug, Clone, Copy)]
pub struct Condition<'w> {
    /// `type`.
    pub kind: &'w str,
    /// `status`.
    pub status: Status,
    /// `severity`: only the old shape has one; `Info` means under way.
    pub severity: Option<&'w str>,
    /// `reason` without the address that summaries append (` @ Machine/name`).
    pub reason: &'w str,
    /// `message`, may have several lines.
    pub message: &'w str,
    /// `lastTransitionTime`.
    pub since: Option<Timestamp>,
}

impl Condition<'_> {
    /// True if the status is the one that a healthy object shows.
    #[must_use]
    pub fn good(&self) -> bool {
        self.status == if NEGATIVE.contains(&self.kind) { Status::False } else { Status::True }
    }

    /// True if the type's good value is False.
    #[must_use]
    pub fn negative(&self) -> bool {
        NEGATIVE.contains(&self.kind)
    }
}

/// Conditions of an object, one a type: where both shapes exist the new one is taken,
/// because the old ones stay True when the workload API is lost (CAPI 1.13).
#[must_use]
pub fn of(doc: Doc<'_>) -> Vec<Condition<'_>> {
    let new = read(doc, "status.v1beta2.conditions");
    let mut conditions = if new.is_empty() { read(doc, "status.conditions") } else { new };
    if conditions.is_empty() {
        conditions = read(doc, "status.deprecated.v1beta1.conditions");
    }
    conditions
}

/// The old-shape conditions of an object, whichever contract it has.
#[must_use]
pub fn legacy(doc: Doc<'_>) -> Vec<Condition<'_>> {
    let deprecated = read(doc, "status.deprecated.v1beta1.conditions");
    if deprecated.is_empty() { read(doc, "status.conditions") } else { deprecated }
}

fn read<'w>(doc: Doc<'w>, path: &str) -> Vec<Condition<'w>> {
    doc.list(path).filter_map(one).collect()
}

fn one(row: Doc<'_>) -> Option<Condition<'_>> {
    let status = match row.str("status")? {
        "True" => Status::True,
        "False" => Status::False,
        _ => Status::Unknown,
    };
    let reason = row.text("reason");
    Some(Condition {
        kind: row.str("type")?,
        status,
        severity: row.str("severity"),
        reason: reason.split_once(" @ ").map_or(reason, |(word, _)| word),
        message: row.text("message"),
        since: row.time("lastTransitionTime"),
    })
}
