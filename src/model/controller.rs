//! The controllers of the management cluster, and whether they run.

use super::seen::Unseen;
use super::{Doc, Seen, version};

/// Label that every Cluster API provider carries.
pub const PROVIDER: &str = "cluster.x-k8s.io/provider";

/// One controller Deployment with its pods.
#[derive(Debug, Clone)]
pub struct Controller<'w> {
    /// Provider label (`infrastructure-openstack`), or the Deployment's name for Magnum's.
    pub provider: &'w str,
    /// Namespace.
    pub namespace: &'w str,
    /// Deployment name.
    pub name: &'w str,
    /// Image tag.
    pub version: Option<String>,
    /// Replicas asked for.
    pub wanted: i64,
    /// Replicas that are ready.
    pub ready: i64,
    /// Its pods, if they were read.
    pub pods: Vec<Doc<'w>>,
    /// Kubernetes kind: Deployment or StatefulSet.
    pub kind: &'w str,
}

impl Controller<'_> {
    /// True if no replica is ready.
    #[must_use]
    pub fn down(&self) -> bool {
        self.ready == 0
    }

    /// Why a pod does not run: the waiting reason of its container (`CrashLoopBackOff`).
    #[must_use]
    pub fn waiting(&self) -> Option<String> {
        self.pods.iter().find_map(|pod| {
            pod.list("status.containerStatuses").find_map(|c| {
                let reason = c.str("state.waiting.reason")?;
                let restarts = c.int("restartCount").unwrap_or(0);
                Some(format!("{reason}, {restarts} restarts"))
            })
        })
    }
}

/// All controllers: Deployments (and StatefulSets) with the provider label, and the
/// magnum-conductor.
#[must_use]
pub fn all<'w>(
    deployments: &Seen<Doc<'w>>,
    stateful: &Seen<Doc<'w>>,
    pods: &Seen<Doc<'w>>,
) -> Vec<Controller<'w>> {
    let workloads = deployments.some().iter().chain(stateful.some());
    workloads.filter_map(|d| one(*d, pods.some())).collect()
}

fn one<'w>(workload: Doc<'w>, pods: &[Doc<'w>]) -> Option<Controller<'w>> {
    let name = workload.name();
    let conductor = name.contains("magnum-conductor").then_some("magnum-conductor");
    let provider = workload.label(PROVIDER).or(conductor)?;
    let mine = |pod: &&Doc<'w>| {
        pod.namespace() == workload.namespace()
            && (pod.name().starts_with(&format!("{name}-"))
                || pod.owners().iter().any(|(_, o)| o.starts_with(name)))
    };
    Some(Controller {
        provider,
        namespace: workload.namespace(),
        name,
        version: version::of_image(workload),
        wanted: workload.int("spec.replicas").unwrap_or(1),
        ready: workload.int("status.readyReplicas").unwrap_or(0),
        pods: pods.iter().filter(mine).copied().collect(),
        kind: workload.kind(),
    })
}

/// The controller of a provider.
///
/// # Errors
/// [`Unseen`] if the Deployments were not read and it is not among those that were.
pub fn find<'a, 'w>(
    all: &'a [Controller<'w>],
    deployments: &Seen<Doc<'w>>,
    provider: &str,
) -> Result<Option<&'a Controller<'w>>, Unseen> {
    match all.iter().find(|c| c.provider == provider) {
        Some(controller) => Ok(Some(controller)),
        None => deployments.all().map(|_| None),
    }
}
