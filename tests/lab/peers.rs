//! clusterctl on the same server: what it shows, ours shows too.

use std::collections::BTreeSet;
use std::process::Command;

use crate::kube::{Kube, json, objects, stack_id, text};

/// Kind and name of each object in `clusterctl describe cluster`: the first column is a tree of
/// `Kind/name`, some with a role before it (`ControlPlane - KubeadmControlPlane/name`).
fn described(table: &str) -> BTreeSet<(String, String)> {
    let cell = |line: &str| {
        let line = line.replace("!! DELETED !! ", "");
        let line = line.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
        let first = line.split("  ").next().unwrap_or_default();
        let (kind, name) = first.rsplit(" - ").next().unwrap_or_default().trim().split_once('/')?;
        Some((kind.to_owned(), name.to_owned()))
    };
    table.lines().filter_map(cell).collect()
}

/// Each object that clusterctl shows with `flags` is in our tree with them and `--echo`: without
/// that ours leaves out objects that only repeat what their machine waits for.
fn check(name: &str, flags: &[&str]) {
    let Some(kube) = Kube::with(name) else { return };
    let stack_id = stack_id(name);
    let theirs = Command::new(text(&kube.server["clusterctl"]))
        .args(["describe", "cluster", &stack_id, "-n", "magnum-system"])
        .args(flags)
        // It reads definitions, which our operator may not.
        .args(["--kubeconfig", &kube.kubeconfig("admin")])
        .env("HOME", kube.folder())
        // Without this it waits for a host that tells the newest release.
        .env("CLUSTERCTL_DISABLE_VERSIONCHECK", "true")
        .output()
        .expect("clusterctl");
    let table = String::from_utf8_lossy(&theirs.stdout).into_owned();
    assert!(theirs.status.success(), "{name}: {}", String::from_utf8_lossy(&theirs.stderr));
    let theirs = described(&table);
    assert!(theirs.contains(&("Cluster".to_owned(), stack_id.clone())), "{name}: {table}");
    let mut words = vec!["why", stack_id.as_str(), "-o", "json", "--echo"];
    words.extend(flags.iter().filter(|flag| **flag != "--echo"));
    let ours = json(&kube.run_as(&kube.kubeconfig("admin"), &words));
    let ours: BTreeSet<_> = objects(&ours["tree"]).into_iter().collect();
    let missing: Vec<_> = theirs.difference(&ours).collect();
    assert!(missing.is_empty(), "{name} {flags:?}: {missing:?} of\n{table}\nare not in {ours:#?}");
}

/// The flags of the tree that both have.
const EVERYTHING: &[&str] =
    &["--grouping=false", "--echo", "--show-machinesets", "--show-templates", "--show-resourcesets"];

/// What clusterctl shows when it is asked for no more than each machine by itself.
const PLAIN: &[&str] = &["--grouping=false"];

#[test]
fn a_create_that_is_refused() {
    check("r-03-cores-quota-first-control-plane", EVERYTHING);
}

#[test]
fn a_healthy_cluster() {
    check("h-01-healthy-create-complete", EVERYTHING);
}

#[test]
fn node_groups_machine_by_machine() {
    check("h-09-node-group-refused-and-server-deleted", PLAIN);
}

#[test]
fn a_delete_that_waits() {
    check("h-14-delete-stopped-half-way", EVERYTHING);
}

#[test]
fn a_create_of_the_old_contract() {
    check("o-02-cores-quota-terminal-old-contract", EVERYTHING);
}

#[test]
fn a_delete_of_the_old_contract() {
    check("o-04-credential-deleted-then-delete", EVERYTHING);
}

#[test]
fn a_crash_of_the_old_contract() {
    check("o-10-controller-panics-on-deleted-server", PLAIN);
}
