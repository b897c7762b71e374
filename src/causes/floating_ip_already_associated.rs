//! The API address has a floating IP that CAPO has forgotten, and it wants to give it another.

use super::kit;
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Doc, Message, Snapshot, port, version};
use crate::report::{Recovers, Risk};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "floating-ip-already-associated",
    title: "the API load balancer has a floating IP that CAPO has forgotten",
    during: Actions::ALIVE,
    stage: Stage::LoadBalancer,
    explains: &[],
    needs: &["openstack/network/floatingips", "kubernetes/openstackcluster", "kubernetes/deployment", "log:infrastructure-openstack"],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see both floating IPs: the one on the port, and the one that CAPO wants there")
                .each("address", &["openstack floating ip show {each}"]),
            Step::say("find the floating IP that is on the port").run(&["openstack floating ip list --long --port {port}"]).when("unknown"),
            Step::say("delete the one on the port, which CAPO has forgotten; not the one that it names and wants there")
                .each("forgotten", &["openstack floating ip delete {each}"])
                .when("forgotten"),
            Step::say("the one on the port was not made by CAPO for this cluster: ask its owner before it is taken off")
                .each("foreign", &["openstack floating ip unset --port {each}"])
                .when("foreign"),
        ],
    },
    values: &["address", "forgotten", "foreign", "port"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

CAPO makes a floating IP for the API load balancer, puts it on the port of its virtual address, and
notes it in its status only afterwards. If it is restarted in between, or Neutron's answer comes too
late, it forgets the address, makes another one, and Neutron refuses to put that on the same port (409
FloatingIPPortAlreadyAssociated), at every try and for ever.

### How it is recognised

The refusal is current. The request names the new floating IP, its text the port; what is on that port is
the forgotten one. Both have the same description, so only the port tells them apart. Releases of CAPO
before 0.10 were not seen with this remedy, so there, or if the version was not read, it is only likely.

### Sources

- kubernetes-sigs/cluster-api-provider-openstack pkg/cloud/services/loadbalancer/loadbalancer.go and
  pkg/cloud/services/networking/floatingip.go, issues 1743 and 1438
- openstack/neutron neutron/extensions/l3.py (FloatingIPPortAlreadyAssociated)
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let messages = kit::refused_as(snapshot, "FloatingIPPortAlreadyAssociated");
    let Some(first) = messages.first() else { return Ok(Vec::new()) };
    let wanted = wanted(first);
    let Some(port) = on_port(first) else { return Ok(Vec::new()) };
    let on = |f: &Doc<'_>| f.str("port_id") == Some(port) && f.str("id") != wanted;
    let attached = snapshot.cloud.floating_ips.some().iter().copied().find(on);
    let known = snapshot.capo().and_then(|v| version::at_least(v, "0.10")) == Some(true);
    let headline = match attached {
        Some(row) => format!(
            "floating IP {} ({}) is already on port {port} of the API load balancer, and CAPO wants another one there",
            row.text("id"),
            row.text("floating_ip_address")
        ),
        None => format!(
            "a floating IP is already on port {port} of the API load balancer, and CAPO wants another one there"
        ),
    };
    let mut finding = Finding::new(headline)
        .likely_if(attached.is_none() || !known || messages.iter().all(|m| m.weak))
        .about(kit::thing("port", port))
        .value("port", port)
        .recovers(
            Recovers::AfterFix,
            "Once the port is free CAPO puts its own address on it at its next try, up to 16 minutes later.",
        );
    if let Some(wanted) = wanted {
        finding = finding
            .says(format!("CAPO knows only floating IP {wanted}, which is on no port."))
            .value("address", wanted);
    }
    finding = match attached {
        Some(row) => forgotten(snapshot, row, finding),
        None => finding.flag("unknown"),
    };
    for evidence in kit::evidence_of(snapshot, &messages).into_iter().take(3) {
        finding = finding.evidence(evidence);
    }
    Ok(vec![finding])
}

fn forgotten(snapshot: &Snapshot<'_>, row: Doc<'_>, finding: Finding) -> Finding {
    let id = row.text("id");
    let finding =
        finding.value("address", id).about(kit::row("floating IP", row)).evidence(kit::address(row));
    if kit::own_address(snapshot, row) {
        finding.flag("forgotten").value("forgotten", id).deletes()
    } else {
        finding.flag("foreign").value("foreign", id)
    }
}

/// The floating IP of the request, `/v2.0/floatingips/<id>`.
fn wanted(message: &Message) -> Option<&str> {
    let path = message.api.as_ref()?.path.as_deref()?;
    path.rsplit('/').next().filter(|id| port::is_id(id))
}

/// `… with port <id> using fixed IP …`
fn on_port(message: &Message) -> Option<&str> {
    let (_, rest) = message.api.as_ref()?.text.as_deref()?.split_once(" with port ")?;
    port::ids(rest).first().copied()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{balancer, check, report};

    const ID: &str = super::CAUSE.id;
    const LIST: &str = "openstack/network/floatingips";
    const NEW: &str = "44444444-0000-4000-8000-000000000002";
    const PORT: &str = "22222222-0000-4000-8000-000000000001";

    fn refused(capo: &str) -> String {
        let cluster = balancer(
            "CREATE_IN_PROGRESS",
            "k8s-clusterapi-cluster-magnum-system-kube-abcde-kubeapi",
            "ACTIVE",
            "2026-01-01T11:50:00",
        );
        format!(
            "{cluster}=== kubernetes/objects.yaml\napiVersion: infrastructure.cluster.x-k8s.io/v1beta1\nkind: OpenStackCluster\n\
             metadata: {{name: kube-abcde-x1x1x, namespace: magnum-system, labels: {{cluster.x-k8s.io/cluster-name: kube-abcde}}}}\n\
             status:\n  conditions:\n  - {{type: APIEndpointReady, status: 'False', severity: Error, reason: APIEndpointConfigFailed, \
             lastTransitionTime: '2026-01-01T11:52:00Z', message: 'failed to reconcile load balancer: Expected HTTP response code [200] when \
             accessing [PUT http://n:9696/v2.0/floatingips/{NEW}], but got 409 instead: {{\"NeutronError\": {{\"type\": \
             \"FloatingIPPortAlreadyAssociated\", \"message\": \"Cannot associate floating IP 192.0.2.8 ({NEW}) with port {PORT} using fixed IP \
             10.0.0.9, as that fixed IP already has a floating IP on external network n-1.\", \"detail\": \"\"}}}}'}}\n---\n\
             apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: capo-controller-manager, namespace: capo-system, \
             labels: {{cluster.x-k8s.io/provider: infrastructure-openstack}}}}\nspec: {{template: {{spec: {{containers: [{{image: 'capo:{capo}'}}]}}}}}}\n\
             status: {{readyReplicas: 1}}\n"
        )
    }

    fn addresses(description: &str) -> String {
        format!(
            "=== {LIST}.json\n{{\"floatingips\": [{{\"id\": \"f-1\", \"port_id\": \"{PORT}\", \"description\": \"{description}\", \
             \"floating_ip_address\": \"192.0.2.7\"}}, {{\"id\": \"{NEW}\", \"port_id\": null, \"description\": \"{description}\"}}]}}\n"
        )
    }

    const CAPO: &str = "Created by cluster-api-provider-openstack cluster magnum-system-kube-abcde";

    fn lines(files: &str) -> Vec<String> {
        report(files, &[]).causes[0].fix.steps.iter().flat_map(|s| s.run.clone()).collect()
    }

    #[test]
    fn the_attached_one_goes_not_the_one_that_is_named() {
        let files = format!("{}{}", refused("v0.14.7"), addresses(CAPO));
        check(ID, &files, &[], "certain");
        let lines = lines(&files);
        assert!(lines.contains(&"openstack floating ip delete f-1".to_owned()), "{lines:?}");
        assert!(!lines.contains(&format!("openstack floating ip delete {NEW}")), "{lines:?}");
    }

    #[test]
    fn an_address_of_somebody_else_is_not_deleted() {
        let lines = lines(&format!("{}{}", refused("v0.14.7"), addresses("web shop")));
        assert!(!lines.iter().any(|l| l.contains("delete")), "{lines:?}");
    }

    #[test]
    fn old_releases_and_missing_lists_make_it_likely() {
        check(ID, &format!("{}{}", refused("v0.8.0"), addresses(CAPO)), &[], "likely");
        check(ID, &refused("v0.14.7"), &[LIST], "likely");
    }

    #[test]
    fn without_a_refusal_it_is_none() {
        let calm = refused("v0.14.7").replace("FloatingIPPortAlreadyAssociated", "SomethingElse");
        check(ID, &calm, &[], "no");
        check(ID, &calm, &[LIST], "not checked");
    }
}
