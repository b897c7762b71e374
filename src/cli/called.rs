//! The command line as a whole: what the program is called, and flags before the command.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::{Args, CommandFactory, FromArgMatches};

use super::{Cli, Live};

/// The arguments, with usage lines that begin with `called`.
///
/// kubectl hands over flags as they were typed, so `kubectl magnum --context c why` must be
/// understood. The flags of the connections belong to the commands, and to their help; here they
/// are accepted without being listed, and clap hands their values down.
#[must_use]
pub fn command(called: &str) -> clap::Command {
    let live = Live::augment_args(clap::Command::new("live"));
    let flags = live.get_arguments().map(|flag| flag.clone().global(true).hide(true));
    Cli::command().args(flags).bin_name(called)
}

/// Reads the words of a command line, the first of which is the program.
///
/// # Errors
/// clap's: wrong words, or a help text that was asked for.
pub fn parse(words: &[OsString]) -> Result<Cli, clap::Error> {
    let called = called(words.first().map(OsString::as_os_str).unwrap_or_default());
    Cli::from_arg_matches(&command(&called).try_get_matches_from(words)?)
}

/// How the operator calls a program of this path: `kubectl-magnum` is `kubectl magnum`, where
/// kubectl reads a dash of the command as an underscore of the file.
#[must_use]
pub fn called(program: &OsStr) -> String {
    let name = program_name(program);
    match name.strip_prefix("kubectl-") {
        Some(plugin) if !plugin.is_empty() => {
            format!("kubectl {}", plugin.replace('-', " ").replace('_', "-"))
        }
        _ if name.is_empty() => "kubectl magnum".to_owned(),
        _ => name,
    }
}

/// The last part of a path without `.exe`; slashes of either kind, because kubectl on Windows
/// hands over both.
#[must_use]
pub fn program_name(program: &OsStr) -> String {
    let file = Path::new(program).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = file.rsplit('\\').next().unwrap_or_default();
    let end = name.len().saturating_sub(".exe".len());
    match name.split_at_checked(end) {
        Some((stem, ending)) if ending.eq_ignore_ascii_case(".exe") => stem.to_owned(),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Command;

    fn check_called(program: &str, expected: &str) {
        assert_eq!(called(OsStr::new(program)), expected, "{program}");
    }

    #[test]
    fn usage_lines_say_what_was_typed() {
        check_called("kubectl-magnum", "kubectl magnum");
        check_called("/home/jo/.krew/bin/kubectl-magnum", "kubectl magnum");
        check_called("C:\\krew\\bin\\kubectl-magnum.exe", "kubectl magnum");
        check_called("kubectl-magnum.EXE", "kubectl magnum");
        check_called("/usr/bin/kubectl-open_stack", "kubectl open-stack");
        check_called("/tmp/magnum-why", "magnum-why");
        check_called("", "kubectl magnum");
    }

    fn check_context(line: &str, expected: Option<&str>) {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let Command::Why(why) = parse(&words).expect("arguments").command else { panic!("why") };
        assert_eq!(why.live.kube.context.as_deref(), expected, "{line}");
        assert_eq!(why.cluster.as_deref(), Some("prod"), "{line}");
    }

    #[test]
    fn flags_of_the_connections_may_stand_anywhere() {
        check_context("kubectl-magnum why prod", None);
        check_context("kubectl-magnum why prod --context lab", Some("lab"));
        check_context("kubectl-magnum why --context lab prod", Some("lab"));
        check_context("kubectl-magnum --context lab why prod", Some("lab"));
        check_context("kubectl-magnum --context lab why prod --context mgmt", Some("mgmt"));
    }

    #[test]
    fn a_time_limit_before_the_command_counts() {
        let words = ["kubectl-magnum", "--timeout", "7s", "why", "prod"].map(OsString::from);
        let Command::Why(why) = parse(&words).expect("arguments").command else { panic!("why") };
        assert_eq!(why.live.timeout.as_secs(), 7);
    }

    #[test]
    fn the_help_of_the_program_does_not_list_them() {
        let help = command("kubectl magnum").render_long_help().to_string();
        assert!(help.contains("Usage: kubectl magnum ") && !help.contains("--os-cloud"), "{help}");
    }

    #[test]
    fn an_unknown_command_suggests_the_near_one() {
        let words = ["kubectl-magnum", "lst"].map(OsString::from);
        let error = parse(&words).err().expect("a mistake").to_string();
        assert!(error.contains("'list'"), "{error}");
    }
}
