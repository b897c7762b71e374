//! What the program says of a cluster that a real API server holds.

use std::collections::BTreeSet;

use regex::Regex;
use serde_json::Value;

use crate::kube::{Kube, expected, json, objects, stack_id};
use crate::lab::page;

/// What an answer comes down to.
fn gist(report: &Value) -> String {
    let first = &report["causes"][0];
    format!("{} {} {} {}", report["exitCode"], report["verdict"], first["id"], first["certainty"])
}

/// The objects of the tree with what they say.
fn said(tree: &Value) -> BTreeSet<String> {
    let mut all =
        BTreeSet::from([format!("{} {}: {} {}", tree["kind"], tree["name"], tree["status"], tree["reason"])]);
    all.extend(tree["children"].as_array().into_iter().flatten().flat_map(said));
    all
}

/// The live answer is the one to the bundle; it took no more requests than there are kinds, one
/// for each log, and none that could change anything.
fn check(name: &str) {
    let Some(kube) = Kube::with(name) else { return };
    let stack_id = stack_id(name);
    let mut output = None;
    let asked = kube.asked(|| output = Some(kube.run(&["why", &stack_id, "-o", "json"])));
    let output = output.expect("it ran");
    let live = json(&output);
    let bundle = serde_json::to_value(expected(name)).expect("JSON");
    assert_eq!(gist(&live), gist(&bundle), "{name}: {}", live["gaps"]);
    assert_eq!(output.status.code().map(Value::from), Some(live["exitCode"].clone()), "{name}");
    assert_eq!(said(&live["tree"]), said(&bundle["tree"]), "{name}");
    assert!(asked.iter().all(|a| a.agent.starts_with("kubectl-magnum/")), "{name}: {asked:#?}");
    assert!(asked.iter().all(|a| matches!(a.verb.as_str(), "get" | "list")), "{name}: {asked:#?}");
    let (logs, others): (Vec<_>, Vec<_>) = asked.iter().partition(|a| a.uri.contains("/log?"));
    let once: BTreeSet<&str> = logs.iter().map(|a| a.uri.as_str()).collect();
    assert_eq!(once.len(), logs.len(), "{name}: {logs:#?}");
    assert!(others.len() <= 20, "{name}: {} requests: {others:#?}", others.len());
}

macro_rules! scenarios {
    ($($test:ident: $name:literal,)*) => { $(#[test] fn $test() { check($name); })* };
}

scenarios! {
    cores_quota: "r-03-cores-quota-first-control-plane",
    load_balancer_pending: "r-16-load-balancer-stuck-in-pending",
    port_holds_group: "r-14-foreign-port-holds-security-group",
    healthy_after_resize: "h-03-healthy-after-resize",
    drain_blocked: "h-05-drain-blocked-by-disruption-budget",
    node_group_refused: "h-09-node-group-refused-and-server-deleted",
    young_create_of_old_contract: "o-01-young-create-old-contract",
    cores_quota_of_old_contract: "o-02-cores-quota-terminal-old-contract",
    panic_of_old_contract: "o-10-controller-panics-on-deleted-server",
    no_valid_host_of_capo_0_10: "o-23-no-valid-host-capo-0-10",
}

/// The page without what differs from one second to the next.
pub(crate) fn timeless(page: &str) -> String {
    let age = Regex::new(r"\b(\d+[dhms])+\b").expect("a pattern");
    let clock = Regex::new(r"read at \d\d:\d\d:\d\d").expect("a pattern");
    // Columns are as wide as the ages in them.
    let space = Regex::new(" {2,}|─{2,}").expect("a pattern");
    space.replace_all(&clock.replace_all(&age.replace_all(page, "AGE"), "read at TIME"), "  ").into_owned()
}

fn check_collected(name: &str, path: &str) {
    let Some(kube) = Kube::with(name) else { return };
    let stack_id = stack_id(name);
    let live = kube.run(&["why", &stack_id]);
    let collected = kube.run(&["collect", &stack_id, path]);
    assert_eq!(collected.status.code(), Some(0), "{}", String::from_utf8_lossy(&collected.stderr));
    let again = kube.run(&["why", "--from", path]);
    assert_eq!(timeless(&page(&again)), timeless(&page(&live)), "{name}");
    assert_eq!(again.status.code(), live.status.code(), "{name}");
}

#[test]
fn a_collected_folder_gives_the_same_page() {
    check_collected("r-03-cores-quota-first-control-plane", "bundle");
}

#[test]
fn a_collected_archive_gives_the_same_page_for_the_old_contract() {
    check_collected("o-10-controller-panics-on-deleted-server", "bundle.tar.gz");
}

#[test]
fn a_uuid_finds_the_cluster_too_and_an_unknown_word_none() {
    let Some(kube) = Kube::with("r-03-cores-quota-first-control-plane") else { return };
    // The label cluster-uuid of the Cluster object in the scenario.
    let report = kube.why("27893cc9-1ef6-487c-8865-27130428aacd");
    assert!(objects(&report["tree"]).contains(&("Cluster".to_owned(), "kube-4g0ec".to_owned())));
    let unknown = kube.run(&["why", "kube-zzzzz"]);
    let talk = String::from_utf8_lossy(&unknown.stderr);
    // Magnum could not be asked, so "there is none" is not known.
    assert_eq!(unknown.status.code(), Some(5), "{talk}");
    assert!(talk.contains("stack id"), "{talk}");
}
