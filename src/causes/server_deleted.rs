//! A server of the cluster was deleted in Nova behind CAPO's back.

use super::kit::{self, machine, thing};
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::node::Node;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::waits::CAPO;
use crate::model::{Message, Snapshot};
use crate::report::{Recovers, Risk};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "server-deleted",
    title: "a server of the cluster was deleted in Nova",
    during: Actions::ALIVE,
    stage: Stage::Server,
    explains: &["controller-panic", "node-never-joined", "node-not-ready"],
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
        risk: Risk::Deletes,
        steps: &[
            Step::say("see that it is gone").each("server", &["openstack server show {each}"]),
            Step::say("see that the other members of etcd are well before a control plane machine is taken out")
                .run(&["kubectl -n {namespace} describe kubeadmcontrolplane -l cluster.x-k8s.io/cluster-name={stack_id}"])
                .when("control-plane"),
            Step::say("delete the Machine: another one with a new server is made for it")
                .each("machine", &["kubectl -n {namespace} delete machine {each}"])
                .when("delete"),
            Step::say("bring the server back from a backup under the same addresses, or make the cluster anew: with the only control plane machine its etcd is gone")
                .when("only-one"),
            Step::say("once the Machine is gone let CAPO start, and upgrade it to 0.12.2 or newer")
                .run(&["kubectl -n {capo_namespace} rollout restart deployment {capo}", "clusterctl upgrade plan"])
                .when("panics"),
        ],
    },
    values: &["server", "machine", "capo_namespace", "capo"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

Somebody, or something that cleans up, deleted a server that belongs to a Machine. CAPO does not make
it again: it says \"The server was unexpectedly deleted\" while its own status keeps ready and ACTIVE,
and the Machine stays. A MachineHealthCheck replaces the Machine if its group has more than one; the
only machine of a group stays as it is. With the only control plane machine the cluster's data is lost.

CAPO 0.11.0 to 0.12.1 says nothing at all: it panics, and stands still for every cluster.

### How it is recognised

A Machine that is not being deleted has a server id that is not in the whole list of the project's
servers, or CAPO's condition says that it is gone. Machines younger than a minute do not count.

### Sources

- kubernetes-sigs/cluster-api-provider-openstack controllers/openstackserver_controller.go and
  openstackmachine_controller.go (InstanceNotFound, InstanceDeleted), issues 1741, 2404, 2523
- kubernetes-sigs/cluster-api internal/controllers/machinehealthcheck
";

const WORDS: [&str; 2] = ["the server was unexpectedly deleted", "virtual machine no longer exists"];

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let alive = snapshot.nodes.iter().filter(|n| n.machine.is_some() && n.deleting().is_none());
    Ok(alive.filter_map(|node| finding(snapshot, node)).collect())
}

fn finding(snapshot: &Snapshot<'_>, node: &Node<'_>) -> Option<Finding> {
    let id = node.server_id()?;
    let told: Vec<&Message> = told(snapshot, node);
    let missing = missing(snapshot, node);
    if node.nova.is_some() || (told.is_empty() && !missing) {
        return None;
    }
    let named = machine::named(node);
    let headline = format!("server {id} of {named} was deleted in Nova while its Machine still exists");
    let mut finding = Finding::new(headline)
        .likely_if(told.is_empty() && !lists_the_project(snapshot))
        .about(thing("Machine", node.name))
        .about(thing("OpenStackMachine", node.infra_name()))
        .about(thing("server", id))
        .value("server", id);
    if missing {
        let place = format!("openstack server show {id}");
        finding =
            finding.evidence(kit::seen("Nova, servers of the project", place, "no server with this id"));
    }
    for evidence in kit::evidence_of(snapshot, &told).into_iter().take(2) {
        finding = finding.evidence(evidence);
    }
    if let Some(doc) = node.server.or(node.infra) {
        let place = kit::kubectl_get(snapshot, doc.kind(), doc.name());
        let state = doc.str("status.instanceState").unwrap_or("not told");
        let words = format!("server id {id}, instanceState {state} (stale)");
        finding = finding.evidence(kit::seen(format!("{} {}", doc.kind(), doc.name()), place, words));
    }
    Some(ends(snapshot, node, panics(snapshot, node, finding)))
}

fn told<'a>(snapshot: &'a Snapshot<'_>, node: &Node<'_>) -> Vec<&'a Message> {
    let about = |m: &Message| m.kind.starts_with("OpenStack") && m.name == node.infra_name() && !m.weak;
    let says = |m: &Message| {
        WORDS.iter().any(|w| m.has(w)) || (m.reason == "InstanceNotFound" && m.kind == "OpenStackServer")
    };
    snapshot.said.messages.iter().filter(|m| m.current() && about(m) && says(m)).collect()
}

/// True if the id is not in the whole list, and not because the server is too young.
fn missing(snapshot: &Snapshot<'_>, node: &Node<'_>) -> bool {
    let young = node.created().is_none_or(|at| snapshot.age(at).as_secs() <= 60);
    snapshot.cloud.servers.whole() && node.nova.is_none() && !young
}

/// True if the list is the cluster's project's: the login was in it, or a row is.
fn lists_the_project(snapshot: &Snapshot<'_>) -> bool {
    let Some(project) = snapshot.project_id() else { return false };
    let login = snapshot.world.meta.login.project_id.as_deref() == Some(project);
    login || snapshot.cloud.servers.some().iter().any(|s| s.text("tenant_id") == project)
}

/// CAPO 0.11.0 to 0.12.1 panics on such a machine.
fn panics(snapshot: &Snapshot<'_>, node: &Node<'_>, finding: Finding) -> Finding {
    let names = |s: &crate::model::said::Spoken| {
        s.record.objects().iter().any(|(_, name)| *name == node.infra_name())
    };
    let Some(panic) = snapshot.said.records.iter().filter(|s| s.record.is_panic()).find(|s| names(s)) else {
        return finding;
    };
    let Some(capo) = snapshot.controllers.iter().find(|c| c.provider == CAPO) else { return finding };
    let version = capo.version.as_deref().map(|v| format!(" {v}")).unwrap_or_default();
    let ago = panic.record.at.map(|at| format!(" ({} ago)", kit::age(snapshot.age(at)))).unwrap_or_default();
    let words = panic.record.message.lines().next().unwrap_or_default();
    finding
        .flag("panics")
        .value("capo_namespace", capo.namespace)
        .value("capo", capo.name)
        .says(format!("CAPO{version} panics on that machine, and stands still for every cluster."))
        .evidence(kit::seen(
            format!("log of {}{ago}", panic.pod),
            kit::logs(&panic.pod, node.infra_name()),
            words,
        ))
}

fn ends(snapshot: &Snapshot<'_>, node: &Node<'_>, finding: Finding) -> Finding {
    let finding = if node.control_plane { finding.flag("control-plane") } else { finding };
    if machine::keeps_the_control_plane(snapshot, node) {
        let says = "It does not end by itself: this was the only machine of the control plane, and the cluster's data was on it.";
        let mut finding = finding.flag("only-one").recovers(Recovers::Never, says);
        finding.risk = Some(Risk::Reads);
        return finding;
    }
    let finding = finding.flag("delete").value("machine", node.name);
    if machine::replaceable(snapshot, node) {
        let says = "The MachineHealthCheck replaces it once its node has been away for 5 minutes, if no more than its share of the group is ill; deleting the Machine is quicker.";
        return finding.recovers(Recovers::AfterFix, says);
    }
    let (opening, replacement) = machine::replacement(snapshot, &[node]);
    finding.recovers(Recovers::Never, format!("{opening}: {replacement}."))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{SERVER_IN_ERROR, check, report};

    const ID: &str = super::CAUSE.id;
    const SERVER: &str = "5e5e5e5e-0000-4000-8000-000000000001";

    /// CAPO knows a server that runs; Nova lists `listed` for the project.
    fn files(listed: &str) -> String {
        let (objects, servers) = SERVER_IN_ERROR.split_once("=== openstack/compute").unwrap();
        let objects = objects.replace("instanceState: ERROR", "instanceState: ACTIVE").replace(
            "{type: InstanceReady, status: 'False', severity: Error, reason: InstanceStateError, message: ''}",
            "{type: InstanceReady, status: 'True'}",
        );
        format!(
            "{objects}=== openstack/compute{}",
            servers.replace(SERVER, listed).replace("\"ERROR\"", "\"ACTIVE\"")
        )
    }

    const OTHER: &str = "5e5e5e5e-0000-4000-8000-000000000009";

    #[test]
    fn an_id_that_the_whole_list_lacks_is_certain() {
        check(ID, &files(OTHER), &[], "certain");
        check(ID, &files(SERVER), &[], "no");
    }

    #[test]
    fn a_young_machine_or_one_that_is_being_deleted_does_not_count() {
        check(ID, &files(OTHER).replace("T11:52:00Z", "T11:59:30Z"), &[], "no");
        let deleting =
            "creationTimestamp: '2026-01-01T11:52:00Z'\n  deletionTimestamp: '2026-01-01T11:58:00Z'";
        check(ID, &files(OTHER).replace("creationTimestamp: '2026-01-01T11:52:00Z'", deleting), &[], "no");
    }

    #[test]
    fn capos_word_is_enough_without_novas_list() {
        let files = files(OTHER);
        let (objects, _) = files.split_once("=== openstack/compute").unwrap();
        check(ID, objects, &["openstack/compute/servers"], "not checked");
        let gone = "{type: InstanceReady, status: 'False', severity: Error, reason: InstanceNotFound, message: The server was unexpectedly deleted}";
        let said = objects.replace("{type: InstanceReady, status: 'True'}", gone);
        check(ID, &said, &["openstack/compute/servers"], "certain");
    }

    #[test]
    fn the_only_machine_of_a_working_control_plane_is_never_to_be_deleted() {
        let lines = |files: &str| {
            let report = report(files, &[]);
            report.causes[0].fix.steps.iter().flat_map(|s| s.run.clone()).collect::<Vec<_>>()
        };
        let delete = |l: &String| l.contains("delete machine");
        assert!(lines(&files(OTHER)).iter().any(delete));
        assert!(!lines(&files(OTHER).replace("INITIALISED", "'True'")).iter().any(delete));
    }
}
