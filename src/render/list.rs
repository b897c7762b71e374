//! The clusters as a table, as `kubectl get` draws them.

use unicode_width::UnicodeWidthStr;

use super::{Page, clean, escape};
use crate::age;
use crate::report::ClusterList;

const HEAD: [&str; 7] = ["NAME", "STACK ID", "STATUS", "FOR", "UUID", "PROJECT", "WHY"];

/// Columns of [`HEAD`] that only the wide table has.
const WIDE: [&str; 2] = ["UUID", "PROJECT"];

/// Writes the table, and below it what it lacks.
pub(super) fn table(list: &ClusterList, wide: bool, page: &Page) -> String {
    let mut text = String::new();
    if !list.clusters.is_empty() {
        let rows = rows(list, wide);
        let columns = rows.first().map_or(0, Vec::len);
        let widest =
            |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.width()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(widest).collect();
        for row in &rows {
            let cells = row
                .iter()
                .zip(&widths)
                .map(|(cell, wide)| format!("{cell}{}", " ".repeat(wide - cell.width())));
            let line = cells.collect::<Vec<_>>().join("   ");
            text.push_str(&cut(line.trim_end(), page.width));
            text.push('\n');
        }
    }
    text + &below(list)
}

/// The table for a ticket.
pub(super) fn markdown(list: &ClusterList) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut rows = rows(list, true).into_iter();
    let mut text = rows.next().map(line).unwrap_or_default();
    text.push_str(&line(vec!["---".to_owned(); HEAD.len()]));
    text.extend(rows.map(|row| line(row.iter().map(|cell| cell_of(cell)).collect())));
    let below: Vec<String> = below(list).lines().map(escape::prose).collect();
    format!("{text}\n{}\n", below.join("\n\n"))
}

/// A bar would end the cell, even inside code.
fn cell_of(words: &str) -> String {
    escape::prose(words).replace('|', "\\|")
}

/// The head and a row for each cluster.
fn rows(list: &ClusterList, wide: bool) -> Vec<Vec<String>> {
    let shown = |cells: [String; 7]| {
        let all = HEAD.iter().zip(cells).filter(|(name, _)| wide || !WIDE.contains(name));
        all.map(|(_, cell)| clean::line(&cell).into_owned()).collect::<Vec<_>>()
    };
    let known = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
    let rows = list.clusters.iter().map(|c| {
        let age = c.since.map(|at| age::between(at, list.taken_at)).unwrap_or_default();
        let [stack, status, uuid, project] = [&c.stack_id, &c.status, &c.uuid, &c.project_id].map(known);
        [c.name.clone(), stack, status, age, uuid, project, c.says.clone()]
    });
    std::iter::once(HEAD.map(str::to_owned)).chain(rows).map(shown).collect()
}

/// How many are stuck, and what could not be read.
fn below(list: &ClusterList) -> String {
    let sum = match list.stuck {
        0 => "no cluster is stuck".to_owned(),
        1 => "1 cluster is stuck".to_owned(),
        n => format!("{n} clusters are stuck"),
    };
    let head = format!("{sum}, of {}\n", list.all);
    let gaps = list.gaps.iter().map(|gap| format!("not read: {}: {}\n", gap.part, clean::line(&gap.says)));
    head + &gaps.collect::<String>()
}

/// A line no wider than the terminal; a pipe has no width.
fn cut(line: &str, width: Option<usize>) -> String {
    let Some(width) = width.filter(|width| line.width() > *width && *width > 1) else {
        return line.to_owned();
    };
    let mut short = String::new();
    for c in line.chars() {
        let mut bytes = [0; 4];
        if short.width() + c.encode_utf8(&mut bytes).width() >= width {
            break;
        }
        short.push(c);
    }
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::ClusterLine;

    fn one(says: &str) -> ClusterList {
        let at = "2026-11-30T21:00:00Z".parse().expect("a time");
        let line = ClusterLine {
            name: "web\u{1b}[31m".to_owned(),
            uuid: Some("27893cc9-1ef6-487c-8865-27130428aacd".to_owned()),
            stack_id: Some("kube-abcde".to_owned()),
            project_id: None,
            status: Some("CREATE_FAILED".to_owned()),
            since: "2026-11-30T20:00:00Z".parse().ok(),
            stuck: true,
            says: says.to_owned(),
        };
        ClusterList {
            api_version: "",
            kind: "ClusterList",
            taken_at: at,
            exit_code: 1,
            clusters: vec![line],
            stuck: 1,
            all: 7,
            gaps: Vec::new(),
        }
    }

    #[test]
    fn columns_and_what_is_below() {
        let list = one("Quota exceeded for cores");
        assert_eq!(
            table(&list, false, &Page::default()),
            "NAME   STACK ID     STATUS          FOR   WHY\n\
             web    kube-abcde   CREATE_FAILED   60m   Quota exceeded for cores\n\
             1 cluster is stuck, of 7\n"
        );
        let narrow = table(&list, false, &Page { width: Some(30), ..Page::default() });
        assert!(narrow.lines().all(|line| line.width() <= 30), "{narrow}");
    }

    #[test]
    fn the_wide_table_has_the_ids() {
        let wide = table(&one("x"), true, &Page::default());
        assert!(wide.contains("UUID") && wide.contains("27893cc9-1ef6-487c-8865-27130428aacd"), "{wide}");
    }

    #[test]
    fn a_ticket_has_a_table_that_no_word_breaks() {
        let text = markdown(&one("a | b"));
        let lines: Vec<&str> = text.lines().collect();
        let bars = |line: &str| line.replace("\\|", "").matches('|').count();
        assert!(lines.iter().take(3).all(|line| bars(line) == 8), "{text}");
        assert_eq!(lines.last(), Some(&"1 cluster is stuck, of 7"));
    }
}
