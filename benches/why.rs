//! `cargo bench --bench why`: how long `why --from` takes on a bundle of 5 MB and how much
//! memory it keeps, beside `grep -r` over the same folder: what an operator would run first.
//!
//! The bundle is a captured one whose machines, events, rows and log records are repeated
//! under other names until it has the size, so that the mix of documents stays that of a
//! real cluster.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark ends loudly and prints its figures"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Size of the bundle.
const BYTES: u64 = 5_000_000;

/// Counted runs of each command, after one that is not counted.
const RUNS: usize = 15;

fn main() {
    let kept = std::env::args().skip(1).find(|a| !a.starts_with("--"));
    let mut folder = tempfile::tempdir().unwrap();
    // A path after `--` keeps the bundle there, for a profiler.
    if let Some(path) = &kept {
        std::fs::create_dir_all(path).unwrap();
        folder = tempfile::tempdir_in(path).unwrap();
        folder.disable_cleanup(true);
    }
    let scenario =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios/h-04-replacement-worker-refused-cores");
    let (files, bytes) = grow(&scenario.join("bundle"), folder.path());
    println!("bundle: {files} files, {:.1} MB", bytes as f64 / 1e6);
    let mut ours = Vec::new();
    let mut theirs = Vec::new();
    let mut resident = 0;
    for run in 0..=RUNS {
        let (wall, memory) = measure(why(folder.path()));
        let (peer, _) = measure(grep(folder.path()));
        if run > 0 {
            ours.push(wall);
            theirs.push(peer);
            resident = resident.max(memory);
        }
    }
    ours.sort();
    theirs.sort();
    let (why, grep) = (ours[RUNS / 2], theirs[RUNS / 2]);
    println!(
        "why --from: {why:.1?} (min {:.1?}, max {:.1?}), {:.1} MB resident",
        ours[0],
        ours[RUNS - 1],
        resident as f64 / 1e3
    );
    println!("grep -r:    {grep:.1?}");
    println!("ratio:      {:.1}", why.as_secs_f64() / grep.as_secs_f64());
}

fn why(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-magnum"));
    command.args(["why", "--from"]).arg(folder);
    command
}

fn grep(folder: &Path) -> Command {
    let mut command = Command::new("grep");
    command.args(["-r", "-i", "-c", "-E", "error|failed|quota|in use"]).arg(folder);
    command
}

/// Wall time and peak resident kilobytes of a command. The peak is sampled from `/proc`
/// while it runs, where there is one.
fn measure(mut command: Command) -> (Duration, u64) {
    let start = Instant::now();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        if let Ok(text) = std::fs::read_to_string(&status) {
            let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
            let kilobytes = line.and_then(|l| l.trim().trim_end_matches(" kB").trim().parse().ok());
            peak = peak.max(kilobytes.unwrap_or(0));
        }
        std::thread::sleep(Duration::from_micros(300));
    }
    (start.elapsed(), peak)
}

/// Copies a bundle and repeats what belongs to its machines until it has the size.
fn grow(from: &Path, to: &Path) -> (usize, u64) {
    let files = files(from);
    let original: u64 = files.iter().map(|f| f.metadata().unwrap().len()).sum();
    let copies = usize::try_from(BYTES.div_ceil(original)).unwrap();
    let machine = "kube-4u5cs-default-worker-w5jw9-smb4h-";
    let mut written = (0, 0);
    for file in &files {
        let inside = file.strip_prefix(from).unwrap().to_str().unwrap().to_owned();
        let text = std::fs::read_to_string(file).unwrap();
        for copy in 0..copies {
            let rename = |t: &str| t.replace(machine, &format!("{machine}{}", suffix(copy)));
            let (path, content) = if copy == 0 {
                (inside.clone(), text.clone())
            } else if inside.ends_with(".log") || inside.ends_with("bundle.yaml") {
                continue;
            } else if inside.ends_with(".json") {
                (inside.replace(".json", &format!("-{}.json", copy + 1)), fresh_ids(&rename(&text), copy))
            } else {
                (format!("{inside}.{copy}.yaml"), fresh_names(&rename(&text), copy))
            };
            let content = if inside.ends_with(".log") { content.repeat(copies) } else { content };
            let path = to.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, &content).unwrap();
            written = (written.0 + 1, written.1 + content.len() as u64);
        }
    }
    written
}

fn suffix(copy: usize) -> String {
    if copy == 0 { String::new() } else { format!("{copy}x") }
}

/// Other ids, so that rows are not taken for the same one.
fn fresh_ids(text: &str, copy: usize) -> String {
    text.replace("\"id\": \"", &format!("\"id\": \"{copy}"))
        .replace("\"uuid\": \"", &format!("\"uuid\": \"{copy}"))
}

/// Another object name, so that objects are not taken for the same one.
fn fresh_names(text: &str, copy: usize) -> String {
    text.replacen("\n  name: ", &format!("\n  name: x{copy}-"), 1)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}
