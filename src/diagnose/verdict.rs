//! The verdict, its exit code and its sentence.

use super::health::Health;
use super::order::Found;
use crate::causes::kit;
use crate::exit::code;
use crate::model::Snapshot;
use crate::model::action::Action;
use crate::model::stage::Waiting;
use crate::report::{Step, Verdict};

impl Verdict {
    /// The process exit code of the verdict.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Verdict::Healthy | Verdict::Working => code::FINE,
            Verdict::CauseNamed | Verdict::CauseUnknown => code::WRONG,
            Verdict::NotEnoughSeen => code::NOT_ENOUGH_SEEN,
        }
    }
}

/// A verdict with its sentence.
pub(super) struct Judged {
    /// The word.
    pub(super) verdict: Verdict,
    /// The sentence.
    pub(super) summary: String,
}

/// The first verdict that fits.
pub(super) fn of(
    snapshot: &Snapshot<'_>,
    findings: &[Found],
    waiting: Option<&Waiting>,
    health: &Health,
) -> Judged {
    let judged = |verdict, summary| Judged { verdict, summary };
    if let Some(first) = findings.first() {
        let headline = first.finding.says.first().cloned().unwrap_or_default();
        return judged(Verdict::CauseNamed, headline);
    }
    let over = waiting.filter(|w| w.over(snapshot.taken_at));
    if snapshot.status().ends_with("_FAILED") {
        let words = format!("Magnum says {} and none of the known causes fits", snapshot.status());
        return judged(Verdict::CauseUnknown, words);
    }
    if let Some(over) = over {
        return judged(
            Verdict::CauseUnknown,
            format!("the cause is not known; {}", wait_words(snapshot, over)),
        );
    }
    if let Some(stopped) = terminal(snapshot) {
        return judged(Verdict::CauseUnknown, format!("the cause is not known; {stopped}"));
    }
    if !health.unseen.is_empty() {
        return judged(
            Verdict::NotEnoughSeen,
            format!("not enough was seen to say: {}", unseen_words(health)),
        );
    }
    if let Some(waiting) = waiting {
        return judged(Verdict::Working, wait_words(snapshot, waiting));
    }
    if health.ills.is_empty() {
        return judged(Verdict::Healthy, health.summary.clone());
    }
    judged(
        Verdict::CauseUnknown,
        format!(
            "the cause is not known; {}",
            kit::plural(health.ills.len(), "thing is", "things are") + " not as in a healthy cluster"
        ),
    )
}

/// A machine that nobody works on any more: its stage has no limit, and no end.
fn terminal(snapshot: &Snapshot<'_>) -> Option<String> {
    let mut alive = snapshot.nodes.iter().filter(|n| n.machine.is_some() && n.deleting().is_none());
    let node = alive.find(|n| !n.joined() && n.given_up()).filter(|_| snapshot.action != Action::Delete)?;
    Some(format!("CAPO has given up the server of {}", kit::machine::named(node)))
}

fn unseen_words(health: &Health) -> String {
    let shown: Vec<String> = health.unseen.iter().take(3).cloned().collect();
    let more = health.unseen.len().saturating_sub(3);
    let more = if more > 0 { format!(" and {more} more parts") } else { String::new() };
    format!("{}{more} could not be read", shown.join(", "))
}

fn wait_words(snapshot: &Snapshot<'_>, waiting: &Waiting) -> String {
    let minutes = |m: f64| if m < 1.0 { format!("{:.0}s", m * 60.0) } else { format!("{m:.0}m") };
    let limit = waiting.limit.map(|l| format!(", worry after {}", minutes(l))).unwrap_or_default();
    let past = kit::age(snapshot.age(waiting.since));
    format!("waiting for {} ({past}; usually under {}{limit})", waiting.what, minutes(waiting.usual))
}

/// What to run next.
pub(super) fn next_steps(snapshot: &Snapshot<'_>, verdict: Verdict) -> Vec<Step> {
    let name = &snapshot.asked_for;
    let again = Step { say: "look again".to_owned(), run: vec![format!("kubectl magnum why {name}")] };
    match verdict {
        Verdict::Healthy => Vec::new(),
        Verdict::CauseUnknown => {
            let mut steps = where_to_look(snapshot);
            steps.push(again);
            steps
        }
        _ => vec![again],
    }
}

fn where_to_look(snapshot: &Snapshot<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    let namespace = &snapshot.marks.namespace;
    if let Some(stack_id) = &snapshot.marks.stack_id {
        let line = format!("kubectl -n {namespace} describe cluster {stack_id}");
        steps.push(Step { say: "conditions and events of the Cluster".to_owned(), run: vec![line] });
    }
    for controller in &snapshot.controllers {
        if controller.provider == "infrastructure-openstack" {
            let word = snapshot.marks.stack_id.as_deref().unwrap_or_default();
            let line = kit::logs(&format!("{}/deployment/{}", controller.namespace, controller.name), word);
            steps.push(Step { say: "what CAPO logs about it".to_owned(), run: vec![line] });
        }
    }
    let stuck = snapshot.nodes.iter().find(|n| !n.joined() && n.server_id().is_some());
    if let Some(id) = stuck.filter(|_| snapshot.action != Action::Delete).and_then(|n| n.server_id()) {
        let lines = vec![
            format!("openstack server show {id}"),
            format!("openstack console log show --lines 100 {id}"),
        ];
        steps.push(Step { say: "the server that is not a node yet".to_owned(), run: lines });
    }
    steps
}
