//! The end of the page: what else is worth knowing, and what was not seen.

use std::collections::BTreeMap;

use owo_colors::Style;

use super::sheet::Sheet;
use super::text::Detail;
use super::{clean, wrap};
use crate::report::{Accepts, GapReport, NotChecked, Verdict, WhyReport};

/// Column at which the words of the tail start.
const WORDS: usize = 13;
/// Lines for a gap at a terminal: the kind of failure stands in front, and servers talk long.
const GAP_LINES: usize = 2;
/// Unchecked causes are named while there are not more than so many, for so many reasons.
const FEW_CAUSES: usize = 6;
const FEW_GROUPS: usize = 2;
/// Missing parts that are named where the causes are not.
const MOST_MISSED: usize = 3;

/// Writes notes, what Magnum accepts, gaps and what could not be checked.
pub(super) fn write(sheet: &mut Sheet<'_>, report: &WhyReport, detail: Detail) {
    let whole = detail == Detail::Wide || sheet.width().is_none();
    for (at, note) in report.notes.iter().enumerate() {
        entry(sheet, if at == 0 { "note" } else { "" }, note.trim());
    }
    if let Some(words) = accepts(&report.accepts) {
        entry(sheet, "accepts", &words);
    }
    if report.verdict != Verdict::NotEnoughSeen {
        gaps(sheet, &report.gaps, "not read", WORDS, if whole { usize::MAX } else { GAP_LINES });
    }
    for (at, words) in not_checked(&report.not_checked, detail == Detail::Wide).iter().enumerate() {
        entry(sheet, if at == 0 { "not checked" } else { "" }, words);
    }
}

/// What could not be read and why, in at most so many lines each.
pub(super) fn gaps(sheet: &mut Sheet<'_>, gaps: &[GapReport], lead: &str, hang: usize, most: usize) {
    for (at, gap) in gaps.iter().enumerate() {
        let lead = if at == 0 { lead } else { "" };
        let room = sheet.room(hang);
        let lines = wrap::at_most(wrap::fold(&gap_words(gap), room), most, room, sheet.signs().cut);
        sheet.hanging(&[(sheet.styles().dim, lead)], hang, Style::new(), &lines);
    }
}

/// `part: why: says`, on one line.
pub(super) fn gap_words(gap: &GapReport) -> String {
    let (part, says) = (clean::line(&gap.part), clean::line(&gap.says));
    match says.trim() {
        "" => format!("{part}: {}", gap.why),
        says => format!("{part}: {}, {says}", gap.why),
    }
}

/// Which operations Magnum takes, unless it takes all; those with one answer together.
pub(super) fn accepts(list: &[Accepts]) -> Option<String> {
    let refused = list.iter().any(|accepts| accepts.answer.trim() != "yes");
    let mut answers: Vec<(String, Vec<&str>)> = Vec::new();
    for accepts in list {
        let answer = clean::line(&accepts.answer).trim().to_owned();
        match answers.iter_mut().find(|(known, _)| *known == answer) {
            Some((_, operations)) => operations.push(accepts.operation),
            None => answers.push((answer, vec![accepts.operation])),
        }
    }
    // What goes is what is looked for.
    answers.sort_by_key(|(answer, _)| answer != "yes");
    let words = answers.iter().map(|(answer, operations)| format!("{}: {answer}", operations.join(", ")));
    refused.then(|| words.collect::<Vec<_>>().join("; "))
}

/// Unchecked causes by what was missing: `without nova/quota: a, b`. Where that is long it is one line with
/// their number and what most of them lack, unless everything is wanted.
pub(super) fn not_checked(list: &[NotChecked], whole: bool) -> Vec<String> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for entry in list {
        let needs = clean::line(&entry.needs.join(", ")).into_owned();
        match groups.iter_mut().find(|(known, _)| *known == needs) {
            Some((_, causes)) => causes.push(entry.cause),
            None => groups.push((needs, vec![entry.cause])),
        }
    }
    if whole || (groups.len() <= FEW_GROUPS && list.len() <= FEW_CAUSES) {
        return groups
            .iter()
            .map(|(needs, causes)| format!("without {needs}: {}", causes.join(", ")))
            .collect();
    }
    vec![format!("{} causes, {} (-o wide names them)", list.len(), lacking(list))]
}

/// The parts that most of the causes lack: `mostly without a, b, c`.
fn lacking(list: &[NotChecked]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for part in list.iter().flat_map(|entry| &entry.needs) {
        *counts.entry(part).or_default() += 1;
    }
    let mut parts: Vec<(&str, usize)> = counts.into_iter().collect();
    // Stable, so parts that are missing equally often stay in the order of their names.
    parts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let lead = if parts.len() > MOST_MISSED { "mostly without" } else { "without" };
    let names = parts.iter().take(MOST_MISSED).map(|(part, _)| clean::line(part).into_owned());
    format!("{lead} {}", names.collect::<Vec<_>>().join(", "))
}

fn entry(sheet: &mut Sheet<'_>, label: &str, words: &str) {
    sheet.prose(&[(sheet.styles().dim, label)], WORDS, (Style::new(), words));
}

#[cfg(test)]
mod tests {
    use crate::render::{Format, Page, samples, why};
    use crate::report::NotChecked;

    /// The words behind "not checked", without the line breaks of the page.
    fn unchecked(causes: &[(&'static str, &[&str])], format: Format) -> String {
        let mut report = samples::quota_used_up();
        let parts = |needs: &[&str]| needs.iter().map(|part| (*part).to_owned()).collect();
        report.not_checked =
            causes.iter().map(|(cause, needs)| NotChecked { cause, needs: parts(needs) }).collect();
        let text = why(&report, format, &Page::default());
        let (_, words) = text.split_once("not checked").unwrap();
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Seven causes: every one lacks b, six of them c, two a, one d.
    const MANY: [(&str, &[&str]); 7] = [
        ("one", &["a", "b", "c"]),
        ("two", &["a", "b", "c"]),
        ("three", &["b", "c"]),
        ("four", &["b", "c"]),
        ("five", &["b", "c"]),
        ("six", &["b", "c"]),
        ("seven", &["b", "d"]),
    ];

    #[test]
    fn few_unchecked_causes_are_named() {
        assert_eq!(unchecked(&MANY[..2], Format::Text), "without a, b, c: one, two");
        assert_eq!(unchecked(&MANY[1..4], Format::Text), "without a, b, c: two without b, c: three, four");
    }

    #[test]
    fn of_many_unchecked_causes_only_what_they_lack_is_told() {
        assert_eq!(unchecked(&MANY, Format::Text), "7 causes, mostly without b, c, a (-o wide names them)");
        let same: Vec<(&str, &[&str])> = MANY.iter().map(|(cause, _)| (*cause, ["b"].as_slice())).collect();
        assert_eq!(unchecked(&same, Format::Text), "7 causes, without b (-o wide names them)");
    }

    #[test]
    fn wide_names_all_unchecked_causes() {
        assert_eq!(
            unchecked(&MANY, Format::Wide),
            "without a, b, c: one, two without b, c: three, four, five, six without b, d: seven"
        );
    }
}
