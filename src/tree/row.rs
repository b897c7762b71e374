//! What all rows have in common: the summary of an object, its deletion, and rows for
//! what is not there or was not read.

use jiff::SignedDuration;

use super::{Mood, Node, Shape, conditions};
use crate::age;
use crate::bundle::Why;
use crate::model::action::Action;
use crate::model::{Doc, Seen, Snapshot};

/// A thing may be in one list and not yet in the other, as they are not read at once.
pub(super) const SETTLES: SignedDuration = SignedDuration::from_secs(60);

/// What the tree grows in.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a, 'w> {
    pub(super) snapshot: &'a Snapshot<'w>,
    pub(super) shape: &'a Shape,
}

impl Ground<'_, '_> {
    /// How a thing that should be there and is not is to be read.
    pub(super) fn mood_of_absence(self) -> Mood {
        let snapshot = self.snapshot;
        let no_more = snapshot.magnum.cluster.is_none()
            && snapshot.magnum.clusters.whole()
            && snapshot.kube.cluster().is_none()
            && snapshot.kube.clusters.whole();
        if snapshot.action == Action::Delete || no_more { Mood::Plain } else { Mood::Bad }
    }
}

/// A row that only has a kind and a name.
pub(super) fn plain(kind: &str, name: &str) -> Node {
    Node { kind: kind.to_owned(), name: name.to_owned(), ..Node::default() }
}

/// A grouping row, if there is anything to group.
pub(super) fn group(kind: &str, children: Vec<Node>) -> Option<Node> {
    (!children.is_empty()).then(|| Node { children, ..plain(kind, "") })
}

/// The row of an object, complete.
pub(super) fn object(ground: Ground<'_, '_>, doc: Doc<'_>, types: &[&str]) -> Node {
    let mut node = summary(ground, doc, types);
    finish(ground, doc, &mut node);
    node
}

/// Condition types that sum up an object with replicas. In the older contract only
/// Ready speaks of everything; in the newer one it is Available.
pub(super) fn summaries(doc: Doc<'_>) -> [&'static str; 2] {
    let newer = doc.api_version().ends_with("/v1beta2") || doc.at("status.v1beta2.conditions").is_some();
    if newer { ["Available", "Ready"] } else { ["Ready", "Available"] }
}

/// Kind, name, and what the first condition out of `types` that exists says.
pub(super) fn summary(ground: Ground<'_, '_>, doc: Doc<'_>, types: &[&str]) -> Node {
    let mut node = plain(doc.kind(), doc.name());
    let Some(c) = types.iter().find_map(|kind| doc.condition(kind)) else {
        without_conditions(doc, &mut node);
        return node;
    };
    c.status.word().clone_into(&mut node.status);
    node.mood = conditions::mood(ground, doc, &c);
    node.since = c.since;
    if node.mood != Mood::Good {
        c.reason.clone_into(&mut node.reason);
    }
    if !conditions::counts(c.message) {
        c.message.trim().clone_into(&mut node.message);
    }
    node
}

/// CAPO up to 0.13 gives its OpenStackCluster no conditions but `status.ready`.
fn without_conditions(doc: Doc<'_>, node: &mut Node) {
    let failure = doc.str("status.failureMessage");
    let (status, reason, mood) = match (doc.is("status.ready"), failure) {
        (true, _) => ("True", "", Mood::Good),
        (false, Some(_)) => ("False", doc.str("status.failureReason").unwrap_or("Failed"), Mood::Bad),
        (false, None) => ("Unknown", "NotReported", Mood::Unsure),
    };
    status.clone_into(&mut node.status);
    reason.clone_into(&mut node.reason);
    node.mood = mood;
    if mood == Mood::Bad {
        failure.unwrap_or_default().trim().clone_into(&mut node.message);
    }
}

/// Adds what any object can have: a pause, a deletion under way, rows for conditions.
pub(super) fn finish(ground: Ground<'_, '_>, doc: Doc<'_>, node: &mut Node) {
    if doc.is("spec.paused") || doc.annotation("cluster.x-k8s.io/paused").is_some() {
        if node.mood != Mood::Bad {
            node.mood = Mood::Unsure;
            "paused".clone_into(&mut node.reason);
        }
        node.message = lines(&["paused: its controllers leave it alone", &node.message]);
    }
    deletion(ground, doc, node);
    let rows = conditions::rows(ground, doc);
    node.children.splice(0..0, rows);
}

fn deletion(ground: Ground<'_, '_>, doc: Doc<'_>, node: &mut Node) {
    let Some(at) = doc.deleting() else { return };
    let finalizers = doc.strings("metadata.finalizers").join(", ");
    let wait = if finalizers.is_empty() { String::new() } else { format!(", finalizers: {finalizers}") };
    let since = format!("since {}{wait}", age::human(ground.snapshot.age(at)));
    let stage = doc.condition("Deleting").filter(|c| !c.good());
    let stage = stage.map_or_else(String::new, |c| match (c.reason, c.message.trim()) {
        ("" | "Deleting", message) => message.to_owned(),
        (reason, "") => reason.to_owned(),
        (reason, message) => format!("{reason}: {message}"),
    });
    // Every object is not Ready while it is deleted; only what talks to OpenStack has
    // an error of its own to tell.
    let own = node.mood == Mood::Bad && node.kind.starts_with("OpenStack");
    node.mood = if own { Mood::Bad } else { Mood::Unsure };
    let said = if own && !node.reason.is_empty() && !node.message.is_empty() {
        format!("{}: {}", node.reason, node.message)
    } else {
        node.message.clone()
    };
    node.message = lines(&[&since, &stage, &said]);
    "deleting".clone_into(&mut node.reason);
    node.since = Some(at);
}

/// The lines that say something, each once.
pub(super) fn lines(lines: &[&str]) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for line in lines {
        if !line.is_empty() && !kept.iter().any(|k| k.contains(line)) {
            kept.push(line);
        }
    }
    kept.join("\n")
}

/// The row of a thing that is not among what was read: `missing` only if its list was
/// read whole.
pub(super) fn absent<T>(ground: Ground<'_, '_>, kind: &str, name: &str, list: &Seen<T>) -> Node {
    let node = plain(kind, name);
    if list.whole() {
        return Node { status: "missing".to_owned(), mood: ground.mood_of_absence(), ..node };
    }
    let (status, message) = unread(ground, list.part());
    Node { status: status.to_owned(), message, mood: Mood::Unsure, ..node }
}

/// A row for a list that was not read, or about which the reader noted something.
pub(super) fn gap<T>(ground: Ground<'_, '_>, kind: &str, list: &Seen<T>) -> Option<Node> {
    let noted = ground.snapshot.world.gap(list.part()).is_some();
    (list.gap() || (noted && !list.whole())).then(|| absent(ground, kind, "", list))
}

fn unread(ground: Ground<'_, '_>, part: &str) -> (&'static str, String) {
    let Some(gap) = ground.snapshot.world.gap(part) else {
        return ("not read", "not collected".to_owned());
    };
    let status = if gap.why == Why::NoAccess { "forbidden" } else { "not read" };
    let says = if gap.says.is_empty() { gap.why.word() } else { gap.says.as_str() };
    (status, says.trim().to_owned())
}

/// `ready/desired` of an object with replicas.
pub(super) fn replicas(doc: Doc<'_>) -> Option<String> {
    let wanted = doc.int("spec.replicas")?;
    Some(format!("{}/{wanted}", doc.int("status.readyReplicas").unwrap_or(0)))
}
