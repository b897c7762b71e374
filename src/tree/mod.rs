//! The condition tree, in the shape that operators know from `clusterctl describe cluster`.
//!
//! ```text
//! Magnum ─ Cluster ─┬─ OpenStackCluster ─ network, load balancer      cloud
//!                   ├─ KubeadmControlPlane ─ Machine ─ server         machine
//!                   ├─ Workers ─ MachineDeployment ─ Machine          workers
//!                   └─ Other                                          grow
//! ```
//!
//! What could not be read is a row as well: `missing` is said only of a list that was
//! read whole, everything else is `forbidden` or `not read`.

#![deny(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used
)]

use jiff::Timestamp;
use serde::Serialize;

mod cloud;
mod conditions;
mod fold;
mod grow;
mod machine;
mod mark;
mod row;
mod shape;
mod workers;

#[cfg(test)]
mod tests;

pub use grow::grow;
pub use mark::mark;
pub use shape::{Shape, ShowConditions};

/// One row of the tree and what hangs below it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Node {
    /// Kind of the object, or a grouping word (`Workers`, `Network`).
    pub kind: String,
    /// Its name; empty for a grouping row.
    pub name: String,
    /// `ready/desired` replicas, where the kind has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicas: Option<String>,
    /// `True`, `False`, `Unknown`, a service's own state (`ACTIVE`), or `missing`, `forbidden`, `not read`.
    pub status: String,
    /// One word.
    pub reason: String,
    /// A sentence or more; may have several lines.
    pub message: String,
    /// Since when.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub since: Option<Timestamp>,
    /// How the row is to be read.
    pub mood: Mood,
    /// True on the row that the first cause is about.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(test, schemars(default))]
    pub here: bool,
    /// True for a condition of the row above rather than an object of its own.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(test, schemars(default))]
    pub condition: bool,
    /// Names and ids, beside its own, under which the row can be found: what was folded
    /// into it, and the id of an OpenStack thing.
    #[serde(skip)]
    pub folded: Vec<String>,
    /// Rows below.
    pub children: Vec<Node>,
}

/// Colour-free meaning of a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Mood {
    /// As it should be.
    Good,
    /// Not as it should be.
    Bad,
    /// On its way, or not known.
    Unsure,
    /// Says nothing about health.
    #[default]
    Plain,
}

impl Node {
    /// True if this row or one below it is of that mood.
    fn any(&self, mood: Mood) -> bool {
        self.mood == mood || self.children.iter().any(|child| child.any(mood))
    }
}
