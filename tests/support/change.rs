//! Small changes to a bundle in memory, for tests that start from a real one.

use std::path::Path;

use kubectl_magnum::bundle::{Bundle, Object, disk};
use serde_json::{Value, json};

/// The bundle of a scenario.
pub(crate) fn bundle(scenario: &str) -> Bundle {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    disk::read(&root.join(scenario).join("bundle")).unwrap()
}

/// The objects of one kind; a kind that is not there is a mistake of the test.
pub(crate) fn objects<'b>(bundle: &'b mut Bundle, kind: &str) -> Vec<&'b mut Object> {
    let found: Vec<&mut Object> = bundle.objects.iter_mut().filter(|o| o.value["kind"] == kind).collect();
    assert!(!found.is_empty(), "no {kind} in the bundle");
    found
}

/// The rows of an OpenStack list that belong to nothing but this cluster's project.
pub(crate) fn rows<'b>(bundle: &'b mut Bundle, part: &str, list: &str) -> &'b mut Vec<Value> {
    let body = bundle.bodies.iter_mut().find(|b| b.part == part);
    body.unwrap_or_else(|| panic!("no {part}")).value[list].as_array_mut().unwrap()
}

/// The cluster's own row in Magnum.
pub(crate) fn magnum(bundle: &mut Bundle) -> &mut Value {
    let uuid = bundle.meta.target.uuid.clone().unwrap();
    let rows = rows(bundle, "openstack/container-infra/clusters", "clusters");
    rows.iter_mut().find(|r| r["uuid"] == json!(uuid)).unwrap()
}

/// The stack id.
pub(crate) fn stack(bundle: &Bundle) -> String {
    bundle.meta.target.stack_id.clone().unwrap()
}

/// The rows of a list whose name carries the stack id.
pub(crate) fn own<'b>(bundle: &'b mut Bundle, part: &str, list: &str) -> Vec<&'b mut Value> {
    let stack = stack(bundle);
    let own = |r: &&mut Value| r["name"].as_str().is_some_and(|n| n.contains(&stack));
    let found: Vec<&mut Value> = rows(bundle, part, list).iter_mut().filter(own).collect();
    assert!(!found.is_empty(), "nothing of {stack} in {part}");
    found
}

/// Conditions of an object, in the place of its own contract.
pub(crate) fn conditions(object: &mut Value) -> &mut Vec<Value> {
    object["status"]["conditions"].as_array_mut().unwrap()
}

/// Gives one condition another status, with a reason and a sentence that no list of noise has.
pub(crate) fn turn(object: &mut Value, condition: &str, status: &str) {
    let found = conditions(object).iter_mut().find(|c| c["type"] == condition);
    let found = found.unwrap_or_else(|| panic!("no condition {condition}"));
    found["status"] = json!(status);
    found["reason"] = json!("TurnedByTest");
    found["message"] = json!("* TurnedByTest: the test turned this condition");
}

/// Takes a field out of an object.
pub(crate) fn drop_field(object: &mut Value, field: &str) {
    object.as_object_mut().unwrap().remove(field);
}
