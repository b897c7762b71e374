//! The user who made the cluster no longer exists.

use super::kit::login::{self, Answer};
use super::kit::thing;
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::Snapshot;
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::report::Risk;

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "owner-deleted",
    title: "the user who made the cluster no longer exists",
    during: Actions::ALL,
    stage: Stage::Credentials,
    explains: &["application-credential-gone", "login-refused"],
    needs: &[
        "log:infrastructure-openstack",
        "kubernetes/cluster",
        "kubernetes/openstackcluster",
        "kubernetes/openstackmachine",
        "kubernetes/openstackserver",
        "openstack/container-infra/clusters",
        "openstack/identity/users",
    ],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("make sure that the user is gone and not only in another domain").run(&["openstack user show {user}"]),
            Step::say("log in as another member of project {project_id}; no database needs an edit")
                .run(&["openstack token issue -c user_id -c project_id"]),
            login::MAKE,
            login::READ,
            login::PUT,
            login::INSIDE,
            Step::say("when the cluster is gone, delete that credential yourself: the driver looks for it at the old owner only")
                .run(&["openstack application credential delete {uuid}"]),
        ],
    },
    values: &["user"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

An application credential belongs to a user. When Keystone deletes the user it deletes all of the
user's application credentials, in every project, so all clusters that this user has made lose their
login at once.

### How it is recognised

Keystone answers the cluster's login with 404 or 401, and the whole list of users was read and does
not hold the `user_id` of the Magnum cluster. A user who is only disabled keeps the credentials; that
is the cause `owner-disabled`.

### Sources

- openstack/keystone keystone/application_credential/core.py (removes a deleted user's credentials)
- vexxhost/magnum-cluster-api issue 270
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let Some(failed) = login::failed(snapshot) else { return Ok(Vec::new()) };
    let (Some(user), true) = (snapshot.user_id(), login::owner(snapshot).gone()) else {
        return Ok(Vec::new());
    };
    let headline = format!(
        "user {user}, who made the cluster and owned its application credential, does not exist any more"
    );
    let mut finding = login::finding(snapshot, &failed, headline).about(thing("user", user));
    match &failed.answer {
        Answer::NoCredential(id) => finding = finding.about(thing("application credential", id)),
        Answer::Refused => {}
        _ => return Ok(Vec::new()),
    }
    if let Some(evidence) = login::owner_evidence(snapshot) {
        finding = finding.evidence(evidence);
    }
    Ok(vec![finding])
}

#[cfg(test)]
mod tests {
    use super::super::testing::login::{self, CREDENTIALS, NO_CREDENTIAL, OWNER};
    use super::super::testing::{check, report};

    const ID: &str = super::CAUSE.id;

    fn files() -> String {
        login::files(&format!("providerClient authentication err: {NO_CREDENTIAL}")) + CREDENTIALS
    }

    #[test]
    fn a_user_who_is_not_in_the_list_is_certain() {
        check(ID, &files(), &[], "certain");
    }

    /// The credential went with the user, so it comes second.
    #[test]
    fn the_credential_is_a_consequence() {
        let report = report(&files(), &[]);
        let ids: Vec<&str> = report.causes.iter().map(|c| c.id).collect();
        assert_eq!(ids, ["owner-deleted", "application-credential-gone"]);
        assert_eq!(report.causes[0].consequences, ["application-credential-gone"]);
    }

    #[test]
    fn a_user_who_exists_is_none() {
        check(ID, &(files() + OWNER), &[], "no");
        check(ID, &(files() + &OWNER.replace("true", "false")), &[], "no");
    }

    #[test]
    fn without_the_users_it_is_not_checked() {
        check(ID, &files(), &["openstack/identity/users"], "not checked");
    }

    #[test]
    fn a_login_that_works_says_nothing() {
        check(ID, &(login::files("") + CREDENTIALS), &[], "no");
    }
}
