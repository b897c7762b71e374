//! From one cluster's snapshot to the report: which causes, in which order, which verdict.

#![deny(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used
)]

mod compared;
mod excerpt;
mod fill;
mod head;
mod health;
mod left;
mod list;
mod loud;
mod order;
mod verdict;

use crate::bundle::Gap;
use crate::leftovers;
use crate::model::action::Action;
use crate::model::stage::{self, Waiting};
use crate::model::{Snapshot, World};
use crate::report::{API_VERSION, ActionWord, GapReport, Leftover, Progress, WhyReport};
use crate::tree::{self, Shape};

pub use left::{leftovers as left, project as left_in};
pub use list::list;

/// The answer to "why" for one cluster.
#[must_use]
pub fn why(snapshot: &Snapshot<'_>, shape: &Shape) -> WhyReport {
    let looked = order::look(snapshot);
    let waiting = stage::waiting(snapshot).filter(|_| stage::told(snapshot));
    let health = health::examine(snapshot);
    let judged = verdict::of(snapshot, &looked.findings, waiting.as_ref(), &health);
    let causes = fill::causes(snapshot, &looked.findings);
    let mut tree = tree::grow(snapshot, shape);
    if let Some(first) = causes.first() {
        let things: Vec<(String, String)> = first
            .about
            .iter()
            .flat_map(|t| [Some((t.kind.clone(), t.id.clone())), t.name.clone().map(|n| (t.kind.clone(), n))])
            .flatten()
            .collect();
        tree::mark(&mut tree, &things);
    }
    let not_it = loud::not_it(snapshot, &looked.findings);
    let sick = matches!(judged.verdict.exit_code(), 1);
    WhyReport {
        api_version: API_VERSION,
        kind: "WhyReport",
        taken_at: snapshot.taken_at,
        exit_code: judged.verdict.exit_code(),
        verdict: judged.verdict,
        summary: judged.summary,
        action: action_word(snapshot.action),
        progress: waiting.as_ref().map(progress),
        cluster: head::cluster(snapshot),
        source: head::source_asked(snapshot),
        signals: if causes.is_empty() && sick { loud::signals(snapshot, &health) } else { Vec::new() },
        not_it: if sick { not_it } else { Vec::new() },
        causes,
        not_checked: looked.not_checked,
        gaps: gaps(snapshot.world).into_iter().filter(|gap| head::is_asked(&gap.part)).collect(),
        notes: head::notes(snapshot, &health),
        accepts: head::accepts(snapshot),
        verify: verdict::next_steps(snapshot, judged.verdict),
        leftovers: blocking(snapshot),
        tree,
        log: excerpt::log(snapshot),
    }
}

/// What holds up a delete, and what it will leave behind.
fn blocking(snapshot: &Snapshot<'_>) -> Vec<Leftover> {
    match snapshot.action {
        Action::Delete => leftovers::find(snapshot).leftovers,
        _ => Vec::new(),
    }
}

fn action_word(action: Action) -> ActionWord {
    match action {
        Action::Create => ActionWord::Create,
        Action::Update => ActionWord::Update,
        Action::Delete => ActionWord::Delete,
        Action::Run => ActionWord::Run,
    }
}

fn progress(waiting: &Waiting) -> Progress {
    Progress { stage: waiting.what.clone(), since: waiting.since, usual: waiting.usual, limit: waiting.limit }
}

fn gaps(world: &World<'_>) -> Vec<GapReport> {
    let mut gaps: Vec<&Gap> = world.meta.gaps.iter().collect();
    gaps.sort_by(|a, b| a.part.cmp(&b.part));
    gaps.into_iter().map(gap).collect()
}

fn gap(gap: &Gap) -> GapReport {
    GapReport { part: gap.part.clone(), why: gap.why.word(), says: gap.says.clone() }
}
