//! What the cluster is doing, and since when.

use jiff::Timestamp;

use super::Doc;

/// What the cluster is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Being made.
    Create,
    /// Being changed.
    Update,
    /// Being deleted.
    Delete,
    /// Simply there.
    Run,
}

/// A set of actions, for causes that exist in some only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Actions(u8);

impl Actions {
    /// While it is made.
    pub const CREATE: Actions = Actions(1);
    /// While it is changed.
    pub const UPDATE: Actions = Actions(2);
    /// While it is deleted.
    pub const DELETE: Actions = Actions(4);
    /// While it is simply there.
    pub const RUN: Actions = Actions(8);
    /// Always.
    pub const ALL: Actions = Actions(15);
    /// Whenever it is to exist.
    pub const ALIVE: Actions = Actions(11);

    /// True if the set has the action.
    #[must_use]
    pub fn has(self, action: Action) -> bool {
        let bit = match action {
            Action::Create => 1,
            Action::Update => 2,
            Action::Delete => 4,
            Action::Run => 8,
        };
        self.0 & bit != 0
    }
}

/// The objects that speak about the action.
#[derive(Debug, Clone, Copy)]
pub struct Speakers<'a, 'w> {
    /// The Magnum cluster.
    pub magnum: Option<Doc<'w>>,
    /// The Cluster object.
    pub cluster: Option<Doc<'w>>,
    /// The KubeadmControlPlane.
    pub control_plane: Option<Doc<'w>>,
    /// KubeadmControlPlane and MachineDeployments.
    pub owners: &'a [Doc<'w>],
    /// Machines.
    pub machines: &'a [Doc<'w>],
}

/// The first that speaks: a deletionTimestamp, Magnum's word for what is under way or
/// failed, then the state of the objects.
#[must_use]
pub fn of(said: Speakers<'_, '_>) -> Action {
    if said.cluster.and_then(Doc::deleting).is_some() {
        return Action::Delete;
    }
    let status = said.magnum.map(|m| m.text("status")).unwrap_or_default();
    if status.ends_with("_IN_PROGRESS") || status.ends_with("_FAILED") {
        return match status.split('_').next() {
            Some("CREATE") => Action::Create,
            Some("DELETE") => Action::Delete,
            _ => Action::Update,
        };
    }
    if said.control_plane.is_some_and(|kcp| !initialised(kcp)) {
        return Action::Create;
    }
    if changing(said) { Action::Update } else { Action::Run }
}

/// True once a control plane machine has become a node.
#[must_use]
pub fn initialised(control_plane: Doc<'_>) -> bool {
    control_plane.is("status.initialized")
        || control_plane.is("status.initialization.controlPlaneInitialized")
        || control_plane.good("Initialized")
}

fn changing(said: Speakers<'_, '_>) -> bool {
    let replicas = said.owners.iter().any(|o| {
        let wanted = o.int("spec.replicas");
        wanted.is_some() && wanted != Some(o.int("status.replicas").unwrap_or(0))
    });
    let moving = said.owners.iter().any(|o| {
        ["RollingOut", "ScalingUp", "ScalingDown"].iter().any(|k| o.condition(k).is_some_and(|c| !c.good()))
    });
    replicas || moving || said.machines.iter().any(|m| m.deleting().is_some())
}

/// Since when the action runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Since {
    /// The moment.
    pub at: Option<Timestamp>,
    /// True if it may be later than that: Magnum's `updated_at` moves with its health poll.
    pub at_most: bool,
}

/// The start of an action.
#[must_use]
pub fn since(action: Action, said: Speakers<'_, '_>) -> Since {
    let magnum = |path: &str| said.magnum.and_then(|m| m.time(path));
    let updated = Since { at: magnum("updated_at").or_else(|| magnum("created_at")), at_most: true };
    if said.magnum.is_some_and(|m| m.text("status").ends_with("_FAILED")) {
        return updated;
    }
    let known = |at: Option<Timestamp>| at.map(|at| Since { at: Some(at), at_most: false });
    match action {
        Action::Create => {
            known(magnum("created_at").or_else(|| said.cluster.and_then(Doc::created))).unwrap_or(updated)
        }
        Action::Delete => known(said.cluster.and_then(Doc::deleting)).unwrap_or(updated),
        Action::Update | Action::Run => known(oldest_bad(said.cluster)).unwrap_or(updated),
    }
}

fn oldest_bad(cluster: Option<Doc<'_>>) -> Option<Timestamp> {
    cluster?.conditions().iter().filter(|c| !c.good()).filter_map(|c| c.since).min()
}
