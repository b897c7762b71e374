//! A server runs and never becomes a node.

use super::kit::{self, machine, thing};
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::condition::Status;
use crate::model::node::Node;
use crate::model::seen::Unseen;
use crate::model::stage::{self, Stage};
use crate::model::{Condition, Snapshot};
use crate::report::{Recovers, Risk};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "node-never-joined",
    title: "a server runs but never became a node",
    during: Actions::ALIVE,
    stage: Stage::Bootstrap,
    explains: &[],
    needs: &[
        "openstack/container-infra/clusters",
        "openstack/compute/servers",
        "kubernetes/cluster",
        "kubernetes/kubeadmcontrolplane",
        "kubernetes/machine",
        "kubernetes/openstackmachine",
        "kubernetes/openstackserver",
    ],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Reads,
        steps: &[
            Step::say("read what the server says on its console: cloud-init and kubeadm write there")
                .each("server", &["openstack console log show --lines 200 {each}"]),
            Step::say(
                "on the server itself: /var/log/cloud-init-output.log, journalctl -u kubelet, journalctl -u containerd",
            ),
            Step::say("see that the image is built for the Kubernetes version that is asked for").run(&[
                "openstack coe cluster show -c labels -c coe_version {uuid}",
                "kubectl -n {namespace} get machines -l cluster.x-k8s.io/cluster-name={stack_id}",
            ]),
            Step::say(
                "see that the server reaches the API endpoint, the name servers and the image registry",
            )
            .each("endpoint", &["curl -k {each}/healthz"]),
            Step::say("once the reason is gone, have the machine made anew: kubeadm is run only once")
                .each("machine", &["kubectl -n {namespace} delete machine {each}"])
                .when("alone"),
        ],
    },
    values: &["server", "endpoint", "machine"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

The server is ACTIVE, and from then on everything happens inside it: cloud-init runs kubeadm, which
needs an image that fits the Kubernetes version, a container runtime, the API endpoint, and often a
registry. If one of these fails nothing outside can say which: Cluster API only notes that no node has
come, and Magnum that it is still creating.

### How it is recognised

A machine's infrastructure is ready, its server is ACTIVE, it has no node, and that for longer than the
stage takes, or its health check has already given up (NodeStartupTimeout). Why it is so cannot be read
from outside the server, so this is never certain.

### Sources

- kubernetes-sigs/cluster-api internal/controllers/machinehealthcheck (NodeStartupTimeout)
- kubernetes-sigs/cluster-api docs/book/src/user/troubleshooting.md
- vexxhost/magnum-cluster-api issue 169; kubernetes-sigs/cluster-api issue 11427
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let late =
        snapshot.nodes.iter().filter(|n| waits(snapshot, n) && (timed_out(n).is_some() || over(snapshot, n)));
    let late: Vec<&Node<'_>> = late.collect();
    let Some(first) = late.first() else { return Ok(Vec::new()) };
    let headline = match late.as_slice() {
        [one] => match one.server_id() {
            Some(id) => format!("server {id} of {} runs but never became a node", machine::named(one)),
            None => format!("the server of {} runs but never became a node", machine::named(one)),
        },
        several => format!("the servers of {} machines run but never became nodes", several.len()),
    };
    let mut finding = Finding::new(headline)
        .likely_if(true)
        .says("What stops it is inside the server: its console tells, nothing outside does.")
        .recovers(recovers(snapshot, first), sentence(snapshot, first));
    for node in &late {
        if !machine::replaceable(snapshot, node) && !machine::keeps_the_control_plane(snapshot, node) {
            finding = finding.flag("alone").value("machine", node.name);
            finding.risk = Some(Risk::Deletes);
        }
        finding =
            finding.about(thing("Machine", node.name)).about(thing("OpenStackMachine", node.infra_name()));
        if let Some(id) = node.server_id() {
            finding = finding.about(thing("server", id)).value("server", id);
        }
    }
    if let Some(endpoint) = endpoint(snapshot) {
        finding = finding.value("endpoint", endpoint);
    }
    Ok(vec![evidence(snapshot, first, finding)])
}

/// True for a machine whose server runs and that should be a node by now or soon.
fn waits(snapshot: &Snapshot<'_>, node: &Node<'_>) -> bool {
    let runs = match node.nova {
        Some(server) => server.text("status") == "ACTIVE",
        None => !snapshot.cloud.servers.whole(),
    };
    node.machine.is_some()
        && node.deleting().is_none()
        && !node.joined()
        && node.built()
        && runs
        && !machine::stopped(node)
}

fn timed_out<'w>(node: &Node<'w>) -> Option<Condition<'w>> {
    let check = node.machine?.condition("HealthCheckSucceeded")?;
    (check.status == Status::False && check.reason == "NodeStartupTimeout").then_some(check)
}

fn over(snapshot: &Snapshot<'_>, node: &Node<'_>) -> bool {
    stage::machine(snapshot, node, "").over(snapshot.taken_at)
}

fn evidence(snapshot: &Snapshot<'_>, node: &Node<'_>, mut finding: Finding) -> Finding {
    let place = kit::kubectl_get(snapshot, "Machine", node.name);
    let age = node.created().map(|at| format!(" after {}", kit::age(snapshot.age(at)))).unwrap_or_default();
    let words = format!("infrastructure ready, no nodeRef{age}");
    finding = finding.evidence(kit::seen(format!("Machine {}", node.name), place.clone(), words));
    if let Some(check) = timed_out(node) {
        let words = format!("HealthCheckSucceeded False NodeStartupTimeout: {}", check.message.trim());
        finding = finding.evidence(kit::seen(format!("Machine {}", node.name), place, words));
    }
    match node.nova.and_then(|s| s.str("id")) {
        Some(id) => {
            let place = format!("openstack server show -c status {id}");
            finding.evidence(kit::seen(format!("Nova, server {id}"), place, "status ACTIVE"))
        }
        None => finding,
    }
}

fn recovers(snapshot: &Snapshot<'_>, node: &Node<'_>) -> Recovers {
    if machine::replaceable(snapshot, node) { Recovers::AfterFix } else { Recovers::Never }
}

fn sentence(snapshot: &Snapshot<'_>, node: &Node<'_>) -> String {
    if machine::replaceable(snapshot, node) {
        "The MachineHealthCheck replaces it about every 10 minutes; the next one fares no better until the reason is gone.".to_owned()
    } else {
        let (opening, replacement) = machine::replacement(snapshot, &[node]);
        format!("{opening}: {replacement}, and kubeadm is run only once.")
    }
}

/// `https://203.0.113.31:6443`
fn endpoint(snapshot: &Snapshot<'_>) -> Option<String> {
    let cluster = snapshot.kube.cluster()?;
    let host = cluster.str("spec.controlPlaneEndpoint.host")?;
    let port = cluster.int("spec.controlPlaneEndpoint.port").unwrap_or(6443);
    Some(format!("https://{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{SERVER_IN_ERROR, check, report};

    const ID: &str = super::CAUSE.id;

    /// A control plane machine whose server has run since that minute before 12:00.
    fn files(minute: u8) -> String {
        let files = SERVER_IN_ERROR
            .replace("instanceState: ERROR", "instanceState: ACTIVE")
            .replace("\"ERROR\"", "\"ACTIVE\"")
            .replace(",\n \"fault\": {\"code\": 500, \"created\": \"2026-01-01T11:53:00Z\", \"message\": \"FAULT\"}", "")
            .replace("T11:50:00Z", "T11:00:00Z")
            .replace("T11:52:00Z", &format!("T11:{minute:02}:00Z"));
        let refs = "  infrastructureRef: {kind: OpenStackMachine, name: kube-abcde-m1-os}\n";
        let status = format!(
            "status:\n  infrastructureReady: true\n  conditions:\n  - {{type: InfrastructureReady, status: 'True', lastTransitionTime: '2026-01-01T11:{minute:02}:30Z'}}\n"
        );
        let ready = "apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: kube-abcde, namespace: magnum-system, creationTimestamp: '2026-01-01T11:00:00Z'}\nspec: {controlPlaneEndpoint: {host: 203.0.113.31, port: 6443}}\nstatus: {infrastructureReady: true}\n---\n";
        files
            .replace(refs, &format!("{refs}{status}"))
            .replace("=== kubernetes/objects.yaml\n", &format!("=== kubernetes/objects.yaml\n{ready}"))
    }

    #[test]
    fn a_server_that_runs_for_long_without_a_node_is_likely() {
        check(ID, &files(20), &[], "likely");
        check(ID, &files(50), &[], "no");
    }

    #[test]
    fn the_console_of_that_server_is_named() {
        let report = report(&files(20), &[]);
        let lines: Vec<&String> = report.causes[0].fix.steps.iter().flat_map(|s| &s.run).collect();
        let console = "openstack console log show --lines 200 5e5e5e5e-0000-4000-8000-000000000001";
        assert!(lines.iter().any(|l| *l == console), "{lines:?}");
        assert!(lines.iter().any(|l| *l == "curl -k https://203.0.113.31:6443/healthz"), "{lines:?}");
    }

    #[test]
    fn a_server_that_does_not_run_or_a_machine_that_is_a_node_is_none() {
        check(ID, &files(20).replace("\"ACTIVE\"", "\"SHUTOFF\""), &[], "no");
        let joined = files(20).replace(
            "  infrastructureReady: true\n  cond",
            "  infrastructureReady: true\n  nodeRef: {name: n}\n  cond",
        );
        check(ID, &joined, &[], "no");
    }

    #[test]
    fn without_the_machines_it_is_not_checked() {
        let files = files(20);
        let (before, rest) = files.split_once("apiVersion: cluster.x-k8s.io/v1beta1\nkind: Machine").unwrap();
        let (_, after) = rest.split_once("---\n").unwrap();
        check(ID, &format!("{before}{after}"), &["kubernetes/machine"], "not checked");
    }
}
