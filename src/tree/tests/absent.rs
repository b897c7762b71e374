//! What is not there, what was not read, and the rows at the top.

use super::check;

#[test]
fn nothing_made_yet_is_not_a_fault() {
    check(
        "
magnum: {status: CREATE_IN_PROGRESS, created_at: '2026-11-30T20:59:00Z'}
objects:
- {kind: Cluster, metadata: {name: kube-a}}
",
        "
        ? Magnum web CREATE_IN_PROGRESS
          ? Cluster kube-a Unknown NotReported
            ? OpenStackCluster missing: not made yet
            ? KubeadmControlPlane missing: not made yet
        ",
    );
}

#[test]
fn a_reference_to_nothing_is() {
    check(
        "
magnum: {status: CREATE_IN_PROGRESS}
objects:
- kind: Cluster
  metadata: {name: kube-a}
  spec: {infrastructureRef: {name: infra-1}, controlPlaneRef: {name: plane-1}}
",
        "
        ? Magnum web CREATE_IN_PROGRESS
          ? Cluster kube-a Unknown NotReported
            ! OpenStackCluster infra-1 missing
            ! KubeadmControlPlane plane-1 missing
        ",
    );
}

#[test]
fn a_cluster_is_missing_only_from_a_whole_list() {
    check(
        "magnum: {status: CREATE_FAILED, status_reason: 'ApiError: no such class'}",
        "
        ! Magnum web CREATE_FAILED: no such class
          ! Cluster kube-a missing
        ",
    );
    check(
        "
magnum: {status: CREATE_COMPLETE}
gaps:
- {part: kubernetes/cluster, why: unreachable, says: connection refused}
- {part: kubernetes/openstackcluster, why: unreachable, says: connection refused}
- {part: kubernetes/kubeadmcontrolplane, why: no-access, says: clusters is forbidden}
- {part: kubernetes/machinedeployment, why: no-access}
- {part: kubernetes/machine, why: timed-out, says: no answer in 30 s}
",
        "
        + Magnum web CREATE_COMPLETE
          ? Cluster kube-a not read: connection refused
            ? OpenStackCluster not read: connection refused
            ? KubeadmControlPlane forbidden: clusters is forbidden
            - Workers
              ? MachineDeployments forbidden: no-access
            ? Machines not read: no answer in 30 s
        ",
    );
}

#[test]
fn a_cluster_that_magnum_does_not_have() {
    check(
        "
openstack: {container-infra/clusters: {clusters: []}}
objects:
- {kind: Cluster, metadata: {name: kube-a, deletionTimestamp: '2026-11-30T20:00:00Z'}}
",
        "
        - Magnum web missing
          ? Cluster kube-a Unknown deleting: since 1h0m
            - OpenStackCluster missing
            - KubeadmControlPlane missing
        ",
    );
}

#[test]
fn a_copied_event_is_no_message_of_magnum() {
    check(
        "
magnum:
  status: CREATE_IN_PROGRESS
  status_reason: 'CAPI Cluster status: TopologyCreate: made. CAPI OpenstackCluster status reason: Successfulcreatenetwork: Created network'
",
        "
        ? Magnum web CREATE_IN_PROGRESS
          ! Cluster kube-a missing
        ",
    );
}

#[test]
fn what_outlived_its_cluster_is_shown() {
    check(
        "
magnum: {status: DELETE_IN_PROGRESS}
objects:
- {kind: OpenStackMachine, metadata: {name: m1, finalizers: [infra], deletionTimestamp: '2026-11-30T20:57:00Z'}}
",
        "
        ? Magnum web DELETE_IN_PROGRESS
          - Cluster kube-a missing
            - Other
              ? OpenStackMachine m1 Unknown deleting: since 3m0s, finalizers: infra
        ",
    );
}

#[test]
fn a_pause_is_said() {
    check(
        "
magnum: {status: CREATE_COMPLETE}
objects:
- kind: Cluster
  metadata: {name: kube-a}
  spec: {paused: true}
  status: {conditions: [{type: Available, status: 'True', reason: Available}]}
- {kind: OpenStackCluster, metadata: {name: o, annotations: {cluster.x-k8s.io/paused: ''}}, status: {ready: true}}
- {kind: KubeadmControlPlane, metadata: {name: k}, spec: {replicas: 0}, status: {conditions: [{type: Available, status: 'True'}], initialization: {controlPlaneInitialized: true}}}
",
        "
        + Magnum web CREATE_COMPLETE
          ? Cluster kube-a True paused: paused: its controllers leave it alone
            ? OpenStackCluster o True paused: paused: its controllers leave it alone
            + KubeadmControlPlane k 0/0 True
        ",
    );
}
