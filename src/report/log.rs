//! Records of controllers' logs, as data.

use jiff::Timestamp;
use serde::Serialize;

/// A log record about this cluster.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LogLine {
    /// `namespace/pod`.
    pub pod: String,
    /// Container.
    pub container: String,
    /// `I`, `W`, `E`, `F`, or empty.
    pub level: String,
    /// When, if the record says.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub at: Option<Timestamp>,
    /// How often the same record came.
    pub times: usize,
    /// The record.
    pub words: String,
    /// True if it carries only the project or nothing of the cluster.
    pub unattributed: bool,
}
