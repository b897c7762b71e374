//! The page for a ticket: the same answer, with nothing cut and nothing that only a terminal shows.

use super::escape::{code, fenced, prose};
use super::text::Detail;
use super::{Page, causes, head, left, log, sentence, sheet::Sheet, tail, tree, verdict};
use crate::report::{CauseReport, LogLine, Step, Verdict, WhyReport};

/// Writes the ticket.
pub(super) fn page(report: &WhyReport) -> String {
    let mut page = Ticket::default();
    heading(&mut page, report);
    if report.verdict != Verdict::CauseNamed || report.causes.is_empty() {
        page.heading(3, &prose(&verdict::answer(report)));
    }
    for (at, one) in report.causes.iter().enumerate() {
        cause(&mut page, report, at, one);
    }
    signals(&mut page, report);
    let after = if report.verdict == Verdict::CauseNamed { "Then" } else { "Where to look next" };
    if !report.verify.is_empty() {
        page.paragraph(&format!("**{after}**"));
        steps(&mut page, &report.verify);
    }
    let not_it = report.not_it.iter().map(|not| format!("{}: {}", prose(&not.what), prose(&not.because)));
    page.list("Not the cause", not_it);
    blocks(&mut page, report);
    page.list(
        "Left behind by the delete, or in its way",
        left::lines(&report.leftovers).iter().map(|words| prose(words)),
    );
    page.list("Notes", report.notes.iter().map(|note| prose(note)));
    page.list("Magnum accepts", tail::accepts(&report.accepts).iter().map(|words| prose(words)));
    page.list("Not read", report.gaps.iter().map(|gap| prose(&tail::gap_words(gap))));
    page.list("Not checked", tail::not_checked(&report.not_checked, false).iter().map(|words| prose(words)));
    page.text
}

/// Markdown being written: blocks with an empty line between them.
#[derive(Default)]
pub(super) struct Ticket {
    pub(super) text: String,
}

impl Ticket {
    pub(super) fn block(&mut self, markdown: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(markdown.trim_end());
        self.text.push('\n');
    }

    pub(super) fn heading(&mut self, level: usize, markdown: &str) {
        self.block(&format!("{} {markdown}", "#".repeat(level)));
    }

    pub(super) fn paragraph(&mut self, markdown: &str) {
        self.block(markdown);
    }

    pub(super) fn list(&mut self, title: &str, items: impl IntoIterator<Item = String>) {
        let items: Vec<String> = items.into_iter().map(|item| format!("- {item}")).collect();
        if !items.is_empty() {
            self.paragraph(&format!("**{title}**"));
            self.block(&items.join("\n"));
        }
    }
}

fn heading(page: &mut Ticket, report: &WhyReport) {
    page.heading(2, &format!("Cluster {}", prose(&report.cluster.name)));
    let read = format!("read {}", report.taken_at.strftime("%Y-%m-%d %H:%M:%S UTC"));
    let facts = head::who(&report.into()).into_iter().chain(head::whence(&report.into(), "≥ ")).chain([read]);
    page.paragraph(&facts.map(|fact| prose(&fact)).collect::<Vec<_>>().join(" · "));
}

fn cause(page: &mut Ticket, report: &WhyReport, at: usize, cause: &CauseReport) {
    page.heading(3, &format!("{} ({})", prose(&causes::title(report, at, cause)), code(cause.id)));
    let told = causes::told(report, at, cause);
    let says = cause.says.iter().filter(|says| Some(says.trim()) != told).chain([&cause.recovers_says]);
    says.filter(|says| !says.trim().is_empty())
        .for_each(|says| page.paragraph(&prose(&sentence::begin(says))));
    let evidence =
        cause.evidence.iter().map(|evidence| proof(&evidence.source, &evidence.words, &evidence.place));
    page.list("Seen in", evidence);
    page.list("Hence", cause.consequences.iter().map(|id| code(id)));
    page.paragraph(&format!("**Fix** ({})", causes::risk(cause.fix.risk)));
    steps(page, &cause.fix.steps);
}

fn signals(page: &mut Ticket, report: &WhyReport) {
    let signals = report.signals.iter().map(|signal| proof(&signal.source, &signal.words, &signal.place));
    page.list("Strongest signals", signals);
}

/// Who said what, and the command that shows it again.
fn proof(source: &str, words: &str, place: &str) -> String {
    let mut item = prose(source);
    if !words.trim().is_empty() {
        item.push_str(&format!(": {}", code(words)));
    }
    if !place.trim().is_empty() {
        item.push_str(&format!("  \n  {}", code(place)));
    }
    item
}

fn steps(page: &mut Ticket, steps: &[Step]) {
    if steps.iter().all(|step| step.say.trim().is_empty()) {
        let lines: Vec<&str> = steps.iter().flat_map(|step| &step.run).map(String::as_str).collect();
        return page.block(&fenced("sh", &lines.join("\n"), 0));
    }
    let mut list = String::new();
    for (at, step) in steps.iter().enumerate() {
        let number = format!("{}. ", at + 1);
        let say = prose(&step.say);
        list.push_str(&number);
        list.push_str(if say.is_empty() { "run" } else { &say });
        list.push('\n');
        if !step.run.is_empty() {
            list.push_str(&fenced("sh", &step.run.join("\n"), number.len()));
        }
    }
    page.block(&list);
}

/// Tree and log as the text page shows them to a pipe: whole.
fn blocks(page: &mut Ticket, report: &WhyReport) {
    let plain = Page::default();
    let mut sheet = Sheet::new(&plain);
    tree::write(&mut sheet, &report.tree, report.taken_at, Detail::Wide);
    let tree = sheet.finish();
    if !tree.is_empty() {
        page.paragraph("**Tree**");
        page.block(&fenced("", &tree, 0));
    }
    let dated = log::dated(&report.log, report.taken_at);
    for (pod, container, lines) in log::groups(&report.log) {
        page.paragraph(&format!("**Log** of {} {}, this cluster only, UTC", prose(pod), prose(container)));
        let lines: Vec<String> = lines.iter().map(|line| record(line, dated)).collect();
        page.block(&fenced("", &lines.join("\n"), 0));
    }
}

fn record(line: &LogLine, dated: bool) -> String {
    let (at, level) = log::columns(line, dated);
    format!("{at}  {level}  {}", log::words(line, "×"))
}
