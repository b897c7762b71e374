//! Named causes: what, what it means here, whether it ends by itself, why we say so, what to do.
//!
//! ```text
//! ✗ Nova refused the machine: no cores left              [quota-used-up]
//!   Two cores were asked for and one is the limit.
//!
//!   seen in  OpenStackServer kube-x-1, InstanceReady False
//!              Quota exceeded for cores
//!   fix      changes a setting, deletes nothing
//!            1  raise the quota
//!                 openstack quota set --cores 4 …
//!            then   kubectl magnum wait x
//! ```

use owo_colors::Style;

use super::sheet::Sheet;
use super::text::Detail;
use super::wrap::{self, width};
use super::{clean, sentence};
use crate::report::{CauseReport, Certainty, Evidence, FixReport, NotIt, Risk, Step, Verdict, WhyReport};

/// Column at which the words of a field start, after its label.
pub(super) const FIELD: usize = 11;
/// Leads of the commands after a fix, at [`FIELD`].
const THEN: &str = "           then";
const MORE: &str = "           more";

/// Writes all causes. The first is told whole; of the others the proof is shortened at a terminal, but
/// never what to do. What only follows from another cause is one sentence below that, unless everything
/// is wanted.
pub(super) fn write(sheet: &mut Sheet<'_>, report: &WhyReport, detail: Detail) {
    for (at, cause) in report.causes.iter().enumerate() {
        if detail != Detail::Wide && follows(report, cause) {
            continue;
        }
        sheet.gap();
        headline(sheet, &title(report, at, cause), cause.id);
        meaning(sheet, cause, told(report, at, cause));
        sheet.gap();
        let whole = at == 0 || detail == Detail::Wide || sheet.width().is_none();
        evidence(sheet, &cause.evidence, whole, detail);
        hence(sheet, report, cause, detail);
        fix(sheet, &cause.fix);
        let first = at == 0 && report.verdict == Verdict::CauseNamed;
        if first {
            steps(sheet, &report.verify, THEN, FIELD + 7);
        }
        sheet.command(MORE, FIELD + 7, &format!("kubectl magnum explain {}", cause.id));
        if first {
            not_it(sheet, &report.not_it);
        }
    }
}

/// True if another cause of the report explains this one.
pub(super) fn follows(report: &WhyReport, cause: &CauseReport) -> bool {
    report.causes.iter().any(|other| other.id != cause.id && other.consequences.contains(&cause.id))
}

/// What follows from a cause, and from that in turn: one sentence each.
fn hence(sheet: &mut Sheet<'_>, report: &WhyReport, cause: &CauseReport, detail: Detail) {
    if detail == Detail::Wide {
        if !cause.consequences.is_empty() {
            field(sheet, "hence", &cause.consequences.join(", "));
        }
        return;
    }
    let mut ids: Vec<&str> = cause.consequences.clone();
    let mut at = 0;
    while let Some(id) = ids.get(at).copied() {
        let further =
            report.causes.iter().filter(|c| c.id == id).flat_map(|c| c.consequences.iter().copied());
        let further: Vec<&str> = further.filter(|id| !ids.contains(id) && *id != cause.id).collect();
        ids.extend(further);
        at += 1;
    }
    let mut label = "hence";
    for found in report.causes.iter().filter(|c| ids.contains(&c.id)) {
        let says = found.says.first().map_or(found.title, String::as_str);
        field(sheet, label, &format!("{}  [{}]", clean::line(says.trim()), found.id));
        label = "";
    }
}

/// The sentence above a cause: the report's own answer for the first, what it says first for the others,
/// else the title.
pub(super) fn title(report: &WhyReport, at: usize, cause: &CauseReport) -> String {
    let words = told(report, at, cause).unwrap_or(cause.title);
    match cause.certainty {
        Certainty::Likely if !words.to_lowercase().starts_with("likely") => format!("Likely: {words}"),
        _ => sentence::begin(words),
    }
}

/// The words of this cause that stand above it, so that they are not said again.
pub(super) fn told<'a>(report: &'a WhyReport, at: usize, cause: &'a CauseReport) -> Option<&'a str> {
    let words = match (at, report.verdict) {
        (0, Verdict::CauseNamed) => report.summary.as_str(),
        (0, _) => "",
        _ => cause.says.first().map_or("", String::as_str),
    };
    Some(words.trim()).filter(|words| !words.is_empty())
}

/// What the steps of a fix touch, in words.
pub(super) fn risk(risk: Risk) -> &'static str {
    match risk {
        Risk::Reads => "only looks, changes nothing",
        Risk::Changes => "changes a setting, deletes nothing",
        Risk::Deletes => "deletes something: look at the ids before you run it",
        Risk::EditsDatabase => "edits a database by hand: take a copy first",
    }
}

/// Loud things that are not the cause.
pub(super) fn not_it(sheet: &mut Sheet<'_>, list: &[NotIt]) {
    if !list.is_empty() {
        sheet.gap();
    }
    for (at, not) in list.iter().enumerate() {
        let words = match not.because.as_str() {
            "" => not.what.clone(),
            because => format!("{}: {because}", not.what),
        };
        field(sheet, if at == 0 { "not it" } else { "" }, &clean::line(&words));
    }
}

/// Who said what: on one line if it fits, else the words below their source.
pub(super) fn said(sheet: &mut Sheet<'_>, label: &str, number: &str, (source, words): (&str, &str)) {
    let hang = FIELD + number.len();
    let (source, words) = (clean::line(source), clean::block(words));
    let words = words.trim();
    let label = format!("{:FIELD$}", field_label(label));
    let lead = [(sheet.styles().dim, label.as_str()), (Style::new(), number)];
    let both = format!("{source}: {words}");
    let fits = !words.contains('\n') && sheet.room(hang).is_none_or(|room| width(&both) <= room);
    if words.is_empty() {
        sheet.prose(&lead, hang, (Style::new(), &source));
    } else if fits {
        sheet.prose(&lead, hang, (Style::new(), &both));
    } else {
        sheet.prose(&lead, hang, (Style::new(), &source));
        sheet.prose(&[], hang + 2, (Style::new(), words));
    }
}

/// The command that shows a piece of evidence again, on a line of its own so that it can be pasted.
pub(super) fn place(sheet: &mut Sheet<'_>, hang: usize, place: &str) {
    if !place.trim().is_empty() {
        sheet.command("", hang, place.trim());
    }
}

/// Steps with a lead before the first: what to run afterwards, or where to look next. A step without
/// words is its command.
pub(super) fn steps(sheet: &mut Sheet<'_>, list: &[Step], lead: &str, hang: usize) {
    let mut lead = lead;
    for step in list {
        let mut indent = hang;
        if !step.say.trim().is_empty() {
            sheet.prose(&[(sheet.styles().dim, lead)], hang, (Style::new(), step.say.trim()));
            lead = "";
            indent = hang + 2;
        }
        for command in &step.run {
            sheet.command(lead, indent, command);
            lead = "";
        }
    }
}

/// The sentence with the id at the right margin, for whoever wants to look it up.
fn headline(sheet: &mut Sheet<'_>, words: &str, id: &str) {
    let styles = sheet.styles();
    let sign = (styles.bad, sheet.signs().bad);
    let tag = format!("[{id}]");
    let room = sheet.room(2);
    let mut lines = wrap::fold(&clean::line(words), room);
    let last = lines.pop().unwrap_or_default();
    let pad = match room {
        None => 2,
        Some(room) => room.saturating_sub(width(&last) + width(&tag)),
    };
    if pad >= 2 {
        let before =
            if lines.is_empty() { vec![sign, (Style::new(), " ")] } else { vec![(Style::new(), "  ")] };
        if !lines.is_empty() {
            sheet.hanging(&[sign], 2, styles.title, &lines);
        }
        let pad = " ".repeat(pad);
        let end = [(styles.title, last.as_str()), (Style::new(), pad.as_str()), (styles.dim, tag.as_str())];
        sheet.line(&[before.as_slice(), end.as_slice()].concat());
    } else {
        lines.push(last);
        sheet.hanging(&[sign], 2, styles.title, &lines);
        let pad = " ".repeat(2 + room.unwrap_or_default().saturating_sub(width(&tag)));
        sheet.line(&[(Style::new(), &pad), (styles.dim, &tag)]);
    }
}

fn meaning(sheet: &mut Sheet<'_>, cause: &CauseReport, told: Option<&str>) {
    let says = cause.says.iter().map(String::as_str).filter(|says| Some(says.trim()) != told);
    for says in says.chain([cause.recovers_says.as_str()]).filter(|says| !says.trim().is_empty()) {
        sheet.prose(&[], 2, (Style::new(), &sentence::begin(says)));
    }
}

fn evidence(sheet: &mut Sheet<'_>, list: &[Evidence], whole: bool, detail: Detail) {
    let shown = if whole { list.len() } else { 1 };
    for (at, evidence) in list.iter().take(shown).enumerate() {
        // A refusal is told again as an event and in the log: its words are drawn once.
        let again = at > 0 && list.get(at - 1).is_some_and(|before| before.words == evidence.words);
        let words = if again { "the same" } else { evidence.words.as_str() };
        said(sheet, if at == 0 { "seen in" } else { "" }, "", (&evidence.source, words));
        if detail == Detail::Wide {
            place(sheet, FIELD + 2, &evidence.place);
        }
    }
    let rest = list.len().saturating_sub(shown);
    if rest > 0 {
        field(sheet, "", &format!("and {rest} more (-o wide)"));
    }
}

fn fix(sheet: &mut Sheet<'_>, fix: &FixReport) {
    let style = sheet.styles().risk(fix.risk);
    let label = field_label("fix");
    sheet.prose(&[(sheet.styles().dim, &label)], FIELD, (style, risk(fix.risk)));
    for (at, step) in fix.steps.iter().enumerate() {
        let number = format!("{:FIELD$}{:<3}", "", at + 1);
        steps(sheet, std::slice::from_ref(step), &number, FIELD + 3);
    }
}

/// A label and its words.
fn field(sheet: &mut Sheet<'_>, label: &str, words: &str) {
    sheet.prose(&[(sheet.styles().dim, &field_label(label))], FIELD, (Style::new(), words));
}

fn field_label(label: &str) -> String {
    format!("  {label}")
}
