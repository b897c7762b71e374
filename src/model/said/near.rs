//! Records of the conductor that name no cluster: which of them may be about this one.

use jiff::{SignedDuration, Timestamp};

use crate::model::Snapshot;
use crate::model::log::{Level, Record};

/// Conductor records that name no cluster: errors of a request of the project around the last
/// change, and errors of the periodic update around it or now. One that names another
/// cluster is none of ours.
pub(super) fn near(snapshot: &Snapshot<'_>, record: &Record) -> bool {
    let Some(at) = record.at.filter(|_| record.level == Level::Error) else { return false };
    let times = ["created_at", "updated_at"].map(|path| snapshot.magnum.cluster.and_then(|c| c.time(path)));
    let at_change = times.iter().flatten().any(|change| close(*change, at));
    let periodic =
        record.message.contains("update_status") || record.message.contains("syncing up cluster status");
    let in_time = at_change || periodic && snapshot.age(at) <= PASSES;
    let project = snapshot.project_id();
    let same_project = project.is_some() && record.context.iter().any(|c| Some(c.as_str()) == project);
    in_time && (periodic || same_project) && !of_another(snapshot, &record.message)
}

/// Some status passes, which come every 10 seconds (openstack/magnum, magnum/service/periodic.py).
const PASSES: SignedDuration = SignedDuration::from_mins(1);

fn close(a: Timestamp, b: Timestamp) -> bool {
    a.duration_since(b).abs() <= SignedDuration::from_mins(5)
}

/// True if a text names another cluster: its UUID, its stack id, or a node group that this one
/// does not have.
fn of_another(snapshot: &Snapshot<'_>, text: &str) -> bool {
    let marks = &snapshot.marks;
    let uuid = words(text).any(|(before, word)| {
        let told = before.eq_ignore_ascii_case("cluster") || known(snapshot, word);
        told && is_uuid(word) && marks.uuid.as_deref() != Some(word)
    });
    let stack = words(text).any(|(_, word)| {
        let other = |id: &str| word == id || word.strip_prefix(id).is_some_and(|rest| rest.starts_with('-'));
        let ours = marks.names(word) || marks.in_text(word);
        !ours && (is_stack_id(word) || snapshot.world.stack_ids().iter().any(|id| other(id)))
    });
    let group = text.split("MachineDeployment ").skip(1).any(|rest| {
        let name = rest.split_once(" not found").map(|(name, _)| name).unwrap_or_default();
        let groups = &snapshot.magnum.groups;
        let known = groups.some().iter().any(|g| g.text("name") == name);
        !name.is_empty() && !name.contains(' ') && groups.whole() && !known
    });
    uuid || stack || group
}

/// Words with the one before them, freed of quotes, brackets and the like around them.
fn words(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut before = "";
    let parts = text.split(|c: char| c.is_whitespace() || matches!(c, '/' | '=' | ':' | ','));
    let trimmed = parts.map(|word| word.trim_matches(|c: char| !c.is_ascii_alphanumeric()));
    trimmed.filter(|word| !word.is_empty()).map(move |word| {
        let pair = (before, word);
        before = word;
        pair
    })
}

/// A cluster of Magnum's list.
fn known(snapshot: &Snapshot<'_>, uuid: &str) -> bool {
    snapshot.magnum.clusters.some().iter().any(|c| c.text("uuid") == uuid)
}

fn is_uuid(word: &str) -> bool {
    let parts: Vec<&str> = word.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|p| p.len()).collect();
    lengths == [8, 4, 4, 4, 12] && parts.iter().all(|p| p.chars().all(|c| c.is_ascii_hexdigit()))
}

/// A word that begins with the shape of today's stack ids, `kube-` and five letters or digits
/// (vexxhost/magnum-cluster-api, magnum_cluster_api/utils.py, generate_cluster_api_name), and is
/// none of the names that Kubernetes itself has of that shape.
fn is_stack_id(word: &str) -> bool {
    let Some(tail) = word.strip_prefix("kube-") else { return false };
    let id = tail.split('-').next().unwrap_or_default();
    let shaped = id.len() == 5 && id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    shaped && !["proxy", "state", "admin"].contains(&id)
}
