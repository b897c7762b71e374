//! Add-ons do not get into the cluster.

use super::kit::{self, thing};
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::condition::Status;
use crate::model::node::Node;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Doc, Message, Snapshot, Source};
use crate::report::{Recovers, Risk};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "addons-not-applied",
    title: "the add-ons (network, cloud controller) cannot be applied to the cluster",
    during: Actions::ALIVE,
    stage: Stage::Addons,
    explains: &["node-not-ready"],
    needs: &["kubernetes/clusterresourceset", "kubernetes/kubeadmcontrolplane", "kubernetes/machine"],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("read which resource is refused, and look at it").each("set", &[
                "kubectl -n {namespace} get clusterresourceset {each} -o yaml",
                "kubectl -n {namespace} get clusterresourcesetbinding {stack_id} -o yaml",
            ]),
            Step::say("mend the resource that the message names; the add-ons must fit the cluster's Kubernetes version. It is then applied again by itself"),
            Step::say("then, in the cluster itself, see that the cloud controller and the network run").run(&[
                "openstack coe cluster config --dir . {cluster}",
                "kubectl --kubeconfig config -n kube-system get pods -o wide",
                "kubectl --kubeconfig config -n kube-system logs daemonset/openstack-cloud-controller-manager --tail=50",
            ]),
        ],
    },
    values: &["set"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

The driver brings the network plugin, the cloud controller and the storage plugin into a new cluster as
ClusterResourceSets. If one cannot be applied, the nodes come and stay NotReady: without the cloud
controller they keep the taint node.cloudprovider.kubernetes.io/uninitialized, without the network their
container runtime has no network. Taking the taint off by hand mends nothing.

### How it is recognised

A ClusterResourceSet of the cluster says ResourcesApplied False although the control plane is up (before
that every cluster says so), for another reason than a lost connection. It is certain if a node of the
cluster is not well at the same time, and likely if none is.

### Sources

- kubernetes-sigs/cluster-api internal/controllers/clusterresourceset
- vexxhost/magnum-cluster-api issues 123, 406; kubernetes-sigs/cluster-api issue 9151
";

/// Reasons of a lost connection, which is another matter.
const CONNECTION: [&str; 3] =
    ["RemoteClusterClientFailed", "ClusterResourceSetRemoteClusterClientFailed", "InternalError"];

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let said = |m: &&Message| {
        let refused = matches!(&m.source, Source::Condition(kind, ..) if kind == "ResourcesApplied");
        m.current() && refused && m.kind == "ClusterResourceSet" && !CONNECTION.contains(&m.reason.as_str())
    };
    let messages: Vec<&Message> = snapshot.said.messages.iter().filter(said).collect();
    let Some(first) = messages.first() else { return Ok(Vec::new()) };
    if snapshot.initialised() != Some(true) {
        return Ok(Vec::new());
    }
    let ill: Vec<&Node<'_>> = snapshot.nodes.iter().filter(|n| sick(n).is_some()).collect();
    let why = first.text.lines().next().unwrap_or_default().trim();
    // What Cluster API puts before each such message is what the headline says already.
    let why = why.trim_start_matches("Failed to apply ClusterResourceSet resources to Cluster: ");
    let mut finding =
        Finding::new(format!("ClusterResourceSet {} cannot be applied to the cluster: {why}", first.name))
            .likely_if(ill.is_empty())
            .recovers(
                Recovers::AfterFix,
                "Once the resource is mended Cluster API applies it by itself, and the nodes become Ready.",
            );
    for message in &messages {
        finding = finding.about(kit::subject(message)).value("set", message.name.as_str());
    }
    for evidence in kit::evidence_of(snapshot, &messages) {
        finding = finding.evidence(evidence);
    }
    if let Some((node, text)) = ill.first().and_then(|n| Some((n, sick(n)?))) {
        let count = kit::plural(ill.len(), "node has", "nodes have");
        finding = finding.says(format!("{count} joined and cannot become Ready without the add-ons."));
        let place = kit::kubectl_get(snapshot, "Machine", node.name);
        finding = finding.evidence(kit::seen(format!("Machine {}, NodeHealthy", node.name), place, text));
    }
    for node in &ill {
        finding = finding.about(thing("Machine", node.name));
    }
    if let Some(tainted) = snapshot.world.workload.iter().copied().find_map(tainted) {
        let place = format!("kubectl --kubeconfig config get node {tainted} -o yaml");
        let words = "taint node.cloudprovider.kubernetes.io/uninitialized";
        finding = finding.evidence(kit::seen(format!("node {tainted} of the cluster"), place, words));
    }
    Ok(vec![finding])
}

/// What is wrong with the node of a machine that has joined.
fn sick<'w>(node: &Node<'w>) -> Option<&'w str> {
    let health =
        node.machine.filter(|_| node.joined() && node.deleting().is_none())?.condition("NodeHealthy")?;
    (health.status != Status::True).then_some(health.message)
}

/// A node that still waits for the cloud controller.
fn tainted<'w>(doc: Doc<'w>) -> Option<&'w str> {
    let waits = |n: &Doc<'_>| {
        n.list("spec.taints").any(|t| t.text("key") == "node.cloudprovider.kubernetes.io/uninitialized")
    };
    doc.list("items").chain([doc]).find(waits).map(Doc::name)
}

#[cfg(test)]
mod tests {
    use super::super::testing::check;

    const ID: &str = super::CAUSE.id;

    fn files(up: &str, healthy: &str, reason: &str) -> String {
        format!(
            r#"=== openstack/container-infra/clusters.json
{{"clusters": [{{"uuid": "11111111-2222-4333-8444-555555555555", "name": "web", "stack_id": "kube-abcde",
 "project_id": "p1", "status": "CREATE_IN_PROGRESS", "created_at": "2026-01-01T11:30:00Z"}}]}}
=== kubernetes/objects.yaml
apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: KubeadmControlPlane
metadata: {{name: kube-abcde-cp, namespace: magnum-system, labels: {{cluster.x-k8s.io/cluster-name: kube-abcde}}}}
status: {{initialized: {up}, conditions: [{{type: Available, status: '{up}'}}]}}
---
apiVersion: cluster.x-k8s.io/v1beta1
kind: Machine
metadata: {{name: kube-abcde-m1, namespace: magnum-system, labels: {{cluster.x-k8s.io/cluster-name: kube-abcde}}}}
status:
  nodeRef: {{name: kube-abcde-m1}}
  conditions:
  - {{type: NodeHealthy, status: '{healthy}', severity: Warning, reason: NodeConditionsFailed, message: cni plugin not initialized}}
---
apiVersion: addons.cluster.x-k8s.io/v1beta1
kind: ClusterResourceSet
metadata: {{name: kube-abcde, namespace: magnum-system}}
status:
  conditions:
  - {{type: ResourcesApplied, status: 'False', severity: Warning, reason: {reason}, message: unable to decode}}
"#
        )
    }

    #[test]
    fn a_refused_resource_is_certain_while_nodes_are_ill() {
        check(ID, &files("true", "False", "ApplyFailed"), &[], "certain");
        check(ID, &files("true", "True", "ApplyFailed"), &[], "likely");
    }

    #[test]
    fn before_the_control_plane_is_up_every_cluster_says_so() {
        check(ID, &files("false", "False", "ApplyFailed"), &[], "no");
    }

    #[test]
    fn a_lost_connection_is_another_matter() {
        check(ID, &files("true", "False", "RemoteClusterClientFailed"), &[], "no");
    }

    #[test]
    fn without_the_sets_it_is_not_checked() {
        let files = files("true", "False", "ApplyFailed");
        let (files, _) = files.split_once("---\napiVersion: addons").unwrap();
        check(ID, files, &["kubernetes/clusterresourceset"], "not checked");
        check(ID, files, &[], "no");
    }
}
