//! The log excerpt: the records about this cluster, by pod and container.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::clean;
use super::sheet::Sheet;
use super::wrap;
use crate::report::LogLine;

/// Writes the excerpt. Groups stand in the order of their first record.
pub(super) fn write(sheet: &mut Sheet<'_>, log: &[LogLine], taken_at: Timestamp) {
    let dated = dated(log, taken_at);
    for (pod, container, lines) in groups(log) {
        sheet.gap();
        let (pod, container) = (clean::line(pod), clean::line(container));
        let read = taken_at.strftime(format(dated));
        let heading = format!("log of {pod} {container} (UTC, read at {read})");
        sheet.prose(&[], 0, (sheet.styles().dim, &heading));
        for line in lines {
            record(sheet, line, dated);
        }
    }
}

/// Pod, container and records of each group.
pub(super) fn groups(log: &[LogLine]) -> Vec<(&str, &str, Vec<&LogLine>)> {
    let mut groups: Vec<(&str, &str, Vec<&LogLine>)> = Vec::new();
    for line in log {
        match groups.iter_mut().find(|(pod, container, _)| (*pod, *container) == (&line.pod, &line.container))
        {
            Some((_, _, lines)) => lines.push(line),
            None => groups.push((&line.pod, &line.container, vec![line])),
        }
    }
    groups
}

/// Whether times need their day: a record is from another one than the reading.
pub(super) fn dated(log: &[LogLine], taken_at: Timestamp) -> bool {
    let day = |at: Timestamp| at.to_zoned(TimeZone::UTC).date();
    log.iter().filter_map(|line| line.at).any(|at| day(at) != day(taken_at))
}

/// Time, level and mark of a record, in columns.
pub(super) fn columns(line: &LogLine, dated: bool) -> (String, String) {
    let room = if dated { "2026-07-28 20:42:26".len() } else { "20:42:26".len() };
    let at = line.at.map(|at| at.strftime(format(dated)).to_string()).unwrap_or_default();
    (format!("{at:room$}"), format!("{:1}", clean::line(&line.level)))
}

/// The words of a record on one line, with what must be known about them.
pub(super) fn words(line: &LogLine, times: &str) -> String {
    let words = clean::line(&line.words);
    let words = words.trim();
    let mark = if line.unattributed { "(unattributed) " } else { "" };
    match line.times {
        0 | 1 => format!("{mark}{words}"),
        count => format!("{mark}{words} {times}{count}"),
    }
}

fn record(sheet: &mut Sheet<'_>, line: &LogLine, dated: bool) {
    let (styles, signs) = (sheet.styles(), sheet.signs());
    let (at, level) = columns(line, dated);
    let at = format!("  {at}  ");
    let hang = wrap::width(&at) + wrap::width(&level) + 2;
    let room = sheet.width().map(|width| width.saturating_sub(hang));
    let lines = wrap::fold(&words(line, signs.times), room);
    let lead = [(styles.dim, at.as_str()), (styles.level(&line.level), level.as_str())];
    sheet.hanging(&lead, hang, owo_colors::Style::new(), &lines);
}

fn format(dated: bool) -> &'static str {
    if dated { "%Y-%m-%d %H:%M:%S" } else { "%H:%M:%S" }
}
