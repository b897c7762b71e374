//! Whether this management cluster is the one that runs the cluster.

use std::collections::BTreeSet;

use super::harvest::Harvest;
use super::kinds::{CLUSTER, Found, KINDS, Row};
use super::kubernetes::{Kube, Which};
use super::openstack::Cloud;
use crate::bundle::{Meta, Object, Place, Why};
use crate::model::Doc;
use crate::model::belongs::Marks;

/// Stack ids of all clusters that the objects name.
pub(super) fn stack_ids(objects: &[Object]) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for object in objects {
        let doc = Doc(&object.value);
        ids.extend(doc.label("cluster.x-k8s.io/cluster-name").map(str::to_owned));
        if doc.kind() == "Cluster" {
            ids.insert(doc.name().to_owned());
        }
        if doc.text("involvedObject.kind") == "Cluster" {
            ids.insert(doc.text("involvedObject.name").to_owned());
        }
    }
    ids
}

/// Takes out what of the namespace's lists is other clusters'.
pub(super) fn only_own(objects: &mut Vec<Object>, marks: &Marks) {
    let shared: Vec<String> =
        KINDS.iter().filter(|r| r.found == Found::OwnInNamespace).map(Row::part).collect();
    objects.retain(|object| !shared.contains(&object.part) || is_own(Doc(&object.value), marks));
}

/// Whether an object that has no label of Cluster API is the cluster's. An Event is by what it
/// is about: its own name may be the beginning of anything.
fn is_own(doc: Doc<'_>, marks: &Marks) -> bool {
    let own = |name: &str| marks.names(name) || Some(name) == marks.uuid.as_deref();
    match doc.kind() {
        "Event" => {
            own(doc.text("involvedObject.name")) || about_class(doc) || marks.in_text(doc.text("message"))
        }
        _ => own(doc.name()),
    }
}

fn about_class(doc: Doc<'_>) -> bool {
    doc.text("involvedObject.kind") == "ClusterClass"
}

/// Whether something in the namespace carries the cluster's mark.
pub(super) fn marked(objects: &[Object], marks: &Marks) -> bool {
    let class = |doc: Doc<'_>| doc.kind() == "ClusterClass" && doc.name().starts_with("magnum-v");
    objects.iter().map(|object| Doc(&object.value)).any(|doc| {
        let by_label =
            doc.label("cluster.x-k8s.io/cluster-name").is_some_and(|l| Some(l) == marks.stack_id.as_deref());
        let by_uuid = doc.label("cluster-uuid").is_some_and(|l| Some(l) == marks.uuid.as_deref());
        by_label || by_uuid || is_own(doc, marks) && !about_class(doc) || class(doc)
    })
}

/// Establishes the place where nothing of the cluster tells: one of the namespace's Clusters that
/// this Magnum knows proves it too.
pub(super) async fn establish(kube: &Kube, cloud: Option<&Cloud>, marks: &Marks) -> Place {
    let heads = Row { head_only: true, ..CLUSTER };
    let all = Which { namespace: Some(&marks.namespace), name: None, labels: None };
    let (clusters, known) = futures::join!(kube.read(&heads, &all), async {
        match cloud {
            Some(cloud) => cloud.clusters().await.ok(),
            None => None,
        }
    });
    let Some(known) = known.filter(|_| clusters.fault.is_none()) else { return Place::Unknown };
    let uuids: BTreeSet<&str> = known.iter().filter_map(|row| row.get("uuid")?.as_str()).collect();
    let items = clusters.documents.iter().flat_map(|list| Doc(list).list("items"));
    let mut labels = items.filter_map(|cluster| cluster.label("cluster-uuid"));
    if labels.any(|uuid| uuids.contains(uuid)) { Place::Right } else { Place::Wrong }
}

/// From another management cluster nothing follows about this one.
pub(super) fn forget(harvest: &mut Harvest, place: Place) {
    for row in KINDS.iter().filter(|row| !matches!(row.found, Found::Everywhere(_))) {
        harvest.unread(&row.part());
    }
    harvest.unread(&CLUSTER.part());
    harvest.forget_logs();
    let Meta { source, login, namespace, .. } = &harvest.bundle.meta;
    let word = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
    let fact = match place {
        Place::Wrong => {
            "this is not the management cluster of that Magnum: none of its Clusters is known there"
        }
        _ => "nothing here carries the cluster's mark, so this may be another management cluster",
    };
    let says = format!(
        "{fact} (context {}, API server {}, namespace {namespace}, cloud {}, region {}); see --context and --os-cloud",
        word(&source.context),
        word(&source.api_server),
        word(&source.cloud),
        word(&login.region),
    );
    harvest.gap(&CLUSTER.part(), Why::WrongPlace, &says);
}
