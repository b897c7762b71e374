//! Nova has put a server in ERROR, for a reason that has no cause of its own here.

use super::kit::{self, machine, thing};
use super::{Cause, Finding, Fix, Look, Step, no_valid_host};
use crate::model::action::Actions;
use crate::model::node::Node;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Message, Snapshot, Source, api_error};
use crate::report::Risk;

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "server-in-error",
    title: "Nova has put a server in ERROR",
    during: Actions::ALIVE,
    stage: Stage::Server,
    explains: &["node-never-joined", "node-not-ready"],
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
            Step::say("read the fault: it is in Nova alone")
                .each("server", &["openstack server show -c status -c fault -c flavor {each}"]),
            Step::say("see on which step it failed").each("server", &["openstack server event list {each}"]),
            Step::say("mend what the fault names, with the people of the cloud if it is a host's"),
            Step::say("have the machine made anew: CAPO never tries this server again")
                .each("machine", &["kubectl -n {namespace} delete machine {each}"])
                .when("given-up"),
        ],
    },
    values: &["server", "machine"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

Nova took the order for a server, or had it running, and then put it in ERROR: a host failed while
it was building, a volume or a port could not be attached, a rebuild or a migration broke off. CAPO
does nothing more for such a server and does not pass the reason on; only a new Machine gets a new
server.

### How it is recognised

The server of one of the cluster's machines, by id, has the status ERROR in Nova. Faults that name a
quota or the lack of a host are causes of their own. Where Nova's servers could not be read, CAPO's
OpenStackServer with instanceState ERROR and the reason InstanceStateError makes it likely.

### Sources

- openstack/nova nova/compute/manager.py (build failures set ERROR and record a fault)
- kubernetes-sigs/cluster-api-provider-openstack controllers/openstackserver_controller.go and
  api/v1beta1/conditions_consts.go (InstanceStateError)
- kubernetes-sigs/cluster-api-provider-openstack issue 3375
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let alive = snapshot.nodes.iter().filter(|n| n.deleting().is_none());
    Ok(alive.filter_map(|node| in_nova(snapshot, node).or_else(|| in_capo(snapshot, node))).collect())
}

fn in_nova(snapshot: &Snapshot<'_>, node: &Node<'_>) -> Option<Finding> {
    let server = node.nova.filter(|s| s.text("status") == "ERROR")?;
    let id = server.str("id")?;
    let fault = snapshot.said.messages.iter().find(|m| matches!(&m.source, Source::Fault(of) if of == id));
    if fault.is_some_and(has_its_own_cause) {
        return None;
    }
    let reason = match fault {
        Some(fault) => format!("\"{}\"", fault.text.trim()),
        None => "Nova tells no fault".to_owned(),
    };
    let headline = format!("server {id} of {} is in ERROR: {reason}", machine::named(node));
    let finding = match fault {
        Some(fault) => Finding::new(headline).evidence(kit::evidence(snapshot, fault)),
        None => {
            let place = format!("openstack server show -c status -c fault {id}");
            Finding::new(headline).evidence(kit::seen(
                format!("Nova, server {}", server.text("name")),
                place,
                "status ERROR",
            ))
        }
    };
    let finding = finding.value("server", id).about(thing("server", id));
    Some(machine::ends(snapshot, &[node], "the reason is gone", finding))
}

fn has_its_own_cause(fault: &Message) -> bool {
    no_valid_host::is(fault) || api_error::quota(&fault.text).is_some()
}

/// What CAPO knows of it where Nova was not read: that it is so, not why.
fn in_capo(snapshot: &Snapshot<'_>, node: &Node<'_>) -> Option<Finding> {
    let doc = node.server.or(node.infra)?;
    let error = doc.text("status.instanceState") == "ERROR"
        && doc.condition("InstanceReady").is_some_and(|c| c.reason == "InstanceStateError");
    if !error || snapshot.cloud.servers.whole() {
        return None;
    }
    let says = format!(
        "Nova has put the server of {} in ERROR; the reason is only in Nova, which was not read",
        machine::named(node)
    );
    let place = kit::kubectl_get(snapshot, doc.kind(), doc.name());
    let mut finding = Finding::new(says).likely_if(true).evidence(kit::seen(
        format!("{} {}", doc.kind(), doc.name()),
        place,
        "instanceState ERROR, InstanceReady False InstanceStateError",
    ));
    if let Some(id) = node.server_id() {
        finding = finding.value("server", id).about(thing("server", id));
    }
    Some(machine::ends(snapshot, &[node], "the reason is gone", finding))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{SERVER_IN_ERROR, check, report};

    const ID: &str = super::CAUSE.id;

    fn files(fault: &str) -> String {
        SERVER_IN_ERROR.replace("FAULT", fault)
    }

    #[test]
    fn a_fault_without_a_cause_of_its_own_is_told() {
        let fault = "Exceeded maximum number of retries. Exhausted all hosts available";
        check(ID, &files(fault), &[], "certain");
        assert!(report(&files(fault), &[]).causes[0].says[0].contains(fault));
    }

    #[test]
    fn faults_with_a_cause_of_their_own_are_left_to_it() {
        check(ID, &files("No valid host was found. "), &[], "no");
        check(
            ID,
            &files("Quota exceeded for cores: Requested 2, but already used 20 of 20 cores"),
            &[],
            "no",
        );
    }

    #[test]
    fn a_server_that_runs_is_none() {
        let running = files("x")
            .replace("\"ERROR\"", "\"ACTIVE\"")
            .replace("instanceState: ERROR", "instanceState: ACTIVE");
        check(ID, &running, &[], "no");
    }

    #[test]
    fn capo_alone_makes_it_likely() {
        let files = files("x").split("=== openstack/compute").next().unwrap().to_owned();
        check(ID, &files, &["openstack/compute/servers"], "likely");
        check(ID, &files, &[], "no");
    }
}
