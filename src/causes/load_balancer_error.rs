//! The API load balancer is in ERROR, which CAPO cannot repair.

use super::kit;
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::{Action, Actions};
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Doc, Snapshot, balancer, port};
use crate::report::{Recovers, Risk};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "load-balancer-error",
    title: "the API load balancer is in ERROR",
    during: Actions::ALL,
    stage: Stage::LoadBalancer,
    explains: &[],
    needs: &["openstack/load-balancer/loadbalancers"],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see it with its listeners and pools")
                .run(&["openstack loadbalancer status show {balancer}"]),
            Step::say("have Octavia rebuild it (needs an admin), and wait for ACTIVE")
                .run(&["openstack loadbalancer failover {balancer}"])
                .unless("ovn"),
            Step::say("its provider ovn knows no failover: an operator of Octavia has to repair it")
                .when("ovn"),
            Step::say("if it cannot be repaired: delete it, no node uses it yet and CAPO makes a new one")
                .run(&["openstack loadbalancer delete --cascade {balancer}"])
                .when("unused"),
        ],
    },
    values: &["balancer"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

A change of the API load balancer failed inside Octavia and left its provisioning_status at ERROR; the
data plane may work all the same, operating_status ONLINE is no contradiction. CAPO waits for ACTIVE
before each change of it and repairs nothing, so a create stops here, members of new machines are not
added, and a delete stops at the control plane machines, whose members it takes out first. Without
machines ERROR does not keep CAPO from deleting it.

### How it is recognised

Octavia's list has the API load balancer of the cluster, by its whole name, in provisioning_status
ERROR.

### Sources

- openstack/octavia octavia/common/constants.py (statuses)
- kubernetes-sigs/cluster-api-provider-openstack pkg/cloud/services/loadbalancer/loadbalancer.go
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let Some(row) = balancer::api(snapshot).filter(|l| balancer::status(*l) == "ERROR") else {
        return Ok(Vec::new());
    };
    let harmless = snapshot.action == Action::Delete && port::machines_gone(snapshot)?;
    Ok(if harmless { Vec::new() } else { vec![finding(snapshot, row)] })
}

fn finding(snapshot: &Snapshot<'_>, row: Doc<'_>) -> Finding {
    let id = row.text("id");
    let mut finding = Finding::new(format!("the cluster's API load balancer {id} is in provisioning_status ERROR in Octavia"))
        .says(if snapshot.action == Action::Delete {
            "CAPO takes the control plane machines out of it before it removes them, and waits for ACTIVE in every try."
        } else {
            "CAPO waits for ACTIVE in every try and cannot repair it."
        })
        .about(kit::row("load balancer", row))
        .value("balancer", id)
        .evidence(kit::seen(
            format!("Octavia, load balancer {id}"),
            format!("openstack loadbalancer show {id}"),
            format!("provisioning_status ERROR; operating_status {}", row.text("operating_status")),
        ));
    let messages = balancer::waits(snapshot, row);
    for message in &messages {
        finding = finding.about(kit::subject(message));
    }
    for evidence in kit::evidence_of(snapshot, &messages).into_iter().take(3) {
        finding = finding.evidence(evidence);
    }
    if row.text("provider") == "ovn" {
        finding = finding.flag("ovn");
    }
    if snapshot.action == Action::Create && snapshot.initialised() == Some(false) {
        finding = finding.flag("unused");
        finding.risk = Some(Risk::Deletes);
    }
    if snapshot.action == Action::Delete {
        finding.stage = Some(Stage::Machines);
    }
    finding.recovers(
        Recovers::AfterFix,
        "Once it is ACTIVE again CAPO goes on by itself; each of its tries waits about five minutes.",
    )
}

#[cfg(test)]
mod tests {
    use super::super::testing::{balancer, check, report};

    const ID: &str = super::CAUSE.id;
    const API: &str = "k8s-clusterapi-cluster-magnum-system-kube-abcde-kubeapi";
    const AT: &str = "2026-01-01T11:10:00";
    const MACHINE: &str = "---\napiVersion: cluster.x-k8s.io/v1beta1\nkind: Machine\n\
        metadata: {name: kube-abcde-m-1, namespace: magnum-system, labels: {cluster.x-k8s.io/cluster-name: kube-abcde}}\n";

    #[test]
    fn error_is_told_by_whole_name() {
        let files = balancer("CREATE_IN_PROGRESS", API, "ERROR", AT);
        check(ID, &files, &[], "certain");
        check(ID, &balancer("CREATE_IN_PROGRESS", API, "ACTIVE", AT), &[], "no");
        check(ID, &balancer("CREATE_IN_PROGRESS", "k8s-other-kubeapi", "ERROR", AT), &[], "no");
        check(ID, &files.replace(API, "another"), &["openstack/load-balancer/loadbalancers"], "not checked");
        let lines: Vec<String> =
            report(&files, &[]).causes[0].fix.steps.iter().flat_map(|s| s.run.clone()).collect();
        assert!(
            lines
                .contains(&"openstack loadbalancer failover 33333333-0000-4000-8000-000000000001".to_owned()),
            "{lines:?}"
        );
        assert!(!lines.iter().any(|l| l.contains("delete")), "the control plane was not read: {lines:?}");
    }

    #[test]
    fn in_a_delete_it_matters_while_there_are_machines() {
        let files = balancer("DELETE_IN_PROGRESS", API, "ERROR", AT);
        check(ID, &files, &[], "no");
        check(ID, &format!("{files}=== kubernetes/objects.yaml\n{MACHINE}"), &[], "certain");
        check(ID, &files, &["kubernetes/machine"], "not checked");
    }
}
