//! Whether a document has the shape that its kind must have.
//!
//! A body without its list, or an object whose labels are a number, would read as "nothing
//! there". What has the wrong shape makes its part a gap instead.

use serde_json::Value;

/// Where an object keeps its conditions, in the three shapes of Cluster API.
const CONDITIONS: [&str; 3] =
    ["/status/conditions", "/status/v1beta2/conditions", "/status/deprecated/v1beta1/conditions"];

/// What is wrong with a Kubernetes object, if something is.
pub(super) fn object(value: &Value) -> Option<&'static str> {
    let map = |path: &str| value.pointer(path).is_none_or(|v| v.is_object() || v.is_null());
    if !["/metadata", "/metadata/labels", "/metadata/annotations", "/spec", "/status"].iter().all(|p| map(p))
    {
        return Some("a part of it that should be a map is something else");
    }
    let text = |path: &str| value.pointer(path).is_none_or(|v| v.is_string() || v.is_null());
    if !["/metadata/creationTimestamp", "/metadata/deletionTimestamp", "/metadata/namespace"]
        .iter()
        .all(|p| text(p))
    {
        return Some("a part of its metadata that should be a text is something else");
    }
    let conditions = CONDITIONS.iter().filter_map(|path| value.pointer(path)).filter(|c| !c.is_null());
    for list in conditions {
        let good = list.as_array().is_some_and(|rows| rows.iter().all(condition));
        if !good {
            return Some("its conditions are no list of conditions");
        }
    }
    None
}

fn condition(row: &Value) -> bool {
    ["type", "status"].iter().all(|key| row.get(key).is_some_and(Value::is_string))
}

/// Keys under which the services answer their lists; quotas are one document.
const LISTS: [(&str, &str); 25] = [
    ("container-infra/clusters", "clusters"),
    ("container-infra/nodegroups", "nodegroups"),
    ("container-infra/clustertemplates", "clustertemplates"),
    ("identity/projects", "projects"),
    ("identity/users", "users"),
    ("identity/application_credentials", "application_credentials"),
    ("network/ports", "ports"),
    ("network/security-groups", "security_groups"),
    ("network/floatingips", "floatingips"),
    ("network/networks", "networks"),
    ("network/subnets", "subnets"),
    ("network/routers", "routers"),
    ("network/quotas", "quota"),
    ("load-balancer/loadbalancers", "loadbalancers"),
    ("load-balancer/listeners", "listeners"),
    ("load-balancer/pools", "pools"),
    ("load-balancer/quotas", "quota"),
    ("compute/servers", "servers"),
    ("compute/server-groups", "server_groups"),
    ("compute/flavors", "flavors"),
    ("compute/quotas", "quota_set"),
    ("volume/volumes", "volumes"),
    ("volume/snapshots", "snapshots"),
    ("volume/quotas", "quota_set"),
    ("image/images", "images"),
];

/// What is wrong with an OpenStack body, if something is. Parts that this program does not
/// know have any shape.
pub(super) fn body(part: &str, value: &Value) -> Option<&'static str> {
    let name = part.strip_prefix("openstack/").unwrap_or(part);
    let (_, key) = LISTS.iter().find(|(known, _)| *known == name)?;
    match value.get(*key) {
        None => Some("it lacks the list that this service answers"),
        Some(Value::Object(_)) if key.starts_with("quota") => None,
        Some(Value::Array(rows)) if rows.iter().all(row) => None,
        Some(_) => Some("its list is no list of rows"),
    }
}

/// A row is a map, and what rows are found and told apart by are texts.
fn row(row: &Value) -> bool {
    let text = |key: &str| row.get(key).is_none_or(|v| v.is_string() || v.is_null());
    row.is_object() && ["uuid", "name", "status", "project_id", "device_id"].iter().all(|key| text(key))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn objects_of_a_wrong_shape_are_told() {
        let check = |value: serde_json::Value, good: bool| {
            assert_eq!(super::object(&value).is_none(), good, "{value}");
        };
        check(json!({"metadata": {"name": "m", "labels": {"a": "b"}}, "status": {"conditions": []}}), true);
        check(json!({"metadata": {"name": "m", "labels": null}, "status": null}), true);
        check(json!({"metadata": {"name": "m", "labels": []}}), false);
        check(json!({"metadata": {"name": "m", "deletionTimestamp": 7}}), false);
        check(json!({"metadata": {"name": "m"}, "status": "Ready"}), false);
        check(json!({"metadata": {"name": "m"}, "status": {"conditions": {"Ready": "True"}}}), false);
        check(
            json!({"metadata": {"name": "m"}, "status": {"conditions": [{"type": "Ready", "status": true}]}}),
            false,
        );
        check(
            json!({"metadata": {"name": "m"}, "status": {"deprecated": {"v1beta1": {"conditions": [7]}}}}),
            false,
        );
    }

    #[test]
    fn bodies_of_a_wrong_shape_are_told() {
        let check = |part: &str, value: serde_json::Value, good: bool| {
            assert_eq!(super::body(part, &value).is_none(), good, "{part} {value}");
        };
        check("openstack/network/ports", json!({"ports": []}), true);
        check("openstack/network/ports", json!({"ports": [{"id": "p", "name": ""}]}), true);
        check("openstack/network/ports", json!({"NeutronError": "down"}), false);
        check("openstack/network/ports", json!({"ports": 5}), false);
        check("openstack/network/ports", json!({"ports": [{"name": 5}]}), false);
        check("openstack/compute/quotas", json!({"quota_set": {"cores": {"limit": 1}}}), true);
        check("openstack/compute/quotas", json!({"quota_set": 7}), false);
        check("openstack/of-next-year", json!({"things": 7}), true);
    }
}
