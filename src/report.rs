//! The answer as data: the JSON contract of `kubectl-magnum/v1alpha1`.
//!
//! Names in here are fixed: fields are added, never renamed. Readers must tolerate
//! enum values they do not know. Times are RFC 3339 in UTC.

mod left;
mod list;
mod log;
mod version;

use jiff::Timestamp;
use serde::Serialize;

pub use left::{Holder, InUse, LeftVerdict, Leftover, LeftoversReport, Life, QuotaLine, Tie};
pub use list::{ClusterLine, ClusterList};
pub use log::LogLine;
pub use version::{ControllerVersion, VersionReport};

use crate::tree::Node;

/// `apiVersion` of every report.
pub const API_VERSION: &str = "kubectl-magnum/v1alpha1";

/// What `kubectl magnum why` found out about one cluster.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WhyReport {
    /// [`API_VERSION`].
    pub api_version: &'static str,
    /// `WhyReport`.
    pub kind: &'static str,
    /// When the servers were read.
    #[cfg_attr(test, schemars(with = "String"))]
    pub taken_at: Timestamp,
    /// The process exit code that goes with the verdict.
    pub exit_code: u8,
    /// The answer in one word.
    pub verdict: Verdict,
    /// The answer in one sentence, as the page says it.
    pub summary: String,
    /// What the cluster is doing.
    pub action: ActionWord,
    /// How far it is, if it is doing anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
    /// Who the report is about.
    pub cluster: ClusterHead,
    /// Where it was read.
    pub source: SourceHead,
    /// Causes, the first one first.
    pub causes: Vec<CauseReport>,
    /// Strongest current signals, where no cause was named.
    pub signals: Vec<Signal>,
    /// Loud things that are not the cause, and why not.
    pub not_it: Vec<NotIt>,
    /// Causes that could not be checked because something was not read.
    pub not_checked: Vec<NotChecked>,
    /// What could not be read.
    pub gaps: Vec<GapReport>,
    /// What else the operator should know.
    pub notes: Vec<String>,
    /// Which Magnum operations this state accepts.
    pub accepts: Vec<Accepts>,
    /// What to run to see that the fix worked, or to look further.
    pub verify: Vec<Step>,
    /// What holds up a delete, and what it will leave behind, in the order of removal.
    pub leftovers: Vec<Leftover>,
    /// The condition tree.
    pub tree: Node,
    /// Log records about this cluster, oldest first.
    pub log: Vec<LogLine>,
}

/// The verdict of `why`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Nothing is wrong, and everything needed to say so was read.
    Healthy,
    /// A stage is under way and inside its usual time.
    Working,
    /// At least one cause is named.
    CauseNamed,
    /// Something is wrong and the cause is not known.
    CauseUnknown,
    /// Too little was read to say.
    NotEnoughSeen,
}

/// What the cluster is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ActionWord {
    /// It is being made.
    Create,
    /// It is being changed.
    Update,
    /// It is being deleted.
    Delete,
    /// It is simply there.
    Run,
}

/// How far the cluster is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// Stage, in words that fit after "waiting for".
    pub stage: String,
    /// The last progress that was seen.
    #[cfg_attr(test, schemars(with = "String"))]
    pub since: Timestamp,
    /// Minutes the stage usually takes.
    pub usual: f64,
    /// Minutes after which something is wrong; none for a stage without a limit.
    pub limit: Option<f64>,
}

/// Who the report is about.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ClusterHead {
    /// Magnum name, or what was asked for.
    pub name: String,
    /// Magnum UUID.
    pub uuid: Option<String>,
    /// Name of the Cluster object.
    pub stack_id: Option<String>,
    /// Owner.
    pub project: Project,
    /// Magnum status.
    pub status: Option<String>,
    /// Magnum status_reason, as it stands.
    pub status_reason: Option<String>,
    /// Magnum health_status, shown and never believed.
    pub health_status: Option<String>,
    /// Since when it is in this state.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub since: Option<Timestamp>,
    /// True if `since` is only a bound: it may be shorter.
    pub since_at_most: bool,
    /// Versions that were read.
    pub versions: Versions,
}

/// A Keystone project.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Project {
    /// Project id.
    pub id: Option<String>,
    /// Project name.
    pub name: Option<String>,
}

/// Versions of what builds the cluster.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Versions {
    /// ClusterClass of the cluster.
    pub class: Option<String>,
    /// Highest driver version that wrote a ClusterClass here.
    pub driver_at_least: Option<String>,
    /// Cluster API core controller.
    pub capi: Option<String>,
    /// Cluster API Provider OpenStack.
    pub capo: Option<String>,
    /// Kubernetes version asked for.
    pub kubernetes: Option<String>,
}

/// Where the report was read.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SourceHead {
    /// kubeconfig context.
    pub context: Option<String>,
    /// Management API server.
    pub api_server: Option<String>,
    /// Cloud name.
    pub cloud: Option<String>,
    /// Region.
    pub region: Option<String>,
    /// Namespace of the Cluster API objects.
    pub namespace: String,
    /// Number of parts that were read whole.
    pub parts_read: usize,
    /// Number of parts that are gaps.
    pub parts_missing: usize,
}

/// A named cause.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CauseReport {
    /// Kebab-case id, also the name for `explain`.
    pub id: &'static str,
    /// Reads well after "because".
    pub title: &'static str,
    /// How sure.
    pub certainty: Certainty,
    /// What it means for this cluster: one or more sentences.
    pub says: Vec<String>,
    /// Whether it ends by itself.
    pub recovers: Recovers,
    /// Sentence for `recovers`, about this cluster.
    pub recovers_says: String,
    /// Things the cause is about.
    pub about: Vec<Thing>,
    /// Why we say so.
    pub evidence: Vec<Evidence>,
    /// What to do.
    pub fix: FixReport,
    /// Causes that follow from this one.
    pub consequences: Vec<&'static str>,
}

/// How sure a cause is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    /// Tied, current, and nothing that was read says otherwise.
    Certain,
    /// The best explanation, with something unread or inferred.
    Likely,
}

/// Whether a cause ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Recovers {
    /// Something must be made anew, whatever else is repaired.
    Never,
    /// The controllers go on once the fix is done.
    AfterFix,
    /// It ends without anybody doing anything.
    ByItself,
}

/// A thing that can be looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Thing {
    /// `port`, `security group`, `Machine`, …
    pub kind: String,
    /// OpenStack id, or the name of a Kubernetes object.
    pub id: String,
    /// Name, if it has one beside the id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Owning project, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

/// One piece of evidence.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Evidence {
    /// What said it, e.g. `OpenStackServer kube-4g0ec-88gxw-w465v, InstanceReady False`.
    pub source: String,
    /// The command that shows it again.
    pub place: String,
    /// Its words.
    pub words: String,
}

/// What to do about a cause.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FixReport {
    /// What the steps touch.
    pub risk: Risk,
    /// In this order.
    pub steps: Vec<Step>,
}

/// What a fix touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Risk {
    /// Looks only.
    Reads,
    /// Changes a setting, a quota, a role.
    Changes,
    /// Deletes something.
    Deletes,
    /// Edits a service's database by hand.
    EditsDatabase,
}

/// One step, with the complete shell lines.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Step {
    /// What it does.
    pub say: String,
    /// Lines to run; none for a step that a person does.
    pub run: Vec<String>,
}

/// A loud thing that is not the cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NotIt {
    /// What is loud.
    pub what: String,
    /// Why it is not the cause.
    pub because: String,
}

/// A current signal, where no cause was named.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Signal {
    /// What said it.
    pub source: String,
    /// The command that shows it again.
    pub place: String,
    /// Its words.
    pub words: String,
}

/// A cause that could not be checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NotChecked {
    /// Cause id.
    pub cause: &'static str,
    /// Parts that were missing.
    pub needs: Vec<String>,
}

/// A part that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GapReport {
    /// Part name.
    pub part: String,
    /// Kind of failure.
    pub why: &'static str,
    /// What was said.
    pub says: String,
}

/// Whether Magnum takes an operation in the present state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Accepts {
    /// `update`, `resize`, `upgrade`, `delete`.
    pub operation: &'static str,
    /// `yes`, or how it is refused.
    pub answer: String,
}

#[cfg(test)]
mod tests {
    use super::WhyReport;

    /// The schema in the repository is what other programs read; a stale one is
    /// written anew and fails the test once.
    #[test]
    fn schema_file_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/why-report.json");
        let schema = schemars::schema_for!(WhyReport);
        let now = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
        let stored = std::fs::read_to_string(path).unwrap_or_default();
        if stored != now {
            std::fs::create_dir_all(concat!(env!("CARGO_MANIFEST_DIR"), "/schemas")).unwrap();
            std::fs::write(path, &now).unwrap();
        }
        assert_eq!(stored, now, "schemas/why-report.json was stale and has been rewritten");
    }
}
