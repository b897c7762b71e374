//! The Secret with the cluster's login to OpenStack is missing.

use super::kit::login::{self, Answer};
use super::kit::{self, thing};
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::Snapshot;
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::report::Risk;

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "credential-secret-missing",
    title: "the Secret with the cluster's login to OpenStack is missing",
    during: Actions::ALL,
    stage: Stage::Credentials,
    explains: &[],
    needs: &[
        "log:infrastructure-openstack",
        "kubernetes/cluster",
        "kubernetes/openstackcluster",
        "kubernetes/openstackmachine",
        "kubernetes/openstackserver",
        "kubernetes/secret",
    ],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see that it is missing").run(&["kubectl -n {namespace} get secret {stack_id}-cloud-config"]),
            Step::say("log in as user {user} in project {project_id}: the old credential's secret cannot be read again, and only its owner can make a new one")
                .run(&[
                    "openstack token issue -c user_id -c project_id",
                    "openstack application credential list",
                ]),
            Step::say("if one named {uuid} is listed, delete it to make room for the new one (nothing can log in with it from here; pods inside the cluster may)")
                .run(&["openstack application credential delete {uuid}"]),
            login::MAKE,
            Step::say("write clouds.yaml as the driver does; the region and whether to use the internal or the public endpoints are those of the Secret of any other cluster")
                .run(&[
                    "printf 'clouds:\\n  default:\\n    region_name: %s\\n    identity_api_version: 3\\n    auth:\\n      auth_url: %s\\n      application_credential_id: %s\\n      application_credential_secret: %s\\n' '<region>' '<Keystone URL>' \"$(jq -r '.id // .ID' credential.json)\" \"$(jq -r '.secret // .Secret' credential.json)\" > {stack_id}-clouds.yaml",
                ]),
            Step::say("make the Secret, with the CA of the endpoints as cacert, label it, and remove the files")
                .run(&[
                    "kubectl -n {namespace} create secret generic {stack_id}-cloud-config --from-file=clouds.yaml={stack_id}-clouds.yaml --from-file=cacert=ca.pem",
                    "kubectl -n {namespace} label secret {stack_id}-cloud-config cluster-uuid={uuid}",
                    "rm {stack_id}-clouds.yaml credential.json",
                ]),
        ],
    },
    values: &["user"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

CAPO reads the login of a cluster from the Secret `<stack id>-cloud-config` at every reconcile. No
finalizer protects it, and the driver writes it only when the cluster is created. Without it CAPO
stops before it does anything: conditions keep their last state, an OpenStackServer keeps BUILD though
Nova has finished, and a delete never ends.

### How it is recognised

CAPO's log says `secrets \"<stack id>-cloud-config\" not found` for objects of this cluster that still
exist. It is certain if the list of Secrets was read and does not hold it. At the very end of a delete
the driver removes the Secret itself; then no object of CAPO's is left and it is no cause.

### Sources

- kubernetes-sigs/cluster-api-provider-openstack pkg/scope/provider.go, issues 1392 and 2264
- vexxhost/magnum-cluster-api magnum_cluster_api/resources.py (CloudConfigSecret), driver.py
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let (Some(failed), Some(stack_id)) = (login::failed(snapshot), snapshot.marks.stack_id.as_deref()) else {
        return Ok(Vec::new());
    };
    let name = format!("{stack_id}-cloud-config");
    let secrets = &snapshot.kube.secrets;
    if failed.answer != Answer::NoSecret || secrets.some().iter().any(|s| s.name() == name) {
        return Ok(Vec::new());
    }
    let headline = format!("Secret {name}, which holds the cluster's login to OpenStack, does not exist");
    let mut finding = login::finding(snapshot, &failed, headline)
        .says("Nobody writes it again: the driver makes it only when a cluster is created.")
        .about(thing("Secret", &name));
    if secrets.whole() {
        let place = format!("kubectl -n {} get secret {name}", snapshot.marks.namespace);
        finding = finding.evidence(kit::seen(
            "Secrets of the namespace",
            place,
            format!("none of the name {name}"),
        ));
    }
    Ok(vec![finding.likely_if(!secrets.whole())])
}

#[cfg(test)]
mod tests {
    use super::super::testing::check;
    use super::super::testing::login;

    const ID: &str = super::CAUSE.id;
    const MISSING: &str = r#"secrets "kube-abcde-cloud-config" not found"#;
    const SECRET: &str = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: kube-abcde-cloud-config, namespace: magnum-system, labels: {cluster-uuid: 11111111-2222-4333-8444-555555555555}}\n";

    #[test]
    fn a_secret_that_is_not_listed_is_certain() {
        check(ID, &login::files(MISSING), &[], "certain");
    }

    #[test]
    fn a_secret_that_is_there_again_or_anothers_is_none() {
        check(ID, &login::with_object(MISSING, SECRET), &[], "no");
        check(ID, &login::files(r#"secrets "kube-abcde-x-cloud-config" not found"#), &[], "no");
        check(ID, &login::files(r#"secrets "kube-abcde-kubeconfig" not found"#), &[], "no");
    }

    /// The driver removes it at the end of a delete.
    #[test]
    fn with_nothing_of_capo_left_it_is_none() {
        check(ID, &login::without_objects(MISSING), &[], "no");
        check(ID, &login::without_objects(MISSING), &["kubernetes/openstackcluster"], "likely");
    }

    #[test]
    fn without_the_secrets_it_is_likely_and_without_the_log_not_checked() {
        check(ID, &login::files(MISSING), &["kubernetes/secret"], "likely");
        check(ID, &login::files(""), &["log/capo-system"], "not checked");
    }
}
