//! Captured scenarios, loaded onto real servers of both halves: the answer is the same there.

use std::collections::BTreeSet;

use regex::Regex;
use serde_json::Value;

use crate::answers::timeless;
use crate::cloud::Cloud;
use crate::kube::{json, scenario, text, turn};
use crate::lab;

/// What an answer comes down to.
fn gist(report: &Value) -> [&Value; 4] {
    [&report["exitCode"], &report["verdict"], &report["action"], &report["causes"][0]["id"]]
}

/// Ids of what the first cause is about.
fn about(report: &Value) -> BTreeSet<String> {
    let things = report["causes"][0]["about"].as_array().expect("things");
    things.iter().filter_map(|thing| thing["id"].as_str()).map(str::to_owned).collect()
}

/// A page without times, ids of requests, and the number of sources: a bundle has those that were
/// not asked for this page besides.
fn same(page: &str) -> String {
    let sources = Regex::new(r"\d+ (of \d+ )?sources read(, see below)?").expect("a pattern");
    let request = Regex::new(r"\[req-[0-9a-f-]+\]").expect("a pattern");
    request.replace_all(&sources.replace(page, "SOURCES"), "[REQUEST]").into_owned()
}

/// Loads a scenario on both halves and holds the answer there against the scenario's. The live
/// answer; none without the lab.
pub(crate) fn check(name: &str) -> Option<Value> {
    let cloud = Cloud::up()?;
    let kubernetes = lab::lab().expect("the lab")["kubernetes"].take();
    assert!(kubernetes.is_object(), "only the other half of the lab is up; run tests/lab/lab.sh up");
    let _turn = turn();
    let folder = scenario(name);
    let told = cloud.story(folder.to_str().expect("a path"));
    let server = &kubernetes["servers"][text(&told["server"])];
    let run = |words: &[&str]| cloud.run_with(name, text(&server["kubeconfig"]["operator"]), words);
    let cluster = text(&told["cluster"]);

    let live = json(&run(&["why", cluster, "-o", "json"]));
    let file = std::fs::read(folder.join("expected.json")).expect("the report");
    let captured: Value = serde_json::from_slice(&file).expect("JSON");
    assert_eq!(gist(&live), gist(&captured), "{name}: {:#}", live["causes"]);
    assert_eq!(live["cluster"]["uuid"], told["uuid"], "{name}");
    let new = |old: String| told["replace"][&old].as_str().map_or(old, str::to_owned);
    let expected: BTreeSet<String> = about(&captured).into_iter().map(new).collect();
    assert_eq!(about(&live), expected, "{name}");

    let before = run(&["why", cluster]);
    let collected = run(&["collect", cluster, "bundle.tar.gz"]);
    assert_eq!(collected.status.code(), Some(0), "{}", String::from_utf8_lossy(&collected.stderr));
    let again = run(&["why", "--from", "bundle.tar.gz"]);
    assert_eq!(timeless(&same(&lab::page(&again))), timeless(&same(&lab::page(&before))), "{name}");
    assert_eq!(again.status.code(), before.status.code(), "{name}");
    Some(live)
}

macro_rules! stories {
    ($($test:ident: $name:literal,)*) => { $(#[test] fn $test() { check($name); })* };
}

stories! {
    router_quota: "r-01-router-quota-on-create",
    no_free_address: "r-12-no-free-floating-address",
    foreign_port_holds_group: "r-14-foreign-port-holds-security-group",
    controller_down: "r-23-controller-down-on-create",
    vip_port_after_delete: "h-07-delete-waits-for-vip-port",
    foreign_port_of_old_contract: "o-05-foreign-port-holds-group-stale-reason",
    vip_port_of_old_contract: "o-11-delete-waits-for-vip-port-old-contract",
}
