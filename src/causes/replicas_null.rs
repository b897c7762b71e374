//! The driver writes `replicas: null` for a node group with auto scaling.

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
    id: "replicas-null",
    title: "the driver writes no number of replicas for an autoscaled node group, and Cluster API refuses that",
    during: Actions::ALIVE,
    stage: Stage::Topology,
    explains: &[],
    needs: &["openstack/container-infra/clusters"],
    doc: DOC,
    affected: &[Range { of: "magnum-cluster-api", from: "0.37.0", fixed: &["0.38.2"] }],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say(
                "upgrade magnum-cluster-api to 0.38.2 or later; until then no change of this cluster gets through",
            ),
            refused::CREATE_AGAIN,
            refused::RESIZE_AGAIN,
            refused::GROUP_DELETE_AGAIN,
            refused::GROUP_CREATE_AGAIN,
        ],
    },
    values: refused::VALUES,
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

With the label auto_scaling_enabled the number of machines is left to the autoscaler. Drivers before
0.38.2 write the field all the same, as null; newer releases of Cluster API refuse that with 422. Every
change of the cluster fails, while the cluster itself runs on.

### How it is recognised

The refused field is `replicas` of a MachineDeployment in the topology, with the value null, in the
reason of a node group or of the cluster.

### Sources

- vexxhost/magnum-cluster-api issues 1144 and 1140, magnum_cluster_api/resources.py
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let denied = denied::known(snapshot, Known::NullReplicas);
    let messages: Vec<&Message> = denied.iter().map(|d| d.message).collect();
    let Some(first) = denied.first() else { return refused::nothing(snapshot) };
    let headline = format!("the driver wrote {} as null, and Cluster API refused the change", first.field);
    let mut finding = refused::finding(snapshot, &messages, headline);
    let scaled = snapshot.magnum.cluster.and_then(|c| c.at("labels")?.get("auto_scaling_enabled")?.as_str());
    if scaled.is_some_and(|v| v.eq_ignore_ascii_case("true")) {
        finding = finding
            .says("The cluster has the label auto_scaling_enabled: drivers before 0.38.2 write null then.");
    }
    Ok(vec![finding.says("Nothing of the change was carried out.")])
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, failed};

    const ID: &str = super::CAUSE.id;
    const NULL: &str = "Cluster.cluster.x-k8s.io \\\"kube-abcde\\\" is invalid: [spec.topology.workers.machineDeployments[0].replicas: \
                        Invalid value: \\\"null\\\": must be of type integer, <nil>: Invalid value: null: some validation rules \
                        were not checked because the object was invalid]";

    fn groups(reason: &str) -> String {
        format!(
            "=== openstack/container-infra/nodegroups.json\n{{\"nodegroups\": [{{\"name\": \"default-worker\", \"role\": \"worker\", \
             \"status\": \"UPDATE_FAILED\", \"node_count\": 2, \"status_reason\": \"{reason}\"}}]}}\n"
        )
    }

    #[test]
    fn null_replicas_in_a_reason_are_certain() {
        check(ID, &failed("UPDATE_FAILED", NULL), &[], "certain");
        let null = failed("UPDATE_FAILED", "").replace("\"status_reason\": \"\"", "\"status_reason\": null");
        check(ID, &format!("{null}{}", groups(NULL)), &[], "certain");
        check(ID, &null, &["openstack/container-infra/nodegroups"], "not checked");
    }

    #[test]
    fn another_number_or_an_older_reason_is_none() {
        let negative = NULL.replace("\\\"null\\\"", "-1").replace(", <nil>: Invalid value: null", "");
        check(ID, &failed("UPDATE_FAILED", &negative), &[], "no");
        check(ID, &format!("{}{}", failed("UPDATE_COMPLETE", ""), groups(NULL)), &[], "no");
    }
}
