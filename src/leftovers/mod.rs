//! What a cluster left behind: which things carry its mark, who holds them, what they cost, and
//! in which order they can go.
//!
//! ```text
//!   Snapshot ─▶ ties ─▶ balancers, network, ports, servers, volumes, management ─▶ items
//!            ─▶ keeper   who still removes an item: the cluster, Cluster API, Magnum, nobody
//!            ─▶ holders  who holds it
//!            ─▶ order    what can go when, and with which command ─▶ Found
//! ```
//!
//! Two keys tie a thing to a cluster: its stack id, in what CAPO and the driver made, and its
//! Magnum UUID, in what the cluster's own cloud provider and CSI drivers made. A name is never
//! enough where somebody else could have chosen it: see [`ties`].
//!
//! Sources: kubernetes-sigs/cluster-api-provider-openstack pkg/cloud/services (names,
//! descriptions, order of removal); vexxhost/magnum-cluster-api magnum_cluster_api/driver.py and
//! resources.py (server groups, credential, Secrets); kubernetes/cloud-provider-openstack
//! pkg/openstack and pkg/csi/cinder (load balancers, floating IPs, volumes).

#![deny(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used
)]

mod balancers;
mod holders;
mod item;
mod keeper;
mod kind;
mod life;
mod management;
mod network;
mod order;
mod ports;
mod quota;
mod servers;
mod strays;
mod ties;
mod volumes;

#[cfg(test)]
mod tests;

use crate::model::Snapshot;
use crate::report::{InUse, LeftVerdict, Leftover, Life};

pub use life::{ALL, needs};
pub use quota::lines as quota;
pub use strays::{Stray, other_half, strays};

use item::Item;
use ties::Ties;

/// What was found of one cluster.
#[derive(Debug, Clone)]
pub struct Found {
    /// The answer in one word.
    pub verdict: LeftVerdict,
    /// Whether the cluster still exists.
    pub life: Life,
    /// What is left over or holds up the delete, in the order of removal.
    pub leftovers: Vec<Leftover>,
    /// What is in use, or is still removed by the delete.
    pub in_use: Vec<InUse>,
    /// Parts that were not read whole, and without which nobody can say that nothing is left.
    pub needs: Vec<String>,
    /// What else the operator should know.
    pub notes: Vec<String>,
}

/// Finds what carries the mark of the snapshot's cluster.
#[must_use]
pub fn find(snapshot: &Snapshot<'_>) -> Found {
    let mut found = find_stray(snapshot);
    if matches!(found.life, Life::Gone | Life::Unknown)
        && let Some(note) = strays::unattributed(&Ties::new(snapshot))
    {
        // What carries a key that nobody knows may be this cluster's.
        found.needs.push("the cluster's Magnum UUID and stack id".to_owned());
        found.notes.push(note);
        if found.verdict == LeftVerdict::Clean {
            found.verdict = LeftVerdict::NotEnoughSeen;
        }
    }
    found
}

/// The same where only one of its keys is known, and all strays are looked at anyway.
#[must_use]
pub fn find_stray(snapshot: &Snapshot<'_>) -> Found {
    let life = life::of(snapshot);
    let ties = Ties::new(snapshot);
    let mut items = collect(&ties);
    for item in &mut items {
        item.keeper = keeper::of(&ties, life, item);
    }
    holders::hold(&ties, life, &mut items);
    let needs = life::needs(snapshot.world, life);
    let notes = ties.notes();
    let sorted = order::sort(&ties, life, items);
    let verdict = order::verdict(life, &sorted, &needs);
    Found { verdict, life, leftovers: sorted.leftovers, in_use: sorted.in_use, needs, notes }
}

/// Everything that carries the mark, whoever removes it.
fn collect<'w>(ties: &Ties<'_, 'w>) -> Vec<Item<'w>> {
    let mut items = balancers::items(ties);
    items.extend(servers::items(ties));
    items.extend(volumes::items(ties));
    items.extend(network::items(ties));
    items.extend(ports::items(ties, &items));
    items.extend(network::floating_ips(ties));
    items.extend(management::items(ties));
    items.sort_by(|a, b| (a.kind, a.name(), a.id()).cmp(&(b.kind, b.name(), b.id())));
    items
}
