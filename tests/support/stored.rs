//! Runs of the program, and the outputs of them that are stored.

use std::path::Path;
use std::process::Command;

/// How one run of the program ended.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs the program in the repository with nothing of the caller's environment.
pub(crate) fn run(args: &[&str]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_kubectl-magnum"))
        .args(args)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_clear()
        .output()
        .unwrap();
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Compares with a stored output; `UPDATE_EXPECT=1` stores it instead. Nothing said is
/// stored as no file.
pub(crate) fn stored(path: &Path, now: &str) -> Option<String> {
    let file = path.file_name().unwrap().to_string_lossy().into_owned();
    if std::env::var_os("UPDATE_EXPECT").is_some_and(|v| v == "1") {
        if now.is_empty() {
            let _ = std::fs::remove_file(path);
        } else {
            std::fs::write(path, now).unwrap();
        }
        return None;
    }
    let before = match std::fs::read(path) {
        Ok(before) => before,
        Err(_) if now.is_empty() => return None,
        Err(e) => return Some(format!("{file}: {e} (UPDATE_EXPECT=1 writes it)")),
    };
    let before = String::from_utf8_lossy(&before);
    (before != now).then(|| format!("{file} differs {}", first_difference(&before, now)))
}

fn first_difference(before: &str, now: &str) -> String {
    let (mut old, mut new) = (before.lines(), now.lines());
    let mut line = 1;
    loop {
        match (old.next(), new.next()) {
            (None, None) => return "in its last line break".to_owned(),
            (a, b) if a != b => {
                let show = |side: Option<&str>| side.unwrap_or("(nothing)").to_owned();
                return format!("in line {line}\n      stored: {}\n      now:    {}", show(a), show(b));
            }
            _ => line += 1,
        }
    }
}
