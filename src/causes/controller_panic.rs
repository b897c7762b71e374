//! A controller panics.

use super::kit::{self, thing};
use super::{Cause, Finding, Fix, Look, Range, Step, controller_down};
use crate::model::action::Actions;
use crate::model::controller::Controller;
use crate::model::current::FRESH;
use crate::model::said::Spoken;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::waits::{self, CAPO, Need};
use crate::model::{Snapshot, version};
use crate::report::{Recovers, Risk};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "controller-panic",
    title: "a controller panics on one object and stands still for every cluster",
    during: Actions::ALL,
    stage: Stage::Controllers,
    explains: &["controller-down", "webhook-unreachable"],
    needs: &[
        "kubernetes/deployment",
        "kubernetes/pod",
        "kubernetes/cluster",
        "kubernetes/openstackcluster",
        "kubernetes/kubeadmcontrolplane",
        "kubernetes/machinedeployment",
        "kubernetes/machine",
        "kubernetes/openstackmachine",
        "kubernetes/openstackserver",
        "kubernetes/kubeadmconfig",
        "openstack/container-infra/clusters",
        "openstack/load-balancer/loadbalancers",
        "log:infrastructure-openstack",
        "log:cluster-api",
        "log:control-plane-kubeadm",
        "log:bootstrap-kubeadm",
    ],
    doc: DOC,
    affected: &[Range { of: "CAPO", from: "0.11.0", fixed: &["0.12.2"] }],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("read the panic and the object that it is about")
                .run(&["kubectl -n {pod_namespace} logs {pod} --previous | grep -A20 'Observed a panic'"]),
            Step::say("see whether the server of that machine still exists")
                .run(&["kubectl -n {namespace} get openstackmachine {culprit} -o yaml"])
                .when("machine"),
            Step::say(
                "if its server is gone, delete its Machine: its cluster makes another one (never the only machine of a control plane that is up; another cluster's only in agreement with its owner)",
            )
            .each("machine", &["kubectl -n {namespace} delete machine {each}"])
            .when("delete"),
            Step::say("for good, upgrade CAPO to 0.12.2 or newer").run(&["clusterctl upgrade plan"]).when("capo"),
            Step::say("look for the panic in the controller's issues, and upgrade it or take the object out of its way")
                .unless("capo"),
            Step::say("delete this cluster and create it again once the controller runs: a failed create is never taken up")
                .run(&["openstack coe cluster delete {uuid}"])
                .when("create-failed"),
        ],
    },
    values: &["pod_namespace", "pod", "culprit", "machine"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

A controller comes upon an object that its program has not reckoned with, and panics. Older ones end
there and start again, a few seconds later the same object ends them again, and so on with ever longer
pauses: no cluster goes on, and the controller's webhooks do not answer, so that new creates fail.
Newer ones catch the panic, and only that one object stands still.

CAPO 0.11.0 to 0.12.1 does so when a server was deleted in Nova behind its back.

### How it is recognised

The log of a controller, of its present or its previous run, holds \"Observed a panic\" (at level I, not
E) or the trace itself, not longer ago than its longest pause. The object's key in that line names the
culprit, which may be another cluster's. It is certain for this cluster if the controller is down and
the cluster's stage waits for it, or if the culprit is its own.

### Sources

- kubernetes-sigs/controller-runtime pkg/internal/controller/controller.go
- kubernetes-sigs/cluster-api-provider-openstack issues 2404, 2523 (nil pointer in NetworkStatus)
- vexxhost/magnum-cluster-api issue 791
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let mut findings = Vec::new();
    for controller in &snapshot.controllers {
        let Some(panic) = last_panic(snapshot, controller) else { continue };
        findings.extend(finding(snapshot, controller, panic));
    }
    Ok(findings)
}

/// The newest panic of the controller that names an object, else the newest one.
fn last_panic<'a>(snapshot: &'a Snapshot<'_>, controller: &Controller<'_>) -> Option<&'a Spoken> {
    let panics = snapshot.said.records.iter().filter(|s| {
        let (namespace, pod) = s.pod.split_once('/').unwrap_or(("", &s.pod));
        let fresh = s.record.at.is_none_or(|at| snapshot.age(at) <= FRESH);
        s.record.is_panic() && fresh && controller_down::of(controller, namespace, pod)
    });
    panics.max_by_key(|s| (culprit(s).is_some(), s.record.at, !s.previous))
}

/// The object that the controller worked on when it panicked.
fn culprit(spoken: &Spoken) -> Option<(String, String)> {
    let objects = spoken.record.objects();
    let own = spoken.record.get("controllerKind");
    let found = objects.iter().find(|(kind, _)| Some(*kind) == own).or_else(|| objects.first())?;
    Some((found.0.to_owned(), found.1.to_owned()))
}

fn finding(snapshot: &Snapshot<'_>, controller: &Controller<'_>, panic: &Spoken) -> Option<Finding> {
    let culprit = culprit(panic);
    let own = culprit.as_ref().is_some_and(|(_, name)| is_own(snapshot, name));
    let need = waits::need(snapshot, controller.provider);
    // A controller that is ready has caught the panic: then only the culprit stands still.
    if !own && (need == Need::Not || !controller.down()) {
        return None;
    }
    let whole = snapshot.unread(&waits::PARTS).is_empty();
    let certain = if controller.down() { own || (need == Need::Now && whole) } else { !panic.previous };
    let version = controller.version.as_deref().map(|v| format!(" {v}")).unwrap_or_default();
    let on = match &culprit {
        Some((kind, name)) if own => format!("panics on {kind} {name} of this cluster"),
        Some((kind, name)) => format!("panics on {kind} {name}, which is another cluster's"),
        None => "panics".to_owned(),
    };
    let mut finding = Finding::new(format!("{}{version} {on}", controller.name))
        .likely_if(!certain)
        .shared()
        .about(thing(controller.kind, controller.name));
    if let Some(waiting) = controller.waiting() {
        finding =
            finding.says(format!("It starts again and again ({waiting}), and does nothing for any cluster."));
    }
    finding = evidence(snapshot, controller, panic, finding);
    let (namespace, pod) = panic.pod.split_once('/').unwrap_or(("", &panic.pod));
    finding = finding.value("pod_namespace", namespace).value("pod", pod);
    if let Some((kind, name)) = &culprit {
        finding = finding.about(thing(kind, name)).value("culprit", name.as_str());
        if kind == "OpenStackMachine" {
            finding = finding.flag("machine");
            if let Some(machine) = deletable(snapshot, own, name) {
                finding = finding.flag("delete").value("machine", machine);
                finding.risk = Some(Risk::Deletes);
            }
        }
    }
    if known(controller, panic) {
        finding = finding.flag("capo").says(
            "CAPO 0.11.0 to 0.12.1 panics when the server of a machine was deleted in Nova; 0.12.2 does not.",
        );
    }
    Some(ends(snapshot, finding))
}

/// The Machine of an OpenStackMachine that may be deleted: its own cluster's if that does not
/// cost the control plane, another cluster's by the name that both have.
fn deletable<'a>(snapshot: &'a Snapshot<'_>, own: bool, culprit: &'a str) -> Option<&'a str> {
    if !own {
        return Some(culprit);
    }
    let node = kit::node_of(snapshot, culprit)?;
    (!kit::machine::keeps_the_control_plane(snapshot, node)).then_some(node.name)
}

fn is_own(snapshot: &Snapshot<'_>, name: &str) -> bool {
    snapshot.marks.names(name) || snapshot.kube.all().any(|d| d.name() == name)
}

/// True for the nil pointer of CAPO 0.11.0 to 0.12.1: an OpenStackMachine, in those releases.
fn known(controller: &Controller<'_>, panic: &Spoken) -> bool {
    let version = controller.version.as_deref().unwrap_or_default();
    let in_range = version::at_least(version, "0.11.0") == Some(true)
        && version::at_least(version, "0.12.2") == Some(false);
    controller.provider == CAPO
        && in_range
        && panic.record.text.contains("nil pointer")
        && culprit(panic).is_some_and(|(kind, _)| kind == "OpenStackMachine")
}

fn evidence(
    snapshot: &Snapshot<'_>,
    controller: &Controller<'_>,
    panic: &Spoken,
    finding: Finding,
) -> Finding {
    let run = if panic.previous { " of the run before" } else { "" };
    let ago = panic.record.at.map(|at| format!(" ({} ago)", kit::age(snapshot.age(at)))).unwrap_or_default();
    let words = panic.record.message.lines().next().unwrap_or_default().to_owned();
    let words = match culprit(panic) {
        Some((kind, name)) => format!("{words}, {kind} {name}"),
        None => words,
    };
    let previous = if panic.previous { " --previous" } else { "" };
    let place = format!("{}{previous}", kit::logs(&panic.pod, ""));
    let finding = finding.evidence(kit::seen(format!("log of {}{run}{ago}", panic.pod), place, words));
    match controller.waiting() {
        Some(waiting) => {
            let place = format!("kubectl -n {} get pods", controller.namespace);
            finding.evidence(kit::seen(format!("pod of {}", controller.name), place, waiting))
        }
        None => finding,
    }
}

fn ends(snapshot: &Snapshot<'_>, finding: Finding) -> Finding {
    if snapshot.status() == "CREATE_FAILED" {
        return finding.flag("create-failed").recovers(
            Recovers::Never,
            "The controller goes on panicking until the object is out of its way, and CREATE_FAILED is never looked at again.",
        );
    }
    finding.recovers(
        Recovers::AfterFix,
        "It does not end by itself: every new start meets the same object. Without it the cluster goes on.",
    )
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, report};

    const ID: &str = super::CAUSE.id;

    /// CAPO panicked on that OpenStackMachine; the cluster waits for its OpenStackCluster.
    fn files(machine: &str, ready: u8, version: &str) -> String {
        format!(
            r#"=== openstack/container-infra/clusters.json
{{"clusters": [{{"uuid": "11111111-2222-4333-8444-555555555555", "name": "web", "stack_id": "kube-abcde",
 "project_id": "p1", "status": "CREATE_IN_PROGRESS", "created_at": "2026-01-01T11:59:00Z"}}]}}
=== kubernetes/objects.yaml
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {{name: kube-abcde, namespace: magnum-system, creationTimestamp: '2026-01-01T11:59:10Z'}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: capo-controller-manager, namespace: capo-system, labels: {{cluster.x-k8s.io/provider: infrastructure-openstack}}}}
spec: {{replicas: 1, template: {{spec: {{containers: [{{name: manager, image: 'example.org/capo:v{version}'}}]}}}}}}
status: {{readyReplicas: {ready}}}
=== kubernetes/namespaces/capo-system/v1/pod/capo-controller-manager-1-2/manager/previous.log
I0101 11:59:40.937478 1 controller.go:110] "Observed a panic in reconciler: runtime error: invalid memory address or nil pointer dereference" controller="openstackmachine" controllerKind="OpenStackMachine" OpenStackMachine="magnum-system/{machine}" namespace="magnum-system" name="{machine}"
"#
        )
    }

    #[test]
    fn another_clusters_object_is_certain_while_this_one_waits_for_the_controller() {
        check(ID, &files("kube-other-m1", 0, "0.11.8"), &[], "certain");
        let says = report(&files("kube-other-m1", 0, "0.11.8"), &[]).causes[0].says.join(" ");
        assert!(
            says.contains("kube-other-m1, which is another cluster's") && says.contains("0.12.2"),
            "{says}"
        );
    }

    #[test]
    fn a_newer_capo_is_not_said_to_have_that_fault() {
        let says = report(&files("kube-other-m1", 0, "0.14.7"), &[]).causes[0].says.join(" ");
        assert!(!says.contains("0.12.2"), "{says}");
    }

    #[test]
    fn a_controller_that_is_ready_stands_still_for_its_culprit_alone() {
        check(ID, &files("kube-other-m1", 1, "0.14.7"), &[], "no");
        let own = files("kube-abcde-m1", 1, "0.14.7");
        check(ID, &own, &[], "likely");
        check(ID, &own.replace("previous.log", "current.log"), &[], "certain");
    }

    #[test]
    fn an_old_panic_is_history() {
        check(ID, &files("kube-other-m1", 0, "0.11.8").replace("0101 11:59", "0101 10:59"), &[], "no");
    }

    #[test]
    fn without_the_log_it_is_not_checked() {
        let files = files("kube-other-m1", 0, "0.11.8");
        let (files, _) = files.split_once("=== kubernetes/namespaces").unwrap();
        check(ID, files, &["log/capo-system"], "not checked");
    }
}
