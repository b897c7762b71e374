//! The management cluster's API had no answer for the driver in time.

use super::kit::{self, refused};
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Message, Snapshot, Source};
use crate::report::Risk;

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "management-api-slow",
    title: "the management cluster's API did not answer the driver in time",
    during: Actions::ALL,
    stage: Stage::Topology,
    explains: &[],
    needs: &["openstack/container-infra/clusters"],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see that the API is quick again; a webhook that hangs or has no endpoint makes every write slow").run(&[
                "time kubectl -n {namespace} get cluster",
                "kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations",
                "kubectl get pods -A -l cluster.x-k8s.io/provider",
            ]),
            refused::CREATE_AGAIN,
            refused::DELETE_AGAIN,
            refused::RESIZE_AGAIN,
            refused::GROUP_DELETE_AGAIN,
            refused::GROUP_CREATE_AGAIN,
        ],
    },
    values: refused::VALUES,
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

The driver asks the management cluster's API from Python and waits 10 seconds for an answer. If none
comes, the operation is given up and Magnum notes the client's words as the reason. The cluster itself
is not touched by that, and nothing repeats the operation.

The call may have been carried out although its answer came too late. After a failed delete only the
Cluster's deletionTimestamp tells: set, the delete goes on and Magnum alone has stopped looking; not
set, the driver stopped before it, and may have removed the ClusterResourceSets already.

### How it is recognised

The reason of the cluster or of a node group in a *_FAILED state is a read or connect time-out of the
Python client (`Read timed out. (read timeout=10)`). It tells of then: that the API answers now does
not contradict it.

### Sources

- vexxhost/magnum-cluster-api magnum_cluster_api/clients.py, driver.py, resources.py
- psf/requests and urllib3 (wording of the time-outs)
- openstack/magnum magnum/conductor/handlers/cluster_conductor.py, nodegroup_conductor.py
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let reasons = refused::reasons(snapshot, timed_out);
    let Some(first) = reasons.first() else { return refused::nothing(snapshot) };
    let wait = first.text.split("timeout=").nth(1).and_then(|t| t.split(')').next()).unwrap_or("10");
    let of_the_cluster = reasons.iter().any(|m| !matches!(m.source, Source::GroupReason(_)));
    let what = match snapshot.status() {
        "CREATE_FAILED" => "so Magnum gave the create up",
        "DELETE_FAILED" => "so Magnum noted DELETE_FAILED",
        _ => "so Magnum gave the change up",
    };
    let headline = format!(
        "the management cluster's API{} had no answer for the driver within {wait}s, {what}",
        at(first)
    );
    let mut finding = refused::finding(snapshot, &reasons, headline);
    if let Some(says) = groups(&reasons) {
        finding = finding.says(says);
    }
    if snapshot.status() == "UPDATE_FAILED" && of_the_cluster {
        finding = finding.says("It says nothing about the cluster itself, which may be healthy.");
    }
    Ok(vec![finding])
}

/// The words of requests and urllib3; services of OpenStack are asked through keystoneauth,
/// which words a time-out in another way, and a path of its own names the service.
fn timed_out(message: &Message) -> bool {
    let kubernetes = !message.has("/v2.") && !message.has("/v3/");
    message.has("timed out")
        && (message.has("(read timeout=") || message.has("(connect timeout="))
        && kubernetes
}

/// ` at 127.0.0.1:26443`
fn at(message: &Message) -> String {
    let quoted = |text: &str| Some(text.split_once("host='")?.1.split_once('\'')?.0.to_owned());
    let port = message
        .text
        .split_once("port=")
        .map(|(_, t)| t.chars().take_while(char::is_ascii_digit).collect::<String>());
    match (quoted(&message.text), port.filter(|p| !p.is_empty())) {
        (Some(host), Some(port)) => format!(" at {host}:{port}"),
        _ => String::new(),
    }
}

fn groups(reasons: &[&Message]) -> Option<String> {
    let mut failed: Vec<String> = reasons
        .iter()
        .filter_map(|m| match &m.source {
            Source::GroupReason(group) => Some(format!("{group} ({})", m.reason)),
            _ => None,
        })
        .collect();
    failed.sort();
    let word = if failed.len() == 1 { "Node group" } else { "Node groups" };
    (!failed.is_empty()).then(|| format!("{word} with this reason: {}.", kit::and(&failed)))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, failed as cluster, report};

    const ID: &str = super::CAUSE.id;
    const SLOW: &str = "HTTPSConnectionPool(host='10.96.0.1', port=443): Read timed out. (read timeout=10)";

    fn object(deleting: &str) -> String {
        format!(
            "=== kubernetes/objects.yaml\napiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\n\
             metadata: {{name: kube-abcde, namespace: magnum-system{deleting}}}\nspec: {{topology: {{class: magnum-v0.38.2}}}}\n"
        )
    }

    fn said(files: &str, blanked: &[&str]) -> String {
        let report = report(files, blanked);
        let cause = report.causes.iter().find(|c| c.id == ID).unwrap();
        format!("{} {}", cause.says.join(" "), cause.recovers_says)
    }

    #[test]
    fn a_time_out_in_a_reason_is_certain_whatever_failed() {
        for status in ["CREATE_FAILED", "UPDATE_FAILED", "DELETE_FAILED"] {
            check(ID, &cluster(status, SLOW), &[], "certain");
        }
        check(ID, &cluster("UPDATE_COMPLETE", SLOW), &[], "no");
        check(ID, &cluster("CREATE_FAILED", "Request to http://n:9696/v2.0/networks timed out"), &[], "no");
        let neutron = "HTTPConnectionPool(host='n', port=9696): Max retries exceeded with url: /v2.0/networks (Caused by \
                       ConnectTimeoutError(timed out. (connect timeout=10)))";
        check(ID, &cluster("CREATE_FAILED", neutron), &[], "no");
    }

    #[test]
    fn only_the_deletion_timestamp_tells_whether_the_delete_goes_on() {
        let failed = cluster("DELETE_FAILED", SLOW);
        let going = said(&format!("{failed}{}", object(", deletionTimestamp: '2026-01-01T11:51:00Z'")), &[]);
        assert!(going.contains("goes on in Cluster API") && going.contains("Magnum's row stays"), "{going}");
        let alive = said(&format!("{failed}{}", object("")), &[]);
        assert!(
            alive.contains("is not being deleted") && alive.contains("ClusterResourceSets are gone"),
            "{alive}"
        );
        let unread = said(&format!("{failed}{}", object("")), &["kubernetes/clusterresourceset"]);
        assert!(!unread.contains("are gone already"), "{unread}");
        assert!(said(&failed, &[]).contains("is not there any more"));
        assert!(said(&failed, &["kubernetes/cluster"]).contains("was not read"));
    }

    #[test]
    fn without_magnums_rows_it_is_not_checked() {
        check(ID, &object(""), &["openstack/container-infra/clusters"], "not checked");
        check(ID, &object(""), &[], "no");
    }

    #[test]
    fn a_group_that_never_reached_cluster_api_is_made_under_another_name() {
        let groups = format!(
            "=== openstack/container-infra/nodegroups.json\n{{\"nodegroups\": [{{\"name\": \"blue\", \"role\": \"worker\", \
             \"status\": \"CREATE_FAILED\", \"node_count\": 2, \"flavor_id\": \"m1\", \"status_reason\": \"{SLOW}\"}}]}}\n"
        );
        let null = cluster("UPDATE_FAILED", "").replace("\"status_reason\": \"\"", "\"status_reason\": null");
        let report = report(&format!("{null}{groups}{}", object("")), &[]);
        let cause = report.causes.iter().find(|c| c.id == ID).unwrap();
        let lines: Vec<&str> = cause.fix.steps.iter().flat_map(|s| &s.run).map(String::as_str).collect();
        let wanted = "openstack coe nodegroup create 11111111-2222-4333-8444-555555555555 blue-2 --node-count 2 --flavor m1 --role worker";
        assert!(lines.contains(&wanted), "{lines:?}");
        assert!(!lines.iter().any(|l| l.contains("nodegroup delete")), "{lines:?}");
    }
}
