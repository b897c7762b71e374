//! `leftovers` against the servers of a scenario: the same answer as from its bundle, how much is
//! asked, and what is said where somebody does not answer.

use std::collections::BTreeSet;
use std::process::Output;
use std::sync::Arc;

use kubectl_magnum::bundle::Bundle;
use serde_json::{Value, json};

use crate::program::{command, text};
use crate::scenario::{Instead, World, bundle, nothing};
use crate::server::Reply;

const FORGOTTEN: &str = "left-01-forgotten-with-everything-left";
const STACK_ID: &str = "kube-w7k2p";
const LIVES: &str = "kube-h3m9t";

async fn run(world: &World, words: &[&str]) -> Output {
    command(world, words).output().await.expect("the program")
}

/// Exit code, and the report.
async fn report(world: &World, words: &[&str]) -> (Option<i32>, Value) {
    let ended = run(world, &[&["leftovers", "-o", "json"], words].concat()).await;
    let report = serde_json::from_slice(&ended.stdout);
    (ended.status.code(), report.unwrap_or_else(|_| json!({ "talk": text(&ended.stderr) })))
}

fn ids(report: &Value) -> BTreeSet<String> {
    let rows = report["leftovers"].as_array().into_iter().flatten();
    rows.map(|row| format!("{} {}", row["thing"]["id"], row["remove"])).collect()
}

/// The stored report of a scenario.
fn stored(name: &str) -> Value {
    let path = format!("{}/tests/scenarios/{name}/leftovers.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).expect("a report")).expect("JSON")
}

async fn check(name: &str) {
    let world = World::of(bundle(name), nothing(), nothing()).await;
    let target = &world.bundle.meta.target;
    let stored = stored(name);
    let stack_id = target.stack_id.clone().expect("a stack id");
    let mut words = vec![stack_id.as_str()];
    let (also, project) =
        (target.uuid.clone().expect("a UUID"), target.project_id.clone().expect("a project"));
    if stored["life"] == "gone" {
        words.extend(["--also", &also, "--project", &project]);
    }
    let (code, live) = report(&world, &words).await;
    assert_eq!(live["verdict"], stored["verdict"], "{name}: {live:#}");
    assert_eq!(code.map(Value::from).as_ref(), Some(&stored["exitCode"]), "{name}");
    assert_eq!(ids(&live), ids(&stored), "{name}");
    assert_eq!(live["needs"], json!([]), "{name}");
}

#[tokio::test]
async fn the_servers_give_the_answer_of_the_bundle() {
    for name in [
        FORGOTTEN,
        "h-07-leftovers-after-delete",
        "h-07-delete-waits-for-vip-port",
        "h-14-delete-stopped-half-way",
        "r-14-foreign-port-holds-security-group",
        "r-18-service-load-balancer-holds-network",
        "r-32-orphan-vip-port-then-foreign-port",
        "o-05-foreign-port-holds-group-stale-reason",
    ] {
        check(name).await;
    }
}

/// The forgotten cluster with so many ports more of its machines, some of which have the group.
fn with_ports(count: usize) -> Bundle {
    let mut bundle = bundle(FORGOTTEN);
    let part = "openstack/network/ports";
    let body = bundle.bodies.iter_mut().find(|body| body.part == part).expect("ports");
    let rows = body.value["ports"].as_array_mut().expect("rows");
    let sample = rows.iter().find(|row| row["name"].as_str().unwrap_or_default().ends_with("-4jwqv-0"));
    let sample = sample.cloned().expect("a port");
    // As Neutron shows a port to an admin.
    let long = json!({"admin_state_up": true, "allowed_address_pairs": [], "binding:host_id": "compute-01.example",
        "binding:profile": {}, "binding:vif_details": {"port_filter": true, "connectivity": "l2", "bridge_name": "br-int"},
        "binding:vif_type": "ovs", "binding:vnic_type": "normal", "extra_dhcp_opts": [], "mac_address": "fa:16:3e:00:00:01",
        "port_security_enabled": true, "revision_number": 4, "tags": [], "updated_at": "2026-11-28T09:12:00Z"});
    for n in 0..count {
        let mut row = sample.clone();
        row["id"] = json!(format!("{n:08x}-2222-4333-8444-555555555555"));
        row.as_object_mut().expect("a port").extend(long.as_object().expect("fields").clone());
        rows.push(row);
    }
    bundle
}

#[tokio::test]
async fn the_number_of_requests_does_not_grow_with_the_ports() {
    let mut asked = Vec::new();
    for count in [0, 500] {
        let world = World::of(with_ports(count), nothing(), nothing()).await;
        let project = world.bundle.meta.target.project_id.clone().expect("a project");
        let (code, live) = report(&world, &[STACK_ID, "--project", &project]).await;
        assert_eq!((code, live["needs"].clone()), (Some(1), json!([])), "{live:#}");
        let (kube, cloud) = (world.kube.lines().len(), world.cloud.lines().len());
        assert!(cloud <= 28 && kube <= 28, "{kube} and {cloud}: {:#?}", world.cloud.lines());
        asked.push((kube, cloud));
    }
    assert_eq!(asked[0], asked[1]);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn ten_thousand_ports_fit_into_little_memory() {
    let world = World::of(with_ports(10_000), nothing(), nothing()).await;
    let project = world.bundle.meta.target.project_id.clone().expect("a project");
    let child =
        command(&world, &["leftovers", STACK_ID, "--project", &project, "-o", "name", "--timeout", "60s"])
            .args(["--request-timeout", "60s"])
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("the program");
    let (highest, ended) = crate::program::highest(child).await;
    let names = text(&ended.stdout);
    assert!(names.lines().count() > 10_000, "{}", text(&ended.stderr));
    assert!((1..100_000).contains(&highest), "{highest} kB");
}

/// What is collected of a forgotten cluster has all that `leftovers` wants.
#[tokio::test]
async fn a_forgotten_cluster_can_be_collected() {
    let world = World::of(bundle(FORGOTTEN), nothing(), nothing()).await;
    let project = world.bundle.meta.target.project_id.clone().expect("a project");
    let without = run(&world, &["collect", STACK_ID, "none.tar.gz"]).await;
    assert_eq!(without.status.code(), Some(4), "{}", text(&without.stdout));
    let ended = run(&world, &["collect", STACK_ID, "left.tar.gz", "--project", &project]).await;
    assert_eq!(ended.status.code(), Some(0), "{}", text(&ended.stderr));
    let (live, again) = (
        report(&world, &[STACK_ID, "--project", &project]).await,
        report(&world, &["--from", "left.tar.gz"]).await,
    );
    assert_eq!((again.0, ids(&again.1)), (live.0, ids(&live.1)));
    assert_eq!((&again.1["verdict"], &again.1["needs"]), (&live.1["verdict"], &json!([])));
}

/// A world in which Magnum still knows the cluster that lives.
async fn with_the_living(kube: Instead, cloud: Instead) -> World {
    let mut bundle = bundle(FORGOTTEN);
    let project = bundle.meta.target.project_id.clone();
    let row = json!({"uuid": "0e1d2c3b-4a59-4687-9786-a5b4c3d2e1f0", "name": "lives", "cluster_id": LIVES,
        "project_id": project, "status": "CREATE_COMPLETE"});
    let body = bundle.bodies.iter_mut().find(|body| body.part.ends_with("/clusters")).expect("clusters");
    body.value["clusters"] = json!([row]);
    World::of(bundle, kube, cloud).await
}

#[tokio::test]
async fn everything_that_nobody_knows_in_a_project() {
    let world = with_the_living(nothing(), nothing()).await;
    let project = world.bundle.meta.target.project_id.clone().expect("a project");
    let (code, live) = report(&world, &["--project", &project]).await;
    assert_eq!((code, live["verdict"].as_str()), (Some(1), Some("leftovers")), "{live:#}");
    let clusters: BTreeSet<&str> = live["leftovers"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| row["cluster"].as_str().expect("a name"))
        .collect();
    assert_eq!(clusters, BTreeSet::from([STACK_ID]));
    let openstack = |report: &Value| -> BTreeSet<String> {
        ids(report).into_iter().filter(|line| line.contains("openstack")).collect()
    };
    assert_eq!(openstack(&live), openstack(&stored(FORGOTTEN)));
    assert!(world.cloud.lines().len() <= 28, "{:#?}", world.cloud.lines());
    let table = text(&run(&world, &["leftovers", "--project", &project]).await.stdout);
    assert!(table.contains("CLUSTER") && !table.contains(LIVES), "{table}");
}

#[tokio::test]
async fn a_cluster_that_lives_is_in_use() {
    let world = with_the_living(nothing(), nothing()).await;
    for word in ["lives", LIVES] {
        let (code, live) = report(&world, &[word]).await;
        assert_eq!((code, live["verdict"].as_str()), (Some(0), Some("in-use")), "{live:#}");
        assert_eq!(live["leftovers"], json!([]));
    }
}

#[tokio::test]
async fn nothing_carries_the_mark() {
    let world = with_the_living(nothing(), nothing()).await;
    let ended =
        run(&world, &["leftovers", "kube-zzzzz", "--also", "7f0a2b4c-8d1e-4f3a-9b5c-7d2e4f6a8b0c"]).await;
    assert_eq!(ended.status.code(), Some(4), "{}", text(&ended.stdout));
    assert!(text(&ended.stderr).contains("--project"), "{}", text(&ended.stderr));
    // Whoever names the project is told that nothing is left in it.
    let project = world.bundle.meta.target.project_id.clone().expect("a project");
    let words = ["kube-zzzzz", "--also", "7f0a2b4c-8d1e-4f3a-9b5c-7d2e4f6a8b0c", "--project", &project];
    let (code, live) = report(&world, &words).await;
    assert_eq!((code, live["verdict"].as_str()), (Some(0), Some("clean")), "{live:#}");
    let neither = run(&world, &["leftovers"]).await;
    assert_eq!(neither.status.code(), Some(2));
}

async fn check_unseen(kube: Instead, cloud: Instead, part: &str) {
    let world = with_the_living(kube, cloud).await;
    let project = world.bundle.meta.target.project_id.clone().expect("a project");
    for words in [&[STACK_ID, "--project", &project][..], &["--project", &project][..]] {
        let (code, live) = report(&world, words).await;
        let needs = live["needs"].to_string();
        assert!(needs.contains(part), "{words:?}: {live:#}");
        assert!(matches!(code, Some(1 | 5)), "{words:?}: {code:?}");
        let script = run(&world, &[&["leftovers", "-o", "script"], words].concat()).await;
        assert!(text(&script.stdout).contains("'refused: "), "{words:?} {part}");
    }
}

#[tokio::test]
async fn what_is_not_seen_is_no_clean_project() {
    let without = |words: &'static str| -> Instead {
        Arc::new(move |seen| seen.line.contains(words).then(|| Reply::json(403, json!({"message": "no"}))))
    };
    check_unseen(nothing(), without("/magnum/v1/clusters"), "openstack/container-infra/clusters").await;
    check_unseen(nothing(), without("/volumes/detail"), "openstack/volume/volumes").await;
    check_unseen(nothing(), without("/network/v2.0/ports"), "openstack/network/ports").await;
    check_unseen(without("/clusters"), nothing(), "kubernetes/cluster").await;
    check_unseen(without("/secrets"), nothing(), "kubernetes/secret").await;
}

#[tokio::test]
async fn a_login_for_another_project_sees_nothing() {
    let mut bundle = bundle(FORGOTTEN);
    bundle.meta.login.project_id = Some("another".to_owned());
    let project = bundle.meta.target.project_id.clone().expect("a project");
    let world = World::of(bundle, nothing(), nothing()).await;
    let words = [STACK_ID, "--project", &project];
    let (code, live) = report(&world, &words).await;
    // What the management cluster and the login itself still have is left over all the same.
    assert_eq!(code, Some(1), "{live:#}");
    assert!(live["gaps"].to_string().contains("wrong-project"), "{live:#}");
    assert!(live["needs"].to_string().contains("openstack/network/ports"), "{live:#}");
    let script = run(&world, &[&["leftovers", "-o", "script"], &words[..]].concat()).await;
    assert!(text(&script.stdout).contains("'refused: "));
}
