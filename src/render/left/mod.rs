//! What a cluster left behind: a table, names, a script, a ticket.

mod script;
mod table;
mod ticket;
mod words;

#[cfg(test)]
mod tests;

pub(super) use script::script;
pub(super) use table::{blocking, page};
pub(super) use ticket::ticket;
pub(super) use words::lines;

use super::clean;
use crate::report::LeftoversReport;

/// `kind/id`, one a line.
pub(super) fn names(report: &LeftoversReport) -> String {
    let one =
        |kind: &str, id: &str| format!("{}/{}\n", kind.replace(' ', "").to_lowercase(), clean::line(id));
    report.leftovers.iter().map(|left| one(&left.thing.kind, &left.thing.id)).collect()
}
