//! A network has no address left for the cluster.

use std::collections::BTreeMap;

use super::kit;
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::api_error::Service;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Message, Snapshot, balancer, port};
use crate::report::{Recovers, Risk};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "no-free-address",
    title: "a network has no free address left",
    during: Actions::ALIVE,
    stage: Stage::LoadBalancer,
    explains: &[],
    needs: &["kubernetes/openstackcluster", "kubernetes/openstackserver", "log:infrastructure-openstack"],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see how many addresses the network has and uses (needs an admin)").run(&["openstack ip availability show {network}"]),
            Step::say("release floating IPs of the project that are on no port, or have an admin give the network another subnet or allocation pool")
                .run(&["openstack floating ip list --long --network {network} --status DOWN"])
                .when("external"),
            Step::say("give up addresses that nobody uses, or have the owner of the network widen its allocation pools or add a subnet")
                .run(&["openstack port list --long --network {network}", "openstack subnet list --long --network {network}"])
                .unless("external"),
            Step::say("or create the cluster with another external network (label or template)").when("external"),
        ],
    },
    values: &["network"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

Neutron has no address left in the pools of a network and refuses to make a port or floating IP there.
On the external network this stops the router's gateway or the API load balancer's floating IP; CAPO
calls both a failure of the load balancer or the router. On the network of the nodes it stops the port of
a machine. The status is 409, as with a quota: only the error's type tells them apart.

### How it is recognised

A current message holds Neutron's IpAddressGenerationFailure or ExternalIpAddressExhausted; the network
is the one that its text names.

### Sources

- openstack/neutron-lib neutron_lib/exceptions (both types)
- openstack/neutron neutron/db/l3_db.py (addresses of gateways and floating IPs)
- kubernetes-sigs/cluster-api-provider-openstack pkg/cloud/services/networking/floatingip.go
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let kinds = ["IpAddressGenerationFailure", "ExternalIpAddressExhausted"];
    let mut by_network: BTreeMap<&str, Vec<&Message>> = BTreeMap::new();
    for message in kinds.iter().flat_map(|kind| kit::refused_as(snapshot, kind)) {
        let text = message.api.as_ref().and_then(|a| a.text.as_deref()).unwrap_or_default();
        if let Some(network) = port::ids(text).first() {
            by_network.entry(network).or_default().push(message);
        }
    }
    Ok(by_network.iter().map(|(network, messages)| finding(snapshot, network, messages)).collect())
}

fn finding(snapshot: &Snapshot<'_>, network: &str, messages: &[&Message]) -> Finding {
    let external = external(snapshot, network);
    let kind = if external { "external network" } else { "network" };
    let name = name(snapshot, network).map(|name| format!(" \"{name}\"")).unwrap_or_default();
    let (what, stage) = wanted(messages);
    let mut finding = Finding::new(format!("{kind} {network}{name} has no free address left for {what}"))
        .likely_if(messages.iter().all(|m| m.weak))
        .about(kit::thing("network", network))
        .value("network", network)
        .recovers(Recovers::AfterFix, "Once there is a free address it goes on by itself: CAPO tries again, up to 16 minutes after its last try.");
    for message in messages {
        finding = finding.about(kit::subject(message));
    }
    for evidence in kit::evidence_of(snapshot, messages) {
        finding = finding.evidence(evidence);
    }
    if external {
        finding = finding.flag("external");
    }
    let active = balancer::api(snapshot).is_some_and(|l| balancer::status(l) == "ACTIVE");
    if active && messages.iter().any(|m| m.has("failed to reconcile load balancer")) {
        finding = finding.not_it(
            "\"failed to reconcile load balancer\"",
            "the load balancer is ACTIVE; the step is that of its floating IP",
        );
    }
    finding.stage = Some(stage);
    finding
}

/// What the address is for, by the refused request.
fn wanted(messages: &[&Message]) -> (&'static str, Stage) {
    let asked = |word: &str| {
        messages
            .iter()
            .any(|m| m.api.as_ref().and_then(|a| a.path.as_deref()).is_some_and(|p| p.contains(word)))
    };
    let octavia = messages.iter().any(|m| m.api.as_ref().is_some_and(|a| a.service == Service::Octavia));
    if asked("/floatingips") {
        ("the floating IP of the cluster's API", Stage::LoadBalancer)
    } else if octavia {
        ("the API load balancer", Stage::LoadBalancer)
    } else if asked("/routers") {
        ("the cluster's router", Stage::Network)
    } else if asked("/ports") {
        ("the port of a machine", Stage::Server)
    } else {
        ("the cluster", Stage::Network)
    }
}

fn external(snapshot: &Snapshot<'_>, network: &str) -> bool {
    let listed =
        snapshot.cloud.networks.some().iter().any(|n| n.text("id") == network && n.is("router:external"));
    listed
        || snapshot.kube.openstack_cluster().is_some_and(|c| {
            ["status.externalNetwork.id", "spec.externalNetwork.id"]
                .iter()
                .any(|path| c.str(path) == Some(network))
        })
}

fn name<'w>(snapshot: &Snapshot<'w>, network: &str) -> Option<&'w str> {
    let listed =
        snapshot.cloud.networks.some().iter().find(|n| n.text("id") == network).and_then(|n| n.str("name"));
    listed.or_else(|| {
        let cluster = snapshot.kube.openstack_cluster()?;
        (cluster.str("status.externalNetwork.id") == Some(network))
            .then(|| cluster.str("status.externalNetwork.name"))?
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{balancer, check, report};

    const ID: &str = super::CAUSE.id;
    const NETWORK: &str = "55555555-0000-4000-8000-000000000001";

    fn refused(collection: &str, kind: &str) -> String {
        let cluster = balancer(
            "CREATE_IN_PROGRESS",
            "k8s-clusterapi-cluster-magnum-system-kube-abcde-kubeapi",
            "ACTIVE",
            "2026-01-01T11:50:00",
        );
        format!(
            "{cluster}=== kubernetes/objects.yaml\napiVersion: infrastructure.cluster.x-k8s.io/v1beta1\nkind: OpenStackCluster\n\
             metadata: {{name: kube-abcde-x1x1x, namespace: magnum-system, labels: {{cluster.x-k8s.io/cluster-name: kube-abcde}}}}\n\
             spec: {{externalNetwork: {{id: {NETWORK}}}}}\nstatus:\n  conditions:\n  - {{type: Ready, status: 'False', severity: Warning, \
             reason: OpenStackError, lastTransitionTime: '2026-01-01T11:52:00Z', message: 'failed to reconcile load balancer: Expected HTTP \
             response code [201 202] when accessing [POST http://n:9696/v2.0/{collection}], but got 409 instead: {{\"NeutronError\": {{\"type\": \
             \"{kind}\", \"message\": \"No more IP addresses available on network {NETWORK}.\", \"detail\": \"\"}}}}'}}\n"
        )
    }

    #[test]
    fn the_network_and_the_use_are_told() {
        for (collection, words) in [
            ("floatingips", "floating IP of the cluster's API"),
            ("routers", "the cluster's router"),
            ("ports", "port of a machine"),
        ] {
            let files = refused(collection, "IpAddressGenerationFailure");
            check(ID, &files, &[], "certain");
            let headline = report(&files, &[]).causes[0].says[0].clone();
            assert!(headline.contains(words) && headline.contains(NETWORK), "{headline}");
        }
    }

    #[test]
    fn a_quota_is_another_409() {
        check(ID, &refused("floatingips", "OverQuota"), &[], "no");
    }

    #[test]
    fn without_the_infrastructure_it_is_not_checked() {
        let magnum = refused("floatingips", "OverQuota").split("=== kubernetes").next().unwrap().to_owned();
        check(ID, &magnum, &["kubernetes/openstackcluster"], "not checked");
        check(ID, &magnum, &["log/capo-system"], "not checked");
    }
}
