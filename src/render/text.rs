//! The page for a person: the answer first, then what to do, then the proof.

use super::sheet::Sheet;
use super::{Page, causes, head, left, log, tail, tree, verdict};
use crate::report::{Verdict, WhyReport};

/// How much of the proof is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// What is needed to act. Cuts only at a terminal: a pipe gets all words.
    Usual,
    /// Everything, with the commands that show it again.
    Wide,
}

/// Writes the page. Sections with nothing to say vanish.
pub(super) fn page(report: &WhyReport, detail: Detail, page: &Page) -> String {
    let mut sheet = Sheet::new(page);
    head::write(&mut sheet, &report.into());
    sheet.gap();
    verdict::write(&mut sheet, report);
    causes::write(&mut sheet, report, detail);
    sheet.gap();
    tree::write(&mut sheet, &report.tree, report.taken_at, detail);
    sheet.gap();
    // Each cluster's first minutes leave errors in the logs; where nothing is wrong they only alarm.
    if report.verdict != Verdict::Healthy || detail == Detail::Wide {
        log::write(&mut sheet, &report.log, report.taken_at);
    }
    sheet.gap();
    left::blocking(&mut sheet, report, detail);
    sheet.gap();
    tail::write(&mut sheet, report, detail);
    let mut text = sheet.finish();
    // A section that vanished at the end leaves its gap behind.
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}
