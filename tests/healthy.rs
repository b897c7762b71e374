//! A healthy cluster is called healthy however it was made, and nothing else is.
//!
//! The real healthy bundles are changed a little in memory: into other healthy clusters,
//! and into clusters that have one thing wrong.
#![expect(clippy::unwrap_used, reason = "a test ends loudly")]

#[path = "support/change.rs"]
mod change;
#[path = "support/cores.rs"]
mod cores;
#[path = "support/good.rs"]
mod good;
#[path = "support/old_contract.rs"]
mod old_contract;

use change::{bundle, conditions, drop_field, magnum, objects, own, rows, stack, turn};
use good::{Good, NEW, OLD};
use kubectl_magnum::bundle::{Bundle, Object, Why};
use kubectl_magnum::exit::code;
use kubectl_magnum::report::Verdict;
use kubectl_magnum::run;
use serde_json::{Value, json};

const BASES: [&str; 3] =
    ["h-01-healthy-create-complete", "h-08-healthy-after-upgrade", "h-03-healthy-after-resize"];

/// Every status that Magnum calls complete (magnum `magnum/objects/fields.py`).
const COMPLETE: [&str; 8] = [
    "CREATE_COMPLETE",
    "UPDATE_COMPLETE",
    "RESUME_COMPLETE",
    "RESTORE_COMPLETE",
    "ROLLBACK_COMPLETE",
    "SNAPSHOT_COMPLETE",
    "CHECK_COMPLETE",
    "ADOPT_COMPLETE",
];

/// Without these nothing can be called healthy.
const VITAL: [&str; 14] = [
    "openstack/container-infra/clusters",
    "openstack/container-infra/nodegroups",
    "openstack/compute/servers",
    "openstack/load-balancer/loadbalancers",
    "kubernetes/cluster",
    "kubernetes/openstackcluster",
    "kubernetes/kubeadmcontrolplane",
    "kubernetes/machinedeployment",
    "kubernetes/machine",
    "kubernetes/openstackmachine",
    "kubernetes/openstackserver",
    "kubernetes/machinehealthcheck",
    "kubernetes/deployment",
    "kubernetes/pod",
];

/// A bundle under a name that says what was done to it.
type Variant = (String, Bundle);

#[test]
fn other_healthy_clusters_are_healthy() {
    let mut variants = Vec::new();
    for base in BASES {
        let mut add = |what: &str, change: &dyn Fn(&mut Bundle)| {
            let mut changed = bundle(base);
            change(&mut changed);
            variants.push((format!("{base}: {what}"), changed));
        };
        add("as it is", &|_| ());
        for status in COMPLETE {
            add(status, &|b| magnum(b)["status"] = json!(status));
        }
        add("autoscaling", &autoscaled);
        add("a node group of zero", &empty_group);
        add("a network of the user", &own_network);
        add("the old contract", &old_contract::rewrite);
        add("the old contract, autoscaling", &|b| {
            old_contract::rewrite(b);
            autoscaled(b);
        });
    }
    let complaints = cores::each(&variants, |(what, bundle)| match run::why(bundle, None) {
        Ok(r) if r.verdict == Verdict::Healthy && r.exit_code == code::FINE && r.causes.is_empty() => None,
        Ok(r) => {
            let named: Vec<&str> = r.causes.iter().map(|c| c.id).collect();
            Some(format!("{what}: {:?}, exit {}, {named:?}, {}", r.verdict, r.exit_code, r.summary))
        }
        Err(failure) => Some(format!("{what}: ends with {} {failure}", failure.code)),
    });
    let complaints: Vec<String> = complaints.into_iter().flatten().collect();
    assert!(complaints.is_empty(), "{} are healthy:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn one_condition_turned_is_not_healthy() {
    let base = bundle(BASES[0]);
    let mut old = base.clone();
    old_contract::rewrite(&mut old);
    let mutants = [turned(&base, NEW, "new"), turned(&old, OLD, "old")].concat();
    never_healthy(&mutants);
}

#[test]
fn one_number_or_state_wrong_is_not_healthy() {
    let mut mutants = Vec::new();
    for base in BASES {
        let start = bundle(base);
        let mut add = |what: String, change: &dyn Fn(&mut Bundle)| {
            let mut changed = start.clone();
            change(&mut changed);
            mutants.push((format!("{base}: {what}"), changed));
        };
        for kind in ["KubeadmControlPlane", "MachineDeployment"] {
            add(format!("{kind} wants one more"), &|b| {
                bump(&mut objects(b, kind)[0].value["spec"]["replicas"], 1)
            });
            for field in ["replicas", "readyReplicas", "availableReplicas", "upToDateReplicas"] {
                add(format!("{kind} {field} one less"), &|b| {
                    bump(&mut objects(b, kind)[0].value["status"][field], -1)
                });
            }
        }
        for kind in ["Cluster", "MachineDeployment"] {
            add(format!("{kind} was changed and not looked at yet"), &|b| {
                bump(&mut objects(b, kind)[0].value["metadata"]["generation"], 5);
            });
        }
        add("a health check counts one less".into(), &|b| {
            bump(&mut objects(b, "MachineHealthCheck")[0].value["status"]["currentHealthy"], -1);
        });
        for state in ["ERROR", "SHUTOFF"] {
            add(format!("a server {state}"), &|b| {
                own(b, "openstack/compute/servers", "servers")[0]["status"] = json!(state);
            });
        }
        add("a load balancer in ERROR".into(), &|b| {
            own(b, "openstack/load-balancer/loadbalancers", "loadbalancers")[0]["provisioning_status"] =
                json!("ERROR");
        });
        add("a server gone".into(), &|b| take_out(b, "openstack/compute/servers", "servers"));
        for kind in
            ["OpenStackMachine", "OpenStackServer", "MachineDeployment", "KubeadmControlPlane", "Deployment"]
        {
            add(format!("no {kind}"), &|b| b.objects.retain(|o| o.value["kind"] != kind));
        }
        add("no CAPO".into(), &|b| b.objects.retain(|o| o.value["metadata"]["namespace"] != "capo-system"));
        for kind in ["OpenStackCluster", "KubeadmControlPlane", "MachineDeployment"] {
            add(format!("{kind} is being deleted"), &|b| {
                let now = b.meta.taken_at.unwrap().to_string();
                objects(b, kind)[0].value["metadata"]["deletionTimestamp"] = json!(now);
            });
        }
        add("a node group that only Magnum has".into(), &|b| {
            let groups = rows(b, "openstack/container-infra/nodegroups", "nodegroups");
            let mut group = groups.iter().find(|g| g["role"] == "worker").unwrap().clone();
            group["name"] = json!("batch");
            groups.push(group);
        });
        for status in ["UPDATE_FAILED", "CREATE_FAILED", "UPDATE_IN_PROGRESS", "DELETE_FAILED"] {
            add(status.into(), &|b| magnum(b)["status"] = json!(status));
        }
        for part in VITAL {
            for why in [Why::NoAccess, Why::Unreachable, Why::TimedOut, Why::Unreadable] {
                add(format!("{part} {}", why.word()), &|b| b.blank(part, why, "not read"));
            }
        }
    }
    never_healthy(&mutants);
}

fn never_healthy(mutants: &[Variant]) {
    let complaints = cores::each(mutants, |(what, bundle)| {
        let healthy = run::why(bundle, None).is_ok_and(|r| r.verdict == Verdict::Healthy);
        healthy.then(|| what.clone())
    });
    let complaints: Vec<String> = complaints.into_iter().flatten().collect();
    let all = mutants.len();
    assert!(
        complaints.is_empty(),
        "{} of {all} are called healthy:\n{}",
        complaints.len(),
        complaints.join("\n")
    );
}

/// One bundle for each good condition of each object, with that condition turned, and one for
/// each condition that has to be there, without it.
fn turned(base: &Bundle, table: &[Good], contract: &str) -> Vec<Variant> {
    let mut mutants = Vec::new();
    for (kind, good, bad) in table {
        let mut seen: Vec<&str> = Vec::new();
        for at in 0..objects(&mut base.clone(), kind).len() {
            let present = types(&mut objects(&mut base.clone(), kind)[at].value);
            let wanted = good.iter().map(|c| (c, "False")).chain(bad.iter().map(|c| (c, "True")));
            for (condition, status) in wanted.filter(|(c, _)| present.iter().any(|p| p == *c)) {
                seen.push(condition);
                let mut mutant = base.clone();
                turn(&mut objects(&mut mutant, kind)[at].value, condition, status);
                mutants.push((format!("{contract} {kind} {at} {condition} {status}"), mutant));
            }
            for (of, condition) in
                [("Machine", "Ready"), ("Machine", "NodeHealthy"), ("OpenStackServer", "Ready")]
            {
                if of == *kind {
                    let mut mutant = base.clone();
                    conditions(&mut objects(&mut mutant, kind)[at].value).retain(|c| c["type"] != condition);
                    mutants.push((format!("{contract} {kind} {at} without {condition}"), mutant));
                }
            }
        }
        let never: Vec<&&str> = good.iter().chain(*bad).filter(|c| !seen.contains(c)).collect();
        assert!(never.is_empty(), "the {contract} {kind} has no {never:?}: the table or the bundle is wrong");
    }
    mutants
}

fn types(object: &mut Value) -> Vec<String> {
    conditions(object).iter().filter_map(|c| c["type"].as_str()).map(str::to_owned).collect()
}

fn bump(number: &mut Value, by: i64) {
    *number = json!(number.as_i64().unwrap_or_default() + by);
}

/// One of the cluster's rows is taken out of a list.
fn take_out(bundle: &mut Bundle, part: &str, list: &str) {
    let gone = own(bundle, part, list)[0]["id"].clone();
    rows(bundle, part, list).retain(|r| r["id"] != gone);
}

/// The worker group under the autoscaler: bounds in annotations, no number in the topology.
fn autoscaled(bundle: &mut Bundle) {
    let bounds = json!({
        "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size": "1",
        "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size": "5",
    });
    let row = magnum(bundle);
    row["labels"]["auto_scaling_enabled"] = json!("true");
    row["labels"]["min_node_count"] = json!("1");
    row["labels"]["max_node_count"] = json!("5");
    for group in rows(bundle, "openstack/container-infra/nodegroups", "nodegroups") {
        if group["role"] == "worker" {
            group["min_node_count"] = json!(1);
            group["max_node_count"] = json!(5);
            // The autoscaler changes the number behind Magnum's back.
            bump(&mut group["node_count"], 1);
        }
    }
    for cluster in objects(bundle, "Cluster") {
        let workers =
            cluster.value["spec"]["topology"]["workers"]["machineDeployments"].as_array_mut().unwrap();
        for group in workers {
            drop_field(group, "replicas");
            group["metadata"]["annotations"] = bounds.clone();
        }
    }
    for deployment in objects(bundle, "MachineDeployment") {
        for (name, value) in bounds.as_object().unwrap() {
            deployment.value["metadata"]["annotations"][name] = value.clone();
        }
    }
}

/// A second worker group, of no nodes.
fn empty_group(bundle: &mut Bundle) {
    let groups = rows(bundle, "openstack/container-infra/nodegroups", "nodegroups");
    let mut group = groups.iter().find(|g| g["role"] == "worker").unwrap().clone();
    group["name"] = json!("batch");
    group["uuid"] = json!("0b9d3a52-5f0c-4f7e-9f35-6f3b0f6f2d11");
    group["is_default"] = json!(false);
    group["node_count"] = json!(0);
    groups.push(group);
    for cluster in objects(bundle, "Cluster") {
        let workers =
            cluster.value["spec"]["topology"]["workers"]["machineDeployments"].as_array_mut().unwrap();
        let mut group = workers[0].clone();
        group["name"] = json!("batch");
        group["replicas"] = json!(0);
        workers.push(group);
    }
    let mut clones: Vec<Object> = Vec::new();
    for kind in ["MachineDeployment", "MachineSet", "MachineHealthCheck"] {
        let worker =
            objects(bundle, kind).into_iter().find(|o| o.value.to_string().contains("default-worker"));
        clones.push(worker.unwrap().clone());
    }
    let uids: Vec<String> =
        clones.iter().map(|c| c.value["metadata"]["uid"].as_str().unwrap().to_owned()).collect();
    for mut clone in clones {
        let mut text = clone.value.to_string().replace("default-worker", "batch");
        for uid in &uids {
            text = text.replace(uid, &format!("beef{}", &uid[4..]));
        }
        clone.value = serde_json::from_str(&text).unwrap();
        numbers(&mut clone.value);
        bundle.objects.push(clone);
    }
}

/// Sets every count of replicas and machines to zero.
fn numbers(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                let counts = name.to_lowercase().ends_with("replicas")
                    || ["currentHealthy", "expectedMachines", "remediationsAllowed"].contains(&name.as_str());
                if counts && field.is_number() {
                    *field = json!(0);
                } else if name == "targets" {
                    *field = json!([]);
                } else {
                    numbers(field);
                }
            }
        }
        Value::Array(all) => all.iter_mut().for_each(numbers),
        _ => {}
    }
}

/// The network is one that the user made: CAPO has made neither network nor router.
fn own_network(bundle: &mut Bundle) {
    let (mut network, mut subnet) = (Value::Null, Value::Null);
    for cluster in objects(bundle, "OpenStackCluster") {
        network = cluster.value["status"]["network"]["id"].clone();
        subnet = cluster.value["status"]["network"]["subnets"][0]["id"].clone();
        cluster.value["status"]["network"]["name"] = json!("office");
        cluster.value["status"]["network"]["subnets"][0]["name"] = json!("office-v4");
        drop_field(&mut cluster.value["status"], "router");
        drop_field(&mut cluster.value["spec"], "managedSubnets");
        cluster.value["spec"]["network"] = json!({ "id": network });
        cluster.value["spec"]["subnets"] = json!([{ "id": subnet }]);
        conditions(&mut cluster.value).retain(|c| c["type"] != "RouterReady");
    }
    for cluster in objects(bundle, "Cluster") {
        for variable in cluster.value["spec"]["topology"]["variables"].as_array_mut().unwrap() {
            match variable["name"].as_str() {
                Some("fixedNetworkId") => variable["value"] = network.clone(),
                Some("fixedSubnetId") => variable["value"] = subnet.clone(),
                _ => {}
            }
        }
    }
    let row = magnum(bundle);
    row["fixed_network"] = network;
    row["fixed_subnet"] = subnet;
    let stack = stack(bundle);
    rows(bundle, "openstack/network/routers", "routers")
        .retain(|r| !r["name"].as_str().unwrap().ends_with(&stack));
    for (part, list, name) in [
        ("openstack/network/networks", "networks", "office"),
        ("openstack/network/subnets", "subnets", "office-v4"),
    ] {
        for row in own(bundle, part, list) {
            row["name"] = json!(name);
            row["description"] = json!("");
        }
    }
}
