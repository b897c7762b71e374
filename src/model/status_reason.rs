//! Magnum's `status_reason` and `faults`: a copy of two events, or what an exception said
//! (vexxhost/magnum-cluster-api, driver.py and utils.py; openstack/magnum, conductor/handlers).

use crate::model::{api_error, escape::quoted};

/// What a reason is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatusReason {
    /// Null or blank.
    None,
    /// The driver's copy of the last events of Cluster and OpenStackCluster: no message of its own.
    Copy {
        /// The Cluster's event.
        cluster: Option<Quoted>,
        /// The OpenStackCluster's event.
        infra: Option<Quoted>,
    },
    /// The text of an exception.
    Failure {
        /// The exception word in front, such as `ApiError` or `ForbiddenException`.
        class: Option<String>,
        /// The text without that word and without Rust's second telling.
        text: String,
        /// The fields that an admission refused.
        causes: Vec<FieldCause>,
    },
}

/// An event as the driver copies it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quoted {
    /// The event's reason.
    pub reason: String,
    /// The event's message.
    pub message: String,
}

/// A refused field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldCause {
    /// Its path, such as `spec.topology.version`.
    pub field: String,
    /// What is wrong with it.
    pub message: String,
}

/// Reads a reason.
pub fn parse(text: Option<&str>) -> StatusReason {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return StatusReason::None };
    if let Some(rest) = text.strip_prefix("CAPI Cluster status:") {
        let (cluster, infra) = rest.split_once("CAPI OpenstackCluster status reason:").unwrap_or((rest, ""));
        let cluster = cluster.trim();
        return StatusReason::Copy {
            cluster: copied(cluster.strip_suffix('.').unwrap_or(cluster)),
            infra: copied(infra),
        };
    }
    let said = api_error::before_status(text).trim();
    let (class, body) = class(said);
    let printed = printed_causes(text);
    let causes = if printed.is_empty() { told_causes(said) } else { printed };
    StatusReason::Failure { class, text: body.to_owned(), causes }
}

/// `reason: message`, each half empty if there was no event.
fn copied(text: &str) -> Option<Quoted> {
    let text = text.trim();
    let (reason, message) = text.split_once(':').unwrap_or((text, ""));
    let (reason, message) = (reason.trim().to_owned(), message.trim().to_owned());
    (!reason.is_empty()).then_some(Quoted { reason, message })
}

/// The exception word in front and the text behind it. `ERROR: None` has none: it is Heat's way of saying nothing.
fn class(text: &str) -> (Option<String>, &str) {
    let Some((word, body)) = text.split_once(": ") else { return (None, text) };
    let name = word.rsplit('.').next().unwrap_or(word);
    let sound = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.contains(|c: char| c.is_ascii_lowercase())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_'))
        && ["Exception", "Error", "Timeout", "NotFound", "Failure"].iter().any(|end| name.ends_with(end));
    if sound { (Some(name.to_owned()), body) } else { (None, text) }
}

/// `StatusCause { reason: "…", message: "…", field: "…" }` of Rust's print.
fn printed_causes(text: &str) -> Vec<FieldCause> {
    let strings = |part: &str| {
        let string = |key: &str| Some(quoted(part.split_once(key)?.1)?.0);
        Some(FieldCause { message: string("message: ")?, field: string("field: ")? })
    };
    text.split("StatusCause { ").skip(1).filter_map(strings).filter(|cause| !cause.field.is_empty()).collect()
}

/// `… is invalid: field: message`, several as `[field: message, field: message]`
/// (kubernetes/apimachinery, pkg/util/validation/field/errors.go).
fn told_causes(text: &str) -> Vec<FieldCause> {
    let Some((_, said)) = text.split_once(" is invalid: ") else { return Vec::new() };
    let said = said.trim();
    let one = |part: &str| {
        let (field, message) = part.split_once(": ")?;
        is_field(field).then(|| FieldCause { field: field.to_owned(), message: message.to_owned() })
    };
    match said.strip_prefix('[') {
        Some(list) => fields(list.strip_suffix(']').unwrap_or(list)).into_iter().filter_map(one).collect(),
        None => one(said).into_iter().collect(),
    }
}

/// The parts of a list: a comma parts them only where a field's path follows it.
fn fields(list: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, comma) in list.match_indices(", ") {
        let next = at + comma.len();
        let follows =
            list.get(next..).and_then(|tail| tail.split_once(": ")).is_some_and(|(f, _)| is_field(f));
        if follows {
            parts.extend(list.get(start..at));
            start = next;
        }
    }
    parts.extend(list.get(start..));
    parts
}

/// A path such as `spec.topology.variables[0].value` or `metadata.name`.
fn is_field(text: &str) -> bool {
    let head = text.split(['.', '[']).next().unwrap_or_default();
    matches!(head, "spec" | "metadata" | "status" | "data" | "type" | "webhooks" | "subsets")
        && !text.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests;
