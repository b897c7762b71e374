//! The report of `leftovers`, for one cluster or for a whole project.

use super::{gaps, head};
use crate::leftovers::{self, Found, Stray};
use crate::model::{Snapshot, World};
use crate::report::{
    API_VERSION, ClusterHead, LeftVerdict, Leftover, LeftoversReport, Life, Project, SourceHead, Step, Thing,
};

/// What one cluster left behind.
#[must_use]
pub fn leftovers(snapshot: &Snapshot<'_>) -> LeftoversReport {
    let found = leftovers::find(snapshot);
    let name = snapshot.marks.stack_id.as_deref().or(snapshot.marks.uuid.as_deref());
    let project = snapshot.project_id().filter(|_| found.life != Life::Live);
    let command = command(name.unwrap_or(&snapshot.asked_for), project);
    let mut verify = next(&found, &command);
    if found.life == Life::Deleting {
        let run = vec![format!("kubectl magnum why {}", snapshot.asked_for)];
        verify.push(Step { say: "see why the delete does not get on".to_owned(), run });
    }
    let summary = summary(&found);
    let mut notes = clocks(snapshot.world);
    notes.extend(missing_project(snapshot.world));
    assemble(
        snapshot.world,
        found,
        Head { cluster: head::cluster(snapshot), source: head::source(snapshot), summary, verify, notes },
    )
}

/// What all clusters left behind in a project that neither Magnum nor the management cluster knows
/// any more, by cluster.
#[must_use]
pub fn project(world: &World<'_>) -> LeftoversReport {
    let mut all = Found {
        verdict: LeftVerdict::Clean,
        life: Life::Gone,
        leftovers: Vec::new(),
        in_use: Vec::new(),
        needs: leftovers::needs(world, Life::Unknown),
        notes: Vec::new(),
    };
    let strays = leftovers::strays(world);
    for stray in &strays {
        join(&mut all, of_stray(world, stray));
    }
    let lists = ["openstack/container-infra/clusters", "kubernetes/cluster", leftovers::ALL];
    let known = !all.needs.iter().any(|part| lists.contains(&part.as_str()));
    if !known {
        all.life = Life::Unknown;
        all.verdict = LeftVerdict::NotEnoughSeen;
    } else if all.verdict == LeftVerdict::Clean && !all.needs.is_empty() {
        all.verdict = LeftVerdict::NotEnoughSeen;
    }
    let id = world.meta.target.project_id.clone();
    let rows = world.rows("openstack/identity/projects", "projects");
    let name = rows.some().iter().find(|p| p.str("id") == id.as_deref()).and_then(|p| p.str("name"));
    let cluster = ClusterHead {
        project: Project { id: id.clone(), name: name.map(str::to_owned) },
        ..ClusterHead::default()
    };
    let verify = next(&all, &command("", id.as_deref()));
    let clusters = strays.len();
    let summary = match (all.verdict, clusters) {
        (LeftVerdict::Clean, _) => "nothing carries the mark of a cluster that is gone".to_owned(),
        (_, 1) => format!("{} of 1 cluster that nobody knows any more", summary(&all)),
        (_, n) => format!("{} of {n} clusters that nobody knows any more", summary(&all)),
    };
    let mut notes = clocks(world);
    notes.extend(missing_project(world));
    let source = head::source_of(world);
    assemble(world, all, Head { cluster, source, summary, verify, notes })
}

fn of_stray(world: &World<'_>, stray: &Stray) -> Found {
    let id = stray.stack_id.as_deref().or(stray.uuid.as_deref()).unwrap_or_default();
    let snapshot = Snapshot::new(world, id, stray.uuid.as_deref(), stray.stack_id.as_deref());
    leftovers::find_stray(&snapshot)
}

/// Puts the next cluster's things behind the others'.
fn join(all: &mut Found, found: Found) {
    let offset = all.leftovers.len();
    let moved = |mut left: Leftover| {
        left.order += offset;
        left.held_by.iter_mut().for_each(|holder| holder.order = holder.order.map(|order| order + offset));
        left
    };
    all.leftovers.extend(found.leftovers.into_iter().map(moved));
    let more: Vec<String> = found.notes.into_iter().filter(|note| !all.notes.contains(note)).collect();
    all.notes.extend(more);
    all.verdict = match (all.verdict, found.verdict) {
        (LeftVerdict::Blocked, _) | (_, LeftVerdict::Blocked) => LeftVerdict::Blocked,
        (LeftVerdict::Leftovers, _) | (_, LeftVerdict::Leftovers) => LeftVerdict::Leftovers,
        (verdict, _) => verdict,
    };
}

/// What stands around the findings.
struct Head {
    cluster: ClusterHead,
    source: SourceHead,
    summary: String,
    verify: Vec<Step>,
    notes: Vec<String>,
}

fn assemble(world: &World<'_>, found: Found, head: Head) -> LeftoversReport {
    let Head { cluster, source, summary, verify, mut notes } = head;
    notes.extend(found.notes);
    LeftoversReport {
        api_version: API_VERSION,
        kind: "LeftoversReport",
        taken_at: world.taken_at,
        exit_code: found.verdict.exit_code(),
        verdict: found.verdict,
        summary,
        life: found.life,
        cluster,
        source,
        quota: leftovers::quota(world, &found.leftovers),
        leftovers: found.leftovers,
        in_use: found.in_use,
        gaps: gaps(world),
        needs: found.needs,
        notes,
        verify,
    }
}

fn clocks(world: &World<'_>) -> Vec<String> {
    let meta = world.meta;
    let clocks = meta.clocks.iter().filter(|(_, offset)| offset.abs() > 30);
    let clocks = clocks.map(|(server, offset)| format!("the clock of {server} is off by {offset}s"));
    meta.notes.iter().cloned().chain(clocks).collect()
}

/// A project that is gone keeps its things, and only an admin sees them.
fn missing_project(world: &World<'_>) -> Option<String> {
    let id = world.meta.target.project_id.as_deref()?;
    let gone = world.meta.missing.iter().any(|m| m.part == "openstack/identity/projects" && m.id == id);
    gone.then(|| format!("Keystone has no project {id} any more; what it owned is still there, and only an admin can remove it"))
}

/// The command that says this again.
fn command(name: &str, project: Option<&str>) -> String {
    let project = project.map(|id| format!(" --project {id}")).unwrap_or_default();
    format!("kubectl magnum leftovers {name}{project}").replace("  ", " ")
}

fn next(found: &Found, command: &str) -> Vec<Step> {
    let removable = found.leftovers.iter().any(|left| left.remove.is_some());
    if !removable || !found.needs.is_empty() {
        return Vec::new();
    }
    let say =
        "remove what can go, in this order: a script that looks again before each step; read it, then run it";
    vec![Step { say: say.to_owned(), run: vec![format!("{command} -o script > clean.sh")] }]
}

fn summary(found: &Found) -> String {
    let (data, things): (Vec<&Leftover>, Vec<&Leftover>) = found.leftovers.iter().partition(|left| left.data);
    let kept: usize = found.in_use.iter().map(|kind| kind.count).sum();
    match found.verdict {
        LeftVerdict::Clean => "nothing is left over".to_owned(),
        LeftVerdict::InUse if found.life == Life::Deleting => {
            format!(
                "the delete is under way: {} for it to remove, and nobody else holds one of them",
                are(kept)
            )
        }
        LeftVerdict::InUse => format!("the cluster exists: {} in use, nothing is left over", are(kept)),
        LeftVerdict::NotEnoughSeen if found.leftovers.is_empty() => {
            "nothing was found, but not everything could be looked at".to_owned()
        }
        LeftVerdict::NotEnoughSeen => {
            format!(
                "{} carry the cluster's mark, and whether it still exists could not be looked up",
                things_of(found.leftovers.len())
            )
        }
        LeftVerdict::Blocked => blocked(found).unwrap_or_else(|| format!("{} left over", were(things.len()))),
        LeftVerdict::Leftovers => match (things.len(), data.len()) {
            (0, n) => format!("only data of the cluster's users is left: {}", volumes(n)),
            (n, 0) => format!("{} left over", were(n)),
            (n, m) => format!("{} left over, and {} with data of the cluster's users", were(n), volumes(m)),
        },
    }
}

/// The first that holds something up.
fn blocked(found: &Found) -> Option<String> {
    let held = found.leftovers.iter().filter(|left| left.remove.is_none() && !left.data);
    let all = held.clone().count();
    let pairs = held.flat_map(|left| left.held_by.iter().map(move |holder| (left, holder)));
    // A subnet goes with its network, whose name operators know.
    let (left, holder) = pairs.min_by_key(|(left, _)| left.thing.kind == "subnet")?;
    let more = match all {
        1 => String::new(),
        2 => ", and 1 more thing is held".to_owned(),
        n => format!(", and {} more things are held", n - 1),
    };
    let holders: Vec<&Thing> = left.held_by.iter().map(|holder| &holder.thing).collect();
    let alike = holders.iter().all(|thing| thing.kind == holder.thing.kind);
    let (who, verb) = match (holders.len(), alike) {
        (1, _) => (named(&holder.thing), "holds"),
        (n, true) => (format!("{n} {}s", holder.thing.kind), "hold"),
        (n, false) => (format!("{n} things"), "hold"),
    };
    let verb = if found.life == Life::Deleting {
        format!("{verb} up the delete of")
    } else {
        format!("still {verb}")
    };
    Some(format!("{who} {verb} {}{more}", named(&left.thing)))
}

fn named(thing: &Thing) -> String {
    match &thing.name {
        Some(name) => format!("{} {} \"{name}\"", thing.kind, thing.id),
        None => format!("{} {}", thing.kind, thing.id),
    }
}

fn things_of(n: usize) -> String {
    if n == 1 { "1 thing".to_owned() } else { format!("{n} things") }
}

fn are(n: usize) -> String {
    if n == 1 { "1 thing is".to_owned() } else { format!("{n} things are") }
}

fn were(n: usize) -> String {
    if n == 1 { "1 thing was".to_owned() } else { format!("{n} things were") }
}

fn volumes(n: usize) -> String {
    if n == 1 { "1 volume or snapshot".to_owned() } else { format!("{n} volumes and snapshots") }
}
