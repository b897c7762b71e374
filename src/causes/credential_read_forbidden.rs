//! Magnum may not read the owner's application credentials, so a delete never ends.

use super::kit::{self, thing};
use super::{Cause, Finding, Fix, Look, Range, Step};
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Message, Snapshot, Source, version};
use crate::report::{Recovers, Risk};

/// The driver's first release that goes on after Keystone's 403.
/// Source: vexxhost/magnum-cluster-api pull request 493.
const FIXED: &str = "0.25.6";

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "credential-read-forbidden",
    title: "Magnum may not read the application credentials of the cluster's owner",
    during: Actions::DELETE,
    stage: Stage::MagnumCleanUp,
    explains: &[],
    needs: &[
        "openstack/container-infra/clusters",
        "kubernetes/cluster",
        "kubernetes/clusterclass",
        "log:magnum-conductor",
    ],
    doc: DOC,
    affected: &[Range { of: "magnum-cluster-api", from: "0.1.0", fixed: &[FIXED] }],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see which driver the magnum-conductor has (in its container)")
                .run(&["pip show magnum-cluster-api"]),
            Step::say(
                "upgrade magnum-cluster-api to 0.25.6 or later: the delete then ends by itself at the next pass",
            ),
            Step::say(
                "delete the application credential that is left over, as its owner {user} or as an admin",
            )
            .run(&[
                "openstack application credential list --user {user}",
                "openstack application credential delete {uuid}",
            ]),
        ],
    },
    values: &["user"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

When the Cluster object is gone the driver deletes the cluster's application credential. To find it, it
lists the credentials of the owner. If Keystone's policy forbids that to Magnum's user, drivers before
0.25.6 stop there: every pass of the update job fails in the same place, and the Magnum cluster stays
DELETE_IN_PROGRESS though nothing of it is left but this credential, some Secrets and server groups.

### How it is recognised

The cluster is being deleted, its Cluster object is gone, and magnum-conductor's update job fails with
Keystone's 403 on application credentials. The log seldom says for which cluster, so it is likely, and
certain only if the record names this one. If a ClusterClass shows that a driver of 0.25.6 or later has
worked here it is not this cause: that one goes on, and leaves the credential behind.

### Sources

- vexxhost/magnum-cluster-api issue 485, pull request 493
- openstack/keystone keystone/common/policies/application_credential.py
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let Some(cluster) = snapshot.magnum.cluster else { return Ok(Vec::new()) };
    let messages: Vec<&Message> =
        snapshot.said.messages.iter().filter(|m| m.current() && forbidden(m)).collect();
    if messages.is_empty() || !cluster.text("status").starts_with("DELETE") {
        return Ok(Vec::new());
    }
    if snapshot.kube.cluster().is_some() || !snapshot.kube.clusters.all()?.is_empty() {
        return Ok(Vec::new());
    }
    let driver = snapshot.driver_at_least();
    if driver.as_deref().and_then(|v| version::at_least(v, FIXED)) == Some(true) {
        return Ok(Vec::new());
    }
    let user = snapshot.user_id().unwrap_or("<user id of the owner>");
    let named = messages.iter().any(|m| snapshot.marks.in_text(&m.text));
    let sure = named && snapshot.kube.classes.whole();
    let mut finding = Finding::new(format!(
        "Keystone forbids Magnum (403) to list the application credentials of user {user}, which it must do to end the delete"
    ))
    .says("The Cluster object is gone, so nothing is left to delete in Cluster API; only Magnum's clean-up fails, at every pass.")
    .recovers(Recovers::AfterFix, "With a driver that tolerates the 403 the next pass ends the delete.")
    .value("user", user)
    .about(thing("user", user))
    .not_it("Magnum's status_reason", "it is a copy of the last event of objects that are gone")
    .likely_if(!sure);
    for message in &messages {
        finding = finding.about(kit::subject(message));
    }
    for evidence in kit::evidence_of(snapshot, &messages) {
        finding = finding.evidence(evidence);
    }
    Ok(vec![finding])
}

fn forbidden(message: &Message) -> bool {
    let status = message.api.as_ref().and_then(crate::model::api_error::ApiError::status);
    matches!(message.source, Source::Conductor(_))
        && message.has("application_credentials")
        && (status == Some(403) || message.has("Forbidden"))
}

#[cfg(test)]
mod tests {
    use super::super::testing::check;

    const ID: &str = super::CAUSE.id;
    const CLASSES: &str = "kubernetes/clusterclass";

    fn files(status: &str, error: &str, objects: &str) -> String {
        // A file without a document would be a gap.
        let objects = if objects.is_empty() {
            String::new()
        } else {
            format!("=== kubernetes/objects.yaml\n{objects}\n")
        };
        format!(
            r#"=== openstack/container-infra/clusters.json
{{"clusters": [{{"uuid": "11111111-2222-4333-8444-555555555555", "name": "web", "stack_id": "kube-abcde",
 "project_id": "p1", "user_id": "u1", "status": "{status}", "created_at": "2026-01-01T10:00:00Z"}}]}}
{objects}=== kubernetes/namespaces/openstack/v1/pod/magnum-conductor-0/magnum-conductor/current.log
2026-01-01 11:59:00.000 8 ERROR oslo.service.loopingcall [-] Fixed interval looping call 'magnum.service.periodic.ClusterUpdateJob.update_status' failed: {error}
"#
        )
    }

    const FORBIDDEN: &str = "keystoneauth1.exceptions.http.Forbidden: You are not authorized to perform the requested action: identity:list_application_credentials. (HTTP 403)";
    const OBJECT: &str = "apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: kube-abcde, namespace: magnum-system, deletionTimestamp: '2026-01-01T11:00:00Z'}";

    fn class(version: &str) -> String {
        format!(
            "apiVersion: cluster.x-k8s.io/v1beta1\nkind: ClusterClass\nmetadata: {{name: magnum-v{version}, namespace: magnum-system}}"
        )
    }

    #[test]
    fn a_403_that_names_no_cluster_is_likely() {
        check(ID, &files("DELETE_IN_PROGRESS", FORBIDDEN, &class("0.25.5")), &[], "likely");
    }

    #[test]
    fn a_403_for_this_cluster_is_certain_if_the_driver_was_read() {
        let named = "openstack.exceptions.ForbiddenException: 403: Client Error for url: http://k:5000/v3/users/u1/application_credentials?name=11111111-2222-4333-8444-555555555555, You are not authorized";
        check(ID, &files("DELETE_IN_PROGRESS", named, &class("0.25.5")), &[], "certain");
        check(ID, &files("DELETE_IN_PROGRESS", named, ""), &[CLASSES], "likely");
    }

    /// Fixed driver, a Cluster that is still there, no delete, another refusal.
    #[test]
    fn near_misses_are_none() {
        check(ID, &files("DELETE_IN_PROGRESS", FORBIDDEN, &class("0.25.6")), &[], "no");
        check(ID, &files("DELETE_IN_PROGRESS", FORBIDDEN, OBJECT), &[], "no");
        check(ID, &files("CREATE_IN_PROGRESS", FORBIDDEN, ""), &[], "no");
        check(
            ID,
            &files("DELETE_IN_PROGRESS", &FORBIDDEN.replace("application_credentials", "trusts"), ""),
            &[],
            "no",
        );
    }

    #[test]
    fn without_the_clusters_or_the_log_it_is_not_checked() {
        check(ID, &files("DELETE_IN_PROGRESS", FORBIDDEN, ""), &["kubernetes/cluster"], "not checked");
        check(
            ID,
            &files("DELETE_IN_PROGRESS", "KeyError: 'conditions'", ""),
            &["log/openstack"],
            "not checked",
        );
    }
}
