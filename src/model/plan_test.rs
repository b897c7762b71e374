use serde_json::{Value, json};

use super::*;
use crate::bundle::Bundle;
use crate::model::World;

const AT: &str = "2026-11-30T21:00:00Z";
const SERVER: &str = "5e5e5e5e-0000-4000-8000-000000000001";

/// A cluster in this status, created an hour ago and changed half an hour ago.
fn known(status: &str, reason: Value, objects: &[Value]) -> Bundle {
    let mut bundle = Bundle::default();
    bundle.meta.taken_at = AT.parse().ok();
    bundle.meta.target.uuid = Some("u".to_owned());
    bundle.meta.target.stack_id = Some("kube-abcde".to_owned());
    bundle.meta.read = vec!["kubernetes/machinedeployment".to_owned()];
    let row = json!({"uuid": "u", "cluster_id": "kube-abcde", "project_id": "p", "status": status, "status_reason": reason,
        "created_at": "2026-11-30T20:00:00+00:00", "updated_at": "2026-11-30T20:30:00+00:00"});
    bundle.take_body("openstack/container-infra/clusters", json!({"clusters": [row]})).expect("a body");
    bundle
        .take_body("openstack/compute/servers", json!({"servers": [{"id": SERVER, "name": "kube-abcde-cp"}]}))
        .expect("a body");
    for object in objects {
        bundle.take_objects(object.clone()).expect("an object");
    }
    bundle
}

fn plan(bundle: &Bundle) -> Plan {
    let world = World::new(bundle);
    next(&Snapshot::new(&world, "x", Some("u"), Some("kube-abcde")), SignedDuration::from_hours(2))
}

fn pod(namespace: &str, labels: Value, container: &str, status: Value) -> Value {
    json!({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p-1", "namespace": namespace, "labels": labels},
        "spec": {"containers": [{"name": "proxy"}, {"name": container}]}, "status": {"containerStatuses": [status]}})
}

fn capo(status: Value) -> Value {
    pod("capo-system", json!({"cluster.x-k8s.io/provider": "infrastructure-openstack"}), "manager", status)
}

fn conductor() -> Value {
    pod("openstack", json!({"application": "magnum"}), "magnum-conductor", json!({}))
}

fn machine(server: &str) -> [Value; 2] {
    let meta = |name: &str| json!({"name": name, "namespace": "magnum-system", "labels": {"cluster.x-k8s.io/cluster-name": "kube-abcde"}});
    [
        json!({"kind": "Machine", "apiVersion": "cluster.x-k8s.io/v1beta2", "metadata": meta("kube-abcde-cp"),
            "spec": {"infrastructureRef": {"name": "kube-abcde-cp"}}}),
        json!({"kind": "OpenStackMachine", "apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1",
            "metadata": meta("kube-abcde-cp"), "spec": {"instanceID": server}}),
    ]
}

/// What is planned of the conductor: since when, if at all.
fn check_conductor(status: &str, reason: Value, more: &[Value], since: Option<&str>) {
    let mut objects = vec![capo(json!({})), conductor()];
    objects.extend(more.iter().cloned());
    let plan = plan(&known(status, reason, &objects));
    let log = plan.logs.iter().find(|log| log.conductor);
    assert_eq!(log.map(|log| log.since.to_string()).as_deref(), since, "{status}");
    assert_eq!(plan.conductor, since.is_some());
    assert!(plan.logs.iter().any(|log| log.namespace == "capo-system"));
}

#[test]
fn the_conductor_is_read_when_magnum_itself_is_in_question() {
    let ready = json!({"kind": "Cluster", "apiVersion": "cluster.x-k8s.io/v1beta2",
        "metadata": {"name": "kube-abcde", "namespace": "magnum-system"},
        "status": {"conditions": [{"type": "Available", "status": "True"}]}});
    check_conductor("CREATE_FAILED", json!("boom"), &[], Some("2026-11-30T19:55:00Z"));
    check_conductor("UPDATE_FAILED", json!("boom"), &[], Some("2026-11-30T20:25:00Z"));
    check_conductor("CREATE_IN_PROGRESS", json!("waiting"), &[], None);
    check_conductor("CREATE_IN_PROGRESS", json!("waiting"), &[ready], Some("2026-11-30T20:25:00Z"));
    check_conductor("CREATE_IN_PROGRESS", Value::Null, &[], Some("2026-11-30T20:25:00Z"));
    check_conductor("CREATE_COMPLETE", Value::Null, &[], None);
}

#[test]
fn a_node_group_that_was_never_made_is_the_conductors() {
    let mut bundle = known("CREATE_COMPLETE", Value::Null, &[conductor()]);
    let groups = json!({"nodegroups": [{"uuid": "g", "name": "gpu", "role": "worker"}]});
    bundle.take_body("openstack/container-infra/nodegroups", groups).expect("a body");
    assert!(plan(&bundle).conductor);
    // Without the list of MachineDeployments nobody knows.
    bundle.meta.read.clear();
    assert!(!plan(&bundle).conductor);
}

#[test]
fn a_previous_run_is_read_if_it_ended_in_the_window() {
    let ended = |at: &str| {
        let state =
            json!({"name": "manager", "restartCount": 3, "lastState": {"terminated": {"finishedAt": at}}});
        let plan = plan(&known("CREATE_COMPLETE", Value::Null, &[capo(state)]));
        plan.logs.iter().map(|log| (log.previous, log.container.clone())).collect::<Vec<_>>()
    };
    let manager = "manager".to_owned();
    assert_eq!(ended("2026-11-30T20:00:00Z"), [(true, manager.clone()), (false, manager.clone())]);
    assert_eq!(ended("2026-11-30T10:00:00Z"), [(false, manager)]);
}

#[test]
fn a_pod_without_a_node_has_no_log() {
    let read = |node: Value, phase: &str| {
        let mut pod = capo(json!({"name": "manager"}));
        pod["spec"]["nodeName"] = node;
        pod["status"]["phase"] = json!(phase);
        plan(&known("CREATE_COMPLETE", Value::Null, &[pod])).logs.len()
    };
    assert_eq!(read(Value::Null, "Pending"), 0);
    assert_eq!(read(json!("n"), "Pending"), 1);
    assert_eq!(read(json!("n"), "Running"), 1);
}

#[test]
fn a_stuck_machine_is_asked_for_its_console_or_for_what_it_is_made_of() {
    let with = plan(&known("CREATE_IN_PROGRESS", json!("x"), &machine(SERVER)));
    assert_eq!((with.console.as_deref(), with.images_and_flavors), (Some(SERVER), false));
    let without = plan(&known("CREATE_IN_PROGRESS", json!("x"), &machine("another")));
    assert_eq!((without.console, without.images_and_flavors), (None, true));
    let none = plan(&known("CREATE_IN_PROGRESS", json!("x"), &[]));
    assert_eq!((none.console, none.images_and_flavors), (None, false));
}

#[test]
fn in_a_delete_the_holders_of_our_groups_are_looked_for() {
    let mut bundle = known("DELETE_IN_PROGRESS", Value::Null, &[]);
    let groups = json!({"security_groups": [
        {"id": "g1", "name": "k8s-cluster-magnum-system-kube-abcde-secgroup-worker"},
        {"id": "g2", "name": "k8s-cluster-magnum-system-kube-abcdef-secgroup-worker"}]});
    bundle.take_body("openstack/network/security-groups", groups).expect("a body");
    assert_eq!(plan(&bundle).held_groups, ["g1"]);
}

#[test]
fn networks_of_others_are_asked_for_by_id() {
    let cluster = json!({"kind": "OpenStackCluster", "apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1",
        "metadata": {"name": "kube-abcde-x", "namespace": "magnum-system",
            "labels": {"cluster.x-k8s.io/cluster-name": "kube-abcde"}},
        "status": {"externalNetwork": {"id": "n-ext"}, "network": {"id": "n-own"}}});
    let mut bundle = known("CREATE_COMPLETE", Value::Null, &[cluster]);
    bundle.take_body("openstack/network/networks", json!({"networks": [{"id": "n-own"}]})).expect("a body");
    assert_eq!(plan(&bundle).networks, ["n-ext"]);
}

#[test]
fn uuids() {
    assert!(is_uuid("27893cc9-1ef6-487c-8865-27130428aacd"));
    assert!(is_uuid("27893cc91ef6487c886527130428aacd"));
    for word in ["kube-4g0ec", "27893cc9", "g7893cc9-1ef6-487c-8865-27130428aacd", ""] {
        assert!(!is_uuid(word), "{word}");
    }
}
