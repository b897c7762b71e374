//! The OpenStack servers of the lab, and the program run against them alone.

use std::process::{Command, Output};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use serde_json::Value;

use crate::kube::text;
use crate::lab;

/// One test stops a server; the others ask while this is held for reading.
static UP: RwLock<()> = RwLock::new(());

/// The servers, all up while this lives.
pub(crate) struct Cloud {
    _up: RwLockReadGuard<'static, ()>,
    folder: tempfile::TempDir,
    /// What `lab.sh up` says of the OpenStack half.
    pub(crate) lab: Value,
}

/// The servers for one test alone, which may stop some.
pub(crate) struct Alone {
    _turn: RwLockWriteGuard<'static, ()>,
    lab: Value,
    stopped: Option<String>,
}

/// One line of an access log.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) service: String,
    pub(crate) method: String,
    pub(crate) path: String,
}

fn half() -> Option<Value> {
    let half = lab::lab()?["openstack"].take();
    assert!(half.is_object(), "only the other half of the lab is up; run tests/lab/lab.sh up");
    Some(half)
}

fn lab_sh(lab: &Value, words: &[&str]) -> String {
    let mut lab_sh = Command::new(text(&lab["lab"]));
    let done = lab_sh.args(words).env("LAB_PROFILE", text(&lab["profile"])).output().expect("lab.sh");
    assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    lab::page(&done)
}

fn program(lab: &Value, folder: &tempfile::TempDir, cloud: &str, words: &[&str]) -> Command {
    let mut program = lab::program(words);
    program.args(["--os-cloud", cloud]).env("OS_CLIENT_CONFIG_FILE", text(&lab["clouds"]));
    program.env("HOME", folder.path()).env("KUBECONFIG", folder.path().join("none"));
    program.env_remove("XDG_CONFIG_HOME").current_dir(folder.path());
    program
}

impl Cloud {
    /// The servers, once they are all up; none without the lab.
    pub(crate) fn up() -> Option<Cloud> {
        let lab = half()?;
        let up = UP.read().unwrap_or_else(PoisonError::into_inner);
        Some(Cloud { _up: up, folder: tempfile::tempdir().expect("a folder"), lab })
    }

    /// The program with one of the lab's logins and without Kubernetes.
    pub(crate) fn run(&self, cloud: &str, words: &[&str]) -> Output {
        program(&self.lab, &self.folder, cloud, words).output().expect("the program")
    }

    /// The same with a kubeconfig.
    pub(crate) fn run_with(&self, cloud: &str, kubeconfig: &str, words: &[&str]) -> Output {
        let mut program = program(&self.lab, &self.folder, cloud, words);
        program.env("KUBECONFIG", kubeconfig).output().expect("the program")
    }

    /// An id that the seed made.
    pub(crate) fn seeded(&self, pointer: &str) -> &str {
        let found = self.lab["seeded"].pointer(pointer);
        text(found.unwrap_or_else(|| panic!("nothing seeded at {pointer}")))
    }

    /// Loads a scenario on both halves; what was made of it.
    pub(crate) fn story(&self, folder: &str) -> Value {
        self.sh(&["story", folder])[0].clone()
    }

    /// What `lab.sh` prints, as JSON.
    pub(crate) fn sh(&self, words: &[&str]) -> Value {
        serde_json::from_str(&lab_sh(&self.lab, words)).expect("JSON")
    }

    /// Everything that the program has ever asked the servers.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        let logs = self.lab["access"].as_object().expect("logs");
        let lines = |(service, file): (&String, &Value)| {
            let log = std::fs::read_to_string(text(file)).expect("an access log");
            let ours =
                |line: &&str| line.split('\t').nth(3).is_some_and(|a| a.starts_with("kubectl-magnum/"));
            let asked = |line: &str| {
                let word = |at| line.split('\t').nth(at).unwrap_or_default().to_owned();
                Asked { service: service.clone(), method: word(0), path: word(1) }
            };
            log.lines().filter(ours).map(asked).collect::<Vec<_>>()
        };
        logs.iter().flat_map(lines).collect()
    }
}

impl Alone {
    /// The servers, when nobody else asks them.
    pub(crate) fn take() -> Option<Alone> {
        let lab = half()?;
        let turn = UP.write().unwrap_or_else(PoisonError::into_inner);
        Some(Alone { _turn: turn, lab, stopped: None })
    }

    /// Stops a server; it is started again at the end, whatever becomes of the test.
    pub(crate) fn stop(&mut self, service: &str) {
        lab_sh(&self.lab, &["stop", service]);
        self.stopped = Some(service.to_owned());
    }

    /// The program with one of the lab's logins and without Kubernetes.
    pub(crate) fn run(&self, cloud: &str, words: &[&str]) -> Output {
        let folder = tempfile::tempdir().expect("a folder");
        program(&self.lab, &folder, cloud, words).output().expect("the program")
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        if let Some(service) = self.stopped.take() {
            lab_sh(&self.lab, &["start", &service]);
        }
    }
}
