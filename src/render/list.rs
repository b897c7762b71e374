//! The clusters as a table, as `kubectl get` draws them.

use unicode_width::UnicodeWidthStr;

use super::{Page, clean};
use crate::age;
use crate::report::ClusterList;

const HEAD: [&str; 5] = ["NAME", "STACK ID", "STATUS", "FOR", "WHY"];

/// Writes the table, and below it what it lacks.
pub(super) fn table(list: &ClusterList, page: &Page) -> String {
    let mut text = String::new();
    if !list.clusters.is_empty() {
        let rows = list.clusters.iter().map(|c| {
            let age = c.since.map(|at| age::between(at, list.taken_at)).unwrap_or_default();
            let known = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
            let cells = [c.name.clone(), known(&c.stack_id), known(&c.status), age, c.says.clone()];
            cells.map(|cell| clean::line(&cell).into_owned())
        });
        let rows: Vec<[String; 5]> = std::iter::once(HEAD.map(str::to_owned)).chain(rows).collect();
        let wide =
            |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.width()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..HEAD.len()).map(wide).collect();
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
    let sum = match list.stuck {
        0 => "no cluster is stuck".to_owned(),
        1 => "1 cluster is stuck".to_owned(),
        n => format!("{n} clusters are stuck"),
    };
    let head = format!("{sum}, of {}\n", list.all);
    let gaps = list.gaps.iter().map(|gap| format!("not read: {}: {}\n", gap.part, clean::line(&gap.says)));
    text + &head + &gaps.collect::<String>()
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

    #[test]
    fn columns_and_what_is_below() {
        let at = "2026-11-30T21:00:00Z".parse().expect("a time");
        let line = ClusterLine {
            name: "web\u{1b}[31m".to_owned(),
            uuid: None,
            stack_id: Some("kube-abcde".to_owned()),
            project_id: None,
            status: Some("CREATE_FAILED".to_owned()),
            since: "2026-11-30T20:00:00Z".parse().ok(),
            stuck: true,
            says: "Quota exceeded for cores".to_owned(),
        };
        let list = ClusterList {
            api_version: "",
            kind: "ClusterList",
            taken_at: at,
            exit_code: 1,
            clusters: vec![line],
            stuck: 1,
            all: 7,
            gaps: Vec::new(),
        };
        assert_eq!(
            table(&list, &Page::default()),
            "NAME   STACK ID     STATUS          FOR   WHY\n\
             web    kube-abcde   CREATE_FAILED   60m   Quota exceeded for cores\n\
             1 cluster is stuck, of 7\n"
        );
        let narrow = table(&list, &Page { width: Some(30), ..Page::default() });
        assert!(narrow.lines().all(|line| line.width() <= 30), "{narrow}");
    }
}
