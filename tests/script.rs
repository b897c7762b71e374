//! The script that `leftovers -o script` prints, run against commands that only play a cloud: rows of
//! the bundle as files, which `show` prints and `delete` takes away.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test ends loudly")]

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const SCENARIO: &str = "tests/scenarios/left-01-forgotten-with-everything-left";

/// Plays `openstack` and `kubectl`. A thing is a folder with a file for each field; a load balancer
/// takes a little work with it, and a volume is let go of when its server goes.
const PLAYER: &str = r#"#!/bin/sh
set -eu
echo "$(basename "$0") $*" >> "$CLOUD/log"
last= verb= columns= quiet=
while [ $# -gt 0 ]; do
    case $1 in
    -c) columns="$columns $2"; shift ;;
    -f | -n | --os-volume-api-version) shift ;;
    -o) columns=uid; shift ;;
    --ignore-not-found) quiet=yes ;;
    show | get | delete | remove) verb=$1 ;;
    -*) ;;
    *) case $verb in "") ;; get | delete | show) last=$1 ;; remove) last=$1 ;; esac ;;
    esac
    shift
done
[ -d "$CLOUD/$last" ] || [ -z "$quiet" ] || exit 0
[ -d "$CLOUD/$last" ] || { echo "No thing found for $last" >&2; exit 1; }
case $verb in
show | get) for column in $columns; do
    [ ! -f "$CLOUD/$last/$column" ] || cat "$CLOUD/$last/$column"
done ;;
delete | remove)
    [ ! -f "$CLOUD/$last/after" ] || . "$CLOUD/$last/after"
    rm -r "$CLOUD/$last" ;;
esac
"#;

/// A folder that stands for the cloud of the scenario.
struct Cloud(tempfile::TempDir);

impl Cloud {
    fn new() -> Cloud {
        let cloud = Cloud(tempfile::tempdir().unwrap());
        for name in ["openstack", "kubectl"] {
            let path = cloud.0.path().join("bin").join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, PLAYER).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        cloud.fill(&Path::new(env!("CARGO_MANIFEST_DIR")).join(SCENARIO).join("bundle"));
        cloud
    }

    fn things(&self) -> std::path::PathBuf {
        self.0.path().join("things")
    }

    fn put(&self, id: &str, field: &str, value: &str) {
        let folder = self.things().join(id);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(field), format!("{value}\n")).unwrap();
    }

    /// Every row and object of the bundle.
    fn fill(&self, folder: &Path) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                self.fill(&path);
                continue;
            }
            let document: Value = serde_yaml::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            if let (Some(name), Some(uid)) =
                (document.pointer("/metadata/name"), document.pointer("/metadata/uid"))
            {
                self.put(name.as_str().unwrap(), "uid", uid.as_str().unwrap());
            }
            let lists = document.as_object().into_iter().flatten().filter_map(|(_, rows)| rows.as_array());
            lists.flatten().filter(|row| row["id"].is_string()).for_each(|row| self.row(row));
        }
    }

    fn row(&self, row: &Value) {
        let id = row["id"].as_str().unwrap();
        for (field, value) in row.as_object().unwrap() {
            let value = match value {
                Value::Null => "None".to_owned(),
                Value::String(text) => text.clone(),
                _ => continue,
            };
            self.put(id, if field == "tenant_id" { "project_id" } else { field }, &value);
        }
        for attachment in row["attachments"].as_array().into_iter().flatten() {
            self.put(attachment["attachment_id"].as_str().unwrap(), "id", "x");
            let server = attachment["server_id"].as_str().unwrap();
            let free = format!("echo available > \"$CLOUD/{id}/status\"");
            self.put(server, "after", &free);
        }
        // The command has its own heading for it.
        if row["description"].as_str().is_some_and(|words| words.starts_with("Magnum cluster (")) {
            self.put(id, "Name", row["name"].as_str().unwrap());
            std::fs::remove_file(self.things().join(id).join("name")).unwrap();
        }
    }

    /// Ids of what is there.
    fn there(&self) -> BTreeSet<String> {
        let entries = std::fs::read_dir(self.things()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
        names.filter(|name| name != "log").collect()
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.things().join("log")).unwrap_or_default()
    }

    fn run(&self, script: &str) -> Output {
        let path = self.0.path().join("clean.sh");
        std::fs::write(&path, script).unwrap();
        let commands = format!("{}:/usr/bin:/bin", self.0.path().join("bin").display());
        Command::new("sh")
            .arg(&path)
            .env_clear()
            .env("PATH", commands)
            .env("CLOUD", self.things())
            .output()
            .unwrap()
    }
}

/// What the program prints for a bundle.
fn leftovers(bundle: &str, format: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_kubectl-magnum"))
        .args(["leftovers", "--from", bundle, "-o", format])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_clear()
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn script() -> String {
    leftovers(&format!("{SCENARIO}/bundle"), "script")
}

/// Ids of the report, those that can be removed or the others.
fn ids(removable: bool) -> BTreeSet<String> {
    let report: Value = serde_json::from_str(&leftovers(&format!("{SCENARIO}/bundle"), "json")).unwrap();
    let rows = report["leftovers"].as_array().unwrap().iter();
    let rows = rows.filter(|row| row["remove"].is_string() == removable);
    rows.map(|row| row["thing"]["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn it_removes_what_can_go_and_nothing_else() {
    let cloud = Cloud::new();
    let before = cloud.there();
    let ended = cloud.run(&script());
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let gone: BTreeSet<String> = before.difference(&cloud.there()).cloned().collect();
    // With the router goes its interface, with the load balancer its port, with a volume its attachment.
    let with = gone.iter().filter(|id| !ids(true).contains(*id)).count();
    assert_eq!(with, 3, "{gone:?}");
    assert!(ids(true).is_subset(&gone) && ids(false).is_disjoint(&gone), "{gone:?}");
    let changing =
        cloud.log().lines().filter(|line| line.contains(" delete ") || line.contains(" remove ")).count();
    assert_eq!(changing, gone.len());
}

/// Whoever made it anew, or looked in the wrong place when the script was written.
#[test]
fn a_cluster_that_is_there_keeps_its_things() {
    let cloud = Cloud::new();
    cloud.put("kube-w7k2p", "uid", "0d1e");
    let before = cloud.there();
    let ended = cloud.run(&script());
    let says = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(!ended.status.success() && says.contains("stopped: cluster kube-w7k2p lives"), "{says}");
    assert_eq!(cloud.there(), before);
    // A management cluster that cannot be asked is no answer.
    let cloud = Cloud::new();
    std::fs::write(cloud.0.path().join("bin/kubectl"), "#!/bin/sh\nexit 1\n").unwrap();
    let ended = cloud.run(&script());
    assert!(
        String::from_utf8_lossy(&ended.stderr).contains("cannot be asked whether cluster kube-w7k2p lives")
    );
    assert_eq!(cloud.there(), before.into_iter().filter(|id| id != "kube-w7k2p").collect());
}

/// Stops at the thing that changed: what comes before it is gone, and it and all behind it are there.
fn check_stop(thing: &str, field: &str, value: &str) {
    let cloud = Cloud::new();
    cloud.put(thing, field, value);
    let ended = cloud.run(&script());
    let says = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(1), "{field}");
    assert!(says.contains("stopped: ") && says.contains(thing), "{field}: {says}");
    assert!(cloud.there().contains(thing));
    let log = cloud.log();
    let last = log.lines().last().unwrap();
    assert!(last.contains(thing) && last.contains(" show "), "{field}: {last}");
}

/// Id of the row of a list with this name.
fn id_of(list: &str, key: &str, name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(SCENARIO).join("bundle/openstack").join(list);
    let rows: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let row = rows[key]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["name"].as_str().unwrap().ends_with(name))
        .unwrap();
    row["id"].as_str().unwrap().to_owned()
}

#[test]
fn it_stops_at_the_first_surprise() {
    let port = id_of("network/ports.json", "ports", "-4jwqv-0");
    check_stop(&port, "name", "reused");
    check_stop(&port, "device_id", "a-new-server");
    check_stop(&port, "project_id", "another");
    check_stop(
        &id_of("load-balancer/loadbalancers.json", "loadbalancers", "_shop_web"),
        "provisioning_status",
        "PENDING_UPDATE",
    );
    check_stop(&id_of("compute/servers.json", "servers", "-m6hcr"), "status", "REBUILD");
    check_stop(&id_of("volume/volumes.json", "volumes", "-root"), "os-vol-tenant-attr:tenant_id", "another");
    check_stop(&id_of("compute/server-groups.json", "server_groups", "-default-worker"), "name", "other");
}

#[test]
fn it_stops_where_a_thing_has_gone() {
    let cloud = Cloud::new();
    let group = id_of("network/security-groups.json", "security_groups", "-secgroup-worker");
    std::fs::remove_dir_all(cloud.things().join(&group)).unwrap();
    let ended = cloud.run(&script());
    assert_eq!(ended.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&ended.stderr)
            .contains(&format!("security group {group} cannot be looked at"))
    );
}

/// A bundle may come from anybody: what is no plain word is left to a person.
#[test]
fn names_and_ids_cannot_run_anything() {
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(SCENARIO).join("bundle");
    let index = std::fs::read_to_string(root.join("bundle.yaml")).unwrap();
    std::fs::write(folder.path().join("bundle.yaml"), index).unwrap();
    let groups = std::fs::read_to_string(root.join("openstack/compute/server-groups.json")).unwrap();
    let mut groups: Value = serde_json::from_str(&groups).unwrap();
    groups["server_groups"][0]["id"] = "x; touch \"$CLOUD/planted\"".into();
    groups["server_groups"][1]["name"] = "kube-w7k2p-'; touch \"$CLOUD/planted\"; '".into();
    let volumes = std::fs::read_to_string(root.join("openstack/volume/volumes.json")).unwrap();
    let mut volumes: Value = serde_json::from_str(&volumes).unwrap();
    volumes["volumes"][1]["attachments"][0]["attachment_id"] = "$(touch planted)".into();
    for (path, body) in [("compute/server-groups.json", groups), ("volume/volumes.json", volumes)] {
        let path = folder.path().join("openstack").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, body.to_string()).unwrap();
    }
    let script = leftovers(folder.path().to_str().unwrap(), "script");
    assert!(script.contains("by hand"), "{script}");
    let cloud = Cloud::new();
    let ended = cloud.run(&script);
    assert!(!cloud.there().contains("planted"), "{script}");
    // The name that was read is not the one that is there.
    assert_eq!(ended.status.code(), Some(1), "{}", String::from_utf8_lossy(&ended.stderr));
}

#[test]
fn it_refuses_a_live_cluster_and_one_not_fully_seen() {
    let live = "tests/scenarios/h-01-healthy-create-complete/bundle";
    let partly = "tests/scenarios/fc-085-ports-of-deleted-machines-hold-group/bundle";
    for bundle in [live, partly] {
        let cloud = Cloud::new();
        let before = cloud.there();
        let ended = cloud.run(&leftovers(bundle, "script"));
        assert_eq!(ended.status.code(), Some(1), "{bundle}");
        assert!(String::from_utf8_lossy(&ended.stderr).starts_with("refused: "), "{bundle}");
        assert_eq!((cloud.there(), cloud.log()), (before, String::new()), "{bundle}");
    }
}
