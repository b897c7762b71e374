//! The driver's upgrade could not reach the cluster's own API.

use super::kit::{self, refused};
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Snapshot, Status};
use crate::report::Risk;

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "upgrade-needs-workload-api",
    title: "the conductor cannot reach the cluster's own API, which an upgrade asks first",
    during: Actions::UPDATE,
    stage: Stage::Topology,
    explains: &[],
    needs: &["openstack/container-infra/clusters"],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see whether the API answers, and whether it answers from the conductor").run(&[
                "curl -k -m 10 {api}/healthz",
                "{conductor} -- curl -k -m 10 {api}/healthz",
                "kubectl -n {namespace} get service,endpointslices | grep {stack_id}",
            ]),
            Step::say(
                "make it reachable: bring the control plane up; where the conductor runs outside the management cluster, the name {stack_id}.{namespace} has to resolve there too",
            ),
            refused::RESIZE_AGAIN,
            Step::say("then upgrade again: nothing was written by the failed one"),
        ],
    },
    values: &["api", "conductor", "resize", "group_create", "group_delete"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

Since driver 0.30.0 an upgrade begins in the cluster itself: it deletes old add-ons through the cluster's
own API, before anything is written to the management cluster. If the conductor cannot connect to that
API the upgrade ends there. The control plane is down or never came up; or the conductor runs where the
name of the proxy's Service, <stack id>.<namespace>, does not resolve.

### How it is recognised

UPDATE_FAILED with `ServiceError: client error (Connect)`. It is certain if the management cluster does
not reach that API either; else the way from the conductor is to be looked at.

### Sources

- vexxhost/magnum-cluster-api issues 752, 868 and 881, src/driver.rs, magnum_cluster_api/proxy/manager.py
- kube-rs/kube kube-client/src/error.rs
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let reasons = refused::reasons(snapshot, |m| m.has("client error (connect)"));
    if reasons.is_empty() || snapshot.status() != "UPDATE_FAILED" {
        return refused::nothing(snapshot);
    }
    let api = api(snapshot);
    let (down, says) = match (snapshot.initialised(), probe_failed(snapshot)) {
        (Some(false), _) => (true, "The control plane has never come up, so there is no such API yet."),
        (_, true) => (true, "The management cluster does not reach it either."),
        _ => (
            false,
            "The management cluster has no trouble with it as far as was read, so look at the way from the conductor.",
        ),
    };
    let headline = format!(
        "the upgrade asks the cluster's own API at {api} first, and the conductor could not connect to it"
    );
    let finding = refused::finding(snapshot, &reasons, headline)
        .says(says)
        .says("Nothing was written to the management cluster.")
        .value("api", api)
        .value("conductor", kit::conductor(snapshot, "exec"));
    let weak = reasons.iter().all(|m| m.weak);
    Ok(vec![finding.likely_if(weak || !down)])
}

fn api(snapshot: &Snapshot<'_>) -> String {
    if let Some(address) = snapshot.magnum.cluster.and_then(|c| c.str("api_address")) {
        return address.to_owned();
    }
    let host = snapshot.kube.cluster().and_then(|c| c.str("spec.controlPlaneEndpoint.host"));
    host.map_or_else(|| "https://<api_address>:6443".to_owned(), |host| format!("https://{host}:6443"))
}

/// Cluster API's own probe of the cluster's API (contract v1beta2).
fn probe_failed(snapshot: &Snapshot<'_>) -> bool {
    let probe = snapshot.kube.cluster().and_then(|c| c.condition("RemoteConnectionProbe"));
    probe.is_some_and(|c| c.status == Status::False)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, failed};

    const ID: &str = super::CAUSE.id;
    const CONNECT: &str = "ServiceError: client error (Connect)";

    fn control_plane(initialized: bool) -> String {
        format!(
            "=== kubernetes/objects.yaml\napiVersion: controlplane.cluster.x-k8s.io/v1beta1\nkind: KubeadmControlPlane\n\
             metadata: {{name: kube-abcde-c1c1c, namespace: magnum-system, labels: {{cluster.x-k8s.io/cluster-name: kube-abcde}}}}\n\
             status: {{initialized: {initialized}}}\n"
        )
    }

    #[test]
    fn it_is_certain_only_if_the_api_is_known_to_be_down() {
        let upgrade = failed("UPDATE_FAILED", CONNECT);
        check(ID, &format!("{upgrade}{}", control_plane(false)), &[], "certain");
        check(ID, &format!("{upgrade}{}", control_plane(true)), &[], "likely");
        check(ID, &upgrade, &["kubernetes/kubeadmcontrolplane"], "likely");
        check(ID, &upgrade.replace(CONNECT, ""), &["openstack/container-infra/nodegroups"], "not checked");
    }

    #[test]
    fn other_operations_and_other_words_are_none() {
        check(ID, &failed("CREATE_FAILED", CONNECT), &[], "no");
        check(ID, &failed("UPDATE_FAILED", "ServiceError: client error (SendRequest)"), &[], "no");
    }
}
