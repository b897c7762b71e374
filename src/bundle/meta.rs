//! `bundle.yaml`: the index of a bundle.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::document;

/// The only format number that this program writes and understands.
pub const FORMAT: u32 = 1;

/// The index of a bundle. Unknown fields are ignored, missing ones have a neutral value.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Meta {
    /// Format number; see [`FORMAT`].
    pub format: u32,
    /// When the servers were read, by the API server's clock if that was known.
    pub taken_at: Option<Timestamp>,
    /// Name and version of the program that wrote the bundle.
    pub tool: String,
    /// `why` or `leftovers`: the command the bundle was collected for.
    pub command: String,
    /// The cluster as the operator called it: name, UUID or stack id.
    pub asked_for: String,
    /// The identifiers that were resolved from it.
    pub target: Target,
    /// Namespace of the Cluster API objects, `magnum-system` by default.
    pub namespace: String,
    /// Whose OpenStack token read the OpenStack half.
    pub login: Login,
    /// Which servers were read.
    pub source: Source,
    /// OpenStack service type to the URL of the catalog.
    pub endpoints: BTreeMap<String, String>,
    /// Server to its clock's offset from ours, in seconds.
    pub clocks: BTreeMap<String, i64>,
    /// Whether this management cluster is the one that runs the cluster.
    pub place: Place,
    /// True if the lists of clusters have every one that the login can see, and not only the one
    /// that was asked for: then a cluster that they lack does not exist.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all_clusters: bool,
    /// Parts that were read whole, and for logs ` since <time>`. Empty for an archive
    /// that has no such list: then documents prove presence only.
    pub read: Vec<String>,
    /// Things that were asked for by id and answered 404.
    pub missing: Vec<Missing>,
    /// Parts that could not be read, or not whole.
    pub gaps: Vec<Gap>,
    /// What the reader wants the operator to know.
    pub notes: Vec<String>,
    /// Documents of each part in `read` when the bundle was written. A file that was lost since must not pass
    /// for a thing that is not there. Empty in memory, and in bundles of before.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub holds: BTreeMap<String, usize>,
}

/// Identifiers of the cluster that a bundle is about.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Target {
    /// Magnum UUID.
    pub uuid: Option<String>,
    /// Magnum `stack_id`, the name of the Cluster object.
    pub stack_id: Option<String>,
    /// Keystone project that owns the cluster.
    pub project_id: Option<String>,
}

/// The OpenStack login that was used.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Login {
    /// Project the token was scoped to.
    pub project_id: Option<String>,
    /// Role names in the token.
    pub roles: Vec<String>,
    /// Region whose endpoints were used.
    pub region: Option<String>,
}

/// The servers that were read, by the names the operator gave them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Source {
    /// kubeconfig context.
    pub context: Option<String>,
    /// URL of the management cluster's API server.
    pub api_server: Option<String>,
    /// Name of the cloud in clouds.yaml.
    pub cloud: Option<String>,
}

/// Whether the management cluster that was read is the one that runs the cluster.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// Something in it carries the cluster's mark.
    Right,
    /// It runs other clusters, or none that this Magnum knows.
    Wrong,
    /// Not established.
    #[default]
    #[serde(other)]
    Unknown,
}

/// A thing that was asked for by id and does not exist.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Missing {
    /// Part the thing would be in.
    pub part: String,
    /// Its id.
    pub id: String,
}

/// A part that could not be read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Gap {
    /// The part's name.
    pub part: String,
    /// What kind of failure it was.
    #[serde(default)]
    pub why: Why,
    /// What the server or the reader said.
    #[serde(default)]
    pub says: String,
    /// True if some documents of the part are there all the same.
    #[serde(default)]
    pub partial: bool,
}

/// Why a part is a gap.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// 401 or 403.
    NoAccess,
    /// No connection, or the service answered that it is down.
    Unreachable,
    /// No answer in time.
    TimedOut,
    /// An answer that could not be understood.
    Unreadable,
    /// The token's project is not the cluster's and its roles do not reach over.
    WrongProject,
    /// This management cluster is not the one that runs the cluster.
    WrongPlace,
    /// More than the limits of the reader.
    TooLarge,
    /// Never asked for, or a reason this version does not know.
    #[default]
    #[serde(other)]
    NotCollected,
}

impl Why {
    /// The word used in every output.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Why::NoAccess => "no-access",
            Why::Unreachable => "unreachable",
            Why::TimedOut => "timed-out",
            Why::Unreadable => "unreadable",
            Why::WrongProject => "wrong-project",
            Why::WrongPlace => "wrong-place",
            Why::TooLarge => "too-large",
            Why::NotCollected => "not-collected",
        }
    }
}

/// Reads `bundle.yaml`. The error names the line or the field that makes no sense, and
/// never what stands there.
pub(super) fn parse(bytes: &[u8]) -> Result<Meta, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "not UTF-8".to_owned())?;
    // Typed, for an id of digits alone is a number to a reader that guesses.
    serde_yaml::from_str_with_options(text, document::options(text.len())).map_err(|e| {
        let at = e.location().map_or_else(String::new, |at| format!(" at line {}", at.line()));
        match document::parse(bytes) {
            Err(says) => says,
            Ok(documents) => match documents.iter().find_map(wrong_field) {
                Some(field) => format!("the field {field}{at} makes no sense"),
                None => format!("it makes no sense{at}"),
            },
        }
    })
}

/// The first field of the index that cannot be understood by itself.
fn wrong_field(document: &Value) -> Option<&str> {
    document
        .as_object()?
        .iter()
        .map(|(key, value)| (key, Value::from_iter([(key.clone(), value.clone())])))
        .find(|(_, alone)| Meta::deserialize(alone).is_err())
        .map(|(key, _)| key.as_str())
}
