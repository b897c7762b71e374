//! What is another cluster's, or over, leaves a healthy cluster healthy, however loud it is.
//!
//! The real healthy bundles get events, log records, rows and failure messages that name a
//! fault which would be a cause if it were this cluster's and current.
#![expect(clippy::unwrap_used, reason = "a test ends loudly")]

#[path = "support/change.rs"]
#[expect(dead_code, reason = "another test needs the rest")]
mod change;

use change::{bundle, magnum, objects, own, rows, stack};
use jiff::{SignedDuration, Timestamp};
use kubectl_magnum::bundle::{Bundle, Log, Object};
use kubectl_magnum::report::Verdict;
use kubectl_magnum::run;
use serde_json::{Value, json};

const BASES: [&str; 3] =
    ["h-01-healthy-create-complete", "h-08-healthy-after-upgrade", "h-03-healthy-after-resize"];

/// Nova's refusal of a server and Keystone's of a login, as gophercloud words them.
const REFUSALS: [&str; 2] = [
    r#"Expected HTTP response code [201 202] when accessing [POST http://n:8774/v2.1/servers], but got 403 instead: {"forbidden": {"code": 403, "message": "Quota exceeded for cores: Requested 4, but already used 8 of 8 cores"}}"#,
    r#"providerClient authentication err: Expected HTTP response code [201 204] when accessing [POST http://k:5000/v3/auth/tokens], but got 401 instead: {"error": {"code": 401, "message": "The request you have made requires authentication."}}"#,
];

fn stays_healthy(what: &str, plant: impl Fn(&mut Bundle)) {
    for base in BASES {
        let mut planted = bundle(base);
        plant(&mut planted);
        let report = run::why(&planted, None).unwrap();
        let causes: Vec<_> = report.causes.iter().map(|c| c.id).collect();
        assert_eq!(
            (report.verdict, causes),
            (Verdict::Healthy, vec![]),
            "{base}, {what}: {}",
            report.summary
        );
    }
}

fn ago(bundle: &Bundle, minutes: i64) -> Timestamp {
    bundle.meta.taken_at.unwrap() - SignedDuration::from_mins(minutes)
}

/// A Warning of each refusal about an object, a minute old.
fn events(bundle: &mut Bundle, namespace: &str, kind: &str, name: &str) {
    let at = ago(bundle, 1).to_string();
    for (number, refusal) in REFUSALS.iter().enumerate() {
        bundle.objects.push(Object {
            part: "kubernetes/event".to_owned(),
            value: json!({
                "apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": "FailedCreateServer",
                "metadata": {"name": format!("{name}.{number}"), "namespace": namespace},
                "involvedObject": {"kind": kind, "name": name, "namespace": namespace},
                "firstTimestamp": at, "lastTimestamp": at, "message": refusal,
            }),
        });
    }
}

/// A record of CAPO's for each refusal.
fn records(bundle: &mut Bundle, namespace: &str, name: &str, minutes: i64) {
    let at = ago(bundle, minutes).strftime("%m%d %H:%M:%S");
    let mut text = String::new();
    for refusal in REFUSALS {
        let error = Value::String(refusal.to_owned());
        text += &format!(
            "E{at}.000000 1 controller.go:474] \"Reconciler error\" err={error} controllerKind=\"OpenStackServer\" \
             OpenStackServer=\"{namespace}/{name}\" namespace=\"{namespace}\" name=\"{name}\"\n"
        );
    }
    bundle.logs.push(Log {
        namespace: "capo-system".to_owned(),
        pod: "capo-controller-manager-planted".to_owned(),
        container: "manager".to_owned(),
        previous: false,
        text,
    });
}

#[test]
fn another_cluster_whose_name_begins_or_ends_alike() {
    let others: [fn(&str) -> String; 3] = [
        |s| format!("{s}x"),
        |s| format!("a{s}"),
        |s| s.trim_end_matches(char::is_alphanumeric).to_owned() + "zzzzz",
    ];
    for other in others {
        stays_healthy("another name", |b| {
            let name = format!("{}-abcde-fghij", other(&stack(b)));
            events(b, "magnum-system", "OpenStackServer", &name);
            records(b, "magnum-system", &name, 1);
        });
    }
}

/// Of the longer cluster nothing is known but an event about its Cluster, or its row in Magnum.
#[test]
fn another_cluster_whose_name_begins_with_this_ones() {
    stays_healthy("a longer name by an event", |b| {
        let other = format!("{}-x", stack(b));
        events(b, "magnum-system", "OpenStackServer", &format!("{other}-abcde-fghij"));
        records(b, "magnum-system", &format!("{other}-abcde-fghij"), 1);
        events(b, "magnum-system", "Cluster", &other);
    });
    stays_healthy("a longer name by Magnum", |b| {
        let other = format!("{}-x", stack(b));
        events(b, "magnum-system", "OpenStackServer", &format!("{other}-abcde-fghij"));
        let row = json!({"uuid": "0b9d3a52-5f0c-4f7e-9f35-6f3b0f6f2d18", "name": "other", "stack_id": other});
        rows(b, "openstack/container-infra/clusters", "clusters").push(row);
    });
}

#[test]
fn a_cluster_of_the_same_name_in_another_namespace() {
    stays_healthy("another namespace", |b| {
        let name = format!("{}-abcde-fghij", stack(b));
        events(b, "tenant2", "OpenStackServer", &name);
        records(b, "tenant2", &name, 1);
    });
}

#[test]
fn refusals_of_long_ago() {
    stays_healthy("old records", |b| {
        let name = objects(b, "OpenStackServer")[0].value["metadata"]["name"].as_str().unwrap().to_owned();
        records(b, "magnum-system", &name, 40);
    });
}

/// Some of these clusters had a machine refused within the half hour, which was healed.
#[test]
fn failure_messages_of_machines_that_are_nodes() {
    stays_healthy("failureMessage", |b| {
        for kind in ["Machine", "OpenStackMachine"] {
            for object in objects(b, kind) {
                object.value["status"]["failureReason"] = json!("CreateError");
                object.value["status"]["failureMessage"] = json!(REFUSALS[0]);
            }
        }
    });
}

/// Another create of the project failed within the minutes in which this cluster was last changed.
#[test]
fn requests_of_others_in_the_conductors_log() {
    stays_healthy("another's request", |b| {
        let project = b.meta.target.project_id.clone().unwrap();
        let changed: Timestamp = magnum(b)["updated_at"].as_str().unwrap().parse().unwrap();
        let mut text = String::new();
        for minutes in [-1, 1] {
            let at = (changed + SignedDuration::from_mins(minutes)).strftime("%Y-%m-%d %H:%M:%S");
            text += &format!(
                "{at}.000 8 ERROR oslo_messaging.rpc.server [None req-1 u1 {project} - - default -] Exception during \
                 message handling: openstack.exceptions.HttpException: HttpException: 403: Client Error for url: \
                 http://n:8774/v2.1/os-server-groups, Quota exceeded, too many server groups.\n"
            );
        }
        b.logs.push(Log {
            namespace: "openstack".to_owned(),
            pod: "magnum-conductor-planted".to_owned(),
            container: "magnum-conductor".to_owned(),
            previous: false,
            text,
        });
    });
}

#[test]
fn load_balancers_and_servers_of_others() {
    stays_healthy("others in ERROR", |b| {
        let stack = stack(b);
        for (part, list, state, names) in [
            (
                "openstack/load-balancer/loadbalancers",
                "loadbalancers",
                "provisioning_status",
                [format!("k8s-clusterapi-cluster-magnum-system-{stack}-x-kubeapi"), "web".to_owned()],
            ),
            (
                "openstack/compute/servers",
                "servers",
                "status",
                [format!("{stack}-x-abcde"), format!("{stack}x")],
            ),
        ] {
            let row = own(b, part, list)[0].clone();
            for (number, name) in names.iter().enumerate() {
                let mut other = row.clone();
                other["id"] = json!(format!("0b9d3a52-5f0c-4f7e-9f35-6f3b0f6f2e1{number}"));
                other["name"] = json!(name);
                other[state] = json!("ERROR");
                other["fault"] = json!({"code": 500, "message": "No valid host was found. "});
                rows(b, part, list).push(other);
            }
        }
    });
}
