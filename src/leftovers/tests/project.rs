//! Clusters that nobody knows any more, out of everything in a project.

use serde_json::json;

use super::super::{Stray, other_half, strays};
use super::{Cloud, Cluster, OURS, UUID, ours};
use crate::model::World;
use crate::report::LeftVerdict;

fn stray(stack_id: Option<&str>, uuid: Option<&str>) -> Stray {
    Stray { stack_id: stack_id.map(str::to_owned), uuid: uuid.map(str::to_owned) }
}

/// Strays of the project.
fn check(cloud: &Cloud, expected: &[Stray]) {
    let bundle = cloud.bundle(Cluster { stack_id: "", uuid: "", ..ours("") });
    assert_eq!(strays(&World::new(&bundle)), expected);
}

#[test]
fn a_network_joins_the_two_keys() {
    let mut cloud = Cloud::default();
    cloud.cluster(ours("kube-abcde"));
    check(&cloud, &[stray(Some("kube-abcde"), Some(UUID))]);
    let bundle = cloud.bundle(ours("kube-abcde"));
    let world = World::new(&bundle);
    let both = Some(stray(Some("kube-abcde"), Some(UUID)));
    assert_eq!(other_half(&world, None, Some("kube-abcde")), both);
    assert_eq!(other_half(&world, Some(UUID), None), both);
    cloud.remove("networks", |_| true);
    check(&cloud, &[stray(Some("kube-abcde"), None), stray(None, Some(UUID))]);
}

#[test]
fn whoever_is_known_is_no_stray() {
    let mut cloud = Cloud::default();
    cloud.cluster(ours("kube-abcde"));
    cloud.cluster(Cluster {
        stack_id: "kube-fghij",
        uuid: "99999999-2222-4333-8444-555555555555",
        ..ours("")
    });
    cloud.cluster(Cluster { stack_id: "kube-other", project: "p2", ..ours("") });
    let row =
        json!({"uuid": UUID, "cluster_id": "kube-abcde", "project_id": OURS, "status": "CREATE_COMPLETE"});
    cloud.lists.entry("clusters").or_default().push(row);
    check(&cloud, &[stray(Some("kube-fghij"), Some("99999999-2222-4333-8444-555555555555"))]);
}

#[test]
fn old_cloud_providers_and_user_names_make_no_strays() {
    let mut cloud = Cloud::default();
    cloud.add('9', "loadbalancers", OURS, json!({"name": "kube_service_kubernetes_default_web",
        "description": "Kubernetes external service default/web from cluster kubernetes", "provisioning_status": "ACTIVE"}));
    cloud.add('9', "servers", OURS, json!({"name": "kube-abcde-bcdfg-hjklm", "status": "ACTIVE"}));
    cloud.add('9', "application_credentials", OURS, json!({"name": UUID, "description": "mine"}));
    cloud.add('9', "server_groups", OURS, json!({"name": "kube-groups"}));
    check(&cloud, &[]);
    cloud.add('1', "server_groups", OURS, json!({"name": "kube-abcde-default-worker"}));
    check(&cloud, &[stray(Some("kube-abcde"), None)]);
}

#[test]
fn everything_is_listed_by_cluster() {
    let mut cloud = Cloud::default();
    cloud.cluster(ours("kube-abcde"));
    cloud.cluster(Cluster {
        stack_id: "kube-fghij",
        uuid: "99999999-2222-4333-8444-555555555555",
        ..ours("")
    });
    let mut bundle = cloud.bundle(Cluster { stack_id: "", uuid: "", ..ours("") });
    let report = crate::diagnose::left_in(&World::new(&bundle));
    assert_eq!(report.verdict, LeftVerdict::Leftovers);
    let orders: Vec<usize> = report.leftovers.iter().map(|l| l.order).collect();
    assert_eq!(orders, (1..=34).collect::<Vec<_>>());
    let mut clusters: Vec<&str> = report.leftovers.iter().map(|l| l.cluster.as_str()).collect();
    clusters.dedup();
    assert_eq!(clusters, ["kube-abcde", "kube-fghij"]);
    assert!(
        report
            .leftovers
            .iter()
            .flat_map(|l| l.held_by.iter().map(move |h| (l.order, h.order)))
            .all(|(own, holder)| holder < Some(own))
    );
    // From a bundle that was made for one cluster nobody can say who is known.
    bundle.meta.all_clusters = false;
    let report = crate::diagnose::left_in(&World::new(&bundle));
    assert_eq!(report.verdict, LeftVerdict::NotEnoughSeen);
    assert!(report.leftovers.iter().all(|left| left.remove.is_none()));
}

#[test]
fn with_one_key_what_carries_the_other_may_be_the_clusters() {
    let mut cloud = Cloud::default();
    let target = Cluster { uuid: "", ..ours("kube-abcde") };
    assert_eq!(cloud.find(target).verdict, LeftVerdict::Clean);
    cloud.add(
        '1',
        "volumes",
        OURS,
        json!({"name": "pvc-1", "metadata": {"cinder.csi.openstack.org/cluster": UUID}}),
    );
    let found = cloud.find(target);
    assert_eq!(found.verdict, LeftVerdict::NotEnoughSeen);
    assert!(found.notes.iter().any(|note| note.contains(UUID)), "{:?}", found.notes);
}
