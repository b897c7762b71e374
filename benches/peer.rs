//! `cargo bench --bench peer`, with the lab up: wall time and requests of `why` beside
//! `clusterctl describe cluster` on the same API server, 30 ms away as a server in another
//! building is. Without a cloud, so that both have the same to read; ours reads events, logs,
//! controllers and servers on top.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark ends loudly and prints its figures"
)]

#[path = "../tests/lab/lab.rs"]
mod lab;

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::Value;

/// One way; an answer takes twice that.
const AWAY: Duration = Duration::from_millis(15);

/// Counted runs of each program, after one that is not counted.
const RUNS: usize = 9;

/// A cluster of each contract.
const SCENARIOS: [&str; 2] =
    ["h-04-replacement-worker-refused-cores", "o-10-controller-panics-on-deleted-server"];

fn main() {
    let Some(lab) = lab::lab() else { return };
    for scenario in SCENARIOS {
        compare(&lab["kubernetes"], scenario);
    }
}

fn compare(lab: &Value, scenario: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios").join(scenario);
    let load = &lab["load"];
    let loaded = Command::new(text(&load[0])).arg(text(&load[1])).arg(&folder).output().unwrap();
    assert!(loaded.status.success(), "{}", String::from_utf8_lossy(&loaded.stderr));
    let server = &lab["servers"][lab::page(&loaded).trim()];
    let index = kubectl_magnum::bundle::disk::read(&folder.join("bundle")).unwrap().meta;
    let stack_id = index.target.stack_id.unwrap();

    let config = std::fs::read_to_string(text(&server["kubeconfig"]["admin"])).unwrap();
    let near = text(&server["url"]).strip_prefix("https://").unwrap();
    let far = far_away(near.to_owned());
    let home = tempfile::tempdir().unwrap();
    let kubeconfig = home.path().join("config");
    std::fs::write(&kubeconfig, config.replace(near, &far)).unwrap();

    let ours = || {
        let mut command = lab::program(&["why", &stack_id]);
        command.arg("--kubeconfig").arg(&kubeconfig).env("HOME", home.path());
        command
    };
    let theirs = || {
        let mut command = Command::new(text(&server["clusterctl"]));
        command.args(["describe", "cluster", &stack_id, "-n", "magnum-system", "--grouping=false"]);
        command.arg("--kubeconfig").arg(&kubeconfig).env("HOME", home.path());
        command.env("CLUSTERCTL_DISABLE_VERSIONCHECK", "true");
        command
    };
    let audit = Path::new(text(&server["audit"]));
    let (ours_asked, theirs_asked) = (requests(audit, ours()), requests(audit, theirs()));
    let (mut ours_took, mut theirs_took) = (Vec::new(), Vec::new());
    for run in 0..=RUNS {
        let (one, other) = (wall(ours()), wall(theirs()));
        if run > 0 {
            ours_took.push(one);
            theirs_took.push(other);
        }
    }
    ours_took.sort();
    theirs_took.sort();
    let (mine, peer) = (ours_took[RUNS / 2], theirs_took[RUNS / 2]);
    println!("{scenario}, server {:?} away", AWAY * 2);
    println!(
        "  why:                 {mine:.0?} (min {:.0?}, max {:.0?}), {ours_asked} requests",
        ours_took[0],
        ours_took[RUNS - 1]
    );
    println!(
        "  clusterctl describe: {peer:.0?} (min {:.0?}, max {:.0?}), {theirs_asked} requests",
        theirs_took[0],
        theirs_took[RUNS - 1]
    );
    println!("  ratio:               {:.2}", mine.as_secs_f64() / peer.as_secs_f64());
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn wall(mut command: Command) -> Duration {
    let start = Instant::now();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    start.elapsed()
}

/// How many requests a command makes, by the audit log of the server.
fn requests(audit: &Path, command: Command) -> usize {
    let before = std::fs::metadata(audit).unwrap().len();
    wall(command);
    let log = std::fs::read(audit).unwrap();
    let new = String::from_utf8_lossy(&log[usize::try_from(before).unwrap()..]).into_owned();
    new.lines().filter(|line| !line.contains("system:apiserver")).count()
}

/// An address that leads to `near` with a delay.
fn far_away(near: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(server) = TcpStream::connect(&near) else { continue };
            for (from, to) in [(&client, &server), (&server, &client)] {
                let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                to.set_nodelay(true).unwrap();
                slowly(from, to);
            }
        }
    });
    address
}

/// Passes on what comes, each piece a while after it came.
fn slowly(mut from: TcpStream, mut to: TcpStream) {
    let (late, due) = mpsc::channel::<(Instant, Vec<u8>)>();
    std::thread::spawn(move || {
        let mut piece = [0; 65_536];
        while let Ok(length @ 1..) = from.read(&mut piece) {
            if late.send((Instant::now() + AWAY, piece[..length].to_vec())).is_err() {
                break;
            }
        }
    });
    std::thread::spawn(move || {
        for (at, piece) in due {
            std::thread::sleep(at.saturating_duration_since(Instant::now()));
            if to.write_all(&piece).is_err() {
                break;
            }
        }
        // The other side is gone already if this fails.
        let _ = to.shutdown(Shutdown::Write);
    });
}
