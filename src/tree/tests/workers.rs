//! Deployments, node groups, MachineSets, health checks, templates.

use super::{Shape, check_as};

const TOP: &str = "
magnum: {status: CREATE_COMPLETE}
objects:
- {kind: Cluster, metadata: {name: kube-a}, status: {conditions: [{type: Available, status: 'True'}]}}
- {kind: OpenStackCluster, metadata: {name: o}, status: {ready: true}}
- kind: KubeadmControlPlane
  metadata: {name: k}
  spec: {replicas: 1, machineTemplate: {spec: {infrastructureRef: {kind: OpenStackMachineTemplate, name: t1}}}}
  status: {replicas: 1, readyReplicas: 1, initialization: {controlPlaneInitialized: true}, conditions: [{type: Available, status: 'True'}]}
";

const BLUE: &str = "
- kind: MachineDeployment
  metadata: {name: kube-a-blue, labels: {topology.cluster.x-k8s.io/deployment-name: blue}}
  spec:
    replicas: 2
    template: {spec: {bootstrap: {configRef: {kind: KubeadmConfigTemplate, name: t2}}, infrastructureRef: {kind: OpenStackMachineTemplate, name: t3}}}
  status: {replicas: 2, conditions: [{type: Available, status: 'False', reason: NotAvailable, message: 0 available replicas}]}
";

const SET: &str = "
- kind: MachineSet
  metadata: {name: kube-a-blue-s, ownerReferences: [{kind: MachineDeployment, name: kube-a-blue, controller: true}]}
  spec: {replicas: 1}
  status: {readyReplicas: 1, conditions: [{type: MachinesReady, status: 'True'}]}
- kind: Machine
  metadata: {name: w1, ownerReferences: [{kind: MachineSet, name: kube-a-blue-s, controller: true}]}
  spec: {bootstrap: {dataSecretName: w1}}
  status: {conditions: [{type: Ready, status: 'True'}]}
";

/// Checks the rows below the OpenStackCluster of a cluster that simply runs.
fn check(shape: &Shape, objects: &str, expected: &str) {
    let whole = format!(
        "
        + Magnum web CREATE_COMPLETE
          + Cluster kube-a True
            + OpenStackCluster o True
{expected}"
    );
    check_as(shape, &format!("{TOP}{objects}"), &whole);
}

#[test]
fn a_deployment_without_machines_is_shown() {
    let rows = "
            + KubeadmControlPlane k 1/1 True
            - Workers
              ! MachineDeployment kube-a-blue 0/2 False NotAvailable: 0 available replicas
";
    check(&Shape::default(), BLUE, rows);
}

#[test]
fn a_node_group_without_deployment_is_shown() {
    let groups = "groups: [{name: default-master, role: master, status: CREATE_COMPLETE}, {name: blue, role: worker, status: CREATE_COMPLETE}, {name: red, role: worker, status: CREATE_FAILED, status_reason: quota}, {name: new, role: worker, status: CREATE_IN_PROGRESS}]";
    let rows = "
            + KubeadmControlPlane k 1/1 True
            - Workers
              ! MachineDeployment kube-a-blue 0/2 False NotAvailable: 0 available replicas
              ? NodeGroup new missing CREATE_IN_PROGRESS
              ! NodeGroup red missing CREATE_FAILED: quota
";
    check(&Shape::default(), &format!("{BLUE}{groups}"), rows);
}

#[test]
fn machines_hang_below_their_deployment_or_their_set() {
    let direct = "
            + KubeadmControlPlane k 1/1 True
            - Workers
              ! MachineDeployment kube-a-blue 0/2 False NotAvailable: 0 available replicas
                + Machine w1 True
";
    check(&Shape::default(), &format!("{BLUE}{SET}"), direct);
    let sets = "
            + KubeadmControlPlane k 1/1 True
            - Workers
              ! MachineDeployment kube-a-blue 0/2 False NotAvailable: 0 available replicas
                + MachineSet kube-a-blue-s 1/1 True
                  + Machine w1 True
";
    check(&Shape { show_machinesets: true, ..Shape::default() }, &format!("{BLUE}{SET}"), sets);
}

#[test]
fn a_deployment_that_is_being_scaled_is_on_its_way() {
    let scaled = BLUE.replace("replicas: 2, conditions", "replicas: 1, conditions");
    let rows = "
            + KubeadmControlPlane k 1/1 True
            - Workers
              ? MachineDeployment kube-a-blue 0/2 False NotAvailable: 0 available replicas
                + Machine w1 True
";
    check(&Shape::default(), &format!("{scaled}{SET}"), rows);
}

#[test]
fn a_machine_of_no_known_deployment_stands_under_other() {
    let rows = "
            + KubeadmControlPlane k 1/1 True
            - Other
              + Machine w1 True
";
    check(&Shape::default(), SET, rows);
}

#[test]
fn templates_are_references() {
    let rows = "
            + KubeadmControlPlane k 1/1 True
              - Templates
                - OpenStackMachineTemplate t1
            - Workers
              ! MachineDeployment kube-a-blue 0/2 False NotAvailable: 0 available replicas
                - Templates
                  - KubeadmConfigTemplate t2
                  - OpenStackMachineTemplate t3
";
    check(&Shape { show_templates: true, ..Shape::default() }, BLUE, rows);
}

fn health_check(unhealthy: u8) -> String {
    format!(
        "
- kind: MachineHealthCheck
  metadata: {{name: k}}
  status:
    expectedMachines: 3
    currentHealthy: 1
    conditions: [{{type: RemediationAllowed, status: 'False', reason: TooManyUnhealthy, message: 'total: 3, unhealthy: {unhealthy}'}}]
"
    )
}

#[test]
fn a_health_check_is_shown_only_if_it_holds_back() {
    let holds = "
            + KubeadmControlPlane k 1/1 True
              ! MachineHealthCheck k 1/3 False TooManyUnhealthy: total: 3, unhealthy: 2
";
    check(&Shape::default(), &health_check(2), holds);
    check(&Shape::default(), &health_check(0), "            + KubeadmControlPlane k 1/1 True\n");
    let echo = "
            + KubeadmControlPlane k 1/1 True
              ? MachineHealthCheck k 1/3 False TooManyUnhealthy: total: 3, unhealthy: 0
";
    check(&Shape { echo: true, ..Shape::default() }, &health_check(0), echo);
}

#[test]
fn resource_sets_come_when_asked_for() {
    let set = "
- kind: ClusterResourceSet
  metadata: {name: uuid-1}
  status: {conditions: [{type: ResourcesApplied, status: 'True', reason: Applied}]}
";
    let rows = "
            - ClusterResourceSets
              + ClusterResourceSet uuid-1 True
            + KubeadmControlPlane k 1/1 True
";
    check(&Shape { show_resourcesets: true, ..Shape::default() }, set, rows);
    check(&Shape::default(), set, "            + KubeadmControlPlane k 1/1 True\n");
}
