//! The load balancers of one cluster as Octavia has them.

use jiff::{SignedDuration, Timestamp};

use super::snapshot::Snapshot;
use super::{Doc, Message};

/// A change in Octavia that is at work may take this long: building an amphora included.
pub const AT_WORK: SignedDuration = SignedDuration::from_mins(10);

/// The API load balancer, by its whole name.
#[must_use]
pub fn api<'w>(snapshot: &Snapshot<'w>) -> Option<Doc<'w>> {
    let name = snapshot.marks.api_load_balancer()?;
    let mut rows = snapshot.cloud.load_balancers.some().iter().copied();
    rows.find(|l| l.text("name") == name && status(*l) != "DELETED")
}

/// The load balancers of the cluster's Services, by the Magnum UUID in name or description.
#[must_use]
pub fn services<'w>(snapshot: &Snapshot<'w>) -> Vec<Doc<'w>> {
    let rows = snapshot.cloud.load_balancers.some().iter().copied();
    let ours = |l: &Doc<'_>| snapshot.marks.service_load_balancer(l.text("name"), l.text("description"));
    rows.filter(ours).filter(|l| status(*l) != "DELETED").collect()
}

/// `provisioning_status`: whether Octavia is changing it.
#[must_use]
pub fn status(balancer: Doc<'_>) -> &str {
    balancer.text("provisioning_status")
}

/// When Octavia last wrote it.
#[must_use]
pub fn touched(balancer: Doc<'_>) -> Option<Timestamp> {
    balancer.time("updated_at").or_else(|| balancer.time("created_at"))
}

/// What was said of CAPO waiting for the load balancer, or of Octavia refusing to change it.
#[must_use]
pub fn waits<'a>(snapshot: &'a Snapshot<'_>, balancer: Doc<'_>) -> Vec<&'a Message> {
    let states = ["not active", "not in expected state", "Invalid state", "immutable"];
    let named = |m: &Message| m.text.contains(balancer.text("id")) && states.iter().any(|s| m.has(s));
    let member = |m: &Message| m.reason == "LoadBalancerMemberError";
    snapshot.said.messages.iter().filter(|m| m.current() && (named(m) || member(m))).collect()
}
