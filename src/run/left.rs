//! The answer of `leftovers`, from the servers or from a bundle.

use super::{ambiguous, live, nothing};
use crate::bundle::{Bundle, disk};
use crate::cli::Leftovers;
use crate::diagnose;
use crate::exit::{Failure, code};
use crate::leftovers::other_half;
use crate::model::plan::is_uuid;
use crate::model::resolve::{self, Found, TakenFor};
use crate::model::{Snapshot, World};
use crate::report::{LeftVerdict, LeftoversReport, Life};

/// Reads, and finds.
pub(super) fn report(args: &Leftovers) -> Result<LeftoversReport, Failure> {
    let project = args.live.project.as_deref();
    let cluster = args.cluster.as_deref();
    let mut bundle = match (&args.from, cluster, project) {
        (Some(path), _, _) => disk::read(path)?,
        (None, None, None) => return Err(neither()),
        (None, _, _) => live::left(&args.live, cluster, args.also.as_deref())?,
    };
    if let (None, Some(project)) = (cluster, project) {
        let read = bundle.meta.target.project_id.get_or_insert_with(|| project.to_owned());
        if read != project {
            return Err(other_project(project, read));
        }
        return Ok(diagnose::left_in(&World::new(&bundle)));
    }
    let word = cluster.filter(|_| args.from.is_some());
    let named = args.from.is_some() || project.is_some();
    leftovers(&bundle, &Asked { word, also: args.also.as_deref(), named })
}

/// What was asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asked<'a> {
    /// Magnum name, Magnum UUID or stack id; none for the cluster that the bundle was made for.
    pub word: Option<&'a str>,
    /// The cluster's other key.
    pub also: Option<&'a str>,
    /// True if it was said where the cluster was: then nothing is an answer, too.
    pub named: bool,
}

/// The lists of a bundle are of one project; of another nobody can say that nothing is left.
fn other_project(project: &str, read: &str) -> Failure {
    Failure::new(code::USAGE, format!("look into project {project}: the bundle is of project {read}"))
}

fn neither() -> Failure {
    Failure::new(code::USAGE, "look for leftovers: neither a cluster nor a project was named")
        .hint("give CLUSTER (with --project if Magnum has forgotten it), or --project alone for everything that nobody knows any more")
}

fn no_mark(name: &str) -> Failure {
    Failure::new(
        code::NO_SUCH_CLUSTER,
        format!("find cluster {name:?}: neither Magnum nor Kubernetes has one, and nothing in the login's project carries its mark"),
    )
    .hint("a cluster that Magnum has forgotten is found by its stack id or its UUID, and the project that it was in: --project ID")
}

/// What one cluster of a bundle left behind. A word that no document knows is taken for a stack id,
/// or for a Magnum UUID, of a cluster that is gone.
///
/// # Errors
/// [`Failure`] if no cluster, or more than one, is meant.
pub fn leftovers(bundle: &Bundle, asked: &Asked<'_>) -> Result<LeftoversReport, Failure> {
    let world = World::new(bundle);
    let found = resolve::find(&world, asked.word);
    let word = asked.word.unwrap_or(&bundle.meta.asked_for);
    let mut cluster = match found.as_slice() {
        [one] => one.clone(),
        [] if word.is_empty() => return Err(nothing(word, &resolve::all(&world), &bundle.meta.notes)),
        [] => of_word(word),
        several => return Err(ambiguous(word, several)),
    };
    if let Some(other) = asked.also.map(of_word) {
        cluster.uuid = cluster.uuid.or(other.uuid);
        cluster.stack_id = cluster.stack_id.or(other.stack_id);
    }
    if let Some(both) = other_half(&world, cluster.uuid.as_deref(), cluster.stack_id.as_deref()) {
        (cluster.uuid, cluster.stack_id) = (both.uuid, both.stack_id);
    }
    let own = [&cluster.name, &cluster.stack_id, &cluster.uuid].into_iter().flatten().next();
    let word = if word.is_empty() { own.map_or("", String::as_str) } else { word };
    let snapshot = Snapshot::new(&world, word, cluster.uuid.as_deref(), cluster.stack_id.as_deref());
    let report = diagnose::left(&snapshot);
    // Taken for a key that nothing has: a slip of the pen, rather than a clean project.
    if found.is_empty() && report.leftovers.is_empty() && report.life != Life::Live {
        return Err(nothing(word, &resolve::all(&world), &bundle.meta.notes));
    }
    let trace = !snapshot.said.events.is_empty();
    if !asked.named && report.verdict == LeftVerdict::Clean && !trace {
        return Err(no_mark(word));
    }
    Ok(report)
}

fn of_word(word: &str) -> Found {
    let uuid = is_uuid(word).then(|| word.to_owned());
    let stack_id = uuid.is_none().then(|| word.to_owned());
    Found { uuid, stack_id, name: None, project_id: None, taken_for: TakenFor::StackId }
}
