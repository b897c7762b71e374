//! The project of the cluster was deleted.

use super::kit::login::{self, Answer, Known};
use super::kit::thing;
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::Snapshot;
use crate::model::action::{Action, Actions};
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::report::Risk;

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "project-deleted",
    title: "the project of the cluster was deleted",
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
        risk: Risk::EditsDatabase,
        steps: &[
            Step::say("make sure that the project is gone, and see whether the owner of the cluster still exists")
                .run(&["openstack project show {project_id}", "openstack user show {user}"]),
            Step::say("back up Keystone's database (where it runs)")
                .run(&["mysqldump --single-transaction keystone > keystone-before.sql"]),
            Step::say("make a project and note its id").run(&["openstack project create -c id -f value project-of-{stack_id}"]),
            Step::say("give its row the id of the deleted project, in Keystone's database").run(&[
                "mysql keystone -e \"UPDATE project SET id='{project_id}' WHERE id='<id of the new project>'\"",
            ]),
            Step::say("give the owner the roles of the credential on it: deleting the project has removed them, and with them back the old credential works")
                .each("role", &["openstack role add --user {user} --project {project_id} {each}"])
                .unless("owner-gone"),
            Step::say("give yourself the role, and log in to that project")
                .run(&[
                    "openstack role add --user <your user id> --project {project_id} member",
                    "openstack token issue -c user_id -c project_id",
                ])
                .when("owner-gone"),
            login::MAKE.when("owner-gone"),
            login::READ.when("owner-gone"),
            login::PUT.when("owner-gone"),
            Step::say("delete the project again once the cluster is gone").run(&["openstack project delete {project_id}"]),
        ],
    },
    values: &["user", "role"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

Deleting a project in Keystone deletes neither its servers nor its networks nor its Magnum clusters;
it only takes away every login to them. The cluster's application credential still exists, as it
belongs to the user, but Keystone answers 404 for the project. A delete of the cluster then waits for
ever with its finalizers. Removing the finalizers ends that wait and leaves everything the cluster has
in OpenStack behind.

### How it is recognised

CAPO's login ends in Keystone's 404 \"Could not find project: <id>\" with the id of the Magnum cluster's
project. It is certain if the list of projects was read too and does not hold it. Nothing of it stands
in a condition or an event. If the project is listed again it has been restored, and it is not this
cause any more.

### Sources

- vexxhost/magnum-cluster-api docs/admin/troubleshooting.md (deleted project)
- openstack/keystone keystone/resource/core.py (what goes with a project)
- kubernetes-sigs/cluster-api-provider-openstack pkg/scope/provider.go
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let Some(failed) = login::failed(snapshot) else { return Ok(Vec::new()) };
    let Answer::NoProject(id) = &failed.answer else { return Ok(Vec::new()) };
    let row = login::project(snapshot);
    if snapshot.project_id() != Some(id) || matches!(row, Known::There(_)) {
        return Ok(Vec::new());
    }
    let headline = format!("project {id}, which owns the cluster, does not exist in Keystone any more");
    let mut finding = login::finding(snapshot, &failed, headline).about(thing("project", id));
    if let Some(evidence) = login::project_evidence(snapshot) {
        finding = finding.evidence(evidence);
    }
    for role in login::roles(snapshot) {
        finding = finding.value("role", role);
    }
    if login::owner(snapshot).gone() {
        finding = finding
            .flag("owner-gone")
            .says("The user who made the cluster is gone too, and the credential with it.");
    }
    if snapshot.action == Action::Delete {
        finding = finding.not_it(
            "the finalizers of the Machines and OpenStackMachines",
            "they wait for the servers to be deleted; removing them would leave everything in OpenStack behind",
        );
    }
    Ok(vec![finding.likely_if(!row.gone())])
}

#[cfg(test)]
mod tests {
    use super::super::testing::login::{self, OWNER, PROJECT};
    use super::super::testing::{check, report};

    const ID: &str = super::CAUSE.id;
    const V2: &str = r#"providerClient authentication err: Expected HTTP response code [201 202] when accessing [POST http://k:5000/v3/auth/tokens], but got 404 instead: {"error":{"code":404,"message":"Could not find project: p1.","title":"Not Found"}}"#;
    const V1: &str = r#"providerClient authentication err: Resource not found: [POST http://k:5000/v3/auth/tokens], error message: {"error":{"code":404,"message":"Could not find project: p1.","title":"Not Found"}}"#;

    #[test]
    fn a_project_that_keystone_does_not_know_is_certain() {
        check(ID, &(login::files(V2) + OWNER), &[], "certain");
        check(ID, &(login::files(V1) + OWNER), &[], "certain");
    }

    #[test]
    fn a_project_that_is_back_or_anothers_is_none() {
        check(ID, &(login::files(V2) + OWNER + PROJECT), &[], "no");
        check(ID, &(login::files(&V2.replace(": p1.", ": p12.")) + OWNER), &[], "no");
    }

    #[test]
    fn without_the_projects_it_is_likely_and_without_the_log_not_checked() {
        check(ID, &(login::files(V2) + OWNER), &["openstack/identity/projects"], "likely");
        check(ID, &(login::files("") + OWNER), &["log/capo-system"], "not checked");
    }

    /// With the owner there no new credential is needed; without the owner it is.
    #[test]
    fn the_fix_depends_on_the_owner() {
        let steps = |files: &str| {
            let report = report(files, &[]);
            report.causes[0].fix.steps.iter().flat_map(|s| s.run.clone()).collect::<Vec<_>>().join("\n")
        };
        let owner = steps(&(login::files(V2) + OWNER));
        assert!(
            owner.contains("role add --user u1 --project p1 member") && !owner.contains("credential create")
        );
        let gone = steps(&login::files(V2));
        assert!(gone.contains("credential create") && !gone.contains("--user u1 --project p1"));
    }
}
