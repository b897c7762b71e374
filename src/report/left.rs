//! What a cluster left behind, as data: `kind: LeftoversReport`.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use super::{ClusterHead, GapReport, SourceHead, Step, Thing};
use crate::exit::code;

/// What `kubectl magnum leftovers` found out about one cluster, or about a project.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LeftoversReport {
    /// [`super::API_VERSION`].
    pub api_version: &'static str,
    /// `LeftoversReport`.
    pub kind: &'static str,
    /// When the servers were read.
    #[cfg_attr(test, schemars(with = "String"))]
    pub taken_at: Timestamp,
    /// The process exit code that goes with the verdict.
    pub exit_code: u8,
    /// The answer in one word.
    pub verdict: LeftVerdict,
    /// The answer in one sentence, as the page says it.
    pub summary: String,
    /// Whether the cluster still exists.
    pub life: Life,
    /// Who the report is about. For a whole project only the project is filled in.
    pub cluster: ClusterHead,
    /// Where it was read.
    pub source: SourceHead,
    /// What is left over or holds up the delete, in the order in which it can go.
    pub leftovers: Vec<Leftover>,
    /// What carries the cluster's mark and is in use, or is still removed by the delete itself.
    pub in_use: Vec<InUse>,
    /// What the leftovers take of the project's quotas.
    pub quota: Vec<QuotaLine>,
    /// What could not be read.
    pub gaps: Vec<GapReport>,
    /// Parts without which nobody can say that nothing is left.
    pub needs: Vec<String>,
    /// What else the operator should know.
    pub notes: Vec<String>,
    /// What to run next.
    pub verify: Vec<Step>,
}

/// The verdict of `leftovers`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LeftVerdict {
    /// Nothing is left, and everything needed to say so was read.
    Clean,
    /// The cluster lives, or its delete is under way and nothing holds it up.
    InUse,
    /// Something holds what should go.
    Blocked,
    /// Something is left over.
    Leftovers,
    /// Too little was read to say.
    NotEnoughSeen,
}

impl LeftVerdict {
    /// The process exit code of the verdict.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            LeftVerdict::Clean | LeftVerdict::InUse => code::FINE,
            LeftVerdict::Blocked | LeftVerdict::Leftovers => code::WRONG,
            LeftVerdict::NotEnoughSeen => code::NOT_ENOUGH_SEEN,
        }
    }
}

/// Whether the cluster still exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Life {
    /// It exists and is not being deleted.
    Live,
    /// It is being deleted.
    Deleting,
    /// Neither Magnum nor the management cluster has it any more.
    Gone,
    /// One of the two could not be asked.
    Unknown,
}

/// One thing that is left over, or that holds up the delete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Leftover {
    /// What it is.
    pub thing: Thing,
    /// Stack id of the cluster it belonged to; its Magnum UUID where that is all that is known.
    pub cluster: String,
    /// What ties it to the cluster.
    pub tied_by: String,
    /// How sure the tie is.
    pub certainty: Tie,
    /// Why it is still there, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Who still holds it. It cannot go before they do.
    pub held_by: Vec<Holder>,
    /// What goes with it: listeners and pools of a load balancer, its port.
    pub with: Vec<Thing>,
    /// What it takes of the project's quotas.
    pub quota: BTreeMap<String, u64>,
    /// When it was made.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub since: Option<Timestamp>,
    /// Its place in the order of removal, from 1.
    pub order: usize,
    /// True for data: volumes and snapshots of the cluster's users. No script touches them.
    pub data: bool,
    /// Fields by the names of the `openstack` command, as they were read: what must still hold
    /// before it is removed.
    pub state: BTreeMap<String, String>,
    /// The command that shows it.
    pub look: String,
    /// The commands that remove it, by exact id, one a line. None for data, for what the delete
    /// itself removes once nothing holds it, and for what must not go.
    pub remove: Option<String>,
}

/// Somebody who holds a thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Holder {
    /// What holds it.
    #[serde(flatten)]
    pub thing: Thing,
    /// How, in words that fit after the thing.
    pub says: String,
    /// Its place in the order of removal, if it is left over itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<usize>,
}

/// How sure it is that a thing is the cluster's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Tie {
    /// It carries the cluster's mark itself.
    Exact,
    /// Something that carries the mark names it by id, or the other way round.
    ByReference,
    /// It carries no mark, but stands on a network that was made for this cluster alone.
    Blocks,
}

/// Things of one kind that are not left over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InUse {
    /// Kind of the things.
    pub kind: String,
    /// How many.
    pub count: usize,
    /// Who removes them: `cluster` as long as it lives, else `Cluster API` or `Magnum`.
    pub by: &'static str,
}

/// One quota of the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct QuotaLine {
    /// Name of the resource, as the service writes it.
    pub resource: String,
    /// What the leftovers take.
    pub takes: u64,
    /// What the project uses in all.
    pub used: Option<u64>,
    /// Its limit; none if unknown or without a limit.
    pub limit: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::LeftoversReport;

    /// As for the report of `why`: a stale file is written anew and fails the test once.
    #[test]
    fn schema_file_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/leftovers-report.json");
        let schema = schemars::schema_for!(LeftoversReport);
        let now = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
        let stored = std::fs::read_to_string(path).unwrap_or_default();
        if stored != now {
            std::fs::write(path, &now).unwrap();
        }
        assert_eq!(stored, now, "schemas/leftovers-report.json was stale and has been rewritten");
    }
}
