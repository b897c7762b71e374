//! The program itself against the servers of a scenario.

use std::process::Output;
use std::time::{Duration, Instant};

use tokio::process::Command;

use crate::scenario::{Instead, World, bundle, nothing};
use crate::server::Reply;

const SCENARIO: &str = "r-03-cores-quota-first-control-plane";
const NAME: &str = "cores-full";

/// The program with the flags that lead to these servers, in an environment without others.
pub(crate) fn command(world: &World, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-magnum"));
    command.args(words).env_clear().env("OS_PASSWORD", "pl4nted-password").current_dir(world.folder());
    let project = world.bundle.meta.login.project_id.clone().unwrap_or_default();
    command.args(["--server", &world.kube.url(), "--token", "pl4nted-bearer"]);
    command.args(["--os-auth-url", &format!("{}/v3", world.cloud.url()), "--os-username", "jo"]);
    command.args(["--os-project-id", &project]).kill_on_drop(true);
    command
}

async fn run(world: &World, words: &[&str]) -> Output {
    command(world, words).output().await.expect("the program")
}

pub(crate) fn text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).into_owned();
    assert!(!text.contains("pl4nted"), "{text}");
    text
}

#[tokio::test]
async fn why_live_collected_and_from_the_bundle() {
    let world = World::of(bundle(SCENARIO), nothing(), nothing()).await;
    let live = run(&world, &["why", NAME, "-v"]).await;
    let (page, talk) = (text(&live.stdout), text(&live.stderr));
    assert_eq!(live.status.code(), Some(1), "{page}{talk}");
    assert!(page.contains("[quota-used-up]"), "{page}");
    let asked = talk.lines().filter(|line| line.starts_with("asked")).count();
    assert_eq!(asked, world.kube.lines().len() + world.cloud.lines().len(), "{talk}");
    assert!(
        talk.lines().filter(|line| line.starts_with("asked")).all(|line| line.contains(" ms=")),
        "{talk}"
    );
    let kube = format!("sum kubernetes: {} requests, the slowest ", world.kube.lines().len());
    for said in [&kube, "version Cluster API: 1.13.6", "version ClusterClass: magnum-v"] {
        assert!(talk.lines().any(|line| line.starts_with(said)), "{said}: {talk}");
    }

    let collected = run(&world, &["collect", NAME, "bundle.tar.gz"]).await;
    let lines = text(&collected.stdout);
    assert_eq!(collected.status.code(), Some(0), "{lines}{}", text(&collected.stderr));
    for part in ["kubernetes/machine: 2", "openstack/load-balancer/listeners: ", "log/capo-system: "] {
        assert!(
            lines.lines().any(|line| line.contains(part) && line.starts_with("read ")),
            "{part}: {lines}"
        );
    }
    let again = run(&world, &["why", "--from", "bundle.tar.gz"]).await;
    let cause = |page: &str| page.lines().find(|line| line.contains("[quota-used-up]")).map(str::to_owned);
    assert_eq!(cause(&text(&again.stdout)), cause(&page));
    let exists = run(&world, &["collect", NAME, "bundle.tar.gz"]).await;
    assert_eq!(exists.status.code(), Some(2));
}

#[tokio::test]
async fn the_stuck_ones() {
    let world = World::of(bundle(SCENARIO), nothing(), nothing()).await;
    let stuck = run(&world, &["why", "-o", "json"]).await;
    let list: serde_json::Value = serde_json::from_slice(&stuck.stdout).expect("JSON");
    assert_eq!((list["kind"].as_str(), list["all"].as_u64()), (Some("ClusterList"), Some(1)), "{list}");
    for (format, word) in [
        ("text", "kube-4g0ec"),
        ("wide", "27893cc9"),
        ("yaml", "stackId: kube-4g0ec"),
        ("markdown", "| cores-full |"),
    ] {
        let table = run(&world, &["list", "-o", format]).await;
        assert_eq!(table.status.code(), Some(0));
        assert!(text(&table.stdout).contains(word), "{format}: {}", text(&table.stdout));
    }
}

#[tokio::test]
async fn neither_side_is_configured() {
    let world = World::of(bundle(SCENARIO), nothing(), nothing()).await;
    let mut bare = Command::new(env!("CARGO_BIN_EXE_kubectl-magnum"));
    let ended =
        bare.args(["why", NAME]).env_clear().current_dir(world.folder()).output().await.expect("the program");
    assert_eq!(ended.status.code(), Some(3));
    let talk = text(&ended.stderr);
    assert!(talk.contains("kubeconfig") && talk.contains("OS_CLOUD"), "{talk}");
}

#[cfg(unix)]
#[tokio::test]
async fn an_interrupted_run_says_what_it_saw() {
    let hang: Instead = std::sync::Arc::new(|seen| seen.line.contains("/log?").then_some(Reply::Hang));
    let world = World::of(bundle(SCENARIO), hang, nothing()).await;
    let start = Instant::now();
    let child = command(&world, &["why", NAME, "-o", "json", "--request-timeout", "30s", "--timeout", "60s"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the program");
    let id = child.id().expect("an id").to_string();
    while !world.kube.lines().iter().any(|line| line.contains("/log?")) {
        assert!(start.elapsed() < Duration::from_secs(20));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Command::new("kill").args(["-INT", &id]).status().await.expect("kill");
    let ended = child.wait_with_output().await.expect("the program");
    assert!(start.elapsed() < Duration::from_secs(25), "{:?}", start.elapsed());
    let report: serde_json::Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    assert_eq!(report["causes"][0]["id"], "quota-used-up", "{report}");
    let gaps = report["gaps"].to_string();
    assert!(gaps.contains("log/capo-system") && gaps.contains("interrupted"), "{gaps}");
}

/// Peak of a process's memory in kB, as long as it runs.
#[cfg(target_os = "linux")]
fn peak(id: u32) -> Option<usize> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// The most memory that a process had, in kB, and how it ended.
#[cfg(target_os = "linux")]
pub(crate) async fn highest(child: tokio::process::Child) -> (usize, Output) {
    let id = child.id().expect("an id");
    let (highest, ended) = tokio::join!(
        async {
            let mut highest = 0;
            while let Some(now) = peak(id).filter(|now| *now > 0) {
                highest = now.max(highest);
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            highest
        },
        child.wait_with_output()
    );
    (highest, ended.expect("the program"))
}

/// 500 MB of a busy controller, a tenth of it about the cluster.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn memory_does_not_grow_with_a_log() {
    let line = |n: usize| {
        let name = if n.is_multiple_of(10) { "kube-4g0ec" } else { "kube-other" };
        format!(
            "2026-11-30T20:44:{:02}.1Z I1130 20:44:{:02}.100000       7 x.go:1] \"Reconciling\" controller=\"openstackmachine\" \
             Cluster=\"magnum-system/{name}\" reconcileID=\"{n}\" step=\"{}\"\n",
            n % 60,
            n % 60,
            n % 7
        )
    };
    let piece: String = (0..5000).map(line).collect();
    let times = 500_000_000 / piece.len();
    let flood: Instead = std::sync::Arc::new(move |seen| {
        let log = seen.line.contains("/log?") && seen.line.contains("capo-controller-manager");
        log.then(|| Reply::Flood(piece.clone(), times))
    });
    let world = World::of(bundle(SCENARIO), flood, nothing()).await;
    let child = command(&world, &["why", NAME, "-o", "json", "--timeout", "60s"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the program");
    let (highest, ended) = highest(child).await;
    let report: serde_json::Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    assert_eq!(report["gaps"].as_array().map(Vec::len), Some(0), "{}", report["gaps"]);
    assert!((1..25_000).contains(&highest), "{highest} kB");
}
