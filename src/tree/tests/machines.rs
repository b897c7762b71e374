//! Machines: what they wait for, what is shown below them, and when they fold.

use super::{Shape, check_as};

const TOP: &str = "
magnum: {status: CREATE_IN_PROGRESS}
objects:
- {kind: Cluster, metadata: {name: kube-a}, status: {conditions: [{type: Available, status: 'False', reason: NotAvailable, message: '* ControlPlaneAvailable: Control plane not yet initialized'}]}}
- {kind: OpenStackCluster, metadata: {name: o}, status: {ready: true}}
- {kind: KubeadmControlPlane, metadata: {name: k}, spec: {replicas: 1}}
";

/// A machine of the control plane or, with `w` in its name, of a deployment that no
/// list has; `more` goes below its status.
fn machine(name: &str, data: bool, ready: &str, more: &str) -> String {
    let label = if name.starts_with('w') { "" } else { ", labels: {cluster.x-k8s.io/control-plane: ''}" };
    let data = if data { format!(", dataSecretName: {name}") } else { String::new() };
    format!(
        "
- kind: Machine
  metadata: {{name: {name}{label}}}
  spec: {{bootstrap: {{configRef: {{name: {name}}}{data}}}, infrastructureRef: {{name: {name}}}}}
  status: {{conditions: [{{type: Ready, {ready}}}]{more}}}
"
    )
}

fn server(name: &str, ready: &str, more: &str) -> String {
    format!(
        "
- kind: OpenStackServer
  apiVersion: infrastructure.cluster.x-k8s.io/v1alpha1
  metadata: {{name: {name}}}
  status: {{conditions: [{{type: Ready, {ready}}}]{more}}}
"
    )
}

fn infra(name: &str, ready: &str) -> String {
    format!(
        "
- kind: OpenStackMachine
  apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
  metadata: {{name: {name}}}
  status: {{conditions: [{{type: Ready, {ready}}}]}}
"
    )
}

const WAITS: &str = "status: 'False', reason: WaitingForBootstrapData, severity: Info";
const REFUSED: &str = "status: 'False', reason: InstanceCreateFailed, severity: Error, message: 'POST /servers 403: no cores left'";
const TRUE: &str = "status: 'True'";
const NOT_READY: &str = r#"status: 'False', reason: NotReady, message: "* InfrastructureReady: WaitingForBootstrapData\n* NodeHealthy: Waiting for Cluster control plane to be initialized""#;

fn shape(grouping: bool, echo: bool) -> Shape {
    Shape { grouping, echo, ..Shape::default() }
}

/// Checks the rows below the control plane of a cluster that is being made.
fn check(shape: &Shape, objects: &[String], rest: &str, plane: char, expected: &str) {
    let cluster = format!("{TOP}{}{rest}", objects.concat());
    let mood = if plane == '!' { '!' } else { '?' };
    let whole = format!(
        "
        ? Magnum web CREATE_IN_PROGRESS
          {mood} Cluster kube-a False NotAvailable
            + OpenStackCluster o True
            ? KubeadmControlPlane k 0/1 Unknown NotReported
{expected}"
    );
    check_as(shape, &cluster, &whole);
}

#[test]
fn a_summary_becomes_what_the_machine_waits_for() {
    let without_data = [machine("m1", false, NOT_READY, ""), infra("m1", WAITS)];
    check(
        &Shape::default(),
        &without_data,
        "",
        '?',
        "              ? Machine m1 False waits for its bootstrap data\n",
    );
    let worker = [machine("w1", false, NOT_READY, ""), infra("w1", WAITS)];
    let row = "            - Other\n              ? Machine w1 False waits for the control plane\n";
    check(&Shape::default(), &worker, "", '?', row);
}

#[test]
fn stale_words_about_bootstrap_data_are_left_out() {
    let objects = [machine("m1", true, NOT_READY, ""), infra("m1", WAITS)];
    check(&Shape::default(), &objects, "", '?', "              ? Machine m1 False waits for its server\n");
    let echo = "              ? Machine m1 False waits for its server\n                ? OpenStackMachine m1 False WaitingForBootstrapData\n";
    check(&shape(true, true), &objects, "", '?', echo);
}

#[test]
fn a_refused_server_is_below_its_machine() {
    let objects = [machine("m1", true, NOT_READY, ""), infra("m1", WAITS), server("m1", REFUSED, "")];
    let rows = "
              ! Machine m1 False waits for its server
                ! OpenStackServer m1 False InstanceCreateFailed: POST /servers 403: no cores left
";
    check(&Shape::default(), &objects, "", '!', rows);
}

#[test]
fn a_machine_without_openstackserver_keeps_its_openstackmachine() {
    let old = "status: 'False', reason: InstanceCreateFailed, severity: Error, message: 1 of 2 completed";
    let objects = [machine("m1", true, old, ""), infra("m1", REFUSED)];
    let rows = "
              ! Machine m1 False InstanceCreateFailed
                ! OpenStackMachine m1 False InstanceCreateFailed: POST /servers 403: no cores left
";
    check(&Shape::default(), &objects, "", '!', rows);
}

#[test]
fn novas_fault_stands_below_the_openstackserver() {
    let state = "status: 'False', reason: InstanceStateError, severity: Error, message: ''";
    let objects = [
        machine("m1", true, NOT_READY, ""),
        infra("m1", state),
        server("m1", state, ", instanceID: id-1, instanceState: ERROR"),
    ];
    let nova = "openstack: {compute/servers: {servers: [{id: id-1, name: m1, status: ERROR, fault: {message: No valid host was found}}]}}";
    let rows = "
              ! Machine m1 False waits for its server
                ! OpenStackServer m1 False InstanceStateError
                  ! Server m1 ERROR: No valid host was found
";
    check(&Shape::default(), &objects, nova, '!', rows);
}

#[test]
fn a_server_is_missing_only_from_a_whole_list() {
    let joined = ", nodeRef: {name: m1}, initialization: {infrastructureProvisioned: true}";
    let objects = [
        machine("m1", true, TRUE, joined),
        infra("m1", TRUE),
        server("m1", TRUE, ", instanceID: id-1, instanceState: ACTIVE"),
    ];
    let missing = "
              + Machine m1 True
                + OpenStackServer m1 True
                  ! Server m1 missing
";
    check(&Shape::default(), &objects, "", '!', missing);
    let gap = "gaps: [{part: openstack/compute/servers, why: unreachable, says: no route}]";
    check(&Shape::default(), &objects, gap, '?', "              + Machine m1 True\n");
    let echo = "
              + Machine m1 True
                + OpenStackMachine m1 True
                + OpenStackServer m1 True
                  ? Server m1 not read: no route
";
    check(&shape(true, true), &objects, gap, '?', echo);
}

#[test]
fn nova_and_kubernetes_disagree() {
    let objects = [
        machine("m1", true, TRUE, ""),
        infra("m1", TRUE),
        server("m1", TRUE, ", instanceID: id-1, instanceState: ACTIVE"),
    ];
    let nova = "openstack: {compute/servers: {servers: [{id: id-1, name: m1, status: SHUTOFF}]}}";
    let rows = "
              + Machine m1 True
                + OpenStackServer m1 True
                  ! Server m1 SHUTOFF: Kubernetes still has it as ACTIVE
";
    check(&Shape::default(), &objects, nova, '!', rows);
}

#[test]
fn the_same_refusal_folds_and_stays_on_the_row() {
    let mut objects: Vec<String> = ["m1", "m2", "m3"]
        .iter()
        .flat_map(|n| {
            [
                machine(n, true, NOT_READY, ""),
                infra(n, WAITS),
                server(n, &REFUSED.replace("left", &format!("left for {n}")), ""),
            ]
        })
        .collect();
    let folded = "              ! 3 Machines... False InstanceCreateFailed: POST /servers 403: no cores left for m1 / See m1, m2, …\n";
    check(&Shape::default(), &objects, "", '!', folded);
    objects.pop();
    objects.push(server("m3", &REFUSED.replace("cores", "ram"), ""));
    let apart = "
              ! 2 Machines... False InstanceCreateFailed: POST /servers 403: no cores left for m1 / See m1, m2
              ! Machine m3 False waits for its server
                ! OpenStackServer m3 False InstanceCreateFailed: POST /servers 403: no ram left
";
    check(&Shape::default(), &objects, "", '!', apart);
}

#[test]
fn healthy_machines_fold_unless_told_not_to() {
    let objects =
        [machine("m1", true, TRUE, ""), infra("m1", TRUE), machine("m2", true, TRUE, ""), infra("m2", TRUE)];
    check(&Shape::default(), &objects, "", '?', "              + 2 Machines... True: See m1, m2\n");
    check(
        &shape(false, false),
        &objects,
        "",
        '?',
        "              + Machine m1 True\n              + Machine m2 True\n",
    );
    let named = Shape { show_conditions: "Machine/m1+".parse().unwrap(), ..Shape::default() };
    let rows = "
              + Machine m1 True
                + Ready True
              + Machine m2 True
";
    check(&named, &objects, "", '?', rows);
}

#[test]
fn a_machine_that_is_deleted_does_not_fold_with_one_that_is_not() {
    let going = machine("m2", true, NOT_READY, ", phase: Deleting").replace(
        "metadata: {name: m2",
        "metadata: {name: m2, deletionTimestamp: '2026-11-30T20:30:00Z', finalizers: [machine, drain]",
    );
    let objects = [machine("m1", true, NOT_READY, ""), infra("m1", WAITS), going, infra("m2", WAITS)];
    let rows = "
              ? Machine m1 False waits for its server
              ? Machine m2 False deleting: since 30m, finalizers: machine, drain
";
    check(&Shape::default(), &objects, "", '?', rows);
}

#[test]
fn what_is_left_of_machines_stands_under_other() {
    let objects = [infra("m7", TRUE), server("m8", REFUSED, "")];
    let rows = "
            - Other
              + OpenStackMachine m7 True
              ! OpenStackServer m8 False InstanceCreateFailed: POST /servers 403: no cores left
";
    check(&Shape::default(), &objects, "", '!', rows);
}

#[test]
fn the_sentence_that_reports_a_failure_is_kept() {
    let lost = r#"status: 'False', reason: NotReady, message: "* NodeHealthy: Waiting for Cluster control plane to be initialized\n* HealthCheckSucceeded:\n  * Health check failed:\n      * Node failed to report startup in 10m0s""#;
    let objects = [machine("m1", true, lost, ""), infra("m1", TRUE)];
    let rows = "              ! Machine m1 False NotReady: HealthCheckSucceeded: Node failed to report startup in 10m0s\n";
    check(&Shape::default(), &objects, "", '!', rows);
}
