//! Volumes of machines, and the volumes and snapshots of the cluster's users.

use super::item::Item;
use super::kind::Kind;
use super::ties::Ties;
use crate::model::Doc;
use crate::report::Tie;

/// What CAPO puts behind a server's name for its volumes, with what it writes in the description
/// (pkg/cloud/services/compute/instance.go).
const OF_MACHINES: [(&str, &str); 3] = [
    ("-root", "Root volume for "),
    ("-etcd", "Additional block device for "),
    ("-docker", "Additional block device for "),
];

/// Volumes and snapshots.
pub(super) fn items<'w>(ties: &Ties<'_, 'w>) -> Vec<Item<'w>> {
    let cloud = &ties.snapshot.cloud;
    let volumes = cloud.volumes.some().iter().copied().filter(|row| ties.own(*row));
    let mut items: Vec<Item<'w>> = volumes.filter_map(|row| volume(ties, row)).collect();
    let data: Vec<&str> = items.iter().filter(|i| i.kind == Kind::DataVolume).map(Item::id).collect();
    let snapshots = cloud.snapshots.some().iter().copied().filter(|row| ties.own(*row));
    let snapshots: Vec<Item<'w>> = snapshots.filter_map(|row| snapshot(ties, &data, row)).collect();
    items.extend(snapshots);
    items
}

fn volume<'w>(ties: &Ties<'_, 'w>, row: Doc<'w>) -> Option<Item<'w>> {
    let (kind, tied_by) = if ties.by_csi(row) {
        (Kind::DataVolume, "metadata (Magnum UUID)")
    } else if machine(ties, row) {
        (Kind::Volume, "name (stack id)")
    } else {
        return None;
    };
    Some(Item::new(kind, row, Tie::Exact, tied_by).takes("volumes", 1).takes("gigabytes", size(row, "size")))
}

/// The machine whose volume it is. A description of somebody else speaks against the name.
fn machine(ties: &Ties<'_, '_>, row: Doc<'_>) -> bool {
    OF_MACHINES.iter().any(|(end, words)| {
        let Some(server) = row.text("name").strip_suffix(end) else { return false };
        let said = row.str("description").is_none_or(|d| d.strip_prefix(words) == Some(server));
        ties.machine(server) && said
    })
}

fn snapshot<'w>(ties: &Ties<'_, 'w>, data: &[&str], row: Doc<'w>) -> Option<Item<'w>> {
    let (tie, tied_by) = if ties.by_csi(row) {
        (Tie::Exact, "metadata (Magnum UUID)")
    } else if data.contains(&row.text("volume_id")) {
        (Tie::ByReference, "its volume")
    } else {
        return None;
    };
    Some(
        Item::new(Kind::DataSnapshot, row, tie, tied_by)
            .takes("snapshots", 1)
            .takes("gigabytes", size(row, "size")),
    )
}

fn size(row: Doc<'_>, path: &str) -> u64 {
    row.int(path).and_then(|n| u64::try_from(n).ok()).unwrap_or(0)
}
