//! The first block where no cause is named: nothing is wrong, it is being worked on, or it is not known.

use owo_colors::Style;

use super::causes::{self, FIELD, steps};
use super::sheet::{Sheet, Span};
use super::{sentence, tail};
use crate::age;
use crate::report::{Progress, Verdict, WhyReport};

/// Writes the answer. A named cause is the business of [`causes`].
pub(super) fn write(sheet: &mut Sheet<'_>, report: &WhyReport) {
    let (styles, signs) = (sheet.styles(), sheet.signs());
    let sign = match report.verdict {
        Verdict::CauseNamed if report.causes.is_empty() => (styles.bad, signs.bad),
        Verdict::CauseNamed => return,
        Verdict::Healthy => (styles.good, signs.good),
        Verdict::Working => (styles.unsure, signs.busy),
        Verdict::CauseUnknown | Verdict::NotEnoughSeen => (styles.bad, signs.unknown),
    };
    headline(sheet, sign, &answer(report));
    match report.verdict {
        Verdict::CauseUnknown => not_known(sheet, report),
        Verdict::NotEnoughSeen => {
            sheet.gap();
            tail::gaps(sheet, &report.gaps, "  missing", FIELD, usize::MAX);
        }
        _ => {}
    }
    if !report.verify.is_empty() {
        sheet.gap();
    }
    steps(sheet, &report.verify, "  next", FIELD);
    causes::not_it(sheet, &report.not_it);
}

/// The answer in a sentence that begins with what kind of answer it is.
pub(super) fn answer(report: &WhyReport) -> String {
    let summary = report.summary.trim();
    let words = match (report.verdict, &report.progress) {
        (Verdict::Working, Some(progress)) => {
            format!("Working: waiting for {} ({})", progress.stage, so_far(report, progress))
        }
        (Verdict::Working, None) => opened("Working", "working", summary),
        (Verdict::Healthy, _) => opened("Nothing is wrong", "nothing is wrong", summary),
        (Verdict::CauseUnknown, _) => opened("The cause is not known", "not known", summary),
        (Verdict::NotEnoughSeen, _) => opened("Not enough was seen to say", "not enough", summary),
        (Verdict::CauseNamed, _) => summary.to_owned(),
    };
    sentence::begin(&words)
}

/// `opening: summary`, or the summary alone if it already says so.
fn opened(opening: &str, mark: &str, summary: &str) -> String {
    match summary {
        "" => opening.to_owned(),
        _ if summary.to_lowercase().contains(mark) => summary.to_owned(),
        _ => format!("{opening}: {summary}"),
    }
}

/// `3m24s; usually under 5m, worry after 20m`
fn so_far(report: &WhyReport, progress: &Progress) -> String {
    let limit = progress.limit.map(|limit| format!(", worry after {}", age::minutes(limit)));
    let age = age::between(progress.since, report.taken_at);
    format!("{age}; usually under {}{}", age::minutes(progress.usual), limit.unwrap_or_default())
}

fn headline(sheet: &mut Sheet<'_>, sign: Span<'_>, words: &str) {
    sheet.prose(&[sign], 2, (sheet.styles().title, words));
}

fn not_known(sheet: &mut Sheet<'_>, report: &WhyReport) {
    if let Some(progress) = &report.progress {
        let words = format!("It waits for {}: {}", progress.stage, so_far(report, progress));
        sheet.prose(&[], 2, (Style::new(), &words));
    }
    sheet.gap();
    for (at, signal) in report.signals.iter().enumerate() {
        let label = if at == 0 { "signals" } else { "" };
        let number = format!("{:<3}", at + 1);
        causes::said(sheet, label, &number, (&signal.source, &signal.words));
        causes::place(sheet, FIELD + number.len() + 2, &signal.place);
    }
}
