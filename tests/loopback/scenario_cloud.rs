//! The cloud of a scenario: the services answer what its bundle holds.

use kubectl_magnum::bundle::Bundle;
use serde_json::{Value, json};

use crate::records;
use crate::scenario::{is_read, of, parts, text};
use crate::server::{Reply, Seen};

/// A token as the scenario's login got it, with every service on this server.
fn token(bundle: &Bundle, root: &str) -> Reply {
    let entry = |kind: &str, path: &str| {
        let endpoint = json!({"interface": "public", "region": "RegionOne", "region_id": "RegionOne", "url": format!("{root}{path}")});
        json!({"type": kind, "name": kind, "endpoints": [endpoint]})
    };
    let catalog = [
        entry("identity", "/identity/v3"),
        entry("container-infra", "/magnum/v1"),
        entry("compute", "/compute/v2.1"),
        entry("network", "/network"),
        entry("load-balancer", "/octavia"),
        entry("block-storage", "/volume/v3"),
        entry("image", "/image"),
    ];
    let roles: Vec<Value> =
        bundle.meta.login.roles.iter().map(|name| json!({"id": name, "name": name})).collect();
    let mut token = records::body("keystone/login-project")["token"].take();
    token["expires_at"] = json!("2036-12-01T19:46:19.000000Z");
    token["roles"] = json!(roles);
    token["catalog"] = json!(catalog);
    match &bundle.meta.login.project_id {
        Some(id) => token["project"]["id"] = json!(id),
        None => drop(token.as_object_mut().expect("a token").remove("project")),
    }
    Reply::json(201, json!({ "token": token })).with("x-subject-token", "gAAAA-pl4nted-token")
}

/// What the services of the scenario's cloud answer.
pub(crate) fn openstack(bundle: &Bundle, seen: &Seen) -> Reply {
    let (path, query) = parts(seen);
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let list = |part: &str, key: &str| rows_of(bundle, &format!("openstack/{part}"), key, &query);
    match path.as_slice() {
        ["v3", "auth", "tokens"] => token(bundle, &format!("http://{}", seen.header("host").expect("host"))),
        ["magnum", "v1", "clusters", "detail"] => list("container-infra/clusters", "clusters"),
        ["magnum", "v1", "clusters", id] => one(bundle, "container-infra/clusters", "clusters", id, ""),
        ["magnum", "v1", "clusters", id, "nodegroups"] => {
            nodegroups(list("container-infra/nodegroups", "nodegroups"), id)
        }
        ["magnum", "v1", "clusters", _, "nodegroups", id] => {
            one(bundle, "container-infra/nodegroups", "nodegroups", id, "")
        }
        ["magnum", "v1", "clustertemplates", id] => {
            one(bundle, "container-infra/clustertemplates", "clustertemplates", id, "")
        }
        ["identity", "v3", "projects", id] => one(bundle, "identity/projects", "projects", id, "project"),
        ["identity", "v3", "users", id] => one(bundle, "identity/users", "users", id, "user"),
        ["identity", "v3", "users", _, "application_credentials"] => {
            list("identity/application_credentials", "application_credentials")
        }
        ["network", "v2.0", "quotas", _, "details"] => document(bundle, "openstack/network/quotas"),
        ["network", "v2.0", "security-groups"] => list("network/security-groups", "security_groups"),
        ["network", "v2.0", kind] => list(&format!("network/{kind}"), kind),
        ["octavia", "v2", "lbaas", "quotas", _] => document(bundle, "openstack/load-balancer/quotas"),
        ["octavia", "v2", "lbaas", kind] => list(&format!("load-balancer/{kind}"), kind),
        ["compute", "v2.1", "servers", "detail"] => list("compute/servers", "servers"),
        ["compute", "v2.1", "servers", id, "action"] => match bundle.consoles.get(*id) {
            Some(text) => Reply::json(200, json!({ "output": text })),
            None => Reply::json(200, json!({ "output": "" })),
        },
        ["compute", "v2.1", "os-server-groups"] => list("compute/server-groups", "server_groups"),
        ["compute", "v2.1", "flavors", "detail"] => list("compute/flavors", "flavors"),
        ["compute", "v2.1", "os-quota-sets", _, "detail"] => document(bundle, "openstack/compute/quotas"),
        ["volume", "v3", .., "os-quota-sets", _] => document(bundle, "openstack/volume/quotas"),
        ["volume", "v3", .., kind, "detail"] => list(&format!("volume/{kind}"), kind),
        ["image", "v2", "images"] => list("image/images", "images"),
        _ => records::reply("keystone/path-missing"),
    }
}

/// The answer to a question about a part that the scenario does not have whole.
fn gap(bundle: &Bundle, part: &str) -> Option<Reply> {
    let part = if part.starts_with("openstack/") { part.to_owned() } else { format!("openstack/{part}") };
    if is_read(bundle, &part) {
        return None;
    }
    let why = bundle.meta.gaps.iter().find(|gap| gap.part == part).map(|gap| gap.why.word());
    Some(records::reply(match why {
        Some("unreachable" | "timed-out") => "neutron/keystone-down",
        _ => "keystone/project-forbidden",
    }))
}

fn all_rows(bundle: &Bundle, part: &str, key: &str) -> Vec<Value> {
    let pages = bundle.bodies.iter().filter(|body| body.part == part);
    pages
        .flat_map(|body| body.value.get(key).and_then(Value::as_array).cloned().unwrap_or_default())
        .collect()
}

/// Rows by the filters that the services know.
fn rows_of(bundle: &Bundle, part: &str, key: &str, query: &[(String, String)]) -> Reply {
    if let Some(gap) = gap(bundle, part) {
        return gap;
    }
    let values =
        |name: &str| query.iter().filter(|(k, _)| k == name).map(|(_, v)| v.as_str()).collect::<Vec<_>>();
    let (ids, groups) = (values("id"), values("security_groups"));
    let mut rows = all_rows(bundle, part, key);
    rows.retain(|row| {
        let project = ["/project_id", "/tenant_id"].iter().map(|p| text(row, p)).find(|p| !p.is_empty());
        let held = row.get("security_groups").and_then(Value::as_array);
        of(query, "project_id").is_none_or(|wanted| project.is_none_or(|project| project == wanted))
            && (ids.is_empty() || ids.contains(&text(row, "/id")))
            && (groups.is_empty()
                || held.is_some_and(|h| h.iter().any(|g| groups.contains(&g.as_str().unwrap_or_default()))))
    });
    let fields = values("fields");
    for row in rows.iter_mut().filter(|_| !fields.is_empty()) {
        row.as_object_mut().expect("a row").retain(|field, _| fields.contains(&field.as_str()));
    }
    Reply::json(200, json!({ key: rows }))
}

fn document(bundle: &Bundle, part: &str) -> Reply {
    let found = bundle.bodies.iter().find(|body| body.part == part).map(|body| Reply::json(200, &body.value));
    gap(bundle, part).or(found).unwrap_or_else(|| records::reply("keystone/path-missing"))
}

/// One thing by UUID, id or name, as Magnum and Keystone find it.
fn one(bundle: &Bundle, part: &str, key: &str, id: &str, wrap: &str) -> Reply {
    if let Some(gap) = gap(bundle, part) {
        return gap;
    }
    let rows = all_rows(bundle, &format!("openstack/{part}"), key);
    let by = |pointer: &str| rows.iter().filter(|row| text(row, pointer) == id).collect::<Vec<_>>();
    let found = ["/uuid", "/id", "/name"].iter().map(|pointer| by(pointer)).find(|found| !found.is_empty());
    match found.unwrap_or_default().as_slice() {
        [] if wrap.is_empty() => records::reply("magnum/cluster-missing"),
        [] => records::reply("keystone/project-missing"),
        [row] if wrap.is_empty() => Reply::json(200, row)
            .with("openstack-api-maximum-version", "container-infrastructure-management 1.14"),
        [row] => Reply::json(200, json!({ wrap: row })),
        _ => records::reply("magnum/cluster-twice"),
    }
}

/// The list of node groups has neither reasons nor the cluster.
fn nodegroups(list: Reply, id: &str) -> Reply {
    let Reply::Whole { status: 200, body, .. } = &list else { return list };
    let mut body: Value = serde_json::from_str(body).expect("a list");
    let rows = body["nodegroups"].as_array_mut().expect("rows");
    rows.retain(|row| row.get("cluster_id").is_none_or(|cluster| cluster == id));
    let kept =
        ["uuid", "name", "flavor_id", "image_id", "node_count", "role", "is_default", "status", "stack_id"];
    for row in rows {
        row.as_object_mut().expect("a group").retain(|key, _| kept.contains(&key.as_str()));
    }
    Reply::json(200, body)
}
