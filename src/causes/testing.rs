//! Small bundles for the tests of causes: a text with one `=== <path>` line before each
//! file's content, read through the same door as a real bundle.

use crate::report::WhyReport;
use crate::{bundle, run};

/// `bundle.yaml` of the test cluster `web`: stack id `kube-abcde`, project `p1`; every part
/// that a cause may need is read, so that what is not in the text is not there.
const INDEX: &str = "\
format: 1
takenAt: '2026-01-01T12:00:00Z'
askedFor: web
target: {uuid: 11111111-2222-4333-8444-555555555555, stackId: kube-abcde, projectId: p1}
namespace: magnum-system
place: right
login: {projectId: p1, roles: [member]}
";

/// Parts that the index of [`INDEX`] says were read, without those of `but`.
const READ: &str = "kubernetes/cluster kubernetes/openstackcluster kubernetes/kubeadmcontrolplane \
kubernetes/machinedeployment kubernetes/machineset kubernetes/machine kubernetes/openstackmachine \
kubernetes/openstackserver kubernetes/machinehealthcheck kubernetes/kubeadmconfig kubernetes/secret \
kubernetes/clusterresourceset kubernetes/clusterclass kubernetes/deployment kubernetes/pod kubernetes/event \
openstack/container-infra/clusters openstack/container-infra/nodegroups openstack/compute/servers \
openstack/compute/quotas openstack/compute/server-groups openstack/network/ports openstack/network/networks \
openstack/network/subnets openstack/network/routers openstack/network/security-groups \
openstack/network/floatingips openstack/network/quotas openstack/load-balancer/loadbalancers \
openstack/identity/projects openstack/identity/users openstack/identity/application_credentials \
openstack/image/images openstack/volume/volumes log/capo-system log/capi-system \
log/capi-kubeadm-control-plane-system log/capi-kubeadm-bootstrap-system log/openstack";

/// The report for a small bundle. `blanked` parts are gaps (no-access).
pub(crate) fn report(files: &str, blanked: &[&str]) -> WhyReport {
    let folder = tempfile::tempdir().unwrap();
    let read: Vec<&str> = READ.split_whitespace().filter(|p| !blanked.contains(p)).collect();
    let gaps: Vec<String> =
        blanked.iter().map(|p| format!("- {{part: {p}, why: no-access, says: '403 Forbidden'}}")).collect();
    let gaps = if gaps.is_empty() { "gaps: []".to_owned() } else { format!("gaps:\n{}", gaps.join("\n")) };
    let index = format!("{INDEX}read:\n- {}\n{gaps}\n", read.join("\n- "));
    std::fs::write(folder.path().join("bundle.yaml"), index).unwrap();
    for file in files.split("=== ").skip(1) {
        let (path, content) = file.split_once('\n').unwrap();
        let path = folder.path().join(path.trim());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    run::why(&bundle::disk::read(folder.path()).unwrap(), None).unwrap()
}

/// What the report says of a cause: `certain`, `likely`, `not checked` or `no`.
pub(crate) fn word(report: &WhyReport, id: &str) -> String {
    if let Some(cause) = report.causes.iter().find(|c| c.id == id) {
        return format!("{:?}", cause.certainty).to_lowercase();
    }
    let unchecked = report.not_checked.iter().any(|n| n.cause == id);
    if unchecked { "not checked".to_owned() } else { "no".to_owned() }
}

/// Checks what a small bundle makes of a cause.
pub(crate) fn check(id: &str, files: &str, blanked: &[&str], expected: &str) {
    let report = report(files, blanked);
    assert_eq!(word(&report, id), expected, "{id}: causes are {:?}", report.causes);
}
