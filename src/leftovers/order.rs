//! What can go when, with which commands, and the verdict.

use std::collections::{BTreeMap, BTreeSet};

use super::item::{Held, Item, project, word};
use super::keeper::Keeper;
use super::kind::Kind;
use super::ties::Ties;
use crate::report::{Holder, InUse, LeftVerdict, Leftover, Life};

/// What the items come to.
pub(super) struct Sorted {
    pub(super) leftovers: Vec<Leftover>,
    pub(super) in_use: Vec<InUse>,
    /// True if something holds what should go, and does not go itself.
    pub(super) blocked: bool,
}

/// Sorts the items, which come in the order of their kinds.
pub(super) fn sort<'w>(ties: &Ties<'_, 'w>, life: Life, items: Vec<Item<'w>>) -> Sorted {
    let going: BTreeSet<&str> = items.iter().filter(|i| i.keeper != Keeper::Nobody).map(Item::id).collect();
    let mut free: BTreeSet<&str> = BTreeSet::new();
    let mut stuck: BTreeSet<&str> = BTreeSet::new();
    let mut unsure: BTreeSet<&str> = BTreeSet::new();
    // Whoever holds a thing is of a kind that comes before it.
    for item in items.iter().filter(|item| life != Life::Live && !item.kind.is_data()) {
        let waits = |held: &&Held<'_>| !held.passing && !free.contains(held.id);
        let open: Vec<&Held<'_>> = item.held.iter().filter(waits).collect();
        let seen = ties.snapshot.unread(item.kind.held_through()).is_empty();
        if open.iter().any(|held| !going.contains(held.id) && !unsure.contains(held.id)) {
            stuck.insert(item.id());
        } else if !seen || !open.is_empty() {
            // Who holds it is not known, or whether that goes.
            unsure.insert(item.id());
        } else if item.keeper == Keeper::Nobody {
            free.insert(item.id());
        }
    }
    let staying: BTreeSet<&str> = items.iter().filter(|i| i.keeper == Keeper::Nobody).map(Item::id).collect();
    // What the delete removes in its turn waits for what it does not remove, though that may go.
    let waiting = |item: &Item<'w>| {
        let waits = |held: &Held<'w>| !held.passing && staying.contains(held.id);
        item.keeper != Keeper::Nobody && item.held.iter().any(waits)
    };
    let held = |item: &Item<'w>| stuck.contains(item.id()) || waiting(item);
    let (left, kept): (Vec<Item<'w>>, Vec<Item<'w>>) =
        items.into_iter().partition(|i| life != Life::Live && (i.keeper == Keeper::Nobody || held(i)));
    let blocked = left.iter().any(held);
    let orders: BTreeMap<&str, usize> =
        left.iter().enumerate().map(|(at, item)| (item.id(), at + 1)).collect();
    let removable = |item: &Item<'w>| life != Life::Unknown && free.contains(item.id());
    // Thousands of ports may hold a group: what is known of them is handed on, not copied.
    let leftovers = left.into_iter().map(|item| {
        let removable = removable(&item);
        leftover(ties, item, &orders, removable)
    });
    Sorted { leftovers: leftovers.collect(), in_use: count(&kept), blocked }
}

fn count(items: &[Item<'_>]) -> Vec<InUse> {
    let mut counts: Vec<InUse> = Vec::new();
    for item in items {
        let (kind, by) = (item.thing().kind, item.keeper.word());
        match counts.iter_mut().find(|c| c.kind == kind && c.by == by) {
            Some(known) => known.count += 1,
            None => counts.push(InUse { kind, count: 1, by }),
        }
    }
    counts
}

fn leftover(
    ties: &Ties<'_, '_>,
    item: Item<'_>,
    orders: &BTreeMap<&str, usize>,
    removable: bool,
) -> Leftover {
    let marks = &ties.marks;
    let cluster = marks.stack_id.clone().or_else(|| marks.uuid.clone()).unwrap_or_default();
    let mut thing = item.thing();
    if thing.project.is_none() && !item.kind.is_kubernetes() {
        thing.project = ties.snapshot.project_id().map(str::to_owned);
    }
    let (since, state, look) = (created(&item), state(ties, &item), look(ties, &item));
    let remove = removable.then(|| remove(ties, &item)).flatten();
    let order = orders.get(item.id()).copied().unwrap_or_default();
    let holders = item.held.into_iter();
    let mut held_by: Vec<Holder> =
        holders.map(|held| Holder { order: orders.get(held.id).copied(), ..held.holder }).collect();
    // Those that do not go themselves first.
    held_by.sort_by(|a, b| (a.order, &a.thing).cmp(&(b.order, &b.thing)));
    held_by.dedup_by(|a, b| a.thing == b.thing);
    Leftover {
        thing,
        cluster,
        tied_by: item.tied_by,
        certainty: item.tie,
        why: item.why,
        held_by,
        with: item.with,
        quota: item.quota,
        since,
        order,
        data: item.kind.is_data(),
        state,
        look,
        remove,
    }
}

fn created(item: &Item<'_>) -> Option<jiff::Timestamp> {
    if item.kind.is_kubernetes() {
        item.row.created()
    } else {
        item.row.time("created_at").or_else(|| item.row.time("created"))
    }
}

/// Fields by the names that the `openstack` command has for them: whose it is, and what must not
/// have changed since.
fn state(ties: &Ties<'_, '_>, item: &Item<'_>) -> BTreeMap<String, String> {
    let row = item.row;
    let mut fields: Vec<(&str, &str)> = match item.kind {
        kind if kind.is_kubernetes() => vec![("uid", row.text("metadata.uid"))],
        Kind::FloatingIp => {
            vec![("floating_ip_address", row.text("floating_ip_address")), ("port_id", row.text("port_id"))]
        }
        Kind::Trunk => vec![("port_id", row.text("id"))],
        Kind::Port => {
            let device = ("device_id", row.text("device_id"));
            vec![("name", row.text("name")), device, ("device_owner", row.text("device_owner"))]
        }
        Kind::Server | Kind::Volume | Kind::DataVolume | Kind::DataSnapshot => {
            vec![("name", row.text("name")), ("status", row.text("status"))]
        }
        Kind::LoadBalancer => {
            vec![("name", row.text("name")), ("provisioning_status", row.text("provisioning_status"))]
        }
        _ => vec![("name", row.text("name"))],
    };
    let word = match item.kind {
        kind if kind.is_kubernetes() => None,
        Kind::Volume | Kind::DataVolume => Some("os-vol-tenant-attr:tenant_id"),
        Kind::DataSnapshot => Some("os-extended-snapshot-attributes:project_id"),
        _ => Some("project_id"),
    };
    fields.extend(word.zip(project(row).or(ties.snapshot.project_id())));
    fields.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

fn kubectl(ties: &Ties<'_, '_>, verb: &str, item: &Item<'_>) -> String {
    let kind = item.row.kind().to_ascii_lowercase();
    format!("kubectl -n {} {verb} {} {}", word(&ties.marks.namespace), word(&kind), word(item.id()))
}

fn look(ties: &Ties<'_, '_>, item: &Item<'_>) -> String {
    match item.kind.command() {
        Some(words) => format!("openstack {words} show {}", word(item.id())),
        None => kubectl(ties, "get", item),
    }
}

/// The lines that remove it. An object with finalizers is its controller's to remove.
fn remove(ties: &Ties<'_, '_>, item: &Item<'_>) -> Option<String> {
    let id = word(item.id());
    let last = match (item.kind, item.kind.command()) {
        (Kind::Object, _) => return None,
        (Kind::LoadBalancer, _) => format!("openstack loadbalancer delete --cascade --wait {id}"),
        (Kind::Server, _) => format!("openstack server delete --wait {id}"),
        (_, Some(words)) => format!("openstack {words} delete {id}"),
        (_, None) => kubectl(ties, "delete", item),
    };
    let lines: Vec<String> = item.before.iter().cloned().chain([last]).collect();
    Some(lines.join("\n"))
}

/// The first that fits: nobody knows whether the cluster lives, it lives, something holds, something
/// is left, something was not read.
#[must_use]
pub(super) fn verdict(life: Life, sorted: &Sorted, needs: &[String]) -> LeftVerdict {
    match life {
        Life::Unknown => LeftVerdict::NotEnoughSeen,
        Life::Live => LeftVerdict::InUse,
        _ if sorted.blocked => LeftVerdict::Blocked,
        _ if !sorted.leftovers.is_empty() => LeftVerdict::Leftovers,
        _ if !needs.is_empty() => LeftVerdict::NotEnoughSeen,
        Life::Deleting => LeftVerdict::InUse,
        Life::Gone => LeftVerdict::Clean,
    }
}
