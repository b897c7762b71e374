//! `coe cluster update … node_count` is not made by this driver.

use super::kit;
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Snapshot, Source};
use crate::report::{Recovers, Risk};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "node-count-patched",
    title: "the driver cannot change node_count by an update, only by a resize",
    during: Actions::UPDATE,
    stage: Stage::Topology,
    explains: &[],
    needs: &["openstack/container-infra/clusters"],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("resize instead, which Magnum takes in UPDATE_FAILED; the number is the present one, put the wanted one in its place")
                .run(&["{resize}"]),
        ],
    },
    values: &["resize"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

`openstack coe cluster update <cluster> replace node_count=N` calls a method that this driver does not
have. Python's NotImplementedError has no text, so Magnum shows UPDATE_FAILED with an empty reason (an
empty text, not null) and puts the old number back. Nothing was changed.

### How it is recognised

UPDATE_FAILED with an empty text as status_reason and no node group that failed. It is certain if the
conductor's log has the exception of that moment under a request of this cluster; else likely.

### Sources

- openstack/magnum magnum/conductor/handlers/cluster_conductor.py (cluster_update)
- vexxhost/magnum-cluster-api magnum_cluster_api/driver.py (update_cluster), issue 155
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let Some(cluster) = snapshot.magnum.cluster.filter(|c| c.text("status") == "UPDATE_FAILED") else {
        return Ok(Vec::new());
    };
    let empty = cluster.at("status_reason").and_then(|r| r.as_str()).is_some_and(|r| r.trim().is_empty());
    let groups = snapshot.magnum.groups.some();
    let changed = cluster.time("updated_at");
    // A group that failed in this operation has the reason in its own row.
    let group = groups.iter().any(|g| {
        g.text("status").ends_with("_FAILED")
            && g.str("status_reason").is_some()
            && g.time("updated_at") >= changed
    });
    if !empty || group {
        return Ok(Vec::new());
    }
    let messages = snapshot.said.messages.iter();
    let log = messages
        .filter(|m| m.current() && matches!(m.source, Source::Conductor(_)) && m.has("NotImplementedError"))
        .max_by_key(|m| (!m.weak, m.last));
    let uuid = snapshot.marks.uuid.as_deref().unwrap_or(&snapshot.asked_for);
    let worker = groups.iter().find(|g| g.text("name") == "default-worker").and_then(|g| g.int("node_count"));
    let count = worker
        .or_else(|| cluster.int("node_count"))
        .map_or_else(|| "<number of nodes>".to_owned(), |n| n.to_string());
    let mut finding = Finding::new("an update of node_count was asked for, which this driver does not have: only a resize changes the number of nodes")
        .likely_if(log.is_none_or(|m| m.weak) || !snapshot.magnum.groups.whole())
        .about(kit::thing("Magnum cluster", uuid))
        .value("resize", format!("openstack coe cluster resize {uuid} {count}"))
        .says("Nothing was changed.")
        .recovers(Recovers::AfterFix, "It does not end by itself: UPDATE_FAILED stays until a resize succeeds.")
        .evidence(kit::seen(
            "Magnum, the cluster",
            format!("openstack coe cluster show -c status -c status_reason {uuid}"),
            "UPDATE_FAILED with an empty text as status_reason",
        ));
    if let Some(message) = log {
        finding = finding.evidence(kit::evidence(snapshot, message));
    }
    Ok(vec![finding])
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, failed};

    const ID: &str = super::CAUSE.id;

    fn log(text: &str) -> String {
        format!(
            "=== kubernetes/namespaces/openstack/v1/pod/magnum-conductor-0/magnum-conductor/current.log\n\
             2026-01-01 11:50:00.310 8 ERROR oslo_messaging.rpc.server [None req-1 user1 p1 - - default -] {text}\n"
        )
    }

    #[test]
    fn an_empty_text_is_likely_and_null_is_none() {
        let empty = failed("UPDATE_FAILED", "");
        check(ID, &empty, &[], "likely");
        check(ID, &empty.replace("\"status_reason\": \"\"", "\"status_reason\": null"), &[], "no");
        check(ID, &failed("CREATE_FAILED", ""), &[], "no");
        check(ID, &failed("UPDATE_FAILED", "boom"), &[], "no");
    }

    /// The exception's record has the project, but not the cluster unless its text names it.
    #[test]
    fn only_a_record_that_names_the_cluster_makes_it_certain() {
        let empty = failed("UPDATE_FAILED", "");
        check(
            ID,
            &format!("{empty}{}", log("Exception during message handling: NotImplementedError")),
            &[],
            "likely",
        );
        let named = "Exception during message handling: NotImplementedError (cluster 11111111-2222-4333-8444-555555555555)";
        check(ID, &format!("{empty}{}", log(named)), &[], "certain");
    }

    #[test]
    fn a_group_that_failed_at_that_moment_has_another_cause() {
        let groups = "=== openstack/container-infra/nodegroups.json\n{\"nodegroups\": [{\"name\": \"default-worker\", \"role\": \"worker\", \
            \"status\": \"UPDATE_FAILED\", \"status_reason\": \"boom\", \"updated_at\": \"2026-01-01T11:50:00Z\"}]}\n";
        check(ID, &format!("{}{groups}", failed("UPDATE_FAILED", "")), &[], "no");
    }
}
