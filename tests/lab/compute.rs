//! Nova in the lab's second profile: what the program reads there, and what it says of it.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::cloud::Cloud;
use crate::kube::{json, text};
use crate::stories;

/// The servers, if Nova is among them.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn with_nova() -> Option<Cloud> {
    let lab = Cloud::up()?;
    let nova = lab.lab["profile"] == "nova";
    if !nova {
        eprintln!("skipped: the lab has no Nova; LAB_PROFILE=nova tests/lab/lab.sh up starts one");
    }
    nova.then_some(lab)
}

/// What `collect` kept of Nova, by the name of the file.
fn collected(lab: &Cloud, cloud: &str, cluster: &str) -> BTreeMap<String, Value> {
    let folder = tempfile::tempdir().expect("a folder");
    let bundle = folder.path().join("bundle");
    let output = lab.run(cloud, &["collect", cluster, bundle.to_str().expect("a path")]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let files = std::fs::read_dir(bundle.join("openstack/compute")).expect("what Nova has");
    let read = |file: std::io::Result<std::fs::DirEntry>| {
        let path = file.expect("a file").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        (name, serde_json::from_slice(&std::fs::read(&path).expect("a file")).expect("JSON"))
    };
    files.map(read).collect()
}

/// Rows of a list by name.
fn named<'a>(list: &'a Value, name: &str) -> Option<&'a Value> {
    list.as_array().expect("a list").iter().find(|row| row["name"] == name)
}

#[test]
fn servers_groups_and_quotas_are_read() {
    let Some(lab) = with_nova() else { return };
    let read = collected(&lab, "demo", "prod");
    let machine = "kube-abcde-h5xkp-q7w2m";
    let servers = &read["servers"]["servers"];
    let server = named(servers, machine).expect("the server of the control plane");
    assert_eq!(server["id"], lab.seeded(&format!("/compute/servers/{machine}")));
    assert_eq!((&server["status"], &server["key_name"]), (&"ACTIVE".into(), &"lab".into()));
    // Nova says the flavor by value, and the tags, only to those who ask for a late microversion.
    assert_eq!(server["flavor"]["original_name"], "m1.medium");
    assert!(server["tags"].as_array().expect("tags").contains(&"magnum-system-kube-abcde".into()));
    assert!(server["addresses"]["k8s-clusterapi-cluster-magnum-system-kube-abcde"][0]["addr"].is_string());
    assert!(named(servers, "kube-othr1-p4d8n-zk2mv").is_none(), "that is another project's");

    let group = named(&read["server-groups"]["server_groups"], "kube-abcde").expect("the group");
    assert_eq!(group["id"], lab.seeded("/compute/serverGroup"));
    assert_eq!((&group["policy"], &group["members"][0]), (&"soft-anti-affinity".into(), &server["id"]));

    // Two nodes with two cores each, and one core that found no host; the seed set the limits.
    let quotas = &read["quotas"]["quota_set"];
    for (what, limit, used) in [("cores", 24, 5), ("instances", 12, 3)] {
        let row = &quotas[what];
        assert_eq!((&row["limit"], &row["in_use"]), (&limit.into(), &used.into()), "{what}");
    }
}

#[test]
fn a_server_without_a_host_keeps_its_fault() {
    let Some(lab) = with_nova() else { return };
    let read = collected(&lab, "demo", "stuck-create");
    let machine = "kube-error-p4d8n-zk2mv";
    let server = named(&read["servers"]["servers"], machine).expect("the server");
    assert_eq!(server["id"], lab.seeded(&format!("/compute/servers/{machine}")));
    let says = text(&server["fault"]["message"]);
    assert!(server["status"] == "ERROR" && says.contains("No valid host was found"), "{server}");
}

#[test]
fn an_admin_reads_the_servers_of_the_clusters_project() {
    let Some(lab) = with_nova() else { return };
    let read = collected(&lab, "admin", lab.seeded("/clusters/otherProd"));
    let servers = read["servers"]["servers"].as_array().expect("servers");
    let names: Vec<&str> = servers.iter().map(|server| text(&server["name"])).collect();
    assert_eq!(names, ["kube-othr1-p4d8n-zk2mv"]);
    let ours = lab.seeded("/compute/serverGroup");
    let groups = read["server-groups"]["server_groups"].as_array().expect("groups");
    assert!(groups.iter().all(|group| group["id"] != ours), "{groups:?}");
}

/// A scenario on the servers of both halves, and what Nova was asked for it.
fn check_story(name: &str, nova_says: &str, asked: &[(&str, &str)]) {
    let Some(lab) = with_nova() else { return };
    let before = lab.asked().iter().filter(|a| a.service == "nova").count();
    let live = stories::check(name).expect("both halves of the lab");
    let page = live["causes"].to_string();
    assert!(page.contains(nova_says), "{name}: {page}");
    let nova: Vec<_> = lab.asked().into_iter().filter(|a| a.service == "nova").skip(before).collect();
    for (method, path) in asked {
        assert!(nova.iter().any(|a| a.method == *method && a.path.contains(path)), "{name}: {nova:?}");
    }
}

#[test]
fn no_valid_host() {
    // CAPO keeps no word of the fault: the page has it from Nova.
    check_story(
        "r-02-no-valid-host-first-control-plane",
        "No valid host was found",
        &[("GET", "/servers/detail"), ("GET", "/os-server-groups"), ("GET", "/os-quota-sets/")],
    );
}

#[test]
fn a_server_that_never_became_a_node_is_asked_for_its_console() {
    check_story("r-06-server-never-became-a-node", "status ACTIVE", &[("POST", "/action")]);
}

#[test]
fn nova_is_only_read() {
    let Some(lab) = with_nova() else { return };
    let output = lab.run("demo", &["why", "prod", "-o", "json"]);
    let report = json(&output);
    let gaps = report["gaps"].as_array().expect("gaps");
    assert!(gaps.iter().all(|gap| !text(&gap["part"]).starts_with("openstack/")), "{gaps:?}");
    let nova: Vec<_> = lab.asked().into_iter().filter(|a| a.service == "nova").collect();
    assert!(!nova.is_empty(), "Nova was not asked");
    let console = |path: &str| path.starts_with("/v2.1/servers/") && path.ends_with("/action");
    let harm: Vec<_> =
        nova.iter().filter(|a| a.method != "GET" && !(a.method == "POST" && console(&a.path))).collect();
    assert!(harm.is_empty(), "{harm:?}");
}
