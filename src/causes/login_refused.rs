//! Keystone refuses the cluster's login, and what was read does not tell why.

use super::kit::login::{self, Answer, Known};
use super::kit::thing;
use super::{Cause, Finding, Fix, Look, Step, owner_lost_roles};
use crate::model::Snapshot;
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::report::Risk;

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "login-refused",
    title: "Keystone refuses the login of the cluster",
    during: Actions::ALL,
    stage: Stage::Credentials,
    explains: &[],
    needs: &[
        "log:infrastructure-openstack",
        "kubernetes/cluster",
        "kubernetes/openstackcluster",
        "kubernetes/openstackmachine",
        "kubernetes/openstackserver",
    ],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("does the project exist, and is it enabled?").run(&["openstack project show {project_id}"]),
            Step::say("does the owner exist, and is the owner enabled?").run(&["openstack user show {user}"]),
            Step::say("does the application credential exist, and has it no end in the past?")
                .run(&["openstack application credential list --user {user}"]),
            Step::say("has the owner the credential's roles on the project, also through groups?")
                .run(&["openstack role assignment list --names --effective --user {user} --project {project_id}"]),
            Step::say("repair the first that is not so (a disabled user or project: enable; roles: give back; then the old credential works again)"),
            Step::say("if all is well, or the credential has ended, the Secret holds the wrong login: log in as user {user} and make a new credential")
                .run(&["openstack token issue -c user_id -c project_id"]),
            login::MAKE,
            login::READ,
            login::PUT,
        ],
    },
    values: &["user"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

Keystone answers 401 to every login of the cluster. Four things look the same in that answer: the user
is disabled, the user has lost the roles on the project (or has left the group that gave them), the
project is disabled, or the Secret `<stack id>-cloud-config` holds a wrong secret or a credential whose
end has passed. CAPO can neither build nor delete; a fresh login that fails leaves no condition and no
event.

### How it is recognised

A current message of CAPO for this cluster ends in Keystone's 401 to `POST /v3/auth/tokens`
(gophercloud v1: `Authentication failed`), and project, user or credential were not read, or were read
and do not explain it. Where they were read and do, `owner-disabled`, `project-disabled` or
`owner-lost-roles` is named instead. To tell them apart look in this order: project, user, credential,
role assignments.

### Sources

- openstack/keystone keystone/auth/core.py, keystone/exception.py (Unauthorized)
- kubernetes-sigs/cluster-api-provider-openstack pkg/scope/provider.go, issue 906
- vexxhost/magnum-cluster-api issue 270
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let Some(failed) = login::failed(snapshot) else { return Ok(Vec::new()) };
    let (owner, project) = (login::owner(snapshot), login::project(snapshot));
    let told = owner.disabled() || project.disabled() || owner_lost_roles::only_roles_left(snapshot);
    if failed.answer != Answer::Refused || told {
        return Ok(Vec::new());
    }
    let headline = "Keystone refuses the cluster's login with 401".to_owned();
    let mut finding = login::finding(snapshot, &failed, headline).says(why(snapshot));
    if let Some(user) = snapshot.user_id() {
        finding = finding.about(thing("user", user));
    }
    let rows = [
        login::project_evidence(snapshot),
        login::owner_evidence(snapshot),
        login::credential_evidence(snapshot),
    ];
    finding.evidence.truncate(1);
    finding = rows.into_iter().flatten().fold(finding, Finding::evidence);
    Ok(vec![finding.likely_if(true)])
}

/// What is left to explain the 401, by what was read.
fn why(snapshot: &Snapshot<'_>) -> String {
    if login::expired(snapshot) {
        return "The application credential named after the cluster has ended: its expires_at has passed."
            .to_owned();
    }
    if login::owner(snapshot).gone() {
        return "The user who made the cluster does not exist any more.".to_owned();
    }
    if login::credential(snapshot).gone() {
        return "No application credential is named after the cluster, so the Secret holds another login, or a wrong one.".to_owned();
    }
    let unread = |known: Known<'_>| matches!(known, Known::Unread);
    let mut left = Vec::new();
    if unread(login::project(snapshot)) {
        left.push("the project is disabled".to_owned());
    }
    if unread(login::owner(snapshot)) {
        left.push("its user is disabled".to_owned());
    }
    left.push("its user has lost the roles on the project".to_owned());
    left.push("the Secret holds a wrong secret".to_owned());
    let last = left.pop().unwrap_or_default();
    format!("By what was read it can be that {}, or that {last}.", left.join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::testing::check;
    use super::super::testing::login::{self, CREDENTIALS, NO_CREDENTIAL, OWNER, PROJECT, REFUSED};

    const ID: &str = super::CAUSE.id;
    const USERS: &str = "openstack/identity/users";

    #[test]
    fn a_401_that_nothing_explains_is_likely() {
        check(ID, &(login::files(REFUSED) + PROJECT), &[USERS], "likely");
        check(ID, &(login::files(REFUSED) + OWNER + PROJECT + CREDENTIALS), &[], "likely");
        let v1 = "providerClient authentication err: Authentication failed";
        check(ID, &(login::files(v1) + PROJECT), &[USERS], "likely");
    }

    #[test]
    fn a_401_that_is_explained_is_none() {
        check(ID, &(login::files(REFUSED) + &OWNER.replace("true", "false") + PROJECT), &[], "no");
        let own = CREDENTIALS.replace("another-uuid", "11111111-2222-4333-8444-555555555555");
        check(ID, &(login::files(REFUSED) + OWNER + PROJECT + &own), &[], "no");
    }

    /// The newest answer counts: the Secret was repaired half-way.
    #[test]
    fn another_answer_is_none() {
        check(
            ID,
            &login::files(&format!("providerClient authentication err: {NO_CREDENTIAL}")),
            &[USERS],
            "no",
        );
    }

    /// A 401 of the cluster's API server has nothing to do with Keystone.
    #[test]
    fn another_401_is_none() {
        let error = r#"failed to list nodes: Expected HTTP response code [200] when accessing [GET http://n:9696/v2.0/networks/n], but got 401 instead: {"error": {"code": 401, "message": "no"}}"#;
        check(ID, &login::files(error), &[USERS], "no");
    }

    #[test]
    fn without_the_log_it_is_not_checked() {
        check(ID, &login::files(""), &["log/capo-system"], "not checked");
    }
}
