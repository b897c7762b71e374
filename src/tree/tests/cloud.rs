//! Network and load balancer below the OpenStackCluster.

use super::check;

/// The cluster's objects around an OpenStackCluster with a network, and `openstack`.
fn check_cloud(action: &str, openstack: &str, expected: &str) {
    let cluster = format!(
        "
magnum: {{status: {action}}}
openstack: {openstack}
objects:
- {{kind: Cluster, metadata: {{name: kube-a}}, status: {{conditions: [{{type: Available, status: 'True'}}]}}}}
- {{kind: KubeadmControlPlane, metadata: {{name: k}}, status: {{initialized: true, conditions: [{{type: Available, status: 'True'}}]}}}}
- kind: OpenStackCluster
  apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
  metadata: {{name: o}}
  status:
    conditions: [{{type: Ready, status: 'True'}}]
    network: {{id: net-1, name: net, subnets: [{{id: sub-1, name: sub}}]}}
    router: {{id: rou-1, name: rou}}
    controlPlaneSecurityGroup: {{id: sg-1, name: plane}}
    workerSecurityGroup: {{id: sg-2, name: work}}
    apiServerLoadBalancer: {{id: lb-1, name: lb, ip: 203.0.113.9}}
"
    );
    let head = "+ OpenStackCluster o True";
    let mood = if action == "CREATE_COMPLETE" { "+" } else { "?" };
    let whole = format!(
        "{mood} Magnum web {action}\n  + Cluster kube-a True\n    {head}\n{expected}    + KubeadmControlPlane k True\n"
    );
    check(&cluster, &whole);
}

const NETWORK: &str = "network/networks: {networks: [{id: net-1, name: net, status: ACTIVE}]}, network/subnets: {subnets: [{id: sub-1, name: sub}]}, network/routers: {routers: [{id: rou-1, name: rou, status: ACTIVE}]}";
const GROUPS: &str =
    "network/security-groups: {security_groups: [{id: sg-1, name: plane}, {id: sg-2, name: work}]}";

fn balancer(fields: &str) -> String {
    format!("load-balancer/loadbalancers: {{loadbalancers: [{{id: lb-1, name: lb, {fields}}}]}}")
}

#[test]
fn what_is_fine_is_one_row() {
    let balancer = balancer("provisioning_status: ACTIVE, operating_status: OFFLINE, vip_port_id: p");
    let address = "network/floatingips: {floatingips: [{port_id: p, floating_ip_address: 203.0.113.82}]}";
    check_cloud(
        "CREATE_COMPLETE",
        &format!("{{{NETWORK}, {GROUPS}, {balancer}, {address}}}"),
        "      + Network, Subnet, Router, SecurityGroups (2) ACTIVE\n      + LoadBalancer lb ACTIVE: 203.0.113.82\n",
    );
}

#[test]
fn what_is_not_fine_is_a_row_each() {
    let balancer = balancer("provisioning_status: PENDING_UPDATE, operating_status: ONLINE");
    check_cloud(
        "CREATE_COMPLETE",
        &format!("{{{NETWORK}, {balancer}}}"),
        "
      + Network net ACTIVE
      + Subnet sub present
      + Router rou ACTIVE
      ! SecurityGroup plane missing
      ! SecurityGroup work missing
      ? LoadBalancer lb PENDING_UPDATE: 203.0.113.9
",
    );
}

#[test]
fn a_load_balancer_in_error_is_bad() {
    for (fields, row) in [
        ("provisioning_status: ERROR, vip_address: 10.0.0.5", "ERROR"),
        ("provisioning_status: ACTIVE, operating_status: DEGRADED", "ACTIVE DEGRADED"),
    ] {
        check_cloud(
            "CREATE_COMPLETE",
            &format!("{{{NETWORK}, {GROUPS}, {}}}", balancer(fields)),
            &format!(
                "      + Network, Subnet, Router, SecurityGroups (2) ACTIVE\n      ! LoadBalancer lb {row}: 203.0.113.9\n"
            ),
        );
    }
}

#[test]
fn in_a_delete_what_is_gone_is_no_fault() {
    check_cloud(
        "DELETE_IN_PROGRESS",
        &format!("{{{GROUPS}}}"),
        "
      - Network, Subnet, Router missing
      + SecurityGroup plane present
      + SecurityGroup work present
      - LoadBalancer lb missing
",
    );
}
