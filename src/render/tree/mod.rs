//! The condition tree as rows: the picture that operators know from `clusterctl describe cluster`.
//!
//! ```text
//! NAME                      REPLICAS  STATUS  REASON              SINCE  MESSAGE
//! Cluster kube-x                      False   NotAvailable        3m13s
//! └─KubeadmControlPlane y   0/1       False   NotAvailable        3m11s
//!   └─Machine z                       False   InstanceCreateFailed 2m17s ◀ here  no cores left
//! ```
//!
//! On a narrow terminal messages go below their row and ages go first.

mod layout;
mod rows;

use jiff::Timestamp;
use owo_colors::Style;

use self::layout::{BETWEEN, Layout, Message, layout};
use self::rows::{Row, rows};
use super::sheet::{Sheet, Span};
use super::text::Detail;
use super::wrap::{self, width};
use crate::tree::{Mood, Node};

/// Lines of a message at a terminal before it is cut; the row that the cause is about is never cut.
const MESSAGE_LINES: usize = 3;

/// Writes the tree, if there is one.
pub(super) fn write(sheet: &mut Sheet<'_>, root: &Node, taken_at: Timestamp, detail: Detail) {
    let rows = rows(root, taken_at, sheet.signs());
    if rows.is_empty() {
        return;
    }
    let layout = layout(&rows, sheet.width());
    heading(sheet, &layout, rows.iter().any(|row| !row.message.is_empty()));
    for row in &rows {
        match layout.message {
            Message::OneLine => one_line(sheet, &layout, row),
            Message::Column(room) => beside(sheet, &layout, row, room, detail),
            Message::Below(end) => below(sheet, &layout, row, end, detail),
        }
    }
}

fn heading(sheet: &mut Sheet<'_>, layout: &Layout, messages: bool) {
    let replicas = if layout.replicas < "REPLICAS".len() { "" } else { "REPLICAS" };
    let mut cells = vec![
        ("NAME", layout.name),
        (replicas, layout.replicas),
        ("STATUS", layout.status),
        ("REASON", layout.reason),
        ("SINCE", layout.since),
    ];
    if messages && !matches!(layout.message, Message::Below(_)) {
        cells.push(("MESSAGE", "MESSAGE".len()));
    }
    cells.retain(|(_, width)| *width > 0);
    let words: String = cells.iter().map(|(word, width)| format!("{word:w$}", w = width + BETWEEN)).collect();
    sheet.line(&[(sheet.styles().dim, &words)]);
}

/// Piped: the row with its whole message on one line, its own lines joined by semicolons. Bullets of
/// Cluster API's summaries would only be in the way there.
fn one_line(sheet: &mut Sheet<'_>, layout: &Layout, row: &Row) {
    let mut joined = String::new();
    for line in row.message.lines().map(|line| line.trim().trim_start_matches("* ")) {
        if !joined.is_empty() && !line.is_empty() {
            joined.push_str(if joined.ends_with(':') { " " } else { "; " });
        }
        joined.push_str(line);
    }
    with_message(sheet, layout, row, &joined);
}

/// A wide terminal: the message in its own column.
fn beside(sheet: &mut Sheet<'_>, layout: &Layout, row: &Row, room: usize, detail: Detail) {
    let mark = if row.here { width(sheet.signs().here) + BETWEEN } else { 0 };
    let room = room.saturating_sub(mark);
    let lines = message(sheet, row, room, detail);
    let (first, rest) =
        lines.split_first().map_or(("", [].as_slice()), |(first, rest)| (first.as_str(), rest));
    with_message(sheet, layout, row, first);
    let columns = [layout.name, layout.replicas, layout.status, layout.reason, layout.since];
    let start: usize = columns.iter().filter(|width| **width > 0).map(|width| width + BETWEEN).sum();
    let pad = " ".repeat((start + mark).saturating_sub(width(&row.below)));
    for line in rest {
        sheet.line(&[(sheet.styles().dim, &row.below), (Style::new(), &pad), (Style::new(), line)]);
    }
}

/// A narrow terminal: what is wrong is said below its row.
fn below(sheet: &mut Sheet<'_>, layout: &Layout, row: &Row, end: usize, detail: Detail) {
    let here = sheet.signs().here;
    let mut cells = cells(sheet, layout, row);
    let used: usize = cells.iter().map(|(_, words)| width(words)).sum();
    let beside = row.here && used + BETWEEN + width(here) <= end;
    if beside {
        cells.extend([(Style::new(), " ".repeat(BETWEEN)), (sheet.styles().bad, here.to_owned())]);
    }
    put(sheet, &cells);

    let lead = if row.here && !beside { format!("{here}  ") } else { String::new() };
    let shown = detail == Detail::Wide || row.here || matches!(row.mood, Mood::Bad | Mood::Unsure);
    let indent = format!("{}  ", row.below);
    let room = end.saturating_sub(width(&indent) + width(&lead));
    let lines = if shown { message(sheet, row, room, detail) } else { Vec::new() };
    if !lead.is_empty() {
        let first = lines.first().map_or("", String::as_str);
        let (dim, bad) = (sheet.styles().dim, sheet.styles().bad);
        sheet.line(&[(dim, &indent), (bad, &lead), (Style::new(), first)]);
    }
    let pad = " ".repeat(width(&lead));
    for line in lines.iter().skip(usize::from(!lead.is_empty())) {
        sheet.line(&[(sheet.styles().dim, &indent), (Style::new(), &pad), (Style::new(), line)]);
    }
}

fn message(sheet: &Sheet<'_>, row: &Row, room: usize, detail: Detail) -> Vec<String> {
    let lines = wrap::fold(&row.message, Some(room));
    match detail == Detail::Wide || row.here {
        true => lines,
        false => wrap::at_most(lines, MESSAGE_LINES, Some(room), sheet.signs().cut),
    }
}

fn with_message(sheet: &mut Sheet<'_>, layout: &Layout, row: &Row, message: &str) {
    let mut cells = cells(sheet, layout, row);
    let mark = if row.here { format!("{}  ", sheet.signs().here) } else { String::new() };
    cells.extend([
        (Style::new(), " ".repeat(BETWEEN)),
        (sheet.styles().bad, mark),
        (Style::new(), message.to_owned()),
    ]);
    put(sheet, &cells);
}

/// The cells of a row, padded, without its message.
fn cells(sheet: &Sheet<'_>, layout: &Layout, row: &Row) -> Vec<(Style, String)> {
    let (styles, cut) = (sheet.styles(), sheet.signs().cut);
    let name_style = match (row.here, row.condition) {
        (true, _) => styles.title,
        (_, true) => styles.condition,
        _ => Style::new(),
    };
    let label = shortened(row, layout.name.saturating_sub(width(&row.prefix)), cut);
    let mut used = width(&row.prefix) + width(&label);
    let mut cells = vec![(styles.dim, row.prefix.clone()), (name_style, label)];
    let mut missing = layout.name.saturating_sub(used);
    let columns = [
        (Style::new(), &row.replicas, layout.replicas),
        (styles.mood(row.mood), &row.status, layout.status),
        (Style::new(), &row.reason, layout.reason),
        (Style::new(), &row.since, layout.since),
    ];
    for (style, words, room) in columns.into_iter().filter(|(_, _, room)| *room > 0) {
        let words = wrap::middle(words, room, cut);
        used = width(&words);
        cells.extend([(Style::new(), " ".repeat(missing + BETWEEN)), (style, words)]);
        missing = room.saturating_sub(used);
    }
    cells.push((Style::new(), " ".repeat(missing)));
    cells
}

/// Kind and name; the name gives way first, since the kind says what it is.
fn shortened(row: &Row, room: usize, cut: &str) -> String {
    let left = room.saturating_sub(width(&row.kind) + 1);
    match row.name.is_empty() || left < 8 {
        true => wrap::middle(&row.label(), room.max(8), cut),
        false => format!("{} {}", row.kind, wrap::middle(&row.name, left, cut)).trim_start().to_owned(),
    }
}

fn put(sheet: &mut Sheet<'_>, cells: &[(Style, String)]) {
    let spans: Vec<Span<'_>> = cells.iter().map(|(style, words)| (*style, words.as_str())).collect();
    sheet.line(&spans);
}
