//! `docs/rbac.yaml` grants what is read, to the last kind, and nothing else.
#![expect(clippy::unwrap_used, reason = "a test ends loudly")]

use std::collections::BTreeSet;

use kubectl_magnum::gather::kinds::{CLUSTER, KINDS};
use serde_json::Value;

/// Group, resource and verb.
type Right = (String, String, String);

fn granted() -> BTreeSet<Right> {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/rbac.yaml")).unwrap();
    let documents: Vec<Value> = serde_yaml::from_multiple(&text).unwrap();
    let roles = documents.iter().filter(|document| document["kind"] == "ClusterRole");
    let rules: Vec<Value> = roles.flat_map(|role| role["rules"].as_array().unwrap().clone()).collect();
    let words = |rule: &Value, key: &str| -> Vec<String> {
        rule[key].as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    let mut rights = BTreeSet::new();
    for rule in &rules {
        for group in words(rule, "apiGroups") {
            for resource in words(rule, "resources") {
                for verb in words(rule, "verbs") {
                    rights.insert((group.clone(), resource.clone(), verb));
                }
            }
        }
    }
    rights
}

#[test]
fn what_is_read_is_granted_and_nothing_else() {
    let mut read = BTreeSet::from([(String::new(), "pods/log".to_owned(), "get".to_owned())]);
    // Secrets are left out on purpose: the file says so.
    for row in KINDS.iter().chain([&CLUSTER]).filter(|row| row.plural != "secrets") {
        for verb in ["get", "list"] {
            read.insert((row.group.to_owned(), row.plural.to_owned(), verb.to_owned()));
        }
    }
    assert_eq!(granted(), read);
}
