//! Cluster API refuses a field of the Cluster.

use super::kit::denied::{self, Denied};
use super::kit::{self, refused};
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Message, Snapshot, Source};
use crate::report::{Recovers, Risk};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "invalid-cluster-field",
    title: "Cluster API refuses a field of the Cluster",
    during: Actions::ALIVE,
    stage: Stage::Topology,
    explains: &[],
    needs: &["openstack/container-infra/clusters", "kubernetes/cluster"],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("correct {origin}: it is what the refused field is written from").when("origin"),
            Step::say("use as kube_tag the full version of the image, with a v in front").when("version").run(&[
                "openstack image show {image}",
            ]),
            Step::say("see what the Cluster holds now")
                .run(&["kubectl -n {namespace} get cluster {stack_id} -o yaml"])
                .unless("create-failed"),
            Step::say("see whether a newer driver writes the field in another way: a condition of the Cluster says it again at every try")
                .when("condition"),
            refused::CREATE_AGAIN,
            refused::RESIZE_AGAIN,
            refused::GROUP_DELETE_AGAIN,
            refused::GROUP_CREATE_AGAIN,
        ],
    },
    values: &["origin", "image", "resize", "group_create", "group_delete"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

The driver writes labels and fields of Magnum into the Cluster's topology, and Magnum itself does not
check most of them. An admission webhook of Cluster API does, and refuses the whole Cluster with 422.
The create or change ends there; of a refused change nothing is carried out.

### How it is recognised

The reason is the webhook's denial, or the API server's own: it names the field, and mostly the value
and what is wrong with it. In a condition of the Cluster the same words mean that Cluster API itself
cannot write an object below it. A webhook that could not be asked is another matter.

### Sources

- kubernetes-sigs/cluster-api internal/webhooks/cluster.go
- kubernetes/apimachinery pkg/util/validation/field/errors.go
- vexxhost/magnum-cluster-api magnum_cluster_api/resources.py (which label becomes which field)
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let fields = denied::fields(snapshot);
    // A refusal with a cause of its own brings others along: "some rules were not checked".
    let specific: Vec<&Message> = fields.iter().filter(|d| d.known().is_some()).map(|d| d.message).collect();
    let plain: Vec<&Denied<'_>> =
        fields.iter().filter(|d| !specific.iter().any(|m| std::ptr::eq(*m, d.message))).collect();
    let mut findings: Vec<Finding> = Vec::new();
    let mut told: Vec<(&str, &str)> = Vec::new();
    for denied in &plain {
        let key = (denied.field.as_str(), denied.words.as_str());
        if told.contains(&key) {
            continue;
        }
        told.push(key);
        let same: Vec<&Message> =
            plain.iter().filter(|d| (d.field.as_str(), d.words.as_str()) == key).map(|d| d.message).collect();
        findings.push(finding(snapshot, denied, &same));
    }
    if findings.is_empty() { refused::nothing(snapshot) } else { Ok(findings) }
}

fn finding(snapshot: &Snapshot<'_>, denied: &Denied<'_>, messages: &[&Message]) -> Finding {
    let webhook = denied.message.api.as_ref().and_then(|api| api.webhook.as_ref());
    let who = webhook.map_or_else(|| "the API server".to_owned(), |w| format!("webhook {}", w.name));
    let headline = if denied.field.is_empty() {
        format!("{who} refuses what was written: {}", denied.words)
    } else {
        format!("{who} refuses {}: {}", denied.field, denied.words)
    };
    let condition = messages.iter().all(|m| matches!(m.source, Source::Condition(..)));
    let mut finding = if condition {
        let mut finding = Finding::new(headline).flag("condition").about(kit::subject(denied.message));
        for evidence in kit::evidence_of(snapshot, messages) {
            finding = finding.evidence(evidence);
        }
        finding.recovers(
            Recovers::AfterFix,
            "Cluster API tries the same again and again; it goes on by itself once the field is accepted.",
        )
    } else {
        refused::finding(snapshot, messages, headline)
    };
    if let Some(origin) = origin(&denied.field) {
        finding = finding.flag("origin").value("origin", origin);
        if let Some(says) = compare(snapshot, denied, origin) {
            finding = finding.says(says);
        }
    }
    if denied.field == "spec.topology.version" {
        let image =
            snapshot.magnum.template.and_then(|t| t.str("image_id")).unwrap_or("<image of the template>");
        finding = finding.flag("version").value("image", image);
    }
    finding
}

/// What Magnum holds there, where it is a label.
fn compare(snapshot: &Snapshot<'_>, denied: &Denied<'_>, origin: &str) -> Option<String> {
    let label = origin.strip_prefix("label ")?;
    let held = snapshot.magnum.cluster?.at("labels")?.get(label).and_then(|v| v.as_str());
    Some(match (held, denied.value()) {
        (Some(held), Some(value)) if value.strip_prefix('v') == Some(held) => {
            format!("It comes from {origin}, which is \"{held}\": a v is put in front of it.")
        }
        (Some(held), _) => format!("It comes from {origin}, which is \"{held}\"."),
        (None, _) => format!("It comes from {origin}, which the cluster does not have."),
    })
}

/// Where the driver takes a field from.
fn origin(field: &str) -> Option<&'static str> {
    const FIELDS: [(&str, &str); 25] = [
        ("spec.topology.version", "label kube_tag"),
        ("spec.topology.controlPlane.replicas", "the number of masters"),
        ("].failureDomain", "label availability_zone"),
        ("].replicas", "the number of nodes of the node group"),
        ("machineDeployments[", "the node group"),
        ("variables[apiServerLoadBalancer].value.provider", "label octavia_provider"),
        ("variables[apiServerLoadBalancer].value.flavor", "label api_server_lb_flavor"),
        ("variables[apiServerLoadBalancer].value.availabilityZone", "label api_server_lb_availability_zone"),
        ("variables[apiServerFloatingIP]", "label api_server_floating_ip"),
        ("variables[bootVolume].value.size", "label boot_volume_size"),
        ("variables[bootVolume].value.type", "label boot_volume_type"),
        ("variables[etcdVolumeSize]", "label etcd_volume_size"),
        ("variables[etcdVolumeType]", "label etcd_volume_type"),
        ("variables[dockerVolumeSize]", "the field docker_volume_size"),
        ("variables[dockerVolumeType]", "label docker_volume_type"),
        ("variables[nodeCidr]", "label fixed_subnet_cidr"),
        ("variables[dnsNameservers]", "the template's dns_nameserver"),
        ("variables[externalNetworkId]", "the template's external_network_id"),
        ("variables[fixedNetworkId]", "the field fixed_network"),
        ("variables[fixedSubnetId]", "the field fixed_subnet"),
        ("variables[imageUUID]", "the template's image_id"),
        ("variables[sshKeyName]", "the field keypair"),
        ("variables[controlPlaneFlavor]", "the field master_flavor_id"),
        ("variables[controlPlaneAvailabilityZones]", "label control_plane_availability_zones"),
        ("variables[flavor]", "the field flavor_id"),
    ];
    FIELDS.iter().find(|(part, _)| field.contains(part)).map(|(_, origin)| *origin)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, failed, report};

    const ID: &str = super::CAUSE.id;

    fn denial(field: &str, words: &str) -> String {
        format!(
            "ApiError: admission webhook \\\"validation.cluster.cluster.x-k8s.io\\\" denied the request: \
             Cluster.cluster.x-k8s.io \\\"kube-abcde\\\" is invalid: {field}: {words}"
        )
    }

    #[test]
    fn a_refused_field_is_certain_and_no_cause_if_a_specific_one_fits() {
        let version = denial(
            "spec.topology.version",
            "Invalid value: \\\"vlatest\\\": version must be a valid semantic version",
        );
        check(ID, &failed("CREATE_FAILED", &version), &[], "certain");
        check(ID, &failed("UPDATE_FAILED", &version), &[], "certain");
        check(ID, &failed("CREATE_COMPLETE", &version), &[], "no");
        let skips = denial(
            "spec.topology.version",
            "Invalid value: \\\"v1.31.1\\\": version cannot be increased from \\\"1.27.3\\\" to \\\"1.31.1\\\"",
        );
        check(ID, &failed("UPDATE_FAILED", &skips), &[], "no");
        let provider =
            denial("spec.topology.variables[apiServerLoadBalancer].value.provider", "Required value");
        check(ID, &failed("CREATE_FAILED", &provider), &[], "no");
    }

    #[test]
    fn a_webhook_that_could_not_be_asked_has_refused_nothing() {
        let down = "ApiError: Internal error occurred: failed calling webhook \\\"validation.cluster.cluster.x-k8s.io\\\": failed to \
                    call webhook: Post \\\"https://w.svc:443/validate\\\": dial tcp 10.0.0.1:443: connect: connection refused";
        check(ID, &failed("CREATE_FAILED", down), &[], "no");
    }

    #[test]
    fn a_condition_of_the_cluster_says_the_same() {
        let objects = "=== kubernetes/objects.yaml\napiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\n\
             metadata: {name: kube-abcde, namespace: magnum-system}\nstatus:\n  conditions:\n  - {type: TopologyReconciled, \
             status: 'False', severity: Error, reason: TopologyReconcileFailed, lastTransitionTime: '2026-01-01T11:20:00Z', \
             message: 'error reconciling the Cluster topology: failed to patch OpenStackCluster/kube-abcde-x1x1x: admission \
             webhook \"validation.openstackcluster.infrastructure.cluster.x-k8s.io\" denied the request: \
             OpenStackCluster.infrastructure.cluster.x-k8s.io \"kube-abcde-x1x1x\" is invalid: spec: Forbidden: cannot be modified'}\n";
        let running =
            failed("UPDATE_IN_PROGRESS", "").replace("\"status_reason\": \"\"", "\"status_reason\": null");
        let bundle = format!("{running}{objects}");
        check(ID, &bundle, &[], "certain");
        check(ID, &running, &["kubernetes/cluster"], "not checked");
    }

    #[test]
    fn it_tells_the_label_that_the_field_comes_from() {
        let version = denial(
            "spec.topology.version",
            "Invalid value: \\\"vlatest\\\": version must be a valid semantic version",
        );
        let rows = failed("CREATE_FAILED", &version)
            .replace("\"name\": \"web\"", "\"name\": \"web\", \"labels\": {\"kube_tag\": \"latest\"}");
        let report = report(&rows, &[]);
        let says = report.causes[0].says.join(" ");
        assert!(
            says.contains("spec.topology.version") && says.contains("label kube_tag, which is \"latest\""),
            "{says}"
        );
        assert!(
            report.causes[0].fix.steps.iter().any(|s| s.say.contains("label kube_tag")),
            "{:?}",
            report.causes[0].fix
        );
    }
}
