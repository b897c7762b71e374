//! The Kubernetes half: documents taken apart into objects, one each.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde_json::{Map, Value};

use super::{Object, redact, shape};

/// Kinds of which nothing but the metadata is kept. They are the bulk of a bundle, some
/// hold secrets, and what they say is said again by the objects made from them.
const HEAD_ONLY: [&str; 6] = [
    "Secret",
    "ClusterClass",
    "OpenStackClusterTemplate",
    "KubeadmControlPlaneTemplate",
    "KubeadmConfigTemplate",
    "OpenStackMachineTemplate",
];

/// Metadata that is kept of them.
const HEAD: [&str; 9] = [
    "name",
    "namespace",
    "uid",
    "labels",
    "annotations",
    "creationTimestamp",
    "deletionTimestamp",
    "finalizers",
    "ownerReferences",
];

/// Answers of an API server that are no objects, which crust-gather keeps for serving.
const DISCOVERY: [&str; 6] =
    ["APIGroup", "APIGroupList", "APIResourceList", "APIVersions", "APIGroupDiscoveryList", "Table"];

/// The part that objects of a kind belong to.
pub(super) fn part(kind: &str) -> String {
    format!("kubernetes/{}", kind.to_lowercase())
}

/// Something that should have been an object: its kind if it has one.
pub(super) type Odd = Option<String>;

/// Takes one document apart, slims and redacts its objects.
pub(super) fn take_apart(document: Value, objects: &mut Vec<Object>, odd: &mut Vec<Odd>) {
    let Value::Object(mut map) = document else {
        odd.push(None);
        return;
    };
    let kind = map.get("kind").and_then(Value::as_str).map(str::to_owned);
    if kind.as_deref().is_some_and(|k| DISCOVERY.contains(&k)) {
        return;
    }
    let of = kind.as_deref().and_then(|k| k.strip_suffix("List"));
    match (of, map.remove("items")) {
        (Some(_), Some(Value::Null)) => {}
        (Some(of), Some(Value::Array(items))) => {
            let version = map.get("apiVersion").cloned();
            for item in items {
                object(typed(item, of, version.as_ref()), objects, odd);
            }
        }
        (Some(of), _) if !has_name(&map) => odd.push(Some(of.to_owned()).filter(|of| !of.is_empty())),
        (_, items) => {
            map.extend(items.map(|items| ("items".to_owned(), items)));
            object(Value::Object(map), objects, odd);
        }
    }
}

/// An API server leaves kind and version out of the items of a typed List.
fn typed(mut item: Value, kind: &str, version: Option<&Value>) -> Value {
    if let (Value::Object(map), false) = (&mut item, kind.is_empty()) {
        map.entry("kind").or_insert_with(|| Value::from(kind));
        if let Some(version) = version {
            map.entry("apiVersion").or_insert_with(|| version.clone());
        }
    }
    item
}

fn has_name(map: &Map<String, Value>) -> bool {
    let name = map.get("metadata").and_then(|m| m.get("name")).and_then(Value::as_str);
    name.is_some_and(|n| !n.is_empty())
}

fn object(value: Value, objects: &mut Vec<Object>, odd: &mut Vec<Odd>) {
    let Value::Object(mut map) = value else {
        odd.push(None);
        return;
    };
    let kind = map.get("kind").and_then(Value::as_str).filter(|k| !k.is_empty()).map(str::to_owned);
    match kind {
        Some(kind) if has_name(&map) => {
            slim(&kind, &mut map);
            let mut value = Value::Object(map);
            redact::object(&mut value);
            // What can be read of it is kept; its part is a gap all the same.
            if shape::object(&value).is_some() {
                odd.push(Some(kind.clone()));
            }
            objects.push(Object { part: part(&kind), value });
        }
        kind => odd.push(kind),
    }
}

/// Drops what no cause reads.
fn slim(kind: &str, map: &mut Map<String, Value>) {
    let head_only = HEAD_ONLY.contains(&kind);
    if head_only {
        map.retain(|key, _| {
            matches!(key.as_str(), "apiVersion" | "kind" | "metadata")
                || (kind == "ClusterClass" && key == "status")
        });
    }
    if let Some(Value::Object(metadata)) = map.get_mut("metadata") {
        metadata.remove("managedFields");
        if head_only {
            metadata.retain(|key, _| HEAD.contains(&key.as_str()));
            if let Some(Value::Object(annotations)) = metadata.get_mut("annotations") {
                annotations.remove(redact::LAST_APPLIED);
            }
        }
    }
}

/// Leaves one of each object. Of the same object at two versions the newer one stays, of
/// two readings at one version the later one.
pub(super) fn unique(objects: Vec<Object>) -> Vec<Object> {
    let mut places: HashMap<[String; 4], usize> = HashMap::new();
    let mut all: Vec<Object> = Vec::with_capacity(objects.len());
    for object in objects {
        match places.entry(identity(&object.value)) {
            Entry::Vacant(place) => {
                place.insert(all.len());
                all.push(object);
            }
            Entry::Occupied(place) => {
                if let Some(kept) = all.get_mut(*place.get())
                    && rank(&object.value) > rank(&kept.value)
                {
                    *kept = object;
                }
            }
        }
    }
    all
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Kind, group, namespace, name. An Event is served by two groups and is one object.
fn identity(value: &Value) -> [String; 4] {
    let kind = text(value, "/kind");
    let group = match text(value, "/apiVersion").split_once('/') {
        Some((group, _)) if kind != "Event" => group,
        _ => "",
    };
    [kind, group, text(value, "/metadata/namespace"), text(value, "/metadata/name")].map(str::to_owned)
}

/// The greater the newer: core before a group (an Event is whole only there), stable before
/// beta before alpha, then by the numbers, then by resourceVersion.
fn rank(value: &Value) -> (bool, u8, u32, u32, u64) {
    let api = text(value, "/apiVersion");
    let (group, version) = api.split_once('/').unwrap_or(("", api));
    let digits =
        |s: &str| s.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0);
    let rest = version.strip_prefix('v').unwrap_or(version);
    let level = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let (stage, minor) = match (level.strip_prefix("beta"), level.strip_prefix("alpha")) {
        (Some(n), _) => (1, digits(n)),
        (_, Some(n)) => (0, digits(n)),
        _ => (2, 0),
    };
    let read = text(value, "/metadata/resourceVersion").parse().unwrap_or(0);
    (group.is_empty(), stage, digits(rest), minor, read)
}
