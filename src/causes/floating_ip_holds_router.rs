//! A floating IP keeps the cluster's router on its subnet.

use super::kit;
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::port;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Doc, Message, Snapshot};
use crate::report::Risk;

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "floating-ip-holds-router",
    title: "a floating IP still needs the cluster's router",
    during: Actions::DELETE,
    stage: Stage::RouterAndNetwork,
    explains: &[],
    needs: &["openstack/network/floatingips", "kubernetes/openstackcluster", "log:infrastructure-openstack"],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see the floating IPs and the ports they are on")
                .each("address", &["openstack floating ip show {each}"])
                .when("seen"),
            Step::say("delete those that were made for this cluster")
                .each("own", &["openstack floating ip delete {each}"])
                .when("own"),
            Step::say(
                "ask the owners of the others, then take them off their ports; the addresses stay theirs",
            )
            .each("foreign", &["openstack floating ip unset --port {each}"])
            .when("foreign"),
            Step::say("list the floating IPs of the router as an admin: they may be of another project")
                .run(&["openstack floating ip list --long --router {router}"])
                .unless("seen"),
            kit::DELETE_AGAIN,
        ],
    },
    values: &["address", "own", "foreign", "router"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

CAPO takes the router off the cluster's subnet before it deletes router and network. Neutron refuses
(409 RouterInterfaceInUseByFloatingIP) while a floating IP leads through this router to a port of the
subnet: that of a Service's load balancer, or of a server that somebody put on the network. A port alone
does not hold the router. No event is written for this refusal; it is in CAPO's log, and from CAPO 0.14
in a condition.

### How it is recognised

The refusal is current; the floating IPs are those whose router is the one that it names.

### Sources

- openstack/neutron neutron/db/l3_db.py (remove_router_interface)
- kubernetes-sigs/cluster-api-provider-openstack pkg/cloud/services/networking/router.go
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let messages = kit::refused_as(snapshot, "RouterInterfaceInUseByFloatingIP");
    let Some(router) = messages.iter().find_map(|m| router(m)) else { return Ok(Vec::new()) };
    let addresses: Vec<Doc<'_>> = snapshot
        .cloud
        .floating_ips
        .some()
        .iter()
        .copied()
        .filter(|f| f.str("router_id") == Some(router))
        .collect();
    let mut finding = match addresses.as_slice() {
        [] => {
            Finding::new(format!("a floating IP still needs the interface of the cluster's router {router}"))
                .likely_if(true)
        }
        [one] => Finding::new(format!(
            "floating IP {} ({}) still needs the cluster's router {router}",
            one.text("id"),
            one.text("floating_ip_address")
        )),
        many => Finding::new(format!("{} floating IPs still need the cluster's router {router}", many.len())),
    };
    finding = finding
        .says("Neutron does not take the router off the subnet before, so router and network cannot be deleted.")
        .about(kit::thing("router", router))
        .value("router", router);
    if messages.iter().all(|m| m.weak) {
        finding = finding.likely_if(true);
    }
    if addresses.is_empty() {
        finding = finding.says("None of those that were read is on it: it is of another project, or has gone since CAPO's last try.");
    }
    for address in addresses {
        finding = one(snapshot, address, finding);
    }
    for evidence in kit::evidence_of(snapshot, &messages).into_iter().take(2) {
        finding = finding.evidence(evidence);
    }
    Ok(vec![kit::delete_goes_on(snapshot, finding)])
}

/// The router of the request, `/v2.0/routers/<id>/remove_router_interface`.
fn router<'a>(message: &&'a Message) -> Option<&'a str> {
    let path = message.api.as_ref()?.path.as_deref()?;
    let (_, rest) = path.split_once("/routers/")?;
    rest.split('/').next().filter(|id| port::is_id(id))
}

fn one(snapshot: &Snapshot<'_>, address: Doc<'_>, finding: Finding) -> Finding {
    let id = address.text("id");
    let own = kit::own_address(snapshot, address);
    let whose = if own { "made for this cluster" } else { "not made for this cluster" };
    let finding = finding
        .flag("seen")
        .value("address", id)
        .about(kit::row("floating IP", address))
        .says(format!("Floating IP {id} is on port {}: {whose}.", address.text("port_id")))
        .evidence(kit::address(address));
    if own {
        finding.flag("own").value("own", id).deletes()
    } else {
        finding.flag("foreign").value("foreign", id)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{DELETING_NETWORK, check, report};

    const ID: &str = super::CAUSE.id;
    const LIST: &str = "openstack/network/floatingips";

    fn refused() -> String {
        let (head, _) = DELETING_NETWORK.split_once("     message:").unwrap();
        format!(
            "{head}     message: 'failed to delete router: unable to remove router interface: Expected HTTP response code [200] when accessing \
             [PUT http://n:9696/v2.0/routers/44444444-0000-4000-8000-000000000001/remove_router_interface], but got 409 instead: \
             {{\"NeutronError\": {{\"type\": \"RouterInterfaceInUseByFloatingIP\", \"message\": \"Router interface for subnet s on router \
             44444444-0000-4000-8000-000000000001 cannot be deleted, as it is required by one or more floating IPs.\", \"detail\": \"\"}}}}'}}\n"
        )
    }

    fn address(description: &str, router: &str) -> String {
        format!(
            "=== {LIST}.json\n{{\"floatingips\": [{{\"id\": \"f-1\", \"floating_ip_address\": \"192.0.2.7\", \"port_id\": \"p-1\", \
             \"router_id\": \"{router}\", \"description\": \"{description}\"}}]}}\n"
        )
    }

    fn lines(files: &str) -> Vec<String> {
        let report = report(files, &[]);
        report
            .causes
            .iter()
            .find(|c| c.id == ID)
            .unwrap()
            .fix
            .steps
            .iter()
            .flat_map(|s| s.run.clone())
            .collect()
    }

    #[test]
    fn the_address_on_the_router_is_named_and_a_foreign_one_only_taken_off() {
        let router = "44444444-0000-4000-8000-000000000001";
        let foreign = format!("{}{}", refused(), address("", router));
        check(ID, &foreign, &[], "certain");
        assert!(lines(&foreign).contains(&"openstack floating ip unset --port f-1".to_owned()));
        assert!(!lines(&foreign).iter().any(|l| l.contains("delete")));
        let of = "Floating IP for Kubernetes external service default/web from cluster 11111111-2222-4333-8444-555555555555";
        let own = format!("{}{}", refused(), address(of, router));
        assert!(lines(&own).contains(&"openstack floating ip delete f-1".to_owned()));
    }

    #[test]
    fn without_the_address_it_is_likely() {
        check(ID, &format!("{}{}", refused(), address("", "another")), &[], "likely");
        check(ID, &refused(), &[LIST], "likely");
    }

    #[test]
    fn another_refusal_is_none() {
        check(ID, DELETING_NETWORK, &[], "no");
        check(ID, DELETING_NETWORK, &["kubernetes/openstackcluster"], "not checked");
    }
}
