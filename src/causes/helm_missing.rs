//! The magnum-conductor has no helm.

use super::kit::{self, refused};
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Message, Snapshot};
use crate::report::Risk;

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "helm-missing",
    title: "the magnum-conductor has no helm program",
    during: Actions::ALL,
    stage: Stage::Controllers,
    explains: &[],
    needs: &["openstack/container-infra/clusters"],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say(
                "see whether it is there now, in every replica; if not, put it into the conductor's image",
            )
            .run(&["{conductor} -- helm version --short"]),
            refused::CREATE_AGAIN,
            refused::DELETE_AGAIN,
            refused::RESIZE_AGAIN,
            refused::GROUP_DELETE_AGAIN,
            refused::GROUP_CREATE_AGAIN,
        ],
    },
    values: &["conductor", "resize", "group_create", "group_delete"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

The driver runs helm on the conductor: to render the manifests of the add-ons while it creates a
cluster, and to install and remove the cluster autoscaler. Without the program the operation ends with
the text of the operating system's error. A create stops after the Secrets, the application credential
and the server groups, and before the Cluster; what was made stays until the delete.

### How it is recognised

The reason says that there is no file named `helm`. It tells of then: helm may be there by now.

### Sources

- vexxhost/magnum-cluster-api magnum_cluster_api/helm.py, resources.py, driver.py
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let missing = |m: &Message| {
        m.has("no such file or directory: 'helm'") || m.has("no such file or directory: \"helm\"")
    };
    let reasons = refused::reasons(snapshot, missing);
    if reasons.is_empty() {
        return refused::nothing(snapshot);
    }
    let headline = "the magnum-conductor found no program helm, which the driver needs to render the add-ons";
    let mut finding = refused::finding(snapshot, &reasons, headline)
        .shared()
        .value("conductor", kit::conductor(snapshot, "exec"));
    if snapshot.kube.clusters.all().is_ok_and(<[_]>::is_empty) {
        finding = finding.says("The Cluster was never written.");
    }
    Ok(vec![finding])
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, failed};

    const ID: &str = super::CAUSE.id;

    #[test]
    fn only_a_missing_helm_is_one() {
        check(ID, &failed("CREATE_FAILED", "[Errno 2] No such file or directory: 'helm'"), &[], "certain");
        check(ID, &failed("DELETE_FAILED", "[Errno 2] No such file or directory: 'helm'"), &[], "certain");
        check(
            ID,
            &failed("CREATE_FAILED", "[Errno 2] No such file or directory: '/etc/magnum/magnum.conf'"),
            &[],
            "no",
        );
        check(ID, &failed("CREATE_COMPLETE", "[Errno 2] No such file or directory: 'helm'"), &[], "no");
        check(ID, "", &["openstack/container-infra/clusters"], "not checked");
    }
}
