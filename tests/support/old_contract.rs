//! Rewrites a bundle of Cluster API 1.11 and later (`v1beta2`) into what 1.8 would show
//! (`v1beta1`): the old conditions come out of `status.deprecated.v1beta1`, and fields get
//! their old names (Cluster API `api/core/v1beta1`, `controlplane/kubeadm/api/v1beta1`).

use kubectl_magnum::bundle::Bundle;
use serde_json::{Map, Value, json};

use crate::change::drop_field;

/// The whole bundle in the old contract, with CAPO 0.11 beside it: its OpenStackCluster has
/// no conditions.
pub(crate) fn rewrite(bundle: &mut Bundle) {
    for object in &mut bundle.objects {
        let version = object.value["apiVersion"].as_str().unwrap_or_default().to_owned();
        if let Some(group) = version.strip_suffix("cluster.x-k8s.io/v1beta2") {
            object.value["apiVersion"] = json!(format!("{group}cluster.x-k8s.io/v1beta1"));
            references(&mut object.value["metadata"]["ownerReferences"]);
            status(&mut object.value);
            spec(&mut object.value);
        } else if version.starts_with("infrastructure.cluster.x-k8s.io/") {
            references(&mut object.value["metadata"]["ownerReferences"]);
            if object.value["kind"] == "OpenStackCluster" {
                drop_field(&mut object.value["status"], "conditions");
                drop_field(&mut object.value["status"], "initialization");
            }
        }
        images(&mut object.value);
    }
}

fn references(owners: &mut Value) {
    for owner in owners.as_array_mut().into_iter().flatten() {
        let version =
            owner["apiVersion"].as_str().unwrap_or_default().replace("x-k8s.io/v1beta2", "x-k8s.io/v1beta1");
        owner["apiVersion"] = json!(version);
    }
}

/// `deprecated.v1beta1` becomes the status itself; what only the new contract has goes.
fn status(object: &mut Value) {
    let kind = object["kind"].as_str().unwrap_or_default().to_owned();
    let Some(status) = object.get_mut("status").and_then(Value::as_object_mut) else { return };
    let initialization = status.remove("initialization").unwrap_or_default();
    let old = status.remove("deprecated").and_then(|d| d.get("v1beta1").cloned()).unwrap_or_default();
    for field in ["conditions", "upToDateReplicas", "controlPlane", "workers", "deletion", "lastRemediation"]
    {
        status.remove(field);
    }
    status.extend(old.as_object().cloned().unwrap_or_default());
    let is = |field: &str| initialization.get(field) == Some(&json!(true));
    let mut flag = |name: &str, value: bool| {
        // Go leaves out what is false.
        if value {
            status.insert(name.to_owned(), json!(true));
        }
    };
    match kind.as_str() {
        "Cluster" => {
            flag("infrastructureReady", is("infrastructureProvisioned"));
            flag("controlPlaneReady", is("controlPlaneInitialized"));
        }
        "KubeadmControlPlane" => {
            flag("initialized", is("controlPlaneInitialized"));
            flag("ready", is("controlPlaneInitialized"));
            status.remove("availableReplicas");
        }
        "Machine" => {
            flag("bootstrapReady", is("bootstrapDataSecretCreated"));
            flag("infrastructureReady", is("infrastructureProvisioned"));
        }
        "KubeadmConfig" => flag("ready", is("dataSecretCreated")),
        _ => {}
    }
}

fn spec(object: &mut Value) {
    let namespace = object["metadata"]["namespace"].clone();
    let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) else { return };
    for field in ["controlPlaneRef", "infrastructureRef"] {
        reference(spec.get_mut(field), &namespace);
    }
    reference(spec.get_mut("bootstrap").and_then(|b| b.get_mut("configRef")), &namespace);
    if let Some(topology) = spec.get_mut("topology").and_then(Value::as_object_mut) {
        let class = topology.remove("classRef").and_then(|c| c.get("name").cloned());
        topology.insert("class".to_owned(), class.unwrap_or_default());
    }
    if let Some(checks) = spec.remove("checks") {
        let unhealthy = spec
            .remove("remediation")
            .and_then(|r| r.pointer("/triggerIf/unhealthyLessThanOrEqualTo").cloned());
        spec.insert("maxUnhealthy".to_owned(), unhealthy.unwrap_or_default());
        let seconds = checks["nodeStartupTimeoutSeconds"].as_i64().unwrap_or(600);
        spec.insert("nodeStartupTimeout".to_owned(), json!(format!("{}m0s", seconds / 60)));
    }
    rename(spec, "rollout", "strategy");
}

/// The old contract names the version in full where the new one names the group.
fn reference(found: Option<&mut Value>, namespace: &Value) {
    let Some(found) = found.and_then(Value::as_object_mut) else { return };
    if let Some(Value::String(group)) = found.remove("apiGroup") {
        found.insert("apiVersion".to_owned(), json!(format!("{group}/v1beta1")));
        found.insert("namespace".to_owned(), namespace.clone());
    }
}

fn rename(fields: &mut Map<String, Value>, from: &str, to: &str) {
    if let Some(value) = fields.remove(from) {
        fields.insert(to.to_owned(), value.get("strategy").cloned().unwrap_or(value));
    }
}

/// Controllers of the old contract.
fn images(object: &mut Value) {
    for path in ["/spec/template/spec/containers", "/spec/containers"] {
        for container in object.pointer_mut(path).and_then(Value::as_array_mut).into_iter().flatten() {
            let Some((image, _)) = container["image"].as_str().and_then(|i| i.rsplit_once(':')) else {
                continue;
            };
            let tag = if image.contains("openstack") { "v0.11.8" } else { "v1.8.4" };
            container["image"] = json!(format!("{image}:{tag}"));
        }
    }
}
