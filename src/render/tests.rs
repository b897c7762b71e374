//! Pages of this room. The expected ones are files in `testdata`; `UPDATE_EXPECT=1` writes them anew,
//! and then they are to be read like any other change.

use std::path::Path;

use proptest::prelude::*;

use super::wrap::width;
use super::{Format, Page, Styles, clean, samples, why};
use crate::report::{CauseReport, Verdict, WhyReport};
use crate::tree::Node;

fn page(width: Option<usize>) -> Page {
    Page { width, ..Page::default() }
}

fn check(file: &str, report: &WhyReport, format: Format, page: &Page) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/render/testdata").join(file);
    let now = why(report, format, page);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &now).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == now, "{file} differs; the page is now:\n{now}");
}

fn check_all(format: Format, width: Option<usize>, ending: &str) {
    for (name, report) in samples::all() {
        check(&format!("{name}{ending}"), &report, format, &page(width));
    }
}

#[test]
fn eighty_columns() {
    check_all(Format::Text, Some(80), "-80.txt");
}

#[test]
fn two_hundred_columns() {
    check_all(Format::Text, Some(200), "-200.txt");
}

#[test]
fn piped() {
    check_all(Format::Text, None, "-piped.txt");
}

#[test]
fn wide() {
    check("two-causes-wide-110.txt", &samples::two_causes(), Format::Wide, &page(Some(110)));
}

#[test]
fn ticket() {
    check_all(Format::Markdown, None, ".md");
}

#[test]
fn ascii_signs() {
    let text = why(&samples::quota_used_up(), Format::Text, &Page { ascii: true, ..page(Some(80)) });
    assert!(text.is_ascii(), "{text}");
    check(
        "quota-80-ascii.txt",
        &samples::quota_used_up(),
        Format::Text,
        &Page { ascii: true, ..page(Some(80)) },
    );
}

/// What may stick out: lines to paste, and a word that has no line to itself even alone.
fn may_stick_out(line: &str) -> bool {
    let words = line.trim_start();
    let words = ["1  ", "then   ", "more   ", "next     "]
        .iter()
        .find_map(|lead| words.strip_prefix(lead))
        .unwrap_or(words);
    let shell = ["kubectl ", "openstack "].iter().any(|tool| words.starts_with(tool));
    shell || line.split_whitespace().count() == 1
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for (name, report) in samples::all() {
        for columns in [60, 80, 100, 119, 120, 150, 200] {
            for format in [Format::Text, Format::Wide] {
                for line in why(&report, format, &page(Some(columns))).lines() {
                    assert!(width(line) <= columns || may_stick_out(line), "{name} at {columns}: {line:?}");
                }
            }
        }
    }
}

#[test]
fn a_command_stands_on_one_line() {
    for (name, report) in samples::all() {
        for columns in [Some(40), Some(80), None] {
            let text = why(&report, Format::Wide, &page(columns));
            let fixes = report.causes.iter().flat_map(|cause| &cause.fix.steps).chain(&report.verify);
            let places =
                report.causes.iter().flat_map(|cause| &cause.evidence).map(|evidence| &evidence.place);
            for command in fixes.flat_map(|step| &step.run).chain(places) {
                assert!(
                    text.lines().any(|line| line.ends_with(command.as_str())),
                    "{name}: {command}\n{text}"
                );
            }
        }
    }
}

#[test]
fn a_pipe_gets_every_word() {
    let report = samples::two_causes();
    let text = why(&report, Format::Text, &page(None));
    assert!(!text.contains('…'), "{text}");
    for row in ["w465v", "6fzwh", "kubeapi"] {
        assert!(text.lines().any(|line| line.contains(row)), "{row}");
    }
    let machine = text.lines().find(|line| line.contains("Machine kube-4g0ec-88gxw-w465v")).unwrap();
    assert!(machine.contains("WaitingForBootstrapData; NodeHealthy"), "{machine}");
}

#[test]
fn colour_only_repeats() {
    for (name, report) in samples::all() {
        for columns in [Some(80), Some(200), None] {
            let coloured = Page { styles: Styles::coloured(), ..page(columns) };
            let text = why(&report, Format::Text, &coloured);
            assert!(text.contains('\x1b'), "{name}");
            let stripped = anstream::adapter::strip_str(&text).to_string();
            assert_eq!(stripped, why(&report, Format::Text, &page(columns)), "{name}");
        }
    }
}

#[test]
fn no_space_at_the_end_of_a_line_and_no_two_gaps() {
    for (name, report) in samples::all() {
        for columns in [Some(80), Some(200), None] {
            let text = why(&report, Format::Text, &page(columns));
            assert!(text.lines().all(|line| line.trim_end() == line), "{name}: {text}");
            assert!(
                !text.contains("\n\n\n") && text.ends_with('\n') && !text.ends_with("\n\n"),
                "{name}: {text}"
            );
        }
    }
}

#[test]
fn json_is_the_report() {
    for (_, report) in samples::all() {
        let text = why(&report, Format::Json, &page(None));
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            serde_json::to_value(&report).unwrap()
        );
    }
}

#[test]
fn yaml_says_what_json_says() {
    let mut report = samples::two_causes();
    report.notes = [
        "yes",
        "no",
        "true",
        "null",
        "~",
        "1.30",
        "0x1F",
        "a: b",
        "# c",
        "- d",
        " lead",
        "two\nlines\n",
        "",
        "2026-07-28",
        "@x",
        "'q'",
    ]
    .map(String::from)
    .to_vec();
    let text = why(&report, Format::Yaml, &page(None));
    let back: serde_json::Value = serde_yaml::from_str(&text).unwrap();
    let json: serde_json::Value = serde_json::from_str(&why(&report, Format::Json, &page(None))).unwrap();
    assert_eq!(back, json, "{text}");
    // Readers of YAML 1.1 (PyYAML, Go's yaml.v2) take these words for booleans.
    for word in ["yes", "no", "true", "null"] {
        assert!(
            text.contains(&format!("\"{word}\"")) || text.contains(&format!("'{word}'")),
            "{word}: {text}"
        );
    }
}

/// How often the page of a changed report says something.
fn check_said(words: &str, times: usize, change: fn(&mut WhyReport)) {
    let mut report = samples::quota_used_up();
    change(&mut report);
    for format in [Format::Text, Format::Markdown] {
        let text = why(&report, format, &page(None));
        assert_eq!(text.matches(words).count(), times, "{format:?}: {text}");
    }
}

#[test]
fn what_the_headline_says_is_not_said_again() {
    check_said("no cores left", 1, |report| report.causes[0].says = vec![report.summary.clone()]);
}

#[test]
fn without_a_summary_the_title_is_the_sentence() {
    check_said("A quota of the project is used up", 1, |report| report.summary.clear());
}

#[test]
fn further_causes_begin_with_what_they_say() {
    let report = samples::two_causes();
    let text = why(&report, Format::Text, &page(None));
    assert!(text.contains("\n✗ Likely: the image of the workers holds Kubernetes v1.31.4"), "{text}");
    assert!(text.contains("\n  The node never came up"), "{text}");
    assert!(!text.contains(report.causes[1].title), "{text}");
}

#[test]
fn old_errors_do_not_spoil_good_news() {
    let report = WhyReport { log: samples::quota_used_up().log, ..samples::healthy() };
    assert!(!report.log.is_empty());
    assert!(!why(&report, Format::Text, &page(None)).contains("log of"));
    assert!(why(&report, Format::Wide, &page(None)).contains("log of"));
}

#[test]
fn an_answer_is_never_missing() {
    check_said("no cores left", 1, |report| report.causes.clear());
    check_said("openstack quota set --cores 4", 1, |report| report.verdict = Verdict::NotEnoughSeen);
    check_said("Not enough was seen to say", 1, |report| report.verdict = Verdict::NotEnoughSeen);
}

#[test]
fn where_to_go_on_is_said_once() {
    check_said("kubectl magnum why cores-full", 1, |_| {});
    check_said("kubectl magnum why cores-full", 1, |report| report.verdict = Verdict::NotEnoughSeen);
}

#[test]
fn a_record_of_another_day_has_its_date() {
    check_said("2026-07-27 23:59:59", 1, |report| report.log[0].at = "2026-07-27T23:59:59Z".parse().ok());
    check_said("2026-07-28 20:43:13", 0, |_| {});
}

/// Every string of the report that comes from outside becomes this one.
fn poisoned(words: &str) -> WhyReport {
    let mut report = samples::two_causes();
    let evil = || words.to_owned();
    let head = &mut report.cluster;
    (head.name, head.stack_id, head.status) = (evil(), Some(evil()), Some(evil()));
    (head.project.name, head.versions.driver_at_least) = (Some(evil()), Some(evil()));
    (report.source.context, report.source.cloud, report.source.region) =
        (Some(evil()), Some(evil()), Some(evil()));
    (report.summary, report.notes) = (evil(), vec![evil()]);
    report.causes.iter_mut().for_each(|cause| poison_cause(cause, words));
    report.gaps.iter_mut().for_each(|gap| (gap.part, gap.says) = (evil(), evil()));
    report.not_checked.iter_mut().for_each(|not| not.needs = vec![evil()]);
    report.not_it.iter_mut().for_each(|not| (not.what, not.because) = (evil(), evil()));
    report.accepts.iter_mut().for_each(|accepts| accepts.answer = evil());
    report.verify.iter_mut().for_each(|step| (step.say, step.run) = (evil(), vec![evil()]));
    report.log.iter_mut().for_each(|line| {
        (line.pod, line.container, line.level, line.words) = (evil(), evil(), evil(), evil());
    });
    poison_tree(&mut report.tree, words);
    report
}

fn poison_cause(cause: &mut CauseReport, words: &str) {
    let evil = || words.to_owned();
    (cause.says, cause.recovers_says) = (vec![evil()], evil());
    cause.evidence.iter_mut().for_each(|one| (one.source, one.place, one.words) = (evil(), evil(), evil()));
    cause.fix.steps.iter_mut().for_each(|step| (step.say, step.run) = (evil(), vec![evil()]));
}

fn poison_tree(node: &mut Node, words: &str) {
    let evil = || words.to_owned();
    (node.kind, node.name, node.replicas) = (evil(), evil(), Some(evil()));
    (node.status, node.reason, node.message) = (evil(), evil(), evil());
    node.children.iter_mut().for_each(|child| poison_tree(child, words));
}

const HOSTILE: &str = "[\\x00-\\x20\\x7f-\\u{a0}\\u{2000}-\\u{2070}`@#<>|\\[\\]a-c\\-]{0,60}";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn nothing_but_words_gets_out(hostile in HOSTILE, any in any::<String>(), columns in prop::option::of(0usize..220)) {
        for words in [hostile, any] {
            let report = poisoned(&words);
            for format in [Format::Text, Format::Wide, Format::Markdown, Format::Json] {
                let text = why(&report, format, &page(columns));
                prop_assert!(text.chars().all(|c| c == '\n' || clean::is_plain(c)), "{format:?} {text:?}");
            }
            let yaml = why(&report, Format::Yaml, &page(columns));
            let back: serde_json::Value = serde_yaml::from_str(&yaml).unwrap();
            prop_assert_eq!(back, serde_json::to_value(&report).unwrap());
            // YAML is data: a tab in it is a tab of the words.
            prop_assert!(yaml.chars().all(|c| matches!(c, '\n' | '\t') || !c.is_control()), "{:?}", yaml);
        }
    }

    /// What follows the last fence of a ticket is the ticket's own, so no foreign words opened another.
    #[test]
    fn no_fence_is_broken(hostile in "(```|~~~|`|\n| |a){0,12}") {
        let ticket = why(&poisoned(&hostile), Format::Markdown, &page(None));
        let mut open: Option<String> = None;
        for line in ticket.lines() {
            let mark: String = line.trim_start().chars().take_while(|c| *c == '`').collect();
            let rest = line.trim_start().trim_start_matches('`');
            match &open {
                None if mark.len() >= 3 && !rest.contains('`') => open = Some(mark),
                Some(fence) if mark.len() >= fence.len() && rest.trim().is_empty() => open = None,
                _ => {}
            }
        }
        prop_assert!(open.is_none(), "{}", ticket);
    }
}
