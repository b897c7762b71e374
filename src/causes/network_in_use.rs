//! Ports of somebody else, or ports that machines left, keep the cluster's network.

use super::kit;
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::port::{self, Network, Occupant, Whose};
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Doc, Snapshot};
use crate::report::Risk;

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "network-in-use",
    title: "other ports are still on the cluster's network",
    during: Actions::DELETE,
    stage: Stage::RouterAndNetwork,
    explains: &[],
    needs: &[
        "openstack/network/ports",
        "openstack/network/networks",
        "openstack/network/routers",
        "openstack/load-balancer/loadbalancers",
        "kubernetes/openstackcluster",
        "kubernetes/machine",
        "kubernetes/openstackmachine",
        "log:infrastructure-openstack",
    ],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see what the ports belong to").each("port", &["openstack port show {each}"]),
            Step::say("delete the ports that machines of this cluster left behind; nothing uses them any more")
                .each("left", &["openstack port delete {each}"])
                .when("left"),
            Step::say("see why these devices outlived their machines; their ports go with them")
                .each("device", &["openstack server show {each}"])
                .when("busy"),
            Step::say("see whether the load balancer still exists; if so it has to go, if not its port")
                .each("balancer", &["openstack loadbalancer show {each}"])
                .when("balancer"),
            Step::say("ask the owners of the other ports to move what uses them to another network: these are not the cluster's")
                .when("foreign"),
            Step::say("list all ports of the network as an admin: some may be of another project")
                .run(&["openstack port list --long --network {network}"])
                .when("unknown"),
            kit::DELETE_AGAIN,
        ],
    },
    values: &["port", "left", "device", "balancer", "network"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

CAPO deletes the network that it made for the cluster once machines, API load balancer and router are
gone. Neutron refuses (409 NetworkInUse) while a port is on it that does not go with it: a server that
somebody else put on this network, an interface of another router, a port that a machine left behind, a
health monitor port of Octavia's OVN provider. CAPO's own sweep of ports does not find the ports of
machines, as it looks for names that begin with the name of the OpenStackCluster.

### How it is recognised

The ports on the network are read and sorted by what has them. Ports that Neutron removes by itself
(DHCP), the cluster's own router and ports of load balancers that have a cause of their own are left
out. Ids that Neutron names and that are not among the ports of the project are of another project, such
as Octavia's own, or have gone since the last try.

### Sources

- openstack/neutron neutron/db/db_base_plugin_v2.py (ports that are removed with a network)
- kubernetes-sigs/cluster-api-provider-openstack pkg/cloud/services/networking/port.go, issue 2121
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let Some(network) = port::network(snapshot)? else { return Ok(Vec::new()) };
    let wanted = |p: &Doc<'_>| {
        let occupant = port::occupant(snapshot, *p);
        matches!(occupant, Occupant::None | Occupant::OtherBalancer(_) | Occupant::UnseenBalancer(_))
    };
    let ports: Vec<Doc<'_>> = network.ports.iter().copied().filter(wanted).collect();
    if !ports.is_empty() {
        return Ok(vec![occupied(snapshot, &network, &ports)]);
    }
    let of_a_balancer =
        |id: &String| snapshot.cloud.load_balancers.some().iter().any(|l| l.str("vip_port_id") == Some(id));
    let explained = !network.ports.is_empty()
        || (!network.unknown.is_empty() && network.unknown.iter().all(of_a_balancer));
    if network.messages.is_empty() || explained {
        return Ok(Vec::new());
    }
    Ok(vec![unknown(snapshot, &network)])
}

fn occupied(snapshot: &Snapshot<'_>, network: &Network<'_, '_>, ports: &[Doc<'_>]) -> Finding {
    let headline = match ports {
        [one] => format!("port {} is still on the cluster's network {}", port::named(*one), network.id),
        many => format!("{} other ports are still on the cluster's network {}", many.len(), network.id),
    };
    let unseen = ports.iter().any(|p| matches!(port::occupant(snapshot, *p), Occupant::UnseenBalancer(_)));
    let mut finding = Finding::new(headline)
        .likely_if(network.messages.iter().all(|m| m.weak) || unseen || unrouted(snapshot, ports));
    for port in ports {
        finding = one(snapshot, *port, finding);
    }
    finding = finding.says(if network.messages.is_empty() {
        "Neutron does not delete a network with such a port."
    } else {
        "Neutron refuses to delete the network while they are there."
    });
    finish(snapshot, network, finding)
}

/// True if one is a router's interface and the routers were not read: it may be the cluster's own.
fn unrouted(snapshot: &Snapshot<'_>, ports: &[Doc<'_>]) -> bool {
    !snapshot.cloud.routers.whole() && ports.iter().any(|p| p.text("device_owner").contains("router"))
}

fn one(snapshot: &Snapshot<'_>, port: Doc<'_>, finding: Finding) -> Finding {
    let id = port.text("id");
    let mut finding = finding.about(kit::row("port", port)).value("port", id).evidence(kit::occupies(port));
    if let Some(balancer) = port::balancer(port) {
        finding =
            finding.flag("balancer").value("balancer", balancer).about(kit::thing("load balancer", balancer));
    }
    let whose = match port::whose(snapshot, port) {
        _ if matches!(port::occupant(snapshot, port), Occupant::UnseenBalancer(_)) => {
            "whose it is cannot be said, as the load balancers were not read"
        }
        Whose::Left => {
            finding.risk = Some(Risk::Deletes);
            finding = finding.flag("left").value("left", id);
            "left by a machine of this cluster"
        }
        Whose::Busy(device) => {
            finding = finding.flag("busy").value("device", device);
            "of a machine of this cluster"
        }
        Whose::Foreign => {
            finding = finding.flag("foreign");
            "not of this cluster"
        }
    };
    finding.says(format!("Port {}: {whose}, {}.", port::named(port), port::holder(snapshot, port)))
}

fn unknown(snapshot: &Snapshot<'_>, network: &Network<'_, '_>) -> Finding {
    let named = match network.unknown.as_slice() {
        [] => String::new(),
        ids => format!(" Neutron names {}.", kit::and(ids)),
    };
    let why = if snapshot.cloud.ports.whole() {
        "No such port is among those that this login sees: it is of another project, or has gone since CAPO's last try."
    } else {
        "The list of ports was not read whole, so what they belong to is not known."
    };
    let mut finding = Finding::new(format!("a port is still on the cluster's network {}", network.id))
        .likely_if(true)
        .says(format!("{why}{named}"))
        .flag("unknown");
    for id in &network.unknown {
        finding = finding.about(kit::thing("port", id)).value("port", id.as_str());
    }
    finish(snapshot, network, finding)
}

fn finish(snapshot: &Snapshot<'_>, network: &Network<'_, '_>, finding: Finding) -> Finding {
    let mut finding = finding.about(kit::thing("network", &network.id)).value("network", network.id.as_str());
    for evidence in kit::evidence_of(snapshot, &network.messages).into_iter().take(2) {
        finding = finding.evidence(evidence);
    }
    kit::delete_goes_on(snapshot, finding)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{DELETING_NETWORK, check, report};

    const ID: &str = super::CAUSE.id;

    fn with_port(rest: &str) -> String {
        format!(
            "{DELETING_NETWORK}=== openstack/network/ports.json\n{{\"ports\": [{{\"id\": \"22222222-0000-4000-8000-000000000001\", \
             \"network_id\": \"99999999-2222-4333-8444-000000000009\", {rest}}}]}}\n"
        )
    }

    #[test]
    fn a_virtual_address_is_called_nobodys_while_the_load_balancers_are_unread() {
        let files = with_port(
            r#""name": "octavia-lb-33333333-0000-4000-8000-000000000003", "device_owner": "Octavia",
               "device_id": "lb-33333333-0000-4000-8000-000000000003""#,
        );
        let report = report(&files, &["openstack/load-balancer/loadbalancers"]);
        let cause = report.causes.iter().find(|cause| cause.id == ID);
        let words = cause.map(|cause| format!("{:?} {:?}", cause.says, cause.fix.steps)).unwrap_or_default();
        assert!(words.contains("cannot be said"), "{words}");
        assert!(!words.contains("not of this cluster") && !words.contains("not the cluster's"), "{words}");
    }

    #[test]
    fn a_foreign_port_is_named_and_not_deleted() {
        let files = with_port(r#""name": "nfs", "device_owner": "compute:nova", "device_id": "s-1""#);
        check(ID, &files, &[], "certain");
        let lines: Vec<String> =
            report(&files, &[]).causes[0].fix.steps.iter().flat_map(|s| s.run.clone()).collect();
        assert!(
            lines.contains(&"openstack port show 22222222-0000-4000-8000-000000000001".to_owned()),
            "{lines:?}"
        );
        assert!(!lines.iter().any(|l| l.contains("delete")), "{lines:?}");
    }

    #[test]
    fn a_port_that_a_machine_left_is_deleted() {
        let files = with_port(r#""name": "kube-abcde-m-1-0", "device_owner": "", "device_id": """#);
        let lines: Vec<String> =
            report(&files, &[]).causes[0].fix.steps.iter().flat_map(|s| s.run.clone()).collect();
        assert!(
            lines.contains(&"openstack port delete 22222222-0000-4000-8000-000000000001".to_owned()),
            "{lines:?}"
        );
    }

    #[test]
    fn what_goes_with_the_network_is_no_cause() {
        check(ID, &with_port(r#""device_owner": "network:dhcp", "device_id": "dhcp-1""#), &[], "likely");
        let calm = |rest: &str| {
            let files = with_port(rest);
            let (objects, ports) = files.split_once("status:\n").unwrap();
            format!("{objects}=== {}", ports.split_once("=== ").unwrap().1)
        };
        check(ID, &calm(r#""device_owner": "network:dhcp", "device_id": "dhcp-1""#), &[], "no");
        let routers = "=== openstack/network/routers.json\n{\"routers\": [{\"id\": \"r-1\", \
            \"name\": \"k8s-clusterapi-cluster-magnum-system-kube-abcde\"}]}\n";
        let interface = |router: &str| {
            calm(&format!("\"device_owner\": \"network:router_interface\", \"device_id\": \"{router}\""))
                + routers
        };
        check(ID, &interface("r-1"), &[], "no");
        check(ID, &interface("r-2"), &[], "likely");
    }

    #[test]
    fn a_named_port_that_nobody_sees_is_likely() {
        check(ID, DELETING_NETWORK, &[], "likely");
        check(ID, DELETING_NETWORK, &["openstack/network/ports"], "likely");
    }

    #[test]
    fn a_load_balancer_of_which_nothing_is_known_makes_it_likely() {
        let vip =
            with_port(r#""device_owner": "Octavia", "device_id": "lb-33333333-0000-4000-8000-000000000001""#);
        check(ID, &vip, &["openstack/load-balancer/loadbalancers"], "likely");
        check(ID, &vip, &[], "no");
    }
}
