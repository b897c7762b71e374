//! What the process was started with: variables, folders, a terminal or not.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// The surroundings of one run. It has no `Debug`: variables carry passwords.
#[derive(Clone, Default)]
pub struct Host {
    /// Environment variables; values that are not UTF-8 are left out.
    pub env: BTreeMap<String, String>,
    /// Folder that relative paths start from.
    pub cwd: PathBuf,
    /// Home folder of the user, if there is one.
    pub home: Option<PathBuf>,
    /// Site-wide OpenStack configuration folders, in search order.
    pub site: Vec<PathBuf>,
    /// Where Kubernetes mounts the service account of a pod.
    pub service_account: PathBuf,
    /// True if a person can be asked something on stdin.
    pub terminal: bool,
}

impl Host {
    /// The surroundings of this process.
    #[must_use]
    pub fn of_this_process() -> Self {
        let env: BTreeMap<String, String> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let mut site = vec![PathBuf::from("/etc/xdg/openstack"), PathBuf::from("/etc/openstack")];
        if cfg!(target_os = "macos") {
            site.insert(0, PathBuf::from("/Library/Application Support/openstack"));
        }
        Host {
            env,
            cwd: std::env::current_dir().unwrap_or_default(),
            home: std::env::home_dir(),
            site,
            service_account: PathBuf::from("/var/run/secrets/kubernetes.io/serviceaccount"),
            terminal: std::io::stdin().is_terminal(),
        }
    }

    /// Value of a variable; an empty one counts as not set, as the shells' `VAR= cmd` means it.
    #[must_use]
    pub fn var(&self, name: &str) -> Option<&str> {
        self.env.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The first of several variables that is set.
    #[must_use]
    pub fn first_var(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.var(name))
    }

    /// A path as the operator wrote it: `~/` is the home folder, relative means from [`Host::cwd`].
    #[must_use]
    pub fn path(&self, written: &str) -> PathBuf {
        match (written.strip_prefix('~'), &self.home) {
            (Some(""), Some(home)) => home.clone(),
            (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
            _ => self.cwd.join(Path::new(written)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_start_at_home_or_here() {
        let host = Host { cwd: "/w".into(), home: Some("/h".into()), ..Host::default() };
        for (written, expected) in [
            ("~/ca.pem", "/h/ca.pem"),
            ("ca.pem", "/w/ca.pem"),
            ("/a/b", "/a/b"),
            ("~", "/h"),
            ("~x/y", "/w/~x/y"),
        ] {
            assert_eq!(host.path(written), PathBuf::from(expected), "{written}");
        }
    }

    #[test]
    fn empty_is_not_set() {
        let env = [("A", ""), ("B", "b")].map(|(k, v)| (k.to_owned(), v.to_owned()));
        let host = Host { env: env.into(), ..Host::default() };
        assert_eq!(host.first_var(&["A", "B"]), Some("b"));
        assert_eq!(host.var("A"), None);
    }
}
