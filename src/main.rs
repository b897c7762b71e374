//! Parses, runs, prints a failure with its hint and sets the exit code.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use kubectl_magnum::cli;
use kubectl_magnum::complete;
use kubectl_magnum::exit::code;
use kubectl_magnum::run;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    if complete::answered(&words) {
        return ExitCode::SUCCESS;
    }
    let cli = match cli::parse(&words) {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    match run::run(&cli) {
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

/// Prints what is wrong with the arguments, or the help that was asked for.
fn usage(error: &clap::Error) -> ExitCode {
    // Nobody is left to tell if the stream is closed.
    let _ = error.print();
    if let Some(hint) = cli::hint(error) {
        let _ = writeln!(std::io::stderr(), "hint: {hint}");
    }
    ExitCode::from(if error.use_stderr() { code::USAGE } else { code::FINE })
}
