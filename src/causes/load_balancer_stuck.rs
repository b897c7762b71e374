//! Octavia left a load balancer in PENDING_*, and whoever needs it waits for ever.

use super::kit;
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::{Action, Actions};
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Doc, Snapshot, balancer, port};
use crate::report::{Recovers, Risk};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "load-balancer-stuck",
    title: "a load balancer has been in PENDING_* for too long",
    during: Actions::ALL,
    stage: Stage::LoadBalancer,
    explains: &["service-load-balancer-delete-failed", "service-load-balancer-holds-network"],
    needs: &["openstack/load-balancer/loadbalancers"],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see whether it is still pending").each("balancer", &["openstack loadbalancer status show {each}"]),
            Step::say("an operator of Octavia: find out what became of the worker that had it in hand, and get the load balancer to ACTIVE or ERROR; neither CAPO nor Magnum can")
                .each("balancer", &["openstack loadbalancer show {each}", "openstack loadbalancer amphora list --loadbalancer {each}"]),
            Step::say("if it has come to ERROR, have it rebuilt (needs an admin)")
                .each("balancer", &["openstack loadbalancer failover {each}"])
                .unless("leaving"),
            kit::DELETE_AGAIN,
        ],
    },
    values: &["balancer"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

While Octavia changes a load balancer its provisioning_status is PENDING_CREATE, PENDING_UPDATE or
PENDING_DELETE, and every other change is refused (409). If the worker that had the change in hand
dies, the status stays. CAPO waits about five minutes for ACTIVE in each try: before it makes listener
and pool in a create, before it adds or removes a machine's member, so a delete already stops at the
control plane machines. There is no event, and the error often is only that a condition timed out. The
driver waits for load balancers of Services at the start of a delete.

### How it is recognised

Octavia's list has the API load balancer of the cluster by its whole name, or in a delete one of its
Services, in PENDING_*, and has not touched it for more than ten minutes. A younger one is at work and
no finding. Whether and when it goes on is Octavia's affair alone.

### Sources

- openstack/octavia octavia/common/constants.py (statuses that can be changed)
- kubernetes-sigs/cluster-api-provider-openstack pkg/cloud/services/loadbalancer/loadbalancer.go
  (waiting for ACTIVE), issues 1197 and 2124
- vexxhost/magnum-cluster-api issue 63
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let api = balancer::api(snapshot);
    let services = if snapshot.action == Action::Delete { balancer::services(snapshot) } else { Vec::new() };
    let rows = api.into_iter().chain(services);
    Ok(rows.filter(|row| stuck(snapshot, *row)).map(|row| finding(snapshot, row)).collect())
}

/// Without a time CAPO's own patience counts.
fn stuck(snapshot: &Snapshot<'_>, row: Doc<'_>) -> bool {
    let pending = balancer::status(row).starts_with("PENDING_");
    pending
        && match balancer::touched(row) {
            Some(at) => snapshot.age(at) > balancer::AT_WORK,
            None => !balancer::waits(snapshot, row).is_empty(),
        }
}

fn finding(snapshot: &Snapshot<'_>, row: Doc<'_>) -> Finding {
    let (id, status) = (row.text("id"), balancer::status(row));
    let api = row.str("name") == snapshot.marks.api_load_balancer().as_deref();
    let which = if api { "the cluster's API load balancer" } else { "Service load balancer" };
    let since =
        balancer::touched(row).map(|at| format!(" for {}", kit::age(snapshot.age(at)))).unwrap_or_default();
    let (stage, waits) = consequence(snapshot, api);
    let untouched =
        balancer::touched(row).map(|at| format!("; last touched {} ago", kit::age(snapshot.age(at))));
    let mut finding = Finding::new(format!("{which} {id} has hung in {status}{since} in Octavia"))
        .says(waits)
        .about(kit::row("load balancer", row))
        .value("balancer", id)
        .evidence(kit::seen(
            format!("Octavia, load balancer {id}"),
            format!("openstack loadbalancer show {id}"),
            format!("provisioning_status {status}{}", untouched.unwrap_or_default()),
        ));
    let mut messages = if api { balancer::waits(snapshot, row) } else { Vec::new() };
    if messages.iter().any(|m| m.kind == "OpenStackMachine") && stage == Stage::Machines {
        messages.retain(|m| m.kind == "OpenStackMachine");
    }
    for message in &messages {
        finding = finding.about(kit::subject(message));
    }
    for evidence in kit::evidence_of(snapshot, &messages).into_iter().take(2) {
        finding = finding.evidence(evidence);
    }
    if let Some(waiting) =
        snapshot.said.records.iter().rev().find(|s| {
            s.record.message.starts_with("Waiting for load balancer") && s.record.get("id") == Some(id)
        })
    {
        let words = format!(
            "{} … targetStatus={}",
            waiting.record.message,
            waiting.record.get("targetStatus").unwrap_or("?")
        );
        finding = finding.evidence(kit::seen(
            format!("log of {}", waiting.pod),
            kit::logs(&waiting.pod, id),
            words,
        ));
    }
    if status == "PENDING_DELETE" {
        finding = finding.flag("leaving");
    }
    finding.stage = Some(stage);
    finding = finding.recovers(
        Recovers::AfterFix,
        "Once Octavia has brought it to ACTIVE, or has removed it, CAPO goes on by itself within minutes.",
    );
    if snapshot.status() == "DELETE_FAILED" { kit::delete_goes_on(snapshot, finding) } else { finding }
}

/// Where the cluster stands because of it, and what waits.
fn consequence(snapshot: &Snapshot<'_>, api: bool) -> (Stage, &'static str) {
    if snapshot.action != Action::Delete {
        return (
            Stage::LoadBalancer,
            "CAPO changes a load balancer only when it is ACTIVE, and waits for that in every try.",
        );
    }
    if !api {
        return (
            Stage::ServiceLoadBalancers,
            "The driver removes the load balancers of Services first, and Octavia changes none that is pending.",
        );
    }
    if port::machines_gone(snapshot) == Ok(true) {
        return (
            Stage::ApiLoadBalancer,
            "CAPO removes the load balancer before router and network, and cannot while it is pending.",
        );
    }
    (
        Stage::Machines,
        "CAPO takes a control plane machine out of it before it removes the machine, and waits for ACTIVE in every try.",
    )
}

#[cfg(test)]
mod tests {
    use super::super::testing::{balancer, check};

    const ID: &str = super::CAUSE.id;
    const API: &str = "k8s-clusterapi-cluster-magnum-system-kube-abcde-kubeapi";
    const SERVICE: &str = "kube_service_11111111-2222-4333-8444-555555555555_default_web";

    #[test]
    fn only_what_is_pending_for_long_is_stuck() {
        let check = |name: &str, status: &str, minute: u8, cluster: &str, expected: &str| {
            let files = balancer(cluster, name, status, &format!("2026-01-01T11:{minute}:00"));
            check(ID, &files, &[], expected);
        };
        check(API, "PENDING_UPDATE", 49, "CREATE_IN_PROGRESS", "certain");
        check(API, "PENDING_CREATE", 49, "CREATE_IN_PROGRESS", "certain");
        check(API, "PENDING_UPDATE", 51, "CREATE_IN_PROGRESS", "no");
        check(API, "ACTIVE", 10, "CREATE_IN_PROGRESS", "no");
        check(API, "ERROR", 10, "CREATE_IN_PROGRESS", "no");
        check(API, "PENDING_DELETE", 49, "DELETE_IN_PROGRESS", "certain");
        check(SERVICE, "PENDING_UPDATE", 49, "DELETE_IN_PROGRESS", "certain");
        check(SERVICE, "PENDING_UPDATE", 49, "CREATE_IN_PROGRESS", "no");
        check(&API.replace("kube-abcde", "kube-abcde-x"), "PENDING_UPDATE", 49, "CREATE_IN_PROGRESS", "no");
    }

    #[test]
    fn without_octavia_it_is_not_checked() {
        let files = balancer("CREATE_IN_PROGRESS", "another", "ACTIVE", "2026-01-01T11:10:00");
        check(ID, &files, &["openstack/load-balancer/loadbalancers"], "not checked");
        check(ID, &files, &[], "no");
    }
}
