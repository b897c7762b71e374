//! What ties a thing to the cluster, and what does not.
//!
//! Three kinds of names are safe by themselves: those with the namespace and the stack id in a
//! frame that only CAPO writes, descriptions that CAPO, the cloud provider and the driver write,
//! and metadata of the CSI drivers. A bare `<stack id>-…` could be anybody's: it counts only for
//! a stack id that is known to be one, in the shape that Cluster API gives to machines.

use super::item::project;
use super::strays;
use crate::model::belongs::Marks;
use crate::model::{Doc, Snapshot};

/// First words of every description that CAPO writes (pkg/utils/names/names.go, GetDescription).
pub(super) const BY_CAPO: &str = "Created by cluster-api-provider-openstack cluster ";
/// Metadata key of Cinder volumes and snapshots (pkg/csi/cinder/controllerserver.go).
pub(super) const CSI_CLUSTER: &str = "cinder.csi.openstack.org/cluster";

/// The cluster's marks, with what else tells whose a name is.
pub(super) struct Ties<'s, 'w> {
    pub(super) snapshot: &'s Snapshot<'w>,
    pub(super) marks: Marks,
    project: Option<&'w str>,
    /// True if the stack id is known to be one, so that bare names count.
    confirmed: bool,
}

impl<'s, 'w> Ties<'s, 'w> {
    pub(super) fn new(snapshot: &'s Snapshot<'w>) -> Self {
        let told = strays::stack_ids(snapshot.world);
        let marks = snapshot.marks.beside(&told);
        let confirmed = snapshot.marks.stack_id.as_deref().is_some_and(|id| {
            is_driver_made(id) || told.contains(id) || snapshot.world.stack_ids().contains(id)
        });
        Ties { snapshot, marks, project: snapshot.project_id(), confirmed }
    }

    /// True if a row is of the cluster's project, or of a list that has only its rows.
    pub(super) fn own(&self, row: Doc<'_>) -> bool {
        match (project(row), self.project) {
            (Some(its), Some(ours)) => its == ours,
            _ => true,
        }
    }

    /// True for a description that CAPO gave to something of this cluster.
    pub(super) fn by_capo(&self, row: Doc<'_>) -> bool {
        let Some(stack_id) = self.marks.stack_id.as_deref() else { return false };
        let maker = row.text("description").strip_prefix(BY_CAPO);
        maker.is_some_and(|name| {
            name == stack_id || name.strip_prefix(&format!("{}-", self.marks.namespace)) == Some(stack_id)
        })
    }

    /// True if a floating IP of the cluster's is on the port.
    pub(super) fn floating_ip_on(&self, port: Doc<'_>) -> bool {
        let mut rows = self.snapshot.cloud.floating_ips.some().iter();
        let ours = |row: &Doc<'_>| self.own(*row) && self.by_capo(*row);
        port.str("id").is_some() && rows.any(|row| ours(row) && row.str("port_id") == port.str("id"))
    }

    /// True for the end of a description that the cluster's own cloud provider wrote.
    pub(super) fn by_cloud_provider(&self, row: Doc<'_>, start: &str, end: &str) -> bool {
        let Some(uuid) = &self.marks.uuid else { return false };
        let description = row.text("description");
        description.starts_with(start) && description.ends_with(&format!(" {end} {uuid}"))
    }

    /// True for the metadata of a volume or a snapshot that the cluster's CSI driver made.
    pub(super) fn by_csi(&self, row: Doc<'_>) -> bool {
        let cluster = row.at("metadata").and_then(|m| m.get(CSI_CLUSTER)?.as_str());
        cluster.is_some() && cluster == self.marks.uuid.as_deref()
    }

    /// True for a name that is the stack id, or begins with it and a dash, and cannot be a longer one's.
    pub(super) fn names(&self, name: &str) -> bool {
        self.confirmed && self.marks.names(name)
    }

    /// True for a name in the shape that Cluster API gives to machines of this cluster: the stack id,
    /// more words, and five random letters; or the bastion. A name that was too long for Kubernetes
    /// is cut, and then has the letters without a dash.
    pub(super) fn machine(&self, name: &str) -> bool {
        let Some(stack_id) = self.marks.stack_id.as_deref().filter(|_| self.names(name)) else {
            return false;
        };
        let Some(rest) = name.strip_prefix(stack_id).and_then(|rest| rest.strip_prefix('-')) else {
            return false;
        };
        let (before, last) = rest.rsplit_once('-').unwrap_or(("", rest));
        rest == "bastion" || (!before.is_empty() && is_random(last)) || name.len() == LONGEST
    }

    /// What is worth knowing about how the things were looked for.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let uuid = self.marks.uuid.as_deref();
        let found = self.snapshot.cloud.credentials.some().iter().any(|row| row.str("name") == uuid);
        if self.snapshot.user_id().is_none() && uuid.is_some() && !found {
            notes.push(
                "whose application credential the cluster had is not known; only those of the login were looked at"
                    .to_owned(),
            );
        }
        notes
    }
}

/// Kubernetes cuts generated names here (k8s.io/apiserver pkg/storage/names/generate.go).
const LONGEST: usize = 63;

/// Five letters out of those that Kubernetes draws from (apimachinery pkg/util/rand).
fn is_random(word: &str) -> bool {
    word.len() == 5 && word.chars().all(|c| "bcdfghjklmnpqrstvwxz2456789".contains(c))
}

/// A stack id as the driver makes them today: `kube-` and five letters or digits.
pub(super) fn is_driver_made(word: &str) -> bool {
    let letters = word.strip_prefix("kube-");
    letters.is_some_and(|l| l.len() == 5 && l.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()))
}
