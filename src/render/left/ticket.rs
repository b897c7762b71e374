//! The page for a ticket.

use super::super::escape::{code, fenced, prose};
use super::super::head::{self, Head};
use super::super::markdown::Ticket;
use super::super::{sentence, tail};
use super::words;
use crate::report::{Leftover, LeftoversReport};

/// Writes the ticket.
pub(in super::super) fn ticket(report: &LeftoversReport) -> String {
    let mut page = Ticket::default();
    let cluster = words::cluster(report);
    let head = Head {
        cluster: &cluster,
        source: &report.source,
        taken_at: report.taken_at,
        whole: report.needs.is_empty(),
        says: words::status(report),
    };
    page.heading(2, &format!("Left behind: {}", prose(&cluster.name)));
    let read = format!("read {}", report.taken_at.strftime("%Y-%m-%d %H:%M:%S UTC"));
    let facts = head::who(&head).into_iter().chain(head::whence(&head, "≥ ")).chain([read]);
    page.paragraph(&facts.map(|fact| prose(&fact)).collect::<Vec<_>>().join(" · "));
    page.heading(3, &prose(&sentence::begin(&words::answer(report))));
    page.list("Of the project's quota", report.quota.iter().map(|line| prose(&words::quota(line))));
    for left in &report.leftovers {
        item(&mut page, left);
    }
    let kinds =
        report.in_use.iter().map(|kind| prose(&format!("{} {} ({})", kind.count, kind.kind, kind.by)));
    page.list("In use, or still removed by", kinds);
    for step in &report.verify {
        page.paragraph(&prose(&step.say));
        page.block(&fenced("sh", &step.run.join("\n"), 0));
    }
    page.list("Notes", report.notes.iter().map(|note| prose(note)));
    page.list("Missing", report.needs.iter().map(|part| code(part)));
    page.list("Not read", report.gaps.iter().map(|gap| prose(&tail::gap_words(gap))));
    page.text
}

fn item(page: &mut Ticket, left: &Leftover) {
    let data = if left.data { ", data" } else { "" };
    page.paragraph(&format!("**{}.** {}{data}", left.order, prose(&words::named(&left.thing))));
    let mut lines = vec![format!("cluster {}, tied by {}", code(&left.cluster), prose(&left.tied_by))];
    lines.extend(left.why.iter().map(|why| prose(why)));
    lines.extend(left.held_by.iter().map(|holder| format!("held by {}", prose(&words::holder(holder)))));
    let lines: Vec<String> = lines.iter().map(|line| format!("- {line}")).collect();
    page.block(&lines.join("\n"));
    let commands = [Some(left.look.as_str()), left.remove.as_deref()];
    page.block(&fenced("sh", &commands.into_iter().flatten().collect::<Vec<_>>().join("\n"), 0));
}
