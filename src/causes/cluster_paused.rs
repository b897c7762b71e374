//! The cluster, or one of its objects, is paused.

use super::kit::{self, thing};
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Doc, Snapshot};
use crate::report::{Recovers, Risk};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "cluster-paused",
    title: "it is paused, and Cluster API leaves it alone",
    during: Actions::ALL,
    stage: Stage::Controllers,
    explains: &[],
    needs: &[
        "kubernetes/cluster",
        "kubernetes/openstackcluster",
        "kubernetes/kubeadmcontrolplane",
        "kubernetes/machinedeployment",
        "kubernetes/machineset",
        "kubernetes/machine",
        "kubernetes/openstackmachine",
        "kubernetes/openstackserver",
        "kubernetes/machinehealthcheck",
    ],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("find out who paused it: a backup, a move to another management cluster (clusterctl move), a person at work"),
            Step::say("if nobody needs it any more, let the Cluster go on")
                .run(&["kubectl -n {namespace} patch cluster {stack_id} --type merge -p '{\"spec\":{\"paused\":false}}'"])
                .when("cluster"),
            Step::say("if nobody needs it any more, take the annotation away")
                .each("object", &["kubectl -n {namespace} annotate {each} cluster.x-k8s.io/paused-"])
                .when("annotation"),
        ],
    },
    values: &["object"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

While spec.paused of the Cluster is true, or an object carries the annotation cluster.x-k8s.io/paused,
Cluster API and CAPO do not touch it: nothing is made, mended or deleted, and nobody complains. A
clusterctl move pauses the clusters of the side that they leave.

### How it is recognised

The Cluster has spec.paused true, or one of the cluster's own objects has the annotation, whatever its
value.

### Sources

- kubernetes-sigs/cluster-api api/core/v1beta1/common_types.go (PausedAnnotation), util/annotations
- kubernetes-sigs/cluster-api cmd/clusterctl/client/cluster/mover.go
";

const ANNOTATION: &str = "cluster.x-k8s.io/paused";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let cluster = snapshot.kube.cluster().filter(|c| c.is("spec.paused"));
    let objects: Vec<Doc<'_>> = snapshot.kube.all().filter(|d| d.annotation(ANNOTATION).is_some()).collect();
    let headline = match (cluster, objects.as_slice()) {
        (Some(cluster), _) => format!("Cluster {} is paused", cluster.name()),
        (None, []) => return Ok(Vec::new()),
        (None, [one]) => format!("{} {} is paused", one.kind(), one.name()),
        (None, [first, ..]) => format!(
            "{} objects of the cluster are paused, {} {} among them",
            objects.len(),
            first.kind(),
            first.name()
        ),
    };
    let mut finding = Finding::new(headline)
        .says("Cluster API and CAPO do nothing for it until it is let go.")
        .recovers(Recovers::AfterFix, "It goes on by itself once it is no longer paused.");
    if let Some(cluster) = cluster {
        let place = kit::kubectl_get(snapshot, "Cluster", cluster.name());
        finding = finding.flag("cluster").about(thing("Cluster", cluster.name())).evidence(kit::seen(
            format!("Cluster {}", cluster.name()),
            place,
            "spec.paused true",
        ));
    }
    for (at, object) in objects.iter().enumerate() {
        let what = format!("{} {}", object.kind().to_ascii_lowercase(), object.name());
        finding = finding.flag("annotation").about(kit::object(*object)).value("object", what);
        if at < 3 {
            let place = kit::kubectl_get(snapshot, object.kind(), object.name());
            let source = format!("{} {}", object.kind(), object.name());
            finding = finding.evidence(kit::seen(source, place, format!("annotation {ANNOTATION}")));
        }
    }
    Ok(vec![finding])
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, report};

    const ID: &str = super::CAUSE.id;

    const MAGNUM: &str = "=== openstack/container-infra/clusters.json\n{\"clusters\": [{\"uuid\": \"11111111-2222-4333-8444-555555555555\", \"name\": \"web\", \"stack_id\": \"kube-abcde\"}]}\n";

    fn cluster(name: &str, more: &str, spec: &str) -> String {
        format!(
            "{MAGNUM}=== kubernetes/objects.yaml\napiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\n\
             metadata: {{name: {name}, namespace: magnum-system{more}}}\nspec: {{{spec}}}\n"
        )
    }

    #[test]
    fn both_ways_of_pausing_are_certain() {
        check(ID, &cluster("kube-abcde", "", "paused: true"), &[], "certain");
        check(ID, &cluster("kube-abcde", ", annotations: {cluster.x-k8s.io/paused: ''}", ""), &[], "certain");
        check(ID, &cluster("kube-abcde", "", "paused: false"), &[], "no");
        check(ID, &cluster("kube-other", "", "paused: true"), &[], "no");
    }

    #[test]
    fn the_command_lets_go_what_is_paused() {
        let lines = |files: &str| {
            let report = report(files, &[]);
            report.causes[0].fix.steps.iter().flat_map(|s| s.run.clone()).collect::<Vec<_>>()
        };
        let patch = "kubectl -n magnum-system patch cluster kube-abcde --type merge -p '{\"spec\":{\"paused\":false}}'";
        assert_eq!(lines(&cluster("kube-abcde", "", "paused: true")), [patch]);
        let annotate = "kubectl -n magnum-system annotate cluster kube-abcde cluster.x-k8s.io/paused-";
        assert_eq!(
            lines(&cluster("kube-abcde", ", annotations: {cluster.x-k8s.io/paused: ''}", "")),
            [annotate]
        );
    }

    #[test]
    fn without_the_cluster_object_it_is_not_checked() {
        check(ID, "", &["kubernetes/cluster"], "not checked");
    }
}
