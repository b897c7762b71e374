//! The user who made the cluster has lost the roles on its project.

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
    id: "owner-lost-roles",
    title: "the user who made the cluster has no roles on its project any more",
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
        "openstack/identity/projects",
        "openstack/identity/users",
        "openstack/identity/application_credentials",
    ],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see which roles the user has on the project, also through groups (needs an admin)")
                .run(&["openstack role assignment list --names --effective --user {user} --project {project_id}"]),
            Step::say("give the user the credential's roles back, or put the user into the group again: the old credential works then, no new one is needed")
                .each("role", &["openstack role add --user {user} --project {project_id} {each}"]),
            Step::say("if all these roles are there, the secret in the Secret is wrong: make a new credential as this user and put it there")
                .run(&[
                    "kubectl -n {namespace} get secret {stack_id}-cloud-config",
                    "kubectl magnum explain application-credential-gone",
                ]),
        ],
    },
    values: &["user", "role"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

An application credential is worth what its user may do now. When the user's roles on the project are
taken away, directly or by leaving a group, Keystone keeps the credential and refuses it with a plain
401. CAPO can then neither build nor delete, and says so in its log only. With the roles back the old
credential works again within minutes.

### How it is recognised

Keystone answers the cluster's login with 401, while its project and its user were read and are
enabled, and the credential named after the cluster was read and has not ended. Role assignments are
not read, so this is an inference: likely, never certain. A wrong secret in the Secret
`<stack id>-cloud-config` would look the same.

### Sources

- openstack/keystone keystone/application_credential/core.py, keystone/assignment/core.py
- vexxhost/magnum-cluster-api issue 270
- kubernetes-sigs/cluster-api-provider-openstack issue 2336
";

/// True if everything that can explain a 401 was read and is as it should be, so that
/// only the roles, or the secret itself, are left.
pub(super) fn only_roles_left(snapshot: &Snapshot<'_>) -> bool {
    login::project(snapshot).enabled() == Some(true)
        && login::owner(snapshot).enabled() == Some(true)
        && matches!(login::credential(snapshot), Known::There(_))
        && !login::expired(snapshot)
}

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let Some(failed) = login::failed(snapshot) else { return Ok(Vec::new()) };
    let (Some(user), Some(project), Answer::Refused) =
        (snapshot.user_id(), snapshot.project_id(), &failed.answer)
    else {
        return Ok(Vec::new());
    };
    if !only_roles_left(snapshot) {
        return Ok(Vec::new());
    }
    let name = snapshot.project_name().unwrap_or(project);
    let words = login::owner_words(snapshot);
    let headline = format!(
        "Keystone refuses the cluster's application credential with 401: its user {words} has most likely no roles on project {name} any more"
    );
    let mut finding = login::finding(snapshot, &failed, headline)
        .says("The project and the user are enabled and the credential exists, so only the user's roles are left, or a wrong secret in the Secret.")
        .about(thing("user", user));
    if let Known::There(row) = login::credential(snapshot) {
        finding = finding.about(kit::row("application credential", row));
    }
    let rows = [
        login::owner_evidence(snapshot),
        login::project_evidence(snapshot),
        login::credential_evidence(snapshot),
    ];
    finding.evidence.truncate(1);
    finding = rows.into_iter().flatten().fold(finding, Finding::evidence);
    for role in login::roles(snapshot) {
        finding = finding.value("role", role);
    }
    Ok(vec![finding.likely_if(true)])
}

#[cfg(test)]
mod tests {
    use super::super::testing::login::{self, CREDENTIALS, OWNER, PROJECT, REFUSED};
    use super::super::testing::{check, report};

    const ID: &str = super::CAUSE.id;

    fn credential() -> String {
        CREDENTIALS.replace("another-uuid", "11111111-2222-4333-8444-555555555555")
    }

    fn files() -> String {
        login::files(REFUSED) + OWNER + PROJECT + &credential()
    }

    #[test]
    fn a_401_with_all_else_in_order_is_likely() {
        check(ID, &files(), &[], "likely");
        let v1 = files().replace(REFUSED, "providerClient authentication err: Authentication failed");
        check(ID, &v1, &[], "likely");
    }

    /// The roles of the credential are those to give back.
    #[test]
    fn the_fix_names_the_roles_of_the_credential() {
        let report = report(&files(), &[]);
        let lines: Vec<&String> = report.causes[0].fix.steps.iter().flat_map(|s| &s.run).collect();
        assert!(lines.iter().any(|l| *l == "openstack role add --user u1 --project p1 member"), "{lines:?}");
    }

    #[test]
    fn something_else_that_explains_the_401_is_none() {
        check(
            ID,
            &(login::files(REFUSED) + &OWNER.replace("true", "false") + PROJECT + &credential()),
            &[],
            "no",
        );
        check(
            ID,
            &(login::files(REFUSED) + OWNER + &PROJECT.replace("true", "false") + &credential()),
            &[],
            "no",
        );
        check(ID, &(login::files(REFUSED) + OWNER + PROJECT + CREDENTIALS), &[], "no");
        check(
            ID,
            &files().replace(r#""expires_at": null"#, r#""expires_at": "2026-01-01T11:00:00.000000""#),
            &[],
            "no",
        );
    }

    #[test]
    fn without_one_of_the_lists_it_is_not_checked() {
        check(
            ID,
            &(login::files(REFUSED) + PROJECT + &credential()),
            &["openstack/identity/users"],
            "not checked",
        );
        check(
            ID,
            &(login::files(REFUSED) + OWNER + &credential()),
            &["openstack/identity/projects"],
            "not checked",
        );
        let credentials = "openstack/identity/application_credentials";
        check(ID, &(login::files(REFUSED) + OWNER + PROJECT), &[credentials], "not checked");
    }
}
