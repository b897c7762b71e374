//! A webhook of a Cluster API provider does not answer.

use std::collections::BTreeMap;

use super::kit::{self, thing};
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::api_error::Failing;
use crate::model::condition::Status;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Message, Snapshot, waits};
use crate::report::{Recovers, Risk};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "webhook-unreachable",
    title: "a webhook of the management cluster does not answer",
    during: Actions::ALL,
    stage: Stage::Topology,
    explains: &[],
    needs: &[
        "openstack/container-infra/clusters",
        "openstack/container-infra/nodegroups",
        "kubernetes/cluster",
        "kubernetes/kubeadmcontrolplane",
        "kubernetes/machinedeployment",
        "kubernetes/machineset",
        "log:cluster-api",
        "log:control-plane-kubeadm",
        "log:magnum-conductor",
    ],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see whether the controller behind it runs, and whether its Service has endpoints").each("namespace_of", &[
                "kubectl -n {each} get deployments,pods",
                "kubectl -n {each} get services,endpointslices",
            ]),
            Step::say("see that its certificate is there and valid (cert-manager makes it)")
                .each("namespace_of", &["kubectl -n {each} get certificates,secrets"])
                .when("tls"),
            Step::say("start the controller anew if it hangs")
                .each("namespace_of", &["kubectl -n {each} rollout restart deployment {controller}"]),
            Step::say("once the webhook answers, delete the cluster and create it again: a failed create is never taken up")
                .run(&["openstack coe cluster delete {uuid}"])
                .when("create-failed"),
            Step::say("once the webhook answers, ask Magnum for the same again: it does not repeat it by itself")
                .when("failed"),
        ],
    },
    values: &["namespace_of", "controller"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

Every write of a Cluster API object is first shown to the webhook of the provider that owns its kind.
If the webhook does not answer, the API server refuses the write. The driver writes templates at every
create and upgrade, so Magnum then says CREATE_FAILED or UPDATE_FAILED at once; if only Cluster API's
own write is refused, the Cluster stands still and its TopologyReconciled condition tells why.

### How it is recognised

A current message holds \"failed calling webhook …\" with a connection that was refused or timed out, a
certificate that was not accepted, or a Service without endpoints. A webhook that answered and said no
is another matter. The end of the webhook's name tells whose it is: infrastructure is CAPO's,
controlplane and bootstrap are kubeadm's, the rest is Cluster API's own.

### Sources

- kubernetes/kubernetes staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook
- kubernetes-sigs/cluster-api and cluster-api-provider-openstack config/webhook
- kubernetes-sigs/cluster-api issues 2642, 13264
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let mut by_provider: BTreeMap<&'static str, Vec<&Message>> = BTreeMap::new();
    for message in snapshot.said.messages.iter().filter(|m| m.current() && !passed(snapshot, m)) {
        let webhook = message.api.as_ref().and_then(|a| a.webhook.as_ref()).filter(|w| !w.denied);
        if let Some(provider) = webhook.and_then(waits::provider_of) {
            by_provider.entry(provider).or_default().push(message);
        }
    }
    Ok(by_provider.iter().filter_map(|(provider, messages)| finding(snapshot, provider, messages)).collect())
}

/// True if the topology has been written since.
fn passed(snapshot: &Snapshot<'_>, message: &Message) -> bool {
    let topology = snapshot.kube.cluster().and_then(|c| c.condition("TopologyReconciled"));
    let written = topology.filter(|c| c.status == Status::True).and_then(|c| c.since);
    !message.state() && written.is_some_and(|at| at > message.last)
}

fn finding(snapshot: &Snapshot<'_>, provider: &str, messages: &[&Message]) -> Option<Finding> {
    let first = messages.iter().find(|m| m.state()).or_else(|| messages.first())?;
    let api = first.api.as_ref()?;
    let name = &api.webhook.as_ref()?.name;
    let controller = snapshot.controllers.iter().find(|c| c.provider == provider);
    let (namespace, manager) = controller.map_or_else(|| waits::usual(provider), |c| (c.namespace, c.name));
    let headline = format!("webhook {name} of {manager} {}", how(&api.failing));
    let mut finding = Finding::new(headline)
        .likely_if(messages.iter().all(|m| m.weak))
        .about(thing("webhook", name))
        .about(thing("Deployment", manager))
        .value("namespace_of", namespace)
        .value("controller", manager);
    if api.failing == Failing::Tls {
        finding = finding.flag("tls");
    }
    finding = match controller {
        Some(c) if c.down() => {
            finding.says(format!("{manager} in namespace {namespace} has no ready replica."))
        }
        Some(_) => finding.says(format!("{manager} in namespace {namespace} is ready by now.")),
        None => finding,
    };
    for evidence in kit::evidence_of(snapshot, messages) {
        finding = finding.evidence(evidence);
    }
    Some(ends(snapshot, messages, finding))
}

fn how(failing: &Failing) -> &'static str {
    match failing {
        Failing::Refused => "does not answer: connection refused",
        Failing::TimedOut => "does not answer in time",
        Failing::NoEndpoints => "does not answer: its Service has no endpoints",
        Failing::Tls => "does not answer with a certificate that the API server accepts",
        Failing::Dns => "does not answer: its name is not known",
        Failing::Closed => "breaks the connection off",
        Failing::Unreachable => "cannot be reached",
        Failing::Http(_) => "does not answer as it should",
    }
}

fn ends(snapshot: &Snapshot<'_>, messages: &[&Message], finding: Finding) -> Finding {
    use crate::model::Source;
    let requested =
        messages.iter().any(|m| matches!(m.source, Source::ClusterReason | Source::GroupReason(_)));
    match snapshot.status() {
        "CREATE_FAILED" if requested => finding.flag("create-failed").recovers(
            Recovers::Never,
            "It does not end by itself: CREATE_FAILED is never looked at again, also when the webhook answers.",
        ),
        _ if requested => finding.flag("failed").recovers(
            Recovers::AfterFix,
            "Magnum gave the request up and does not repeat it: ask again once the webhook answers.",
        ),
        _ => finding.recovers(Recovers::AfterFix, "Once the webhook answers the cluster goes on by itself."),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, report};

    const ID: &str = super::CAUSE.id;

    const WEBHOOK: &str = "validation.openstackcluster.infrastructure.cluster.x-k8s.io";

    fn waiting(ending: &str) -> String {
        format!(
            r#"=== openstack/container-infra/clusters.json
{{"clusters": [{{"uuid": "11111111-2222-4333-8444-555555555555", "name": "web", "stack_id": "kube-abcde",
 "project_id": "p1", "status": "CREATE_IN_PROGRESS", "created_at": "2026-01-01T11:59:00Z"}}]}}
=== kubernetes/objects.yaml
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {{name: kube-abcde, namespace: magnum-system, creationTimestamp: '2026-01-01T11:59:10Z'}}
status:
  conditions:
  - type: TopologyReconciled
    status: 'False'
    severity: Error
    reason: TopologyReconcileFailed
    lastTransitionTime: '2026-01-01T11:59:12Z'
    message: 'error reconciling the Cluster topology: failed calling webhook "{WEBHOOK}": {ending}'
"#
        )
    }

    const REFUSED: &str = "failed to call webhook: Post \"https://capo-webhook-service.capo-system.svc:443/validate?timeout=10s\": dial tcp 10.96.0.9:443: connect: connection refused";

    #[test]
    fn a_condition_that_tells_it_is_certain() {
        check(ID, &waiting(REFUSED), &[], "certain");
        let none = "failed to call webhook: Post \"https://capo-webhook-service.capo-system.svc:443/validate?timeout=10s\": no endpoints available for service \"capo-webhook-service\"";
        check(ID, &waiting(none), &[], "certain");
    }

    #[test]
    fn it_names_the_webhook_and_its_controller() {
        let says = &report(&waiting(REFUSED), &[]).causes[0].says[0].clone();
        assert!(says.contains(WEBHOOK) && says.contains("capo-controller-manager"), "{says}");
    }

    #[test]
    fn a_webhook_that_said_no_has_answered() {
        let files = waiting("x").replace("failed calling webhook", "admission webhook");
        let denied = files.replace(": x'", " denied the request: spec.foo: Required value'");
        check(ID, &denied, &[], "no");
    }

    #[test]
    fn a_failed_create_is_to_be_made_anew() {
        let reason = format!(
            "ApiError: Internal error occurred: failed calling webhook \\\"{WEBHOOK}\\\": {}",
            REFUSED.replace('"', "\\\"")
        );
        let row = format!("\"status\": \"CREATE_FAILED\", \"status_reason\": \"{reason}\"");
        let files = waiting("x").replace("\"status\": \"CREATE_IN_PROGRESS\"", &row);
        let (files, _) = files.split_once("=== kubernetes").unwrap();
        check(ID, files, &[], "certain");
        let report = report(files, &[]);
        let lines: Vec<&String> = report.causes[0].fix.steps.iter().flat_map(|s| &s.run).collect();
        assert!(lines.iter().any(|l| l.starts_with("openstack coe cluster delete 11111111-")), "{lines:?}");
    }

    #[test]
    fn without_the_cluster_object_it_is_not_checked() {
        let (files, _) =
            waiting(REFUSED).split_once("=== kubernetes").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        check(ID, &files, &["kubernetes/cluster"], "not checked");
        check(ID, &files, &[], "no");
    }
}
