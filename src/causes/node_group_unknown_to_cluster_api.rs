//! A node group that exists only in Magnum cannot be deleted.

use super::kit::{self, passes, refused, thing};
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Doc, Message, Snapshot, Source};
use crate::report::{Recovers, Risk};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "node-group-unknown-to-cluster-api",
    title: "a node group exists only in Magnum, which cannot delete it",
    during: Actions::ALIVE,
    stage: Stage::Topology,
    explains: &[],
    needs: &["openstack/container-infra/clusters"],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::EditsDatabase,
        steps: &[
            Step::say("see that Cluster API has nothing of the group").each(
                "group",
                &["kubectl -n {namespace} get machinedeployment -l cluster.x-k8s.io/cluster-name={stack_id},topology.cluster.x-k8s.io/deployment-name={each}"],
            ),
            Step::say("back the table up, then remove the group's row by its UUID; only a delete of the whole cluster would take it along otherwise")
                .each("row", &["mysqldump magnum nodegroup > nodegroup.sql", "mysql magnum -e \"DELETE FROM nodegroup WHERE uuid = '{each}'\""])
                .when("row"),
            Step::say("remove the group's server group, which counts against the quota")
                .each("server_group", &["openstack server group show {each}", "openstack server group delete {each}"])
                .when("server-group"),
        ],
    },
    values: &["group", "row", "server_group"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

The creation of a node group failed before the Cluster was written, so Cluster API never had it.
Deleting such a group makes the driver raise a \"not found\" that is meant to say \"gone\"; Magnum takes
every exception for a failure and notes DELETE_FAILED with `ERROR: None`, each time. While the row is
there, each status pass stops at it, so a resize or an upgrade of the cluster stays UPDATE_IN_PROGRESS.
Only the delete of the whole cluster takes the row along. Heat has no part in it: the driver borrows
the class of the exception from Heat's client.

### How it is recognised

A worker group in DELETE_FAILED with that reason that is not in the Cluster's topology and has no
MachineDeployment; both lists were read whole. Where the reason was not read it is likely, unless the
conductor's log misses the MachineDeployment of that name.

### Sources

- vexxhost/magnum-cluster-api magnum_cluster_api/driver.py (delete_nodegroup), pull request 1054
- openstack/magnum magnum/conductor/handlers/nodegroup_conductor.py, magnum/db/sqlalchemy/models.py
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    // Before the first change of a cluster there is no group to delete.
    if snapshot.status().starts_with("CREATE_") {
        return Ok(Vec::new());
    }
    let groups = snapshot.magnum.groups.some().iter().copied();
    let failed = groups.filter(|g| g.text("status") == "DELETE_FAILED" && g.text("role") != "master");
    let mut findings = Vec::new();
    for group in failed {
        let name = group.text("name");
        let log: Vec<&Message> = passes::said(snapshot, name).collect();
        // Another reason tells of another failure; a list without reasons tells nothing.
        if group.str("status_reason").is_some_and(|r| r.trim() != "ERROR: None") {
            continue;
        }
        match refused::unknown_to_cluster_api(snapshot, name) {
            Some(true) => findings.push(finding(snapshot, group, &log)),
            Some(false) => {}
            None => {
                snapshot.kube.clusters.all()?;
                snapshot.kube.deployments.all()?;
            }
        }
    }
    if findings.is_empty() {
        snapshot.magnum.groups.all()?;
    }
    Ok(findings)
}

fn finding(snapshot: &Snapshot<'_>, group: Doc<'_>, log: &[&Message]) -> Finding {
    let name = group.text("name");
    let told = group.text("status_reason").trim() == "ERROR: None";
    let mut finding = Finding::new(format!(
        "node group {name} exists only in Magnum, and Magnum cannot delete a group that Cluster API does not know"
    ))
    .likely_if(!told && log.iter().all(|m| m.weak))
    .about(thing("node group", name))
    .value("group", name)
    .says("Its creation never reached Cluster API: it is not in the Cluster's topology and has no MachineDeployment.")
    .says("While its row is there every status pass stops at it, so a resize or an upgrade would stay UPDATE_IN_PROGRESS.")
    .recovers(Recovers::Never, "It does not end by itself, and a second delete fails the same way.")
    .not_it("Heat", "the driver only borrows the exception's class from Heat's client to say \"gone\"");
    let uuid = snapshot.marks.uuid.as_deref().unwrap_or(&snapshot.asked_for);
    finding = finding.evidence(kit::seen(
        format!("Magnum, node group {name}"),
        format!("openstack coe nodegroup show {uuid} {name}"),
        format!("DELETE_FAILED: {}", group.str("status_reason").unwrap_or("no reason")),
    ));
    let missed =
        log.iter().filter(|m| matches!(m.source, Source::Conductor(_))).max_by_key(|m| (!m.weak, m.last));
    if let Some(message) = missed {
        finding = finding.evidence(kit::evidence(snapshot, message));
    }
    finding = finding.evidence(kit::seen(
        format!("Cluster {}, topology", snapshot.marks.stack_id.as_deref().unwrap_or_default()),
        kit::kubectl_get(snapshot, "Cluster", snapshot.marks.stack_id.as_deref().unwrap_or_default()),
        topology(snapshot),
    ));
    if let Some(row) = group.str("uuid") {
        finding = finding.flag("row").value("row", row);
    }
    server_group(snapshot, name, finding)
}

fn topology(snapshot: &Snapshot<'_>) -> String {
    let wanted =
        snapshot.kube.cluster().into_iter().flat_map(|c| c.list("spec.topology.workers.machineDeployments"));
    let names: Vec<String> = wanted.map(|d| d.text("name").to_owned()).collect();
    if names.is_empty() {
        "no worker groups".to_owned()
    } else {
        format!("worker groups {}", kit::and(&names))
    }
}

/// `<stack id>-<group>`, made by the driver before the Cluster is written
/// (vexxhost/magnum-cluster-api, magnum_cluster_api/utils.py).
fn server_group(snapshot: &Snapshot<'_>, name: &str, mut finding: Finding) -> Finding {
    let Some(stack_id) = &snapshot.marks.stack_id else { return finding };
    let wanted = format!("{stack_id}-{name}");
    let rows = snapshot.cloud.server_groups.some().iter().copied().filter(|row| {
        let project = row.str("project_id").is_none_or(|p| Some(p) == snapshot.project_id());
        row.text("name") == wanted && project && row.strings("members").is_empty()
    });
    for row in rows {
        finding = finding
            .says(format!(
                "Its server group {wanted} ({}) is left and counts against the quota.",
                row.text("id")
            ))
            .about(kit::row("server group", row))
            .flag("server-group")
            .value("server_group", row.text("id"));
    }
    finding
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, failed, report};

    const ID: &str = super::CAUSE.id;
    const TOPOLOGY: &str = "=== kubernetes/objects.yaml\napiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\n\
        metadata: {name: kube-abcde, namespace: magnum-system}\n\
        spec: {topology: {workers: {machineDeployments: [{class: default-worker, name: default-worker}]}}}\n";

    fn group(status: &str, reason: &str) -> String {
        format!(
            "{}=== openstack/container-infra/nodegroups.json\n{{\"nodegroups\": [{{\"uuid\": \"b1\", \"name\": \"blue\", \
             \"role\": \"worker\", \"status\": \"{status}\", \"status_reason\": {reason}}}]}}\n",
            failed("UPDATE_FAILED", "x")
        )
    }

    #[test]
    fn a_group_in_no_topology_that_cannot_be_deleted_is_certain() {
        let bundle = format!("{}{TOPOLOGY}", group("DELETE_FAILED", "\"ERROR: None\""));
        check(ID, &bundle, &[], "certain");
        check(ID, &bundle, &["openstack/compute/server-groups"], "certain");
        check(ID, &bundle, &["log/openstack"], "certain");
        check(ID, &bundle, &["kubernetes/machinedeployment"], "not checked");
        let unread = group("DELETE_FAILED", "\"ERROR: None\"");
        check(ID, &unread, &["kubernetes/cluster"], "not checked");
        let rows = failed("UPDATE_COMPLETE", "x");
        check(ID, &format!("{rows}{TOPOLOGY}"), &["openstack/container-infra/nodegroups"], "not checked");
        check(ID, TOPOLOGY, &["openstack/container-infra/clusters"], "not checked");
    }

    #[test]
    fn a_group_that_cluster_api_knows_or_another_reason_is_none() {
        let known = TOPOLOGY.replace("name: default-worker}]", "name: blue}]");
        check(ID, &format!("{}{known}", group("DELETE_FAILED", "\"ERROR: None\"")), &[], "no");
        check(ID, &format!("{}{TOPOLOGY}", group("DELETE_FAILED", "\"Read timed out.\"")), &[], "no");
        check(ID, &format!("{}{TOPOLOGY}", group("CREATE_FAILED", "\"ERROR: None\"")), &[], "no");
        let machines = "---\napiVersion: cluster.x-k8s.io/v1beta1\nkind: MachineDeployment\nmetadata: {name: kube-abcde-blue-x1x1x, \
            namespace: magnum-system, labels: {cluster.x-k8s.io/cluster-name: kube-abcde, topology.cluster.x-k8s.io/deployment-name: blue}}\n";
        check(ID, &format!("{}{TOPOLOGY}{machines}", group("DELETE_FAILED", "\"ERROR: None\"")), &[], "no");
    }

    /// By whole name: the server group of group `blue-2` is not its own.
    #[test]
    fn the_server_group_is_named_by_its_id() {
        let groups = "=== openstack/compute/server-groups.json\n{\"server_groups\": [{\"id\": \"sg-other\", \"name\": \"kube-abcde-blue-2\", \
            \"members\": []}, {\"id\": \"sg-blue\", \"name\": \"kube-abcde-blue\", \"members\": []}]}\n";
        let report = report(&format!("{}{TOPOLOGY}{groups}", group("DELETE_FAILED", "\"ERROR: None\"")), &[]);
        let cause = report.causes.iter().find(|c| c.id == ID).unwrap();
        let lines: Vec<&String> = cause.fix.steps.iter().flat_map(|s| &s.run).collect();
        assert!(lines.iter().any(|l| *l == "openstack server group delete sg-blue"), "{lines:?}");
        assert!(!lines.iter().any(|l| l.contains("sg-other")), "{lines:?}");
    }
}
