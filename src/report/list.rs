//! The clusters as data: `kind: ClusterList`.

use jiff::Timestamp;
use serde::Serialize;

use super::GapReport;

/// What `kubectl magnum list` found.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterList {
    /// [`super::API_VERSION`].
    pub api_version: &'static str,
    /// `ClusterList`.
    pub kind: &'static str,
    /// When the servers were read.
    pub taken_at: Timestamp,
    /// The process exit code.
    pub exit_code: u8,
    /// The clusters, the stuck ones first.
    pub clusters: Vec<ClusterLine>,
    /// How many of them are stuck.
    pub stuck: usize,
    /// How many there are, shown or not.
    pub all: usize,
    /// What could not be read.
    pub gaps: Vec<GapReport>,
}

/// One cluster.
#[derive(Debug, Clone, Serialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct ClusterLine {
    /// Magnum name; the stack id if Magnum does not have it.
    pub name: String,
    /// Magnum UUID.
    pub uuid: Option<String>,
    /// Name of the Cluster object.
    pub stack_id: Option<String>,
    /// Keystone project.
    pub project_id: Option<String>,
    /// Magnum status.
    pub status: Option<String>,
    /// Since when it is like this, at most.
    pub since: Option<Timestamp>,
    /// True if it does not get on.
    pub stuck: bool,
    /// Why it is shown as stuck, in one line.
    pub says: String,
}
