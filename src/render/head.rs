//! The first two lines: which cluster, what Magnum says of it and for how long, and where it was read.

use jiff::Timestamp;
use owo_colors::Style;

use super::clean;
use super::sheet::Sheet;
use super::wrap::{self, width};
use crate::age;
use crate::report::{ClusterHead, SourceHead, WhyReport};

const BETWEEN: &str = "   ";

/// What the two lines are about.
pub(super) struct Head<'a> {
    /// Who.
    pub(super) cluster: &'a ClusterHead,
    /// Where it was read.
    pub(super) source: &'a SourceHead,
    /// When it was read.
    pub(super) taken_at: Timestamp,
    /// True if nothing wants for a part that nobody tried to read.
    pub(super) whole: bool,
    /// What stands in place of a status.
    pub(super) says: Option<&'a str>,
}

impl<'a> From<&'a WhyReport> for Head<'a> {
    fn from(report: &'a WhyReport) -> Self {
        Head {
            cluster: &report.cluster,
            source: &report.source,
            taken_at: report.taken_at,
            whole: report.not_checked.is_empty(),
            says: None,
        }
    }
}

/// Writes both lines.
pub(super) fn write(sheet: &mut Sheet<'_>, report: &Head<'_>) {
    let name = clean::line(&report.cluster.name);
    let facts = who(report);
    let title = sheet.styles().title;
    let hang = width(&name) + if facts.is_empty() { 0 } else { BETWEEN.len() };
    let room = sheet.room(hang.min(30));
    let mut lines = wrap::items(&facts, BETWEEN, room);
    // A name so long that nothing fits beside it stands alone.
    if sheet.width().is_some_and(|all| hang + lines.first().map_or(0, |line| width(line)) > all) {
        sheet.line(&[(title, &name)]);
        lines = wrap::items(&facts, BETWEEN, sheet.room(0));
        sheet.hanging(&[], 0, Style::new(), &lines);
    } else {
        sheet.hanging(&[(title, &name)], hang, Style::new(), &lines);
    }

    let facts = whence(report, sheet.signs().at_least);
    let lines = wrap::items(&facts, sheet.signs().dot, sheet.room(0));
    sheet.hanging(&[], 0, sheet.styles().dim, &lines);
}

pub(super) fn who(report: &Head<'_>) -> Vec<String> {
    let cluster = report.cluster;
    let age = cluster.since.map(|since| {
        let bound = if cluster.since_at_most { "at most " } else { "" };
        format!(" for {bound}{}", age::between(since, report.taken_at))
    });
    let status = cluster.status.as_ref().map(|status| format!("{status}{}", age.unwrap_or_default()));
    let stack = cluster.stack_id.as_ref().filter(|id| **id != cluster.name).map(|id| format!("stack {id}"));
    let project = cluster.project.name.as_ref().or(cluster.project.id.as_ref());
    let project = project.map(|project| format!("project {project}"));
    let says = report.says.map(str::to_owned);
    [status.or(says), stack, project]
        .into_iter()
        .flatten()
        .map(|fact| clean::line(&fact).into_owned())
        .collect()
}

pub(super) fn whence(report: &Head<'_>, at_least: &str) -> Vec<String> {
    let (source, versions) = (report.source, &report.cluster.versions);
    let cloud = match (&source.cloud, &source.region) {
        (Some(cloud), Some(region)) => Some(format!("cloud {cloud}/{region}")),
        (Some(cloud), None) => Some(format!("cloud {cloud}")),
        (None, region) => region.as_ref().map(|region| format!("region {region}")),
    };
    let context = source.context.as_ref().map(|context| format!("context {context}"));
    let driver = versions.driver_at_least.as_ref().map(|version| format!("driver {at_least}{version}"));
    let capi = versions.capi.as_ref().map(|version| format!("Cluster API {version}"));
    let capo = versions.capo.as_ref().map(|version| format!("CAPO {version}"));
    let facts = [context, cloud, driver, capi, capo, Some(sources(report))];
    facts.into_iter().flatten().map(|fact| clean::line(&fact).into_owned()).collect()
}

/// How much was read. Said on every page: a page that saw half must not look like one that saw all.
/// "All" is said only if no cause wants for a part that nobody tried to read.
fn sources(report: &Head<'_>) -> String {
    let (read, missing) = (report.source.parts_read, report.source.parts_missing);
    match (read, missing) {
        (0, 0) => "no list of what was read".to_owned(),
        (1, 0) => "1 source read".to_owned(),
        (_, 0) if report.whole => format!("all {read} sources read"),
        (_, 0) => format!("{read} sources read"),
        _ => format!("{read} of {} sources read, see below", read + missing),
    }
}

#[cfg(test)]
mod tests {
    use crate::render::{Format, Page, samples, why};
    use crate::report::NotChecked;

    fn check_read(parts_read: usize, parts_missing: usize, expected: &str) {
        let mut report = samples::healthy();
        (report.source.parts_read, report.source.parts_missing) = (parts_read, parts_missing);
        let text = why(&report, Format::Text, &Page::default());
        assert!(text.lines().nth(1).unwrap().ends_with(expected), "{text}");
    }

    #[test]
    fn how_much_was_read_is_said() {
        check_read(46, 0, "all 46 sources read");
        check_read(1, 0, "1 source read");
        check_read(44, 2, "44 of 46 sources read, see below");
        check_read(0, 0, "no list of what was read");
    }

    #[test]
    fn all_is_not_said_where_a_cause_wants_for_a_part() {
        let mut report = samples::healthy();
        report.source.parts_missing = 0;
        report.not_checked =
            vec![NotChecked { cause: "quota-used-up", needs: vec!["log/capo-system".into()] }];
        let text = why(&report, Format::Text, &Page::default());
        let read = format!(" {} sources read", report.source.parts_read);
        let line = text.lines().nth(1).unwrap();
        assert!(line.ends_with(&read) && !line.contains("all "), "{text}");
    }
}
