//! Keystone does not let the requester make the cluster's application credential.

use super::kit::refused;
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::Snapshot;
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::report::Risk;

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "requester-cannot-delegate",
    title: "Keystone does not let the requester pass his roles on to the cluster",
    during: Actions::CREATE,
    stage: Stage::Credentials,
    explains: &[],
    needs: &["openstack/container-infra/clusters"],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see the roles that the owner has in the project, by name and through groups").run(&[
                "openstack role assignment list --effective --names --user {user} --project {project_id}",
            ]),
            Step::say(
                "ask for the cluster with a password or SSO token, not with an application credential (or with an unrestricted one), and with roles that the user holds in this project",
            ),
            refused::CREATE_AGAIN,
        ],
    },
    values: &["user", "resize", "group_create", "group_delete"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

The driver makes an application credential for the cluster with the requester's own token and the roles
in it. Keystone refuses that if the requester came in with a restricted application credential himself,
and if a role of the token is no assignment of the user in this project. The create ends there. Drivers
before 0.38.1 also let Magnum make a trust, which Keystone forbids in the same cases.

### How it is recognised

CREATE_FAILED with Keystone's refusal as the reason: the application credential is invalid for want of a
role assignment, or may not be made with an application credential; or Magnum's text that it could not
create a trustee or trust.

### Sources

- openstack/keystone keystone/application_credential/backends/sql.py, keystone/api/users.py
- vexxhost/magnum-cluster-api magnum_cluster_api/clients.py, driver.py, issue 749, pull request 1128
";

/// What each refusal of Keystone, or of Magnum, means.
const REFUSALS: [(&str, &str); 3] = [
    (
        "could not find role assignment with role",
        "Keystone refused the cluster's application credential: the requester's token has a role that the user does not hold in the project",
    ),
    (
        "is not allowed for managing additional application credentials",
        "Keystone refused the cluster's application credential: the requester himself came in with a restricted one",
    ),
    (
        "failed to create trustee or trust for cluster",
        "Magnum could not create the trust for the cluster, which Keystone forbids a requester with an application credential",
    ),
];

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    if snapshot.status() != "CREATE_FAILED" {
        return Ok(Vec::new());
    }
    for (words, says) in REFUSALS {
        let reasons = refused::reasons(snapshot, |m| m.has(words));
        let Some(first) = reasons.first() else { continue };
        let mut finding = refused::finding(snapshot, &reasons, says)
            .value("user", snapshot.user_id().unwrap_or("<user id>"));
        if let Some(role) = first.text.split_once("role: ").map(|(_, rest)| rest.trim_end_matches('.')) {
            let role: String = role.chars().take_while(|c| !c.is_whitespace() && *c != '.').collect();
            finding = finding.says(format!("The role is {role}."));
        }
        // A failed trust has more reasons than this one.
        return Ok(vec![finding.likely_if(words.contains("trust"))]);
    }
    Ok(Vec::new())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, failed, report};

    const ID: &str = super::CAUSE.id;
    const ROLE: &str = "BadRequestException: 400: Client Error for url: http://k:5000/v3/users/u1/application_credentials, Invalid \
                        application credential: Could not find role assignment with role: 9fe2ff9ee4384b1894a90878d3e92bab.";

    #[test]
    fn keystones_refusal_is_certain() {
        check(ID, &failed("CREATE_FAILED", ROLE), &[], "certain");
        let restricted = "ForbiddenException: 403: Client Error for url: http://k:5000/v3/users/u1/application_credentials, Using \
                          method 'application_credential' is not allowed for managing additional application credentials.";
        check(ID, &failed("CREATE_FAILED", restricted), &[], "certain");
        check(
            ID,
            &failed("CREATE_FAILED", "Failed to create trustee or trust for Cluster: web"),
            &[],
            "likely",
        );
        let quota = "ForbiddenException: 403: Client Error for url: http://n/os-server-groups, Quota exceeded, too many server groups.";
        check(ID, &failed("CREATE_FAILED", quota), &[], "no");
        check(ID, &failed("UPDATE_FAILED", ROLE), &[], "no");
    }

    #[test]
    fn it_names_the_role() {
        let says = report(&failed("CREATE_FAILED", ROLE), &[]).causes[0].says.join(" ");
        assert!(says.contains("The role is 9fe2ff9ee4384b1894a90878d3e92bab."), "{says}");
    }
}
