use crate::causes::testing::{check, report, server_refused};

const ID: &str = super::CAUSE.id;

const REFUSED: &str = r#"=== openstack/container-infra/clusters.json
{"clusters": [{"uuid": "11111111-2222-4333-8444-555555555555", "name": "web", "stack_id": "kube-abcde",
 "project_id": "p1", "status": "CREATE_IN_PROGRESS", "created_at": "2026-01-01T11:50:00Z"}]}
=== kubernetes/objects.yaml
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: OpenStackCluster
metadata: {name: kube-abcde-x1x1x, namespace: magnum-system, labels: {cluster.x-k8s.io/cluster-name: kube-abcde}}
status:
  conditions:
  - {type: RouterReady, status: 'False', severity: Error, reason: RouterCreateFailed, lastTransitionTime: '2026-01-01T11:52:00Z',
     message: 'Failed to reconcile router: Expected HTTP response code [201 202] when accessing [POST http://n:9696/v2.0/routers], but got 409 instead: {"NeutronError": {"type": "OverQuota", "message": "Quota exceeded for resources: [''router''].", "detail": ""}}'}
"#;

#[test]
fn a_refusal_in_a_condition_is_certain() {
    check(ID, REFUSED, &[], "certain");
}

#[test]
fn numbers_and_the_command_come_from_the_quota_list() {
    let quotas = r#"=== openstack/network/quotas.json
{"quota": {"router": {"limit": 9, "used": 9, "reserved": 0}}}
"#;
    let report = report(&format!("{REFUSED}{quotas}"), &[]);
    let cause = &report.causes[0];
    assert!(cause.says.iter().any(|s| s.contains("9 of 9 routers")), "{:?}", cause.says);
    let lines: Vec<&String> = cause.fix.steps.iter().flat_map(|s| &s.run).collect();
    assert!(lines.iter().any(|l| *l == "openstack quota set --routers 10 p1"), "{lines:?}");
}

#[test]
fn a_quota_raised_since_makes_it_likely() {
    let quotas = r#"=== openstack/network/quotas.json
{"quota": {"router": {"limit": 20, "used": 9, "reserved": 0}}}
"#;
    check(ID, &format!("{REFUSED}{quotas}"), &[], "likely");
    let cause = &report(&format!("{REFUSED}{quotas}"), &[]).causes[0];
    assert!(cause.says[0].contains("was used up"), "{:?}", cause.says);
    assert!(!cause.fix.steps.iter().any(|s| s.say.contains("raise the quota")), "{:?}", cause.fix);
}

/// The same text as an event, with the router made a minute later.
#[test]
fn a_healed_refusal_is_none() {
    let event = |reason: &str, minute: u8, message: &str| {
        format!(
            "---\napiVersion: v1\nkind: Event\nmetadata: {{name: kube-abcde-x1x1x.{minute}, namespace: magnum-system}}\n\
             involvedObject: {{kind: OpenStackCluster, name: kube-abcde-x1x1x, namespace: magnum-system}}\n\
             reason: {reason}\ntype: Warning\nmessage: \"{message}\"\nlastTimestamp: '2026-01-01T11:{minute}:00Z'\n"
        )
    };
    let objects = REFUSED.split("=== kubernetes").next().unwrap();
    let refusal = "Failed to create router: Quota exceeded for resources: ['router'].";
    let failed = event("Failedcreaterouter", 52, refusal);
    let made = event("Successfulcreaterouter", 53, "Created router");
    check(ID, &format!("{objects}=== kubernetes/events.yaml\n{failed}"), &[], "certain");
    check(ID, &format!("{objects}=== kubernetes/events.yaml\n{failed}{made}"), &[], "no");
}

#[test]
fn without_the_infrastructure_it_is_not_checked() {
    let objects = REFUSED.split("=== kubernetes").next().unwrap();
    check(ID, objects, &["kubernetes/openstackcluster"], "not checked");
    check(ID, objects, &[], "no");
}

/// Nova's refusal of a server that CAPO 0.11 and newer gives up.
fn given_up(initialised: &str) -> String {
    let refused = server_refused(403, "Quota exceeded for cores: Requested 4, but already used 8 of 8 cores");
    refused.replace("INITIALISED", &format!("'{initialised}'"))
}

#[test]
fn a_machine_is_deleted_only_where_the_control_plane_never_was_up() {
    let lines = |files: &str| -> Vec<String> {
        let report = report(files, &[]);
        let cause = report.causes.iter().find(|c| c.id == ID).unwrap();
        cause.fix.steps.iter().flat_map(|s| s.run.clone()).collect()
    };
    let delete = "kubectl -n magnum-system delete machine kube-abcde-m1".to_owned();
    assert!(lines(&given_up("False")).contains(&delete));
    assert!(!lines(&given_up("True")).contains(&delete));
}

/// `openstack quota show` knows nothing of Octavia.
#[test]
fn the_quota_of_octavia_is_shown_by_octavias_command() {
    let (head, _) = REFUSED.split_once("Failed to reconcile router").unwrap();
    let files = format!(
        "{head}failed to reconcile load balancer: Expected HTTP response code [200 201 202] when accessing \
         [POST http://o:9876/v2.0/lbaas/loadbalancers], but got 403 instead: {{\"faultcode\": \"Client\", \
         \"faultstring\": \"Quota has been met for resources: Load Balancer\"}}'}}\n\
         === openstack/load-balancer/quotas.json\n{{\"quota\": {{\"loadbalancer\": 2}}}}\n"
    );
    let report = report(&files, &[]);
    let places: Vec<&str> = report.causes[0].evidence.iter().map(|e| e.place.as_str()).collect();
    assert!(places.contains(&"openstack loadbalancer quota show p1"), "{places:?}");
}

/// The refusal is known from an event alone; whether CAPO still tries stands on objects that
/// were read and are gone, or were not read.
#[test]
fn who_may_not_see_the_machines_claims_nothing_about_them() {
    let cluster = REFUSED.split("=== kubernetes").next().unwrap();
    let event = "=== kubernetes/events.yaml\napiVersion: v1\nkind: Event\nmetadata: {name: kube-abcde-cp-x1x1x.1, namespace: magnum-system}\n\
        involvedObject: {kind: OpenStackServer, name: kube-abcde-cp-x1x1x, namespace: magnum-system}\n\
        reason: Failedcreateserver\ntype: Warning\nlastTimestamp: '2026-01-01T11:55:00Z'\n\
        message: 'Failed to create server: Quota exceeded for cores: Requested 2, but already used 0 of 1 cores'\n";
    let files = format!("{cluster}{event}");
    for part in ["kubernetes/machine", "kubernetes/openstackserver"] {
        let report = report(&files, &[part]);
        let cause = &report.causes[0];
        assert_eq!(cause.id, ID);
        assert!(cause.recovers_says.contains("could not be read"), "{part}: {}", cause.recovers_says);
        assert!(
            cause.fix.steps.iter().any(|s| s.run.iter().any(|l| l.contains("get machines,openstackservers")))
        );
    }
    let seen = report(&files, &[]);
    assert!(!seen.causes[0].recovers_says.contains("could not be read"), "{}", seen.causes[0].recovers_says);
}

/// The only control plane machine is never replaced, whoever watches it.
#[test]
fn a_machine_alone_in_its_group_needs_no_health_checks_to_be_read() {
    let refusal = "Quota exceeded for cores: Requested 2, but already used 0 of 1 cores";
    let files = server_refused(403, refusal).replace("INITIALISED", "'False'");
    let report = report(&files, &["kubernetes/machinehealthcheck"]);
    let cause = report.causes.iter().find(|c| c.id == ID).unwrap();
    assert!(cause.recovers_says.contains("nothing replaces the machine"), "{}", cause.recovers_says);
}
