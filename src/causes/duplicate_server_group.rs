//! Two server groups of one name stop the last step of a delete.

use std::collections::BTreeMap;

use super::kit;
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Doc, Snapshot, Source};
use crate::report::{Recovers, Risk};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "duplicate-server-group",
    title: "two server groups have the same name, and the driver cannot tell which to delete",
    during: Actions::DELETE,
    stage: Stage::MagnumCleanUp,
    explains: &[],
    needs: &["openstack/container-infra/clusters"],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Deletes,
        steps: &[
            Step::say("see that both are empty, then remove all but one; Magnum removes the last one with its next pass")
                .each("group", &["openstack server group show {each}"]),
            Step::say("remove the spare ones").each("spare", &["openstack server group delete {each}"]),
        ],
    },
    values: &["group", "spare"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

When the Cluster is gone the driver deletes the server groups `<stack id>` and `<stack id>-<node group>`,
which it looks up by name. If a name fits two of them, as after a repeated create, the look-up raises
Conflict, and each status pass ends there: the cluster stays DELETE_IN_PROGRESS.

### How it is recognised

The Cluster is gone, Magnum's row is DELETE_IN_PROGRESS, and the project has two server groups with the
same whole name of this cluster. It is certain if the conductor's log has the Conflict.

### Sources

- vexxhost/magnum-cluster-api magnum_cluster_api/utils.py, driver.py (server groups)
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    // As long as the Cluster is there the driver does not come to the server groups.
    if snapshot.status() != "DELETE_IN_PROGRESS" || snapshot.kube.cluster().is_some() {
        return Ok(Vec::new());
    }
    snapshot.kube.clusters.all()?;
    let mut by_name: BTreeMap<&str, Vec<Doc<'_>>> = BTreeMap::new();
    for row in snapshot.cloud.server_groups.some() {
        let project = row.str("project_id").is_none_or(|p| Some(p) == snapshot.project_id());
        if project && snapshot.marks.names(row.text("name")) {
            by_name.entry(row.text("name")).or_default().push(*row);
        }
    }
    by_name.retain(|_, rows| rows.len() > 1);
    if by_name.is_empty() {
        snapshot.cloud.server_groups.all()?;
    }
    Ok(by_name.iter().map(|(name, rows)| finding(snapshot, name, rows)).collect())
}

fn finding(snapshot: &Snapshot<'_>, name: &str, rows: &[Doc<'_>]) -> Finding {
    let messages = snapshot.said.messages.iter();
    let log = messages
        .filter(|m| {
            m.current() && matches!(m.source, Source::Conductor(_)) && m.has("conflict") && m.has("server")
        })
        .max_by_key(|m| (!m.weak, m.last));
    let ids: Vec<String> = rows.iter().map(|r| r.text("id").to_owned()).collect();
    let mut finding = Finding::new(format!("server groups {} have the same name {name}", kit::and(&ids)))
        .likely_if(log.is_none())
        .says("The driver looks the group up by name, and every status pass ends at the doubt.")
        .recovers(Recovers::AfterFix, "It goes on by itself, within seconds, once one of them is left.")
        .evidence(kit::seen(
            "Nova, server groups of the project",
            format!("openstack server group list -c ID -c Name | grep -w {name}"),
            ids.join(", "),
        ));
    if let Some(message) = log {
        finding = finding.evidence(kit::evidence(snapshot, message));
    }
    for row in rows {
        finding = finding.about(kit::row("server group", *row)).value("group", row.text("id"));
    }
    for row in rows.iter().skip(1) {
        finding = finding.value("spare", row.text("id"));
    }
    finding
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, failed};

    const ID: &str = super::CAUSE.id;

    fn groups(names: &[&str]) -> String {
        let rows: Vec<String> = names
            .iter()
            .enumerate()
            .map(|(i, n)| format!("{{\"id\": \"sg{i}\", \"name\": \"{n}\", \"members\": []}}"))
            .collect();
        format!("=== openstack/compute/server-groups.json\n{{\"server_groups\": [{}]}}\n", rows.join(","))
    }

    #[test]
    fn two_groups_of_one_name_stop_the_clean_up() {
        let deleting = failed("DELETE_IN_PROGRESS", "x");
        let twice = format!("{deleting}{}", groups(&["kube-abcde", "kube-abcde"]));
        check(ID, &twice, &[], "likely");
        let log = "=== kubernetes/namespaces/openstack/v1/pod/magnum-conductor-0/magnum-conductor/current.log\n\
            2026-01-01 11:59:55.310 8 ERROR oslo.service.loopingcall [-] Fixed interval looping call \
            'magnum.service.periodic.ClusterUpdateJob.update_status' failed: Conflict: Multiple server groups exist with name kube-abcde\n";
        check(ID, &format!("{twice}{log}"), &[], "certain");
        check(ID, &twice, &["kubernetes/cluster"], "not checked");
        check(ID, &deleting, &["openstack/compute/server-groups"], "not checked");
    }

    #[test]
    fn other_names_and_a_cluster_that_is_still_there_are_none() {
        let deleting = failed("DELETE_IN_PROGRESS", "x");
        check(ID, &format!("{deleting}{}", groups(&["kube-abcde", "kube-abcde-2"])), &[], "no");
        check(ID, &format!("{deleting}{}", groups(&["kube-abcdf", "kube-abcdf"])), &[], "no");
        let cluster = "=== kubernetes/objects.yaml\napiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\n\
            metadata: {name: kube-abcde, namespace: magnum-system, deletionTimestamp: '2026-01-01T11:50:00Z'}\n";
        check(ID, &format!("{deleting}{cluster}{}", groups(&["kube-abcde", "kube-abcde"])), &[], "no");
    }
}
