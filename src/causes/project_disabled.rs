//! The project of the cluster is disabled.

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
    id: "project-disabled",
    title: "the project of the cluster is disabled",
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
    ],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("ask why the project was disabled").run(&["openstack project show {project_id}"]),
            Step::say("enable it, at least until the cluster is deleted (needs an admin): the old credential works again")
                .run(&["openstack project set --enable {project_id}"]),
        ],
    },
    values: &["user"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

A disabled project gives no tokens to anybody. Servers, networks and load balancers in it go on; the
login of its clusters is refused with 401, so CAPO can neither build nor delete.

### How it is recognised

Keystone answers the cluster's login with a plain 401, and the project of the Magnum cluster was read
with `enabled` false. A project that was deleted gives 404 instead; that is `project-deleted`.

### Sources

- openstack/keystone keystone/auth/core.py, keystone/resource/core.py
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let Some(failed) = login::failed(snapshot) else { return Ok(Vec::new()) };
    let (Some(project), Answer::Refused) = (snapshot.project_id(), &failed.answer) else {
        return Ok(Vec::new());
    };
    if !login::project(snapshot).disabled() {
        return Ok(Vec::new());
    }
    let name = snapshot.project_name().map(|name| format!("\"{name}\" ({project})"));
    let headline = format!("project {} of the cluster is disabled", name.as_deref().unwrap_or(project));
    let mut finding = login::finding(snapshot, &failed, headline).about(thing("project", project));
    if let Some(evidence) = login::project_evidence(snapshot) {
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
        login::files(REFUSED) + OWNER + &PROJECT.replace("true", enabled)
    }

    #[test]
    fn a_disabled_project_and_a_401_are_certain() {
        check(ID, &files("false"), &[], "certain");
    }

    #[test]
    fn an_enabled_project_is_none() {
        check(ID, &files("true"), &[], "no");
    }

    #[test]
    fn without_a_401_it_is_none() {
        check(ID, &(login::files("") + &PROJECT.replace("true", "false")), &[], "no");
    }

    #[test]
    fn without_the_projects_it_is_not_checked() {
        check(ID, &(login::files(REFUSED) + OWNER), &["openstack/identity/projects"], "not checked");
    }
}
