//! What the leftovers cost the project.

use std::collections::BTreeMap;

use crate::model::{Doc, World};
use crate::report::{Leftover, QuotaLine};

/// A line for each resource of which something is taken, with use and limit where they were read.
/// Octavia counts nothing, so there the rows of the lists are counted.
#[must_use]
pub fn lines(world: &World<'_>, leftovers: &[Leftover]) -> Vec<QuotaLine> {
    let mut takes: BTreeMap<&str, u64> = BTreeMap::new();
    for (resource, count) in leftovers.iter().flat_map(|left| &left.quota) {
        *takes.entry(resource).or_default() += count;
    }
    let line = |(resource, takes): (&str, u64)| {
        let (used, limit) = usage(world, resource);
        QuotaLine { resource: resource.to_owned(), takes, used, limit }
    };
    takes.into_iter().map(line).collect()
}

/// Documents with use and limit: part, and the key in it.
const COUNTED: [(&str, &str); 3] = [
    ("openstack/network/quotas", "quota"),
    ("openstack/compute/quotas", "quota_set"),
    ("openstack/volume/quotas", "quota_set"),
];

fn usage(world: &World<'_>, resource: &str) -> (Option<u64>, Option<u64>) {
    let number = |value: Option<i64>| value.and_then(|n| u64::try_from(n).ok());
    for (part, key) in COUNTED {
        let set = world.body(part).and_then(|body| body.at(key)?.get(resource)).map(Doc);
        if let Some(set) = set {
            let used = set.int("used").or_else(|| set.int("in_use"));
            return (number(used), number(set.int("limit")));
        }
    }
    let balancing = world.body("openstack/load-balancer/quotas");
    let limit = balancing.and_then(|body| body.at("quota")?.get(resource)?.as_i64());
    (balancers(world, resource), number(limit))
}

/// How many of a kind Octavia has; none if the list was not read whole.
fn balancers(world: &World<'_>, resource: &str) -> Option<u64> {
    let (part, key) = match resource {
        "loadbalancer" => ("openstack/load-balancer/loadbalancers", "loadbalancers"),
        "listener" => ("openstack/load-balancer/listeners", "listeners"),
        "pool" => ("openstack/load-balancer/pools", "pools"),
        _ => return None,
    };
    let rows = world.rows(part, key);
    let alive = rows.all().ok()?.iter().filter(|row| row.text("provisioning_status") != "DELETED").count();
    u64::try_from(alive).ok()
}
