//! The template of an upgrade has no label kube_tag.

use super::kit::refused;
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Message, Snapshot};
use crate::report::Risk;

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "kube-tag-missing",
    title: "the template of the upgrade has no label kube_tag",
    during: Actions::UPDATE,
    stage: Stage::Topology,
    explains: &[],
    needs: &["openstack/container-infra/clusters"],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see the labels of the template, which Magnum's row shows already")
                .run(&["openstack coe cluster template show -c name -c labels {template}"]),
            refused::RESIZE_AGAIN,
            Step::say("then upgrade to a template that has the label kube_tag, such as v1.34.3, fitting its image (a template in use takes no new labels: make another one)")
                .run(&["openstack coe cluster upgrade {uuid} <template with kube_tag>"]),
        ],
    },
    values: &["template", "resize", "group_create", "group_delete"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

For an upgrade the driver reads the label kube_tag of the new template and has no fallback. Without the
label Python raises a KeyError whose text is only the key, so Magnum shows UPDATE_FAILED with the reason
`'kube_tag'`. By then Magnum's row has the new template already.

### How it is recognised

The reason of the cluster or of a node group is the key in quotes and nothing else.

### Sources

- vexxhost/magnum-cluster-api magnum_cluster_api/driver.py (upgrade_cluster)
- openstack/magnum magnum/conductor/handlers/cluster_conductor.py (cluster_upgrade)
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let key = |m: &Message| {
        let text = m.text.lines().next().unwrap_or_default().trim();
        text == "'kube_tag'" || text.ends_with("KeyError: 'kube_tag'")
    };
    let reasons = refused::reasons(snapshot, key);
    if reasons.is_empty() || snapshot.status() != "UPDATE_FAILED" {
        return refused::nothing(snapshot);
    }
    let id = snapshot.magnum.cluster.and_then(|c| c.str("cluster_template_id")).unwrap_or("<template>");
    let name = snapshot.magnum.template.and_then(|t| t.str("name"));
    let named = name.map_or_else(|| id.to_owned(), |name| format!("{id} \"{name}\""));
    // The row shows the new template from the first moment of an upgrade on.
    let tagged =
        snapshot.magnum.template.is_some_and(|t| t.at("labels").is_some_and(|l| l.get("kube_tag").is_some()));
    let headline = if tagged {
        "the template of the upgrade had no label kube_tag, which the driver needs".to_owned()
    } else {
        format!("template {named} has no label kube_tag, which the driver needs for an upgrade")
    };
    Ok(vec![refused::finding(snapshot, &reasons, headline).value("template", id)])
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, failed};

    const ID: &str = super::CAUSE.id;

    #[test]
    fn the_bare_key_is_certain() {
        check(ID, &failed("UPDATE_FAILED", "'kube_tag'"), &[], "certain");
        check(ID, &failed("UPDATE_FAILED", "'kube_tag' is not valid"), &[], "no");
        check(ID, &failed("UPDATE_FAILED", "'boot_volume_size'"), &[], "no");
        check(ID, &failed("UPDATE_COMPLETE", "'kube_tag'"), &[], "no");
    }

    #[test]
    fn a_node_group_tells_it_too() {
        let groups = "=== openstack/container-infra/nodegroups.json\n{\"nodegroups\": [{\"name\": \"default-worker\", \"role\": \"worker\", \
            \"status\": \"UPDATE_FAILED\", \"status_reason\": \"'kube_tag'\"}]}\n";
        let null = failed("UPDATE_FAILED", "").replace("\"status_reason\": \"\"", "\"status_reason\": null");
        check(ID, &format!("{null}{groups}"), &[], "certain");
        check(ID, &null, &["openstack/container-infra/nodegroups"], "not checked");
    }
}
