//! Versions as data: `kind: Version`.

use serde::Serialize;

use super::GapReport;

/// What `kubectl magnum version` found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VersionReport {
    /// [`super::API_VERSION`].
    pub api_version: &'static str,
    /// `Version`.
    pub kind: &'static str,
    /// Version of this program.
    pub client: &'static str,
    /// Version of the management cluster's API server.
    pub kubernetes: Option<String>,
    /// Newest API microversion of Magnum.
    pub magnum: Option<String>,
    /// Controllers of Cluster API and its providers.
    pub controllers: Vec<ControllerVersion>,
    /// Servers that did not say.
    pub gaps: Vec<GapReport>,
}

/// One controller.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ControllerVersion {
    /// Provider label, as `cluster-api` or `infrastructure-openstack`.
    pub provider: String,
    /// Version in the tag of its image, if there is one.
    pub version: Option<String>,
    /// The image.
    pub image: String,
    /// Namespace and name of the Deployment.
    pub deployment: String,
}
