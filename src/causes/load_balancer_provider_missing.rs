//! The driver's ClusterClass demands a load balancer provider that the driver does not send.

use super::kit::denied::{self, Known};
use super::kit::refused;
use super::{Cause, Finding, Fix, Look, Range, Step};
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Message, Snapshot};
use crate::report::Risk;

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "load-balancer-provider-missing",
    title: "the driver sends no load balancer provider, and its own ClusterClass demands one",
    during: Actions::ALIVE,
    stage: Stage::Topology,
    explains: &[],
    needs: &["openstack/container-infra/clusters"],
    doc: DOC,
    affected: &[Range { of: "magnum-cluster-api", from: "0.35.0", fixed: &["0.36.2"] }],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("upgrade magnum-cluster-api to 0.36.2 or later"),
            Step::say("until then: give the cluster or its template the label octavia_provider, with a provider that Octavia has")
                .run(&["openstack loadbalancer provider list"]),
            refused::CREATE_AGAIN,
            refused::RESIZE_AGAIN,
        ],
    },
    values: refused::VALUES,
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

Drivers from 0.35.0 to 0.36.1 write a ClusterClass in which the variable apiServerLoadBalancer must have
a provider, and send the variable without one. Cluster API refuses the Cluster with 422, so a cluster
without the label octavia_provider cannot be created.

### How it is recognised

The refused field is the provider of the variable apiServerLoadBalancer, and the words are \"Required
value\". Octavia was never asked.

### Sources

- vexxhost/magnum-cluster-api issue 917, pull request 924
- kubernetes-sigs/cluster-api internal/topology/variables (validation of variables)
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let denied = denied::known(snapshot, Known::Provider);
    let messages: Vec<&Message> = denied.iter().map(|d| d.message).collect();
    let Some(first) = denied.first() else { return refused::nothing(snapshot) };
    let headline = format!(
        "the driver sent no load balancer provider, so the Cluster was refused: {} is required",
        first.field
    );
    let finding = refused::finding(snapshot, &messages, headline)
        .says("Drivers 0.35.0 to 0.36.1 have this fault; the label octavia_provider goes round it.")
        .not_it("Octavia", "it was never asked: the request ended at Cluster API's webhook");
    Ok(vec![finding])
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, failed};

    const ID: &str = super::CAUSE.id;

    fn denial(field: &str, words: &str) -> String {
        format!(
            "ApiError: admission webhook \\\"default.cluster.cluster.x-k8s.io\\\" denied the request: Cluster.cluster.x-k8s.io \
             \\\"kube-abcde\\\" is invalid: {field}: {words}"
        )
    }

    #[test]
    fn only_a_missing_provider_is_one() {
        let provider = "spec.topology.variables[apiServerLoadBalancer].value.provider";
        check(ID, &failed("CREATE_FAILED", &denial(provider, "Required value")), &[], "certain");
        let unknown = "Unsupported value: \\\"haproxy\\\": supported values: \\\"amphora\\\"";
        check(ID, &failed("CREATE_FAILED", &denial(provider, unknown)), &[], "no");
        let other = "spec.topology.variables[nodeCidr].value";
        check(ID, &failed("CREATE_FAILED", &denial(other, "Required value")), &[], "no");
        check(ID, &failed("CREATE_COMPLETE", &denial(provider, "Required value")), &[], "no");
        check(ID, "", &["openstack/container-infra/clusters"], "not checked");
    }
}
