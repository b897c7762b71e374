//! Which columns there are, how wide they are, and where messages go.

use super::rows::Row;
use crate::render::wrap::width;

/// Columns between two columns.
pub(super) const BETWEEN: usize = 2;
/// From this width on the age of a state has a column.
const WITH_SINCE: usize = 100;
/// From this width on messages may have a column.
const WITH_MESSAGE: usize = 120;
/// A message in less than this is better off below its row.
const MESSAGE_LEAST: usize = 36;
/// Before names get narrower than this, reasons do.
const NAME_LEAST: usize = 34;
/// Reasons get no narrower than this.
const REASON_LEAST: usize = 14;

/// Widths of the columns; a width of 0 means that the column is left out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    /// Tree lines, kind and name.
    pub(super) name: usize,
    /// Replicas.
    pub(super) replicas: usize,
    /// Status word.
    pub(super) status: usize,
    /// Reason.
    pub(super) reason: usize,
    /// Age.
    pub(super) since: usize,
    /// Messages.
    pub(super) message: Message,
}

/// Where messages go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Message {
    /// In the last column, as one line: piped, so that a search for an object finds its message.
    OneLine,
    /// In the last column, folded to this width.
    Column(usize),
    /// Below the row, up to this column.
    Below(usize),
}

/// Lays out the rows for a terminal of this width, or for a pipe.
pub(super) fn layout(rows: &[Row], terminal: Option<usize>) -> Layout {
    let widest = |heading: &str, cell: fn(&Row) -> &str| match rows.iter().map(|row| width(cell(row))).max() {
        None | Some(0) => 0,
        Some(cell) => cell.max(width(heading)),
    };
    let name = rows.iter().map(|row| width(&row.prefix) + width(&row.label())).max().unwrap_or(0);
    let mut layout = Layout {
        name: name.max(width("NAME")),
        replicas: widest("REPLICAS", |row| &row.replicas),
        status: widest("STATUS", |row| &row.status),
        reason: widest("REASON", |row| &row.reason),
        since: widest("SINCE", |row| &row.since),
        message: Message::OneLine,
    };
    let Some(terminal) = terminal else { return layout };
    if terminal < WITH_SINCE {
        layout.since = 0;
    }
    let left = terminal.saturating_sub(layout.name + layout.others() + BETWEEN);
    if terminal >= WITH_MESSAGE && left >= MESSAGE_LEAST {
        layout.message = Message::Column(left);
        return layout;
    }
    layout.message = Message::Below(terminal);
    // Replicas are a few characters under a long word; without it names keep six columns more.
    if terminal < WITH_SINCE {
        layout.replicas = widest("", |row| &row.replicas);
    }
    let wanted = layout.name.min(NAME_LEAST);
    let excess = (wanted + layout.others()).saturating_sub(terminal);
    layout.reason = layout.reason.saturating_sub(excess).max(layout.reason.min(REASON_LEAST));
    layout.name = layout.name.min(terminal.saturating_sub(layout.others()).max(wanted / 2));
    layout
}

impl Layout {
    /// Columns that everything but name and message takes.
    fn others(&self) -> usize {
        let columns = [self.replicas, self.status, self.reason, self.since];
        columns.iter().filter(|width| **width > 0).map(|width| width + BETWEEN).sum()
    }
}
