//! Bundles as people make them: ours, of crust-gather, by hand.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::fs;
use std::path::Path;

use kubectl_magnum::bundle::{Bundle, disk};
use serde_json::json;

/// Reads a folder with these files.
fn read(files: &[(&str, &str)]) -> Bundle {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path: &Path = &dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    disk::read(dir.path()).unwrap()
}

const INDEX: (&str, &str) = ("bundle.yaml", "format: 1\n");

/// The part, version and name of each object of these files beside an index.
#[track_caller]
fn check(files: &[(&str, &str)], expected: &[(&str, &str, &str)]) {
    let bundle = read(&[&[INDEX], files].concat());
    assert_eq!(bundle.meta.gaps, []);
    let found: Vec<_> = bundle
        .objects
        .iter()
        .map(|o| {
            (
                o.part.as_str(),
                o.value["apiVersion"].as_str().unwrap(),
                o.value["metadata"]["name"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(found, expected);
}

const V1: &str = "cluster.x-k8s.io/v1beta1";
const V2: &str = "cluster.x-k8s.io/v1beta2";
const OLD: &str = "{apiVersion: cluster.x-k8s.io/v1beta1, kind: Machine, metadata: {name: m, namespace: n}}";
const NEW: &str = "{apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, metadata: {name: m, namespace: n}}";

#[test]
fn lists_and_documents_are_taken_apart() {
    check(&[("kubernetes/a.yml", &format!("---\n{OLD}\n---\n"))], &[("kubernetes/machine", V1, "m")]);
    check(
        &[(
            "kubernetes/x/y/a.json",
            r#"{"apiVersion": "v1", "kind": "List", "items": [
                {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e"}},
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}]}"#,
        )],
        &[("kubernetes/event", "v1", "e"), ("kubernetes/pod", "v1", "p")],
    );
    check(
        &[("kubernetes/a.yaml", "apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: p}\n")],
        &[("kubernetes/pod", "v1", "p")],
    );
    check(&[("kubernetes/a.yaml", "apiVersion: v1\nkind: PodList\nitems: []\n")], &[]);
}

#[test]
fn of_two_versions_the_newer_stays() {
    check(&[("kubernetes/a.yaml", OLD), ("kubernetes/b.yaml", NEW)], &[("kubernetes/machine", V2, "m")]);
    check(&[("kubernetes/a.yaml", NEW), ("kubernetes/b.yaml", OLD)], &[("kubernetes/machine", V2, "m")]);
    let event = "{apiVersion: events.k8s.io/v1, kind: Event, metadata: {name: e}}";
    let core = "{apiVersion: v1, kind: Event, metadata: {name: e}}";
    check(&[("kubernetes/a.yaml", core), ("kubernetes/b.yaml", event)], &[("kubernetes/event", "v1", "e")]);
}

#[test]
fn kinds_of_the_same_name_in_other_groups_stay() {
    let other = NEW.replace("cluster.x-k8s.io/v1beta2", "machine.example/v1");
    check(
        &[("kubernetes/a.yaml", NEW), ("kubernetes/b.yaml", &other)],
        &[("kubernetes/machine", V2, "m"), ("kubernetes/machine", "machine.example/v1", "m")],
    );
}

#[test]
fn bodies_nobody_reads_are_dropped() {
    let class = "{apiVersion: v1, kind: ClusterClass, spec: {a: 1}, status: {b: 1}, \
                 metadata: {name: c, uid: u, generation: 3, managedFields: [1]}}";
    let bundle = read(&[INDEX, ("kubernetes/a.yaml", class)]);
    let kept = json!({"apiVersion": "v1", "kind": "ClusterClass", "status": {"b": 1},
                      "metadata": {"name": "c", "uid": "u"}});
    assert_eq!(bundle.objects[0].value, kept);
}

#[test]
fn pages_of_a_body_in_their_order() {
    let bundle = read(&[
        INDEX,
        ("openstack/network/ports-10.json", r#"{"ports": [10]}"#),
        ("openstack/network/ports.2.json", r#"{"ports": [2]}"#),
        ("openstack/network/ports.json", r#"{"ports": [1]}"#),
        ("openstack/network/security-groups.json", r#"{"security_groups": []}"#),
    ]);
    let pages: Vec<_> =
        bundle.bodies.iter().map(|b| (b.part.as_str(), b.value["ports"][0].as_u64())).collect();
    let ports = "openstack/network/ports";
    let groups = "openstack/network/security-groups";
    assert_eq!(pages, [(ports, Some(1)), (ports, Some(2)), (ports, Some(10)), (groups, None)]);
}

#[test]
fn logs_and_consoles() {
    let bundle = read(&[
        INDEX,
        ("kubernetes/namespaces/capo-system/v1/pod/p/manager/current.log", "now\n"),
        ("kubernetes/namespaces/capo-system/v1/pod/p/manager/previous.log", "before\n"),
        ("openstack/compute/console/0d3ac1dd.log", "boot\n"),
        ("workload/namespaces/n/v1/pod/p/c/current.log", "no controller's\n"),
    ]);
    let logs: Vec<_> = bundle.logs.iter().map(|l| (l.part(), l.previous, l.text.as_str())).collect();
    let part = || "log/capo-system".to_owned();
    assert_eq!(logs, [(part(), false, "now\n"), (part(), true, "before\n")]);
    assert_eq!(bundle.consoles["0d3ac1dd"], "boot\n");
}

#[test]
fn workload_objects_need_no_kind() {
    let bundle = read(&[INDEX, ("workload/events.json", r#"{"items": [{"reason": "FailedMount"}]}"#)]);
    assert_eq!(bundle.workload, [json!({"reason": "FailedMount"})]);
}

#[test]
fn archive_of_crust_gather() {
    let bundle = read(&[
        ("version.yaml", "major: '1'\nminor: '33'\n"),
        ("namespaces/n/cluster.x-k8s.io-v1beta2/machine/m.yaml", NEW),
        ("cluster/v1/node/w.yaml", "{apiVersion: v1, kind: Node, metadata: {name: w}}"),
        ("namespaces/capo-system/v1/pod/p/manager/current.log", "x\n"),
    ]);
    let parts: Vec<_> = bundle.objects.iter().map(|o| o.part.as_str()).collect();
    assert_eq!(parts, ["kubernetes/node", "kubernetes/machine"]);
    assert_eq!((bundle.logs.len(), bundle.meta.namespace.as_str()), (1, "magnum-system"));
    assert_eq!((bundle.meta.taken_at, bundle.meta.gaps.len()), (None, 0));
}

/// `no` and `0123` are texts to kubectl and to serde; labels are full of them.
#[test]
fn words_that_yaml_1_1_takes_for_something_else() {
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {a: no, b: 0123, c: 'true'}}}";
    let bundle = read(&[INDEX, ("kubernetes/a.yaml", pod)]);
    assert_eq!(bundle.objects[0].value["metadata"]["labels"], json!({"a": "no", "b": "0123", "c": "true"}));
}
