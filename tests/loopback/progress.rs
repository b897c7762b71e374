//! What a person sees who waits: a line on stderr after a second, and nothing of it in a pipe.

use std::process::Stdio;
use std::sync::Arc;

use tokio::process::Command;

use crate::scenario::{Instead, World, bundle, nothing};
use crate::screen::Screen;
use crate::server::Reply;

const SCENARIO: &str = "r-03-cores-quota-first-control-plane";

fn slow() -> Instead {
    Arc::new(|seen| seen.line.contains("/log?").then_some(Reply::Hang))
}

fn command(world: &World) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-magnum"));
    command.args(["why", "cores-full", "--timeout", "3s", "--server", &world.kube.url(), "--token", "t"]);
    command.args(["--os-auth-url", &format!("{}/v3", world.cloud.url()), "--os-username", "jo"]);
    command.args(["--os-project-id", &world.bundle.meta.login.project_id.clone().unwrap_or_default()]);
    command.env_clear().env("OS_PASSWORD", "p").current_dir(world.folder()).stdout(Stdio::null());
    command
}

#[tokio::test]
async fn a_run_over_a_second_says_how_far_it_is() {
    let world = World::of(bundle(SCENARIO), slow(), nothing()).await;
    let (screen, other_side) = Screen::open(80);
    let mut run = command(&world);
    let mut child = run.stderr(other_side).spawn().expect("the program");
    drop(run);
    let shown = tokio::task::spawn_blocking(|| screen.read());
    child.wait().await.expect("an end");
    let shown = shown.await.expect("text");
    assert!(shown.contains("\rreading: ") && shown.contains(" answers"), "{shown:?}");
    // The line is gone before the answer comes.
    assert!(shown.ends_with('\r'), "{shown:?}");
}

#[tokio::test]
async fn a_pipe_gets_no_progress() {
    let world = World::of(bundle(SCENARIO), slow(), nothing()).await;
    let output = command(&world).stderr(Stdio::piped()).output().await.expect("the program");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
