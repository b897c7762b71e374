//! A port holds a security group of the cluster, so the group cannot be deleted.

use std::collections::BTreeMap;

use super::kit;
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::port::{self, Whose};
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Doc, Message, Snapshot};
use crate::report::{Risk, Thing};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "security-group-in-use",
    title: "a port still uses the cluster's security group",
    during: Actions::DELETE,
    stage: Stage::Groups,
    explains: &[],
    needs: &[
        "openstack/network/ports",
        "openstack/network/security-groups",
        "kubernetes/openstackcluster",
        "kubernetes/machine",
        "kubernetes/openstackmachine",
        "log:infrastructure-openstack",
    ],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see what the ports belong to").each("port", &["openstack port show {each}"]).when("ports"),
            Step::say("delete the ports that machines of this cluster left behind; nothing uses them any more")
                .each("left", &["openstack port delete {each}"])
                .when("left"),
            Step::say("see why these devices outlived their machines; their ports go with them")
                .each("device", &["openstack server show {each}"])
                .when("busy"),
            Step::say("ask the owner of the port, then take the group off it; the port itself is not the cluster's and stays")
                .each("unset", &["openstack port unset --security-group {each}"])
                .when("foreign"),
            Step::say("find the ports that have the group (an admin sees those of every project)")
                .each("group", &["openstack port list --long --security-group {each}"])
                .when("unknown"),
            kit::DELETE_AGAIN,
        ],
    },
    values: &["port", "left", "device", "unset", "group"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

Neutron deletes a security group only when no port has it, whatever network or project the port is
in. Rules of other groups that refer to it do not matter. CAPO deletes the groups last, after
machines, load balancer, router and network; the first refusal ends the pass and it tries again with
growing pauses. Such ports are mostly

- ports of machines whose server was never built or was lost: nothing has them any more, and CAPO
  does not look for them (releases before 0.8.0 left many, newer ones few);
- ports of somebody else, who gave them the cluster's group.

### How it is recognised

The ports are read and joined with the cluster's groups by id; Neutron's 409 SecurityGroupInUse never
names a port. So the port is found before CAPO has come to the groups, too. As long as a machine of
the cluster exists its ports are in order and nothing is said. If the refusal is there and no port that
was read has the group, the port belongs to a project that the login cannot see, or has gone since the
last try.

### Sources

- kubernetes-sigs/cluster-api-provider-openstack controllers/openstackcluster_controller.go, issues
  741, 976, 1596 and 2576
- vexxhost/magnum-cluster-api issues 63 and 188
- openstack/neutron neutron/db/securitygroups_db.py
";

/// A port that has one or more of the cluster's groups.
struct Holding<'w> {
    port: Doc<'w>,
    groups: Vec<(String, String)>,
    whose: Whose<'w>,
}

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let refusals = port::refused(snapshot, "security-groups");
    // Once CAPO is through with its OpenStackCluster nobody removes the groups any more.
    let waited_for = || Ok(!snapshot.kube.openstack_clusters.all()?.is_empty());
    if refusals.is_empty() && !(port::machines_gone(snapshot)? && waited_for()?) {
        return Ok(Vec::new());
    }
    let mut groups = port::groups(snapshot);
    for (_, id) in &refusals {
        groups.entry((*id).to_owned()).or_default();
    }
    let messages: Vec<&Message> = refusals.iter().map(|(message, _)| *message).collect();
    let holdings: Vec<Holding<'_>> =
        snapshot.cloud.ports.some().iter().filter_map(|port| holding(snapshot, *port, &groups)).collect();
    if !holdings.is_empty() {
        return Ok(vec![held(snapshot, &holdings, &messages)]);
    }
    let refused: BTreeMap<String, String> =
        groups.into_iter().filter(|(id, _)| refusals.iter().any(|(_, other)| other == id)).collect();
    if refused.is_empty() {
        return snapshot.cloud.ports.all().map(|_| Vec::new());
    }
    Ok(vec![unknown(snapshot, &refused, &messages)])
}

fn holding<'w>(
    snapshot: &Snapshot<'w>,
    port: Doc<'w>,
    groups: &BTreeMap<String, String>,
) -> Option<Holding<'w>> {
    let ids = port.strings("security_groups");
    let held: Vec<(String, String)> = groups
        .iter()
        .filter(|(id, _)| ids.contains(&id.as_str()))
        .map(|(id, role)| (id.clone(), role.clone()))
        .collect();
    (!held.is_empty()).then(|| Holding { port, groups: held, whose: port::whose(snapshot, port) })
}

fn held(snapshot: &Snapshot<'_>, holdings: &[Holding<'_>], messages: &[&Message]) -> Finding {
    let mut finding = Finding::new(headline(holdings)).flag("ports");
    for holding in holdings {
        let id = holding.port.text("id");
        finding =
            finding.says(sentence(snapshot, holding)).about(kit::row("port", holding.port)).value("port", id);
        finding = match holding.whose {
            Whose::Left => finding.flag("left").value("left", id),
            Whose::Busy(device) => finding.flag("busy").value("device", device),
            Whose::Foreign => {
                let unset =
                    |f: Finding, (group, _): &(String, String)| f.value("unset", format!("{group} {id}"));
                holding.groups.iter().fold(finding.flag("foreign"), unset)
            }
        };
    }
    for (id, role) in holdings.iter().flat_map(|h| &h.groups) {
        finding = finding.about(group(id, role));
    }
    let (before, after): (Vec<_>, Vec<_>) = holdings.iter().partition(|h| refused(messages, h));
    finding = finding.says(consequence(&before, &after));
    for evidence in kit::evidence_of(snapshot, messages).into_iter().take(2) {
        finding = finding.evidence(evidence);
    }
    for holding in holdings.iter().take(2) {
        finding = finding.evidence(proof(holding));
    }
    if holdings.iter().any(|h| h.whose == Whose::Left) {
        finding.risk = Some(Risk::Deletes);
    }
    kit::delete_goes_on(snapshot, finding)
}

fn refused(messages: &[&Message], holding: &Holding<'_>) -> bool {
    let path = |m: &Message| m.api.as_ref().and_then(|a| a.path.clone()).unwrap_or_default();
    messages.iter().any(|m| holding.groups.iter().any(|(id, _)| path(m).ends_with(id.as_str())))
}

fn consequence(now: &[&Holding<'_>], next: &[&Holding<'_>]) -> String {
    let refusal = "Neutron refuses to delete a group while a port has it, and does not say which port";
    match (now.len(), next.len()) {
        (_, 0) => format!("{refusal}."),
        (0, _) => "CAPO has not come to the security groups yet: this holds up the delete next.".to_owned(),
        (now, next) => format!(
            "{refusal}; CAPO was refused the group of {now} of them, that of the other {next} is next."
        ),
    }
}

fn headline(holdings: &[Holding<'_>]) -> String {
    let mut roles: Vec<String> =
        holdings.iter().flat_map(|h| &h.groups).map(|(_, role)| role.clone()).collect();
    roles.retain(|role| !role.is_empty());
    roles.sort();
    roles.dedup();
    let groups = if roles.len() > 1 { "security groups" } else { "security group" };
    let which =
        [kit::and(&roles), groups.to_owned()].into_iter().filter(|w| !w.is_empty()).collect::<Vec<_>>();
    let which = which.join(" ");
    match holdings {
        [one] => format!("port {} still uses the cluster's {which}", port::named(one.port)),
        many if many.iter().all(|h| h.whose == Whose::Left) => {
            format!("{} ports of machines that are gone still use the cluster's {which}", many.len())
        }
        many => format!("{} ports still use the cluster's {which}", many.len()),
    }
}

fn sentence(snapshot: &Snapshot<'_>, holding: &Holding<'_>) -> String {
    let groups: Vec<String> = holding
        .groups
        .iter()
        .map(|(id, role)| format!("{role} group {id}").trim_start().to_owned())
        .collect();
    let whose = match holding.whose {
        Whose::Left => "left by a machine of this cluster",
        Whose::Busy(_) => "of a machine of this cluster",
        Whose::Foreign => "not of this cluster",
    };
    let holder = port::holder(snapshot, holding.port);
    format!("Port {} has {}: {whose}, {holder}.", port::named(holding.port), kit::and(&groups))
}

fn proof(holding: &Holding<'_>) -> crate::report::Evidence {
    let port = holding.port;
    let ids = port.strings("security_groups").join(", ");
    let device = port.str("device_id").unwrap_or("none");
    let words = format!("security_groups {ids}; device_id {device}; status {}", port.text("status"));
    kit::seen(
        format!("Neutron, port {}", port::named(port)),
        format!("openstack port show {}", port.text("id")),
        words,
    )
}

fn group(id: &str, role: &str) -> Thing {
    let mut thing = kit::thing("security group", id);
    thing.name = (!role.is_empty()).then(|| role.to_owned());
    thing
}

/// The refusal is there, the port is not seen.
fn unknown(snapshot: &Snapshot<'_>, groups: &BTreeMap<String, String>, messages: &[&Message]) -> Finding {
    let names: Vec<String> = groups
        .iter()
        .map(|(id, role)| format!("{role} security group {id}").trim_start().to_owned())
        .collect();
    let why = if snapshot.cloud.ports.whole() {
        "No port that this login sees has it: the port is of another project, which only an admin sees, or has gone since CAPO's last try."
    } else {
        "Neutron does not say which port it is, and the list of ports was not read whole."
    };
    let mut finding = Finding::new(format!("a port still uses the cluster's {}", kit::and(&names)))
        .likely_if(true)
        .says(why)
        .flag("unknown");
    for (id, role) in groups {
        finding = finding.about(group(id, role)).value("group", id);
    }
    for evidence in kit::evidence_of(snapshot, messages) {
        finding = finding.evidence(evidence);
    }
    kit::delete_goes_on(snapshot, finding)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, report};

    const ID: &str = super::CAUSE.id;
    const PORTS: &str = "openstack/network/ports";
    const GROUP: &str = "99999999-2222-4333-8444-000000000001";

    /// A delete whose machines are gone, with the worker group still there.
    const DELETING: &str = r#"=== openstack/container-infra/clusters.json
{"clusters": [{"uuid": "11111111-2222-4333-8444-555555555555", "name": "web", "stack_id": "kube-abcde",
 "project_id": "p1", "status": "DELETE_IN_PROGRESS"}]}
=== openstack/network/security-groups.json
{"security_groups": [{"id": "99999999-2222-4333-8444-000000000001", "name": "k8s-cluster-magnum-system-kube-abcde-secgroup-worker"},
 {"id": "99999999-2222-4333-8444-000000000002", "name": "k8s-cluster-magnum-system-kube-abcde-x-secgroup-worker"}]}
=== kubernetes/objects.yaml
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: kube-abcde, namespace: magnum-system, deletionTimestamp: '2026-01-01T11:50:00Z'}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: OpenStackCluster
metadata: {name: kube-abcde-x1x1x, namespace: magnum-system, deletionTimestamp: '2026-01-01T11:51:00Z',
  labels: {cluster.x-k8s.io/cluster-name: kube-abcde}}
"#;

    /// CAPO's condition once Neutron has refused.
    const REFUSED: &str = r#"status:
  conditions:
  - {type: Ready, status: 'False', severity: Warning, reason: OpenStackError, lastTransitionTime: '2026-01-01T11:52:00Z',
     message: 'failed to delete security groups: Expected HTTP response code [202 204] when accessing [DELETE http://n:9696/v2.0/security-groups/99999999-2222-4333-8444-000000000001], but got 409 instead: {"NeutronError": {"type": "SecurityGroupInUse", "message": "Security Group 99999999-2222-4333-8444-000000000001 in use.", "detail": ""}}'}
"#;

    const MACHINE: &str = "---\napiVersion: cluster.x-k8s.io/v1beta1\nkind: Machine\n\
        metadata: {name: kube-abcde-m-1, namespace: magnum-system, labels: {cluster.x-k8s.io/cluster-name: kube-abcde}}\n";

    fn with_port(objects: &str, name: &str, description: &str, device: &str, group: &str) -> String {
        format!(
            "{objects}=== openstack/network/ports.json\n{{\"ports\": [{{\"id\": \"p-1\", \"name\": \"{name}\", \
             \"description\": \"{description}\", \"device_id\": \"{device}\", \"device_owner\": \"compute:nova\", \
             \"security_groups\": [\"{group}\"]}}]}}\n"
        )
    }

    fn lines(files: &str) -> Vec<String> {
        let report = report(files, &[]);
        report
            .causes
            .iter()
            .find(|c| c.id == ID)
            .unwrap()
            .fix
            .steps
            .iter()
            .flat_map(|s| s.run.clone())
            .collect()
    }

    #[test]
    fn the_port_is_named_before_and_after_the_refusal() {
        check(ID, &with_port(DELETING, "nic", "", "", GROUP), &[], "certain");
        check(ID, &with_port(&format!("{DELETING}{REFUSED}"), "nic", "", "", GROUP), &[], "certain");
    }

    #[test]
    fn a_group_that_nobody_removes_any_more_holds_nothing_up() {
        let gone = DELETING.split("=== kubernetes/objects.yaml").next().unwrap();
        check(ID, &with_port(gone, "nic", "", "", GROUP), &[], "no");
        check(ID, &with_port(gone, "nic", "", "", GROUP), &["kubernetes/openstackcluster"], "not checked");
    }

    #[test]
    fn a_foreign_port_is_never_deleted() {
        let lines = lines(&with_port(DELETING, "nic", "", "", GROUP));
        assert!(lines.contains(&format!("openstack port unset --security-group {GROUP} p-1")), "{lines:?}");
        assert!(!lines.iter().any(|l| l.contains("delete")), "{lines:?}");
    }

    #[test]
    fn a_port_that_a_machine_left_is_deleted_by_id() {
        let by = "Created by cluster-api-provider-openstack cluster";
        for (name, description) in [
            ("kube-abcde-m-1-0", ""),
            ("kube-abcde-m-1-0", &*format!("{by} kube-abcde")),
            ("any", &*format!("{by} magnum-system-kube-abcde")),
        ] {
            let lines = lines(&with_port(DELETING, name, description, "", GROUP));
            assert!(
                lines.contains(&"openstack port delete p-1".to_owned()),
                "{name} {description}: {lines:?}"
            );
        }
        let mine = lines(&with_port(DELETING, "kube-abcde-m-1-0", "my own card", "", GROUP));
        assert!(!mine.iter().any(|l| l.contains("delete")), "{mine:?}");
    }

    #[test]
    fn a_port_with_a_living_server_is_looked_at_first() {
        let servers = "=== openstack/compute/servers.json\n{\"servers\": [{\"id\": \"s-1\", \"name\": \"kube-abcde-m-1\"}]}\n";
        let port = with_port(DELETING, "kube-abcde-m-1-0", "", "s-1", GROUP);
        let alive = lines(&format!("{port}{servers}"));
        assert!(alive.contains(&"openstack server show s-1".to_owned()), "{alive:?}");
        assert!(!alive.iter().any(|l| l.contains("delete")), "{alive:?}");
        assert!(lines(&port).contains(&"openstack port delete p-1".to_owned()));
    }

    #[test]
    fn ports_are_in_order_while_a_machine_exists() {
        check(
            ID,
            &with_port(&format!("{DELETING}{MACHINE}"), "kube-abcde-m-1-0", "", "s-1", GROUP),
            &[],
            "no",
        );
    }

    #[test]
    fn the_group_of_a_longer_stack_id_is_another_clusters() {
        check(ID, &with_port(DELETING, "nic", "", "", "99999999-2222-4333-8444-000000000002"), &[], "no");
    }

    #[test]
    fn a_refusal_without_a_port_is_likely() {
        check(ID, &format!("{DELETING}{REFUSED}"), &[], "likely");
        check(ID, &format!("{DELETING}{REFUSED}"), &[PORTS], "likely");
    }

    #[test]
    fn without_ports_or_machines_nothing_is_concluded() {
        check(ID, DELETING, &[], "no");
        check(ID, DELETING, &[PORTS], "not checked");
        check(ID, DELETING, &["kubernetes/machine"], "not checked");
        check(ID, DELETING, &["log/capo-system"], "not checked");
    }
}
