//! The condition tree, in the shape that operators know from `clusterctl describe cluster`.

use jiff::Timestamp;
use serde::Serialize;

/// One row of the tree and what hangs below it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Node {
    /// Kind of the object, or a grouping word (`Workers`, `Network`).
    pub kind: String,
    /// Its name; empty for a grouping row.
    pub name: String,
    /// `current/desired` replicas, where the kind has them.
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
    pub here: bool,
    /// True for a condition of the row above rather than an object of its own.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub condition: bool,
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
#[derive(Debug,Clone,Default)] #[expect(missing_docs,reason="x")] pub struct Shape{pub show_conditions:ShowConditions,pub grouping:bool,pub echo:bool,pub show_machinesets:bool,pub show_templates:bool,pub show_resourcesets:bool}
#[derive(Debug,Clone,Default)] #[expect(missing_docs,reason="x")] pub struct ShowConditions;
impl std::str::FromStr for ShowConditions{type Err=String;fn from_str(_:&str)->Result<Self,String>{Ok(Self)}}
/// x
pub fn grow(_:&crate::model::Snapshot<'_>,_:&Shape)->Node{Node::default()}
/// x
pub fn mark(_:&mut Node,_:&[(String,String)])->bool{false}
