//! From kubeconfig files and flags to a [`kube::Config`], by kubectl's rules.
//!
//! kube's own reader is not used: it stops at a file of the `KUBECONFIG` list that does not
//! exist, runs a credential plugin three times, compares `NO_PROXY` with the proxy's host,
//! and prints the lines around a mistake, secrets included.
//!
//! ```text
//! files ──▶ pick (context, cluster, user, flags) ──▶ exec ──▶ config
//! ```

pub mod config;
pub mod exec;
pub mod files;
pub mod options;
pub mod pick;

pub use options::KubeOptions;

use crate::exit::{Failure, code};
use crate::gather::host::Host;
use crate::gather::limits::Limits;

/// A Kubernetes API server to connect to. It has no `Debug`: kube's does not hide all.
pub struct Target {
    /// Everything kube needs; retries are off and every wait has a limit.
    pub config: kube::Config,
    /// Name of the context; none in a pod or with `--server` alone.
    pub context: Option<String>,
    /// URL of the API server, as the operator wrote it, without a password.
    pub api_server: String,
    /// Namespace from `-n`, if given.
    pub namespace: Option<String>,
    /// Namespace that the context names.
    pub context_namespace: Option<String>,
    /// What the operator should know, e.g. that certificates are not checked.
    pub notes: Vec<String>,
}

/// Finds out which API server is meant and with which credentials, running a credential
/// plugin of the kubeconfig if there is one, once. Nothing is sent to the API server.
///
/// # Errors
/// [`code::USAGE`] if a flag names something that is not in the kubeconfig, else
/// [`code::NO_SOURCE`]. No message holds a secret.
pub async fn resolve(options: &KubeOptions, host: &Host, limits: &Limits) -> Result<Target, Failure> {
    let files = files::read(options.kubeconfig.as_deref(), host)?;
    if files.is_empty() && options.server.is_none() {
        if let Some(target) = config::in_cluster(options, host, limits)? {
            return Ok(target);
        }
        if let Some(name) = &options.context {
            return Err(Failure::new(code::USAGE, format!("find context '{name}': there is no kubeconfig"))
                .hint(files.where_looked()));
        }
        return Err(Failure::new(code::NO_SOURCE, "find a kubeconfig").hint(files.where_looked()));
    }
    let mut picked = pick::pick(files, options)?;
    if let Some(plugin) = picked.user.exec.take() {
        exec::run(&plugin, &mut picked, host, limits.plugin).await?;
    }
    config::build(picked, options, host, limits)
}
