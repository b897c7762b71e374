//! Which controllers the cluster's current stage waits for.
//!
//! A controller serves every cluster, so that it is down is this cluster's cause only if
//! the next step is that controller's to make.

use super::api_error::Webhook;
use super::snapshot::Snapshot;
use super::stage::{self, Stage};

/// Provider label of CAPO.
pub const CAPO: &str = "infrastructure-openstack";
/// Provider label of Cluster API's core.
pub const CORE: &str = "cluster-api";
/// Provider label of the KubeadmControlPlane controller.
pub const KCP: &str = "control-plane-kubeadm";
/// Provider label of the kubeadm bootstrap controller.
pub const BOOTSTRAP: &str = "bootstrap-kubeadm";
/// Magnum's conductor, which has no provider label.
pub const CONDUCTOR: &str = "magnum-conductor";

/// How much the current stage depends on a controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// Nothing is under way, or somebody else has to act.
    Not,
    /// Something is under way that it may have a later part in.
    Maybe,
    /// The next step is its own.
    Now,
}

/// Parts that the answer of [`need`] hangs on.
pub const PARTS: [&str; 10] = [
    "openstack/container-infra/clusters",
    "kubernetes/cluster",
    "kubernetes/openstackcluster",
    "kubernetes/kubeadmcontrolplane",
    "kubernetes/machinedeployment",
    "kubernetes/machine",
    "kubernetes/openstackmachine",
    "kubernetes/openstackserver",
    "kubernetes/kubeadmconfig",
    "openstack/load-balancer/loadbalancers",
];

/// How much the current stage depends on a provider's controller.
#[must_use]
pub fn need(snapshot: &Snapshot<'_>, provider: &str) -> Need {
    if webhook_asked(snapshot, provider) {
        return Need::Now;
    }
    let Some(waiting) = stage::waiting(snapshot) else { return Need::Not };
    // A failed request that left no Cluster behind is never taken up again.
    if snapshot.kube.cluster().is_none() && snapshot.status().ends_with("_FAILED") {
        return Need::Not;
    }
    if acts(snapshot, waiting.stage, provider) {
        return Need::Now;
    }
    if provider == CONDUCTOR { Need::Not } else { Need::Maybe }
}

/// True if a current message says that this provider's webhook could not be asked.
fn webhook_asked(snapshot: &Snapshot<'_>, provider: &str) -> bool {
    let webhooks =
        snapshot.said.messages.iter().filter(|m| m.current() && !m.weak).filter_map(|m| m.api.as_ref());
    webhooks.filter_map(|a| a.webhook.as_ref()).any(|w| !w.denied && provider_of(w) == Some(provider))
}

/// The provider that serves a webhook, by the API group at the end of its name.
/// Source: kubernetes-sigs/cluster-api and cluster-api-provider-openstack, config/webhook/manifests.yaml.
#[must_use]
pub fn provider_of(webhook: &Webhook) -> Option<&'static str> {
    let groups = [
        (".infrastructure.cluster.x-k8s.io", CAPO),
        (".controlplane.cluster.x-k8s.io", KCP),
        (".bootstrap.cluster.x-k8s.io", BOOTSTRAP),
        (".cluster.x-k8s.io", CORE),
    ];
    groups.iter().find(|(group, _)| webhook.name.ends_with(group)).map(|(_, provider)| *provider)
}

fn acts(snapshot: &Snapshot<'_>, stage: Stage, provider: &str) -> bool {
    let masters = || snapshot.nodes.iter().filter(|n| n.control_plane && n.machine.is_some());
    match (stage, provider) {
        (Stage::Topology, CONDUCTOR) => snapshot.kube.cluster().is_none(),
        (Stage::Topology, _) => true,
        (Stage::Network | Stage::LoadBalancer | Stage::RouterAndNetwork | Stage::Groups, CAPO)
        | (Stage::ApiLoadBalancer | Stage::Server | Stage::Machines, CAPO) => true,
        (Stage::Server | Stage::Bootstrap | Stage::Node | Stage::Addons | Stage::Machines, CORE) => true,
        (Stage::Server | Stage::Bootstrap, KCP) => {
            masters().next().is_none() || masters().any(|n| !n.joined())
        }
        (Stage::Machines, KCP) => masters().any(|n| n.deleting().is_some()),
        (Stage::Server, BOOTSTRAP) => {
            snapshot.nodes.iter().any(|n| n.machine.is_some() && !n.has_bootstrap_data())
        }
        (Stage::MagnumSync | Stage::ServiceLoadBalancers | Stage::MagnumCleanUp, CONDUCTOR) => true,
        _ => false,
    }
}

/// Usual namespace and Deployment of a provider's controller, for where its Deployment was
/// not read. Source: kubernetes-sigs/cluster-api, cmd/clusterctl/client/config and the
/// providers' config/default/kustomization.yaml.
#[must_use]
pub fn usual(provider: &str) -> (&'static str, &'static str) {
    match provider {
        CAPO => ("capo-system", "capo-controller-manager"),
        KCP => ("capi-kubeadm-control-plane-system", "capi-kubeadm-control-plane-controller-manager"),
        BOOTSTRAP => ("capi-kubeadm-bootstrap-system", "capi-kubeadm-bootstrap-controller-manager"),
        CONDUCTOR => ("openstack", "magnum-conductor"),
        _ => ("capi-system", "capi-controller-manager"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_webhook_belongs_to_the_controller_of_its_api_group() {
        let check = |name: &str, expected: Option<&str>| {
            let webhook = Webhook { name: name.to_owned(), denied: false };
            assert_eq!(provider_of(&webhook), expected, "{name}");
        };
        check("validation.openstackcluster.infrastructure.cluster.x-k8s.io", Some(CAPO));
        check("validation.openstackclustertemplate.infrastructure.cluster.x-k8s.io", Some(CAPO));
        check("validation.kubeadmcontrolplane.controlplane.cluster.x-k8s.io", Some(KCP));
        check("default.kubeadmconfig.bootstrap.cluster.x-k8s.io", Some(BOOTSTRAP));
        check("validation.clusterclass.cluster.x-k8s.io", Some(CORE));
        check("webhook.cert-manager.io", None);
    }
}
