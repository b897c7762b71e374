//! Status passes of the driver that stop at a node group.
//!
//! Each pass looks a worker group's MachineDeployment up in the topology; a group that is not
//! there raises MachineDeploymentNotFound and ends the whole pass, every 10 seconds
//! (vexxhost/magnum-cluster-api, magnum_cluster_api/driver.py, issue 978).

use super::refused;
use crate::model::{Message, Snapshot, Source};

/// A node group at which passes stop.
#[derive(Debug)]
pub struct Stopped<'a> {
    /// Its name.
    pub group: &'a str,
    /// Its status.
    pub status: &'a str,
    /// The conductor's newest record that says so, if there is one.
    pub said: Option<&'a Message>,
}

/// Worker groups of Magnum of which Cluster API has nothing, as far as that was read whole.
#[must_use]
pub fn stopped<'a>(snapshot: &'a Snapshot<'_>) -> Vec<Stopped<'a>> {
    let groups = snapshot.magnum.groups.some().iter();
    let workers = groups.filter(|g| g.text("role") != "master" && !g.text("name").is_empty());
    let unknown = workers.filter(|g| refused::unknown_to_cluster_api(snapshot, g.text("name")) == Some(true));
    unknown
        .map(|g| Stopped {
            group: g.text("name"),
            status: g.text("status"),
            said: said(snapshot, g.text("name")).max_by_key(|m| m.last),
        })
        .collect()
}

/// Current records of the conductor that miss the MachineDeployment of a group.
pub fn said<'a>(snapshot: &'a Snapshot<'_>, group: &str) -> impl Iterator<Item = &'a Message> {
    let words = format!("MachineDeployment {group} not found");
    let messages = snapshot.said.messages.iter();
    messages.filter(move |m| m.current() && matches!(m.source, Source::Conductor(_)) && m.has(&words))
}

/// What a delete owes to such a group: Magnum shows no reason until the Cluster is gone. It
/// holds nothing up, so it is a note and no cause.
#[must_use]
pub fn note(snapshot: &Snapshot<'_>) -> Option<String> {
    if snapshot.status() != "DELETE_IN_PROGRESS" {
        return None;
    }
    let stopped = stopped(snapshot);
    let first = stopped.iter().find(|s| s.said.is_some())?;
    Some(format!(
        "Magnum's status_reason is not kept up to date: every status pass stops at node group {}, which Cluster API does not know; that ends with the Cluster and holds nothing up",
        first.group
    ))
}
