//! Bundles that nobody wrote with good intent, or with care: each is read to its end,
//! and what could not be understood is a gap.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::fs;
use std::path::Path;

use kubectl_magnum::bundle::{Bundle, Why, disk};
use kubectl_magnum::exit::{Failure, code};
use proptest::prelude::*;

const INDEX: &str = "format: 1\nread:\n- kubernetes/cluster\n- kubernetes/machine\n- openstack/network/ports\n\
                     - log/capo-system since 2026-01-01T00:00:00Z\n";
const MACHINE: &str =
    "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Machine\nmetadata: {name: m, namespace: n}\n";
const IN_FOLDER: &str = "kubernetes/namespaces/n/cluster.x-k8s.io-v1beta2/machine/m.yaml";
const LOOSE: &str = "kubernetes/objects.yaml";
const PORTS: &str = "openstack/network/ports.json";
const LOG: &str = "kubernetes/namespaces/capo-system/v1/pod/p/manager/current.log";

fn put(root: &Path, path: &str, bytes: &[u8]) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Reads a folder with these files; the index is [`INDEX`] unless given.
fn read(files: &[(&str, &[u8])]) -> Result<Bundle, Failure> {
    let dir = tempfile::tempdir().unwrap();
    put(dir.path(), "bundle.yaml", INDEX.as_bytes());
    for (path, bytes) in files {
        put(dir.path(), path, bytes);
    }
    disk::read(dir.path())
}

/// A file that makes no sense: which parts become gaps, beside one good machine.
#[track_caller]
fn check(path: &str, bytes: &[u8], parts: &[&str]) {
    let good = "kubernetes/namespaces/n/cluster.x-k8s.io-v1beta2/machine/good.yaml";
    let bundle = read(&[(good, MACHINE.as_bytes()), (path, bytes)]).unwrap();
    let gaps: Vec<&str> = bundle.meta.gaps.iter().map(|g| g.part.as_str()).collect();
    assert_eq!(gaps, parts);
    assert!(bundle.meta.gaps.iter().all(|g| g.partial && g.why == Why::Unreadable && g.says.contains(path)));
    assert!(!bundle.meta.gaps.iter().any(|g| bundle.meta.read.iter().any(|r| r.starts_with(&g.part))));
    assert!(bundle.objects.iter().any(|o| o.part == "kubernetes/machine"), "the good machine is lost");
}

const ANY: &[&str] = &["kubernetes/cluster", "kubernetes/machine"];
const MACHINES: &[&str] = &["kubernetes/machine"];
const PORT_LIST: &[&str] = &["openstack/network/ports"];

#[test]
fn garbage() {
    check(IN_FOLDER, b"}{: [", MACHINES);
    check(LOOSE, b"}{: [", ANY);
    check(PORTS, b"}{: [", PORT_LIST);
    check("workload/nodes.yaml", b"}{: [", &["workload"]);
}

#[test]
fn cut_off() {
    check(IN_FOLDER, b"{\"kind\": \"Machine\", \"metadata\": {\"na", MACHINES);
    check(PORTS, b"{\"ports\": [{\"id\": \"1\"}", PORT_LIST);
}

#[test]
fn empty() {
    check(IN_FOLDER, b"", MACHINES);
    check(LOOSE, b"# nothing\n---\n", ANY);
    check(PORTS, b"", PORT_LIST);
}

#[test]
fn broken_utf8() {
    check(IN_FOLDER, b"kind: Machine\nmetadata: {name: \xff\xfe}\n", MACHINES);
    check(PORTS, b"{\"ports\": \"\xff\"}", PORT_LIST);
}

#[test]
fn wrong_types() {
    check(IN_FOLDER, b"- 1\n- 2\n", MACHINES);
    check(IN_FOLDER, b"just text\n", MACHINES);
    check(IN_FOLDER, b"kind: [Machine]\nmetadata: {name: m}\n", MACHINES);
    check(PORTS, b"[1]", PORT_LIST);
}

#[test]
fn objects_without_a_name_or_kind() {
    check(LOOSE, b"kind: Machine\nmetadata: {}\n", MACHINES);
    check(LOOSE, b"kind: Machine\nmetadata: []\n", MACHINES);
    check(LOOSE, b"metadata: {name: m}\n", ANY);
    check(LOOSE, b"kind: List\nitems: [7]\n", ANY);
    check(LOOSE, b"kind: List\nitems: 7\n", ANY);
    check(LOOSE, b"kind: MachineList\nitems: 7\n", MACHINES);
}

#[test]
fn nested_without_end() {
    check(IN_FOLDER, "[".repeat(100_000).as_bytes(), MACHINES);
    check(LOOSE, "a: [".repeat(100_000).as_bytes(), ANY);
    check(PORTS, "{\"a\":".repeat(100_000).as_bytes(), PORT_LIST);
}

#[test]
fn alias_bomb() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for i in 1..12 {
        let all = vec![format!("*a{}", i - 1); 9].join(", ");
        bomb.push_str(&format!("a{i}: &a{i} [{all}]\n"));
    }
    check(IN_FOLDER, bomb.as_bytes(), MACHINES);
}

#[test]
fn alias_of_a_long_text() {
    let text = "x".repeat(100_000);
    let uses = "- *t\n".repeat(5_000);
    check(IN_FOLDER, format!("t: &t {text}\nall:\n{uses}").as_bytes(), MACHINES);
}

/// An index that ends the reading: the words that must be in the message.
#[track_caller]
fn check_index(index: &[u8], word: &str) {
    let failure = read(&[("bundle.yaml", index)]).unwrap_err();
    assert_eq!(failure.code, code::NO_SOURCE);
    assert!(failure.hint.is_some());
    assert!(failure.message.contains(word), "{}", failure.message);
    assert!(!failure.message.contains("hunter2"), "{}", failure.message);
}

#[test]
fn index_that_makes_no_sense() {
    check_index(b"format: 2\n", "format 2");
    check_index(b"tool: x\n", "no format number");
    check_index(b"format: hunter2\n", "field format");
    check_index(b"format: 1\ntakenAt: hunter2\n", "field takenAt");
    check_index(b"format: 1\nread: {hunter2: 1}\n", "field read");
    check_index(b"format: 1\n hunter2: [\n", "line");
    check_index(b"format: 1\ntool: \"hunter2 \xff\"\n", "UTF-8");
    check_index(b"", "no format number");
}

#[test]
fn unknown_fields_and_words_of_the_index() {
    let index = "format: 1\nnew: {a: 1}\ngaps: [{part: p, why: solar-flare}]\nplace: between\nread: []\n";
    let bundle = read(&[("bundle.yaml", index.as_bytes())]).unwrap();
    assert_eq!(bundle.meta.gaps[0].why, Why::NotCollected);
    assert_eq!(bundle.meta.namespace, "magnum-system");
}

/// Without a list of what was read, the file's own name is all there is to say.
#[test]
fn garbage_beside_an_index_that_lists_nothing() {
    let bundle = read(&[("bundle.yaml", b"format: 1\n"), (LOOSE, b"}{")]).unwrap();
    assert_eq!(bundle.meta.gaps[0].part, "kubernetes/objects");
}

#[test]
fn what_the_collector_said_of_a_part_goes_first() {
    let index = "format: 1\nread: [kubernetes/machine]\ngaps: [{part: kubernetes/machine, why: no-access}]\n";
    let bundle = read(&[("bundle.yaml", index.as_bytes()), (IN_FOLDER, b"}{")]).unwrap();
    let gaps: Vec<_> = bundle.meta.gaps.iter().map(|g| (g.part.as_str(), g.why)).collect();
    assert_eq!(gaps, [("kubernetes/machine", Why::NoAccess)]);
    assert_eq!(bundle.meta.read, [""; 0]);
}

#[test]
fn id_of_digits_is_a_text() {
    let index = "format: 1\ntarget: {projectId: 01234567890123456789012345678901, stackId: 1e5}\n";
    let target = read(&[("bundle.yaml", index.as_bytes())]).unwrap().meta.target;
    assert_eq!(target.project_id.as_deref(), Some("01234567890123456789012345678901"));
    assert_eq!(target.stack_id.as_deref(), Some("1e5"));
}

/// A path that is no bundle at all.
#[track_caller]
fn check_refused(path: &Path) {
    let failure = disk::read(path).unwrap_err();
    assert_eq!(failure.code, code::NO_SOURCE);
    assert!(failure.hint.is_some_and(|h| h.contains("bundle.yaml")));
}

#[test]
fn no_bundle() {
    let dir = tempfile::tempdir().unwrap();
    check_refused(&dir.path().join("nowhere"));
    check_refused(dir.path());
    put(dir.path(), "notes.txt", b"x");
    check_refused(&dir.path().join("notes.txt"));
    put(dir.path(), "two/a/x.yaml", b"x");
    put(dir.path(), "two/b/x.yaml", b"x");
    check_refused(&dir.path().join("two"));
    put(dir.path(), "half.tar.gz", &[0x1f, 0x8b, 8, 0]);
    check_refused(&dir.path().join("half.tar.gz"));
}

/// One entry of an archive, its path as it is: the writer of `tar` refuses bad ones.
fn entry(archive: &mut tar::Builder<Vec<u8>>, path: &str, kind: tar::EntryType, bytes: &[u8]) {
    let mut header = tar::Header::new_ustar();
    header.as_mut_bytes()[..path.len()].copy_from_slice(path.as_bytes());
    header.set_entry_type(kind);
    header.set_size(bytes.len() as u64);
    header.set_mode(0o644);
    if kind.is_symlink() || kind.is_hard_link() {
        header.set_link_name("/etc/passwd").unwrap();
    }
    header.set_cksum();
    archive.append(&header, bytes).unwrap();
}

/// Reads an archive below `top` that holds an index, a machine and one entry more.
fn read_archive(top: &str, path: &str, kind: tar::EntryType) -> Result<Bundle, Failure> {
    let dir = tempfile::tempdir().unwrap();
    let mut archive = tar::Builder::new(Vec::new());
    let file = tar::EntryType::Regular;
    entry(&mut archive, &format!("{top}bundle.yaml"), file, INDEX.as_bytes());
    entry(&mut archive, &format!("{top}kubernetes/machine.yaml"), file, MACHINE.as_bytes());
    entry(&mut archive, path, kind, b"");
    put(dir.path(), "b.tar", &archive.into_inner().unwrap());
    disk::read(&dir.path().join("b.tar"))
}

#[test]
fn paths_that_lead_out_of_the_archive() {
    for path in ["../x.yaml", "/etc/x.yaml", "kubernetes/../../x.yaml", "a/.."] {
        let failure = read_archive("", path, tar::EntryType::Regular).unwrap_err();
        assert_eq!(failure.code, code::NO_SOURCE);
        assert!(failure.message.contains(path) && failure.hint.is_some(), "{failure:?}");
    }
}

#[test]
fn links_and_devices_are_left_out() {
    use tar::EntryType::{Block, Char, Continuous, Fifo, Link, Symlink};
    for kind in [Symlink, Link, Char, Block, Fifo, Continuous] {
        let bundle = read_archive("", PORTS, kind).unwrap();
        assert_eq!((bundle.objects.len(), bundle.bodies.len()), (1, 0), "{kind:?}");
        assert_eq!(bundle.meta.notes.len(), 1, "{kind:?}");
    }
}

#[test]
fn archive_below_one_folder() {
    for top in ["mine/", "./mine/", "./"] {
        assert_eq!(read_archive(top, "mine/", tar::EntryType::Directory).unwrap().objects.len(), 1, "{top}");
    }
}

#[test]
fn archive_that_ends_early() {
    let dir = tempfile::tempdir().unwrap();
    let mut archive = tar::Builder::new(Vec::new());
    entry(&mut archive, "bundle.yaml", tar::EntryType::Regular, INDEX.as_bytes());
    entry(&mut archive, LOOSE, tar::EntryType::Regular, MACHINE.repeat(90).as_bytes());
    let bytes = archive.into_inner().unwrap();
    put(dir.path(), "b.tar", &bytes[..2_048]);
    let bundle = disk::read(&dir.path().join("b.tar")).unwrap();
    assert_eq!(bundle.meta.read, [""; 0]);
    assert_eq!(bundle.meta.gaps.len(), 4);
}

#[cfg(unix)]
#[test]
fn links_in_a_folder_are_not_followed() {
    let dir = tempfile::tempdir().unwrap();
    put(dir.path(), "b/bundle.yaml", INDEX.as_bytes());
    put(dir.path(), "outside/x.yaml", MACHINE.as_bytes());
    std::os::unix::fs::symlink(dir.path().join("outside"), dir.path().join("b/kubernetes")).unwrap();
    fs::create_dir_all(dir.path().join("b/openstack/network")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", dir.path().join("b/openstack/network/ports.json")).unwrap();
    let bundle = disk::read(&dir.path().join("b")).unwrap();
    assert_eq!((bundle.objects.len(), bundle.bodies.len()), (0, 0));
    assert_eq!(bundle.meta.notes.len(), 1);
}

#[test]
fn control_characters_of_a_name() {
    let path = "kubernetes/namespaces/n/v1/a\u{1b}[2Jb/x.yaml";
    let bundle = read(&[(path, b"}{")]).unwrap();
    let gap = &bundle.meta.gaps[0];
    assert!(!gap.part.contains('\u{1b}') && !gap.says.contains('\u{1b}'), "{gap:?}");
}

#[test]
fn broken_utf8_does_not_cost_a_log() {
    let bundle = read(&[(LOG, b"one\n\xff\xfe two\n")]).unwrap();
    assert!(bundle.logs[0].text.contains(" two"));
    assert_eq!(bundle.meta.gaps, []);
}

/// `SECRET` at one place of a bundle appears nowhere in what was read.
#[track_caller]
fn check_planted(path: &str, text: &str) {
    let secret = "hunter2hunter2hunter2";
    assert!(text.contains("SECRET"));
    let bundle = read(&[(path, text.replace("SECRET", secret).as_bytes())]).unwrap();
    assert!(!format!("{bundle:?}").contains(secret), "{bundle:#?}");
}

#[test]
fn planted_in_objects() {
    for spec in [
        "kind: Secret\nmetadata: {name: s}\nstringData: {a: SECRET}\n",
        "kind: Secret\nmetadata: {name: s}\ndata: SECRET\n",
        "kind: SecretList\nitems: [{metadata: {name: s}, data: {a: SECRET}}]\n",
        "kind: List\nitems: [{kind: SecretList, items: [{metadata: {name: s}, data: {a: SECRET}}]}]\n",
        "kind: KubeadmConfig\nmetadata: {name: s}\nspec: {files: [{path: /x, content: SECRET}]}\n",
        "kind: KubeadmConfig\nmetadata: {name: s}\nspec: {preKubeadmCommands: [[SECRET]]}\n",
        "kind: KubeadmControlPlane\nmetadata: {name: s}\nspec: {kubeadmConfigSpec: {users: [{passwd: SECRET}]}}\n",
        "kind: A\nmetadata: {name: s, annotations: {kubectl.kubernetes.io/last-applied-configuration: SECRET}}\n",
        "kind: A\nmetadata: {name: s, managedFields: [SECRET]}\n",
        "kind: A\nmetadata: {name: s}\nstatus: {message: 'GET https://u:SECRET@h/ failed'}\n",
        "kind: Cluster\nmetadata: {name: s}\nspec: {variables: [{name: aptProxyConfig, value: SECRET}]}\n",
        "kind: Secret\ndata: {a: SECRET\n",
    ] {
        check_planted(LOOSE, spec);
        check_planted("workload/x.yaml", spec);
    }
    check_planted(LOOSE, "kind: ClusterClass\nmetadata: {name: s}\nspec: {patches: [{value: SECRET}]}\n");
    check_planted(LOOSE, "kind: Secret\nmetadata: {}\ntype: SECRET\n");
}

#[test]
fn planted_in_bodies() {
    check_planted(PORTS, r#"{"ports": [{"password": "SECRET"}]}"#);
    check_planted(PORTS, r#"{"ports": [{"name": "--token SECRET"}]}"#);
    check_planted("openstack/compute/servers.json", r#"{"servers": [{"user_data": "SECRET"}]}"#);
    check_planted(
        "openstack/container-infra/clusters.json",
        r#"{"clusters": [{"labels": {"https_proxy": "SECRET"}}]}"#,
    );
    check_planted(PORTS, r#"{"secret": "SECRET"#);
}

#[test]
fn planted_in_logs_and_the_index() {
    check_planted(LOG, "X-Auth-Token: SECRET\n");
    check_planted(LOG, "-----BEGIN PRIVATE KEY-----\nSECRET\n-----END PRIVATE KEY-----\n");
    check_planted("openstack/compute/console/1.log", "kubeadm join --token SECRET x\n");
    check_planted("bundle.yaml", "format: 1\nsource: {apiServer: 'https://u:SECRET@h'}\n");
    check_planted("bundle.yaml", "format: 1\ngaps: [{part: p, says: 'Authorization: Bearer SECRET'}]\n");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever a document is, the reading ends, and either it was an object or there is a gap.
    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        for path in [IN_FOLDER, PORTS] {
            let bundle = read(&[(path, &bytes)]).unwrap();
            prop_assert!(bundle.objects.len() + bundle.bodies.len() + bundle.meta.gaps.len() > 0);
        }
    }

    /// The same for text that is nearly YAML. A List may be empty.
    #[test]
    fn any_yaml(text in "([a-z]{1,4}|kind|metadata|items|: |\n|- |  |[\\[\\]{}&*!|>'\",#]|Machine){0,40}") {
        let bundle = read(&[(IN_FOLDER, text.as_bytes())]).unwrap();
        prop_assert!(bundle.objects.len() + bundle.meta.gaps.len() > 0);
    }

    #[test]
    fn any_index(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(read(&[("bundle.yaml", &bytes)]).is_err());
    }

    #[test]
    fn any_archive(bytes in proptest::collection::vec(any::<u8>(), 0..2_000)) {
        let dir = tempfile::tempdir().unwrap();
        put(dir.path(), "b.tar.gz", &[&[0x1f, 0x8b, 8], bytes.as_slice()].concat());
        prop_assert!(disk::read(&dir.path().join("b.tar.gz")).is_err());
    }
}
