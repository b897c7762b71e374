//! An upgrade over more than one minor version.

use super::kit::denied::{self, Known};
use super::kit::refused;
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Message, Snapshot};
use crate::report::Risk;

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "upgrade-skips-minor",
    title: "the upgrade skips a minor version of Kubernetes",
    during: Actions::ALIVE,
    stage: Stage::Topology,
    explains: &[],
    needs: &["openstack/container-infra/clusters"],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see the version that runs").run(&[
                "kubectl -n {namespace} get cluster {stack_id} -o jsonpath='{.spec.topology.version}{\"\\n\"}'",
            ]),
            refused::RESIZE_AGAIN,
            Step::say("then upgrade one minor version at a time, with a template for each; wait for UPDATE_COMPLETE in between")
                .each("upgrade", &["{each}"]),
            refused::CREATE_AGAIN,
        ],
    },
    values: &["upgrade", "resize", "group_create", "group_delete"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

Cluster API lets the version of a Cluster rise by one minor at a time and refuses the rest with 422.
Nothing in the cluster is changed, but Magnum's row shows the new template, and in UPDATE_FAILED Magnum
takes no upgrade: a resize to the present size leads out of it. Where that is no way, people have put
status, status_reason and cluster_template_id back in Magnum's database.

### How it is recognised

The webhook's words on spec.topology.version: the version cannot be increased from one to the other.

### Sources

- kubernetes-sigs/cluster-api internal/webhooks/cluster.go
- vexxhost/magnum-cluster-api issues 630 and 373, pull request 484
- openstack/magnum magnum/conductor/handlers/cluster_conductor.py
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let denied = denied::known(snapshot, Known::SkipsMinor);
    let messages: Vec<&Message> = denied.iter().map(|d| d.message).collect();
    let Some((from, to)) = denied.iter().find_map(|d| versions(&d.words)) else {
        return refused::nothing(snapshot);
    };
    let headline =
        format!("the upgrade goes from {from} to {to}, and Cluster API takes one minor version at a time");
    let mut finding = refused::finding(snapshot, &messages, headline);
    let runs = snapshot.kube.cluster().and_then(|c| c.str("spec.topology.version"));
    if let Some(runs) = runs.filter(|v| v.trim_start_matches('v') != to) {
        finding = finding.says(format!(
            "Nothing was changed: the Cluster still has version {runs}, though Magnum's row shows the new template."
        ));
    }
    for minor in between(from, to) {
        let uuid = snapshot.marks.uuid.as_deref().unwrap_or("<Magnum UUID>");
        finding =
            finding.value("upgrade", format!("openstack coe cluster upgrade {uuid} <template with {minor}>"));
    }
    Ok(vec![finding])
}

/// `1.27.3` and `1.31.1` out of `version cannot be increased from "1.27.3" to "1.31.1"`.
fn versions(words: &str) -> Option<(&str, &str)> {
    let (_, rest) = words.split_once("cannot be increased from \"")?;
    let (from, rest) = rest.split_once("\" to \"")?;
    Some((from, rest.split('"').next()?))
}

/// The minor versions to go through, the last one included.
fn between(from: &str, to: &str) -> Vec<String> {
    let minor = |v: &str| {
        let numbers = crate::model::version::parse(v)?;
        Some((*numbers.first()?, *numbers.get(1)?))
    };
    match (minor(from), minor(to)) {
        (Some((major, low)), Some((same, high))) if major == same && high.saturating_sub(low) < 50 => {
            (low + 1..=high).map(|minor| format!("v{major}.{minor}")).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, failed, report};

    const ID: &str = super::CAUSE.id;

    fn denial(from: &str, to: &str) -> String {
        format!(
            "ApiError: admission webhook \\\"validation.cluster.cluster.x-k8s.io\\\" denied the request: Cluster.cluster.x-k8s.io \
             \\\"kube-abcde\\\" is invalid: spec.topology.version: Invalid value: \\\"v{to}\\\": version cannot be increased from \
             \\\"{from}\\\" to \\\"{to}\\\""
        )
    }

    #[test]
    fn a_skipped_minor_is_certain() {
        check(ID, &failed("UPDATE_FAILED", &denial("1.27.3", "1.31.1")), &[], "certain");
        let lower = denial("1.31.1", "1.27.3").replace("increased", "decreased");
        check(ID, &failed("UPDATE_FAILED", &lower), &[], "no");
        check(ID, &failed("UPDATE_COMPLETE", &denial("1.27.3", "1.31.1")), &[], "no");
        check(ID, "", &["openstack/container-infra/clusters"], "not checked");
    }

    #[test]
    fn the_steps_go_through_each_minor() {
        let report = report(&failed("UPDATE_FAILED", &denial("1.27.3", "1.30.1")), &[]);
        let lines: Vec<&String> = report.causes[0].fix.steps.iter().flat_map(|s| &s.run).collect();
        let upgrades: Vec<&&String> = lines.iter().filter(|l| l.contains("cluster upgrade")).collect();
        assert_eq!(upgrades.len(), 3, "{lines:?}");
        for (line, minor) in upgrades.iter().zip(["v1.28>", "v1.29>", "v1.30>"]) {
            assert!(line.ends_with(minor), "{line}");
        }
    }
}
