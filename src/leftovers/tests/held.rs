//! Who holds what, and what therefore cannot go.

use serde_json::{Value, json};

use super::{Cloud, OURS, commands, look, ours};
use crate::report::{LeftVerdict, Leftover};

fn cloud() -> Cloud {
    let mut cloud = Cloud::default();
    cloud.cluster(ours("kube-abcde"));
    cloud
}

/// The id of the cluster's first thing of a kind.
fn id(cloud: &Cloud, key: &str, at: usize) -> String {
    cloud.lists[key][at]["id"].as_str().unwrap().to_owned()
}

/// The verdict, and of the thing with this id its holders and whether it can be removed.
fn check(cloud: &Cloud, thing: &str, verdict: LeftVerdict, holders: &[&str], removable: bool) -> Leftover {
    let found = cloud.find(ours("kube-abcde"));
    assert_eq!(found.verdict, verdict, "{:#?}", found.leftovers);
    let left = found.leftovers.iter().find(|l| l.thing.id == thing).expect("it is listed").clone();
    let held: Vec<&str> = left.held_by.iter().map(|h| h.thing.id.as_str()).collect();
    assert_eq!(held, holders, "{left:#?}");
    assert_eq!(left.remove.is_some(), removable, "{left:#?}");
    left
}

#[test]
fn the_order_is_one_that_can_succeed() {
    let cloud = cloud();
    let found = cloud.find(ours("kube-abcde"));
    for left in &found.leftovers {
        for holder in &left.held_by {
            assert!(holder.order.is_some_and(|order| order < left.order), "{left:#?}");
        }
    }
    let words: Vec<&str> = commands(&found).iter().map(|line| line.lines().last().unwrap()).collect();
    let at = |start: &str| words.iter().position(|line| line.starts_with(start)).expect(start);
    assert!(at("openstack loadbalancer delete --cascade") < at("openstack server delete"));
    assert!(at("openstack server delete") < at("openstack port delete"));
    assert!(at("openstack port delete") < at("openstack router delete"));
    assert!(at("openstack router delete") < at("openstack subnet delete"));
    assert!(at("openstack subnet delete") < at("openstack network delete"));
    assert!(at("openstack port delete") < at("openstack security group delete"));
}

#[test]
fn a_foreign_port_holds_the_group_and_stays() {
    let mut cloud = cloud();
    let group = id(&cloud, "security_groups", 1);
    let own = id(&cloud, "ports", 1);
    let foreign = cloud.add('9', "ports", "p2", json!({"name": "nic", "security_groups": [group]}));
    let left = check(&cloud, &group, LeftVerdict::Blocked, &[&foreign, &own], false);
    assert_eq!(left.held_by[0].thing.project.as_deref(), Some("p2"));
    assert!(left.held_by[0].says.contains("not of this cluster"));
    // The other group, the network and all else can go.
    check(&cloud, &id(&cloud, "security_groups", 0), LeftVerdict::Blocked, &[], true);
    check(&cloud, &own, LeftVerdict::Blocked, &[&id(&cloud, "servers", 0)], true);
}

#[test]
fn a_users_port_on_the_network_holds_it() {
    let mut cloud = cloud();
    let network = id(&cloud, "networks", 0);
    cloud.remove("loadbalancers", |_| true);
    cloud.remove("ports", |_| true);
    check(&cloud, &network, LeftVerdict::Leftovers, &[], true);
    cloud.add('1', "ports", OURS, json!({"name": "", "network_id": network, "device_owner": "network:dhcp"}));
    check(&cloud, &network, LeftVerdict::Leftovers, &[], true);
    let port = cloud.add('9', "ports", OURS, json!({"name": "keepalived", "network_id": network}));
    check(&cloud, &network, LeftVerdict::Blocked, &[&port], false);
}

#[test]
fn the_address_of_a_lost_load_balancer_goes_before_the_network() {
    let mut cloud = cloud();
    let network = id(&cloud, "networks", 0);
    let lost = cloud.lists["ports"].iter().find(|p| p["device_owner"] == "Octavia").unwrap()["id"].clone();
    cloud.remove("loadbalancers", |row| row["name"].as_str().unwrap().ends_with("-kubeapi"));
    let left = check(&cloud, lost.as_str().unwrap(), LeftVerdict::Leftovers, &[], true);
    assert_eq!(serde_json::to_value(left.certainty).unwrap(), "blocks");
    let found = cloud.find(ours("kube-abcde"));
    assert!(found.leftovers.iter().any(|l| l.thing.id == network && l.remove.is_some()));
    // Nobody knows whether it is lost if the list was not read.
    let mut bundle = cloud.bundle(ours("kube-abcde"));
    bundle.blank("openstack/load-balancer/loadbalancers", crate::bundle::Why::NoAccess, "403");
    let found = look(&bundle);
    assert!(!commands(&found).iter().any(|line| line.contains(lost.as_str().unwrap())));
    assert!(found.needs.contains(&"openstack/load-balancer/loadbalancers".to_owned()));
}

#[test]
fn a_pending_load_balancer_cannot_be_removed() {
    let mut cloud = cloud();
    for state in ["PENDING_DELETE", "PENDING_UPDATE"] {
        cloud.lists.get_mut("loadbalancers").unwrap()[0]["provisioning_status"] = json!(state);
        check(&cloud, &id(&cloud, "loadbalancers", 0), LeftVerdict::Blocked, &[state], false);
    }
    // It holds the network, too.
    let found = cloud.find(ours("kube-abcde"));
    assert!(!commands(&found).iter().any(|line| line.contains("network delete")));
    cloud.lists.get_mut("loadbalancers").unwrap()[0]["provisioning_status"] = json!("ERROR");
    check(&cloud, &id(&cloud, "loadbalancers", 0), LeftVerdict::Leftovers, &[], true);
}

#[test]
fn a_load_balancer_that_serves_others_stays() {
    let mut cloud = cloud();
    cloud.lists.get_mut("loadbalancers").unwrap()[1]["tags"] = json!([
        format!("kube_service_{}_a_b", super::UUID),
        "kube_service_99999999-2222-4333-8444-555555555555_a_b"
    ]);
    let left =
        check(&cloud, &id(&cloud, "loadbalancers", 1), LeftVerdict::Blocked, &["kube_service_…"], false);
    assert!(left.held_by[0].says.contains("others"));
}

#[test]
fn an_address_that_somebody_else_uses_stays() {
    let mut cloud = cloud();
    let port = cloud.add(
        '9',
        "ports",
        OURS,
        json!({"name": "nic", "device_owner": "compute:nova", "device_id": "x"}),
    );
    cloud.lists.get_mut("floatingips").unwrap()[0]["port_id"] = json!(port);
    check(&cloud, &id(&cloud, "floatingips", 0), LeftVerdict::Blocked, &[&port], false);
    cloud.lists.get_mut("floatingips").unwrap()[0]["port_id"] = json!(id(&cloud, "ports", 1));
    check(&cloud, &id(&cloud, "floatingips", 0), LeftVerdict::Leftovers, &[], true);
}

#[test]
fn a_router_that_leads_elsewhere_stays() {
    let mut cloud = cloud();
    let router = id(&cloud, "routers", 0);
    let left = check(&cloud, &router, LeftVerdict::Leftovers, &[], true);
    let interface = id(&cloud, "ports", 0);
    assert_eq!(
        left.remove,
        Some(format!("openstack router remove port {router} {interface}\nopenstack router delete {router}"))
    );
    let foreign = cloud.add(
        '9',
        "ports",
        OURS,
        json!({"name": "", "network_id": "n9", "device_id": router,
        "device_owner": "network:router_interface"}),
    );
    check(&cloud, &router, LeftVerdict::Blocked, &[&foreign], false);
}

fn attached(status: &str, server: &str) -> Value {
    json!({"name": "kube-abcde-bcdfg-hjklm-etcd", "status": status, "size": 10,
        "attachments": [{"server_id": server, "attachment_id": "a-1"}]})
}

#[test]
fn a_volume_is_let_go_of_by_a_server_that_is_gone() {
    let mut cloud = cloud();
    let volume = cloud.add('1', "volumes", OURS, attached("in-use", "gone"));
    let left = check(&cloud, &volume, LeftVerdict::Leftovers, &["gone"], true);
    let lines: Vec<&str> = left.remove.as_deref().unwrap().lines().collect();
    assert_eq!(lines[0], "openstack --os-volume-api-version 3.27 volume attachment delete a-1");
    assert_eq!(lines[1], format!("openstack volume delete {volume}"));
}

#[test]
fn a_volume_of_a_foreign_server_and_one_that_is_being_changed_stay() {
    let mut cloud = cloud();
    let server = cloud.add('9', "servers", OURS, json!({"name": "db", "status": "ACTIVE"}));
    let volume = cloud.add('1', "volumes", OURS, attached("in-use", &server));
    check(&cloud, &volume, LeftVerdict::Blocked, &[&server], false);
    let mut row = attached("reserved", "");
    row["attachments"] = json!([]);
    let reserved = cloud.add('1', "volumes", OURS, row);
    check(&cloud, &reserved, LeftVerdict::Blocked, &["reserved"], false);
}

#[test]
fn data_is_shown_and_never_removed() {
    let found = cloud().find(ours("kube-abcde"));
    for left in found
        .leftovers
        .iter()
        .filter(|l| l.thing.name.as_deref().is_some_and(|n| n == "pvc-1" || n == "snap-1"))
    {
        assert!(left.data && left.remove.is_none(), "{left:#?}");
    }
    assert_eq!(found.leftovers.iter().filter(|l| l.data).count(), 2);
}

#[test]
fn a_trunk_goes_before_its_port() {
    let mut cloud = cloud();
    cloud.lists.get_mut("ports").unwrap()[1]["trunk_details"] = json!({"trunk_id": "t-1"});
    let found = cloud.find(ours("kube-abcde"));
    let lines = commands(&found);
    let at = |words: &str| lines.iter().position(|line| line.contains(words)).expect(words);
    assert!(at("openstack network trunk delete t-1") < at("openstack port delete"));
}

#[test]
fn what_a_monitor_port_checks_goes_first() {
    let mut cloud = cloud();
    let network = id(&cloud, "networks", 0);
    let balancers = [id(&cloud, "loadbalancers", 0), id(&cloud, "loadbalancers", 1)];
    let port = cloud.add(
        '1',
        "ports",
        OURS,
        json!({"name": "ovn-lb-hm-s", "device_owner": "ovn-lb-hm:distributed", "network_id": network}),
    );
    check(&cloud, &port, LeftVerdict::Leftovers, &[&balancers[0], &balancers[1]], true);
}

#[test]
fn what_was_not_read_is_not_clean() {
    let empty = Cloud::default();
    assert_eq!(empty.find(ours("kube-abcde")).verdict, LeftVerdict::Clean);
    for part in [
        "openstack/network/ports",
        "openstack/volume/snapshots",
        "kubernetes/secret",
        "kubernetes/cluster",
        "openstack/container-infra/clusters",
    ] {
        let mut bundle = empty.bundle(ours("kube-abcde"));
        bundle.blank(part, crate::bundle::Why::Unreachable, "no");
        let found = look(&bundle);
        assert_eq!(found.verdict, LeftVerdict::NotEnoughSeen, "{part}");
        assert!(found.needs.contains(&part.to_owned()), "{part}: {:?}", found.needs);
    }
}

#[test]
fn an_id_is_one_word_of_a_command_whatever_it_is() {
    let mut cloud = cloud();
    for id in ["x; reboot", "$(reboot)", "--all", "a'b"] {
        cloud.lists.get_mut("server_groups").unwrap()[0]["id"] = json!(id);
        let found = cloud.find(ours("kube-abcde"));
        let quoted = format!("'{}'", id.replace('\'', r"'\''"));
        assert!(
            commands(&found).contains(&format!("openstack server group delete {quoted}").as_str()),
            "{id}"
        );
    }
}
