//! Limits, which are too large for a test at their usual size.

use std::fs;

use super::*;

const SMALL: Limits =
    Limits { document: 2_000, log: 3_000, total: 20_000, files: 8, ratio: 20, ratio_from: 4_000 };

const INDEX: &str = "format: 1\nread: [kubernetes/cluster, kubernetes/machine, log/capo-system since x]\n";
const LOG: &str = "kubernetes/namespaces/capo-system/v1/pod/p/manager/current.log";

/// Gaps of a folder with these files beside an index, and what is left of `read`.
fn gaps(files: &[(&str, usize)]) -> (Vec<(String, Why)>, Vec<String>) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("bundle.yaml"), INDEX).unwrap();
    for (path, size) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x".repeat(*size)).unwrap();
    }
    seen(read_within(dir.path(), &SMALL).unwrap())
}

fn seen(bundle: Bundle) -> (Vec<(String, Why)>, Vec<String>) {
    assert!(bundle.meta.gaps.iter().all(|g| g.partial));
    (bundle.meta.gaps.into_iter().map(|g| (g.part, g.why)).collect(), bundle.meta.read)
}

#[test]
fn log_over_the_limit() {
    let (gaps, read) = gaps(&[(LOG, 3_001)]);
    assert_eq!(gaps, [("log/capo-system".to_owned(), Why::TooLarge)]);
    assert_eq!(read, ["kubernetes/cluster", "kubernetes/machine"]);
}

#[test]
fn log_at_the_limit() {
    assert_eq!(gaps(&[(LOG, 3_000)]).0, []);
}

#[test]
fn document_of_unknown_kinds_over_the_limit() {
    let (gaps, read) = gaps(&[("kubernetes/objects.yaml", 2_001)]);
    let any = ["kubernetes/cluster", "kubernetes/machine"].map(|p| (p.to_owned(), Why::TooLarge));
    assert_eq!(gaps, any);
    assert_eq!(read, ["log/capo-system since x"]);
}

#[test]
fn more_than_the_total() {
    let pod = |i| format!("kubernetes/namespaces/capo-system/v1/pod/p{i}/manager/current.log");
    let files: Vec<(String, usize)> = (0..7).map(|i| (pod(i), 3_000)).collect();
    let files: Vec<(&str, usize)> = files.iter().map(|(p, n)| (p.as_str(), *n)).collect();
    assert_eq!(gaps(&files[..6]).0, []);
    assert_eq!(gaps(&files).0, [("log/capo-system".to_owned(), Why::TooLarge)]);
}

#[test]
fn more_files_than_the_limit() {
    let files: Vec<String> = (0..9).map(|i| format!("openstack/network/x{i}.json")).collect();
    let files: Vec<(&str, usize)> = files.iter().map(|p| (p.as_str(), 1)).collect();
    let (gaps, read) = gaps(&files);
    assert!(gaps.contains(&("kubernetes/machine".to_owned(), Why::TooLarge)), "{gaps:?}");
    assert_eq!(read, [""; 0]);
}

/// An archive of an index and one log of zeros, which packs to next to nothing.
#[test]
fn bomb() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bundle.tar.gz");
    let packer = flate2::write::GzEncoder::new(fs::File::create(&path).unwrap(), flate2::Compression::best());
    let mut archive = tar::Builder::new(packer);
    let bodies = vec![0; 2_000];
    let log = |i: u8| format!("kubernetes/namespaces/capo-system/v1/pod/p{i}/manager/current.log");
    let files = (0..6).map(|i| (log(i), bodies.as_slice()));
    for (path, bytes) in [("bundle.yaml".to_owned(), INDEX.as_bytes())].into_iter().chain(files) {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, path, bytes).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap();
    let (gaps, read) = seen(read_within(&path, &SMALL).unwrap());
    assert!(gaps.contains(&("log/capo-system".to_owned(), Why::TooLarge)), "{gaps:?}");
    assert_eq!(read, [""; 0]);
}
