//! The page for a person: the answer, the table in the order of removal, what to do.

use owo_colors::Style;

use super::super::causes::steps;
use super::super::head::{self, Head};
use super::super::sheet::{Sheet, Span};
use super::super::text::Detail;
use super::super::wrap::{self, width};
use super::super::{Page, clean, sentence, tail};
use super::words;
use crate::report::{InUse, LeftVerdict, Leftover, LeftoversReport, Life, WhyReport};

/// Column at which the words after a label start.
const FIELD: usize = 11;
/// Things that are told in full on the usual page; of more only those that are held.
const FEW: usize = 3;
/// Leftovers that the page of `why` names.
const SHOWN: usize = 6;

/// Writes the page.
pub(in super::super) fn page(report: &LeftoversReport, detail: Detail, page: &Page) -> String {
    let mut sheet = Sheet::new(page);
    let cluster = words::cluster(report);
    let head = Head {
        cluster: &cluster,
        source: &report.source,
        taken_at: report.taken_at,
        whole: report.needs.is_empty(),
        says: words::status(report),
    };
    head::write(&mut sheet, &head);
    sheet.gap();
    answer(&mut sheet, report);
    sheet.gap();
    table(&mut sheet, report);
    sheet.gap();
    each(&mut sheet, report, detail);
    sheet.gap();
    in_use(&mut sheet, &report.in_use);
    if !report.verify.is_empty() {
        sheet.gap();
    }
    steps(&mut sheet, &report.verify, "  next", FIELD);
    sheet.gap();
    for note in &report.notes {
        field(&mut sheet, "note", note);
    }
    if !report.needs.is_empty() {
        field(&mut sheet, "missing", &report.needs.join(", "));
    }
    tail::gaps(&mut sheet, &report.gaps, "  not read", FIELD, usize::MAX);
    let mut text = sheet.finish();
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn answer(sheet: &mut Sheet<'_>, report: &LeftoversReport) {
    let (styles, signs) = (sheet.styles(), sheet.signs());
    let sign: Span<'_> = match report.verdict {
        LeftVerdict::InUse if report.life == Life::Deleting => (styles.unsure, signs.busy),
        LeftVerdict::Clean | LeftVerdict::InUse => (styles.good, signs.good),
        LeftVerdict::Blocked | LeftVerdict::Leftovers => (styles.bad, signs.bad),
        LeftVerdict::NotEnoughSeen => (styles.bad, signs.unknown),
    };
    let answer = words::answer(report);
    sheet.prose(&[sign], 2, (styles.title, &sentence::begin(&clean::line(&answer))));
    if !report.quota.is_empty() {
        let all: Vec<String> = report.quota.iter().map(words::quota).collect();
        sheet.prose(
            &[],
            2,
            (Style::new(), &format!("Of the project's quota this takes {}.", all.join(", "))),
        );
    }
}

/// Columns that a narrow terminal does without, the first first: below the table, in `-o wide` and in
/// the script everything is there. Ids stay, whole, so that they can be pasted.
const SPARED: [&str; 4] = ["TIED BY", "AGE", "NAME", "HELD BY"];

/// Takes columns away until the rows fit.
fn fit(mut rows: Vec<Vec<String>>, columns: Option<usize>) -> Vec<Vec<String>> {
    let Some(columns) = columns else { return rows };
    for spared in SPARED {
        let cells = rows.first().map_or(0, Vec::len);
        let widest =
            |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|c| width(c)).max().unwrap_or(0);
        if (0..cells).map(|at| widest(at) + 2).sum::<usize>() <= columns {
            break;
        }
        if let Some(at) = rows.first().and_then(|head| head.iter().position(|name| name == spared)) {
            rows.iter_mut().for_each(|row| drop(row.remove(at)));
        }
    }
    rows
}

/// The table.
fn table(sheet: &mut Sheet<'_>, report: &LeftoversReport) {
    if report.leftovers.is_empty() {
        return;
    }
    let several = words::is_project(report);
    let rows: Vec<Vec<String>> = std::iter::once(header(several))
        .chain(report.leftovers.iter().map(|left| row(left, report, several)))
        .collect();
    let rows = fit(rows, sheet.width());
    let columns = rows.first().map_or(0, Vec::len);
    let wide =
        |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| width(cell)).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(wide).collect();
    for (at, row) in rows.iter().enumerate() {
        let cells =
            row.iter().zip(&widths).map(|(cell, wide)| format!("{cell}{}", " ".repeat(wide - width(cell))));
        let line = format!("  {}", cells.collect::<Vec<_>>().join("  "));
        let style = if at == 0 { sheet.styles().dim } else { Style::new() };
        sheet.line(&[(style, &line)]);
    }
}

fn header(several: bool) -> Vec<String> {
    let mut words = vec!["ORDER", "KIND", "NAME", "ID", "TIED BY", "AGE", "HELD BY"];
    if several {
        words.insert(1, "CLUSTER");
    }
    words.into_iter().map(str::to_owned).collect()
}

fn row(left: &Leftover, report: &LeftoversReport, several: bool) -> Vec<String> {
    let order = if left.data { format!("{} data", left.order) } else { left.order.to_string() };
    let held = if left.data && left.held_by.is_empty() {
        "kept on purpose?".to_owned()
    } else {
        words::held_by(&left.held_by)
    };
    let mut cells = vec![
        order,
        left.thing.kind.clone(),
        left.thing.name.clone().unwrap_or_else(|| "-".to_owned()),
        left.thing.id.clone(),
        left.tied_by.clone(),
        words::age_of(left, report.taken_at),
        held,
    ];
    if several {
        cells.insert(1, left.cluster.clone());
    }
    cells.iter().map(|cell| clean::line(cell).into_owned()).collect()
}

/// Why each is still there, and the commands.
fn each(sheet: &mut Sheet<'_>, report: &LeftoversReport, detail: Detail) {
    let all = detail == Detail::Wide || report.leftovers.len() <= FEW;
    // Held by something that is not in the table.
    let held = |left: &&Leftover| left.remove.is_none() && left.held_by.iter().any(|h| h.order.is_none());
    for left in report.leftovers.iter().filter(|left| all || held(left)) {
        sheet.gap();
        let number = format!("  {:<FEW$}", left.order);
        sheet.prose(
            &[(Style::new(), &number)],
            number.len(),
            (sheet.styles().title, &clean::line(&words::named(&left.thing))),
        );
        if let Some(why) = &left.why {
            field(sheet, "   why", why);
        }
        for (at, holder) in left.held_by.iter().enumerate() {
            field(sheet, if at == 0 { "   held by" } else { "" }, &words::holder(holder));
        }
        if detail == Detail::Wide && !left.with.is_empty() {
            let with: Vec<String> = left.with.iter().map(words::named).collect();
            field(sheet, "   with it", &with.join(", "));
        }
        sheet.command("     look", FIELD + 3, &left.look);
        match &left.remove {
            Some(remove) => sheet.command("     remove", FIELD + 3, remove),
            None => field(sheet, "   remove", not_removed(left, report)),
        }
    }
}

/// Why there is no command that removes it.
fn not_removed(left: &Leftover, report: &LeftoversReport) -> &'static str {
    match (left.data, report.verdict, left.held_by.is_empty()) {
        (true, ..) => "by hand, if nobody needs the data",
        (_, LeftVerdict::NotEnoughSeen, _) => "not before it is known that the cluster is gone",
        (_, _, false) if report.life == Life::Deleting => "the delete does it, once nobody holds it",
        (_, _, false) => "not before nobody holds it",
        (_, _, true) => "its controller does it",
    }
}

fn in_use(sheet: &mut Sheet<'_>, list: &[InUse]) {
    let mut makers: Vec<&str> = list.iter().map(|kind| kind.by).collect();
    makers.dedup();
    for by in makers {
        let kinds = list.iter().filter(|kind| kind.by == by);
        let kinds: Vec<String> = kinds.map(|kind| count(kind.count, &kind.kind)).collect();
        let label = match by {
            "cluster" => "in use".to_owned(),
            by => format!("{by} still removes"),
        };
        let room = sheet.room(FIELD);
        let words = format!("{label}: {}", kinds.join(", "));
        sheet.hanging(&[], 2, Style::new(), &wrap::fold(&clean::line(&words), room));
    }
}

fn count(count: usize, kind: &str) -> String {
    match count {
        1 => format!("1 {kind}"),
        n => format!("{n} {kind}s"),
    }
}

fn field(sheet: &mut Sheet<'_>, label: &str, words: &str) {
    let hang = if label.starts_with("   ") || label.is_empty() { FIELD + 3 } else { FIELD };
    let label = format!("  {label}");
    sheet.prose(&[(sheet.styles().dim, &label)], hang, (Style::new(), &clean::line(words)));
}

/// What a delete that `why` looks at leaves behind, or waits for.
pub(in super::super) fn blocking(sheet: &mut Sheet<'_>, report: &WhyReport, detail: Detail) {
    let mut lines = words::lines(&report.leftovers);
    let more = lines.len().saturating_sub(SHOWN);
    if more > 0 && detail != Detail::Wide {
        lines.truncate(SHOWN);
        let name = clean::line(&report.cluster.name).into_owned();
        lines.push(format!("and {more} more: kubectl magnum leftovers {name}"));
    }
    for (at, line) in lines.iter().enumerate() {
        let label = if at == 0 { "leftovers" } else { "" };
        sheet.prose(&[(sheet.styles().dim, label)], FIELD + 2, (Style::new(), line));
    }
}
