//! The only async room, and the only one that knows that a network exists.
//!
//! ```text
//! KubeOptions ──▶ kubeconfig ──▶ kube::Config      what to connect to, and as whom
//! CloudOptions ─▶ cloud::clouds ─▶ cloud::session  login, catalog, GET
//! ```
//!
//! Nothing in here reads the environment by itself: a [`host::Host`] says what the process
//! was started with, so that a test can be in any situation without touching its own.

pub mod cloud;
pub mod fault;
pub mod host;
pub mod kube_fault;
pub mod kubeconfig;
pub mod limits;
pub mod proxy;
pub mod yaml;
