//! The conditions of a healthy cluster, by kind, for both contracts of Cluster API.

/// Kind, conditions that are True in a healthy cluster, and those that are False.
pub(crate) type Good = (&'static str, &'static [&'static str], &'static [&'static str]);

const MOVING: &[&str] = &["RollingOut", "Remediating", "ScalingUp", "ScalingDown", "Paused", "Deleting"];

/// What Cluster API with the contract v1beta2 and CAPO 0.14 show.
pub(crate) const NEW: &[Good] = &[
    (
        "Cluster",
        &[
            "Available",
            "RemoteConnectionProbe",
            "InfrastructureReady",
            "ControlPlaneInitialized",
            "ControlPlaneAvailable",
            "WorkersAvailable",
            "TopologyReconciled",
            "ControlPlaneMachinesReady",
            "WorkerMachinesReady",
            "ControlPlaneMachinesUpToDate",
            "WorkerMachinesUpToDate",
        ],
        MOVING,
    ),
    (
        "KubeadmControlPlane",
        &[
            "Available",
            "CertificatesAvailable",
            "Initialized",
            "EtcdClusterHealthy",
            "ControlPlaneComponentsHealthy",
            "MachinesReady",
            "MachinesUpToDate",
        ],
        MOVING,
    ),
    (
        "Machine",
        &[
            "Available",
            "Ready",
            "UpToDate",
            "BootstrapConfigReady",
            "InfrastructureReady",
            "NodeHealthy",
            "NodeReady",
            "HealthCheckSucceeded",
            "NodeKubeadmLabelsAndTaintsSet",
            "EtcdPodHealthy",
            "EtcdMemberHealthy",
            "APIServerPodHealthy",
            "ControllerManagerPodHealthy",
            "SchedulerPodHealthy",
        ],
        &["Updating", "Paused", "Deleting"],
    ),
    ("MachineDeployment", &["Available", "MachinesReady", "MachinesUpToDate"], MOVING),
    (
        "MachineSet",
        &["MachinesReady", "MachinesUpToDate"],
        &["Remediating", "ScalingUp", "ScalingDown", "Paused", "Deleting"],
    ),
    ("MachineHealthCheck", &["RemediationAllowed"], &["Paused"]),
    ("KubeadmConfig", &["Ready", "CertificatesAvailable", "DataSecretAvailable"], &["Paused"]),
    ("ClusterResourceSet", &["ResourcesApplied"], &["Paused"]),
    ("ClusterClass", &["VariablesReady"], &["Paused"]),
    (
        "OpenStackCluster",
        &["Ready", "NetworkReady", "RouterReady", "SecurityGroupsReady", "APIEndpointReady"],
        &[],
    ),
    ("OpenStackMachine", &["Ready", "InstanceReady", "APIServerIngressReadyCondition"], &[]),
    ("OpenStackServer", &["Ready", "InstanceReady"], &[]),
];

/// What Cluster API with the contract v1beta1 and CAPO 0.11 show.
pub(crate) const OLD: &[Good] = &[
    (
        "Cluster",
        &[
            "Ready",
            "ControlPlaneInitialized",
            "ControlPlaneReady",
            "InfrastructureReady",
            "TopologyReconciled",
        ],
        &[],
    ),
    (
        "KubeadmControlPlane",
        &[
            "Ready",
            "Available",
            "CertificatesAvailable",
            "ControlPlaneComponentsHealthy",
            "EtcdClusterHealthy",
            "MachinesCreated",
            "MachinesReady",
            "Resized",
        ],
        &[],
    ),
    (
        "Machine",
        &[
            "Ready",
            "BootstrapReady",
            "InfrastructureReady",
            "NodeHealthy",
            "HealthCheckSucceeded",
            "APIServerPodHealthy",
            "ControllerManagerPodHealthy",
            "SchedulerPodHealthy",
            "EtcdPodHealthy",
            "EtcdMemberHealthy",
        ],
        &[],
    ),
    ("MachineDeployment", &["Ready", "Available", "MachineSetReady"], &[]),
    ("MachineSet", &["Ready", "MachinesCreated", "MachinesReady", "Resized"], &[]),
    ("MachineHealthCheck", &["RemediationAllowed"], &[]),
    ("KubeadmConfig", &["Ready", "CertificatesAvailable", "DataSecretAvailable"], &[]),
    ("ClusterResourceSet", &["ResourcesApplied"], &[]),
    ("OpenStackMachine", &["Ready", "InstanceReady", "APIServerIngressReadyCondition"], &[]),
    ("OpenStackServer", &["Ready", "InstanceReady"], &[]),
];
