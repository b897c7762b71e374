//! Never wrong by silence: whatever single part is taken away, a cause that the whole
//! bundle shows is still named or is listed as not checked, nothing turns healthy, and
//! nothing becomes certain that was not.
#![expect(clippy::unwrap_used, reason = "a test ends loudly")]

#[path = "support/cores.rs"]
mod cores;
#[path = "support/folders.rs"]
mod folders;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use kubectl_magnum::bundle::{Bundle, Why, disk};
use kubectl_magnum::exit::{Failure, code};
use kubectl_magnum::report::{Certainty, Verdict, WhyReport};
use kubectl_magnum::run;

#[test]
fn a_blanked_part_is_never_a_silent_no() {
    let complaints = cores::each(&folders::all(), |dir| check(dir)).concat();
    assert!(complaints.is_empty(), "{} violations:\n{}", complaints.len(), complaints.join("\n"));
}

/// Garbage in place of any one document: the run goes on, its part is a gap, and the same
/// honesty holds. Scenarios of different shapes stand for all.
#[test]
fn garbage_in_a_document_is_a_gap() {
    let chosen = ["h-01", "o-01", "r-03", "r-14", "r-37", "fc-085"];
    let is_chosen = |dir: &PathBuf| chosen.iter().any(|c| folders::name(dir).starts_with(&format!("{c}-")));
    let dirs: Vec<PathBuf> = folders::all().into_iter().filter(is_chosen).collect();
    assert_eq!(dirs.len(), chosen.len());
    let complaints = cores::each(&dirs, |dir| spoil(dir)).concat();
    assert!(complaints.is_empty(), "{} violations:\n{}", complaints.len(), complaints.join("\n"));
}

/// What a file can turn into: no YAML, other types, no text at all, cut off, empty.
const GARBAGE: [&[u8]; 6] = [
    b"{not: [yaml",
    b"[1, 2, 3]",
    b"{\"kind\": 7, \"metadata\": {\"name\": [], \"labels\": 5}, \"status\": \"\"}",
    b"\xff\xfe\x00\x1b[31m",
    b"apiVersion: v1\nkind: ",
    b"",
];

fn spoil(dir: &Path) -> Vec<String> {
    let full = run::why(&disk::read(&dir.join("bundle")).unwrap(), None);
    let copy = tempfile::tempdir().unwrap();
    let files = files(&dir.join("bundle"), copy.path());
    let mut complaints = Vec::new();
    for file in
        files.iter().filter(|f| !f.ends_with("bundle.yaml") && f.extension().is_none_or(|e| e != "log"))
    {
        let good = std::fs::read(file).unwrap();
        for garbage in GARBAGE {
            std::fs::write(file, garbage).unwrap();
            let bundle = disk::read(copy.path()).unwrap();
            let inside = file.strip_prefix(copy.path()).unwrap().display();
            let words = String::from_utf8_lossy(garbage);
            if bundle.meta.gaps.is_empty() {
                complaints.push(format!("{}, {inside} as {words:?}: no gap", folders::name(dir)));
            }
            let found = compare(&full, &run::why(&bundle, None));
            complaints.extend(
                found.into_iter().map(|c| format!("{}, {inside} as {words:?}: {c}", folders::name(dir))),
            );
        }
        std::fs::write(file, good).unwrap();
    }
    complaints
}

/// Copies a folder and returns the copies.
fn files(from: &Path, to: &Path) -> Vec<PathBuf> {
    let mut copies = Vec::new();
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copies.extend(files(&path, &target));
        } else {
            std::fs::copy(&path, &target).unwrap();
            copies.push(target);
        }
    }
    copies
}

/// Without one of these nobody can say which step a cluster waits for.
const DECIDING: [&str; 4] = [
    "kubernetes/cluster",
    "kubernetes/openstackcluster",
    "kubernetes/kubeadmcontrolplane",
    "kubernetes/machine",
];

fn check(dir: &Path) -> Vec<String> {
    let name = folders::name(dir);
    let bundle = disk::read(&dir.join("bundle")).unwrap();
    let full = run::why(&bundle, None);
    let mut complaints = Vec::new();
    for part in parts(&bundle) {
        for (why, says) in [(Why::NoAccess, "403 Forbidden"), (Why::Unreachable, "connection refused")] {
            let mut less = bundle.clone();
            less.blank(&part, why, says);
            let blind = run::why(&less, None);
            let stage = blind.as_ref().ok().and_then(|report| report.progress.as_ref());
            if let Some(stage) = stage.filter(|_| DECIDING.contains(&part.as_str())) {
                complaints
                    .push(format!("{name} without {part}: knows that it is in stage {:?}", stage.stage));
            }
            let found = compare(&full, &blind);
            complaints.extend(found.into_iter().map(|c| format!("{name}, {part} {}: {c}", why.word())));
        }
    }
    complaints
}

/// Every part that the bundle read, tried to read, or has documents of.
fn parts(bundle: &Bundle) -> BTreeSet<String> {
    let read = bundle.meta.read.iter().filter_map(|r| r.split_whitespace().next()).map(str::to_owned);
    let gaps = bundle.meta.gaps.iter().map(|g| g.part.clone());
    let objects = bundle.objects.iter().map(|o| o.part.clone());
    let bodies = bundle.bodies.iter().map(|b| b.part.clone());
    let logs = bundle.logs.iter().map(kubectl_magnum::bundle::Log::part);
    let all = read.chain(gaps).chain(objects).chain(bodies).chain(logs);
    all.filter(|p| ["kubernetes/", "openstack/", "log/"].iter().any(|room| p.starts_with(room))).collect()
}

fn compare(full: &Result<WhyReport, Failure>, less: &Result<WhyReport, Failure>) -> Vec<String> {
    let (full, less) = match (full, less) {
        (Ok(full), Ok(less)) => (full, less),
        // "Not enough seen" is honest; "no such cluster" would be a claim.
        (Ok(_), Err(failure)) if failure.code == code::NOT_ENOUGH_SEEN => return Vec::new(),
        (Ok(_), Err(failure)) => return vec![format!("ends with {} {failure}", failure.code)],
        (Err(_), Ok(less)) if less.verdict == Verdict::Healthy => return vec!["becomes healthy".to_owned()],
        (Err(_), _) => return Vec::new(),
    };
    let mut complaints = Vec::new();
    for cause in &full.causes {
        let named = less.causes.iter().any(|c| c.id == cause.id);
        let unchecked = less.not_checked.iter().any(|n| n.cause == cause.id);
        if !named && !unchecked {
            complaints.push(format!("{} is silently gone", cause.id));
        }
    }
    let certain = |report: &WhyReport| -> BTreeSet<&'static str> {
        report.causes.iter().filter(|c| c.certainty == Certainty::Certain).map(|c| c.id).collect()
    };
    let newly = certain(less).difference(&certain(full)).copied().collect::<Vec<_>>();
    complaints.extend(newly.iter().map(|id| format!("{id} becomes certain")));
    if less.verdict == Verdict::Healthy && full.verdict != Verdict::Healthy {
        complaints.push("becomes healthy".to_owned());
    }
    complaints
}
