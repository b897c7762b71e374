//! What OpenStack has below the OpenStackCluster.

use super::row::{self, Ground};
use super::{Mood, Node};
use crate::model::action::Action;
use crate::model::{Doc, Seen};

/// The OpenStackCluster and its things.
pub(super) fn infrastructure(ground: Ground<'_, '_>) -> Vec<Node> {
    let kube = &ground.snapshot.kube;
    let mut rows: Vec<Node> =
        kube.openstack_clusters.some().iter().map(|doc| openstack_cluster(ground, *doc)).collect();
    if rows.is_empty() {
        let name = kube.cluster().and_then(|c| c.str("spec.infrastructureRef.name"));
        let mut node =
            row::absent(ground, "OpenStackCluster", name.unwrap_or_default(), &kube.openstack_clusters);
        if name.is_none() && node.mood == Mood::Bad {
            node.mood = Mood::Unsure;
            "not made yet".clone_into(&mut node.message);
        }
        rows.push(node);
    }
    rows
}

fn openstack_cluster(ground: Ground<'_, '_>, doc: Doc<'_>) -> Node {
    let mut node = row::object(ground, doc, &["Ready"]);
    node.children.extend(network(ground, doc));
    node.children.extend(load_balancer(ground, doc));
    node
}

/// Network, subnets, router and security groups: one row if there is nothing to say of
/// them one by one.
fn network(ground: Ground<'_, '_>, doc: Doc<'_>) -> Vec<Node> {
    let cloud = &ground.snapshot.cloud;
    let mut rows = Vec::new();
    rows.extend(thing(ground, "Network", doc.at("status.network").map(Doc), &cloud.networks));
    for subnet in doc.list("status.network.subnets") {
        rows.extend(thing(ground, "Subnet", Some(subnet), &cloud.subnets));
    }
    rows.extend(thing(ground, "Router", doc.at("status.router").map(Doc), &cloud.routers));
    for role in ["controlPlaneSecurityGroup", "workerSecurityGroup", "bastionSecurityGroup"] {
        let group = doc.at("status").and_then(|s| s.get(role)).map(Doc);
        rows.extend(thing(ground, "SecurityGroup", group, &cloud.groups));
    }
    together(rows)
}

/// The row of a thing that CAPO has noted by id. Subnets and security groups have no
/// state of their own in Neutron.
fn thing(ground: Ground<'_, '_>, kind: &str, noted: Option<Doc<'_>>, list: &Seen<Doc<'_>>) -> Option<Node> {
    let noted = noted?;
    let id = noted.str("id")?;
    let found = list.some().iter().find(|row| row.str("id") == Some(id));
    let mut node = match found {
        Some(row) => {
            let status = row.str("status").unwrap_or("present");
            let mood = match status {
                "ACTIVE" | "present" => Mood::Good,
                "BUILD" | "ALLOCATING" => Mood::Unsure,
                _ => Mood::Bad,
            };
            Node { status: status.to_owned(), mood, ..row::plain(kind, row.str("name").unwrap_or(id)) }
        }
        None => row::absent(ground, kind, noted.str("name").unwrap_or(id), list),
    };
    node.folded.push(id.to_owned());
    Some(node)
}

/// One row for all of them if all are fine, or all have not been read for one reason;
/// in a delete, one row for those that are gone.
fn together(rows: Vec<Node>) -> Vec<Node> {
    let fine = rows.iter().all(|r| r.mood == Mood::Good);
    let unread = rows.iter().all(|r| {
        r.mood == Mood::Unsure && rows.first().is_some_and(|f| r.status == f.status && r.message == f.message)
    });
    if fine || unread {
        return joined(rows);
    }
    let (gone, rest): (Vec<_>, Vec<_>) = rows.into_iter().partition(|r| r.mood == Mood::Plain);
    joined(gone).into_iter().chain(rest).collect()
}

fn joined(rows: Vec<Node>) -> Vec<Node> {
    let [first, _, ..] = rows.as_slice() else { return rows };
    let status = if first.mood == Mood::Good { "ACTIVE".to_owned() } else { first.status.clone() };
    vec![Node {
        status,
        message: first.message.clone(),
        mood: first.mood,
        folded: rows.iter().flat_map(|r| std::iter::once(&r.name).chain(&r.folded)).cloned().collect(),
        ..row::plain(&kinds(&rows), "")
    }]
}

/// `Network, Subnet, Router, SecurityGroups (2)`.
fn kinds(rows: &[Node]) -> String {
    let mut counted: Vec<(&str, usize)> = Vec::new();
    for row in rows {
        match counted.last_mut() {
            Some((kind, times)) if *kind == row.kind => *times += 1,
            _ => counted.push((&row.kind, 1)),
        }
    }
    let words = counted.iter().map(|(kind, times)| match times {
        1 => (*kind).to_owned(),
        _ => format!("{kind}s ({times})"),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// The load balancer of the API. CAPO notes its id late, so it is looked for by name too.
fn load_balancer(ground: Ground<'_, '_>, doc: Doc<'_>) -> Option<Node> {
    let cloud = &ground.snapshot.cloud;
    let noted = doc.at("status.apiServerLoadBalancer").map(Doc);
    let id = noted.and_then(|n| n.str("id"));
    let name = ground.snapshot.marks.api_load_balancer();
    let is_ours = |row: &&Doc<'_>| match id {
        Some(id) => row.str("id") == Some(id),
        None => name.is_some() && row.str("name") == name.as_deref(),
    };
    let Some(row) = cloud.load_balancers.some().iter().find(is_ours) else {
        let shown = noted?.str("name").or(id)?;
        let mut node = row::absent(ground, "LoadBalancer", shown, &cloud.load_balancers);
        node.folded.extend(id.map(str::to_owned));
        return Some(node);
    };
    let status = row.text("provisioning_status");
    let operating = row.text("operating_status");
    let mut node = row::plain("LoadBalancer", row.text("name"));
    node.folded.extend(row.str("id").map(str::to_owned));
    status.clone_into(&mut node.status);
    node.mood = match status {
        "ACTIVE" => Mood::Good,
        "ERROR" => Mood::Bad,
        "DELETED" if ground.snapshot.action == Action::Delete => Mood::Plain,
        _ => Mood::Unsure,
    };
    // OFFLINE is what Octavia says of every load balancer that it does not monitor.
    if matches!(operating, "ERROR" | "DEGRADED") {
        operating.clone_into(&mut node.reason);
        node.mood = Mood::Bad;
    }
    node.message = address(ground, *row, noted);
    node.since = row.time("updated_at").filter(|_| node.mood != Mood::Good);
    Some(node)
}

/// Its floating IP by Neutron's word, else the address that CAPO has noted, else its own.
fn address(ground: Ground<'_, '_>, balancer: Doc<'_>, noted: Option<Doc<'_>>) -> String {
    let port = balancer.str("vip_port_id");
    let floating =
        ground.snapshot.cloud.floating_ips.some().iter().find(|f| port.is_some() && f.str("port_id") == port);
    let address = floating.and_then(|f| f.str("floating_ip_address"));
    address
        .or_else(|| noted?.str("ip"))
        .or_else(|| balancer.str("vip_address"))
        .unwrap_or_default()
        .to_owned()
}
