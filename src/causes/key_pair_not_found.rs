//! The key pair that the machines ask for does not exist.

use std::collections::BTreeSet;

use super::kit::{self, machine, thing};
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Message, Snapshot};
use crate::report::Risk;

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "key-pair-not-found",
    title: "the key pair of the machines does not exist",
    during: Actions::ALIVE,
    stage: Stage::Server,
    explains: &["node-never-joined"],
    needs: &[
        "openstack/compute/servers",
        "kubernetes/machine",
        "kubernetes/openstackmachine",
        "kubernetes/openstackserver",
        "log:infrastructure-openstack",
    ],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("as the user who made the cluster (user {user}), see which key pairs there are")
                .run(&["openstack keypair list"]),
            Step::say("as that user, make it again under the same name")
                .each("key", &["openstack keypair create --public-key <public key file> {each}"]),
            Step::say("have the machine made anew: CAPO never tries this server again")
                .each("machine", &["kubectl -n {namespace} delete machine {each}"])
                .when("given-up"),
        ],
    },
    values: &["key", "user", "machine"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

The machines carry the name of a key pair. Key pairs belong to a user, not to a project: CAPO asks
with the application credential of the user who made the cluster, so the key pair must be that user's.
If it was deleted, or was another user's from the start, Nova refuses every new server. CAPO 0.11 and
newer gives the server up for good; machines that run are not touched.

### How it is recognised

A current message about one of the cluster's machines holds Nova's 400 \"Invalid key_name provided.\"

### Sources

- openstack/nova nova/api/openstack/compute/servers.py (KeypairNotFound is answered with 400)
- kubernetes-sigs/cluster-api-provider-openstack controllers/openstackserver_controller.go
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let said = |m: &&Message| m.current() && m.has("invalid key_name provided");
    let messages: Vec<&Message> = snapshot.said.messages.iter().filter(said).collect();
    if messages.is_empty() {
        return Ok(Vec::new());
    }
    let nodes = machine::of_messages(snapshot, &messages);
    let keys: BTreeSet<&str> = nodes.iter().filter_map(|n| machine::spec(n, "spec.sshKeyName")).collect();
    let which = match keys.len() {
        0 => "the key pair of the machines".to_owned(),
        _ => format!("key pair \"{}\"", kit::and(&keys.iter().map(|k| (*k).to_owned()).collect::<Vec<_>>())),
    };
    let headline = format!(
        "{which} does not exist for the user who made the cluster, so Nova refuses {}",
        machine::servers_of(&nodes)
    );
    let mut finding = Finding::new(headline).likely_if(messages.iter().all(|m| m.weak));
    for evidence in kit::evidence_of(snapshot, &messages) {
        finding = finding.evidence(evidence);
    }
    for key in keys {
        finding = finding.value("key", key).about(thing("key pair", key));
    }
    finding = finding.value("user", snapshot.user_id().unwrap_or("<user id>"));
    Ok(vec![machine::ends(snapshot, &nodes, "the key pair exists", finding)])
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, report, server_refused};

    const ID: &str = super::CAUSE.id;

    #[test]
    fn novas_refusal_is_certain_and_names_the_key() {
        let files = server_refused(400, "Invalid key_name provided.");
        check(ID, &files, &[], "certain");
        let report = report(&files, &[]);
        assert!(report.causes[0].says[0].starts_with("key pair \"lab\""), "{:?}", report.causes[0].says);
    }

    #[test]
    fn another_refusal_is_none() {
        check(ID, &server_refused(400, "Can not find requested image"), &[], "no");
    }

    #[test]
    fn without_capos_servers_it_is_not_checked() {
        let files = server_refused(400, "Invalid key_name provided.");
        let files = files.split("apiVersion: infrastructure.cluster.x-k8s.io/v1alpha1").next().unwrap();
        check(ID, files, &["kubernetes/openstackserver"], "not checked");
        check(ID, files, &["log/capo-system"], "not checked");
    }
}
