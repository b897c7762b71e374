//! The user who made the cluster is disabled.

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
    id: "owner-disabled",
    title: "the user who made the cluster is disabled",
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
        "openstack/identity/users",
    ],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("ask why the user was disabled").run(&["openstack user show {user}"]),
            Step::say(
                "enable the user (needs an admin): the old credential works again, no new one is needed",
            )
            .run(&["openstack user set --enable {user}"]),
        ],
    },
    values: &["user"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

The login of a cluster is an application credential of the user who made it. While that user is
disabled Keystone refuses the credential with a plain 401, though the credential is still listed. CAPO
may go on for up to five minutes with a token that it still has.

### How it is recognised

Keystone answers the cluster's login with 401 \"The request you have made requires authentication.\",
and the user of the Magnum cluster's `user_id` was read with `enabled` false. The 401 alone does not
tell: roles that were taken away, a disabled project and a wrong secret look the same.

### Sources

- openstack/keystone keystone/auth/core.py, keystone/application_credential/core.py
- vexxhost/magnum-cluster-api issue 270
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let Some(failed) = login::failed(snapshot) else { return Ok(Vec::new()) };
    let (Some(user), Answer::Refused) = (snapshot.user_id(), &failed.answer) else { return Ok(Vec::new()) };
    if !login::owner(snapshot).disabled() {
        return Ok(Vec::new());
    }
    let words = login::owner_words(snapshot);
    let headline =
        format!("user {words}, who made the cluster and owns its application credential, is disabled");
    let mut finding = login::finding(snapshot, &failed, headline).about(thing("user", user));
    if let Some(evidence) = login::owner_evidence(snapshot) {
        finding = finding.evidence(evidence);
    }
    Ok(vec![finding])
}

#[cfg(test)]
mod tests {
    use super::super::testing::check;
    use super::super::testing::login::{self, OWNER, PROJECT, REFUSED};

    const ID: &str = super::CAUSE.id;

    fn files(enabled: &str) -> String {
        login::files(REFUSED) + &OWNER.replace("true", enabled) + PROJECT
    }

    #[test]
    fn a_disabled_owner_and_a_401_are_certain() {
        check(ID, &files("false"), &[], "certain");
    }

    #[test]
    fn an_enabled_owner_is_none() {
        check(ID, &files("true"), &[], "no");
    }

    /// A disabled user whose cluster has no failing login is not a cause yet.
    #[test]
    fn without_a_401_it_is_none() {
        check(ID, &(login::files("") + &OWNER.replace("true", "false")), &[], "no");
    }

    #[test]
    fn another_disabled_user_is_none() {
        check(ID, &files("false").replace(r#""id": "u1""#, r#""id": "u2""#), &[], "no");
    }

    #[test]
    fn without_the_users_it_is_not_checked() {
        check(ID, &(login::files(REFUSED) + PROJECT), &["openstack/identity/users"], "not checked");
    }
}
