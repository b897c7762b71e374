//! The only async room, and the only one that knows that a network exists.
//!
//! ```text
//! KubeOptions ──▶ kubeconfig ──▶ kubernetes ─┐
//!                                            ├─▶ which ─▶ lists ─▶ plan ─▶ logs … ─▶ Bundle
//! CloudOptions ─▶ cloud ───────▶ openstack ──┘   beat 1    beat 2   beat 3
//! ```
//!
//! Inside a beat everything is asked at once. A failed read is a gap and never an end.
//! Nothing in here reads the environment by itself: a [`host::Host`] says what the process
//! was started with, so that a test can be in any situation without touching its own.

mod beats;
pub mod clock;
pub mod cloud;
mod connect;
pub mod fault;
pub mod glance;
pub mod harvest;
pub mod host;
pub mod keep;
pub mod kinds;
pub mod kube_fault;
pub mod kubeconfig;
pub mod kubernetes;
mod left;
pub mod limits;
mod lists;
pub mod logs;
pub mod openstack;
mod place;
pub mod proxy;
pub mod scope;
mod which;
pub mod yaml;

use std::time::Duration;

pub use beats::{clusters, gather};
pub use clock::Clock;
pub use left::project;

/// What to gather.
pub struct Request<'a> {
    /// The cluster: Magnum name, Magnum UUID or stack id.
    pub cluster: &'a str,
    /// `why` or `collect`: for the bundle's index.
    pub command: &'a str,
    /// Flags of the Kubernetes connection.
    pub kube: &'a kubeconfig::KubeOptions,
    /// Flags of the OpenStack connection.
    pub cloud: &'a cloud::CloudOptions,
    /// How far back the controllers' logs are read.
    pub log_since: Duration,
    /// Project of the cluster, for when Magnum does not know it.
    pub project: Option<&'a str>,
    /// True to read also what only leftovers need.
    pub leftovers: bool,
    /// True to read nothing else: no logs, and of ports only whose they are.
    pub slim: bool,
    /// True if a cluster that nobody knows is no failure: its mark is looked for.
    pub forgotten: bool,
    /// Its other key, where the operator has both: Magnum UUID and stack id.
    pub also: Option<&'a str>,
}
