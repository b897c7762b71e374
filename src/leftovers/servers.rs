//! Servers, their groups in Nova, and the application credential.

use super::item::Item;
use super::kind::Kind;
use super::ties::Ties;
use crate::model::Doc;
use crate::report::Tie;

/// Servers, server groups, credentials.
pub(super) fn items<'w>(ties: &Ties<'_, 'w>) -> Vec<Item<'w>> {
    let cloud = &ties.snapshot.cloud;
    let groups: Vec<Doc<'w>> = cloud
        .server_groups
        .some()
        .iter()
        .copied()
        .filter(|g| ties.own(*g) && ties.names(g.text("name")))
        .collect();
    let mut items: Vec<Item<'w>> = cloud
        .servers
        .some()
        .iter()
        .filter(|row| ties.own(**row) && !matches!(row.text("status"), "DELETED" | "SOFT_DELETED"))
        .filter(|row| is_ours(ties, &groups, **row))
        .map(|row| server(*row))
        .collect();
    items.extend(groups.iter().map(|row| {
        Item::new(Kind::ServerGroup, *row, Tie::Exact, "name (stack id)").takes("server_groups", 1)
    }));
    items.extend(credentials(ties));
    items
}

/// By name, if the name has the shape of a machine's or something of the cluster's says the same.
fn is_ours(ties: &Ties<'_, '_>, groups: &[Doc<'_>], row: Doc<'_>) -> bool {
    let name = row.text("name");
    let member = || groups.iter().any(|group| group.strings("members").contains(&row.text("id")));
    let guarded = || row.list("security_groups").any(|group| ties.marks.group(group.text("name")));
    ties.machine(name) || (ties.marks.names(name) && (member() || guarded()))
}

fn server(row: Doc<'_>) -> Item<'_> {
    let number = |path: &str| row.int(path).and_then(|n| u64::try_from(n).ok()).unwrap_or(0);
    let mut item = Item::new(Kind::Server, row, Tie::Exact, "name (stack id)")
        .takes("instances", 1)
        .takes("cores", number("flavor.vcpus"))
        .takes("ram", number("flavor.ram"));
    item.quota.retain(|_, n| *n > 0);
    item
}

/// The credential that the driver made (magnum_cluster_api/driver.py): its name is the Magnum UUID.
fn credentials<'w>(ties: &Ties<'_, 'w>) -> Vec<Item<'w>> {
    let Some(uuid) = ties.marks.uuid.as_deref() else { return Vec::new() };
    let rows = ties.snapshot.cloud.credentials.some().iter().copied();
    let ours = rows.filter(|row| row.str("name") == Some(uuid) && ties.own(*row));
    ours.map(|row| Item::new(Kind::Credential, row, Tie::Exact, "name (Magnum UUID)")).collect()
}
