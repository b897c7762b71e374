//! Nothing of anybody else is ever left over, whatever it is called.

use proptest::prelude::*;
use serde_json::json;

use super::{Cloud, Cluster, OURS, UUID, commands, kinds, ours};
use crate::report::LeftVerdict;

const OTHER: &str = "99999999-2222-4333-8444-555555555555";
/// All that one cluster leaves, in the order of removal.
const ALL: &str = "2 floating IP, 2 load balancer, 1 server, 2 volume, 1 port, 1 router, 1 subnet, 1 network, \
                   2 security group, 2 server group, 1 application credential, 1 volume snapshot";
const COUNT: usize = 17;

fn owners(found: &super::Found) -> String {
    let mut owners: Vec<char> =
        found.leftovers.iter().filter_map(|left| left.thing.id.chars().next()).collect();
    owners.dedup();
    owners.into_iter().collect()
}

/// Things of a user, with names that look like the cluster's.
fn of_a_user(cloud: &mut Cloud, stack_id: &str, word: &str) {
    let network = cloud.lists["networks"][0]["id"].as_str().unwrap().to_owned();
    let group = cloud.lists["security_groups"][1]["id"].as_str().unwrap().to_owned();
    let own = cloud.add('9', "networks", OURS, json!({"name": format!("{stack_id}-{word}")}));
    for name in [
        stack_id.to_owned(),
        format!("{stack_id}-{word}"),
        format!("{word}-{stack_id}"),
        format!("{stack_id}{word}-bcdfg-hjklm"),
    ] {
        cloud.add('9', "servers", OURS, json!({"name": name, "status": "ACTIVE"}));
        for end in ["root", "etcd", "docker", "data"] {
            cloud.add(
                '9',
                "volumes",
                OURS,
                json!({"name": format!("{name}-{end}"), "status": "available", "size": 1}),
            );
        }
        cloud.add('9', "ports", OURS, json!({"name": format!("{name}-0"), "network_id": network}));
        cloud.add('9', "ports", OURS, json!({"name": name, "network_id": own, "security_groups": [group]}));
        cloud.add('9', "security_groups", OURS,
            json!({"name": format!("k8s-cluster-magnum-system-{name}-secgroup-{word}"), "description": "Cluster API managed group"}));
        cloud.add('9', "routers", OURS, json!({"name": format!("k8s-clusterapi-cluster-{name}")}));
        cloud.add('9', "floatingips", OURS,
            json!({"floating_ip_address": "203.0.113.77", "description": format!("Created by cluster-api-provider-openstack cluster default-{name}")}));
        cloud.add('9', "loadbalancers", OURS,
            json!({"name": format!("{name}-kubeapi"), "provisioning_status": "ACTIVE", "vip_network_id": own}));
    }
    // A card with the name of a machine's, but somebody described it.
    cloud.add(
        '9',
        "ports",
        OURS,
        json!({"name": format!("{stack_id}-bcdfg-hjklm-0"), "network_id": network, "description": word}),
    );
    cloud.add('9', "volumes", OURS,
        json!({"name": format!("{stack_id}-bcdfg-hjklm-root"), "status": "available", "size": 1, "description": word}));
    // Addresses that keepalived moves about, on the cluster's own network.
    cloud.add(
        '9',
        "ports",
        OURS,
        json!({"name": "keepalived-vip", "network_id": network, "device_owner": "", "device_id": ""}),
    );
    cloud.add('9', "ports", OURS, json!({"name": format!("octavia-lb-{word}"), "network_id": network}));
    cloud.add('9', "ports", "octavia", json!({"name": "octavia-lb-vrrp-90000000-2222-4333-8444-000000000001",
        "network_id": network, "device_owner": "compute:nova", "device_id": "90000000-2222-4333-8444-000000000002"}));
    // The address of a lost load balancer, on a network of the user's.
    cloud.add(
        '9',
        "ports",
        OURS,
        json!({"name": "octavia-lb-90000000-2222-4333-8444-000000000003", "network_id": own}),
    );
}

#[test]
fn everything_of_one_cluster_is_found() {
    let mut cloud = Cloud::default();
    cloud.cluster(ours("kube-abcde"));
    let found = cloud.find(ours("kube-abcde"));
    assert_eq!(kinds(&found), ALL);
    assert_eq!(found.verdict, LeftVerdict::Leftovers);
    let data: Vec<&str> = found.leftovers.iter().filter(|l| l.data).map(|l| l.thing.kind.as_str()).collect();
    assert_eq!(data, ["volume snapshot", "volume"]);
    assert_eq!(commands(&found).len(), found.leftovers.len() - 2, "{:#?}", found.leftovers);
}

#[test]
fn a_bare_name_proves_nothing_where_the_stack_id_is_not_known_to_be_one() {
    let mut cloud = Cloud::default();
    for name in ["web-bcdfg-hjklm", "web"] {
        cloud.add('9', "servers", OURS, json!({"name": name, "status": "ACTIVE"}));
        cloud.add('9', "server_groups", OURS, json!({"name": name}));
        cloud.add('9', "volumes", OURS, json!({"name": format!("{name}-root"), "status": "available"}));
        cloud.add('9', "ports", OURS, json!({"name": format!("{name}-0")}));
    }
    let found = cloud.find(ours("web"));
    assert!(found.leftovers.is_empty(), "{:#?}", found.leftovers);
    // One name in CAPO's frame, and they are machines.
    cloud.add('1', "security_groups", OURS, json!({"name": "k8s-cluster-magnum-system-web-secgroup-worker"}));
    assert_eq!(
        kinds(&cloud.find(ours("web"))),
        "1 server, 1 volume, 1 port, 1 security group, 2 server group"
    );
}

#[test]
fn a_cluster_that_lives_beside_is_not_found_from_a_bundle_for_one() {
    let mut cloud = Cloud::default();
    cloud.cluster(ours("kube-abcde"));
    let mut bundle = cloud.bundle(Cluster { stack_id: "kube-zzzzz", uuid: OTHER, ..ours("") });
    bundle.meta.all_clusters = false;
    bundle.meta.target.stack_id = Some("kube-zzzzz".to_owned());
    let world = crate::model::World::new(&bundle);
    let found = super::find(&crate::model::Snapshot::new(&world, "x", Some(UUID), Some("kube-abcde")));
    assert_eq!(found.verdict, LeftVerdict::NotEnoughSeen);
    assert!(commands(&found).is_empty(), "{:?}", commands(&found));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Clusters whose stack ids begin with ours or are the beginning of it, the same names in another
    /// project, things of a user: ours are found, all of them, and nothing else.
    #[test]
    fn only_ours_are_found(
        stack_id in prop_oneof![Just("kube-abcde".to_owned()), Just("k8s-v1-25-3-xyz".to_owned()), Just("web".to_owned()), "[a-z][a-z0-9-]{0,20}[a-z0-9]"],
        // Vowels are in no random name of Kubernetes, so no word is a machine's by chance.
        word in "[aeiou]{1,8}",
        order in any::<bool>(),
    ) {
        let longer = format!("{stack_id}-{word}");
        let glued = format!("{stack_id}{word}");
        let shorter = stack_id.rsplit_once('-').map_or("aaa", |(front, _)| front).to_owned();
        let mut cloud = Cloud::default();
        let add_ours = |cloud: &mut Cloud| cloud.cluster(ours(&stack_id));
        if order { add_ours(&mut cloud); }
        for (at, name) in [&longer, &glued, &shorter].into_iter().enumerate() {
            let uuid = format!("9999999{at}-2222-4333-8444-555555555555");
            cloud.cluster(Cluster { owner: '9', stack_id: name, uuid: &uuid, project: OURS });
        }
        // The same names in another project, as an admin sees them.
        cloud.cluster(Cluster { owner: '9', stack_id: &stack_id, uuid: UUID, project: "p2" });
        if !order { add_ours(&mut cloud); }
        let found = cloud.find(ours(&stack_id));
        prop_assert_eq!(owners(&found), "1", "{:#?}", &found.leftovers);
        prop_assert_eq!(found.leftovers.len(), COUNT);

        let mut alone = Cloud::default();
        alone.cluster(ours(&stack_id));
        of_a_user(&mut alone, &stack_id, &word);
        let found = alone.find(ours(&stack_id));
        prop_assert_eq!(owners(&found), "1", "{:#?}", &found.leftovers);
        prop_assert_eq!(found.leftovers.len(), COUNT);
        let touched: Vec<&str> = commands(&found).into_iter().filter(|line| line.contains(" 9")).collect();
        prop_assert!(touched.is_empty(), "{:?}", touched);
    }
}
