//! The driver sets a field that the installed CAPO does not know.

use super::kit::{self, thing};
use super::{Cause, Finding, Fix, Look, Range, Step};
use crate::model::action::Actions;
use crate::model::condition::Status;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Message, Snapshot, version};
use crate::report::{Recovers, Risk};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "capo-too-old",
    title: "the installed CAPO is too old for the driver",
    during: Actions::ALIVE,
    stage: Stage::Topology,
    explains: &[],
    needs: &["kubernetes/cluster", "kubernetes/deployment", "log:cluster-api"],
    doc: DOC,
    affected: &[Range { of: "CAPO", from: "0.10.0", fixed: &["0.11.0"] }],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see which CAPO is installed, and which fields its kinds have").run(&[
                "clusterctl upgrade plan",
                "kubectl explain openstackmachinetemplate.spec.template.spec",
            ]),
            Step::say(
                "upgrade CAPO, with its CustomResourceDefinitions, to 0.11 or newer, or install a driver that fits it",
            ),
        ],
    },
    values: &[],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

The driver's ClusterClass sets fields that came with a newer CAPO. Cluster API then cannot write the
machines' templates, and says so in its own log alone; the Cluster never gets a control plane. Every
try leaves a MachineHealthCheck behind. Driver 0.38 needs CAPO 0.11 or newer.

### How it is recognised

Cluster API's log about this Cluster says that a field of an infrastructure object is \"field not declared
in schema\", and the topology has not been written since. If the installed CAPO is 0.11 or newer, or
its version was not read, it is likely: then the definitions may be older than the controller.

### Sources

- kubernetes-sigs/cluster-api-provider-openstack api/v1beta1/openstackmachine_types.go
- kubernetes-sigs/cluster-api internal/controllers/topology/cluster (server side apply)
- vexxhost/magnum-cluster-api src/features
";

const WORDS: &str = "field not declared in schema";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let topology = snapshot.kube.cluster().and_then(|c| c.condition("TopologyReconciled"));
    let written = topology.filter(|c| c.status == Status::True).and_then(|c| c.since);
    let said = |m: &&Message| {
        let passed = !m.state() && written.is_some_and(|at| at > m.last);
        m.current() && !m.weak && !passed && m.has(WORDS) && m.has("infrastructure.cluster.x-k8s.io")
    };
    let messages: Vec<&Message> = snapshot.said.messages.iter().filter(said).collect();
    let Some(first) = messages.first() else { return Ok(Vec::new()) };
    // Machines could not be there without their templates.
    if snapshot.nodes.iter().any(|n| n.machine.is_some()) {
        return Ok(Vec::new());
    }
    let field = field(&first.text).map(|f| format!(" {f}")).unwrap_or_default();
    let capo = snapshot.capo();
    let old = capo.and_then(|v| version::at_least(v, "0.11")) == Some(false);
    let which = capo.map_or_else(|| "the installed CAPO".to_owned(), |v| format!("CAPO {v}"));
    let mut finding = Finding::new(format!("the driver sets the field{field}, which {which} does not have"))
        .likely_if(!old)
        .about(thing("Cluster", snapshot.marks.stack_id.as_deref().unwrap_or_default()))
        .recovers(Recovers::AfterFix, "Once the field is known the cluster goes on by itself.");
    for evidence in kit::evidence_of(snapshot, &messages) {
        finding = finding.evidence(evidence);
    }
    Ok(vec![finding])
}

/// `.spec.template.spec.x` out of `…: .spec.template.spec.x: field not declared in schema`.
fn field(text: &str) -> Option<&str> {
    let (before, _) = text.split_once(": field not declared in schema")?;
    before.rsplit(' ').next().filter(|f| f.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::super::testing::check;

    const ID: &str = super::CAUSE.id;

    fn files(version: &str, cluster: &str) -> String {
        format!(
            r#"=== kubernetes/objects.yaml
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {{name: kube-abcde, namespace: magnum-system, creationTimestamp: '2026-01-01T11:40:00Z'}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: capo-controller-manager, namespace: capo-system, labels: {{cluster.x-k8s.io/provider: infrastructure-openstack}}}}
spec: {{template: {{spec: {{containers: [{{image: 'example.org/capo:v{version}'}}]}}}}}}
status: {{readyReplicas: 1}}
=== kubernetes/namespaces/capi-system/v1/pod/capi-controller-manager-1-2/manager/current.log
E0101 11:58:51.049611 1 reconcile_state.go:1253] "Failed to create object" err="failed to create typed patch object (magnum-system/{cluster}-zk94l; infrastructure.cluster.x-k8s.io/v1beta1, Kind=OpenStackMachineTemplate): .spec.template.spec.schedulerHintAdditionalProperties: field not declared in schema" controller="topology/cluster" controllerKind="Cluster" Cluster="magnum-system/{cluster}" namespace="magnum-system" name="{cluster}"
"#
        )
    }

    #[test]
    fn an_old_capo_is_certain_and_a_new_one_likely() {
        check(ID, &files("0.10.8", "kube-abcde"), &[], "certain");
        check(ID, &files("0.14.7", "kube-abcde"), &[], "likely");
    }

    #[test]
    fn another_clusters_log_is_none() {
        check(ID, &files("0.10.8", "kube-other"), &[], "no");
    }

    #[test]
    fn without_the_log_it_is_not_checked() {
        let files = files("0.10.8", "kube-abcde");
        let (files, _) = files.split_once("=== kubernetes/namespaces").unwrap();
        check(ID, files, &["log/capi-system"], "not checked");
    }
}
