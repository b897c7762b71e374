//! Parses, runs, prints a failure with its hint and sets the exit code.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use kubectl_magnum::{cli::Cli, run};

fn main() -> ExitCode {
    match run::run(&Cli::parse()) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            let mut talk = std::io::stderr().lock();
            // Nobody is left to tell if stderr is closed.
            let _ = writeln!(talk, "error: failed to {failure}");
            if let Some(hint) = &failure.hint {
                let _ = writeln!(talk, "hint: {hint}");
            }
            ExitCode::from(failure.code)
        }
    }
}
