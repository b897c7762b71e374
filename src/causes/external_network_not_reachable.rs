//! No router leads from the cluster's subnet to the external network of its floating IP.

use super::kit;
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Doc, Snapshot, port};
use crate::report::{Recovers, Risk};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "external-network-not-reachable",
    title: "no router leads from the cluster's subnet to its external network",
    during: Actions::ALIVE,
    stage: Stage::LoadBalancer,
    explains: &[],
    needs: &["kubernetes/openstackcluster", "log:infrastructure-openstack"],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see which routers there are, and which external networks they have")
                .run(&["openstack router list --long"]),
            Step::say("see the router that is on the subnet; its gateway must be on the external network")
                .run(&["openstack router show {router}"])
                .when("router"),
            Step::say("put a router with a gateway on the external network onto the subnet")
                .run(&[
                    "openstack router set --external-gateway {network} <router>",
                    "openstack router add subnet <router> {subnet}",
                ])
                .unless("router"),
            Step::say("or create the cluster with the external network that the subnet's router leads to"),
        ],
    },
    values: &["network", "subnet", "router"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

The cluster is on a network that its user brought (label or template: fixed network and subnet), and the
floating IP of its API is to come from an external network to which no router of that subnet leads.
Neutron refuses to make the floating IP (404 ExternalGatewayForFloatingIPNotFound). On networks that CAPO
makes itself the router is its own and this does not happen.

### How it is recognised

The refusal is current; it names external network and subnet.

### Sources

- openstack/neutron neutron/db/l3_db.py (get_router_for_floatingip) and neutron/extensions/l3.py
- kubernetes-sigs/cluster-api-provider-openstack pkg/cloud/services/networking/floatingip.go
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let messages = kit::refused_as(snapshot, "ExternalGatewayForFloatingIPNotFound");
    let Some(text) = messages.iter().find_map(|m| m.api.as_ref()?.text.as_deref()) else {
        return Ok(Vec::new());
    };
    let ids = port::ids(text);
    let (Some(network), Some(subnet)) = (ids.first().copied(), ids.get(1).copied()) else {
        return Ok(Vec::new());
    };
    let mut finding = Finding::new(format!("external network {network} cannot be reached from the cluster's subnet {subnet}"))
        .likely_if(messages.iter().all(|m| m.weak))
        .about(kit::thing("network", network))
        .about(kit::thing("subnet", subnet))
        .value("network", network)
        .value("subnet", subnet)
        .recovers(Recovers::AfterFix, "Once a router connects the two it goes on by itself: CAPO tries again, up to 16 minutes after its last try.");
    for message in &messages {
        finding = finding.about(kit::subject(message));
    }
    finding = match router_on(snapshot, subnet) {
        Some(router) => router_words(snapshot, router, network, finding),
        None if snapshot.cloud.ports.whole() => {
            finding.says("No router that this login sees has an interface on the subnet.")
        }
        None => finding,
    };
    for evidence in kit::evidence_of(snapshot, &messages).into_iter().take(3) {
        finding = finding.evidence(evidence);
    }
    Ok(vec![finding])
}

/// The router with an interface on the subnet.
fn router_on<'w>(snapshot: &Snapshot<'w>, subnet: &str) -> Option<&'w str> {
    let ports = snapshot.cloud.ports.some().iter();
    let on = |p: &&Doc<'_>| p.list("fixed_ips").any(|ip| ip.str("subnet_id") == Some(subnet));
    ports
        .filter(on)
        .find(|p| p.text("device_owner").starts_with("network:router_interface"))?
        .str("device_id")
}

fn router_words(snapshot: &Snapshot<'_>, router: &str, network: &str, finding: Finding) -> Finding {
    let row = snapshot.cloud.routers.some().iter().find(|r| r.text("id") == router);
    let gateway = row.and_then(|r| r.str("external_gateway_info.network_id"));
    let words = match (row, gateway) {
        (Some(_), Some(other)) if other == network => {
            format!("By now router {router} on the subnet has a gateway there, so the next try may do.")
        }
        (Some(_), Some(other)) => {
            format!("Router {router} on the subnet has its gateway on network {other}.")
        }
        (Some(_), None) => format!("Router {router} on the subnet has no gateway."),
        (None, _) => format!("Router {router} is on the subnet; its gateway could not be seen."),
    };
    let mut finding =
        finding.says(words).flag("router").value("router", router).about(kit::thing("router", router));
    if gateway == Some(network) {
        finding = finding.likely_if(true);
    }
    finding
}

#[cfg(test)]
mod tests {
    use super::super::testing::{balancer, check, report};

    const ID: &str = super::CAUSE.id;
    const NETWORK: &str = "55555555-0000-4000-8000-000000000001";
    const SUBNET: &str = "66666666-0000-4000-8000-000000000001";

    fn refused(kind: &str) -> String {
        let cluster = balancer("CREATE_IN_PROGRESS", "any", "ACTIVE", "2026-01-01T11:50:00");
        format!(
            "{cluster}=== kubernetes/objects.yaml\napiVersion: infrastructure.cluster.x-k8s.io/v1beta1\nkind: OpenStackCluster\n\
             metadata: {{name: kube-abcde-x1x1x, namespace: magnum-system, labels: {{cluster.x-k8s.io/cluster-name: kube-abcde}}}}\n\
             status:\n  conditions:\n  - {{type: Ready, status: 'False', severity: Warning, reason: OpenStackError, \
             lastTransitionTime: '2026-01-01T11:52:00Z', message: 'failed to reconcile load balancer: Resource not found: \
             [PUT http://n:9696/v2.0/floatingips/44444444-0000-4000-8000-000000000002], error message: {{\"NeutronError\": {{\"type\": \"{kind}\", \
             \"message\": \"External network {NETWORK} is not reachable from subnet {SUBNET}. Therefore, cannot associate Port \
             22222222-0000-4000-8000-000000000001 with a Floating IP.\", \"detail\": \"\"}}}}'}}\n"
        )
    }

    fn routed(gateway: &str) -> String {
        format!(
            "{}=== openstack/network/ports.json\n{{\"ports\": [{{\"id\": \"p-1\", \"device_owner\": \"network:router_interface\", \
             \"device_id\": \"r-1\", \"fixed_ips\": [{{\"subnet_id\": \"{SUBNET}\"}}]}}]}}\n=== openstack/network/routers.json\n\
             {{\"routers\": [{{\"id\": \"r-1\", \"external_gateway_info\": {{\"network_id\": \"{gateway}\"}}}}]}}\n",
            refused("ExternalGatewayForFloatingIPNotFound")
        )
    }

    #[test]
    fn network_and_subnet_are_told() {
        let files = refused("ExternalGatewayForFloatingIPNotFound");
        check(ID, &files, &[], "certain");
        let headline = report(&files, &[]).causes[0].says[0].clone();
        assert!(headline.contains(NETWORK) && headline.contains(SUBNET), "{headline}");
    }

    #[test]
    fn a_router_that_leads_there_by_now_makes_it_likely() {
        check(ID, &routed("another"), &[], "certain");
        check(ID, &routed(NETWORK), &[], "likely");
    }

    #[test]
    fn another_404_is_none() {
        check(ID, &refused("FloatingIPNotFound"), &[], "no");
        check(ID, &refused("FloatingIPNotFound"), &["log/capo-system"], "not checked");
    }
}
