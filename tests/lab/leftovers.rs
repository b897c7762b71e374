//! What clusters left in a real OpenStack: named with who holds it, and gone once the printed script
//! was run with the real command. Octavia's worker is played.

use std::collections::BTreeSet;
use std::process::{Command, Output};

use serde_json::Value;

use crate::cloud::Cloud;
use crate::kube::{json, text, turn};
use crate::lab;

/// Leftovers of one kind, made anew.
struct Left {
    cloud: Cloud,
    kubeconfig: String,
    kubectl: String,
    made: Value,
}

impl Left {
    fn of(kind: &str) -> Option<Left> {
        let cloud = Cloud::up()?;
        // Whoever makes things does so alone; the script takes minutes, and others go on meanwhile.
        let turn = turn();
        let kubernetes = lab::lab()?["kubernetes"].take();
        assert!(kubernetes.is_object(), "only the other half of the lab is up; run tests/lab/lab.sh up");
        // Which server does not matter: neither has the cluster.
        let kubeconfig = text(&kubernetes["servers"]["v1beta2"]["kubeconfig"]["admin"]).to_owned();
        let kubectl = text(&kubernetes["path"][0]).to_owned();
        let made = cloud.sh(&["left", kind]);
        drop(turn);
        Some(Left { cloud, kubeconfig, kubectl, made })
    }

    fn id(&self, what: &str) -> &str {
        text(&self.made[what])
    }

    fn leftovers(&self, format: &str) -> Output {
        let (stack_id, project) = (self.id("stackId"), self.id("project"));
        let words = ["leftovers", stack_id, "--also", self.id("uuid"), "--project", project, "-o", format];
        self.cloud.run_with(self.id("cloud"), &self.kubeconfig, &words)
    }

    /// Exit code, and what is listed.
    fn listed(&self) -> (Option<i32>, Vec<Value>) {
        let output = self.leftovers("json");
        let items = json(&output)["leftovers"].as_array().expect("leftovers").clone();
        (output.status.code(), items)
    }

    /// Runs the printed script with the real command.
    fn clean(&self) {
        let script = lab::page(&self.leftovers("script"));
        let programs = self.cloud.lab["path"][0].as_str().expect("a folder");
        let path = format!("{programs}:{}:{}", self.kubectl, std::env::var("PATH").unwrap_or_default());
        let mut sh = Command::new("sh");
        sh.args(["-c", &script]).env("PATH", path).env("KUBECONFIG", &self.kubeconfig);
        sh.env("OS_CLIENT_CONFIG_FILE", text(&self.cloud.lab["clouds"])).env("OS_CLOUD", self.id("cloud"));
        let done = sh.output().expect("sh");
        let talk = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{}\n{talk}", lab::page(&done));
    }
}

fn ids(items: &[Value]) -> BTreeSet<&str> {
    items.iter().map(|item| text(&item["thing"]["id"])).collect()
}

#[test]
fn twenty_four_ports_of_which_nine_hold_the_group() {
    let Some(left) = Left::of("ports") else { return };
    for (what, kind) in [("group", "SecurityGroupInUse"), ("network", "NetworkInUse")] {
        assert_eq!(left.made["refused"][what]["NeutronError"]["type"], kind);
    }
    let (_, items) = left.listed();
    let ports = left.made["ports"].as_array().expect("ports");
    assert!(ports.iter().all(|port| ids(&items).contains(text(port))), "{items:#?}");
    assert!(ids(&items).is_superset(&BTreeSet::from([left.id("group"), left.id("network")])));
    left.clean();
    assert_eq!(left.listed(), (Some(0), Vec::new()));
}

#[test]
fn a_port_of_somebody_else_stays_and_is_named() {
    let Some(left) = Left::of("foreign") else { return };
    left.clean();
    let (code, items) = left.listed();
    assert_eq!(code, Some(1));
    let kinds: Vec<&str> = items.iter().map(|item| text(&item["thing"]["kind"])).collect();
    assert_eq!(kinds, ["subnet", "network", "security group"], "only what it holds is left");
    let named = |item: &Value| item["heldBy"].to_string().contains(left.id("foreign"));
    assert!(items.iter().all(named), "{items:#?}");
}

#[test]
fn a_port_of_a_load_balancer_that_is_gone() {
    let Some(left) = Left::of("balancer") else { return };
    let (code, items) = left.listed();
    assert_eq!(code, Some(1), "the load balancer is in the way");
    let stuck =
        items.iter().find(|item| item["thing"]["id"] == left.id("balancer")).expect("the load balancer");
    assert!(stuck["heldBy"].to_string().contains("PENDING_DELETE"), "{stuck:#}");
    assert_eq!(left.cloud.sh(&["worker", left.id("project"), "--leave-ports"]), 1);
    let (_, items) = left.listed();
    assert!(
        ids(&items).contains(left.id("port")) && !ids(&items).contains(left.id("balancer")),
        "{items:#?}"
    );
    left.clean();
    assert_eq!(left.listed(), (Some(0), Vec::new()));
}
