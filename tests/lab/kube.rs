//! Scenarios in the API servers of the lab, and the program run against them alone.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

use kubectl_magnum::bundle::{Bundle, Meta, Target, Why, disk};
use kubectl_magnum::report::WhyReport;
use kubectl_magnum::run;
use serde_json::Value;

use crate::lab;

/// An API server is emptied when something is loaded, so one test at a time has it.
static TURN: Mutex<()> = Mutex::new(());

/// An API server that holds what was loaded, until this is dropped.
pub(crate) struct Kube {
    _turn: MutexGuard<'static, ()>,
    folder: tempfile::TempDir,
    /// What `lab.sh up` says of the Kubernetes half.
    pub(crate) lab: Value,
    /// What it says of this server.
    pub(crate) server: Value,
}

/// One line of the audit log.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) agent: String,
    pub(crate) verb: String,
    pub(crate) uri: String,
}

/// Waits until nobody else has the API servers.
pub(crate) fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Folder of a scenario.
pub(crate) fn scenario(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios").join(name)
}

/// Stack id of a scenario's cluster.
pub(crate) fn stack_id(name: &str) -> String {
    let bundle = disk::read(&scenario(name).join("bundle")).expect("a bundle");
    bundle.meta.target.stack_id.expect("a stack id")
}

impl Kube {
    /// The server of the scenario's contract with the scenario in it; none if the lab is not up.
    pub(crate) fn with(name: &str) -> Option<Kube> {
        Kube::with_folder(&scenario(name))
    }

    /// The same for a folder with a bundle.
    pub(crate) fn with_folder(folder: &Path) -> Option<Kube> {
        let lab = lab::lab()?["kubernetes"].take();
        assert!(lab.is_object(), "only the other half of the lab is up; run tests/lab/lab.sh up");
        let turn = turn();
        let mut load = Command::new(text(&lab["load"][0]));
        let done = load.arg(text(&lab["load"][1])).arg(folder).output().expect("lab.sh");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let contract = lab::page(&done).trim().to_owned();
        let server = lab["servers"][&contract].clone();
        let folder = tempfile::tempdir().expect("a folder");
        Some(Kube { _turn: turn, folder, lab, server })
    }

    /// An empty folder of this test alone.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Kubeconfig of one of the lab's users.
    pub(crate) fn kubeconfig(&self, user: &str) -> String {
        text(&self.server["kubeconfig"][user]).to_owned()
    }

    /// The program with a kubeconfig and no cloud.
    pub(crate) fn run_as(&self, kubeconfig: &str, words: &[&str]) -> Output {
        let mut program = lab::program(words);
        program.env("HOME", self.folder()).env("KUBECONFIG", kubeconfig).current_dir(self.folder());
        program.env_remove("XDG_CONFIG_HOME");
        program.output().expect("the program")
    }

    /// The program as the operator, who may read what it reads but for Secrets.
    pub(crate) fn run(&self, words: &[&str]) -> Output {
        self.run_as(&self.kubeconfig("operator"), words)
    }

    /// `why` as JSON, as the operator.
    pub(crate) fn why(&self, cluster: &str) -> Value {
        json(&self.run(&["why", cluster, "-o", "json"]))
    }

    /// What the API server was asked while `act` ran.
    pub(crate) fn asked(&self, act: impl FnOnce()) -> Vec<Asked> {
        let audit = text(&self.server["audit"]);
        let before = std::fs::metadata(audit).expect("the audit log").len();
        act();
        let whole = std::fs::read(audit).expect("the audit log");
        let new = whole.get(usize::try_from(before).expect("a length")..).expect("what came since");
        let lines = std::str::from_utf8(new).expect("UTF-8").lines();
        let events = lines.map(|line| serde_json::from_str::<Value>(line).expect("an audit event"));
        // The server asks itself too.
        events.filter(|event| event["user"]["username"] != "system:apiserver").map(|e| asked(&e)).collect()
    }
}

fn asked(event: &Value) -> Asked {
    let field = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
    Asked { agent: field("userAgent"), verb: field("verb"), uri: field("requestURI") }
}

/// A string of the lab's description.
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().expect("a string in lab.json")
}

/// What the program printed, as JSON.
pub(crate) fn json(output: &Output) -> Value {
    let talk = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {talk}"))
}

/// A scenario's bundle as far as the operator sees it without a cloud.
pub(crate) fn seen_by_operator(name: &str) -> Bundle {
    let mut bundle = disk::read(&scenario(name).join("bundle")).expect("a bundle");
    let part = |read: &String| read.split(' ').next().unwrap_or_default().to_owned();
    let mut cloud: Vec<String> = bundle.meta.read.iter().map(part).collect();
    cloud.extend(bundle.bodies.iter().map(|body| body.part.clone()));
    for part in cloud.iter().filter(|part| part.starts_with("openstack/")) {
        bundle.blank(part, Why::Unreachable, "no cloud");
    }
    bundle.blank("kubernetes/secret", Why::NoAccess, "no right");
    // Only the Magnum row says whether a conductor's log is of use.
    bundle.blank("log/openstack", Why::NotCollected, "no reason to");
    bundle.meta.asked_for = bundle.meta.target.stack_id.clone().expect("a stack id");
    bundle.meta = Meta {
        login: kubectl_magnum::bundle::Login::default(),
        target: Target { project_id: None, ..bundle.meta.target.clone() },
        ..bundle.meta
    };
    bundle.consoles.clear();
    bundle
}

/// The answer to that.
pub(crate) fn expected(name: &str) -> WhyReport {
    run::why(&seen_by_operator(name), None).unwrap_or_else(|failure| panic!("{name}: {failure}"))
}

/// Kind and name of each object in a report's tree.
pub(crate) fn objects(tree: &Value) -> Vec<(String, String)> {
    let word = |name: &str| tree[name].as_str().unwrap_or_default().to_owned();
    let mut found = vec![(word("kind"), word("name"))];
    found.extend(tree["children"].as_array().into_iter().flatten().flat_map(objects));
    found
}
