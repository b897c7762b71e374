//! The driver's status passes stop at a node group, so Magnum never sees that the work is done.

use jiff::SignedDuration;

use super::kit::{self, passes, thing};
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::Snapshot;
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::report::{Recovers, Risk};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "status-pass-aborted",
    title: "every status pass of the driver stops at a node group that Cluster API no longer has",
    during: Actions::UPDATE,
    stage: Stage::MagnumSync,
    explains: &[],
    needs: &["openstack/container-infra/clusters"],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see the passes stop, and that nothing of the group is left").each(
                "group",
                &[
                    "{conductor} --since=2m | grep 'MachineDeployment {each} not found'",
                    "openstack server list --name '^{stack_id}-{each}-'",
                    "openstack port list -c ID -c Name | grep '{stack_id}-{each}-'",
                ],
            ),
            Step::say("any other node group action of this cluster un-sticks it, such as a resize to the present size; a driver with pull request 982 does not get stuck")
                .run(&["{resize}"])
                .when("deleting"),
            Step::say("remove the group's row from Magnum's database, by its UUID and after a backup: a group that never reached Cluster API cannot be deleted")
                .each("row", &["mysqldump magnum nodegroup > nodegroup.sql", "mysql magnum -e \"DELETE FROM nodegroup WHERE uuid = '{each}'\""])
                .when("failed"),
        ],
    },
    values: &["group", "row", "conductor", "resize"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

While Magnum's cluster is IN_PROGRESS the driver looks at all node groups every 10 seconds. A worker
group that is not in the Cluster's topology makes it raise MachineDeploymentNotFound, which ends the
whole pass: neither the other groups nor the cluster are looked at. So a deleted node group stays
DELETE_IN_PROGRESS and the cluster UPDATE_IN_PROGRESS although all the work is done; and a group whose
creation failed keeps every later change of the cluster IN_PROGRESS.

### How it is recognised

The cluster is IN_PROGRESS, a worker group of Magnum is neither in the topology nor has a
MachineDeployment, and the conductor's log misses the MachineDeployment of that name. Without the log
it is likely only. During a cluster delete the same passes stop too, but that ends with the Cluster.

### Sources

- vexxhost/magnum-cluster-api magnum_cluster_api/driver.py (update_nodegroups_status), issues 978 and 411, pull request 982
- openstack/magnum magnum/service/periodic.py
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    if !snapshot.status().ends_with("_IN_PROGRESS") {
        return Ok(Vec::new());
    }
    // Without the Cluster the driver does not look at groups at all.
    if snapshot.kube.cluster().is_none() {
        snapshot.kube.clusters.all()?;
        return Ok(Vec::new());
    }
    snapshot.magnum.groups.all()?;
    snapshot.kube.deployments.all()?;
    let stopped = passes::stopped(snapshot);
    let silent = stopped.iter().any(|s| s.said.is_none() && s.status != "DELETE_IN_PROGRESS");
    let log = kit::conductor_log(snapshot);
    if silent && !snapshot.unread(&[log.as_str()]).is_empty() {
        return Err(Unseen::part(&log));
    }
    // A group that is only just asked for is missed for some seconds too.
    let stopped = stopped.iter().filter(|s| {
        let leaving = s.status == "DELETE_IN_PROGRESS" && settled(snapshot, s.group);
        leaving || (s.said.is_some() && s.status != "CREATE_IN_PROGRESS")
    });
    Ok(stopped.map(|s| finding(snapshot, s)).collect())
}

/// True unless the group changed within the last minute: a pass that works needs up to 10 seconds.
fn settled(snapshot: &Snapshot<'_>, group: &str) -> bool {
    let row = snapshot.magnum.groups.some().iter().find(|g| g.text("name") == group);
    row.and_then(|g| g.time("updated_at")).is_none_or(|at| snapshot.age(at) > SignedDuration::from_mins(1))
}

fn finding(snapshot: &Snapshot<'_>, stopped: &passes::Stopped<'_>) -> Finding {
    let (name, status) = (stopped.group, stopped.status);
    let failed = status.ends_with("_FAILED");
    let state = if failed { "never reached Cluster API" } else { "is gone from Cluster API" };
    let mut finding = Finding::new(format!(
        "every status pass stops at node group {name}, which {state}, so Magnum does not see that the work is done"
    ))
    .likely_if(stopped.said.is_none_or(|m| m.weak))
    .about(thing("node group", name))
    .value("group", name)
    .value("conductor", kit::conductor(snapshot, "logs"))
    .value("resize", resize(snapshot))
    .flag(if failed { "failed" } else { "deleting" })
    .says(format!("The node group stays {status} and the cluster {}.", snapshot.status()))
    .recovers(Recovers::AfterFix, "It does not end by itself: a pass runs every 10 seconds, and each stops at the same place.");
    if let Some(message) = stopped.said {
        finding = finding.evidence(kit::evidence(snapshot, message));
    }
    let stack_id = snapshot.marks.stack_id.as_deref().unwrap_or_default();
    finding = finding.evidence(kit::seen(
        format!("MachineDeployments of node group {name}"),
        format!(
            "kubectl -n {} get machinedeployment -l cluster.x-k8s.io/cluster-name={stack_id},topology.cluster.x-k8s.io/deployment-name={name}",
            snapshot.marks.namespace
        ),
        "none, and the group is not in the Cluster's topology",
    ));
    let row =
        snapshot.magnum.groups.some().iter().find(|g| g.text("name") == name).and_then(|g| g.str("uuid"));
    if let Some(row) = row.filter(|_| failed) {
        finding.risk = Some(Risk::EditsDatabase);
        finding = finding.value("row", row);
    }
    finding
}

/// A resize to the size that it has.
fn resize(snapshot: &Snapshot<'_>) -> String {
    let uuid = snapshot.marks.uuid.as_deref().unwrap_or("<Magnum UUID>");
    let groups = snapshot.magnum.groups.some();
    let worker = groups.iter().find(|g| g.text("name") == "default-worker").and_then(|g| g.int("node_count"));
    format!(
        "openstack coe cluster resize {uuid} {}",
        worker.map_or_else(|| "<number of nodes>".to_owned(), |n| n.to_string())
    )
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, failed, report};

    const ID: &str = super::CAUSE.id;
    const TOPOLOGY: &str = "=== kubernetes/objects.yaml\napiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\n\
        metadata: {name: kube-abcde, namespace: magnum-system}\n\
        spec: {topology: {workers: {machineDeployments: [{class: default-worker, name: default-worker}]}}}\n";
    const MACHINES: &str = "---\napiVersion: cluster.x-k8s.io/v1beta1\nkind: MachineDeployment\nmetadata: {name: kube-abcde-gpu-x1x1x, \
        namespace: magnum-system, labels: {cluster.x-k8s.io/cluster-name: kube-abcde, topology.cluster.x-k8s.io/deployment-name: gpu}}\n";

    fn rows(cluster: &str, group: &str) -> String {
        format!(
            "{}=== openstack/container-infra/nodegroups.json\n{{\"nodegroups\": [{{\"uuid\": \"g1\", \"name\": \"gpu\", \"role\": \"worker\", \
             \"status\": \"{group}\"}}]}}\n",
            failed(cluster, "x")
        )
    }

    fn log(group: &str) -> String {
        format!(
            "=== kubernetes/namespaces/openstack/v1/pod/magnum-conductor-0/magnum-conductor/current.log\n\
             2026-01-01 11:59:50.310 8 ERROR oslo.service.loopingcall [-] Fixed interval looping call \
             'magnum.service.periodic.ClusterUpdateJob.update_status' failed: \
             magnum_cluster_api.exceptions.MachineDeploymentNotFound: MachineDeployment {group} not found.\n"
        )
    }

    #[test]
    fn the_log_and_the_missing_machine_deployment_make_it_certain() {
        let deleting = format!("{}{TOPOLOGY}", rows("UPDATE_IN_PROGRESS", "DELETE_IN_PROGRESS"));
        check(ID, &format!("{deleting}{}", log("gpu")), &[], "certain");
        check(ID, &deleting, &[], "likely");
        check(ID, &deleting, &["log/openstack"], "likely");
        check(ID, &deleting, &["kubernetes/machinedeployment"], "not checked");
        check(ID, &rows("UPDATE_IN_PROGRESS", "DELETE_IN_PROGRESS"), &["kubernetes/cluster"], "not checked");
        check(
            ID,
            &format!("{}{TOPOLOGY}{}", failed("UPDATE_IN_PROGRESS", "x"), log("gpu")),
            &["openstack/container-infra/nodegroups"],
            "not checked",
        );
    }

    #[test]
    fn while_the_machines_are_there_or_nobody_looks_it_is_none() {
        let deleting = rows("UPDATE_IN_PROGRESS", "DELETE_IN_PROGRESS");
        check(ID, &format!("{deleting}{TOPOLOGY}{MACHINES}{}", log("gpu")), &[], "no");
        check(
            ID,
            &format!("{}{TOPOLOGY}{}", rows("UPDATE_FAILED", "DELETE_IN_PROGRESS"), log("gpu")),
            &[],
            "no",
        );
        check(ID, &format!("{}{TOPOLOGY}", rows("UPDATE_IN_PROGRESS", "CREATE_IN_PROGRESS")), &[], "no");
    }

    /// A delete goes on without Magnum looking: only a note says why the reason is old.
    #[test]
    fn in_a_cluster_delete_it_is_a_note() {
        let bundle = format!("{}{TOPOLOGY}{}", rows("DELETE_IN_PROGRESS", "CREATE_FAILED"), log("gpu"));
        check(ID, &bundle, &[], "no");
        let notes = report(&bundle, &[]).notes;
        assert!(notes.iter().any(|n| n.contains("node group gpu")), "{notes:?}");
    }
}
