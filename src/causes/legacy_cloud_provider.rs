//! Add-ons of an old driver wait for files that new nodes do not have.

use super::kit::{self, thing};
use super::{Cause, Finding, Fix, Look, Range, Step};
use crate::model::action::Actions;
use crate::model::condition::Status;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Doc, Snapshot};
use crate::report::{Recovers, Risk};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "legacy-cloud-provider",
    title: "add-ons of an older driver wait for files that new nodes do not have",
    during: Actions::ALIVE,
    stage: Stage::Addons,
    explains: &["addons-not-applied", "node-not-ready"],
    needs: &["kubernetes/machine"],
    doc: DOC,
    affected: &[Range { of: "magnum-cluster-api", from: "0.23.0", fixed: &["0.30.0"] }],
    fix: Fix {
        risk: Risk::Deletes,
        steps: &[
            Step::say("upgrade the driver to 0.30.0 or newer and ask Magnum for the upgrade again: it takes the old objects away and applies new ones"),
            Step::say("or by hand: get a kubeconfig of the cluster itself, and see which objects still mount these files").run(&[
                "openstack coe cluster config --dir . {cluster}",
                "kubectl --kubeconfig config -n kube-system get daemonsets,deployments -o wide",
            ]),
            Step::say("there, delete the old ones; the ClusterResourceSet then applies the new ones").run(&[
                "kubectl --kubeconfig config -n kube-system delete daemonset openstack-cloud-controller-manager csi-cinder-nodeplugin",
                "kubectl --kubeconfig config -n kube-system delete deployment csi-cinder-controllerplugin",
            ]),
        ],
    },
    values: &[],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

Up to 0.22 the driver wrote /etc/kubernetes/cloud.conf and cloud_ca.crt onto every node, and the cloud
controller and the Cinder plugin mounted them from there. From 0.23 on the settings are in a Secret, and
new nodes have no such files. Where the old DaemonSets and Deployments are still in the cluster, their
pods do not start on new nodes: the first new control plane node keeps the taint
node.cloudprovider.kubernetes.io/uninitialized, and the roll-out stops there. It is neither Cinder's nor
Keystone's fault.

### How it is recognised

An event of a pod inside the cluster says \"hostPath type check failed\" for one of these files. Such
events are not in the management cluster: they are seen only if they were added to the bundle under
workload/.

### Sources

- vexxhost/magnum-cluster-api issue 580, pull requests 604, 617, 648
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let docs = snapshot.world.workload.iter();
    let events: Vec<Doc<'_>> = docs.flat_map(|d| d.list("items").chain([*d])).filter(|e| waits(*e)).collect();
    // The cloud controller is what the roll-out waits for; the storage plugin only comes along.
    let cloud = events.iter().find(|e| pod(**e).contains("cloud-controller-manager"));
    let Some(first) = cloud.or(events.first()) else {
        // Only a cluster with nodes that are not well has a reason to be looked into.
        let ill = snapshot.nodes.iter().any(|n| {
            n.joined()
                && n.machine
                    .and_then(|m| m.condition("NodeHealthy"))
                    .is_some_and(|c| c.status == Status::False)
        });
        let blind = ill && snapshot.world.workload.is_empty();
        return if blind { Err(Unseen::part("workload/events")) } else { Ok(Vec::new()) };
    };
    let files: Vec<String> = FILES
        .iter()
        .filter(|f| events.iter().any(|e| text(*e).contains(*f)))
        .map(|f| (*f).to_owned())
        .collect();
    let headline = format!(
        "{} in the cluster waits for {}, which new nodes no longer have",
        pod(*first),
        kit::and(&files)
    );
    let mut finding = Finding::new(headline)
        .says("Add-ons of a driver before 0.23 are still in the cluster, and the cloud controller does not start on new nodes.")
        .recovers(Recovers::AfterFix, "Once the old objects are gone the new add-ons are applied and the roll-out goes on.");
    for event in events.iter().take(3) {
        let place =
            "kubectl --kubeconfig config -n kube-system get events --field-selector reason=FailedMount";
        finding = finding.evidence(kit::seen(
            format!("event of {} in the cluster", pod(*event)),
            place,
            text(*event),
        ));
    }
    for node in snapshot.nodes.iter().filter(|n| n.machine.is_some()) {
        finding = finding.about(thing("Machine", node.name));
    }
    Ok(vec![finding])
}

const FILES: [&str; 2] = ["/etc/kubernetes/cloud.conf", "/etc/kubernetes/cloud_ca.crt"];

fn text<'w>(event: Doc<'w>) -> &'w str {
    event.str("message").or_else(|| event.str("note")).unwrap_or_default()
}

fn waits(event: Doc<'_>) -> bool {
    text(event).contains("hostPath type check failed") && FILES.iter().any(|f| text(event).contains(f))
}

/// The pod of an event: an object, or already `Pod/name`.
fn pod(event: Doc<'_>) -> String {
    let name = event.str("involvedObject.name").or_else(|| event.str("regarding.name"));
    match name {
        Some(name) => format!("pod {name}"),
        None => format!("pod {}", event.text("involvedObject").trim_start_matches("Pod/")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::check;

    const ID: &str = super::CAUSE.id;

    fn machine(healthy: &str) -> String {
        format!(
            "=== kubernetes/objects.yaml\napiVersion: cluster.x-k8s.io/v1beta1\nkind: Machine\n\
             metadata: {{name: kube-abcde-m1, namespace: magnum-system, labels: {{cluster.x-k8s.io/cluster-name: kube-abcde}}}}\n\
             status: {{nodeRef: {{name: n}}, conditions: [{{type: NodeHealthy, status: '{healthy}'}}]}}\n"
        )
    }

    fn event(text: &str) -> String {
        format!(
            "=== workload/events.json\n{{\"items\": [{{\"involvedObject\": {{\"kind\": \"Pod\", \"name\": \"csi-1\"}}, \"reason\": \"FailedMount\", \"message\": \"{text}\"}}]}}\n"
        )
    }

    #[test]
    fn a_pod_that_waits_for_the_file_is_certain() {
        let text = "MountVolume.SetUp failed for volume x: hostPath type check failed: /etc/kubernetes/cloud.conf is not a file";
        check(ID, &format!("{}{}", machine("False"), event(text)), &[], "certain");
    }

    #[test]
    fn another_file_is_none() {
        let text = "MountVolume.SetUp failed for volume x: hostPath type check failed: /var/lib/app is not a directory";
        check(ID, &format!("{}{}", machine("False"), event(text)), &[], "no");
    }

    #[test]
    fn without_a_look_inside_it_is_not_checked_only_if_nodes_are_ill() {
        check(ID, &machine("False"), &[], "not checked");
        check(ID, &machine("True"), &[], "no");
    }
}
