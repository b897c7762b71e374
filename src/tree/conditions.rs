//! Conditions as rows, and what is left of a message that sums up others.

use super::row::Ground;
use super::shape::Wanted;
use super::{Mood, Node};
use crate::model::condition;
use crate::model::message::Source;
use crate::model::{Condition, Doc, Status};

/// How a condition is to be read: noise and what is under way are no fault.
pub(super) fn mood(ground: Ground<'_, '_>, doc: Doc<'_>, c: &Condition<'_>) -> Mood {
    if c.good() {
        Mood::Good
    } else if c.negative() || c.status == Status::Unknown || quiet(ground, doc, c) {
        Mood::Unsure
    } else {
        Mood::Bad
    }
}

/// True for a condition that the model calls noise, or that its older form calls
/// severity Info: under way. The newer form has no severity.
pub(super) fn quiet(ground: Ground<'_, '_>, doc: Doc<'_>, c: &Condition<'_>) -> bool {
    let over = ground.snapshot.said.messages.iter().any(|m| {
        m.over.is_some()
            && m.kind == doc.kind()
            && m.name == doc.name()
            && m.text == c.message
            && matches!(&m.source, Source::Condition(kind, ..) if kind == c.kind)
    });
    let info = |old: &Condition<'_>| old.kind == c.kind && !old.good() && old.severity == Some("Info");
    over || condition::legacy(doc).iter().any(info)
}

/// The rows for an object's conditions, as far as they are wanted, in the object's order.
pub(super) fn rows(ground: Ground<'_, '_>, doc: Doc<'_>) -> Vec<Node> {
    let wanted = ground.shape.show_conditions.of(doc.kind(), doc.name());
    let telling =
        |c: &Condition<'_>| !c.good() || !c.message.is_empty() || matches!(c.kind, "Available" | "Ready");
    let keep = |c: &Condition<'_>| match wanted {
        Wanted::None => false,
        Wanted::Telling => telling(c),
        Wanted::All => true,
    };
    doc.conditions().iter().filter(|c| keep(c)).map(|c| row(ground, doc, c)).collect()
}

fn row(ground: Ground<'_, '_>, doc: Doc<'_>, c: &Condition<'_>) -> Node {
    Node {
        kind: c.kind.to_owned(),
        status: c.status.word().to_owned(),
        reason: c.reason.to_owned(),
        message: c.message.trim().to_owned(),
        since: c.since,
        mood: mood(ground, doc, c),
        condition: true,
        ..Node::default()
    }
}

/// One thing said in a message that sums up others (`* Type: text`, nested by indent).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Leaf<'m> {
    /// Condition type at the outermost level; empty for a message that sums up nothing.
    pub(super) top: &'m str,
    /// The sentence.
    pub(super) text: &'m str,
}

impl Leaf<'_> {
    /// True for a sentence that only says that something else is not done yet.
    pub(super) fn waits(&self) -> bool {
        let words = ["Waiting for ", "WaitingFor", "Condition not yet reported"];
        words.iter().any(|w| self.text.contains(w)) || counts(self.text)
    }
}

/// `1 of 2 completed`, the summary of the older contract.
pub(super) fn counts(text: &str) -> bool {
    text.strip_suffix(" completed").and_then(|t| t.split_once(" of ")).is_some_and(|(done, all)| {
        [done, all].iter().all(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit()))
    })
}

/// Takes a message apart into what it says. A message without bullets is one leaf.
/// Source of the form: kubernetes-sigs/cluster-api util/conditions/merge_strategies.go.
pub(super) fn leaves(message: &str) -> Vec<Leaf<'_>> {
    if !message.starts_with("* ") {
        let text = message.trim();
        return if text.is_empty() { Vec::new() } else { vec![Leaf { top: "", text }] };
    }
    let mut top = "";
    let mut leaves = Vec::new();
    for line in message.lines() {
        let text = match line.strip_prefix("* ") {
            Some(outer) => {
                let (kind, rest) = outer.split_once(':').unwrap_or(("", outer));
                top = kind;
                rest.trim()
            }
            None => line.trim().trim_start_matches("* "),
        };
        if !text.is_empty() && !text.ends_with(':') {
            leaves.push(Leaf { top, text });
        }
    }
    leaves
}

/// The leaves as text again, each sentence once.
pub(super) fn join(leaves: &[Leaf<'_>]) -> String {
    let mut texts: Vec<&str> = Vec::new();
    let mut lines = Vec::new();
    for leaf in leaves {
        if texts.contains(&leaf.text) {
            continue;
        }
        texts.push(leaf.text);
        lines.push(if leaf.top.is_empty() {
            leaf.text.to_owned()
        } else {
            format!("{}: {}", leaf.top, leaf.text)
        });
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(message: &str, expected: &[(&str, &str)]) {
        let found: Vec<_> = leaves(message).iter().map(|l| (l.top, l.text)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_summary_is_its_innermost_lines() {
        check("", &[]);
        check("Control plane not yet initialized", &[("", "Control plane not yet initialized")]);
        check(
            "* InfrastructureReady: The server was unexpectedly deleted\n* HealthCheckSucceeded:\n  * Health check failed:\n      * Node failed to report startup in 10m0s",
            &[
                ("InfrastructureReady", "The server was unexpectedly deleted"),
                ("HealthCheckSucceeded", "Node failed to report startup in 10m0s"),
            ],
        );
    }

    #[test]
    fn an_error_with_colons_stays_whole() {
        let error = "error creating Openstack instance: POST http://nova:8774/servers: 403";
        check(error, &[("", error)]);
    }

    #[test]
    fn waiting_is_told_from_failing() {
        let waits = |text| Leaf { top: "", text }.waits();
        assert!(waits("Waiting for Cluster control plane to be initialized"));
        assert!(waits("WaitingForBootstrapData"));
        assert!(waits("DataSecretAvailable: Condition not yet reported"));
        assert!(waits("1 of 2 completed"));
        assert!(!waits("1 of 2 pods completed"));
        assert!(!waits("The server was unexpectedly deleted"));
    }

    #[test]
    fn a_sentence_is_said_once() {
        let said = [Leaf { top: "A", text: "x" }, Leaf { top: "B", text: "x" }, Leaf { top: "", text: "y" }];
        assert_eq!(join(&said), "A: x\ny");
    }
}
