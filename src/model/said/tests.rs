use crate::causes::testing::{failed, report};

const OURS: &str = "11111111-2222-4333-8444-555555555555";
const OTHER: &str = "99999999-2222-4333-8444-555555555555";
const PERIODIC: &str = "oslo.service.loopingcall [-] Fixed interval looping call \
                        'magnum.service.periodic.ClusterUpdateJob.update_status' failed: ";
const REQUEST: &str =
    "oslo_messaging.rpc.server [None req-1 u1 p1 - - default -] Exception during message handling: ";

/// The cluster changed at 11:50, the bundle was taken at 12:00. `record` is kept or not.
fn check(clock: &str, record: &str, kept: bool) {
    let groups = "=== openstack/container-infra/nodegroups.json\n{\"nodegroups\": [{\"name\": \"blue\", \"status\": \"CREATE_COMPLETE\"}]}\n";
    let log = "=== kubernetes/namespaces/openstack/v1/pod/magnum-conductor-0/magnum-conductor/current.log\n";
    let bundle =
        format!("{}{groups}{log}2026-01-01 {clock}.000 8 ERROR {record}\n", failed("UPDATE_FAILED", "boom"));
    let report = report(&bundle, &[]);
    assert_eq!(!report.log.is_empty(), kept, "{clock} {record}: {:?}", report.log);
}

#[test]
fn errors_of_the_passes_count_around_the_change_and_now() {
    let lock = format!("{PERIODIC}sherlock.lock.LockTimeoutException: Timeout elapsed after 10 seconds");
    check("11:50:03", &lock, true);
    check("11:59:30", &lock, true);
    check("11:57:30", &lock, false);
    check("11:42:00", &lock, false);
}

#[test]
fn errors_of_requests_count_around_the_change_in_the_same_project() {
    check("11:50:03", &format!("{REQUEST}NotImplementedError"), true);
    check("11:59:30", &format!("{REQUEST}NotImplementedError"), false);
    check("11:50:03", &format!("{REQUEST}NotImplementedError").replace("p1", "p2"), false);
}

#[test]
fn what_names_another_cluster_is_not_kept() {
    check("11:50:03", &format!("{PERIODIC}ClusterNotFound: Cluster {OTHER} could not be found."), false);
    check("11:50:03", &format!("{PERIODIC}ClusterNotFound: Cluster {OURS} could not be found."), true);
    check("11:50:03", &format!("{PERIODIC}Secret kube-zzzzz-cloud-config does not exist."), false);
    check("11:50:03", &format!("{PERIODIC}KubeadmControlPlane magnum-system/kube-zzzzz not found"), false);
    check("11:50:03", &format!("{PERIODIC}KubeadmControlPlane magnum-system/kube-abcde not found"), true);
    check("11:50:03", &format!("{PERIODIC}kube-proxy is not there"), true);
    check("11:50:03", &format!("{PERIODIC}MachineDeployment gold not found."), false);
    check("11:50:03", &format!("{PERIODIC}MachineDeployment blue not found."), true);
    check("11:50:03", &format!("{REQUEST}port {OTHER} is in use"), true);
}
