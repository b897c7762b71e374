//! A controller that the cluster waits for has no ready replica.

use super::kit::{self, thing};
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::controller::Controller;
use crate::model::log;
use crate::model::seen::Unseen;
use crate::model::stage::{self, Stage};
use crate::model::waits::{self, Need};
use crate::model::{Message, Snapshot, Source, version};
use crate::report::{Evidence, Recovers, Risk};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "controller-down",
    title: "a controller that the cluster waits for does not run",
    during: Actions::ALL,
    stage: Stage::Controllers,
    explains: &["webhook-unreachable"],
    needs: &[
        "kubernetes/deployment",
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
        "log:cluster-api",
    ],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("let it run again")
                .run(&["kubectl -n {controller_namespace} scale {kind} {controller} --replicas=1"])
                .when("scaled"),
            Step::say("see why its pods are not ready")
                .run(&[
                    "kubectl -n {controller_namespace} get pods -o wide",
                    "kubectl -n {controller_namespace} describe {kind} {controller}",
                    "kubectl -n {controller_namespace} logs {kind}/{controller} --tail=50",
                ])
                .unless("scaled"),
            Step::say("read what it said before it ended")
                .run(&["kubectl -n {controller_namespace} logs {kind}/{controller} --previous --tail=200"])
                .unless("scaled"),
            Step::say("once the reason is gone, start it anew and wait for it")
                .run(&[
                    "kubectl -n {controller_namespace} rollout restart {kind} {controller}",
                    "kubectl -n {controller_namespace} rollout status {kind} {controller}",
                ])
                .unless("scaled"),
            Step::say(
                "once it runs, delete this cluster and create it again: a failed create is never taken up",
            )
            .run(&["openstack coe cluster delete {uuid}"])
            .when("create-failed"),
            Step::say("once it runs, ask Magnum for the same again: it does not repeat it by itself")
                .when("failed"),
        ],
    },
    values: &["controller_namespace", "controller", "kind"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

Every step of a cluster is made by one controller of the management cluster: Cluster API's own, the
two of kubeadm, CAPO for everything in OpenStack, and Magnum's conductor before and after. While one of
them has no ready replica, its steps are not made, for any cluster. Clusters that exist stand still
without a word; a new one fails loudly, because the controller's webhooks do not answer either.

### How it is recognised

The Deployment of a controller, found by its provider label, has no ready replica, and the stage that
this cluster is in is that controller's to go on with. If the cluster waits for somebody else it is
only likely; if it waits for nothing it is not a cause. Parts of the stage that were not read make it
likely as well.

### Sources

- kubernetes-sigs/cluster-api cmd/clusterctl (label cluster.x-k8s.io/provider)
- kubernetes-sigs/cluster-api-provider-openstack config/manager/manager.yaml, issue 2821
- openstack/magnum magnum/service/periodic.py (the conductor's status pass)
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let down = snapshot.controllers.iter().filter(|c| c.down());
    Ok(down.filter_map(|c| finding(snapshot, c)).collect())
}

fn finding(snapshot: &Snapshot<'_>, controller: &Controller<'_>) -> Option<Finding> {
    let need = waits::need(snapshot, controller.provider);
    if need == Need::Not {
        return None;
    }
    let (name, namespace) = (controller.name, controller.namespace);
    let kind = controller.kind.to_ascii_lowercase();
    let how = match controller.waiting() {
        _ if controller.wanted == 0 => "is scaled to 0 replicas".to_owned(),
        Some(waiting) => format!("has no ready replica ({waiting})"),
        None => "has no ready replica".to_owned(),
    };
    let whole = snapshot.unread(&waits::PARTS).is_empty();
    let mut finding = Finding::new(format!("{name} in namespace {namespace} {how}"))
        .likely_if(need == Need::Maybe || !whole)
        .says(part(snapshot, controller, need))
        .about(thing(controller.kind, name))
        .value("controller_namespace", namespace)
        .value("controller", name)
        .value("kind", kind.as_str());
    if controller.wanted == 0 {
        finding = finding.flag("scaled");
    }
    let place = format!("kubectl -n {namespace} get {kind} {name}");
    let words = format!("{} wanted, {} ready", controller.wanted, controller.ready);
    finding = finding.evidence(kit::seen(format!("{} {name}", controller.kind), place, words));
    for pod in controller.pods.iter().take(1) {
        if let Some(waiting) = controller.waiting() {
            let place = format!("kubectl -n {namespace} get pod {}", pod.name());
            finding = finding.evidence(kit::seen(format!("pod {}", pod.name()), place, waiting));
        }
    }
    if known_to_panic(controller) {
        finding = finding.says(
            "CAPO 0.11.0 to 0.12.1 is known to panic when the server of any machine was deleted in Nova: the log of its run before names the machine.",
        );
    }
    finding = last_words(snapshot, controller).into_iter().fold(finding, Finding::evidence);
    Some(ends(snapshot, finding))
}

/// True for a CAPO of 0.11.0 to 0.12.1 in a crash loop.
/// Source: kubernetes-sigs/cluster-api-provider-openstack issues 2404, 2523.
fn known_to_panic(controller: &Controller<'_>) -> bool {
    let version = controller.version.as_deref().unwrap_or_default();
    controller.provider == waits::CAPO
        && controller.waiting().is_some_and(|w| w.starts_with("CrashLoopBackOff"))
        && version::at_least(version, "0.11.0") == Some(true)
        && version::at_least(version, "0.12.2") == Some(false)
}

fn part(snapshot: &Snapshot<'_>, controller: &Controller<'_>, need: Need) -> String {
    let requested =
        |m: &Message| m.current() && matches!(m.source, Source::ClusterReason | Source::GroupReason(_));
    let asked = snapshot
        .said
        .messages
        .iter()
        .filter(|m| requested(m))
        .filter_map(|m| m.api.as_ref()?.webhook.as_ref());
    if asked.filter_map(waits::provider_of).any(|p| p == controller.provider) {
        return "What Magnum was asked for last failed at this controller's webhook.".to_owned();
    }
    match (stage::waiting(snapshot), need) {
        (Some(waiting), Need::Now) => {
            format!("This cluster waits for {}, and that is this controller's work.", waiting.what)
        }
        (None, Need::Now) => "A write for this cluster failed at this controller's webhook.".to_owned(),
        (Some(waiting), _) => format!(
            "This cluster waits for {}; whatever {} has to do in that is not done.",
            waiting.what, controller.name
        ),
        (None, _) => String::new(),
    }
}

fn ends(snapshot: &Snapshot<'_>, finding: Finding) -> Finding {
    if snapshot.status() == "CREATE_FAILED" && snapshot.kube.cluster().is_none() {
        return finding.flag("create-failed").recovers(
            Recovers::Never,
            "It does not end by itself: CREATE_FAILED is never looked at again, also once it runs.",
        );
    }
    if snapshot.status().ends_with("_FAILED") {
        let says = "Once it runs the controllers go on by themselves; what Magnum gave up has to be asked for again.";
        return finding.flag("failed").recovers(Recovers::AfterFix, says);
    }
    finding.recovers(Recovers::AfterFix, "Once it runs the cluster goes on by itself.")
}

/// When the controller last wrote to its log, and its complaint about itself.
fn last_words(snapshot: &Snapshot<'_>, controller: &Controller<'_>) -> Vec<Evidence> {
    let logs = snapshot.world.logs.iter().filter(|l| of(controller, &l.namespace, &l.pod) && !l.previous);
    let mut evidence = Vec::new();
    for log in logs {
        let records = log::records(&log.text, snapshot.taken_at);
        let source = format!("log of {}/{}", log.namespace, log.pod);
        let place = kit::logs(&format!("{}/{}", log.namespace, log.pod), "");
        let ago = |record: &log::Record| record.at.map(|at| kit::age(snapshot.age(at)));
        let fatal = records
            .iter()
            .rev()
            .find(|r| r.level == log::Level::Fatal || r.message.contains("problem running manager"));
        if let Some(fatal) = fatal {
            let error = fatal.error().map(|e| format!(": {e}")).unwrap_or_default();
            let when = ago(fatal).map(|age| format!(" ({age} ago)")).unwrap_or_default();
            evidence.push(kit::seen(format!("{source}{when}"), place, format!("{}{error}", fatal.message)));
        } else if let Some(age) = records.iter().rev().find_map(ago) {
            evidence.push(kit::seen(source, place, format!("the last record is {age} old")));
        }
    }
    evidence
}

/// True if the pod is the controller's.
pub(super) fn of(controller: &Controller<'_>, namespace: &str, pod: &str) -> bool {
    namespace == controller.namespace
        && pod.strip_prefix(controller.name).is_some_and(|rest| rest.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, report};

    const ID: &str = super::CAUSE.id;

    /// A Cluster whose OpenStackCluster is not there yet, and CAPO with that many replicas.
    pub(crate) fn files(wanted: u8, ready: u8) -> String {
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
spec: {{replicas: {wanted}}}
status: {{readyReplicas: {ready}}}
"#
        )
    }

    #[test]
    fn a_controller_that_the_stage_needs_is_certain() {
        check(ID, &files(1, 0), &[], "certain");
        check(ID, &files(0, 0), &[], "certain");
        check(ID, &files(1, 1), &[], "no");
    }

    #[test]
    fn one_that_was_scaled_down_is_to_be_scaled_up() {
        let lines = |wanted| {
            let report = report(&files(wanted, 0), &[]);
            report.causes[0].fix.steps.iter().flat_map(|s| s.run.clone()).collect::<Vec<_>>()
        };
        let up = "kubectl -n capo-system scale deployment capo-controller-manager --replicas=1";
        assert!(lines(0).iter().any(|l| l == up), "{:?}", lines(0));
        assert!(!lines(1).iter().any(|l| l == up), "{:?}", lines(1));
    }

    #[test]
    fn a_cluster_that_waits_for_nothing_is_not_its_victim() {
        let files = files(1, 0).replace("CREATE_IN_PROGRESS", "CREATE_FAILED");
        let gone = files.replace(
            "kind: Cluster\nmetadata: {name: kube-abcde,",
            "kind: Cluster\nmetadata: {name: kube-other,",
        );
        check(ID, &gone, &[], "no");
    }

    #[test]
    fn what_was_not_read_makes_it_likely_or_not_checked() {
        check(ID, &files(1, 0), &["kubernetes/openstackcluster"], "likely");
        let (no_deployment, _) = files(1, 0)
            .split_once("---\napiVersion: apps/v1")
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .unwrap();
        check(ID, &no_deployment, &["kubernetes/deployment"], "not checked");
    }
}
