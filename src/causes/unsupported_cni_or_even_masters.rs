//! The driver refuses the network driver, or an even number of masters, and says nothing.

use super::kit;
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::Snapshot;
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::status_reason::StatusReason;
use crate::report::{Recovers, Risk};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "unsupported-cni-or-even-masters",
    title: "the driver refuses the network driver or an even number of masters, without a word",
    during: Actions::CREATE,
    stage: Stage::Topology,
    explains: &[],
    needs: &["openstack/container-infra/clusters"],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see the two values").run(&[
                "openstack coe cluster show -c master_count -c cluster_template_id {uuid}",
                "openstack coe cluster template show -c network_driver {template}",
            ]),
            Step::say("take an odd number of masters").when("masters"),
            Step::say("take a template whose network_driver is calico or cilium").when("network"),
            Step::say("delete the cluster and create it again: a failed create never goes on")
                .run(&["openstack coe cluster delete {uuid}"]),
        ],
    },
    values: &["template"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

Before it makes anything the driver checks the request: the network driver has to be calico or cilium,
and the number of masters odd. The exceptions for both have no text, so Magnum shows CREATE_FAILED with
an empty reason.

### How it is recognised

CREATE_FAILED with an empty or no status_reason, and an even master_count, or a template with another
network driver. If the template was not read and the number is odd, the network driver is likely.

### Sources

- vexxhost/magnum-cluster-api magnum_cluster_api/utils.py (validate_cluster), exceptions.py
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let Some(cluster) = snapshot.magnum.cluster.filter(|c| c.text("status") == "CREATE_FAILED") else {
        return Ok(Vec::new());
    };
    // With a Cluster the create came further than these checks.
    if snapshot.magnum.reason != StatusReason::None || snapshot.kube.cluster().is_some() {
        return Ok(Vec::new());
    }
    let masters = cluster.int("master_count").filter(|count| count % 2 == 0);
    let network = snapshot.magnum.template.and_then(|t| t.str("network_driver"));
    let refused = network.filter(|driver| !["calico", "cilium"].contains(driver));
    let (headline, flag, certain) = match (masters, refused) {
        (Some(count), _) => {
            (format!("the driver refuses {count} masters: the number has to be odd"), "masters", true)
        }
        (None, Some(driver)) => (
            format!("the driver refuses network driver {driver}: it knows calico and cilium"),
            "network",
            true,
        ),
        // Both are in order, so the silence has another reason.
        (None, None) if network.is_some() => return Ok(Vec::new()),
        (None, None) => {
            let says = "the driver refuses the template's network driver: the reason is empty, and the number of masters is odd";
            (says.to_owned(), "network", false)
        }
    };
    let uuid = snapshot.marks.uuid.as_deref().unwrap_or(&snapshot.asked_for);
    let count = cluster.int("master_count").map_or_else(|| "not told".to_owned(), |n| n.to_string());
    let finding = Finding::new(headline)
        .likely_if(!certain)
        .about(kit::thing("Magnum cluster", uuid))
        .flag(flag)
        .value("template", cluster.str("cluster_template_id").unwrap_or("<template>"))
        .says("These two refusals are the ones for which Magnum's status_reason stays empty.")
        .recovers(Recovers::Never, "It does not end by itself: CREATE_FAILED is never looked at again.")
        .evidence(kit::seen(
            "Magnum, the cluster",
            format!("openstack coe cluster show -c status -c status_reason -c master_count {uuid}"),
            format!("CREATE_FAILED, no status_reason, master_count {count}"),
        ));
    Ok(vec![match (snapshot.magnum.template, network) {
        (Some(template), Some(driver)) => finding.evidence(kit::seen(
            format!("Magnum, template {}", template.text("name")),
            format!("openstack coe cluster template show -c network_driver {}", template.text("uuid")),
            format!("network_driver {driver}"),
        )),
        _ => finding,
    }])
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, failed};

    const ID: &str = super::CAUSE.id;

    fn silent(masters: u8, network: &str) -> String {
        let rows = failed("CREATE_FAILED", "").replace(
            "\"name\": \"web\"",
            &format!("\"name\": \"web\", \"master_count\": {masters}, \"cluster_template_id\": \"t1\""),
        );
        if network.is_empty() {
            return rows;
        }
        format!(
            "{rows}=== openstack/container-infra/clustertemplates.json\n{{\"clustertemplates\": [{{\"uuid\": \"t1\", \
             \"name\": \"k8s\", \"network_driver\": \"{network}\"}}]}}\n"
        )
    }

    #[test]
    fn an_even_number_or_another_network_driver_is_certain() {
        check(ID, &silent(2, "calico"), &[], "certain");
        check(ID, &silent(2, ""), &[], "certain");
        check(ID, &silent(3, "flannel"), &[], "certain");
        check(ID, &silent(3, ""), &[], "likely");
        check(ID, &silent(3, "cilium"), &[], "no");
        check(ID, "", &["openstack/container-infra/clusters"], "not checked");
    }

    #[test]
    fn a_reason_or_another_state_is_none() {
        check(
            ID,
            &silent(2, "").replace("\"status_reason\": \"\"", "\"status_reason\": \"boom\""),
            &[],
            "no",
        );
        check(ID, &silent(2, "").replace("CREATE_FAILED", "CREATE_IN_PROGRESS"), &[], "no");
    }
}
