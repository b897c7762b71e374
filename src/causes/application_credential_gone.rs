//! The cluster's application credential no longer exists in Keystone.

use super::kit::login::{self, Answer, Known};
use super::kit::{self, thing};
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::Snapshot;
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::report::Risk;

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "application-credential-gone",
    title: "the application credential of the cluster no longer exists",
    during: Actions::ALL,
    stage: Stage::Credentials,
    explains: &[],
    needs: &[
        "log:infrastructure-openstack",
        "kubernetes/cluster",
        "kubernetes/openstackcluster",
        "kubernetes/openstackmachine",
        "kubernetes/openstackserver",
        "openstack/container-infra/clusters",
        "openstack/identity/application_credentials",
        "openstack/identity/users",
    ],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("log in as user {user} in project {project_id}: Keystone lets nobody make a credential for somebody else")
                .run(&["openstack token issue -c user_id -c project_id"])
                .unless("owner-gone"),
            Step::say("log in as another member of project {project_id}: the owner {user} no longer exists")
                .run(&["openstack token issue -c user_id -c project_id"])
                .when("owner-gone"),
            login::MAKE,
            login::READ,
            login::PUT,
            login::INSIDE,
            Step::say("when the cluster is gone, delete that credential yourself: the driver looks for it at the old owner only")
                .run(&["openstack application credential delete {uuid}"])
                .when("owner-gone"),
        ],
    },
    values: &["user"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

Every cluster has one application credential of the user who made it. CAPO, the cloud provider and
the volume drivers of the cluster log in with it. If somebody deletes it, or its user, or a role that
the user has on the project, Keystone answers 404 to every login. What exists keeps running; nothing
can be made, changed or deleted any more, and a delete waits for ever with its finalizers. CAPO may
go on for up to five minutes with a token it still has. Nothing makes the credential anew.

### How it is recognised

The last answer in CAPO's sentence is Keystone's 404 \"Could not find Application Credential: <id>\".
It comes in three shapes: after `providerClient authentication err` (a fresh login; log only), after
`failed to get external network: Unable to re-authenticate` (a cached client; with CAPO 0.14 also as a
condition of the OpenStackCluster and the Cluster), and after `get server … detail failed: Unable to
re-authenticate` (log only). In the latter two a 401 of Neutron or Nova stands before it; that one
only ends the old token. It is certain if the list of the owner's application credentials was read and
holds neither this id nor one named after the cluster. It is not this cause if a later request of the
cluster succeeded.

### Sources

- openstack/keystone keystone/application_credential/core.py, keystone/assignment/core.py
- vexxhost/magnum-cluster-api magnum_cluster_api/resources.py (CloudConfigSecret), clients.py
- kubernetes-sigs/cluster-api-provider-openstack pkg/scope/provider.go, issue 906
- gophercloud/gophercloud provider_client.go (Unable to re-authenticate)
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let Some(failed) = login::failed(snapshot) else { return Ok(Vec::new()) };
    let Answer::NoCredential(id) = &failed.answer else { return Ok(Vec::new()) };
    let list = &snapshot.cloud.credentials;
    if list.some().iter().any(|row| row.str("id") == Some(id)) {
        return Ok(Vec::new());
    }
    let headline = format!("the cluster's application credential {id} does not exist in Keystone any more");
    let mut finding = login::finding(snapshot, &failed, headline).about(thing("application credential", id));
    if let Known::There(row) = login::credential(snapshot) {
        finding = finding.about(kit::row("application credential", row)).says(format!(
            "There is another one of the cluster's name, {}: either the Secret still names the old one, or it was changed and CAPO has not tried again.",
            row.text("id")
        ));
        finding.certainty = crate::report::Certainty::Likely;
    }
    if let Some(user) = snapshot.user_id() {
        finding = finding.about(thing("user", user));
    }
    if let Some(evidence) = login::credential_evidence(snapshot) {
        finding = finding.evidence(evidence);
    }
    if login::owner(snapshot).gone() {
        finding = finding.flag("owner-gone");
    }
    Ok(vec![finding.likely_if(!list.whole())])
}

#[cfg(test)]
mod tests {
    use super::super::testing::login::{self, CREDENTIALS, NO_CREDENTIAL};
    use super::super::testing::{check, report};

    const ID: &str = super::CAUSE.id;

    /// The cluster, no credential of its own, and what CAPO logs.
    fn files(error: &str) -> String {
        login::files(error) + CREDENTIALS
    }

    #[test]
    fn a_fresh_login_in_the_log_is_certain() {
        check(ID, &files(&format!("providerClient authentication err: {NO_CREDENTIAL}")), &[], "certain");
    }

    #[test]
    fn the_wording_of_gophercloud_v1_is_certain() {
        let v1 = r#"providerClient authentication err: Resource not found: [POST http://k:5000/v3/auth/tokens], error message: {"error":{"code":404,"message":"Could not find Application Credential: c0ffee01.","title":"Not Found"}}"#;
        check(ID, &files(v1), &[], "certain");
    }

    /// The 401 of the service before it is named as what it is not.
    #[test]
    fn a_cached_client_is_certain() {
        let cached = format!(
            r#"get server "s" detail failed: Unable to re-authenticate: Expected HTTP response code [200] when accessing [GET http://n:8774/v2.1/servers/s], but got 401 instead: {{"unauthorized": {{"code": 401, "message": "no"}}}}: {NO_CREDENTIAL}"#
        );
        check(ID, &files(&cached), &[], "certain");
        let report = report(&files(&cached), &[]);
        assert!(report.not_it.iter().any(|n| n.what.contains("401 of Nova")), "{:?}", report.not_it);
    }

    /// Keystone has it again, or the message is of another cluster.
    #[test]
    fn a_credential_that_exists_is_none() {
        let again = CREDENTIALS.replace("0ther001", "c0ffee01");
        let error = format!("providerClient authentication err: {NO_CREDENTIAL}");
        check(ID, &(login::files(&error) + &again), &[], "no");
        check(
            ID,
            &files(&error).replace("magnum-system/kube-abcde-x1x1x", "magnum-system/kube-abcde2-x1x1x"),
            &[],
            "no",
        );
    }

    #[test]
    fn a_successor_that_has_not_been_tried_makes_it_likely() {
        let successor = CREDENTIALS.replace("another-uuid", "11111111-2222-4333-8444-555555555555");
        let error = format!("providerClient authentication err: {NO_CREDENTIAL}");
        check(ID, &(login::files(&error) + &successor), &[], "likely");
    }

    #[test]
    fn a_later_success_ends_it() {
        let error = format!("providerClient authentication err: {NO_CREDENTIAL}");
        check(
            ID,
            &(files(&error)
                .replace("=== openstack/identity", &format!("{}=== openstack/identity", login::SUCCESS))),
            &[],
            "no",
        );
    }

    #[test]
    fn without_the_list_it_is_likely_and_without_the_log_not_checked() {
        let error = format!("providerClient authentication err: {NO_CREDENTIAL}");
        check(ID, &login::files(&error), &["openstack/identity/application_credentials"], "likely");
        let quiet = login::files("");
        check(ID, &quiet, &["log/capo-system"], "not checked");
        check(ID, &quiet, &[], "no");
    }
}
