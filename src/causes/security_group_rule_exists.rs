//! Neutron refuses a rule of the cluster's security group because there is an equal one.

use super::kit;
use super::{Cause, Finding, Fix, Look, Range, Step};
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Doc, Message, Snapshot, port, version};
use crate::report::{Recovers, Risk};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "security-group-rule-exists",
    title: "a rule of the cluster's security group exists already",
    during: Actions::ALIVE,
    stage: Stage::Network,
    explains: &[],
    needs: &["openstack/network/security-groups", "kubernetes/openstackcluster", "kubernetes/deployment", "log:infrastructure-openstack"],
    doc: DOC,
    affected: &[Range { of: "CAPO", from: "0.10", fixed: &["0.11"] }],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see the rule").each("rule", &["openstack security group rule show {each}"]),
            Step::say("upgrade CAPO to 0.11 or newer: there its own rules are limited to the cluster and no longer equal the driver's; deleting the rule does not help, CAPO makes it again")
                .when("collide"),
            Step::say("delete the rule that was made by hand, CAPO then makes its own")
                .each("rule", &["openstack security group rule delete {each}"])
                .when("hand"),
            Step::say("find out which CAPO runs: up to 0.10 its own node port rules equal those of driver 0.38.2, and only CAPO 0.11 or newer helps")
                .run(&["kubectl get deployments -A -l cluster.x-k8s.io/provider=infrastructure-openstack -o wide"])
                .when("unknown"),
        ],
    },
    values: &["rule"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

Neutron takes no second rule that means the same as an existing one (409 SecurityGroupRuleExists), and no
prefix and `0.0.0.0/0` mean the same to it. CAPO then never gets past the security groups. Two ways lead
there:

- CAPO 0.10 and older opens the node ports to everybody by itself, and the ClusterClass of driver 0.38.2
  asks for the same rules. No cluster becomes ready with these two.
- Somebody added a rule by hand that CAPO wants to add too.

### How it is recognised

The refusal is current; it names the existing rule. Which of the two it is follows from CAPO's version and
from the rule itself: CAPO's own have the description `Node Port Services` and ports 30000 to 32767. Older
releases show it in failureMessage and in the log only, and there it stays after it was solved: then it is
history.

### Sources

- kubernetes-sigs/cluster-api-provider-openstack pkg/cloud/services/networking/securitygroups_rules.go,
  issue 2993
- vexxhost/magnum-cluster-api src/features (node port rules of the class)
- openstack/neutron neutron/db/securitygroups_db.py (equal rules)
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let messages = kit::refused_as(snapshot, "SecurityGroupRuleExists");
    let Some(id) = messages.iter().find_map(|m| rule_id(m)) else { return Ok(Vec::new()) };
    let found = rule(snapshot, id);
    let old = snapshot.capo().and_then(|v| version::at_least(v, "0.11")).map(|new| !new);
    let kind = kind(snapshot, old, found);
    let headline = match kind {
        Kind::Collide(_) => format!(
            "CAPO {} and the driver both want node port rule {id} in the cluster's security group",
            snapshot.capo().unwrap_or_default()
        ),
        Kind::Hand => format!(
            "a rule made by hand, {id}, is in the way of one that CAPO wants in the cluster's security group"
        ),
        Kind::Unknown => {
            format!("Neutron refuses a rule of the cluster's security group, because rule {id} says the same")
        }
    };
    let certain = matches!(kind, Kind::Collide(true) | Kind::Hand) && !messages.iter().all(|m| m.weak);
    let mut finding = Finding::new(headline)
        .likely_if(!certain)
        .value("rule", id)
        .about(kit::thing("security group rule", id));
    for message in &messages {
        finding = finding.about(kit::subject(message));
    }
    finding = match kind {
        Kind::Collide(_) => finding
            .flag("collide")
            .says("Neutron holds the two for one and refuses the second, so no cluster of this driver becomes ready with this CAPO.")
            .recovers(Recovers::AfterFix, "It does not end by itself; with CAPO 0.11 or newer it goes on."),
        Kind::Hand => finding.flag("hand").deletes().recovers(Recovers::AfterFix, "Once the rule is gone CAPO makes its own at its next try."),
        Kind::Unknown => finding.flag("unknown").recovers(Recovers::AfterFix, "It does not end by itself: CAPO asks for the same rule in every try."),
    };
    for evidence in kit::evidence_of(snapshot, &messages).into_iter().take(2) {
        finding = finding.evidence(evidence);
    }
    if let Some((group, rule)) = found {
        finding = finding.evidence(evidence(group, rule)).about(kit::row("security group", group));
    }
    Ok(vec![finding])
}

/// Where the equal rule comes from.
#[derive(Clone, Copy)]
enum Kind {
    /// From CAPO itself; true if the rule was read.
    Collide(bool),
    /// From somebody else.
    Hand,
    /// Not known.
    Unknown,
}

fn kind(snapshot: &Snapshot<'_>, old: Option<bool>, found: Option<(Doc<'_>, Doc<'_>)>) -> Kind {
    let Some((_, rule)) = found else {
        let unread = !snapshot.cloud.groups.whole();
        return if old == Some(true) && unread { Kind::Collide(false) } else { Kind::Unknown };
    };
    let capos =
        ["Node Port Services", "Kubernetes API", "In-cluster Ingress", "Full open", "Etcd", "Kubelet API"];
    let made_by_capo = capos.contains(&rule.text("description"));
    let node_ports = rule.int("port_range_min") == Some(30_000) && rule.int("port_range_max") == Some(32_767);
    match (old, made_by_capo) {
        (Some(true), true) if node_ports => Kind::Collide(true),
        (Some(_), false) => Kind::Hand,
        _ => Kind::Unknown,
    }
}

/// `… already exists. Rule id is <id>.`
fn rule_id<'a>(message: &&'a Message) -> Option<&'a str> {
    port::ids(message.api.as_ref()?.text.as_deref()?).last().copied()
}

/// The rule with its group, if it is in one of the cluster's own groups.
fn rule<'w>(snapshot: &Snapshot<'w>, id: &str) -> Option<(Doc<'w>, Doc<'w>)> {
    let groups =
        snapshot.cloud.groups.some().iter().copied().filter(|g| snapshot.marks.group(g.text("name")));
    let mut rules =
        groups.flat_map(|group| group.list("security_group_rules").map(move |rule| (group, rule)));
    rules.find(|(_, rule)| rule.text("id") == id)
}

fn evidence(group: Doc<'_>, rule: Doc<'_>) -> crate::report::Evidence {
    let id = rule.text("id");
    let number = |field: &str| rule.int(field).map_or_else(|| "any".to_owned(), |n| n.to_string());
    let words = format!(
        "\"{}\": {} {} {} to {}",
        rule.text("description"),
        rule.text("direction"),
        rule.str("protocol").unwrap_or("any protocol"),
        number("port_range_min"),
        number("port_range_max")
    );
    kit::seen(
        format!("Neutron, rule {id} of group {}", group.text("name")),
        format!("openstack security group rule show {id}"),
        words,
    )
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, report};

    const ID: &str = super::CAUSE.id;
    const GROUPS: &str = "openstack/network/security-groups";
    const RULE: &str = "77777777-0000-4000-8000-000000000001";

    fn files(capo: &str, description: &str, ready: bool) -> String {
        format!(
            "=== openstack/container-infra/clusters.json\n{{\"clusters\": [{{\"uuid\": \"11111111-2222-4333-8444-555555555555\", \
             \"name\": \"web\", \"stack_id\": \"kube-abcde\", \"project_id\": \"p1\", \"status\": \"CREATE_IN_PROGRESS\"}}]}}\n\
             === {GROUPS}.json\n{{\"security_groups\": [{{\"id\": \"g-1\", \"name\": \"k8s-cluster-magnum-system-kube-abcde-secgroup-worker\", \
             \"security_group_rules\": [{{\"id\": \"{RULE}\", \"description\": \"{description}\", \"direction\": \"ingress\", \"protocol\": \"tcp\", \
             \"port_range_min\": 30000, \"port_range_max\": 32767}}]}}]}}\n\
             === kubernetes/objects.yaml\napiVersion: infrastructure.cluster.x-k8s.io/v1beta1\nkind: OpenStackCluster\n\
             metadata: {{name: kube-abcde-x1x1x, namespace: magnum-system, labels: {{cluster.x-k8s.io/cluster-name: kube-abcde}}}}\n\
             status:\n  ready: {ready}\n  conditions:\n  - {{type: SecurityGroupsReady, status: '{}', severity: Error, reason: SecurityGroupCreateFailed, \
             lastTransitionTime: '2026-01-01T11:52:00Z', message: 'failed to reconcile security groups: Expected HTTP response code [201 202] \
             when accessing [POST http://n:9696/v2.0/security-group-rules], but got 409 instead: {{\"NeutronError\": {{\"type\": \
             \"SecurityGroupRuleExists\", \"message\": \"Security group rule already exists. Rule id is {RULE}.\", \"detail\": \"\"}}}}'}}\n---\n\
             apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: capo-controller-manager, namespace: capo-system, \
             labels: {{cluster.x-k8s.io/provider: infrastructure-openstack}}}}\nspec: {{template: {{spec: {{containers: [{{image: 'capo:{capo}'}}]}}}}}}\n\
             status: {{readyReplicas: 1}}\n",
            if ready { "True" } else { "False" }
        )
    }

    fn deletes(files: &str) -> bool {
        report(files, &[]).causes[0]
            .fix
            .steps
            .iter()
            .flat_map(|s| s.run.clone())
            .any(|l| l.contains("rule delete"))
    }

    #[test]
    fn old_capo_collides_with_the_driver_and_no_rule_is_deleted() {
        let files = files("v0.10.8", "Node Port Services", false);
        check(ID, &files, &[], "certain");
        assert!(!deletes(&files));
    }

    #[test]
    fn a_rule_made_by_hand_is_deleted() {
        let files = files("v0.13.2", "for my test", false);
        check(ID, &files, &[], "certain");
        assert!(deletes(&files));
    }

    #[test]
    fn what_was_not_read_makes_it_likely() {
        let unlisted = |capo: &str, description: &str| {
            files(capo, description, false)
                .replace(&format!("[{{\"id\": \"{RULE}\""), "[{\"id\": \"another\"")
        };
        check(ID, &unlisted("v0.10.8", "Node Port Services"), &[GROUPS], "likely");
        check(ID, &unlisted("v0.13.2", "for my test"), &[GROUPS], "likely");
        check(ID, &files("latest", "Node Port Services", false), &[], "likely");
        assert!(!deletes(&unlisted("v0.13.2", "for my test")));
    }

    #[test]
    fn a_solved_one_is_none() {
        check(ID, &files("v0.10.8", "Node Port Services", true), &[], "no");
        check(ID, &files("v0.10.8", "Node Port Services", true), &["log/capo-system"], "not checked");
    }
}
