//! What is written is what is read again.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::fs;

use kubectl_magnum::bundle::meta::FORMAT;
use kubectl_magnum::bundle::{Body, Bundle, Gap, Log, Meta, Missing, Object, Place, Why, disk};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A bundle with something of everything, and this text wherever text may be.
fn bundle(text: &str) -> Bundle {
    let object = |part: &str, value: Value| Object { part: part.to_owned(), value };
    let body = |part: &str, value: Value| Body { part: part.to_owned(), value };
    Bundle {
        meta: Meta {
            format: FORMAT,
            taken_at: Some("2026-10-05T11:41:12Z".parse().unwrap()),
            asked_for: text.to_owned(),
            namespace: "magnum-system".to_owned(),
            endpoints: [("network".to_owned(), "https://network.example".to_owned())].into(),
            clocks: [("network".to_owned(), -3)].into(),
            place: Place::Right,
            read: vec![
                "kubernetes/machine".to_owned(),
                "log/capo-system since 2026-10-05T10:00:00Z".to_owned(),
            ],
            missing: vec![Missing { part: "openstack/network/ports".to_owned(), id: "1".to_owned() }],
            gaps: vec![Gap {
                part: "openstack/volume/volumes".to_owned(),
                why: Why::NoAccess,
                says: text.to_owned(),
                partial: false,
            }],
            notes: vec![text.to_owned()],
            ..Meta::default()
        },
        objects: vec![
            object("kubernetes/node", json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "w"}})),
            object(
                "kubernetes/machine",
                json!({"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Machine", "status": {"message": text},
                       "metadata": {"name": "../m", "namespace": "n", "labels": {"a": "no", "b": "0123", "c": ""}},
                       "spec": {"n": 3, "f": 1.5, "t": true, "z": null, "l": [], "m": {}}}),
            ),
        ],
        bodies: vec![
            body("openstack/network/ports", json!({"ports": [{"name": text}]})),
            body("openstack/network/ports", json!({"ports": [{"name": null, "n": 2}]})),
        ],
        logs: vec![Log {
            namespace: "capo-system".to_owned(),
            pod: "p".to_owned(),
            container: "manager".to_owned(),
            previous: true,
            text: text.to_owned(),
        }],
        consoles: [("0d3ac1dd".to_owned(), text.to_owned())].into(),
        workload: vec![json!({"reason": text})],
    }
}

/// Writes and reads a bundle under this name.
fn check(name: &str, text: &str) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    let before = bundle(text);
    let written = disk::write(&before, &path).unwrap();
    assert_eq!(written.len(), 8);
    assert_eq!(disk::read(&path).unwrap(), before);
}

#[test]
fn folder_and_archive() {
    for name in ["b", "b.tar.gz", "b.tgz"] {
        check(name, "one: two\n- three # four\n");
    }
}

#[test]
fn nothing_is_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let (folder, file) = (dir.path().join("b"), dir.path().join("b.tar.gz"));
    fs::create_dir(&folder).unwrap();
    fs::write(&file, "mine").unwrap();
    disk::write(&bundle("x"), &folder).unwrap();
    assert!(disk::write(&bundle("x"), &folder).unwrap_err().hint.is_some());
    assert!(disk::write(&bundle("x"), &file).unwrap_err().hint.is_some());
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Words that YAML may take for something else, and letters of every kind.
    #[test]
    fn any_text(text in "((no|null|~|0x1|1e5|- |: |#|'|\"|\n|\t|%|\\|)|[ -~é€\u{1f600}\u{85}\u{2028}]){0,12}") {
        check("b", &text);
    }
}

/// A file that was lost on the way is a gap, and not a thing that is not there.
#[test]
fn a_lost_file_is_a_gap() {
    let mut whole = bundle("x");
    whole.meta.read.push("kubernetes/machine".to_owned());
    whole.meta.read.push("openstack/network/ports".to_owned());
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("bundle");
    let written = disk::write(&whole, &root).unwrap();
    assert!(disk::read(&root).unwrap().meta.gaps.iter().all(|gap| gap.part == "openstack/volume/volumes"));
    for (part, file) in [("kubernetes/machine", "/machine/"), ("openstack/network/ports", "network/ports-2")]
    {
        let lost = written.iter().find(|written| written.path.contains(file)).unwrap();
        let bytes = fs::read(root.join(&lost.path)).unwrap();
        fs::remove_file(root.join(&lost.path)).unwrap();
        let bundle = disk::read(&root).unwrap();
        let gap = bundle.meta.gaps.iter().find(|gap| gap.part == part);
        assert!(gap.is_some_and(|gap| gap.why == Why::Unreadable), "{part}: {:?}", bundle.meta.gaps);
        assert!(!bundle.meta.read.contains(&part.to_owned()), "{part} is not read whole");
        fs::write(root.join(&lost.path), bytes).unwrap();
    }
}
