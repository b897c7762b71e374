//! Which sources can be read, and with whose rights: the best answer that can be given, with its
//! gaps by name and the exit code of the table.

use std::sync::Arc;

use kubectl_magnum::bundle::Bundle;
use kubectl_magnum::exit::code;
use kubectl_magnum::report::WhyReport;
use kubectl_magnum::run;
use serde_json::json;

use crate::scenario::{Instead, World, bundle, nothing};
use crate::server::Reply;

/// A cluster whose cause stands in its Kubernetes objects, and one that nothing is wrong with.
const SICK: &str = "r-03-cores-quota-first-control-plane";
const HEALTHY: &str = "h-01-healthy-create-complete";

/// What stands between us and the servers.
#[derive(Default)]
struct Obstacle {
    /// Changes the world before it is served.
    change: Option<fn(&mut Bundle)>,
    kube: Option<Instead>,
    cloud: Option<Instead>,
}

fn closed() -> Option<Instead> {
    Some(Arc::new(|_| Some(Reply::Close)))
}

/// Refuses what has one of these words in its request line.
fn refused(words: &'static [&'static str]) -> Option<Instead> {
    Some(Arc::new(move |seen| {
        let says = json!({"message": "not for you", "code": 403});
        words.iter().any(|word| seen.line.contains(word)).then(|| Reply::json(403, says))
    }))
}

async fn report(scenario: &str, obstacle: &Obstacle) -> WhyReport {
    let mut bundle = bundle(scenario);
    if let Some(change) = obstacle.change {
        change(&mut bundle);
    }
    let stack_id = bundle.meta.target.stack_id.clone().expect("a stack id");
    let instead = |with: &Option<Instead>| with.clone().unwrap_or_else(nothing);
    let world = World::of(bundle, instead(&obstacle.kube), instead(&obstacle.cloud)).await;
    let live = world.gather(&stack_id).await.expect("a bundle");
    run::why(&live, None).expect("a report")
}

/// Exit codes of the sick cluster and of the healthy one, and the parts that are named as gaps.
async fn check(obstacle: Obstacle, sick: u8, healthy: u8, gaps: &[&str]) {
    for (scenario, expected) in [(SICK, sick), (HEALTHY, healthy)] {
        let report = report(scenario, &obstacle).await;
        assert_eq!(report.exit_code, expected, "{scenario}: {:?} {:?}", report.verdict, report.gaps);
        let cause = report.causes.first().map(|cause| cause.id);
        let named = (expected == code::WRONG).then_some("quota-used-up");
        assert_eq!(cause, named, "{scenario}");
        for part in gaps {
            assert!(
                report.gaps.iter().any(|gap| gap.part.contains(part)),
                "{scenario} {part}: {:?}",
                report.gaps
            );
        }
        assert_eq!(report.gaps.is_empty(), gaps.is_empty(), "{scenario}: {:?}", report.gaps);
    }
}

#[tokio::test]
async fn everything_can_be_read() {
    check(Obstacle::default(), code::WRONG, code::FINE, &[]).await;
}

#[tokio::test]
async fn kubernetes_alone() {
    let obstacle = Obstacle { cloud: closed(), ..Obstacle::default() };
    check(obstacle, code::WRONG, code::NOT_ENOUGH_SEEN, &["openstack/compute/servers"]).await;
}

#[tokio::test]
async fn openstack_alone() {
    let obstacle = Obstacle { kube: closed(), ..Obstacle::default() };
    check(obstacle, code::NOT_ENOUGH_SEEN, code::NOT_ENOUGH_SEEN, &["kubernetes/machine"]).await;
}

#[tokio::test]
async fn a_login_that_is_for_another_project() {
    let change: fn(&mut Bundle) = |bundle| {
        bundle.meta.login.project_id = Some("another".to_owned());
        bundle.meta.login.roles = vec!["member".to_owned()];
    };
    let obstacle = Obstacle { change: Some(change), ..Obstacle::default() };
    check(obstacle, code::WRONG, code::NOT_ENOUGH_SEEN, &["openstack/load-balancer/loadbalancers"]).await;
}

#[tokio::test]
async fn the_context_of_another_management_cluster() {
    let change: fn(&mut Bundle) = |bundle| {
        bundle.objects.retain(|object| {
            object.value["metadata"]["namespace"] != "magnum-system"
                && object.part != "kubernetes/clusterclass"
        });
        bundle.logs.clear();
    };
    let obstacle = Obstacle { change: Some(change), ..Obstacle::default() };
    check(obstacle, code::NOT_ENOUGH_SEEN, code::NOT_ENOUGH_SEEN, &["kubernetes/cluster"]).await;
}

#[tokio::test]
async fn no_rights_on_logs() {
    let obstacle = Obstacle { kube: refused(&["/log?"]), ..Obstacle::default() };
    check(obstacle, code::WRONG, code::FINE, &["log/capo-system"]).await;
}

#[tokio::test]
async fn a_member_of_the_project() {
    // Keystone's and Nova's defaults keep these from a member.
    let change: fn(&mut Bundle) = |bundle| {
        bundle.meta.login.project_id = bundle.meta.target.project_id.clone();
        bundle.meta.login.roles = vec!["member".to_owned()];
    };
    let cloud = refused(&["/v3/users", "/v3/projects/"]);
    let obstacle = Obstacle { change: Some(change), cloud, ..Obstacle::default() };
    check(obstacle, code::WRONG, code::FINE, &["openstack/identity/users", "openstack/identity/projects"])
        .await;
}

#[tokio::test]
async fn an_admin_who_is_elsewhere() {
    let change: fn(&mut Bundle) = |bundle| {
        bundle.meta.login.project_id = Some("another".to_owned());
        bundle.meta.login.roles = vec!["admin".to_owned()];
    };
    let obstacle = Obstacle { change: Some(change), ..Obstacle::default() };
    check(obstacle, code::WRONG, code::FINE, &[]).await;
}
