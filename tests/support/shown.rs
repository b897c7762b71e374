//! What the program shows on a terminal.

use std::process::{Command, Stdio};

use crate::screen::Screen;

/// The program with nothing of the outer environment, so that it does not depend on who runs the test.
pub(crate) fn program(words: &[&str], variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-magnum"));
    command.args(words).env_clear().envs(variables.iter().copied()).current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

/// Stdout of a command that runs on a terminal with so many columns, and its exit code.
pub(crate) fn on_screen(mut command: Command, columns: u16) -> (String, Option<i32>) {
    let (screen, other_side) = Screen::open(columns);
    let mut child = command.stdin(Stdio::null()).stdout(other_side).stderr(Stdio::null()).spawn().unwrap();
    // The command holds the terminal open as long as it lives.
    drop(command);
    let shown = screen.read();
    (shown, child.wait().unwrap().code())
}
