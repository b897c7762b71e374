//! The kinds of Kubernetes objects that are read, and how the cluster's are found.
//!
//! Versions and plurals: kubernetes-sigs/cluster-api `api/*/v1beta{1,2}`,
//! kubernetes-sigs/cluster-api-provider-openstack `api/v1*`.

/// One kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Kind as it is written.
    pub kind: &'static str,
    /// Word for it in URLs.
    pub plural: &'static str,
    /// API group; empty for the core.
    pub group: &'static str,
    /// Versions that we understand, newest first.
    pub versions: &'static [&'static str],
    /// How the cluster's objects are found.
    pub found: Found,
    /// True if nothing but the metadata is asked for.
    pub head_only: bool,
}

/// How the objects of one cluster are found among all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// By the label that Cluster API puts on everything: `cluster.x-k8s.io/cluster-name`.
    Labelled,
    /// By the label, and one that only has its name: the stack id with this behind it.
    LabelledAndNamed(&'static str),
    /// By their names, out of all in the namespace.
    OwnInNamespace,
    /// All in the namespace: shared by clusters.
    Namespace,
    /// Everywhere, by a label of the controllers.
    Everywhere(&'static str),
}

impl Row {
    /// Part of the bundle that the kind makes.
    #[must_use]
    pub fn part(&self) -> String {
        format!("kubernetes/{}", self.kind.to_lowercase())
    }

    /// What stands in `apiVersion` at a version.
    #[must_use]
    pub fn api_version(&self, version: &str) -> String {
        if self.group.is_empty() { version.to_owned() } else { format!("{}/{version}", self.group) }
    }
}

const CAPI: &str = "cluster.x-k8s.io";
const CAPO: &str = "infrastructure.cluster.x-k8s.io";
const CONTRACTS: &[&str] = &["v1beta2", "v1beta1"];
const CAPO_VERSIONS: &[&str] = &["v1beta1", "v1alpha7", "v1alpha6"];

/// Label of every Cluster API provider's Deployment and pods.
const PROVIDERS: &str = "cluster.x-k8s.io/provider";

/// Labels of the conductor's pods (openstack-helm, `magnum/templates/statefulset-conductor.yaml`).
pub const CONDUCTOR_PODS: &str = "application=magnum,component=conductor";

/// The Cluster object: found by its name or the label with the Magnum UUID.
pub const CLUSTER: Row = row("Cluster", "clusters", CAPI, CONTRACTS, Found::Labelled);

/// Every other kind.
pub const KINDS: &[Row] = &[
    row("OpenStackCluster", "openstackclusters", CAPO, CAPO_VERSIONS, Found::Labelled),
    row(
        "KubeadmControlPlane",
        "kubeadmcontrolplanes",
        "controlplane.cluster.x-k8s.io",
        CONTRACTS,
        Found::Labelled,
    ),
    row("MachineDeployment", "machinedeployments", CAPI, CONTRACTS, Found::Labelled),
    row("MachineSet", "machinesets", CAPI, CONTRACTS, Found::Labelled),
    row("Machine", "machines", CAPI, CONTRACTS, Found::Labelled),
    row("OpenStackMachine", "openstackmachines", CAPO, CAPO_VERSIONS, Found::Labelled),
    // Served in this one version, in a group whose preferred version is another.
    row("OpenStackServer", "openstackservers", CAPO, &["v1alpha1"], Found::Labelled),
    row("MachineHealthCheck", "machinehealthchecks", CAPI, CONTRACTS, Found::Labelled),
    row("KubeadmConfig", "kubeadmconfigs", "bootstrap.cluster.x-k8s.io", CONTRACTS, Found::Labelled),
    row(
        "ClusterResourceSet",
        "clusterresourcesets",
        "addons.cluster.x-k8s.io",
        CONTRACTS,
        // They have no label; two a cluster, and small.
        Found::OwnInNamespace,
    ),
    // The driver's Secret with the login has no label of Cluster API.
    head(row("Secret", "secrets", "", &["v1"], Found::LabelledAndNamed("-cloud-config"))),
    head(row("ClusterClass", "clusterclasses", CAPI, CONTRACTS, Found::Namespace)),
    row("Event", "events", "", &["v1"], Found::OwnInNamespace),
    row("Deployment", "deployments", "apps", &["v1"], Found::Everywhere(PROVIDERS)),
    row("Pod", "pods", "", &["v1"], Found::Everywhere(PROVIDERS)),
    row("Pod", "pods", "", &["v1"], Found::Everywhere(CONDUCTOR_PODS)),
];

const fn row(
    kind: &'static str,
    plural: &'static str,
    group: &'static str,
    versions: &'static [&'static str],
    found: Found,
) -> Row {
    Row { kind, plural, group, versions, found, head_only: false }
}

const fn head(row: Row) -> Row {
    Row { head_only: true, ..row }
}

/// Which of a kind's versions to ask for, best first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ask {
    /// These, the next one if the first is not found.
    Versions(Vec<&'static str>),
    /// The server has no such kind: read, and empty.
    Empty,
    /// The server has it only in versions that we do not know.
    TooNew(Vec<String>),
}

/// Chooses the versions of a kind by what the server says that it serves.
#[must_use]
pub fn ask(row: &Row, served: Option<&[String]>, group_is_read: bool) -> Ask {
    if row.group.is_empty() || !group_is_read {
        return Ask::Versions(row.versions.to_vec());
    }
    let Some(served) = served else { return Ask::Empty };
    let known: Vec<&'static str> =
        row.versions.iter().copied().filter(|v| served.iter().any(|s| s == v)).collect();
    if !known.is_empty() {
        return Ask::Versions(known);
    }
    let same_group = KINDS.iter().chain([&CLUSTER]).filter(|other| other.group == row.group);
    let newest = same_group.flat_map(|other| other.versions).map(|v| rank(v)).max();
    let newer: Vec<String> = served.iter().filter(|s| Some(rank(s)) > newest).cloned().collect();
    if newer.is_empty() { Ask::Empty } else { Ask::TooNew(newer) }
}

/// `v1` after `v1beta2` after `v1alpha7`; `v2alpha1` after `v1`.
fn rank(version: &str) -> (u32, u8, u32) {
    let number = |text: &str| text.parse().unwrap_or(0);
    let rest = version.trim_start_matches('v');
    match (rest.split_once("alpha"), rest.split_once("beta")) {
        (Some((major, minor)), _) => (number(major), 0, number(minor)),
        (_, Some((major, minor))) => (number(major), 1, number(minor)),
        _ => (number(rest), 2, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: &str, served: &[&str], expected: Ask) {
        let row = KINDS.iter().find(|row| row.kind == kind).expect("a row");
        let served: Vec<String> = served.iter().map(|s| (*s).to_owned()).collect();
        let served = (!served.is_empty()).then_some(served.as_slice());
        assert_eq!(ask(row, served, true), expected, "{kind} {served:?}");
    }

    #[test]
    fn the_newest_version_that_both_know() {
        check("Machine", &["v1beta1", "v1beta2"], Ask::Versions(vec!["v1beta2", "v1beta1"]));
        check("Machine", &["v1beta1", "v1alpha4"], Ask::Versions(vec!["v1beta1"]));
        check("OpenStackServer", &["v1beta1", "v1alpha1"], Ask::Versions(vec!["v1alpha1"]));
        check("Secret", &[], Ask::Versions(vec!["v1"]));
    }

    #[test]
    fn a_kind_that_is_not_served_is_empty_unless_it_may_be_newer() {
        check("OpenStackServer", &["v1beta1", "v1alpha7"], Ask::Empty);
        check("Machine", &[], Ask::Empty);
        check("Machine", &["v1"], Ask::TooNew(vec!["v1".to_owned()]));
        check("OpenStackServer", &["v1beta2"], Ask::TooNew(vec!["v1beta2".to_owned()]));
        assert_eq!(ask(&CLUSTER, None, false), Ask::Versions(vec!["v1beta2", "v1beta1"]));
    }
}
