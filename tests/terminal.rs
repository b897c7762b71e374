//! What is shown where: terminals of several widths, pipes, and readers that leave early.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test ends loudly")]

#[path = "support/screen.rs"]
mod screen;
#[path = "support/shown.rs"]
mod shown;

use std::process::Stdio;

use shown::{on_screen, program};
use unicode_width::UnicodeWidthStr;

const WHY: [&str; 3] = ["why", "--from", "tests/scenarios/r-03-cores-quota-first-control-plane/bundle"];

fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

fn why(more: &[&str]) -> Vec<String> {
    WHY.iter().chain(more).map(|word| (*word).to_owned()).collect()
}

fn words(all: &[String]) -> Vec<&str> {
    all.iter().map(String::as_str).collect()
}

/// A command for the shell is never broken, nor is a single word; everything else fits.
fn check_width(columns: u16) {
    let (page, code) = on_screen(program(&WHY, &[]), columns);
    assert_eq!(code, Some(1));
    for line in plain(&page).lines() {
        let whole = line.trim_start();
        let unbroken =
            whole.starts_with("kubectl ") || whole.starts_with("openstack ") || !whole.contains(' ');
        assert!(unbroken || line.width() <= usize::from(columns), "{columns}: {} {line}", line.width());
    }
}

#[test]
fn a_page_is_as_wide_as_the_terminal() {
    check_width(80);
    check_width(120);
    check_width(200);
}

#[test]
fn help_fits_a_narrow_terminal() {
    for help in [["why", "-h"], ["why", "--help"], ["version", "-h"], ["list", "-h"]] {
        let (page, _) = on_screen(program(&help, &[]), 80);
        let wide: Vec<&str> = page.lines().filter(|line| plain(line).width() > 80).collect();
        assert!(wide.is_empty() && page.contains("Usage: kubectl magnum "), "{help:?}: {wide:?}");
    }
}

fn check_colour(more: &[&str], variables: &[(&str, &str)], coloured: bool) {
    let (page, _) = on_screen(program(&words(&why(more)), variables), 100);
    assert_eq!(page.contains('\u{1b}'), coloured, "{more:?} {variables:?}");
}

#[test]
fn colour_is_for_terminals_that_want_it() {
    check_colour(&[], &[("TERM", "xterm")], true);
    check_colour(&[], &[("TERM", "dumb")], false);
    check_colour(&[], &[("TERM", "xterm"), ("NO_COLOR", "1")], false);
    check_colour(&[], &[("TERM", "xterm"), ("NO_COLOR", "")], false);
    check_colour(&["--color", "never"], &[("TERM", "xterm")], false);
    check_colour(&["--color", "always"], &[("TERM", "dumb"), ("NO_COLOR", "1")], true);
}

#[test]
fn a_pipe_gets_everything_uncut_and_plain() {
    let piped =
        |more: &[&str]| String::from_utf8(program(&words(&why(more)), &[]).output().unwrap().stdout).unwrap();
    let page = piped(&[]);
    assert!(!page.contains('\u{1b}') && page.lines().any(|line| line.width() > 200));
    let coloured = piped(&["--color=always"]);
    assert!(coloured.contains('\u{1b}'));
    assert_eq!(plain(&coloured), page);
}

#[test]
fn ascii_has_no_signs_that_a_font_may_lack() {
    for columns in [80, 200] {
        let (page, _) = on_screen(program(&words(&why(&["--ascii"])), &[]), columns);
        let signs = ['✗', '✓', '·', '≥', '◀', '└', '├', '│', '─'];
        assert_eq!(page.chars().find(|c| signs.contains(c)), None, "{page}");
    }
}

/// `kubectl magnum … | head`: the reader is gone before the first byte.
fn check_reader_gone(words: &[&str], code: i32) {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = program(words, &[]).stdout(writer).stderr(Stdio::piped()).output().unwrap();
    let talk = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), talk.as_str()), (Some(code), ""), "{words:?}");
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    check_reader_gone(&WHY, 1);
    check_reader_gone(&["explain"], 0);
    check_reader_gone(&["version", "--client", "-o", "yaml"], 0);
    check_reader_gone(&["completion", "bash"], 0);
    check_reader_gone(&["__complete", ""], 0);
    check_reader_gone(&["--help"], 0);
    check_reader_gone(&["why", "-h"], 0);
}

#[test]
fn short_help_is_shorter_and_long_help_has_examples() {
    for command in ["why", "collect", "explain", "completion", "version"] {
        let help =
            |flag: &str| String::from_utf8(program(&[command, flag], &[]).output().unwrap().stdout).unwrap();
        let (short, long) = (help("-h"), help("--help"));
        assert!(long.contains("Examples:\n"), "{command}: {long}");
        assert!(short.lines().count() < long.lines().count(), "{command}");
    }
}
