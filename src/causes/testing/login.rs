//! A cluster whose controller logs one error at its login, and Keystone's lists.

/// Keystone's answer for a credential that it does not have, by gophercloud v2.
pub(crate) const NO_CREDENTIAL: &str = r#"Expected HTTP response code [201 202] when accessing [POST http://k:5000/v3/auth/tokens], but got 404 instead: {"error":{"code":404,"message":"Could not find Application Credential: c0ffee01.","title":"Not Found"}}"#;

/// A fresh login that is refused with a plain 401, by gophercloud v2.
pub(crate) const REFUSED: &str = r#"providerClient authentication err: Expected HTTP response code [201 202] when accessing [POST http://k:5000/v3/auth/tokens], but got 401 instead: {"error":{"code":401,"message":"The request you have made requires authentication.","title":"Unauthorized"}}"#;

/// The whole list of the owner's credentials: none is the cluster's.
pub(crate) const CREDENTIALS: &str = r#"=== openstack/identity/application_credentials.json
{"application_credentials": [{"id": "0ther001", "name": "another-uuid", "user_id": "u1", "project_id": "p1",
 "expires_at": null, "roles": [{"id": "r1", "name": "member"}]}]}
"#;

/// The owner, enabled.
pub(crate) const OWNER: &str = r#"=== openstack/identity/users.json
{"users": [{"id": "u1", "name": "ada", "enabled": true}]}
"#;

/// The project, enabled.
pub(crate) const PROJECT: &str = r#"=== openstack/identity/projects.json
{"projects": [{"id": "p1", "name": "lab", "enabled": true}]}
"#;

/// A log line of the same object, a minute after the error.
pub(crate) const SUCCESS: &str = "I0101 11:59:00.000000       1 openstackcluster_controller.go:378] \"Reconciled Cluster created successfully\" controller=\"openstackcluster\" controllerKind=\"OpenStackCluster\" OpenStackCluster=\"magnum-system/kube-abcde-x1x1x\"\n";

const MAGNUM: &str = r#"=== openstack/container-infra/clusters.json
{"clusters": [{"uuid": "11111111-2222-4333-8444-555555555555", "name": "web", "stack_id": "kube-abcde",
 "project_id": "p1", "user_id": "u1", "status": "CREATE_IN_PROGRESS", "created_at": "2026-01-01T11:50:00Z"}]}
"#;

const OBJECT: &str = "=== kubernetes/objects.yaml
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: OpenStackCluster
metadata: {name: kube-abcde-x1x1x, namespace: magnum-system, labels: {cluster.x-k8s.io/cluster-name: kube-abcde}}
status: {ready: true}
";

/// The cluster, its OpenStackCluster, and CAPO's log with this error two minutes ago.
pub(crate) fn files(error: &str) -> String {
    with_object(error, "")
}

/// The same with one more Kubernetes object.
pub(crate) fn with_object(error: &str, object: &str) -> String {
    format!("{MAGNUM}{OBJECT}{object}{}", log(error))
}

/// The same when CAPO has no object of the cluster any more.
pub(crate) fn without_objects(error: &str) -> String {
    format!("{MAGNUM}{}", log(error))
}

fn log(error: &str) -> String {
    let head = "=== kubernetes/namespaces/capo-system/v1/pod/capo-0/manager/current.log\n";
    if error.is_empty() {
        return head.to_owned();
    }
    let error = error.replace('"', "\\\"");
    format!(
        "{head}E0101 11:58:00.000000       1 controller.go:474] \"Reconciler error\" err=\"{error}\" controller=\"openstackcluster\" controllerKind=\"OpenStackCluster\" OpenStackCluster=\"magnum-system/kube-abcde-x1x1x\"\n"
    )
}
