//! Asks every cause and puts the findings in order.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::causes::{self, Cause, Finding, Look, Signature, kit};
use crate::model::Snapshot;
use crate::model::stage::Stage;
use crate::report::{Certainty, NotChecked};

/// A cause and what it found.
pub(super) struct Found {
    /// The cause.
    pub(super) cause: &'static Cause,
    /// What it found.
    pub(super) finding: Finding,
    /// Ids of causes that follow from it.
    pub(super) consequences: Vec<&'static str>,
    /// True if it follows from another finding.
    pub(super) follows: bool,
}

/// What all causes together found, and which could not be checked.
pub(super) struct Looked {
    /// Findings in the order in which they are named.
    pub(super) findings: Vec<Found>,
    /// Causes that found nothing while a part that they need was not read.
    pub(super) not_checked: Vec<NotChecked>,
}

/// Asks every cause that can be one during this action.
pub(super) fn look(snapshot: &Snapshot<'_>) -> Looked {
    let mut findings = Vec::new();
    let mut not_checked = Vec::new();
    let unsure = action_unsure(snapshot);
    for cause in causes::ALL.iter().copied() {
        if !cause.during.has(snapshot.action) {
            if !unsure.is_empty() {
                not_checked.push(NotChecked { cause: cause.id, needs: unsure.clone() });
            }
            continue;
        }
        let (found, mut unseen) = match &cause.look {
            Look::Says(signatures) => (says(snapshot, signatures), BTreeSet::new()),
            Look::Code(look) => match look(snapshot) {
                Ok(found) => (found, BTreeSet::new()),
                Err(unseen) => (Vec::new(), unseen.parts),
            },
        };
        if found.is_empty() {
            unseen.extend(unread(snapshot, cause));
            if !unseen.is_empty() {
                not_checked.push(NotChecked { cause: cause.id, needs: unseen.into_iter().collect() });
            }
        }
        findings.extend(found.into_iter().map(|finding| Found {
            cause,
            finding,
            consequences: Vec::new(),
            follows: false,
        }));
    }
    consequences(&mut findings);
    findings.sort_by_key(key);
    Looked { findings, not_checked }
}

/// Parts without which nobody knows what the cluster is doing: then a cause of another
/// action was not ruled out, only not asked.
fn action_unsure(snapshot: &Snapshot<'_>) -> Vec<String> {
    let magnum = snapshot.magnum.cluster.is_none() && !snapshot.magnum.clusters.whole();
    let kube = snapshot.kube.cluster().is_none() && !snapshot.kube.clusters.whole();
    let parts = [(magnum, snapshot.magnum.clusters.part()), (kube, snapshot.kube.clusters.part())];
    parts.iter().filter(|(unsure, _)| *unsure).map(|(_, part)| (*part).to_owned()).collect()
}

/// Parts that the cause reads and that were not read whole. `log:<provider>` is the log
/// in that controller's namespace.
fn unread(snapshot: &Snapshot<'_>, cause: &Cause) -> Vec<String> {
    let parts: Vec<String> = cause.needs.iter().map(|need| part(snapshot, need)).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    snapshot.unread(&parts)
}

fn part(snapshot: &Snapshot<'_>, need: &str) -> String {
    let Some(provider) = need.strip_prefix("log:") else { return need.to_owned() };
    let namespace = snapshot.controllers.iter().find(|c| c.provider == provider).map(|c| c.namespace);
    let usual = match provider {
        "infrastructure-openstack" => "capo-system",
        "control-plane-kubeadm" => "capi-kubeadm-control-plane-system",
        "bootstrap-kubeadm" => "capi-kubeadm-bootstrap-system",
        "magnum-conductor" => "openstack",
        _ => "capi-system",
    };
    format!("log/{}", namespace.unwrap_or(usual))
}

/// Findings of a cause that is only a sentence: one for each object it was said about.
fn says(snapshot: &Snapshot<'_>, signatures: &[Signature]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for signature in signatures {
        let messages: Vec<_> =
            snapshot.said.messages.iter().filter(|m| m.current() && signature.matches(m)).collect();
        if messages.is_empty() {
            continue;
        }
        let mut finding = Finding::new(signature.says)
            .recovers(signature.recovers, signature.recovers_says)
            .likely_if(messages.iter().all(|m| m.weak));
        for message in &messages {
            finding = finding.about(kit::subject(message));
        }
        for evidence in kit::evidence_of(snapshot, &messages) {
            finding = finding.evidence(evidence);
        }
        findings.push(finding);
    }
    findings
}

/// X follows from Y if Y explains X and both are about one thing, or Y about a shared one.
fn consequences(findings: &mut [Found]) {
    let causes: Vec<(&Cause, Vec<crate::report::Thing>, bool)> =
        findings.iter().map(|f| (f.cause, f.finding.about.clone(), f.finding.shared)).collect();
    for found in findings.iter_mut() {
        found.follows = causes.iter().any(|(cause, about, shared)| {
            cause.explains.contains(&found.cause.id)
                && (*shared || about.iter().any(|thing| found.finding.about.contains(thing)))
        });
    }
    let following: Vec<&'static str> = findings.iter().filter(|f| f.follows).map(|f| f.cause.id).collect();
    for found in findings.iter_mut() {
        let explains = found.cause.explains;
        found.consequences = following.iter().copied().filter(|id| explains.contains(id)).collect();
        found.consequences.dedup();
    }
}

/// Consequences last, certain before likely, earlier stage first, what never recovers
/// before the rest; then the table's order and the smallest id.
fn key(found: &Found) -> (bool, Certainty, Stage, Reverse<bool>, usize, String) {
    let finding = &found.finding;
    let stage = finding.stage.unwrap_or(found.cause.stage);
    let never = finding.recovers == crate::report::Recovers::Never;
    let place = causes::ALL.iter().position(|c| c.id == found.cause.id).unwrap_or(usize::MAX);
    let id = finding.about.iter().map(|t| t.id.clone()).min().unwrap_or_default();
    (found.follows, finding.certainty, stage, Reverse(never), place, id)
}
