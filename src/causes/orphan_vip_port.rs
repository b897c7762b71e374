//! The virtual address of a load balancer that is gone still occupies the cluster's network.

use super::kit;
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::port::{self, Network, Occupant};
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Doc, Snapshot};
use crate::report::Risk;

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "orphan-vip-port",
    title: "the port of a load balancer that is gone is still on the cluster's network",
    during: Actions::DELETE,
    stage: Stage::RouterAndNetwork,
    explains: &[],
    needs: &[
        "openstack/network/ports",
        "openstack/network/networks",
        "openstack/load-balancer/loadbalancers",
        "kubernetes/openstackcluster",
        "kubernetes/machine",
        "kubernetes/openstackmachine",
        "log:infrastructure-openstack",
    ],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Deletes,
        steps: &[
            Step::say("make sure that the load balancer is gone: this must answer that it does not exist")
                .each("balancer", &["openstack loadbalancer show {each}"]),
            Step::say("delete its port; Neutron refuses nothing here, the project's own login is enough")
                .each("port", &["openstack port show {each}", "openstack port delete {each}"]),
            kit::DELETE_AGAIN,
        ],
    },
    values: &["balancer", "port"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

Octavia makes a port for the virtual address of a load balancer and removes it with the load balancer.
If Octavia's worker dies in between, or its network driver fails, the load balancer is gone and the
port stays. Neutron then refuses to delete the network (409 NetworkInUse), CAPO tries for ever, and
neither Octavia nor CAPO removes the port.

### How it is recognised

A port on the network that CAPO made for the cluster says in its device (`lb-<id>`) or name
(`octavia-lb-<id>`, `ovn-lb-vip-<id>`) which load balancer it is of, and the whole list of load
balancers does not have that id. Before Neutron has refused anything it is only likely, as Octavia
may be at work. A port whose load balancer exists is never an orphan: there the load balancer has to go.

### Sources

- openstack/octavia octavia/network/drivers/neutron/allowed_address_pairs.py (names and owners)
- openstack/ovn-octavia-provider ovn_octavia_provider/helper.py
- kubernetes-sigs/cluster-api-provider-openstack issue 2121
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let Some(network) = port::network(snapshot)? else { return Ok(Vec::new()) };
    let orphans: Vec<(Doc<'_>, &str)> = network
        .ports
        .iter()
        .filter_map(|p| match port::occupant(snapshot, *p) {
            Occupant::LostBalancer(id) => Some((*p, id)),
            _ => None,
        })
        .collect();
    if orphans.is_empty() { Ok(Vec::new()) } else { Ok(vec![finding(snapshot, &network, &orphans)]) }
}

fn finding(snapshot: &Snapshot<'_>, network: &Network<'_, '_>, orphans: &[(Doc<'_>, &str)]) -> Finding {
    let headline = match orphans {
        [(port, balancer)] => format!(
            "port {} of load balancer {balancer}, which is gone, is still on the cluster's network {}",
            port.text("id"),
            network.id
        ),
        many => format!(
            "{} ports of load balancers that are gone are still on the cluster's network {}",
            many.len(),
            network.id
        ),
    };
    let mut finding = Finding::new(headline).likely_if(network.messages.iter().all(|m| m.weak));
    if orphans.len() > 1 {
        for (port, balancer) in orphans {
            finding = finding.says(format!("Port {} was of load balancer {balancer}.", port.text("id")));
        }
    }
    finding = finding.says(if network.messages.is_empty() {
        "Neutron does not delete a network with such a port; Octavia may still be removing it."
    } else {
        "Neutron refuses to delete the network while it is there, and nothing removes it any more."
    });
    for evidence in kit::evidence_of(snapshot, &network.messages).into_iter().take(2) {
        finding = finding.evidence(evidence);
    }
    for (port, balancer) in orphans {
        finding = finding
            .about(kit::row("port", *port))
            .about(kit::thing("load balancer", balancer))
            .value("port", port.text("id"))
            .value("balancer", *balancer)
            .evidence(kit::occupies(*port));
    }
    finding = finding.about(kit::thing("network", &network.id)).evidence(kit::seen(
        "Octavia, list of load balancers",
        "openstack loadbalancer list",
        format!("none with id {}", orphans.iter().map(|(_, id)| *id).collect::<Vec<_>>().join(", ")),
    ));
    kit::delete_goes_on(snapshot, finding)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{DELETING_NETWORK, check, report};

    const ID: &str = super::CAUSE.id;
    const LIST: &str = "openstack/load-balancer/loadbalancers";
    const PORT: &str = r#"=== openstack/network/ports.json
{"ports": [{"id": "22222222-0000-4000-8000-000000000001", "name": "octavia-lb-33333333-0000-4000-8000-000000000001",
 "device_owner": "Octavia", "device_id": "lb-33333333-0000-4000-8000-000000000001",
 "network_id": "99999999-2222-4333-8444-000000000009"}]}
"#;

    fn balancer(status: &str) -> String {
        format!(
            "=== {LIST}.json\n{{\"loadbalancers\": [{{\"id\": \"33333333-0000-4000-8000-000000000001\", \
             \"name\": \"mine\", \"provisioning_status\": \"{status}\"}}]}}\n"
        )
    }

    #[test]
    fn a_port_whose_load_balancer_is_gone_is_named() {
        let files = format!("{DELETING_NETWORK}{PORT}");
        check(ID, &files, &[], "certain");
        check(ID, &format!("{files}{}", balancer("DELETED")), &[], "certain");
        let report = report(&files, &[]);
        let lines: Vec<&String> = report.causes[0].fix.steps.iter().flat_map(|s| &s.run).collect();
        assert!(
            lines.iter().any(|l| *l == "openstack port delete 22222222-0000-4000-8000-000000000001"),
            "{lines:?}"
        );
    }

    #[test]
    fn a_port_whose_load_balancer_exists_is_not() {
        check(ID, &format!("{DELETING_NETWORK}{PORT}{}", balancer("ACTIVE")), &[], "no");
        check(ID, &format!("{DELETING_NETWORK}{PORT}{}", balancer("PENDING_DELETE")), &[], "no");
    }

    #[test]
    fn a_port_on_another_network_is_not() {
        check(ID, &format!("{DELETING_NETWORK}{}", PORT.replace("000000000009", "000000000008")), &[], "no");
    }

    #[test]
    fn before_a_refusal_it_is_likely() {
        let calm = DELETING_NETWORK.split("status:").next().unwrap();
        check(ID, &format!("{calm}{PORT}"), &[], "likely");
        check(ID, &format!("{calm}{PORT}"), &["kubernetes/machine"], "not checked");
    }

    #[test]
    fn without_a_list_nothing_is_concluded() {
        check(ID, &format!("{DELETING_NETWORK}{PORT}"), &[LIST], "not checked");
        check(ID, DELETING_NETWORK, &["openstack/network/ports"], "not checked");
    }
}
