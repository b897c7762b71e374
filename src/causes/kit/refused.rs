//! An operation that Magnum gave up: what it was told, and how it is begun again.
//!
//! Magnum notes the text of the exception as `status_reason` of the cluster, or of the node
//! group where only that failed (openstack/magnum, magnum/conductor/handlers/cluster_conductor.py
//! and nodegroup_conductor.py), and never looks at a `*_FAILED` cluster again
//! (magnum/service/periodic.py).

use super::{age, evidence_of, thing};
use crate::causes::{Finding, Step};
use crate::model::seen::Unseen;
use crate::model::status_reason::StatusReason;
use crate::model::{Doc, Message, Snapshot, Source};
use crate::report::{Recovers, Risk};

/// Names of the values that [`begin_again`] gives to a fix.
pub const VALUES: &[&str] = &["resize", "group_create", "group_delete"];

/// After a failed create.
pub const CREATE_AGAIN: Step = Step::say(
    "delete the cluster and create it again: a failed create never goes on, and what it has made counts against the quotas until it is deleted",
)
.run(&["openstack coe cluster delete {uuid}"])
.when("create-failed");

/// After a failed delete.
pub const DELETE_AGAIN: Step =
    Step::say("delete it once more, so that Magnum follows: it never looks at a cluster in DELETE_FAILED")
        .run(&["openstack coe cluster delete {uuid}"])
        .when("delete-failed");

/// After a failed change.
pub const RESIZE_AGAIN: Step = Step::say(
    "resize, which Magnum takes in UPDATE_FAILED and which leads out of it; the number is the present one, put the wanted one in its place",
)
.each("resize", &["{each}"])
.when("update-failed");

/// After a failed node group.
pub const GROUP_CREATE_AGAIN: Step = Step::say(
    "create the node group again under another name: while Cluster API does not know the failed one, it cannot be deleted",
)
.each("group_create", &["{each}"])
.when("group-create-failed");

/// After a failed node group that exists, or one whose delete failed.
pub const GROUP_DELETE_AGAIN: Step = Step::say("delete the failed node group once more")
    .each("group_delete", &["{each}"])
    .when("group-delete-failed");

/// Sentences that ended the last operation and that `is` picks: Magnum's reasons, or the
/// conductor's log of those minutes where a status pass has written over the reason.
pub fn reasons<'a>(snapshot: &'a Snapshot<'_>, is: impl Fn(&Message) -> bool) -> Vec<&'a Message> {
    let overwritten =
        snapshot.status().ends_with("_FAILED") && matches!(snapshot.magnum.reason, StatusReason::Copy { .. });
    let told = |m: &Message| match m.source {
        Source::ClusterReason | Source::GroupReason(_) => true,
        Source::Conductor(_) => overwritten && m.has("Exception during message handling"),
        _ => false,
    };
    snapshot.said.messages.iter().filter(|m| m.current() && told(m) && is(m)).collect()
}

/// No such sentence was found: the answer is no only if all that could have told was read.
///
/// # Errors
/// [`Unseen`] names Magnum's list of clusters, or of node groups where one of these may be
/// what failed.
pub fn nothing(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    if snapshot.magnum.cluster.is_none() {
        snapshot.magnum.clusters.all()?;
    }
    // Groups have reasons of their own after a change; a failed create or delete is told by
    // the cluster's row.
    if snapshot.status() == "UPDATE_FAILED" {
        snapshot.magnum.groups.all()?;
    }
    Ok(Vec::new())
}

/// True if one of the words is in Magnum's reason; the word of the exception in front counts too.
#[must_use]
pub fn has(message: &Message, words: &str) -> bool {
    message.has(words) || message.reason.to_ascii_lowercase().contains(&words.to_ascii_lowercase())
}

/// A finding from such sentences, with what is to be done again.
#[must_use]
pub fn finding(snapshot: &Snapshot<'_>, reasons: &[&Message], headline: impl Into<String>) -> Finding {
    let mut finding = Finding::new(headline).likely_if(reasons.iter().all(|m| m.weak));
    for message in reasons {
        finding = match &message.source {
            Source::GroupReason(group) => finding.about(thing("node group", group)),
            _ => finding.about(thing("Magnum cluster", snapshot.marks.uuid.as_deref().unwrap_or_default())),
        };
    }
    let mut evidence = evidence_of(snapshot, reasons);
    evidence.truncate(3);
    evidence.extend(logged(snapshot, reasons).map(|m| super::evidence(snapshot, m)));
    for one in evidence {
        finding = finding.evidence(one);
    }
    begin_again(snapshot, reasons, finding)
}

/// The newest record of the conductor with the same words.
fn logged<'a>(snapshot: &'a Snapshot<'_>, reasons: &[&Message]) -> Option<&'a Message> {
    let words = reasons.first()?.text.lines().next().filter(|line| line.len() > 12)?;
    let log =
        snapshot.said.messages.iter().filter(|m| m.current() && matches!(m.source, Source::Conductor(_)));
    log.filter(|m| m.has(words)).max_by_key(|m| (!m.weak, m.last))
}

/// Flags, lines and sentences for beginning again what failed.
fn begin_again(snapshot: &Snapshot<'_>, reasons: &[&Message], finding: Finding) -> Finding {
    let mut finding = finding;
    match snapshot.status() {
        "CREATE_FAILED" | "DELETE_FAILED" => finding.risk = Some(Risk::Deletes),
        _ => {}
    }
    match snapshot.status() {
        "CREATE_FAILED" => finding
            .flag("create-failed")
            .recovers(Recovers::Never, "It does not end by itself: CREATE_FAILED is never looked at again."),
        "DELETE_FAILED" => deletion(snapshot, finding.flag("delete-failed")),
        _ => changes(snapshot, reasons, finding).recovers(
            Recovers::AfterFix,
            "It does not end by itself: Magnum does not repeat the operation, and never looks at a *_FAILED cluster.",
        ),
    }
}

/// DELETE_FAILED does not tell whether the Cluster is being deleted: its deletionTimestamp does.
fn deletion(snapshot: &Snapshot<'_>, finding: Finding) -> Finding {
    let kube = &snapshot.kube;
    let (says, recovers) = match kube.cluster() {
        Some(cluster) => match cluster.deleting() {
            Some(since) => (
                format!(
                    "The delete goes on in Cluster API all the same: Cluster {} has been in deletion for {}.",
                    cluster.name(),
                    age(snapshot.age(since))
                ),
                "Cluster API goes on by itself; Magnum's row stays in DELETE_FAILED until the delete is asked for again.",
            ),
            None => (
                not_begun(snapshot, cluster),
                "It does not end by itself: nothing deletes the Cluster until the delete is asked for again.",
            ),
        },
        None if kube.clusters.whole() => (
            "The Cluster is not there any more: only what Magnum removes last is left.".to_owned(),
            "It does not end by itself: Magnum's row stays until the delete is asked for again.",
        ),
        None => (
            "The Cluster was not read: only its deletionTimestamp tells whether it is being deleted."
                .to_owned(),
            "It does not end by itself: Magnum's row stays until the delete is asked for again.",
        ),
    };
    finding.says(says).recovers(Recovers::AfterFix, recovers)
}

/// The driver removes the ClusterResourceSets before the Cluster (vexxhost/magnum-cluster-api, driver.py).
fn not_begun(snapshot: &Snapshot<'_>, cluster: Doc<'_>) -> String {
    let sets_gone = snapshot.kube.resource_sets.all().is_ok_and(<[Doc<'_>]>::is_empty);
    let but = if sets_gone { "; only its ClusterResourceSets are gone already" } else { "" };
    format!("Cluster {} is not being deleted: it has no deletionTimestamp{but}.", cluster.name())
}

fn changes(snapshot: &Snapshot<'_>, reasons: &[&Message], mut finding: Finding) -> Finding {
    let groups = snapshot.magnum.groups.some();
    let mut resized = false;
    for message in reasons {
        let Source::GroupReason(name) = &message.source else { continue };
        let Some(group) = groups.iter().copied().find(|g| g.text("name") == name) else { continue };
        finding = match group.text("status") {
            "CREATE_FAILED" if unknown_to_cluster_api(snapshot, name) == Some(true) => {
                finding.flag("group-create-failed").value("group_create", create_line(snapshot, group))
            }
            "CREATE_FAILED" | "DELETE_FAILED" => {
                finding.risk = Some(Risk::Deletes);
                let line = format!("openstack coe nodegroup delete {} {name}", uuid(snapshot));
                finding.flag("group-delete-failed").value("group_delete", line)
            }
            _ => {
                resized = true;
                finding.flag("update-failed").value("resize", resize_line(snapshot, Some(group)))
            }
        };
    }
    if finding.flags.contains("group-create-failed") {
        finding = finding.says(
            "What Cluster API never got stays in Magnum only: status passes stop at such a group, so Magnum may not see the end of a later change (explain status-pass-aborted).",
        );
    }
    if !resized && snapshot.status() == "UPDATE_FAILED" {
        let worker = groups.iter().copied().find(|g| g.text("role") != "master");
        finding = finding.flag("update-failed").value("resize", resize_line(snapshot, worker));
    }
    finding
}

fn uuid<'a>(snapshot: &'a Snapshot<'_>) -> &'a str {
    snapshot.marks.uuid.as_deref().unwrap_or("<Magnum UUID>")
}

fn resize_line(snapshot: &Snapshot<'_>, group: Option<Doc<'_>>) -> String {
    let count = group.and_then(|g| g.int("node_count"));
    let count = count.map_or_else(|| "<number of nodes>".to_owned(), |n| n.to_string());
    match group.map(|g| g.text("name")).filter(|name| *name != "default-worker") {
        Some(name) => format!("openstack coe cluster resize --nodegroup {name} {} {count}", uuid(snapshot)),
        None => format!("openstack coe cluster resize {} {count}", uuid(snapshot)),
    }
}

fn create_line(snapshot: &Snapshot<'_>, group: Doc<'_>) -> String {
    let count = group.int("node_count").unwrap_or(1);
    let option =
        |flag: &str, field: &str| group.str(field).map(|v| format!(" --{flag} {v}")).unwrap_or_default();
    format!(
        "openstack coe nodegroup create {} {}-2 --node-count {count}{}{}",
        uuid(snapshot),
        group.text("name"),
        option("flavor", "flavor_id"),
        option("role", "role"),
    )
}

/// True if a worker group is neither in the Cluster's topology nor has a MachineDeployment;
/// `None` if that was not read.
#[must_use]
pub fn unknown_to_cluster_api(snapshot: &Snapshot<'_>, group: &str) -> Option<bool> {
    let kube = &snapshot.kube;
    let made = |d: &Doc<'_>| d.label("topology.cluster.x-k8s.io/deployment-name") == Some(group);
    let wanted = kube.cluster().is_some_and(|c| in_topology(c, group));
    if kube.deployments.some().iter().any(made) || wanted {
        return Some(false);
    }
    (kube.deployments.whole() && kube.clusters.whole()).then_some(true)
}

fn in_topology(cluster: Doc<'_>, group: &str) -> bool {
    cluster.list("spec.topology.workers.machineDeployments").any(|d| d.text("name") == group)
}
