//! Small clusters written as YAML, and the outline of the tree that must grow from them.

mod absent;
mod cloud;
mod machines;
mod workers;

use serde_json::{Value, json};

use super::{Mood, Node, Shape, grow};
use crate::bundle::{Body, Bundle, Object};
use crate::model::{Snapshot, World};

/// Kinds and lists that a small cluster has read whole, unless it says otherwise.
const READ: [&str; 18] = [
    "kubernetes/cluster",
    "kubernetes/openstackcluster",
    "kubernetes/kubeadmcontrolplane",
    "kubernetes/machinedeployment",
    "kubernetes/machineset",
    "kubernetes/machine",
    "kubernetes/openstackmachine",
    "kubernetes/openstackserver",
    "kubernetes/kubeadmconfig",
    "kubernetes/machinehealthcheck",
    "kubernetes/clusterresourceset",
    "openstack/compute/servers",
    "openstack/network/networks",
    "openstack/network/subnets",
    "openstack/network/routers",
    "openstack/network/security-groups",
    "openstack/network/floatingips",
    "openstack/load-balancer/loadbalancers",
];

/// Checks the outline of the tree with clusterctl's default switches.
fn check(cluster: &str, expected: &str) {
    check_as(&Shape::default(), cluster, expected);
}

/// `magnum` is the row in Magnum, `groups` its node groups, `objects` Kubernetes objects
/// without what all have in common, `openstack` lists by part, `gaps` what was not read.
fn check_as(shape: &Shape, cluster: &str, expected: &str) {
    let bundle = bundle(cluster);
    let world = World::new(&bundle);
    let snapshot = Snapshot::new(&world, "web", Some("uuid-1"), Some("kube-a"));
    let tree = grow(&snapshot, shape);
    let mut outline = String::new();
    draw(&tree, 0, &mut outline);
    let wanted: Vec<&str> = expected.lines().filter(|l| !l.trim().is_empty()).collect();
    let indent = wanted.iter().map(|l| l.len() - l.trim_start().len()).min().unwrap();
    let wanted: Vec<&str> = wanted.iter().map(|l| l.split_at(indent).1).collect();
    assert_eq!(outline.lines().collect::<Vec<_>>(), wanted, "\n{outline}");
}

/// One line a row: mood (`+` good, `!` bad, `?` unsure, `-` plain), kind, name, replicas,
/// status, reason, message.
fn draw(node: &Node, depth: usize, outline: &mut String) {
    let mood = match node.mood {
        Mood::Good => "+",
        Mood::Bad => "!",
        Mood::Unsure => "?",
        Mood::Plain => "-",
    };
    let replicas = node.replicas.as_deref().unwrap_or_default();
    let words = [&node.kind, &node.name, replicas, &node.status, &node.reason];
    let words: Vec<&str> = words.into_iter().filter(|w| !w.is_empty()).collect();
    let message = node.message.replace('\n', " / ");
    let message = if message.is_empty() { message } else { format!(": {message}") };
    outline.push_str(&format!("{}{mood} {}{message}\n", "  ".repeat(depth), words.join(" ")));
    for child in &node.children {
        draw(child, depth + 1, outline);
    }
}

fn bundle(text: &str) -> Bundle {
    let spec: Value = serde_yaml::from_str(text).unwrap();
    let mut bundle = Bundle::default();
    bundle.meta.taken_at = Some("2026-11-30T21:00:00Z".parse().unwrap());
    "magnum-system".clone_into(&mut bundle.meta.namespace);
    bundle.meta.read = READ.iter().map(|p| (*p).to_owned()).collect();
    for object in list(&spec, "objects") {
        let kind = object["kind"].as_str().unwrap().to_ascii_lowercase();
        bundle.objects.push(Object { part: format!("kubernetes/{kind}"), value: whole(object) });
    }
    let mut lists = spec.get("openstack").cloned().unwrap_or(json!({}));
    if let Some(magnum) = spec.get("magnum") {
        let mut row = json!({"uuid": "uuid-1", "name": "web", "stack_id": "kube-a"});
        merge(&mut row, magnum);
        lists["container-infra/clusters"] = json!({"clusters": [row]});
    }
    lists["container-infra/nodegroups"] = json!({"nodegroups": list(&spec, "groups")});
    for (part, value) in lists.as_object().unwrap() {
        let part = format!("openstack/{part}");
        bundle.meta.read.push(part.clone());
        bundle.bodies.push(Body { part, value: value.clone() });
    }
    for gap in list(&spec, "gaps") {
        let why = serde_json::from_value(gap["why"].clone()).unwrap();
        bundle.blank(gap["part"].as_str().unwrap(), why, gap["says"].as_str().unwrap_or_default());
    }
    bundle
}

fn list(spec: &Value, key: &str) -> Vec<Value> {
    spec.get(key).and_then(Value::as_array).cloned().unwrap_or_default()
}

/// Adds what all objects of the cluster have in common.
fn whole(object: Value) -> Value {
    let mut base = json!({
        "apiVersion": "cluster.x-k8s.io/v1beta2",
        "metadata": {"namespace": "magnum-system", "labels": {"cluster.x-k8s.io/cluster-name": "kube-a"}},
    });
    merge(&mut base, &object);
    base
}

fn merge(base: &mut Value, more: &Value) {
    match (base, more) {
        (Value::Object(base), Value::Object(more)) => {
            for (key, value) in more {
                merge(base.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (base, more) => *base = more.clone(),
    }
}
