//! The report on a page: text, json, yaml or markdown.
//!
//! ```text
//!   WhyReport ─┬─▶ text      head, verdict, causes, tree, log, tail   (sheet: the only way onto the page)
//!              ├─▶ data      json, yaml                              (the report as it stands)
//!              └─▶ markdown  for a ticket                            (escape: the only way in)
//!   LeftoversReport ─▶ left    table, names, script, markdown
//! ```
//!
//! Nothing in here decides anything: what is said, and in which order the causes come, is the
//! report's. Nothing in here reads a clock or a terminal either: ages count from
//! [`WhyReport::taken_at`], and the width is told.

mod causes;
mod clean;
mod data;
mod escape;
mod head;
mod left;
mod list;
mod log;
mod markdown;
mod sentence;
mod sheet;
mod signs;
mod style;
mod tail;
mod text;
mod tree;
mod verdict;
mod version;
mod wrap;

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

use clap::ValueEnum;

use crate::report::{ClusterList, LeftoversReport, VersionReport, WhyReport};

pub use style::Styles;

/// What a report is turned into.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A page for a person
    #[default]
    Text,
    /// The page with every message, all evidence and the commands that show it again
    Wide,
    /// The report for a program
    Json,
    /// The same as YAML
    Yaml,
    /// A page for a ticket
    Markdown,
}

/// What a page of text is written on.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// Columns of the terminal; none when piped, and then nothing is cut or folded.
    pub width: Option<usize>,
    /// Colours; the default has none.
    pub styles: Styles,
    /// Draw with ASCII signs only. Words of the servers stay as they are.
    pub ascii: bool,
}

/// Writes the report of `why`. The page has an effect on the text formats only.
pub fn why(report: &WhyReport, format: Format, page: &Page) -> String {
    match format {
        Format::Text => text::page(report, text::Detail::Usual, page),
        Format::Wide => text::page(report, text::Detail::Wide, page),
        Format::Json => data::json(report),
        Format::Yaml => data::yaml(report),
        Format::Markdown => markdown::page(report),
    }
}

/// What the report of leftovers is turned into.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum LeftFormat {
    /// A table for a person, in the order of removal
    #[default]
    Text,
    /// The table with every command, and why each thing is still there
    Wide,
    /// The report for a program
    Json,
    /// The same as YAML
    Yaml,
    /// Kind and id, one a line
    Name,
    /// A shell script that removes what can go, to be read before it is run
    Script,
    /// A page for a ticket
    Markdown,
}

/// Writes the report of `leftovers`.
pub fn leftovers(report: &LeftoversReport, format: LeftFormat, page: &Page) -> String {
    match format {
        LeftFormat::Text => left::page(report, text::Detail::Usual, page),
        LeftFormat::Wide => left::page(report, text::Detail::Wide, page),
        LeftFormat::Json => data::json(report),
        LeftFormat::Yaml => data::yaml(report),
        LeftFormat::Name => left::names(report),
        LeftFormat::Script => left::script(report),
        LeftFormat::Markdown => left::ticket(report),
    }
}

/// Writes the clusters: as a table, the wide one with UUID and project, or for a program.
pub fn list(list: &ClusterList, format: Format, page: &Page) -> String {
    match format {
        Format::Text => list::table(list, false, page),
        Format::Wide => list::table(list, true, page),
        Format::Json => data::json(list),
        Format::Yaml => data::yaml(list),
        Format::Markdown => list::markdown(list),
    }
}

/// Writes the versions, a line each.
pub fn version(report: &VersionReport) -> String {
    version::lines(report)
}

/// Writes the versions for a program.
pub fn version_json(report: &VersionReport) -> String {
    data::json(report)
}

/// The same as YAML.
pub fn version_yaml(report: &VersionReport) -> String {
    data::yaml(report)
}
