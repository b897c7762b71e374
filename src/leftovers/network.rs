//! Networks, subnets, routers, security groups and floating IPs.

use super::item::Item;
use super::kind::Kind;
use super::ties::Ties;
use crate::model::Doc;
use crate::report::Tie;

/// Everything but floating IPs.
pub(super) fn items<'w>(ties: &Ties<'_, 'w>) -> Vec<Item<'w>> {
    let cloud = &ties.snapshot.cloud;
    let name = ties.marks.network();
    let ours = |row: &&Doc<'w>| ties.own(**row) && name.is_some() && row.str("name") == name.as_deref();
    let exact = |kind, row: &Doc<'w>, resource| {
        Item::new(kind, *row, Tie::Exact, "name (stack id)").takes(resource, 1)
    };
    let mut items: Vec<Item<'w>> =
        cloud.networks.some().iter().filter(ours).map(|row| exact(Kind::Network, row, "network")).collect();
    let networks: Vec<&str> = items.iter().map(Item::id).collect();
    let subnets = cloud.subnets.some().iter().filter(|row| ties.own(**row));
    let subnets = subnets.filter_map(|row| {
        let by_name = name.is_some() && row.str("name") == name.as_deref();
        let on_network = networks.contains(&row.text("network_id"));
        match (by_name, on_network) {
            (true, _) => Some(exact(Kind::Subnet, row, "subnet")),
            (false, true) => {
                Some(Item::new(Kind::Subnet, *row, Tie::ByReference, "its network").takes("subnet", 1))
            }
            (false, false) => None,
        }
    });
    let subnets: Vec<Item<'w>> = subnets.collect();
    items.extend(subnets);
    items.extend(cloud.routers.some().iter().filter(ours).map(|row| exact(Kind::Router, row, "router")));
    items.extend(cloud.groups.some().iter().filter_map(|row| group(ties, *row)));
    items
}

/// CAPO's groups by their whole names; those of the cluster's cloud provider, which has a group of
/// its own for a Service if it is told to manage them, by its words (loadbalancer_sg.go).
fn group<'w>(ties: &Ties<'_, 'w>, row: Doc<'w>) -> Option<Item<'w>> {
    if !ties.own(row) {
        return None;
    }
    let tied_by = if ties.marks.group(row.text("name")) {
        "name (stack id)"
    } else if row.text("name").starts_with("lb-sg-")
        && ties.by_cloud_provider(row, "Security Group for ", "Service LoadBalancer in cluster")
    {
        "description (Magnum UUID)"
    } else {
        return None;
    };
    let rules = u64::try_from(row.list("security_group_rules").count()).unwrap_or(0);
    let mut item = Item::new(Kind::SecurityGroup, row, Tie::Exact, tied_by)
        .takes("security_group", 1)
        .takes("security_group_rule", rules);
    item.quota.retain(|_, n| *n > 0);
    Some(item)
}

/// Floating IPs by the words of who made them. One that the user gave has none of these words and
/// is the user's, whatever it is attached to.
pub(super) fn floating_ips<'w>(ties: &Ties<'_, 'w>) -> Vec<Item<'w>> {
    let rows = ties.snapshot.cloud.floating_ips.some().iter().copied().filter(|row| ties.own(*row));
    let found = rows.filter_map(|row| {
        let tied_by = if ties.by_capo(row) {
            "description (stack id)"
        } else if ties.by_cloud_provider(row, "Floating IP for Kubernetes ", "from cluster") {
            "description (Magnum UUID)"
        } else {
            return None;
        };
        let mut item = Item::new(Kind::FloatingIp, row, Tie::Exact, tied_by).takes("floatingip", 1);
        if row.str("port_id").is_none() && ties.by_capo(row) {
            item.why = why_detached(ties, row);
        }
        Some(item)
    });
    found.collect()
}

/// CAPO takes the floating IP off the load balancer's port, waits for it to be DOWN, and deletes it.
/// If that takes too long the next try finds none on the port and goes on
/// (pkg/cloud/services/loadbalancer/loadbalancer.go).
fn why_detached(ties: &Ties<'_, '_>, row: Doc<'_>) -> Option<String> {
    let address = row.str("floating_ip_address")?;
    let told = ties.snapshot.said.events.iter().any(|event| {
        let mut words = event.message.split(|c: char| !c.is_ascii_hexdigit() && c != '.' && c != ':');
        event.reason.eq_ignore_ascii_case("Faileddisassociatefloatingip") && words.any(|word| word == address)
    });
    Some(match told {
        true => "CAPO took it off the load balancer's port, did not see it DOWN in time and forgot it \
             (event Faileddisassociatefloatingip)"
            .to_owned(),
        false => "it is on no port, and CAPO looks for it on the load balancer's port alone".to_owned(),
    })
}
