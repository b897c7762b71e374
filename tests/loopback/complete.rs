//! Completion and versions: the program against the servers of a scenario.

use std::process::Output;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::process::Command;

use crate::scenario::{Instead, World, bundle, nothing};
use crate::server::Reply;

const SCENARIO: &str = "r-03-cores-quota-first-control-plane";
const NAME: &str = "cores-full";
const STACK: &str = "kube-4g0ec";

async fn world(kube: Instead, cloud: Instead) -> World {
    World::of(bundle(SCENARIO), kube, cloud).await
}

fn hang() -> Instead {
    Arc::new(|_| Some(Reply::Hang))
}

/// The program in an environment that leads to these servers, with words behind kubectl's own.
fn command(world: &World, words: &[&str]) -> Command {
    let kubeconfig = format!(
        "current-context: lab\ncontexts:\n- {{name: lab, context: {{cluster: lab, user: jo, namespace: team}}}}\n\
         clusters:\n- {{name: lab, cluster: {{server: '{}'}}}}\nusers:\n- {{name: jo, user: {{token: pl4nted-bearer}}}}\n",
        world.kube.url()
    );
    std::fs::write(world.folder().join("kubeconfig"), kubeconfig).expect("a kubeconfig");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-magnum"));
    command.args(words).env_clear().env("HOME", world.folder()).current_dir(world.folder());
    command.env("KUBECONFIG", "kubeconfig").env("OS_AUTH_URL", format!("{}/v3", world.cloud.url()));
    command.env("OS_USERNAME", "jo").env("OS_PASSWORD", "pl4nted-password");
    command.env("OS_PROJECT_ID", world.bundle.meta.login.project_id.clone().unwrap_or_default());
    command
}

async fn ask(world: &World, words: &[&str]) -> String {
    answer(command(world, &[&["__complete"], words].concat()).output().await.expect("the program"))
}

/// kubectl drops everything if the exit code is not 0, and mixes stderr into what it shows.
fn answer(output: Output) -> String {
    let (text, talk) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!((output.status.code(), talk.as_ref()), (Some(0), ""), "{text}");
    let directive = text.lines().last().unwrap_or_default();
    assert!([":0", ":4"].contains(&directive) && !text.contains("pl4nted"), "{text}");
    text.into_owned()
}

#[tokio::test]
async fn clusters_of_both_sides() {
    let world = world(nothing(), nothing()).await;
    let all = ask(&world, &["why", ""]).await;
    let line = all.lines().next().expect("a candidate");
    assert_eq!(line.split('\t').next(), Some(NAME), "{all}");
    assert!(line.contains("CREATE_IN_PROGRESS") && line.contains(STACK), "{all}");
    assert!(ask(&world, &["why", "kube-"]).await.starts_with(&format!("{STACK}\t{NAME}")));
    assert_eq!(ask(&world, &["why", "x"]).await, ":4\n");
    assert_eq!(ask(&world, &["--context", "lab", "collect", "cores"]).await.lines().next(), Some(line));
    assert_eq!(ask(&world, &["--context", "nowhere", "why", "cores"]).await.lines().count(), 2);
}

/// What a run may take where one side does not answer; the machine may be busy.
const SOON: Duration = Duration::from_millis(1500 + 700);

#[tokio::test]
async fn a_side_that_hangs_takes_nothing_from_the_other() {
    for (kube, cloud, expected) in [(hang(), nothing(), NAME), (nothing(), hang(), STACK)] {
        let world = world(kube, cloud).await;
        let start = Instant::now();
        let all = ask(&world, &["why", ""]).await;
        assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
        assert!(all.starts_with(expected), "{all}");
    }
}

#[tokio::test]
async fn servers_that_hang_or_refuse_are_no_error() {
    let refuse = || -> Instead { Arc::new(|_| Some(Reply::json(401, json!({"error": {"message": "no"}})))) };
    for (kube, cloud) in [(hang(), hang()), (refuse(), refuse())] {
        let world = world(kube, cloud).await;
        let start = Instant::now();
        assert_eq!(ask(&world, &["why", ""]).await, ":4\n");
        assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    }
}

#[tokio::test]
async fn twice_tab_asks_once_and_leaves_no_secret() {
    let world = world(nothing(), nothing()).await;
    let first = ask(&world, &["why", ""]).await;
    let asked = (world.kube.lines().len(), world.cloud.lines().len());
    assert!(asked.0 > 0 && asked.1 > 0, "{asked:?}");
    assert_eq!(ask(&world, &["why", ""]).await, first);
    assert_eq!((world.kube.lines().len(), world.cloud.lines().len()), asked);
    let folder = world.folder().join(".cache/kubectl-magnum");
    let folder = if folder.exists() { folder } else { world.folder().join("Library/Caches/kubectl-magnum") };
    let files: Vec<_> = std::fs::read_dir(folder).expect("a cache").flatten().collect();
    assert_eq!(files.len(), 1, "{files:?}");
    let kept = std::fs::read_to_string(files.first().expect("a file").path()).expect("text");
    assert!(kept.contains(NAME) && !kept.contains("pl4nted"), "{kept}");
}

#[tokio::test]
async fn nothing_is_configured() {
    let mut bare = Command::new(env!("CARGO_BIN_EXE_kubectl-magnum"));
    let folder = tempfile::tempdir().expect("a folder");
    bare.args(["__complete", "why", ""]).env_clear().current_dir(folder.path());
    assert_eq!(answer(bare.output().await.expect("the program")), ":4\n");
}

#[tokio::test]
async fn namespaces_that_hold_clusters() {
    let elsewhere: Instead = Arc::new(|seen| {
        let everywhere = seen.line.contains("/clusters?") && !seen.line.contains("/namespaces/");
        let cluster = |namespace: &str| json!({"metadata": {"name": "c", "namespace": namespace}});
        let items = [cluster("other"), cluster("magnum-system")];
        everywhere.then(|| {
            Reply::json(
                200,
                json!({"kind": "ClusterList", "apiVersion": "cluster.x-k8s.io/v1beta2", "items": items}),
            )
        })
    });
    let world = world(elsewhere, nothing()).await;
    assert_eq!(ask(&world, &["why", "-n", ""]).await, "magnum-system\nother\nteam\n:4\n");
    assert_eq!(ask(&world, &["why", "--namespace=te"]).await, "--namespace=team\n:4\n");
}

async fn check_words(words: &[&str], expected: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("clouds.yaml"), "clouds: {prod: {}, test: {}}\n").expect("clouds.yaml");
    let mut program = Command::new(env!("CARGO_BIN_EXE_kubectl-magnum"));
    program.arg("__complete").args(words).env_clear().current_dir(folder.path());
    let text = answer(program.output().await.expect("the program"));
    let plain: Vec<&str> = text.lines().map(|line| line.split('\t').next().unwrap_or_default()).collect();
    assert_eq!(plain.join(" "), expected, "{words:?}");
}

#[tokio::test]
async fn words_that_need_no_server() {
    check_words(&["wh"], "why :4").await;
    check_words(&["why", "--os-cl"], "--os-cloud :4").await;
    check_words(&["--conte"], "--context :4").await;
    check_words(&["why", "--os-cloud", ""], "prod test :4").await;
    check_words(&["why", "-o", "j"], "json :4").await;
    check_words(&["why", "-o", ""], "text wide json yaml markdown :4").await;
    check_words(&["why", "--output=m"], "--output=markdown :4").await;
    check_words(&["explain", "quota-u"], "quota-used-up :4").await;
    check_words(&["why", "--show-conditions", ""], "all all+ :4").await;
    check_words(&["completion", "ba"], "bash :4").await;
    check_words(&["why", "--from", ""], ":0").await;
    check_words(&["collect", "web", ""], ":0").await;
    check_words(&["why", "--kubeconfig", ""], ":0").await;
}

#[cfg(unix)]
#[tokio::test]
async fn the_name_it_is_called_by_decides() {
    for (name, asked) in [
        ("kubectl_complete-magnum", true),
        ("/usr/local/bin/kubectl_complete-magnum", true),
        ("C:\\bin\\kubectl_complete-magnum.exe", true),
        ("kubectl-magnum", false),
    ] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_kubectl-magnum"));
        let output = program.arg0(name).args(["explain", "quota-u"]).env_clear().output().await;
        let output = output.expect("the program");
        let answered = output.stdout.ends_with(b":4\n");
        assert_eq!((answered, output.status.code()), (asked, Some(if asked { 0 } else { 2 })), "{name}");
    }
}

async fn version(world: &World, words: &[&str]) -> Value {
    let output = command(world, &[&["version", "-o", "json"], words].concat()).output().await;
    let output = output.expect("the program");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[tokio::test]
async fn versions_of_the_servers() {
    let kube: Instead = Arc::new(|seen| {
        seen.line.ends_with(" /version").then(|| Reply::json(200, json!({"gitVersion": "v1.33.4"})))
    });
    let cloud: Instead = Arc::new(|seen| {
        let magnum = seen.line.contains("/v1/clusters?limit=1");
        let answer = Reply::json(200, json!({"clusters": []}));
        magnum.then(|| answer.with("openstack-api-maximum-version", "container-infra 1.11"))
    });
    let world = world(kube, cloud).await;
    let report = version(&world, &[]).await;
    assert_eq!((report["kubernetes"].as_str(), report["magnum"].as_str()), (Some("v1.33.4"), Some("1.11")));
    let of = |provider: &str| {
        let all = report["controllers"].as_array().expect("controllers").iter();
        all.filter(|c| c["provider"] == provider).map(|c| c["version"].to_string()).collect::<Vec<_>>()
    };
    assert_eq!(of("cluster-api"), ["\"1.13.6\""], "{report}");
    assert_eq!(of("infrastructure-openstack"), ["\"0.14.7\""], "{report}");
    assert_eq!(report["gaps"], json!([]), "{report}");
}

#[tokio::test]
async fn a_server_that_does_not_say_is_a_gap() {
    let refuse: Instead = Arc::new(|_| Some(Reply::json(403, json!({"message": "not for you"}))));
    let world = world(refuse, nothing()).await;
    let report = version(&world, &[]).await;
    let gaps: Vec<&str> =
        report["gaps"].as_array().expect("gaps").iter().filter_map(|gap| gap["part"].as_str()).collect();
    assert!(gaps.contains(&"kubernetes") && gaps.contains(&"kubernetes/deployment"), "{report}");
    assert_eq!(version(&world, &["--client"]).await["gaps"], json!([]));
}
