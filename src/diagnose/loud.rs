//! What is loud: signals where no cause is known, and what is loud and is not the cause.

use super::health::Health;
use super::order::Found;
use crate::causes::kit;
use crate::model::stage::Stage;
use crate::model::status_reason::StatusReason;
use crate::model::{Message, Snapshot, Source};
use crate::report::{NotIt, Signal};

/// How many of each are shown.
const MOST: usize = 5;

/// The strongest current signals: what still holds, the earlier stage first; then what
/// is not as in a healthy cluster.
pub(super) fn signals(snapshot: &Snapshot<'_>, health: &Health) -> Vec<Signal> {
    let mut messages: Vec<&Message> =
        snapshot.said.messages.iter().filter(|m| m.current() && !summary(m) && !m.text.is_empty()).collect();
    messages.sort_by_key(|m| (m.weak, !m.state(), stage(&m.kind), std::cmp::Reverse(m.last), m.name.clone()));
    let said = messages.iter().map(|m| kit::evidence(snapshot, m));
    let mut signals: Vec<Signal> = Vec::new();
    for evidence in said.chain(health.ills.iter().cloned()) {
        let known = signals.iter().any(|s| s.words == evidence.words);
        if !known && signals.len() < 3 {
            signals.push(Signal { source: evidence.source, place: evidence.place, words: evidence.words });
        }
    }
    signals
}

/// Conditions that only repeat what others say.
fn summary(message: &Message) -> bool {
    matches!(&message.source, Source::Condition(..)) && message.text.trim_start().starts_with("* ")
}

fn stage(kind: &str) -> Stage {
    match kind {
        "Magnum cluster" | "node group" | "Cluster" => Stage::Topology,
        "OpenStackCluster" => Stage::Network,
        "OpenStackServer" | "OpenStackMachine" | "server" => Stage::Server,
        "KubeadmConfig" | "KubeadmControlPlane" => Stage::Bootstrap,
        "ClusterResourceSet" => Stage::Addons,
        _ => Stage::Node,
    }
}

/// What an operator would take for the cause, and why it is not.
pub(super) fn not_it(snapshot: &Snapshot<'_>, findings: &[Found]) -> Vec<NotIt> {
    let mut list: Vec<NotIt> = findings.iter().flat_map(|f| f.finding.not_it.clone()).collect();
    list.extend(magnum_says(snapshot));
    let mut over: Vec<&Message> = snapshot.said.messages.iter().filter(|m| loud(m)).collect();
    over.sort_by_key(|m| (!m.state(), std::cmp::Reverse(m.last), m.kind.clone(), m.name.clone()));
    for message in over {
        let Some(because) = message.over else { continue };
        let what = if message.reason.is_empty() {
            format!("{} {}", message.kind, message.name)
        } else {
            format!("{} on {} {}", message.reason, message.kind, message.name)
        };
        let same_reason =
            |n: &NotIt| n.because == because && n.what.split(' ').next() == what.split(' ').next();
        if !list.iter().any(same_reason) {
            list.push(NotIt { what, because: because.to_owned() });
        }
    }
    list.truncate(MOST);
    list
}

/// Loud is what looks like an error and is over: a condition with a severity, a Warning.
/// Not what every cluster shows, nor what only repeats another object.
fn loud(message: &Message) -> bool {
    const QUIET: [&str; 5] =
        ["severity Info", "every cluster", "scales up", "it repeats", "controller waits"];
    let shown = matches!(&message.source, Source::Condition(..) | Source::Event(_) | Source::Failure);
    let kind = matches!(message.kind.as_str(), "ClusterResourceSet" | "MachineSet" | "KubeadmConfig");
    let told = message.over.is_some_and(|why| !QUIET.iter().any(|quiet| why.contains(quiet)));
    shown && told && !kind && !message.reason.is_empty() && !summary(message)
}

/// While Magnum works its status_reason is a copy of CAPO's last event, mostly a success.
fn magnum_says(snapshot: &Snapshot<'_>) -> Option<NotIt> {
    let StatusReason::Copy { infra: Some(infra), .. } = &snapshot.magnum.reason else { return None };
    let success = infra.reason.to_ascii_lowercase().starts_with("successful");
    success.then(|| NotIt {
        what: format!("Magnum's status_reason \"{}: …\"", infra.reason),
        because: "it is a copy of CAPO's last event, a success and no fault".to_owned(),
    })
}
