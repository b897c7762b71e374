//! All clusters at a glance: who is stuck, told from the Magnum row and the Cluster alone.

use jiff::{SignedDuration, Timestamp};

use crate::age;
use crate::exit::code;
use crate::model::snapshot::stack_id;
use crate::model::{Doc, World};
use crate::report::{API_VERSION, ClusterLine, ClusterList};

/// An operation that lasts longer is worth a look: a create with three control plane nodes
/// takes a quarter of an hour.
const LONG: SignedDuration = SignedDuration::from_mins(30);

/// Conditions of a Cluster that a cluster in use has good. Both contracts.
const VITAL: [&str; 6] = [
    "InfrastructureReady",
    "ControlPlaneAvailable",
    "ControlPlaneReady",
    "WorkersAvailable",
    "TopologyReconciled",
    "RemoteConnectionProbe",
];

/// Every cluster of the world, or those that are stuck.
#[must_use]
pub fn list(world: &World<'_>, only_stuck: bool) -> ClusterList {
    let rows = world.rows("openstack/container-infra/clusters", "clusters");
    let objects = world.objects("cluster").filter(|c| c.namespace() == world.namespace);
    let of_row = |row: &Doc<'_>| {
        let object = objects.some().iter().copied().find(|c| {
            stack_id(*row) == Some(c.name())
                || (c.label("cluster-uuid").is_some() && c.label("cluster-uuid") == row.str("uuid"))
        });
        line(world.taken_at, Some(*row), object)
    };
    let mut clusters: Vec<ClusterLine> = rows.some().iter().map(of_row).collect();
    let known = |c: &Doc<'_>| clusters.iter().any(|l| l.stack_id.as_deref() == Some(c.name()));
    // Magnum shows a login its own project only, so a Cluster without a row is no oddity.
    let alone: Vec<ClusterLine> = match rows.gap() {
        true => objects
            .some()
            .iter()
            .filter(|c| !known(c))
            .map(|c| line(world.taken_at, None, Some(*c)))
            .collect(),
        false => Vec::new(),
    };
    clusters.extend(alone);
    let (all, stuck) = (clusters.len(), clusters.iter().filter(|c| c.stuck).count());
    clusters.retain(|c| c.stuck || !only_stuck);
    clusters.sort_by(|a, b| (!a.stuck, &a.name, &a.uuid).cmp(&(!b.stuck, &b.name, &b.uuid)));
    let seen = !rows.gap() || !objects.gap();
    let exit_code = match (stuck, seen) {
        (0, false) => code::NOT_ENOUGH_SEEN,
        (0, true) => code::FINE,
        _ => code::WRONG,
    };
    let gaps = world.meta.gaps.iter().map(super::gap).collect();
    ClusterList {
        api_version: API_VERSION,
        kind: "ClusterList",
        taken_at: world.taken_at,
        exit_code,
        clusters,
        stuck,
        all,
        gaps,
    }
}

fn line(now: Timestamp, row: Option<Doc<'_>>, object: Option<Doc<'_>>) -> ClusterLine {
    let text = |path: &str| row.and_then(|r| r.str(path)).map(str::to_owned);
    let stack = row.and_then(stack_id).or(object.map(|o| o.name())).map(str::to_owned);
    let (stuck, since, says) = judge(now, row, object);
    ClusterLine {
        name: text("name").or_else(|| stack.clone()).unwrap_or_default(),
        uuid: text("uuid").or_else(|| object.and_then(|o| o.label("cluster-uuid")).map(str::to_owned)),
        stack_id: stack,
        project_id: text("project_id"),
        status: text("status"),
        since,
        stuck,
        says,
    }
}

/// Whether it is stuck, since when, and the line that says so.
fn judge(now: Timestamp, row: Option<Doc<'_>>, object: Option<Doc<'_>>) -> (bool, Option<Timestamp>, String) {
    let status = row.map(|r| r.text("status")).unwrap_or_default();
    let time = |path: &str| row.and_then(|r| r.time(path));
    let updated = time("updated_at").or_else(|| time("created_at"));
    let long = |at: Option<Timestamp>| at.is_some_and(|at| now.duration_since(at) > LONG);
    if status.ends_with("_FAILED") {
        let reason =
            row.and_then(|r| r.str("status_reason")).and_then(|r| r.lines().next()).unwrap_or_default();
        return (true, updated, reason.to_owned());
    }
    if let Some(at) = object.and_then(Doc::deleting) {
        return (long(Some(at)), Some(at), format!("deleting for {}", age::between(at, now)));
    }
    if status.ends_with("_IN_PROGRESS") {
        let at = if status.starts_with("CREATE") { time("created_at").or(updated) } else { updated };
        let says = bad(object).map(|(says, _)| says).unwrap_or_default();
        return (long(at), at, says);
    }
    match bad(object) {
        Some((says, at)) => (long(at), at, says),
        None => (false, updated, String::new()),
    }
}

/// The oldest vital condition that is not good.
fn bad(object: Option<Doc<'_>>) -> Option<(String, Option<Timestamp>)> {
    let conditions = object?.conditions();
    let bad = conditions.iter().filter(|c| VITAL.contains(&c.kind) && !c.good());
    let oldest = bad.min_by_key(|c| c.since)?;
    let message = oldest.message.lines().next().unwrap_or_default();
    Some((format!("{} is not good: {message}", oldest.kind).trim_end_matches(": ").to_owned(), oldest.since))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::Bundle;
    use serde_json::{Value, json};

    fn check(row: Value, object: Option<Value>, stuck: bool, says: &str) {
        let mut bundle = Bundle::default();
        bundle.meta.taken_at = "2026-11-30T21:00:00Z".parse().ok();
        bundle.take_body("openstack/container-infra/clusters", json!({"clusters": [row]})).expect("a body");
        bundle.meta.read = vec!["openstack/container-infra/clusters".to_owned()];
        if let Some(object) = object {
            bundle.take_objects(object).expect("an object");
        }
        let list = list(&World::new(&bundle), false);
        let line = list.clusters.first().expect("a line");
        assert_eq!((line.stuck, line.says.as_str()), (stuck, says), "{line:?}");
        assert_eq!(list.exit_code, u8::from(stuck));
    }

    fn row(status: &str, minutes: i64) -> Value {
        let at: Timestamp = "2026-11-30T21:00:00Z".parse().expect("a time");
        let at = at.checked_sub(SignedDuration::from_mins(minutes)).expect("a time").to_string();
        json!({"uuid": "u", "name": "n", "cluster_id": "kube-a", "status": status, "status_reason": "boom\nmore",
            "created_at": at, "updated_at": at})
    }

    fn object(metadata: Value, conditions: Value) -> Option<Value> {
        let mut meta = json!({"name": "kube-a", "namespace": "magnum-system"});
        meta.as_object_mut()?.extend(metadata.as_object()?.clone());
        Some(json!({"kind": "Cluster", "apiVersion": "cluster.x-k8s.io/v1beta2", "metadata": meta,
            "status": {"conditions": conditions}}))
    }

    #[test]
    fn failed_or_too_slow_is_stuck() {
        check(row("CREATE_FAILED", 1), None, true, "boom");
        check(row("CREATE_IN_PROGRESS", 5), None, false, "");
        check(row("CREATE_IN_PROGRESS", 45), None, true, "");
        check(row("CREATE_COMPLETE", 500), None, false, "");
    }

    #[test]
    fn complete_is_not_health() {
        let condition = |status: &str| {
            json!([{"type": "WorkersAvailable", "status": status, "reason": "x", "message": "1 of 3\nmore",
                "lastTransitionTime": "2026-11-30T20:00:00Z"}])
        };
        let bad = object(json!({}), condition("False"));
        check(row("CREATE_COMPLETE", 500), bad, true, "WorkersAvailable is not good: 1 of 3");
        check(row("CREATE_COMPLETE", 500), object(json!({}), condition("True")), false, "");
        let deleting = object(json!({"deletionTimestamp": "2026-11-30T20:00:00Z"}), json!([]));
        check(row("DELETE_IN_PROGRESS", 1), deleting, true, "deleting for 60m");
    }
}
