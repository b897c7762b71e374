//! The management cluster: objects that a controller has not finished, ClusterResourceSets,
//! Secrets, and the Secret of the autoscaler's Helm release.

use super::item::Item;
use super::kind::Kind;
use super::ties::Ties;
use crate::model::Doc;
use crate::report::Tie;

/// What the driver puts behind the stack id (magnum_cluster_api/resources.py), and Cluster API.
const SECRETS: [&str; 7] =
    ["-cloud-config", "-cloud-provider", "-ca", "-etcd", "-proxy", "-sa", "-kubeconfig"];

/// Objects, ClusterResourceSets and Secrets.
pub(super) fn items<'w>(ties: &Ties<'_, 'w>) -> Vec<Item<'w>> {
    let kube = &ties.snapshot.kube;
    let finished = ["Cluster", "ClusterResourceSet", "KubeadmConfig", "MachineHealthCheck"];
    let mut items: Vec<Item<'w>> = kube
        .all()
        .filter(|doc| !finished.contains(&doc.kind()) && !doc.strings("metadata.finalizers").is_empty())
        .map(|doc| Item::new(Kind::Object, doc, Tie::Exact, "label cluster-name"))
        .collect();
    let sets = kube.resource_sets.some().iter().filter_map(|doc| Some((*doc, set(ties, *doc)?)));
    items.extend(sets.map(|(doc, tied_by)| Item::new(Kind::ResourceSet, doc, Tie::Exact, tied_by)));
    let secrets = ties.snapshot.world.objects("secret");
    let here = secrets.some().iter().filter(|doc| doc.namespace() == ties.marks.namespace);
    let found = here.filter_map(|doc| Some((*doc, secret(ties, *doc)?)));
    items.extend(found.map(|(doc, tied_by)| Item::new(Kind::Secret, doc, Tie::Exact, tied_by)));
    items
}

fn set(ties: &Ties<'_, '_>, doc: Doc<'_>) -> Option<&'static str> {
    match doc.name() {
        name if Some(name) == ties.marks.uuid.as_deref() => Some("name (Magnum UUID)"),
        name if is_named(ties, name, &["-cloud-provider"]) => Some("name (stack id)"),
        _ => None,
    }
}

fn secret(ties: &Ties<'_, '_>, doc: Doc<'_>) -> Option<&'static str> {
    let marks = &ties.marks;
    let stack_id = marks.stack_id.as_deref();
    let label = doc.label("cluster.x-k8s.io/cluster-name");
    if label.is_some() {
        return (label == stack_id).then_some("label cluster-name");
    }
    if doc.label("owner") == Some("helm") {
        let release = doc.label("name");
        return (release.is_some() && release == stack_id).then_some("Helm release (stack id)");
    }
    if let (Some(label), Some(uuid)) = (doc.label("cluster-uuid"), marks.uuid.as_deref()) {
        return (label == uuid).then_some("label cluster-uuid");
    }
    match doc.name() {
        name if Some(name) == marks.uuid.as_deref() => Some("name (Magnum UUID)"),
        name if is_named(ties, name, &SECRETS) => Some("name (stack id)"),
        _ => None,
    }
}

/// The stack id with one of these words behind it.
fn is_named(ties: &Ties<'_, '_>, name: &str, ends: &[&str]) -> bool {
    let stack_id = ties.marks.stack_id.as_deref();
    let rest = stack_id.and_then(|id| name.strip_prefix(id));
    rest.is_some_and(|rest| ends.contains(&rest))
}
