//! A terminal of a given width, and what the program shows on it.

use std::fs::File;
use std::io::Read;
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// The program with nothing of the outer environment, so that it does not depend on who runs the test.
pub(crate) fn program(words: &[&str], variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-magnum"));
    command.args(words).env_clear().envs(variables.iter().copied()).current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

/// Stdout of a command that runs on a terminal with so many columns, and its exit code.
pub(crate) fn on_screen(mut command: Command, columns: u16) -> (String, Option<i32>) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let size = Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&master, size).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    let slave = File::options().read(true).write(true).open(name).unwrap();
    let mut child = command.stdin(Stdio::null()).stdout(slave).stderr(Stdio::null()).spawn().unwrap();
    // The command holds the terminal open as long as it lives.
    drop(command);
    let mut shown = Vec::new();
    let mut piece = [0; 4096];
    let mut master = File::from(master);
    // Reading fails, in place of an end, once nobody has the terminal open any more.
    while let Ok(count @ 1..) = master.read(&mut piece) {
        shown.extend_from_slice(piece.get(..count).unwrap());
    }
    let code = child.wait().unwrap().code();
    (String::from_utf8(shown).unwrap().replace("\r\n", "\n"), code)
}
