//! Logs of controllers, through the API server from a kubelet.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::kube::{Kube, scenario, stack_id};

const SCENARIO: &str = "r-03-cores-quota-first-control-plane";
const CAPO_POD: &str = "namespaces/capo-system/v1/pod/capo-controller-manager-7c9fd7c6b8-9r4kq.yaml";

/// A scenario's folder of our own, with each file as `change` leaves it.
fn changed(name: &str, into: &Path, change: impl Fn(&Path, String) -> String) {
    let from = scenario(name).join("bundle");
    let mut folders = vec![PathBuf::new()];
    while let Some(inside) = folders.pop() {
        std::fs::create_dir_all(into.join(&inside)).expect("a folder");
        for entry in std::fs::read_dir(from.join(&inside)).expect("a folder") {
            let entry = entry.expect("an entry");
            let path = inside.join(entry.file_name());
            if entry.file_type().expect("a type").is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(entry.path()).expect("text");
            std::fs::write(into.join(&path), change(&path, text)).expect("a file");
        }
    }
}

/// What is said of a part that was not read; none if it was.
fn gap<'a>(report: &'a Value, part: &str) -> Option<&'a str> {
    let gaps = report["gaps"].as_array().expect("gaps").iter();
    gaps.filter(|gap| gap["part"] == part).find_map(|gap| gap["says"].as_str())
}

#[test]
fn the_log_shows_what_the_controller_said() {
    let Some(kube) = Kube::with(SCENARIO) else { return };
    let report = kube.why("kube-4g0ec");
    assert_eq!(gap(&report, "log/capo-system"), None, "{report}");
    let log = report["log"].to_string();
    // From the file in the scenario.
    assert!(log.contains("Quota exceeded for cores: Requested 2, but already used 0 of 1 cores"), "{log}");
}

/// CAPO's pod crashes and starts anew: what it said before is in the log of its previous run.
#[test]
fn the_previous_log_of_a_controller_that_crashed() {
    let name = "o-10-controller-panics-on-deleted-server";
    let Some(kube) = Kube::with(name) else { return };
    let stack_id = stack_id(name);
    let mut report = Value::Null;
    let asked = kube.asked(|| report = kube.why(&stack_id));
    let previous: Vec<_> = asked.iter().filter(|a| a.uri.contains("previous=true")).collect();
    assert_eq!(previous.len(), 1, "{asked:#?}");
    assert_eq!(report["causes"][0]["id"], "controller-panic", "{report}");
    assert!(report["causes"][0].to_string().contains("previous"), "{}", report["causes"][0]);
}

#[test]
fn a_kubelet_that_is_away_is_a_gap() {
    let folder = tempfile::tempdir().expect("a folder");
    // Nobody listens on port 9.
    let node = "apiVersion: v1\nkind: Node\nmetadata: {name: mgmt-1}\nspec: {}\nstatus:\n  \
                addresses: [{type: InternalIP, address: 127.0.0.1}]\n  \
                daemonEndpoints: {kubeletEndpoint: {Port: 9}}\n";
    changed(SCENARIO, folder.path(), |_, text| text);
    let cluster = folder.path().join("kubernetes/cluster/v1/node");
    std::fs::create_dir_all(&cluster).expect("a folder");
    std::fs::write(cluster.join("mgmt-1.yaml"), node).expect("a node");
    let Some(kube) = Kube::with_folder(folder.path()) else { return };
    let report = kube.why("kube-4g0ec");
    let says = gap(&report, "log/capo-system").unwrap_or_default();
    assert!(says.contains("connection refused"), "{says:?} in {}", report["gaps"]);
    // The objects tell the same.
    assert_eq!(report["causes"][0]["id"], "quota-used-up", "{report}");
}

/// The API server answers 200 and nothing for a pod that no node runs. That is no quiet controller.
#[test]
fn a_pod_without_a_node_has_no_log() {
    let folder = tempfile::tempdir().expect("a folder");
    changed(SCENARIO, folder.path(), |path, text| match path.ends_with(CAPO_POD) {
        true => {
            let text = text.replace("  nodeName: mgmt-1\n", "").replace("phase: Running", "phase: Pending");
            assert!(text.contains("phase: Pending") && !text.contains("nodeName"), "{text}");
            text
        }
        false => text,
    });
    let Some(kube) = Kube::with_folder(folder.path()) else { return };
    let mut report = Value::Null;
    let asked = kube.asked(|| report = kube.why("kube-4g0ec"));
    assert!(
        !asked.iter().any(|a| a.uri.contains("capo-controller-manager") && a.uri.contains("/log")),
        "{asked:#?}"
    );
    let not_checked = report["notChecked"].to_string();
    assert!(not_checked.contains("log/capo-system"), "{not_checked}");
}
