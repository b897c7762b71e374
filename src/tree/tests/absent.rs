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
fn a_cluster_that_was_only_just_asked_for_may_be_on_its_way() {
    for (created, mood) in [("20:59:30", '?'), ("20:55:00", '!')] {
        check(
            &format!("magnum: {{status: CREATE_IN_PROGRESS, created_at: '2026-11-30T{created}Z'}}"),
            &format!("? Magnum web CREATE_IN_PROGRESS\n  {mood} Cluster kube-a missing\n"),
        );
    }
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
          ? Cluster kube-a Unknown deleting: since 60m
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
              ? OpenStackMachine m1 Unknown deleting: since 3m, finalizers: infra
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

#[test]
fn what_waits_for_the_network_is_not_bad() {
    check(
        "
magnum: {status: CREATE_IN_PROGRESS}
objects:
- kind: Cluster
  metadata: {name: kube-a}
  status: {conditions: [{type: Available, status: 'False', reason: NotAvailable, message: '* InfrastructureReady: no routers left'}]}
- kind: OpenStackCluster
  metadata: {name: o}
  status: {conditions: [{type: Ready, status: 'False', reason: OpenStackError, severity: Error, message: no routers left}]}
- kind: KubeadmControlPlane
  metadata: {name: k}
  spec: {replicas: 1}
  status: {conditions: [{type: Available, status: 'False', reason: NotAvailable, message: not yet initialized}]}
",
        "
        ? Magnum web CREATE_IN_PROGRESS
          ! Cluster kube-a False NotAvailable
            ! OpenStackCluster o False OpenStackError: no routers left
            ? KubeadmControlPlane k 0/1 False NotAvailable: not yet initialized
        ",
    );
}

#[test]
fn a_fault_of_the_cluster_itself_is_kept() {
    check(
        r#"
magnum: {status: CREATE_IN_PROGRESS}
objects:
- kind: Cluster
  metadata: {name: kube-a}
  status:
    conditions:
    - {type: Available, status: 'False', reason: NotAvailable, message: "* ControlPlaneAvailable: Control plane not yet initialized\n* TopologyReconciled: webhook refused"}
    - {type: TopologyReconciled, status: 'False', reason: ReconcileFailed, message: webhook refused}
"#,
        "
        ? Magnum web CREATE_IN_PROGRESS
          ! Cluster kube-a False NotAvailable: TopologyReconciled: webhook refused
            ? OpenStackCluster missing: not made yet
            ? KubeadmControlPlane missing: not made yet
        ",
    );
}

#[test]
fn a_cluster_that_nobody_has_is_no_fault() {
    check(
        "openstack: {container-infra/clusters: {clusters: []}}",
        "
        - Magnum web missing
          - Cluster kube-a missing
        ",
    );
}
