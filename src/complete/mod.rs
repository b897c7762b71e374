//! Completion of the command line, for kubectl and for shells.
//!
//! ```text
//! kubectl_complete-magnum WORD … ───┐
//! kubectl-magnum __complete WORD … ─┴─▶ kubectl's lines ─┐
//!                                                        ├─▶ clap's engine ─▶ sources ─▶ names ─▶ gather
//! $KUBECTL_MAGNUM_COMPLETE ───────────▶ a shell's lines ─┘                     files      cache
//! ```
//!
//! Somebody waits for the next key: nothing in here takes longer than [`names::BUDGET`], and nothing
//! is ever said about a failure. kubectl's side of the protocol is in kubernetes/kubectl,
//! `pkg/cmd/plugin/plugin_completion.go`; the number in the last line is Cobra's directive.

mod cache;
mod install;
mod names;
mod sources;

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::sync::Arc;

use clap_complete::CompleteEnv;
use clap_complete::engine::{CompletionCandidate, complete};
use clap_complete::env::Shells;

use crate::cli;
use crate::exit::{Failure, code};
use sources::{Asker, Sources};

pub use install::{ASKED_AS, install};

/// The program as a shell calls it.
const PROGRAM: &str = "kubectl-magnum";

/// A first word that means the same as being called [`ASKED_AS`].
const WORD: &str = "__complete";

/// Variable by which a script of `completion bash` and the like asks.
const VARIABLE: &str = "KUBECTL_MAGNUM_COMPLETE";

/// Directives of Cobra: nothing but the candidates, or names of files.
const NO_FILES: &str = ":4";
const FILES: &str = ":0";

/// Answers on stdout if this is a question for completions; false if it is none.
#[must_use]
pub fn answered(words: &[OsString]) -> bool {
    let program = words.first().map(OsString::as_os_str).unwrap_or_default();
    let rest = words.get(1..).unwrap_or_default();
    let typed = match rest.split_first() {
        _ if cli::program_name(program) == ASKED_AS => Some(rest),
        Some((first, rest)) if first == WORD => Some(rest),
        _ => None,
    };
    if let Some(typed) = typed {
        // Nobody is left to tell if stdout is closed.
        let _ = std::io::stdout().write_all(for_kubectl(typed).as_bytes());
        return true;
    }
    for_shell(words)
}

/// The script that makes a shell ask this program for completions of `kubectl-magnum`.
///
/// # Errors
/// There is no such shell.
pub fn script(shell: &str) -> Result<String, Failure> {
    let unknown = || Failure::new(code::USAGE, format!("write a completion script for {shell:?}"));
    let shells = Shells::builtins();
    let completer = shells.completer(shell).ok_or_else(unknown)?;
    let mut text = Vec::new();
    completer
        .write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut text)
        .map_err(|error| Failure::new(code::NO_SOURCE, format!("write the script: {error}")))?;
    let text = String::from_utf8_lossy(&text).into_owned();
    Ok(format!("{}\n", text.trim()))
}

/// kubectl's answer: a candidate a line with its description behind a tab, then the directive.
fn for_kubectl(typed: &[OsString]) -> String {
    let word = typed.last().cloned().unwrap_or_default();
    let before = typed.split_last().map(|(_, before)| before).unwrap_or_default();
    let sources = Arc::new(Sources::new(before, Asker::Kubectl));
    let mut words = vec![OsString::from(PROGRAM)];
    words.extend(before.iter().cloned());
    words.push(word.clone());
    let last = words.len() - 1;
    let mut command = sources::attach(cli::command("kubectl magnum"), &sources);
    let found = complete(&mut command, words, last, None).unwrap_or_default();
    let lines: String = found.iter().filter(|one| fits(one, &word)).filter_map(line).collect();
    format!("{lines}{}\n", if sources.wants_files() { FILES } else { NO_FILES })
}

/// Flags are offered to who types one, as kubectl does it.
fn fits(candidate: &CompletionCandidate, word: &OsStr) -> bool {
    let dashed = |text: &OsStr| text.as_encoded_bytes().first() == Some(&b'-');
    dashed(word) || !dashed(candidate.get_value())
}

fn line(candidate: &CompletionCandidate) -> Option<String> {
    let value = candidate.get_value().to_str().filter(|value| names::is_word(value))?;
    let help = candidate.get_help().map(ToString::to_string).unwrap_or_default();
    let help: String = help.lines().next().unwrap_or_default().replace('\t', " ");
    Some(if help.is_empty() { format!("{value}\n") } else { format!("{value}\t{help}\n") })
}

/// Answers a script of [`script`].
fn for_shell(words: &[OsString]) -> bool {
    // Behind `--` stands the line as it was typed, the program first.
    let line = words.iter().position(|word| word == "--").and_then(|at| words.get(at + 2..));
    if std::env::var_os(VARIABLE).is_none() {
        return false;
    }
    let sources = Arc::new(Sources::new(line.unwrap_or_default(), Asker::Shell));
    let factory = || sources::attach(cli::command("kubectl-magnum"), &sources);
    let engine = CompleteEnv::with_factory(factory).var(VARIABLE).bin(PROGRAM).completer(PROGRAM);
    // A shell shows what is said here in the middle of a line; saying nothing is better.
    engine.try_complete(words.iter().cloned(), std::env::current_dir().ok().as_deref()).unwrap_or(true)
}
