//! The driver could not remove the load balancers of Services, so the delete never began.

use super::kit;
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Message, Snapshot, Source, balancer};
use crate::report::{Recovers, Risk};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "service-load-balancer-delete-failed",
    title: "the load balancers of the cluster's Services could not be deleted",
    during: Actions::DELETE,
    stage: Stage::ServiceLoadBalancers,
    explains: &[],
    needs: &["openstack/container-infra/clusters"],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see what keeps the load balancers of the Services").each("balancer", &["openstack loadbalancer show {each}"]).when("balancer"),
            Step::say("see the load balancers of the project, and whether Octavia answers")
                .run(&["openstack loadbalancer list --project {project_id}"])
                .unless("balancer"),
            Step::say("when Octavia is well again, delete the cluster once more: DELETE_FAILED is never tried again by itself")
                .run(&["openstack coe cluster delete {uuid}"]),
        ],
    },
    values: &["balancer"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

Before it deletes the Cluster the driver deletes the load balancers that the cluster's Services made,
and waits for them (60 seconds unless `pre_delete_lb_timeout` in the section `cluster` of Magnum's
configuration says otherwise). Any error of Octavia or a longer wait ends the delete: the status is
DELETE_FAILED, and Cluster API has not been asked to delete anything.

### How it is recognised

Magnum's status_reason says that resources could not be pre-deleted. Other reasons of DELETE_FAILED are
no matter of Octavia.

### Sources

- openstack/magnum magnum/common/octavia.py and magnum/common/exception.py (PreDeletionFailed)
- vexxhost/magnum-cluster-api magnum_cluster_api/utils.py (delete_loadbalancers)
";

const WORDS: &str = "failed to pre-delete resources for cluster";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let told = |m: &&Message| m.current() && m.has(WORDS);
    let messages: Vec<&Message> = snapshot.said.messages.iter().filter(told).collect();
    let Some(reason) = messages.iter().find(|m| m.source == Source::ClusterReason) else {
        return Ok(Vec::new());
    };
    let mut finding = Finding::new("the driver could not delete the load balancers of the cluster's Services, so it did not begin to delete the cluster")
        .about(kit::subject(reason));
    if let Some((_, error)) = reason.text.split_once("error:") {
        finding = finding.says(format!("It says: {}", error.trim()));
    }
    finding = finding.says(match snapshot.kube.cluster() {
        Some(cluster) if cluster.deleting().is_some() => {
            "By now the Cluster is being deleted all the same, but Magnum does not follow it."
        }
        Some(_) => "The Cluster has not been touched and goes on running.",
        None if snapshot.kube.clusters.whole() => {
            "By now there is no Cluster any more, but Magnum does not follow that."
        }
        None => "Whether the Cluster is being deleted could not be seen.",
    });
    for row in balancer::services(snapshot) {
        let (id, status) = (row.text("id"), balancer::status(row));
        finding = finding
            .about(kit::row("load balancer", row))
            .flag("balancer")
            .value("balancer", id)
            .says(format!("Service load balancer {id} \"{}\" is in {status}.", row.text("name")));
    }
    for evidence in kit::evidence_of(snapshot, &messages) {
        finding = finding.evidence(evidence);
    }
    let says = "It does not go on by itself: Magnum never tries again, so delete the cluster once more after the repair.";
    Ok(vec![finding.recovers(Recovers::AfterFix, says)])
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, report};

    const ID: &str = super::CAUSE.id;

    fn failed(status: &str, reason: &str) -> String {
        format!(
            "=== openstack/container-infra/clusters.json\n{{\"clusters\": [{{\"uuid\": \"11111111-2222-4333-8444-555555555555\", \
             \"name\": \"web\", \"stack_id\": \"kube-abcde\", \"project_id\": \"p1\", \"status\": \"{status}\", \
             \"status_reason\": \"{reason}\"}}]}}\n"
        )
    }

    const REASON: &str = "Failed to pre-delete resources for cluster 11111111-2222-4333-8444-555555555555, error: \
        Timeout waiting for the load balancers {'33333333-0000-4000-8000-000000000001'} to be deleted..";

    #[test]
    fn the_reason_of_a_failed_delete_is_certain() {
        let files = failed("DELETE_FAILED", REASON);
        check(ID, &files, &[], "certain");
        let lines: Vec<String> =
            report(&files, &[]).causes[0].fix.steps.iter().flat_map(|s| s.run.clone()).collect();
        assert!(
            lines.contains(&"openstack coe cluster delete 11111111-2222-4333-8444-555555555555".to_owned()),
            "{lines:?}"
        );
    }

    #[test]
    fn another_reason_or_a_delete_under_way_is_none() {
        check(ID, &failed("DELETE_FAILED", "Read timed out. (read timeout=10)"), &[], "no");
        check(ID, &failed("DELETE_IN_PROGRESS", REASON), &[], "no");
    }

    #[test]
    fn without_magnum_it_is_not_checked() {
        let cluster = "=== kubernetes/objects.yaml\napiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\n\
            metadata: {name: kube-abcde, namespace: magnum-system, deletionTimestamp: '2026-01-01T11:50:00Z'}\n";
        check(ID, cluster, &["openstack/container-infra/clusters"], "not checked");
    }
}
