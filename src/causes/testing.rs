//! Small bundles for the tests of causes: a text with one `=== <path>` line before each
//! file's content, read through the same door as a real bundle.

pub(crate) mod login;

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
openstack/compute/quotas openstack/compute/flavors openstack/compute/server-groups openstack/network/ports openstack/network/networks \
openstack/network/subnets openstack/network/routers openstack/network/security-groups \
openstack/network/floatingips openstack/network/quotas openstack/load-balancer/loadbalancers \
openstack/identity/projects openstack/identity/users openstack/identity/application_credentials \
openstack/image/images openstack/volume/volumes log/capo-system log/capi-system \
log/capi-kubeadm-control-plane-system log/capi-kubeadm-bootstrap-system log/openstack";

/// The report for a small bundle. `blanked` parts are gaps (no-access).
pub(crate) fn report(files: &str, blanked: &[&str]) -> WhyReport {
    read(files, blanked, "no-access", "403 Forbidden")
}

/// What a small bundle makes of a cause while these parts are gaps (unreachable).
pub(crate) fn unreachable(id: &str, files: &str, parts: &[&str]) -> String {
    word(&read(files, parts, "unreachable", "Unable to establish connection"), id)
}

fn read(files: &str, blanked: &[&str], why: &str, says: &str) -> WhyReport {
    let folder = tempfile::tempdir().unwrap();
    let read: Vec<&str> = READ.split_whitespace().filter(|p| !blanked.contains(p)).collect();
    let gaps: Vec<String> =
        blanked.iter().map(|p| format!("- {{part: {p}, why: {why}, says: '{says}'}}")).collect();
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
    assert_eq!(word(&report, id), expected, "{id}: causes are {:?}, gaps {:?}", report.causes, report.gaps);
}

/// A delete that has come to the network of the cluster, which Neutron refuses to delete.
pub(crate) const DELETING_NETWORK: &str = r#"=== openstack/container-infra/clusters.json
{"clusters": [{"uuid": "11111111-2222-4333-8444-555555555555", "name": "web", "stack_id": "kube-abcde",
 "project_id": "p1", "status": "DELETE_IN_PROGRESS"}]}
=== openstack/network/networks.json
{"networks": [{"id": "99999999-2222-4333-8444-000000000009", "name": "k8s-clusterapi-cluster-magnum-system-kube-abcde"}]}
=== kubernetes/objects.yaml
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: kube-abcde, namespace: magnum-system, deletionTimestamp: '2026-01-01T11:50:00Z'}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: OpenStackCluster
metadata: {name: kube-abcde-x1x1x, namespace: magnum-system, deletionTimestamp: '2026-01-01T11:51:00Z',
  labels: {cluster.x-k8s.io/cluster-name: kube-abcde}}
status:
  conditions:
  - {type: Ready, status: 'False', severity: Warning, reason: OpenStackError, lastTransitionTime: '2026-01-01T11:52:00Z',
     message: 'failed to delete network: Expected HTTP response code [202 204] when accessing [DELETE http://n:9696/v2.0/networks/99999999-2222-4333-8444-000000000009], but got 409 instead: {"NeutronError": {"type": "NetworkInUse", "message": "Unable to complete operation on network 99999999-2222-4333-8444-000000000009. There are one or more ports still in use on the network, id for these ports is: 22222222-0000-4000-8000-000000000001.", "detail": ""}}'}
"#;

/// A cluster in that Magnum status with one load balancer.
pub(crate) fn balancer(status: &str, name: &str, provisioning: &str, updated: &str) -> String {
    format!(
        "=== openstack/container-infra/clusters.json\n\
         {{\"clusters\": [{{\"uuid\": \"11111111-2222-4333-8444-555555555555\", \"name\": \"web\", \
         \"stack_id\": \"kube-abcde\", \"project_id\": \"p1\", \"status\": \"{status}\"}}]}}\n\
         === openstack/load-balancer/loadbalancers.json\n\
         {{\"loadbalancers\": [{{\"id\": \"33333333-0000-4000-8000-000000000001\", \"name\": \"{name}\", \
         \"provisioning_status\": \"{provisioning}\", \"updated_at\": \"{updated}\", \"provider\": \"amphora\"}}]}}\n"
    )
}

/// A cluster whose only control plane machine has a server that Nova put in ERROR; `FAULT`
/// stands for the fault's message, `INITIALISED` for whether the control plane was ever up.
pub(crate) const SERVER_IN_ERROR: &str = r#"=== openstack/container-infra/clusters.json
{"clusters": [{"uuid": "11111111-2222-4333-8444-555555555555", "name": "web", "stack_id": "kube-abcde",
 "project_id": "p1", "status": "CREATE_IN_PROGRESS", "created_at": "2026-01-01T11:50:00Z"}]}
=== kubernetes/objects.yaml
apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: KubeadmControlPlane
metadata: {name: kube-abcde-cp, namespace: magnum-system, labels: {cluster.x-k8s.io/cluster-name: kube-abcde}}
spec: {replicas: 1}
status: {conditions: [{type: Available, status: INITIALISED}, {type: Initialized, status: INITIALISED}]}
---
apiVersion: cluster.x-k8s.io/v1beta1
kind: Machine
metadata:
  name: kube-abcde-m1
  namespace: magnum-system
  creationTimestamp: '2026-01-01T11:52:00Z'
  labels: {cluster.x-k8s.io/cluster-name: kube-abcde, cluster.x-k8s.io/control-plane: ''}
spec:
  bootstrap: {dataSecretName: kube-abcde-m1}
  infrastructureRef: {kind: OpenStackMachine, name: kube-abcde-m1-os}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: OpenStackMachine
metadata: {name: kube-abcde-m1-os, namespace: magnum-system, labels: {cluster.x-k8s.io/cluster-name: kube-abcde}}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1alpha1
kind: OpenStackServer
metadata: {name: kube-abcde-m1-os, namespace: magnum-system, labels: {cluster.x-k8s.io/cluster-name: kube-abcde}}
spec: {flavor: m1.medium, sshKeyName: lab, image: {id: 1a1a1a1a-0000-4000-8000-000000000001}}
status:
  instanceState: ERROR
  instanceID: 5e5e5e5e-0000-4000-8000-000000000001
  conditions:
  - {type: InstanceReady, status: 'False', severity: Error, reason: InstanceStateError, message: ''}
=== openstack/compute/servers.json
{"servers": [{"id": "5e5e5e5e-0000-4000-8000-000000000001", "name": "kube-abcde-m1-os", "status": "ERROR",
 "tenant_id": "p1", "flavor": {"original_name": "m1.medium"},
 "fault": {"code": 500, "created": "2026-01-01T11:53:00Z", "message": "FAULT"}}]}
"#;

/// The same cluster with Nova's refusal of the request: `REFUSAL` stands for the sentence,
/// and CAPO has no server.
pub(crate) fn server_refused(code: u16, refusal: &str) -> String {
    let objects = SERVER_IN_ERROR.split("=== openstack/compute").next().unwrap();
    let objects = objects.replace("  instanceID: 5e5e5e5e-0000-4000-8000-000000000001\n", "");
    let message = format!(
        "error creating Openstack instance: Expected HTTP response code [200 202] when accessing \
         [POST http://n:8774/v2.1/servers], but got {code} instead: \
         {{\"badRequest\": {{\"code\": {code}, \"message\": \"{refusal}\"}}}}"
    );
    let refused = format!("reason: InstanceCreateFailed, message: '{message}'");
    objects.replace("reason: InstanceStateError, message: ''", &refused)
}

/// The test cluster in a state with a reason, as Magnum's list has it. `reason` is the inside of a
/// JSON string.
pub(crate) fn failed(status: &str, reason: &str) -> String {
    format!(
        "=== openstack/container-infra/clusters.json\n{{\"clusters\": [{{\"uuid\": \"11111111-2222-4333-8444-555555555555\", \
         \"name\": \"web\", \"stack_id\": \"kube-abcde\", \"project_id\": \"p1\", \"status\": \"{status}\", \
         \"status_reason\": \"{reason}\", \"created_at\": \"2026-01-01T11:00:00Z\", \
         \"updated_at\": \"2026-01-01T11:50:00Z\"}}]}}\n"
    )
}
