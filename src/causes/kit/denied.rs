//! Fields of the Cluster that an admission webhook refused.
//!
//! The specific refusals are causes of their own, so one place tells which is which.

use super::refused;
use crate::model::status_reason::{self, FieldCause, StatusReason};
use crate::model::{Message, Snapshot, Source};

/// A refusal with a cause of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// The ClusterClass of driver 0.35.0 to 0.36.1 demands a load balancer provider.
    Provider,
    /// Driver before 0.38.2 writes `replicas: null` for a group with auto scaling.
    NullReplicas,
    /// Cluster API takes one minor version at a time.
    SkipsMinor,
}

/// A refused field and who told it.
#[derive(Debug)]
pub struct Denied<'a> {
    /// The message.
    pub message: &'a Message,
    /// Path of the field, such as `spec.topology.version`; empty if the webhook named none.
    pub field: String,
    /// What is wrong with it, in the webhook's words.
    pub words: String,
}

impl Denied<'_> {
    /// The cause of its own that it belongs to.
    #[must_use]
    pub fn known(&self) -> Option<Known> {
        let (field, words) = (self.field.as_str(), self.words.as_str());
        if field.contains("apiServerLoadBalancer")
            && field.ends_with(".provider")
            && words.starts_with("Required")
        {
            return Some(Known::Provider);
        }
        if field.ends_with(".replicas") && words.starts_with("Invalid value") && words.contains("null") {
            return Some(Known::NullReplicas);
        }
        (field == "spec.topology.version" && words.contains("cannot be increased from"))
            .then_some(Known::SkipsMinor)
    }

    /// The refused value, if the words quote one.
    #[must_use]
    pub fn value(&self) -> Option<&str> {
        let rest = self.words.split_once("alue: ").map(|(_, rest)| rest)?;
        Some(rest.strip_prefix('"')?.split_once('"')?.0)
    }
}

/// Every refused field: of the operation that failed, and of what Cluster API itself tries
/// again and again (condition of the Cluster).
#[must_use]
pub fn fields<'a>(snapshot: &'a Snapshot<'_>) -> Vec<Denied<'a>> {
    let mut messages = refused::reasons(snapshot, refuses);
    messages.extend(snapshot.said.messages.iter().filter(|m| {
        m.current() && m.kind == "Cluster" && matches!(m.source, Source::Condition(..)) && refuses(m)
    }));
    messages.into_iter().flat_map(|m| of(snapshot, m)).collect()
}

/// Fields whose refusal is that known one. Only what the driver wrote can be.
#[must_use]
pub fn known<'a>(snapshot: &'a Snapshot<'_>, known: Known) -> Vec<Denied<'a>> {
    let driver = |d: &Denied<'_>| !matches!(d.message.source, Source::Condition(..));
    fields(snapshot).into_iter().filter(|d| driver(d) && d.known() == Some(known)).collect()
}

/// A webhook that answered no, or the API server's own check of the object.
fn refuses(message: &Message) -> bool {
    let webhook = message.api.as_ref().and_then(|api| api.webhook.as_ref());
    webhook.is_some_and(|w| w.denied) || (webhook.is_none() && message.has("\" is invalid: "))
}

fn of<'a>(snapshot: &Snapshot<'_>, message: &'a Message) -> Vec<Denied<'a>> {
    let denied =
        |cause: FieldCause| Denied { message, field: cause.field, words: own(&cause.message).to_owned() };
    let printed = match (&message.source, &snapshot.magnum.reason) {
        (Source::ClusterReason, StatusReason::Failure { causes, .. }) => causes.clone(),
        _ => Vec::new(),
    };
    let causes = if printed.is_empty() {
        match status_reason::parse(Some(&message.text)) {
            StatusReason::Failure { causes, .. } => causes,
            _ => Vec::new(),
        }
    } else {
        printed
    };
    if causes.is_empty() {
        let words =
            message.api.as_ref().and_then(|api| api.text.clone()).unwrap_or_else(|| message.text.clone());
        return vec![Denied { message, field: String::new(), words: own(&words).to_owned() }];
    }
    causes.into_iter().map(denied).collect()
}

/// Without the print of the answer that Rust adds: `…: Invalid (ErrorResponse { …`.
fn own(words: &str) -> &str {
    words.split(": Invalid (").next().unwrap_or(words).trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    fn message() -> Message {
        Message::new(Source::ClusterReason, "Magnum cluster", "web", "", "", Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn refusals_with_a_cause_of_their_own_are_told_from_the_rest() {
        let message = message();
        let check = |field: &str, words: &str, known: Option<Known>, value: Option<&str>| {
            let denied = Denied { message: &message, field: field.to_owned(), words: words.to_owned() };
            assert_eq!(denied.known(), known, "{field}: {words}");
            assert_eq!(denied.value(), value, "{field}: {words}");
        };
        let version = "spec.topology.version";
        check(
            version,
            "Invalid value: \"vlatest\": version must be a valid semantic version",
            None,
            Some("vlatest"),
        );
        let skips = "Invalid value: \"v1.31.1\": version cannot be increased from \"1.27.3\" to \"1.31.1\"";
        check(version, skips, Some(Known::SkipsMinor), Some("v1.31.1"));
        let lower = "Invalid value: \"v1.26.0\": version cannot be decreased from \"1.27.3\" to \"1.26.0\"";
        check(version, lower, None, Some("v1.26.0"));
        let provider = "spec.topology.variables[apiServerLoadBalancer].value.provider";
        check(provider, "Required value", Some(Known::Provider), None);
        check("spec.topology.variables[nodeCidr].value", "Required value", None, None);
        let replicas = "spec.topology.workers.machineDeployments[0].replicas";
        check(
            replicas,
            "Invalid value: \"null\": must be of type integer",
            Some(Known::NullReplicas),
            Some("null"),
        );
        check(replicas, "Invalid value: -1: must be greater than or equal to 0", None, None);
    }

    #[test]
    fn what_rust_prints_behind_the_words_is_no_part_of_them() {
        assert_eq!(own("Required value: Invalid (ErrorResponse { code: 422 })"), "Required value");
        assert_eq!(own("Invalid value: \"x\": no"), "Invalid value: \"x\": no");
    }
}
