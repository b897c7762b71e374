//! The flavor that the machines ask for does not exist.

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
    id: "flavor-not-found",
    title: "the flavor of the machines does not exist",
    during: Actions::ALIVE,
    stage: Stage::Server,
    explains: &["node-never-joined"],
    needs: &[
        "openstack/compute/flavors",
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
            Step::say("see which flavors the project has").run(&["openstack flavor list --all"]),
            Step::say("see that the flavor is gone, or only not the project's")
                .each("flavor", &["openstack flavor show {each}"]),
            Step::say("give the project access to it if it is there and private (needs an admin)")
                .each("flavor", &["openstack flavor set --project {project_id} {each}"]),
            Step::say("or make it again under the same name (needs an admin)")
                .each("flavor", &["openstack flavor create --vcpus <number> --ram <MB> --disk <GB> {each}"]),
        ],
    },
    values: &["flavor", "machine"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

The machines ask for a flavor by name. Before CAPO makes anything of a server it looks the flavor up;
if it was deleted or renamed, or is private and not the project's, there is no port, no server, no
event and no condition, only a line in CAPO's log. CAPO tries again for ever, so a flavor that comes
back under its name is taken up by itself.

### How it is recognised

CAPO's log says \"no flavors were found: name=…\" about a machine of the cluster, not longer ago than
CAPO's longest pause between two tries allows, and no flavor of that name is in Nova's list.

### Sources

- kubernetes-sigs/cluster-api-provider-openstack pkg/cloud/services/compute/referenced_resources.go
- gophercloud/utils openstack/compute/v2/flavors (look-up by name)
";

const WORDS: &str = "no flavors were found";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let said = |m: &&Message| m.current() && m.has(WORDS);
    let messages: Vec<&Message> = snapshot.said.messages.iter().filter(said).collect();
    let nodes = machine::of_messages(snapshot, &messages);
    let names: BTreeSet<&str> = messages.iter().filter_map(|m| name(&m.text)).collect();
    let list = &snapshot.cloud.flavors;
    let lost: Vec<&str> =
        names.into_iter().filter(|name| !list.some().iter().any(|f| f.text("name") == *name)).collect();
    if lost.is_empty() {
        return Ok(Vec::new());
    }
    let which = kit::and(&lost.iter().map(|n| format!("\"{n}\"")).collect::<Vec<_>>());
    let who = machine::servers_of(&nodes);
    let headline = format!("there is no flavor {which} for the project, so CAPO cannot make {who}");
    let weak = messages.iter().all(|m| m.weak);
    let mut finding = Finding::new(headline).likely_if(weak || !list.whole());
    for evidence in kit::evidence_of(snapshot, &messages) {
        finding = finding.evidence(evidence);
    }
    for name in lost {
        finding = finding.value("flavor", name).about(thing("flavor", name));
        if list.whole() {
            let place = format!("openstack flavor show {name}");
            finding = finding.evidence(kit::seen("list of flavors", place, "no flavor of that name"));
        }
    }
    Ok(vec![machine::ends(snapshot, &nodes, "the flavor exists", finding)])
}

/// `c2.medium` out of `no flavors were found: name=c2.medium`.
fn name(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once(WORDS)?;
    let (_, name) = rest.split_once("name=")?;
    name.split([' ', ',', '"']).next().filter(|n| !n.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{SERVER_IN_ERROR, check};

    const ID: &str = super::CAUSE.id;

    fn files(name: &str) -> String {
        let objects =
            SERVER_IN_ERROR.split("apiVersion: infrastructure.cluster.x-k8s.io/v1alpha1").next().unwrap();
        let line = r#"E0101 11:58:33.143491 1 controller.go:474] "Reconciler error" err="no flavors were found: name=c2.medium" controller="openstackserver" controllerKind="OpenStackServer" OpenStackServer="magnum-system/kube-abcde-m1-os" namespace="magnum-system" name="kube-abcde-m1-os""#;
        let log =
            "=== kubernetes/namespaces/capo-system/v1/pod/capo-controller-manager-1-2/manager/current.log";
        let list = format!(
            "=== openstack/compute/flavors.json\n{{\"flavors\": [{{\"id\": \"1\", \"name\": \"{name}\"}}]}}"
        );
        format!("{objects}{log}\n{line}\n{list}\n")
    }

    #[test]
    fn a_look_up_that_finds_none_is_certain() {
        check(ID, &files("m1.medium"), &[], "certain");
    }

    #[test]
    fn a_flavor_that_is_back_is_none() {
        check(ID, &files("c2.medium"), &[], "no");
    }

    #[test]
    fn without_the_list_it_is_likely_and_without_the_log_not_checked() {
        let whole = files("m1.medium");
        let (no_list, _) = whole.split_once("=== openstack/compute/flavors").unwrap();
        check(ID, no_list, &["openstack/compute/flavors"], "likely");
        let (no_log, _) = whole.split_once("=== kubernetes/namespaces").unwrap();
        check(ID, no_log, &["log/capo-system"], "not checked");
        check(ID, no_log, &[], "no");
    }
}
