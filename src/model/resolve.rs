//! Which cluster an operator means: a Magnum name, a Magnum UUID or a stack id.

use super::Doc;
use super::snapshot::stack_id;
use super::world::World;

/// What the word was taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TakenFor {
    /// Magnum name.
    Name,
    /// Magnum UUID.
    Uuid,
    /// Stack id: the name of the Cluster object.
    StackId,
    /// The cluster that the bundle was collected for.
    Target,
}

/// A cluster that matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Magnum UUID, if Magnum or the Cluster's label knows it.
    pub uuid: Option<String>,
    /// Stack id, if known.
    pub stack_id: Option<String>,
    /// Magnum name.
    pub name: Option<String>,
    /// Project.
    pub project_id: Option<String>,
    /// What the word was taken for.
    pub taken_for: TakenFor,
}

/// All clusters in the world that the word can mean: one, none, or several.
#[must_use]
pub fn find(world: &World<'_>, word: Option<&str>) -> Vec<Found> {
    let target = &world.meta.target;
    let asked = word.filter(|w| *w != world.meta.asked_for);
    let Some(word) = asked else {
        if target.uuid.is_some() || target.stack_id.is_some() {
            return vec![of_target(world)];
        }
        let only = word.unwrap_or(&world.meta.asked_for);
        return if only.is_empty() { all(world) } else { matching(world, only) };
    };
    matching(world, word)
}

fn of_target(world: &World<'_>) -> Found {
    let target = &world.meta.target;
    let rows = world.rows("openstack/container-infra/clusters", "clusters");
    let row = rows.some().iter().copied().find(|c| c.str("uuid") == target.uuid.as_deref());
    let found = row.map(|row| of_row(row, TakenFor::Target));
    let uuid = target.uuid.clone().or_else(|| label_of(world, target.stack_id.as_deref()));
    Found {
        uuid,
        stack_id: target.stack_id.clone().or_else(|| found.as_ref().and_then(|f| f.stack_id.clone())),
        name: found.as_ref().and_then(|f| f.name.clone()),
        project_id: target.project_id.clone(),
        taken_for: TakenFor::Target,
    }
}

/// The Magnum UUID in the label of a Cluster object.
fn label_of(world: &World<'_>, stack_id: Option<&str>) -> Option<String> {
    let clusters = world.objects("cluster");
    let cluster = clusters.some().iter().find(|c| Some(c.name()) == stack_id)?;
    cluster.label("cluster-uuid").map(str::to_owned)
}

/// All clusters that the world has a row or an object of.
#[must_use]
pub fn all(world: &World<'_>) -> Vec<Found> {
    let rows = world.rows("openstack/container-infra/clusters", "clusters");
    let mut found: Vec<Found> = rows.some().iter().map(|r| of_row(*r, TakenFor::Target)).collect();
    for cluster in world.objects("cluster").some() {
        if !found.iter().any(|f| f.stack_id.as_deref() == Some(cluster.name())) {
            found.push(of_object(*cluster, TakenFor::Target));
        }
    }
    found
}

fn matching(world: &World<'_>, word: &str) -> Vec<Found> {
    let rows = world.rows("openstack/container-infra/clusters", "clusters");
    let mut found: Vec<Found> = rows.some().iter().filter_map(|r| row_matches(*r, word)).collect();
    for cluster in world.objects("cluster").some() {
        let taken_for = if cluster.name() == word {
            TakenFor::StackId
        } else if cluster.label("cluster-uuid") == Some(word) {
            TakenFor::Uuid
        } else {
            continue;
        };
        let object = of_object(*cluster, taken_for);
        let known = |f: &Found| {
            (f.stack_id.is_some() && f.stack_id == object.stack_id)
                || (f.uuid.is_some() && f.uuid == object.uuid)
        };
        if !found.iter().any(known) {
            found.push(object);
        }
    }
    found
}

fn row_matches(row: Doc<'_>, word: &str) -> Option<Found> {
    let taken_for = if row.str("uuid") == Some(word) {
        TakenFor::Uuid
    } else if stack_id(row) == Some(word) {
        TakenFor::StackId
    } else if row.str("name") == Some(word) {
        TakenFor::Name
    } else {
        return None;
    };
    Some(of_row(row, taken_for))
}

fn of_row(row: Doc<'_>, taken_for: TakenFor) -> Found {
    Found {
        uuid: row.str("uuid").map(str::to_owned),
        stack_id: stack_id(row).map(str::to_owned),
        name: row.str("name").map(str::to_owned),
        project_id: row.str("project_id").map(str::to_owned),
        taken_for,
    }
}

fn of_object(cluster: Doc<'_>, taken_for: TakenFor) -> Found {
    Found {
        uuid: cluster.label("cluster-uuid").map(str::to_owned),
        stack_id: Some(cluster.name().to_owned()),
        name: None,
        project_id: None,
        taken_for,
    }
}
