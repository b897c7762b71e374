//! Nova's scheduler finds no host for a server.

use super::kit::{self, machine, thing};
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::node::Node;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Message, Snapshot, Source};
use crate::report::Risk;

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "no-valid-host",
    title: "Nova finds no host for a server",
    during: Actions::ALIVE,
    stage: Stage::Server,
    explains: &["node-never-joined"],
    needs: &[
        "openstack/compute/servers",
        "kubernetes/machine",
        "kubernetes/openstackmachine",
        "kubernetes/openstackserver",
    ],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see what the server asks for").each(
                "server",
                &["openstack server show -c status -c fault -c flavor -c OS-EXT-AZ:availability_zone {each}"],
            ),
            Step::say("see what the flavor wants of a host")
                .each("flavor", &["openstack flavor show {each}"]),
            Step::say("see which hosts are up and what they have left (needs an admin)").run(&[
                "openstack compute service list --service nova-compute",
                "openstack hypervisor list --long",
            ]),
            Step::say(
                "bring hosts back, free room on them, or take a flavor that fits one: a new server with the same wish fails the same way",
            ),
            Step::say("have the machine made anew: CAPO never tries this server again")
                .each("machine", &["kubectl -n {namespace} delete machine {each}"])
                .when("given-up"),
        ],
    },
    values: &["server", "flavor", "machine"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

Nova takes the order for a server and then finds no host for it: the hosts are full or down, or none
has what the flavor, the availability zone or the server group asks for. The server stays in ERROR,
and CAPO does nothing more for a server in ERROR, even when there is room again; only a new Machine
gets a new server.

CAPO passes nothing of the reason on: its condition has an empty message, there is no event and no
error in its log. The words are in Nova alone.

### How it is recognised

A server of one of the cluster's machines, by id, has the fault \"No valid host was found\".

### Sources

- openstack/nova nova/exception.py (NoValidHost)
- kubernetes-sigs/cluster-api-provider-openstack controllers/openstackserver_controller.go
- kubernetes-sigs/cluster-api-provider-openstack issues 1596, 3375; vexxhost/magnum-cluster-api issue 63
";

const WORDS: &str = "no valid host was found";

/// True if the fault is this cause's.
pub(super) fn is(message: &Message) -> bool {
    matches!(message.source, Source::Fault(_)) && message.has(WORDS)
}

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let faults: Vec<&Message> = snapshot.said.messages.iter().filter(|m| m.current() && is(m)).collect();
    let of = |m: &Message, n: &Node<'_>| matches!(&m.source, Source::Fault(id) if n.nova.is_some_and(|s| s.text("id") == id && s.text("status") == "ERROR"));
    let nodes: Vec<&Node<'_>> = snapshot
        .nodes
        .iter()
        .filter(|n| faults.iter().any(|m| of(m, n)))
        .filter(|n| n.deleting().is_none())
        .collect();
    if nodes.is_empty() {
        return Ok(Vec::new());
    }
    let mut flavors: Vec<String> = nodes.iter().filter_map(|n| flavor(n)).map(str::to_owned).collect();
    flavors.sort();
    flavors.dedup();
    let of_flavor =
        if flavors.is_empty() { String::new() } else { format!(", flavor {}", kit::and(&flavors)) };
    let mut finding =
        Finding::new(format!("Nova finds no host for {}{of_flavor}", machine::servers_of(&nodes)));
    let faults: Vec<&Message> = faults.into_iter().filter(|m| nodes.iter().any(|n| of(m, n))).collect();
    for evidence in kit::evidence_of(snapshot, &faults) {
        finding = finding.evidence(evidence);
    }
    for node in &nodes {
        if let Some(id) = node.server_id() {
            finding = finding.value("server", id).about(thing("server", id));
        }
        if let Some(server) = node.server {
            let place = kit::kubectl_get(snapshot, server.kind(), server.name());
            let words =
                format!("instanceState {}, and no word of the reason", server.text("status.instanceState"));
            finding = finding.evidence(kit::seen(format!("OpenStackServer {}", server.name()), place, words));
        }
    }
    for flavor in flavors {
        finding = finding.value("flavor", flavor);
    }
    Ok(vec![machine::ends(snapshot, &nodes, "there is a host", finding)])
}

/// The flavor that the server was ordered with: Nova copies it into the server.
fn flavor<'w>(node: &Node<'w>) -> Option<&'w str> {
    node.nova.and_then(|s| s.str("flavor.original_name")).or_else(|| machine::spec(node, "spec.flavor"))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{SERVER_IN_ERROR, check, report};

    const ID: &str = super::CAUSE.id;

    fn files(fault: &str) -> String {
        SERVER_IN_ERROR.replace("FAULT", fault)
    }

    #[test]
    fn the_fault_of_the_machines_server_is_certain() {
        check(ID, &files("No valid host was found. There are not enough hosts available."), &[], "certain");
        check(ID, &files("No valid host was found. "), &[], "certain");
    }

    #[test]
    fn the_only_machine_of_a_control_plane_that_never_came_up_may_be_made_anew() {
        let report = report(&files("No valid host was found. "), &[]);
        let lines: Vec<&String> = report.causes[0].fix.steps.iter().flat_map(|s| &s.run).collect();
        assert!(
            lines.iter().any(|l| *l == "kubectl -n magnum-system delete machine kube-abcde-m1"),
            "{lines:?}"
        );
        assert!(
            lines.iter().any(|l| l.ends_with("availability_zone 5e5e5e5e-0000-4000-8000-000000000001")),
            "{lines:?}"
        );
    }

    #[test]
    fn the_only_machine_of_a_working_control_plane_is_never_to_be_deleted() {
        let files = files("No valid host was found. ").replace("INITIALISED", "'True'");
        let report = report(&files, &[]);
        let lines: Vec<&String> = report.causes[0].fix.steps.iter().flat_map(|s| &s.run).collect();
        assert!(!lines.iter().any(|l| l.contains("delete machine")), "{lines:?}");
    }

    #[test]
    fn another_fault_or_another_clusters_server_is_none() {
        check(
            ID,
            &files("Quota exceeded for cores: Requested 2, but already used 20 of 20 cores"),
            &[],
            "no",
        );
        let others =
            files("No valid host was found. ").replace("kube-abcde-m1-os", "kube-other-m1-os").replace(
                "instanceID: 5e5e5e5e-0000-4000-8000-000000000001",
                "instanceID: 5e5e5e5e-0000-4000-8000-000000000002",
            );
        check(ID, &others, &[], "no");
    }

    #[test]
    fn without_novas_list_it_is_not_checked() {
        let files = files("").split("=== openstack/compute").next().unwrap().to_owned();
        check(ID, &files, &["openstack/compute/servers"], "not checked");
    }
}
