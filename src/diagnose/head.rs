//! Who the report is about, where it was read, and what else there is to know.

use super::health::Health;
use crate::model::{Snapshot, World, version};
use crate::report::{Accepts, ClusterHead, Project, SourceHead, Versions};

/// The head of the report.
pub(super) fn cluster(snapshot: &Snapshot<'_>) -> ClusterHead {
    let row = snapshot.magnum.cluster;
    let text = |path: &str| row.and_then(|r| r.str(path)).map(str::to_owned);
    ClusterHead {
        name: text("name").unwrap_or_else(|| snapshot.asked_for.clone()),
        uuid: snapshot.marks.uuid.clone(),
        stack_id: snapshot.marks.stack_id.clone(),
        project: Project {
            id: snapshot.project_id().map(str::to_owned),
            name: snapshot.project_name().map(str::to_owned),
        },
        status: text("status"),
        status_reason: text("status_reason"),
        health_status: text("health_status"),
        since: snapshot.since.at,
        since_at_most: snapshot.since.at_most,
        versions: versions(snapshot),
    }
}

fn versions(snapshot: &Snapshot<'_>) -> Versions {
    let cluster = snapshot.kube.cluster();
    let topology = |paths: [&str; 2]| paths.iter().find_map(|p| cluster?.str(p)).map(str::to_owned);
    Versions {
        class: topology(["spec.topology.classRef.name", "spec.topology.class"]),
        driver_at_least: snapshot.driver_at_least(),
        capi: snapshot.version("cluster-api").map(str::to_owned),
        capo: snapshot.capo().map(str::to_owned),
        kubernetes: cluster.and_then(|c| c.str("spec.topology.version")).and_then(version::short),
    }
}

/// Parts that `leftovers` and `collect` read and `why` does not ask for.
const LEFTOVERS_ALONE: [&str; 3] =
    ["openstack/load-balancer/listeners", "openstack/load-balancer/pools", "openstack/volume/snapshots"];

/// True for a part that `why` reads: the page of a collected bundle counts what the page of the
/// servers counts.
pub(super) fn is_asked(part: &str) -> bool {
    !LEFTOVERS_ALONE.contains(&part)
}

/// Where it was read, as far as `why` reads it.
pub(super) fn source_asked(snapshot: &Snapshot<'_>) -> SourceHead {
    let meta = snapshot.world.meta;
    SourceHead {
        parts_read: meta.read.iter().filter(|part| is_asked(part)).count(),
        parts_missing: meta.gaps.iter().filter(|gap| is_asked(&gap.part)).count(),
        ..source(snapshot)
    }
}

/// Where it was read.
pub(super) fn source(snapshot: &Snapshot<'_>) -> SourceHead {
    source_of(snapshot.world)
}

/// Where the documents of a world were read.
pub(super) fn source_of(world: &World<'_>) -> SourceHead {
    let meta = world.meta;
    SourceHead {
        context: meta.source.context.clone(),
        api_server: meta.source.api_server.clone(),
        cloud: meta.source.cloud.clone(),
        region: meta.login.region.clone(),
        namespace: world.namespace.to_owned(),
        parts_read: meta.read.len(),
        parts_missing: meta.gaps.len(),
    }
}

/// Notes of the reader, clocks that disagree, and harmless oddities.
pub(super) fn notes(snapshot: &Snapshot<'_>, health: &Health) -> Vec<String> {
    let meta = snapshot.world.meta;
    let clocks = meta.clocks.iter().filter(|(_, offset)| offset.abs() > 30);
    let clocks = clocks.map(|(server, offset)| format!("the clock of {server} is off by {offset}s"));
    let passes = crate::causes::kit::passes::note(snapshot);
    meta.notes.iter().cloned().chain(clocks).chain(health.notes.iter().cloned()).chain(passes).collect()
}

/// What Magnum takes in this state.
/// Source: openstack/magnum conductor/handlers/cluster_conductor.py and conductor/api.py
/// (update and resize are cast, so their refusal is only in the conductor's log).
pub(super) fn accepts(snapshot: &Snapshot<'_>) -> Vec<Accepts> {
    let status = snapshot.status();
    if status.is_empty() {
        return Vec::new();
    }
    let complete = status.ends_with("_COMPLETE") && status != "DELETE_COMPLETE";
    let resize = complete || matches!(status, "UPDATE_FAILED" | "UPDATE_IN_PROGRESS");
    let quiet = "no, though the request gets 202: the refusal is only in the conductor's log";
    let answer = |yes: bool, no: &str| if yes { "yes".to_owned() } else { no.to_owned() };
    vec![
        Accepts { operation: "resize", answer: answer(resize, quiet) },
        Accepts { operation: "update", answer: answer(complete, quiet) },
        Accepts { operation: "upgrade", answer: answer(complete, "no, refused with 400") },
        Accepts { operation: "delete", answer: "yes".to_owned() },
    ]
}
