//! The load balancer of a Service outlived the driver's clean-up and occupies the network.

use super::kit;
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::port::{self, Occupant};
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Doc, Message, Snapshot};
use crate::report::Risk;

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "service-load-balancer-holds-network",
    title: "the load balancer of a Service is still on the cluster's network",
    during: Actions::DELETE,
    stage: Stage::RouterAndNetwork,
    explains: &["floating-ip-holds-router"],
    needs: &[
        "kubernetes/cluster",
        "kubernetes/openstackcluster",
        "openstack/load-balancer/loadbalancers",
        "openstack/network/networks",
        "openstack/network/ports",
    ],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Deletes,
        steps: &[
            Step::say("see what it serves").each("balancer", &["openstack loadbalancer show {each}"]),
            Step::say("delete the load balancer with its listeners and pools; its port goes with it, do not delete that by hand")
                .each("balancer", &["openstack loadbalancer delete --cascade {each}"]),
            Step::say("its floating IP stays behind: delete it too, if nobody needs the address")
                .each("address", &["openstack floating ip delete {each}"])
                .when("address"),
            kit::DELETE_AGAIN,
        ],
    },
    values: &["balancer", "address"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

The cloud controller inside the cluster makes an Octavia load balancer for each Service of type
LoadBalancer, with its address on the cluster's network. Before anything else the driver deletes those
whose description ends with the Magnum UUID of the cluster. It misses others: those of an old or
hand-made cloud controller, which calls its cluster `kubernetes`, those that the login of the delete
cannot see, and those that were made after this step. Their port then keeps Neutron from deleting the
network.

### How it is recognised

The Cluster is being deleted, and a load balancer named or described like one of a Service has its
address on the network that CAPO made for this cluster. No other cluster has load balancers there. It
is not an orphan port: the load balancer exists, so it has to go and takes its port along.

### Sources

- vexxhost/magnum-cluster-api magnum_cluster_api/utils.py (delete_loadbalancers)
- openstack/magnum magnum/common/octavia.py
- kubernetes/cloud-provider-openstack pkg/openstack/loadbalancer.go (names and descriptions)
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let refusals = port::refused(snapshot, "networks");
    if refusals.is_empty() && snapshot.kube.clusters.all()?.iter().all(|c| c.deleting().is_none()) {
        return Ok(Vec::new());
    }
    let network = match refusals.first() {
        Some((_, id)) => Some((*id).to_owned()),
        None => port::managed_network(snapshot)?,
    };
    let Some(network) = network else { return Ok(Vec::new()) };
    let messages: Vec<&Message> = refusals.iter().map(|(message, _)| *message).collect();
    let balancers = snapshot.cloud.load_balancers.some().iter().copied();
    let found = balancers.filter_map(|row| {
        let leaving = matches!(row.text("provisioning_status"), "DELETED" | "PENDING_DELETE");
        let api = row.str("name") == snapshot.marks.api_load_balancer().as_deref();
        let port = its_port(snapshot, row);
        let on = row.str("vip_network_id").or_else(|| port.and_then(|p| p.str("network_id")))
            == Some(network.as_str());
        (on && !api && !leaving && port::serves(snapshot, row))
            .then(|| finding(snapshot, row, port, &network, &messages))
    });
    Ok(found.collect())
}

fn its_port<'w>(snapshot: &Snapshot<'w>, balancer: Doc<'w>) -> Option<Doc<'w>> {
    let mut ports = snapshot.cloud.ports.some().iter().copied();
    ports.find(|p| {
        p.str("id") == balancer.str("vip_port_id")
            || matches!(port::occupant(snapshot, *p), Occupant::ServiceBalancer(l) if l.str("id") == balancer.str("id"))
    })
}

fn finding(
    snapshot: &Snapshot<'_>,
    row: Doc<'_>,
    port: Option<Doc<'_>>,
    network: &str,
    messages: &[&Message],
) -> Finding {
    let id = row.text("id");
    let held =
        port.map_or_else(|| row.str("vip_port_id").map(str::to_owned), |p| p.str("id").map(str::to_owned));
    let with = held.as_ref().map(|port| format!(" and holds port {port} on it")).unwrap_or_default();
    let then = if messages.is_empty() { "Neutron will not delete" } else { "Neutron refuses to delete" };
    let mut finding = Finding::new(format!(
        "Service load balancer {} still exists on the cluster's network",
        port::named(row)
    ))
    .says(format!("{then} network {network} while the load balancer is there{with}."))
    .says(missed(snapshot, row))
    .about(kit::row("load balancer", row))
    .about(kit::thing("network", network))
    .value("balancer", id)
    .evidence(kit::seen(
        format!("Octavia, load balancer {id}"),
        format!("openstack loadbalancer show {id}"),
        format!(
            "provisioning_status {}; vip_port_id {}; description \"{}\"",
            row.text("provisioning_status"),
            row.text("vip_port_id"),
            row.text("description")
        ),
    ));
    if let Some(port) = port {
        finding = finding.about(kit::row("port", port)).evidence(kit::occupies(port));
    }
    let naming: Vec<&Message> = messages
        .iter()
        .copied()
        .filter(|m| held.as_deref().is_some_and(|port| m.text.contains(port)))
        .collect();
    for evidence in kit::evidence_of(snapshot, &naming).into_iter().take(2) {
        finding = finding.evidence(evidence);
    }
    let addresses = snapshot
        .cloud
        .floating_ips
        .some()
        .iter()
        .filter(|f| f.str("port_id").is_some() && f.str("port_id") == held.as_deref());
    for address in addresses
        .filter(|f| f.text("description").starts_with("Floating IP for Kubernetes external service "))
    {
        finding = finding
            .flag("address")
            .value("address", address.text("id"))
            .about(kit::row("floating IP", *address));
    }
    kit::delete_goes_on(snapshot, finding)
}

/// Why the driver's clean-up has not taken it.
fn missed(snapshot: &Snapshot<'_>, row: Doc<'_>) -> String {
    let cluster = row.text("description").rsplit_once(" from cluster ").map(|(_, cluster)| cluster);
    match cluster {
        Some(cluster) if snapshot.marks.uuid.as_deref() == Some(cluster) => {
            "The driver deletes such load balancers first: this one was made later, or the login of the delete could not see it.".to_owned()
        }
        Some(cluster) => format!(
            "The driver deletes only load balancers whose description names the Magnum UUID; this one names cluster \"{cluster}\"."
        ),
        None => "The driver deletes only load balancers whose description names the Magnum UUID; this one has no such description.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{DELETING_NETWORK, check, report};

    const ID: &str = super::CAUSE.id;
    const LIST: &str = "openstack/load-balancer/loadbalancers";
    const LB: &str = r#"=== openstack/load-balancer/loadbalancers.json
{"loadbalancers": [{"id": "33333333-0000-4000-8000-000000000001", "provisioning_status": "ACTIVE",
 "name": "kube_service_11111111-2222-4333-8444-555555555555_default_web",
 "description": "Kubernetes external service default/web from cluster kubernetes",
 "vip_port_id": "22222222-0000-4000-8000-000000000001", "vip_network_id": "99999999-2222-4333-8444-000000000009"}]}
"#;

    #[test]
    fn an_existing_load_balancer_is_deleted_and_not_its_port() {
        let files = format!("{DELETING_NETWORK}{LB}");
        check(ID, &files, &[], "certain");
        let report = report(&files, &[]);
        let lines: Vec<&String> = report.causes[0].fix.steps.iter().flat_map(|s| &s.run).collect();
        let wanted = "openstack loadbalancer delete --cascade 33333333-0000-4000-8000-000000000001";
        assert!(lines.iter().any(|l| *l == wanted), "{lines:?}");
        assert!(!lines.iter().any(|l| l.contains("port delete")), "{lines:?}");
        assert!(
            report.causes[0].says.iter().any(|s| s.contains("\"kubernetes\"")),
            "{:?}",
            report.causes[0].says
        );
    }

    #[test]
    fn it_is_known_before_neutron_refuses() {
        check(ID, &format!("{}{LB}", DELETING_NETWORK.split("status:").next().unwrap()), &[], "certain");
    }

    #[test]
    fn others_are_none() {
        for (word, other) in [
            ("000000000009", "000000000008"),
            ("ACTIVE", "PENDING_DELETE"),
            (
                "kube_service_11111111-2222-4333-8444-555555555555_default_web",
                "k8s-clusterapi-cluster-magnum-system-kube-abcde-kubeapi",
            ),
        ] {
            check(ID, &format!("{DELETING_NETWORK}{}", LB.replace(word, other)), &[], "no");
        }
    }

    #[test]
    fn without_load_balancers_nothing_is_concluded() {
        check(ID, &format!("{DELETING_NETWORK}{LB}"), &["openstack/network/ports"], "certain");
        check(ID, DELETING_NETWORK, &[LIST], "not checked");
        check(ID, DELETING_NETWORK, &["openstack/network/ports"], "not checked");
    }
}
