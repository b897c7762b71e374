//! Who holds a thing, so that it cannot go yet.
//!
//! Sources: openstack/neutron neutron/db (what makes a group, a network, a router in use);
//! openstack/octavia octavia/api/v2 (immutable states); openstack/cinder cinder/volume/api.py
//! (states in which a volume can be deleted).

use std::collections::BTreeMap;

use super::balancers::is_address;
use super::item::{Held, Item, thing, word};
use super::kind::Kind;
use super::ties::Ties;
use crate::model::balancer::{self, status};
use crate::model::{Doc, port};
use crate::report::{Holder, Life, Thing};

/// Fills in the holders of every item.
pub(super) fn hold<'w>(ties: &Ties<'_, 'w>, life: Life, items: &mut [Item<'w>]) {
    let ids = items.iter().map(|item| (item.id(), item)).collect();
    let balancers = items.iter().filter(|item| item.kind == Kind::LoadBalancer).collect();
    let look = Look { ties, life, ids, balancers, ports: by_place(ties) };
    let found: Vec<(Vec<Held<'w>>, Vec<String>)> = items.iter().map(|item| look.at(item)).collect();
    for (item, (held, before)) in items.iter_mut().zip(found) {
        item.held = held;
        item.before = before;
    }
}

/// Ports by network, group and router: a project may have thousands, so they are sorted once.
fn by_place<'w>(ties: &Ties<'_, 'w>) -> BTreeMap<&'w str, Vec<Doc<'w>>> {
    let mut places: BTreeMap<&'w str, Vec<Doc<'w>>> = BTreeMap::new();
    for row in ties.snapshot.cloud.ports.some().iter().copied() {
        let groups = row.strings("security_groups");
        for place in [row.text("network_id"), row.text("device_id")].into_iter().chain(groups) {
            places.entry(place).or_default().push(row);
        }
    }
    places
}

/// What the holders are looked for in.
struct Look<'a, 's, 'w> {
    ties: &'a Ties<'s, 'w>,
    life: Life,
    ids: BTreeMap<&'w str, &'a Item<'w>>,
    balancers: Vec<&'a Item<'w>>,
    ports: BTreeMap<&'w str, Vec<Doc<'w>>>,
}

impl<'w> Look<'_, '_, 'w> {
    /// Holders of an item, and the lines to run before it can be removed.
    fn at(&self, item: &Item<'w>) -> (Vec<Held<'w>>, Vec<String>) {
        let row = item.row;
        match item.kind {
            Kind::Object => (self.finalizers(row, self.life == Life::Deleting), Vec::new()),
            Kind::ResourceSet | Kind::Secret if row.deleting().is_some() => {
                (self.finalizers(row, false), Vec::new())
            }
            Kind::LoadBalancer => (self.of_balancer(item), Vec::new()),
            Kind::FloatingIp => (self.of_address(row), Vec::new()),
            Kind::Volume | Kind::DataVolume => self.of_volume(row),
            Kind::Trunk => (self.device(row), Vec::new()),
            Kind::Port => (self.of_port(row), Vec::new()),
            Kind::Router => self.of_router(row),
            Kind::Subnet => {
                let here = |p: &Doc<'w>| p.list("fixed_ips").any(|ip| ip.text("subnet_id") == item.id());
                (self.on_network(row.text("network_id"), here), Vec::new())
            }
            Kind::Network => (self.on_network(item.id(), |_| true), Vec::new()),
            Kind::SecurityGroup => {
                let ports = self.ports.get(item.id()).into_iter().flatten();
                (ports.map(|p| self.port(*p, "has the group")).collect(), Vec::new())
            }
            _ => (Vec::new(), Vec::new()),
        }
    }

    fn finalizers(&self, row: Doc<'w>, passing: bool) -> Vec<Held<'w>> {
        let names = row.strings("metadata.finalizers").into_iter();
        names.map(|name| state("finalizer", name, "its controller has not finished", passing)).collect()
    }

    fn of_balancer(&self, item: &Item<'w>) -> Vec<Held<'w>> {
        let mut held = Vec::new();
        let now = status(item.row);
        if now.starts_with("PENDING_") {
            let since = balancer::touched(item.row).map(|at| self.ties.snapshot.age(at));
            let says = match since {
                Some(age) if age < balancer::AT_WORK => "Octavia is at it",
                _ => "Octavia has not finished, and refuses every change meanwhile",
            };
            let passing = self.life == Life::Deleting && since.is_some_and(|age| age < balancer::AT_WORK);
            held.push(state("provisioning_status", now, says, passing));
        }
        if item.shared {
            held.push(state("tags", "kube_service_…", "it serves Services of others, too", false));
        }
        held
    }

    /// A floating IP that hangs on something of somebody else is in use there.
    fn of_address(&self, row: Doc<'w>) -> Vec<Held<'w>> {
        let Some(id) = row.str("port_id") else { return Vec::new() };
        let list = &self.ties.snapshot.cloud.ports;
        match list.some().iter().find(|p| p.text("id") == id) {
            Some(port) if self.balancer(*port).is_some() || self.item(id).is_some() => Vec::new(),
            Some(port) => vec![self.port(*port, "has the address")],
            None if list.whole() => Vec::new(),
            None => vec![state("port", id, "has the address, and was not read", false)],
        }
    }

    fn of_volume(&self, row: Doc<'w>) -> (Vec<Held<'w>>, Vec<String>) {
        let mut held = Vec::new();
        let mut before = Vec::new();
        for attachment in row.list("attachments") {
            let server = attachment.text("server_id");
            let holder = self.server(server);
            if holder.passing
                && let Some(id) = attachment.str("attachment_id")
            {
                before.push(format!(
                    "openstack --os-volume-api-version 3.27 volume attachment delete {}",
                    word(id)
                ));
            }
            held.push(holder);
        }
        let now = row.text("status");
        if held.is_empty()
            && !matches!(
                now,
                "available"
                    | "error"
                    | "error_deleting"
                    | "error_restoring"
                    | "error_extending"
                    | "error_managing"
                    | ""
            )
        {
            held.push(state("status", now, "Cinder deletes no volume in this state", false));
        }
        for snapshot in
            self.ties.snapshot.cloud.snapshots.some().iter().filter(|s| s.text("volume_id") == row.text("id"))
        {
            held.push(other("volume snapshot", *snapshot, "was made of it"));
        }
        (held, before)
    }

    /// The server that has something. One that does not exist any more holds nothing for long.
    fn server(&self, id: &'w str) -> Held<'w> {
        let list = &self.ties.snapshot.cloud.servers;
        match list.some().iter().find(|s| s.text("id") == id) {
            Some(server) => other("server", *server, "has it"),
            None if list.whole() => {
                state("server", id, "does not exist any more, and its attachment was left", true)
            }
            None => state("server", id, "has it, and was not read", false),
        }
    }

    /// What a port, or a trunk with it, is plugged into.
    fn device(&self, row: Doc<'w>) -> Vec<Held<'w>> {
        let Some(device) = row.str("device_id") else { return Vec::new() };
        let owner = row.text("device_owner");
        if owner.starts_with("compute:") {
            return Some(self.server(device)).filter(|held| !held.passing).into_iter().collect();
        }
        // The address of a load balancer is listed only once that is gone.
        if port::balancer(row).is_some() {
            return Vec::new();
        }
        vec![state("device", device, "has it", false)]
    }

    fn of_port(&self, row: Doc<'w>) -> Vec<Held<'w>> {
        let monitor =
            row.text("device_owner") == "ovn-lb-hm:distributed" || row.text("name").starts_with("ovn-lb-hm-");
        if monitor {
            let list = &self.ties.snapshot.cloud.load_balancers;
            let on_it = list.some().iter().filter(|l| l.str("vip_network_id") == row.str("network_id"));
            let alive = on_it.filter(|l| status(**l) != "DELETED");
            let mut held: Vec<Held<'w>> =
                alive.map(|l| other("load balancer", *l, "is checked through it")).collect();
            if !list.whole() {
                held.push(state("load balancers", "", "were not read", false));
            }
            return held;
        }
        let mut held = self.device(row);
        if let Some(trunk) = row.str("trunk_details.trunk_id") {
            held.push(state("trunk", trunk, "has it as its parent", false));
        }
        held
    }

    fn of_router(&self, row: Doc<'w>) -> (Vec<Held<'w>>, Vec<String>) {
        let id = row.text("id");
        let own = |network: &str| self.item(network).is_some_and(|i| i.kind == Kind::Network);
        let mut held = Vec::new();
        let mut before = Vec::new();
        let interfaces = self.ports.get(id).into_iter().flatten();
        for interface in interfaces.filter(|p| is_interface(**p)) {
            if own(interface.text("network_id")) {
                before.push(format!(
                    "openstack router remove port {} {}",
                    word(id),
                    word(interface.text("id"))
                ));
            } else {
                held.push(other(
                    "port",
                    *interface,
                    "is an interface to a network that is not the cluster's",
                ));
            }
        }
        for address in
            self.ties.snapshot.cloud.floating_ips.some().iter().filter(|f| f.text("router_id") == id)
        {
            let mut holder = other("floating IP", *address, "leads through it");
            holder.holder.thing.name = address.str("floating_ip_address").map(str::to_owned);
            // It is let go when its port goes, which is before the router.
            let ports = &self.ties.snapshot.cloud.ports;
            let port = ports.some().iter().find(|p| p.str("id") == address.str("port_id"));
            holder.passing = port.is_some_and(|p| {
                self.item(p.text("id")).or_else(|| self.balancer(*p)).is_some_and(|i| !i.shared)
            });
            held.push(holder);
        }
        (held, before)
    }

    /// Ports on a network that do not go with it or with the cluster's own router.
    fn on_network(&self, network: &str, here: impl Fn(&Doc<'w>) -> bool) -> Vec<Held<'w>> {
        let own_router = |p: Doc<'w>| {
            is_interface(p) && self.item(p.text("device_id")).is_some_and(|i| i.kind == Kind::Router)
        };
        let ports = self.ports.get(network).into_iter().flatten();
        let ports = ports.filter(|p| p.text("network_id") == network && here(p));
        ports.filter(|p| !goes_along(**p) && !own_router(**p)).map(|p| self.port(*p, "is on it")).collect()
    }

    /// A port as a holder: of the cluster's, of its load balancer, or somebody else's.
    fn port(&self, row: Doc<'w>, how: &str) -> Held<'w> {
        if let Some(balancer) = self.balancer(row).filter(|_| self.item(row.text("id")).is_none()) {
            return other("load balancer", balancer.row, &format!("{how} with its port {}", row.text("id")));
        }
        if self.item(row.text("id")).is_some() {
            return other("port", row, how);
        }
        let whose = port::holder(self.ties.snapshot, row);
        other("port", row, &format!("{how}; not of this cluster, {whose}"))
    }

    fn item(&self, id: &str) -> Option<&Item<'w>> {
        self.ids.get(id).copied()
    }

    /// The load balancer whose address a port is.
    fn balancer(&self, port: Doc<'_>) -> Option<&Item<'w>> {
        self.balancers.iter().copied().find(|item| is_address(port, item.row))
    }
}

/// Ports that Neutron removes with the network (neutron/db/db_base_plugin_v2.py, AUTO_DELETE_PORT_OWNERS).
fn goes_along(port: Doc<'_>) -> bool {
    matches!(
        port.text("device_owner"),
        "network:dhcp"
            | "network:distributed"
            | "network:floatingip_agent_gateway"
            | "network:router_centralized_snat"
    )
}

/// Interfaces of routers, of all kinds of routers; not their gateways.
fn is_interface(port: Doc<'_>) -> bool {
    matches!(
        port.text("device_owner"),
        "network:router_interface"
            | "network:router_interface_distributed"
            | "network:ha_router_replicated_interface"
    )
}

/// A state that has to change first.
fn state<'w>(kind: &str, id: &'w str, says: &str, passing: bool) -> Held<'w> {
    let thing = Thing { kind: kind.to_owned(), id: id.to_owned(), name: None, project: None };
    Held { holder: Holder { thing, says: says.to_owned(), order: None }, id, passing }
}

/// A row of a list as a holder.
fn other<'w>(kind: &str, row: Doc<'w>, says: &str) -> Held<'w> {
    Held {
        holder: Holder { thing: thing(kind, row), says: says.to_owned(), order: None },
        id: row.text("id"),
        passing: false,
    }
}
