//! Nothing in the answer may hang on a particular name or moment: with every id, name and
//! time replaced, the answer is the same one, with every id, name and time replaced.
#![expect(clippy::unwrap_used, reason = "a test ends loudly")]

#[path = "support/cores.rs"]
mod cores;
#[path = "support/folders.rs"]
mod folders;
#[path = "support/rename.rs"]
mod rename;

use std::collections::BTreeMap;
use std::path::Path;

use kubectl_magnum::bundle::disk;
use kubectl_magnum::run;
use rename::Rename;
use serde_json::Value;

#[test]
fn another_name_and_another_hour_change_nothing() {
    let complaints = cores::each(&folders::all(), |dir| check(dir)).concat();
    assert!(complaints.is_empty(), "{} differences:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn names_and_times_go_there_and_back() {
    let id = "f81581a9-73e3-480a-9e6c-90c0a5b3346e";
    let text = format!(
        "octavia-lb-{id} kube-4g0ec-default-worker-88gxw-w465v 88gxw 461843c938324dafae99369081c83008\n\
         E1130 21:42:26.5 gold group gold; kube-proxy magnum-v0.38.2 2026-11-30 23:12:44.010 2026-11-30T21:22:35Z"
    );
    let groups = r#"{"nodegroups": [{"name": "gold"}, {"name": "default-worker"}]}"#;
    let documents = BTreeMap::from([
        ("a.log".to_owned(), text.clone()),
        ("openstack/container-infra/nodegroups.json".to_owned(), groups.to_owned()),
    ]);
    let rename = Rename::of(&documents);
    let (_, new) = rename.document("a.log", &text);
    for gone in
        [id, "4g0ec", "88gxw", "w465v", "461843c938324dafae99369081c83008", "gold", "21:42:26", "23:12:44"]
    {
        assert!(!new.contains(gone), "{gone} is still in {new}");
    }
    let day = ["E1201 00:59:26.5", "2026-12-01 02:29:44.010", "2026-12-01T00:39:35Z"];
    for stays in ["octavia-lb-", "-default-worker-", "kube-proxy magnum-v0.38.2"].iter().chain(&day) {
        assert!(new.contains(stays), "{stays} is not in {new}");
    }
    assert_eq!(new.len(), text.len());
    assert_eq!(rename.back().answer(&new), text);
}

fn check(dir: &Path) -> Vec<String> {
    let name = folders::name(dir);
    let documents = read(&dir.join("bundle"), "");
    let rename = Rename::of(&documents);
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in &documents {
        let (path, text) = rename.document(path, text);
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let before = answer(&dir.join("bundle"));
    let after = rename.back().answer(&answer(folder.path()));
    differences(&before, &after).into_iter().map(|d| format!("{name}: {d}")).collect()
}

/// The documents of a bundle as text, by path.
fn read(root: &Path, inside: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(root.join(inside)).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if inside.is_empty() { name } else { format!("{inside}/{name}") };
        if entry.path().is_dir() {
            found.extend(read(root, &path));
        } else {
            found.insert(path, String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap()).into_owned());
        }
    }
    found
}

/// The report, or the failure, as text.
fn answer(bundle: &Path) -> String {
    match run::why(&disk::read(bundle).unwrap(), None) {
        Ok(report) => serde_json::to_string_pretty(&report).unwrap(),
        Err(failure) => format!("{failure:#?}"),
    }
}

fn differences(before: &str, after: &str) -> Vec<String> {
    if before == after {
        return Vec::new();
    }
    let parse = |text: &str| serde_json::from_str::<Value>(text);
    let (Ok(old), Ok(new)) = (parse(before), parse(after)) else {
        return vec![format!("before: {before}\nafter: {after}")];
    };
    let mut found = Vec::new();
    compare("", &old, &new, &mut found);
    found
}

/// Where two reports differ, at most a handful.
fn compare(at: &str, old: &Value, new: &Value, found: &mut Vec<String>) {
    if old == new || found.len() >= 5 {
        return;
    }
    match (old, new) {
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            for (key, value) in a {
                compare(&format!("{at}/{key}"), value, &b[key], found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (i, (x, y)) in a.iter().zip(b).enumerate() {
                compare(&format!("{at}/{i}"), x, y, found);
            }
        }
        _ => found.push(format!("{at}\n    before: {old}\n    after:  {new}")),
    }
}
