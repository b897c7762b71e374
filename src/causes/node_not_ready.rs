//! A node has been not Ready for long, and nothing that can be read from outside says why.

use super::kit::{self, machine, thing};
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::condition::Status;
use crate::model::node::Node;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Condition, Snapshot};
use crate::report::{Recovers, Risk};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "node-not-ready",
    title: "a node of the cluster is not Ready",
    during: Actions::ALIVE,
    stage: Stage::Node,
    explains: &[],
    needs: &[
        "openstack/compute/servers",
        "kubernetes/machine",
        "kubernetes/openstackmachine",
        "kubernetes/openstackserver",
    ],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Reads,
        steps: &[
            Step::say("get a kubeconfig of the cluster itself and read what its nodes and system pods say")
                .run(&[
                    "openstack coe cluster config --dir . {cluster}",
                    "kubectl --kubeconfig config describe node {node}",
                    "kubectl --kubeconfig config -n kube-system get pods -o wide",
                ]),
            Step::say("read the server's console")
                .each("server", &["openstack console log show --lines 200 {each}"]),
            Step::say("on the server itself: journalctl -u kubelet, journalctl -u containerd"),
        ],
    },
    values: &["server", "node"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

A machine has become a node, and the node is not Ready: its network plugin or cloud controller does not
run, its kubelet or container runtime has stopped, or it has lost the API. A MachineHealthCheck replaces
such a node after 5 minutes if its group has more than one.

### How it is recognised

A joined machine whose server is ACTIVE has a NodeHealthy condition that is not True for more than 15
minutes, while Cluster API does reach the cluster. The reason is inside the cluster, so this is never
certain; every cause that is known to end in it goes before it.

### Sources

- kubernetes-sigs/cluster-api internal/controllers/machine (NodeHealthy)
- kubernetes-sigs/cluster-api internal/controllers/machinehealthcheck
";

/// Minutes that a node may need to become Ready.
const LIMIT: i64 = 15;

/// Reasons that tell of a lost connection to the API rather than of the node.
const BLIND: [&str; 3] = ["InspectionFailed", "NodeInspectionFailed", "ConnectionDown"];

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let ill: Vec<(&Node<'_>, Condition<'_>)> =
        snapshot.nodes.iter().filter_map(|n| Some((n, sick(snapshot, n)?))).collect();
    let Some((first, condition)) = ill.first() else { return Ok(Vec::new()) };
    let headline = match ill.as_slice() {
        [_] => format!("the node of {} is not Ready", machine::named(first)),
        several => format!("the nodes of {} machines are not Ready", several.len()),
    };
    let since = condition.since.map(|at| kit::age(snapshot.age(at))).unwrap_or_default();
    let mut finding = Finding::new(headline)
        .likely_if(true)
        .says(format!("It has been so for {since}; the reason is inside the cluster."))
        .recovers(Recovers::AfterFix, "It may come back once the reason is gone.")
        .value("node", first.machine.and_then(|m| m.str("status.nodeRef.name")).unwrap_or(first.name));
    for (node, condition) in &ill {
        finding = finding.about(thing("Machine", node.name));
        if let Some(id) = node.server_id() {
            finding = finding.about(thing("server", id)).value("server", id);
        }
        if finding.evidence.len() < 3 {
            let place = kit::kubectl_get(snapshot, "Machine", node.name);
            let words =
                format!("{} {}: {}", condition.status.word(), condition.reason, condition.message.trim());
            finding =
                finding.evidence(kit::seen(format!("Machine {}, NodeHealthy", node.name), place, words));
        }
    }
    Ok(vec![finding])
}

fn sick<'w>(snapshot: &Snapshot<'w>, node: &Node<'w>) -> Option<Condition<'w>> {
    let doc = node.machine.filter(|_| node.joined() && node.deleting().is_none())?;
    let runs = match node.nova {
        Some(server) => server.text("status") == "ACTIVE",
        None => !snapshot.cloud.servers.whole(),
    };
    let health =
        doc.condition("NodeHealthy").filter(|c| c.status != Status::True && !BLIND.contains(&c.reason))?;
    let long = health.since.is_some_and(|at| snapshot.age(at).as_mins() > LIMIT);
    (runs && long).then_some(health)
}

#[cfg(test)]
mod tests {
    use super::super::testing::check;

    const ID: &str = super::CAUSE.id;

    fn files(minute: u8, reason: &str, status: &str) -> String {
        format!(
            r#"=== kubernetes/objects.yaml
apiVersion: cluster.x-k8s.io/v1beta1
kind: Machine
metadata: {{name: kube-abcde-m1, namespace: magnum-system, labels: {{cluster.x-k8s.io/cluster-name: kube-abcde}}}}
spec: {{infrastructureRef: {{name: kube-abcde-m1-os}}}}
status:
  nodeRef: {{name: kube-abcde-m1}}
  conditions:
  - {{type: NodeHealthy, status: 'False', reason: {reason}, lastTransitionTime: '2026-01-01T11:{minute:02}:00Z', message: Kubelet stopped}}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: OpenStackMachine
metadata: {{name: kube-abcde-m1-os, namespace: magnum-system, labels: {{cluster.x-k8s.io/cluster-name: kube-abcde}}}}
spec: {{instanceID: 5e5e5e5e-0000-4000-8000-000000000001}}
=== openstack/compute/servers.json
{{"servers": [{{"id": "5e5e5e5e-0000-4000-8000-000000000001", "name": "kube-abcde-m1-os", "status": "{status}"}}]}}
"#
        )
    }

    #[test]
    fn a_node_that_is_ill_for_long_is_likely() {
        check(ID, &files(30, "NodeConditionsFailed", "ACTIVE"), &[], "likely");
        check(ID, &files(50, "NodeConditionsFailed", "ACTIVE"), &[], "no");
    }

    #[test]
    fn a_lost_connection_or_a_server_that_does_not_run_is_another_matter() {
        check(ID, &files(30, "ConnectionDown", "ACTIVE"), &[], "no");
        check(ID, &files(30, "NodeConditionsFailed", "SHUTOFF"), &[], "no");
    }

    #[test]
    fn without_the_machines_it_is_not_checked() {
        let cluster = "=== kubernetes/objects.yaml\napiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: kube-abcde, namespace: magnum-system}\n";
        check(ID, cluster, &["kubernetes/machine"], "not checked");
        check(ID, cluster, &[], "no");
    }
}
