use crate::causes::testing::report;
use crate::report::Verdict;

/// A cluster that came up long ago; Magnum touched its row a minute before the reading (12:00).
const UP: &str = r#"=== openstack/container-infra/clusters.json
{"clusters": [{"uuid": "11111111-2222-4333-8444-555555555555", "name": "web", "stack_id": "kube-abcde",
 "project_id": "p1", "status": "UPDATE_COMPLETE", "created_at": "2026-01-01T01:00:00Z", "updated_at": "2026-01-01T11:59:00Z"}]}
=== kubernetes/objects.yaml
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: kube-abcde, namespace: magnum-system}
status: {infrastructureReady: true}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: OpenStackCluster
metadata: {name: kube-abcde-x1x1x, namespace: magnum-system, labels: {cluster.x-k8s.io/cluster-name: kube-abcde}}
---
apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: KubeadmControlPlane
metadata: {name: kube-abcde-cp, namespace: magnum-system, labels: {cluster.x-k8s.io/cluster-name: kube-abcde}}
status: {initialized: true}
"#;

/// A worker that has no server yet.
fn machine(name: &str, made: &str, more: &str) -> String {
    format!(
        "---\napiVersion: cluster.x-k8s.io/v1beta1\nkind: Machine\n\
         metadata: {{name: {name}, namespace: magnum-system, creationTimestamp: '2026-01-01T{made}:00Z', \
         labels: {{cluster.x-k8s.io/cluster-name: kube-abcde}}{more}}}\n"
    )
}

fn check(machines: &[String], verdict: Verdict, words: &str) {
    let report = report(&format!("{UP}{}", machines.concat()), &[]);
    assert_eq!(report.verdict, verdict, "{}", report.summary);
    assert!(report.summary.contains(words), "{}", report.summary);
}

#[test]
fn what_is_over_its_limit_does_not_hide_behind_what_has_begun() {
    let (new, late) = (machine("kube-abcde-a", "11:58", ""), machine("kube-abcde-b", "09:00", ""));
    check(&[new.clone(), late], Verdict::CauseUnknown, "the server of machine kube-abcde-b");
    check(&[new], Verdict::Working, "the server of machine kube-abcde-a");
}

#[test]
fn what_is_over_its_limit_does_not_hide_behind_a_removal() {
    let leaves = machine("kube-abcde-a", "01:00", ", deletionTimestamp: '2026-01-01T11:58:00Z'");
    check(std::slice::from_ref(&leaves), Verdict::Working, "machine kube-abcde-a to be removed");
    let late = machine("kube-abcde-b", "09:00", "");
    check(&[leaves, late], Verdict::CauseUnknown, "the server of machine kube-abcde-b");
}

/// The row's `updated_at` is a minute old in all of these, and is no progress of a machine.
#[test]
fn a_poll_of_magnum_does_not_start_the_clock_anew() {
    check(&[machine("kube-abcde-a", "11:30", "")], Verdict::CauseUnknown, "(30m;");
    check(&[machine("kube-abcde-a", "11:50", "")], Verdict::Working, "(10m;");
}

/// CAPO never looks at a server in ERROR again: no limit has to pass before that is said.
#[test]
fn a_server_that_was_given_up_is_no_work_in_progress() {
    let refs = "spec: {infrastructureRef: {kind: OpenStackMachine, name: kube-abcde-a}}\n";
    let server = |state: &str| {
        format!(
            "---\napiVersion: infrastructure.cluster.x-k8s.io/v1alpha1\nkind: OpenStackServer\n\
             metadata: {{name: kube-abcde-a, namespace: magnum-system, \
             labels: {{cluster.x-k8s.io/cluster-name: kube-abcde}}}}\nstatus: {{instanceState: {state}}}\n"
        )
    };
    let young = format!("{}{refs}", machine("kube-abcde-a", "11:55", ""));
    check(
        &[young.clone(), server("ERROR")],
        Verdict::CauseUnknown,
        "given up the server of machine kube-abcde-a",
    );
    check(&[young, server("BUILD")], Verdict::Working, "the server of machine kube-abcde-a");
}
