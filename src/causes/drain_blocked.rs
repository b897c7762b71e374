//! A machine cannot be drained: pods on its node may not be evicted.

use super::kit::{self, machine, thing};
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::current::FRESH;
use crate::model::node::Node;
use crate::model::said::Spoken;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Doc, Snapshot};
use crate::report::{Recovers, Risk};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "drain-blocked",
    title: "a node cannot be drained: pods on it may not be evicted",
    during: Actions::ALIVE,
    stage: Stage::Server,
    explains: &[],
    needs: &["kubernetes/cluster", "kubernetes/machine", "log:cluster-api"],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("get a kubeconfig of the cluster itself").run(&["openstack coe cluster config --dir . {cluster}"]),
            Step::say("there, see the pods and the budgets that protect them")
                .each("pod_namespace", &["kubectl --kubeconfig config -n {each} get pods,poddisruptionbudgets -o wide"]),
            Step::say(
                "have the owner of the workload make room: more replicas, or a budget that lets one of them go; the drain then goes on within 20 seconds",
            ),
            Step::say(
                "or give up the protection for this machine, if the owner agrees: its pods end with the server, whatever their budgets say",
            )
            .each("machine", &["kubectl -n {namespace} annotate machine {each} machine.cluster.x-k8s.io/exclude-node-draining=\"\""]),
        ],
    },
    values: &["pod_namespace", "machine"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

Before Cluster API removes a machine it drains its node: every pod is asked to leave. A
PodDisruptionBudget that allows no disruption, such as minAvailable 1 over a single replica, refuses
that. The driver sets no nodeDrainTimeout, so Cluster API asks for ever, every 20 seconds, and a resize,
an upgrade or the removal of a node group hangs. Magnum may call it UPDATE_COMPLETE all the same: it
looks at the numbers that were asked for. When the whole cluster is deleted, nothing is drained.

### How it is recognised

A Machine is being deleted and its Deleting condition names pods that the disruption budget does not
let go, or Cluster API's log lists podsFailedEviction for it. The first 5 minutes do not count.

### Sources

- kubernetes-sigs/cluster-api internal/controllers/machine/drain, issues 2331, 6929, 13508
- vexxhost/magnum-cluster-api src/cluster_class.rs (no nodeDrainTimeout)
";

/// What keeps one machine from being drained.
#[derive(Debug, Default, PartialEq)]
struct Blocked {
    pods: Vec<String>,
    budgets: Vec<String>,
}

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    // A cluster that is being deleted is not drained.
    if snapshot.kube.cluster().is_some_and(|c| c.deleting().is_some()) {
        return Ok(Vec::new());
    }
    Ok(snapshot.nodes.iter().filter_map(|node| finding(snapshot, node)).collect())
}

fn finding(snapshot: &Snapshot<'_>, node: &Node<'_>) -> Option<Finding> {
    let doc = node.machine?;
    let began = doc.time("status.deletion.nodeDrainStartTime").or(doc.deleting())?;
    if doc.deleting().is_none() || snapshot.age(began).as_mins() < 5 {
        return None;
    }
    let told = messages(doc).into_iter().find(|text| !read(text).pods.is_empty());
    let logged = log(snapshot, node);
    let blocked = match (told, logged) {
        (Some(text), _) => read(text),
        (None, Some(spoken)) => Blocked { pods: pods_of(spoken), budgets: Vec::new() },
        (None, None) => return None,
    };
    let pods = kit::and(&blocked.pods.iter().map(|p| format!("pod {p}")).collect::<Vec<_>>());
    let headline = format!("{} cannot be drained: {pods} may not be evicted", machine::named(node));
    let mut finding = Finding::new(headline)
        .says(if blocked.budgets.is_empty() {
            "Usually a PodDisruptionBudget in the cluster itself forbids it.".to_owned()
        } else {
            let budgets = blocked.budgets.iter().map(|b| format!("\"{b}\"")).collect::<Vec<_>>();
            format!("PodDisruptionBudget {} in the cluster itself forbids it.", kit::and(&budgets))
        })
        .says(format!(
            "The drain has waited for {}, and it has no time limit.",
            kit::age(snapshot.age(began))
        ))
        .recovers(Recovers::AfterFix, "It waits for ever, and goes on by itself once the pods may leave.")
        .about(thing("Machine", node.name))
        .value("machine", node.name);
    for pod in &blocked.pods {
        let namespace = pod.split_once('/').map_or("default", |(namespace, _)| namespace);
        finding = finding.value("pod_namespace", namespace).about(thing("pod", pod));
    }
    if let Some(text) = told {
        let place = kit::kubectl_get(snapshot, "Machine", node.name);
        finding = finding.evidence(kit::seen(
            format!("Machine {}, Deleting DrainingNode", node.name),
            place,
            text.trim(),
        ));
    }
    if let Some(spoken) = logged {
        let ago =
            spoken.record.at.map(|at| format!(" ({} ago)", kit::age(snapshot.age(at)))).unwrap_or_default();
        let words = format!("{}, podsFailedEviction {}", spoken.record.message, pods_of(spoken).join(", "));
        finding = finding.evidence(kit::seen(
            format!("log of {}{ago}", spoken.pod),
            kit::logs(&spoken.pod, node.name),
            words,
        ));
    }
    Some(finding)
}

/// What the conditions of the drain say, in both shapes.
fn messages(machine: Doc<'_>) -> Vec<&str> {
    let mut conditions = machine.conditions();
    conditions.extend(crate::model::condition::legacy(machine));
    let drain = conditions.into_iter().filter(|c| {
        (c.kind == "Deleting" && c.reason == "DrainingNode") || (c.kind == "DrainingSucceeded" && !c.good())
    });
    drain.map(|c| c.message).collect()
}

/// Reads lines such as `* Pod shop/db-0: cannot evict pod as it would violate the pod's
/// disruption budget. The disruption budget db needs 1 healthy pods and has 1 currently`.
fn read(text: &str) -> Blocked {
    let mut blocked = Blocked::default();
    for line in text.lines().filter(|l| l.contains("cannot evict pod")) {
        let line = line.trim_start_matches([' ', '*']);
        let Some((pods, reason)) = line.split_once(": ") else { continue };
        let names = pods.trim_start_matches("Pods ").trim_start_matches("Pod ");
        // Long lists end in `… (2 more)`.
        let names = names.split(", ").map(|n| n.split(' ').next().unwrap_or_default());
        blocked.pods.extend(names.filter(|n| n.contains('/')).map(str::to_owned));
        if let Some((_, rest)) = reason.split_once("The disruption budget ") {
            blocked.budgets.extend(rest.split(' ').next().map(str::to_owned));
        }
    }
    blocked.budgets.dedup();
    blocked
}

fn log<'a>(snapshot: &'a Snapshot<'_>, node: &Node<'_>) -> Option<&'a Spoken> {
    let spoken = snapshot.said.records.iter().rev();
    spoken
        .filter(|s| s.record.at.is_some_and(|at| snapshot.age(at) <= FRESH))
        .filter(|s| s.record.objects().contains(&("Machine", node.name)))
        .find(|s| !pods_of(s).is_empty())
}

fn pods_of(spoken: &Spoken) -> Vec<String> {
    let pods = spoken.record.get("podsFailedEviction").unwrap_or_default();
    pods.split(", ")
        .filter(|p| p.contains('/'))
        .map(|p| p.split(' ').next().unwrap_or(p).to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, report};
    use super::*;

    const ID: &str = super::CAUSE.id;

    const BUDGET: &str = "Drain not completed yet (started at 2026-01-01T11:30:00Z): * Pod shop/db-0: cannot evict pod as it would violate the pod''s disruption budget. The disruption budget db needs 1 healthy pods and has 1 currently";

    /// A worker that is being deleted since that minute, with the condition's message.
    fn files(minute: u8, message: &str) -> String {
        let message = message.replace(": * Pod", ":\n\n      * Pod");
        format!(
            r#"=== openstack/container-infra/clusters.json
{{"clusters": [{{"uuid": "11111111-2222-4333-8444-555555555555", "name": "web", "stack_id": "kube-abcde",
 "project_id": "p1", "status": "UPDATE_COMPLETE"}}]}}
=== kubernetes/objects.yaml
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata:
  name: kube-abcde-w1
  namespace: magnum-system
  creationTimestamp: '2026-01-01T10:00:00Z'
  deletionTimestamp: '2026-01-01T11:{minute:02}:00Z'
  labels: {{cluster.x-k8s.io/cluster-name: kube-abcde, topology.cluster.x-k8s.io/deployment-name: default-worker}}
status:
  nodeRef: {{name: kube-abcde-w1}}
  conditions:
  - type: Deleting
    status: 'True'
    reason: DrainingNode
    message: '{message}'
"#
        )
    }

    #[test]
    fn a_budget_in_the_condition_is_certain() {
        check(ID, &files(30, BUDGET), &[], "certain");
        let says = report(&files(30, BUDGET), &[]).causes[0].says.join(" ");
        assert!(says.contains("pod shop/db-0") && says.contains("PodDisruptionBudget \"db\""), "{says}");
    }

    #[test]
    fn the_log_alone_is_enough() {
        let log = "=== kubernetes/namespaces/capi-system/v1/pod/capi-controller-manager-1-2/manager/current.log\n\
            I0101 11:59:20.2 1 machine_controller.go:900] \"Drain not completed yet, requeuing in 20s\" podsFailedEviction=\"shop/db-0\" controllerKind=\"Machine\" Machine=\"magnum-system/kube-abcde-w1\"\n";
        let files = files(30, "Draining the node before deletion");
        check(ID, &format!("{files}{log}"), &[], "certain");
        check(ID, &files, &["log/capi-system"], "not checked");
        check(ID, &files, &[], "no");
    }

    #[test]
    fn the_first_minutes_and_other_waits_do_not_count() {
        check(ID, &files(57, BUDGET), &[], "no");
        let other = BUDGET.replace(
            "cannot evict pod as it would violate the pod''s disruption budget",
            "deletionTimestamp set",
        );
        check(ID, &files(30, &other), &[], "no");
    }

    #[test]
    fn without_the_machines_it_is_not_checked() {
        let (files, _) = files(30, BUDGET)
            .split_once("=== kubernetes")
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .unwrap();
        check(ID, &files, &["kubernetes/machine"], "not checked");
    }

    #[test]
    fn several_pods_of_one_line_are_read() {
        let text = "Drain not completed yet:\n* Pods a/x, b/y: cannot evict pod as it would violate the pod's disruption budget. The disruption budget p needs 2 healthy pods and has 2 currently";
        let blocked =
            Blocked { pods: vec!["a/x".to_owned(), "b/y".to_owned()], budgets: vec!["p".to_owned()] };
        assert_eq!(read(text), blocked);
    }
}
