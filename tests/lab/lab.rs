//! What the running lab says of itself, and the program started against it.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

/// The description that `lab.sh up` wrote, or `None` (with a message) when the lab is not up.
///
/// Panics when it is required and not there: a test that is meant to run must not pass by
/// being skipped.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
pub(crate) fn lab() -> Option<Value> {
    let path = std::env::var_os("KUBECTL_MAGNUM_LAB_JSON").map_or_else(usual_place, PathBuf::from);
    match std::fs::read(&path) {
        Ok(bytes) => Some(serde_json::from_slice(&bytes).expect("lab.json is JSON")),
        Err(error) => {
            let required = std::env::var_os("KUBECTL_MAGNUM_LAB_REQUIRED").is_some();
            assert!(!required, "the lab is not up ({}: {error}); run tests/lab/lab.sh up", path.display());
            eprintln!("skipped: the lab is not up; tests/lab/lab.sh up starts it");
            None
        }
    }
}

fn usual_place() -> PathBuf {
    let lab = std::env::var_os("KUBECTL_MAGNUM_LAB").map(PathBuf::from);
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache");
    lab.unwrap_or_else(|| cache.unwrap_or_else(home).join("kubectl-magnum/lab")).join("run/lab.json")
}

/// The program, with nothing of the caller's clouds or clusters in its environment.
pub(crate) fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-magnum"));
    command.args(arguments);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("OS_") || text.starts_with("KUBE") || text.to_lowercase().ends_with("_proxy") {
            command.env_remove(&name);
        }
    }
    command
}

/// What the program printed on stdout.
pub(crate) fn page(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("the page is UTF-8")
}
