//! A quota of the project is used up: one cause for every OpenStack service.

use std::collections::BTreeMap;

use super::kit::{self, thing};
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::api_error::{self, QuotaRefusal, Service};
use crate::model::node::Node;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Doc, Message, Snapshot, Source, version};
use crate::report::{Evidence, Recovers, Risk, Thing};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "quota-used-up",
    title: "a quota of the project is used up",
    during: Actions::ALIVE,
    stage: Stage::Server,
    explains: &["node-never-joined"],
    needs: &[
        "openstack/container-infra/clusters",
        "openstack/container-infra/nodegroups",
        "openstack/compute/servers",
        "kubernetes/openstackcluster",
        "kubernetes/openstackmachine",
        "kubernetes/openstackserver",
        "log:infrastructure-openstack",
    ],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see the limits and what uses them")
                .run(&["openstack quota show --usage {project_id}"]),
            Step::say("raise the quota (needs an admin), or free some of it")
                .each("set", &["{each}"])
                .unless("raised"),
            Step::say("see whether CAPO has given the server up (instanceState ERROR): then its Machine has to go")
                .run(&["kubectl -n {namespace} get machines,openstackservers -l cluster.x-k8s.io/cluster-name={stack_id}"])
                .when("unread"),
            Step::say("have the machine made anew: CAPO never tries this server again")
                .each("machine", &["kubectl -n {namespace} delete machine {each}"])
                .when("given-up"),
            Step::say("delete the cluster and create it again: a failed create never goes on by itself")
                .run(&["openstack coe cluster delete {uuid}"])
                .when("create-failed"),
            Step::say("repeat the operation: Magnum does not repeat it by itself").when("failed"),
        ],
    },
    values: &["set", "machine"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

An OpenStack service refuses to make a thing because the project has reached its limit. What
the service makes of it differs:

- Neutron and Octavia refusals are retried by CAPO and end once there is room again, up to about
  ten minutes later.
- A server that Nova refuses is given up for good by CAPO 0.11 and newer; only a new Machine gets a
  new server. In a group of several machines the MachineHealthCheck makes one about ten minutes
  later; the only machine of a group is never replaced. CAPO 0.10 and older tries again.
- A refusal during the driver's own requests (server groups) ends in CREATE_FAILED.

### How it is recognised

A current message holds a quota refusal of a service: Neutron's 409 OverQuota, Nova's 403 \"Quota
exceeded for …\" (as a condition of the OpenStackServer, as an event, in CAPO's log, or as the fault
of a server in ERROR), Octavia's 403, Cinder's 413, or openstacksdk's exception in Magnum's
status_reason. It is not a quota problem if a later request of the same kind succeeded. A quota that
has been raised since does not contradict it: the refusal is then told as what was.

### Sources

- openstack/neutron neutron/quota, neutron-lib exceptions (OverQuota is a 409)
- openstack/nova nova/exception.py (QuotaError, TooManyInstances)
- kubernetes-sigs/cluster-api-provider-openstack controllers/openstackserver_controller.go
- kubernetes-sigs/cluster-api internal/controllers/machinehealthcheck (maxUnhealthy rounds down)
";

/// A quota that refused something.
struct Refused<'a> {
    refusal: QuotaRefusal,
    service: Service,
    messages: Vec<&'a Message>,
}

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let mut by_quota: BTreeMap<(String, Vec<String>), Refused<'_>> = BTreeMap::new();
    for message in snapshot.said.messages.iter().filter(|m| m.current()) {
        let Some(refusal) = api_error::quota(&message.text) else { continue };
        let service = service(message, &refusal);
        let key = (format!("{service:?}"), refusal.resources.clone());
        let entry = by_quota.entry(key).or_insert_with(|| Refused { refusal, service, messages: Vec::new() });
        entry.messages.push(message);
    }
    Ok(by_quota.values().map(|refused| finding(snapshot, refused)).collect())
}

/// Nova's fault of a server names no service.
fn service(message: &Message, refusal: &QuotaRefusal) -> Service {
    let told = message.api.as_ref().map(|a| a.service).filter(|s| *s != Service::Unknown);
    told.unwrap_or_else(|| {
        let compute = ["cores", "ram", "instances", "server_groups", "server_group_members"];
        let nova = refusal.resources.iter().any(|r| compute.contains(&r.as_str()));
        if nova || matches!(message.source, Source::Fault(_)) { Service::Nova } else { Service::Unknown }
    })
}

fn finding(snapshot: &Snapshot<'_>, refused: &Refused<'_>) -> Finding {
    let nodes = nodes(snapshot, refused);
    let rows: Vec<Row> = refused.refusal.resources.iter().map(|r| row(snapshot, refused, r)).collect();
    let raised = !rows.is_empty() && rows.iter().all(|r| r.raised(refused));
    let failed =
        refused.messages.iter().any(|m| matches!(m.source, Source::ClusterReason | Source::GroupReason(_)));
    let mut headline = headline(snapshot, refused, &nodes);
    if raised {
        headline = headline.replace(" refuses ", " refused ").replace("is used up", "was used up");
    }
    let mut finding =
        Finding::new(headline).likely_if((raised && !failed) || refused.messages.iter().all(|m| m.weak));
    if let Some(numbers) = numbers(refused, &rows, raised) {
        finding = finding.says(numbers);
    }
    for message in &refused.messages {
        finding = finding.about(kit::subject(message));
    }
    for node in &nodes {
        finding = finding.about(thing("Machine", node.name));
    }
    finding = finding.about(quota_thing(snapshot, refused));
    for evidence in kit::evidence_of(snapshot, &refused.messages) {
        finding = finding.evidence(evidence);
    }
    finding = rows.iter().filter_map(|r| r.evidence(snapshot)).fold(finding, Finding::evidence);
    finding.stage = Some(stage(refused));
    ends(snapshot, refused, &nodes, if raised { finding.flag("raised") } else { finding })
}

fn headline(snapshot: &Snapshot<'_>, refused: &Refused<'_>, nodes: &[&Node<'_>]) -> String {
    let service = refused.service.word();
    let project = snapshot.project_name().or(snapshot.project_id());
    let project = project.map_or_else(|| "the cluster's project".to_owned(), |p| format!("project {p}"));
    let what = kit::and(&refused.refusal.resources.iter().map(|r| words(r)).collect::<Vec<_>>());
    let refuses = match nodes {
        [] => "refuses the request".to_owned(),
        [one] if one.control_plane => format!("refuses the server of control plane machine {}", one.name),
        [one] => match one.group {
            Some(group) => format!("refuses the server of machine {} (node group {group})", one.name),
            None => format!("refuses the server of machine {}", one.name),
        },
        several => format!("refuses the servers of {} machines", several.len()),
    };
    if what.is_empty() {
        return format!("{service} {refuses}: a quota of {project} is used up");
    }
    format!("{service} {refuses}: the quota of {project} for {what} is used up")
}

/// Words of an operator for a quota's name.
fn words(resource: &str) -> String {
    match resource {
        "ram" => "RAM".to_owned(),
        "floatingip" => "floating IPs".to_owned(),
        "loadbalancer" => "load balancers".to_owned(),
        "gigabytes" => "volume gigabytes".to_owned(),
        other => {
            let name = other.replace('_', " ");
            if name.ends_with('s') { name } else { format!("{name}s") }
        }
    }
}

/// What the quota list says of a resource now.
struct Row {
    resource: String,
    limit: Option<i64>,
    used: Option<i64>,
    place: &'static str,
}

impl Row {
    fn raised(&self, refused: &Refused<'_>) -> bool {
        let (Some(limit), Some(used)) = (self.limit, self.used) else { return false };
        let wanted = refused.refusal.requested.and_then(|r| i64::try_from(r).ok()).unwrap_or(1);
        limit < 0 || used + wanted <= limit
    }

    fn evidence(&self, snapshot: &Snapshot<'_>) -> Option<Evidence> {
        let limit = self.limit?;
        let project = snapshot.project_id().unwrap_or_default();
        let used = self.used.map_or_else(|| "use not told".to_owned(), |used| format!("{used} used"));
        let place = format!("openstack {} {project}", self.place);
        Some(kit::seen(
            format!("quota of the project, {}", self.resource),
            place,
            format!("limit {limit}, {used}"),
        ))
    }
}

fn row(snapshot: &Snapshot<'_>, refused: &Refused<'_>, resource: &str) -> Row {
    let (part, body, used, place) = match refused.service {
        Service::Neutron => ("openstack/network/quotas", "quota", "used", "quota show --network --usage"),
        Service::Octavia => ("openstack/load-balancer/quotas", "quota", "used", "loadbalancer quota show"),
        Service::Cinder => ("openstack/volume/quotas", "quota_set", "in_use", "quota show --volume --usage"),
        _ => ("openstack/compute/quotas", "quota_set", "in_use", "quota show --compute --usage"),
    };
    let quotas = snapshot.world.body(part).and_then(|b| b.at(body)).map(Doc);
    let number = |field: &str| quotas?.int(&format!("{resource}.{field}"));
    let plain = quotas.and_then(|q| q.int(resource));
    Row { resource: resource.to_owned(), limit: number("limit").or(plain), used: number(used), place }
}

/// What was asked for, and what there is now.
fn numbers(refused: &Refused<'_>, rows: &[Row], raised: bool) -> Option<String> {
    let told: Vec<String> = rows
        .iter()
        .filter_map(|r| Some(format!("{} of {} {}", r.used?, r.limit?, words(&r.resource))))
        .collect();
    if told.is_empty() {
        return None;
    }
    let now = kit::and(&told);
    if raised {
        return Some(format!("There is room by now ({now} in use), so this tells what was."));
    }
    let asked = refused.refusal.requested.filter(|_| rows.len() == 1);
    let too_small = asked.is_some_and(|asked| {
        rows.iter()
            .all(|r| r.limit.is_some_and(|limit| limit >= 0 && u64::try_from(limit).is_ok_and(|l| l < asked)))
    });
    let asked = asked.map(|n| format!("Asked for {n}; ")).unwrap_or_default();
    let tail = if too_small { ", so the quota itself is too small for one machine" } else { "" };
    Some(format!("{asked}{now} are in use{tail}."))
}

fn nodes<'a, 'w>(snapshot: &'a Snapshot<'w>, refused: &Refused<'_>) -> Vec<&'a Node<'w>> {
    let named = |n: &&Node<'_>| refused.messages.iter().any(|m| m.name == n.name || m.name == n.infra_name());
    snapshot.nodes.iter().filter(named).filter(|n| n.machine.is_some()).collect()
}

fn quota_thing(snapshot: &Snapshot<'_>, refused: &Refused<'_>) -> Thing {
    let mut thing = thing("quota", &refused.refusal.resources.join(","));
    thing.project = snapshot.project_id().map(str::to_owned);
    thing
}

/// Where in the life of the cluster the refused thing stands.
fn stage(refused: &Refused<'_>) -> Stage {
    if refused.messages.iter().any(|m| matches!(m.source, Source::ClusterReason | Source::GroupReason(_))) {
        return Stage::Topology;
    }
    let has = |names: &[&str]| refused.refusal.resources.iter().any(|r| names.contains(&r.as_str()));
    match refused.service {
        Service::Neutron if has(&["floatingip"]) => Stage::LoadBalancer,
        Service::Neutron if has(&["port"]) => Stage::Server,
        Service::Neutron => Stage::Network,
        Service::Octavia => Stage::LoadBalancer,
        _ => Stage::Server,
    }
}

/// Whether it ends, and with it the steps of the fix.
fn ends(
    snapshot: &Snapshot<'_>,
    refused: &Refused<'_>,
    nodes: &[&Node<'_>],
    mut finding: Finding,
) -> Finding {
    for resource in &refused.refusal.resources {
        finding = finding.value("set", set(snapshot, refused, resource));
    }
    if snapshot.status() == "CREATE_FAILED" {
        finding.risk = Some(Risk::Deletes);
        return finding
            .flag("create-failed")
            .recovers(Recovers::Never, "It does not end by itself: CREATE_FAILED is never looked at again.");
    }
    if refused.messages.iter().any(|m| matches!(m.source, Source::ClusterReason | Source::GroupReason(_))) {
        return finding.flag("failed").recovers(
            Recovers::AfterFix,
            "Magnum does not try again: repeat the operation once there is room.",
        );
    }
    let alone = nodes.iter().copied().filter(|n| n.given_up() && !kit::machine::replaceable(snapshot, n));
    let alone: Vec<&Node<'_>> = alone.collect();
    if alone.is_empty() {
        let given_up = nodes.iter().any(|n| n.given_up());
        let server = matches!(refused.service, Service::Nova) && stage(refused) == Stage::Server;
        let old = snapshot.capo().and_then(|v| version::at_least(v, "0.11")) == Some(false);
        let unknown = kit::machine::unknown(snapshot, nodes, "there is room").filter(|_| server);
        return if let Some(says) = unknown {
            finding.flag("unread").recovers(Recovers::AfterFix, says)
        } else if given_up || (server && !old) {
            finding.recovers(
                Recovers::AfterFix,
                "Once there is room the next machine gets its server: the MachineHealthCheck replaces the refused one about every 10 minutes.",
            )
        } else {
            finding.recovers(
                Recovers::AfterFix,
                "Once there is room it goes on by itself: CAPO tries again, up to 10 minutes apart.",
            )
        };
    }
    if alone.iter().any(|n| kit::machine::keeps_the_control_plane(snapshot, n)) {
        return finding.recovers(
            Recovers::Never,
            "It does not end by itself, and the machine must not be deleted: it is the only one that the control plane has.",
        );
    }
    for node in &alone {
        finding = finding.value("machine", node.name);
    }
    finding.risk = Some(Risk::Deletes);
    let says = kit::machine::gave_up(snapshot, &alone, "with more quota");
    finding.flag("given-up").recovers(Recovers::Never, says)
}

fn set(snapshot: &Snapshot<'_>, refused: &Refused<'_>, resource: &str) -> String {
    let project = snapshot.project_id().unwrap_or("<project id>");
    let row = row(snapshot, refused, resource);
    let wanted = refused
        .refusal
        .requested
        .and_then(|r| i64::try_from(r).ok())
        .filter(|_| refused.refusal.resources.len() == 1);
    let room =
        row.used.map(|used| used + wanted.unwrap_or(1)).filter(|room| row.limit.is_some_and(|l| l < *room));
    let number = room.map_or_else(|| "<number>".to_owned(), |n| n.to_string());
    let (command, flag) = match (refused.service, resource) {
        (Service::Octavia, name) => ("openstack loadbalancer quota set", name.to_owned()),
        (_, "floatingip") => ("openstack quota set", "floating-ips".to_owned()),
        (_, "security_group") => ("openstack quota set", "secgroups".to_owned()),
        (_, "security_group_rule") => ("openstack quota set", "secgroup-rules".to_owned()),
        (Service::Neutron, name) => ("openstack quota set", format!("{}s", name.replace('_', "-"))),
        (_, name) => ("openstack quota set", name.replace('_', "-")),
    };
    format!("{command} --{flag} {number} {project}")
}

#[cfg(test)]
mod tests;
