//! Every source failing in every way: the right gap, in time, and the rest of the answer there.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::join_all;
use kubectl_magnum::bundle::{Bundle, Why};
use kubectl_magnum::exit::code;

use crate::scenario::{Instead, World, bundle, nothing};
use crate::server::Reply;

const SCENARIO: &str = "r-03-cores-quota-first-control-plane";
const STACK_ID: &str = "kube-4g0ec";

/// Longer than two answers that hang, and what a run may take at most.
const DEADLINE: Duration = Duration::from_secs(7);

/// Ways to fail, each with what it is called where the thing was asked for in a list.
fn ways() -> Vec<(&'static str, Reply, Why)> {
    let status =
        |code: u16| Reply::json(code, format!("{{\"message\": \"fails with {code}\", \"code\": {code}}}"));
    let half = || "{\"items\": [".to_owned();
    vec![
        ("401", status(401), Why::NoAccess),
        ("403", status(403), Why::NoAccess),
        ("404", status(404), Why::Unreadable),
        ("409", status(409), Why::Unreadable),
        ("429", status(429), Why::Unreachable),
        ("500", status(500), Why::Unreachable),
        ("503", status(503).with("retry-after", "1"), Why::Unreachable),
        ("garbage", Reply::json(200, "<html>welcome"), Why::Unreadable),
        ("json of another", Reply::json(200, "{\"hello\": []}"), Why::Unreadable),
        ("half", Reply::Half(half()), Why::Unreadable),
        ("nothing", Reply::Close, Why::Unreachable),
        ("hangs", Reply::Hang, Why::TimedOut),
        ("drips", Reply::Drip(half()), Why::TimedOut),
    ]
}

fn only(prefix: &'static str, reply: Reply) -> Instead {
    Arc::new(move |seen| {
        let path = format!("{} HTTP", seen.line.split(' ').nth(1).unwrap_or_default());
        path.starts_with(prefix).then(|| reply.clone())
    })
}

fn gap(bundle: &Bundle, part: &str) -> Option<Why> {
    bundle.meta.gaps.iter().find(|gap| gap.part == part).map(|gap| gap.why)
}

fn is_read(bundle: &Bundle, part: &str) -> bool {
    bundle.meta.read.iter().any(|read| read == part)
}

#[tokio::test]
async fn logs_that_fail_leave_the_rest() {
    let logs: Instead = Arc::new(|seen| {
        seen.line.contains("/capo-controller-manager").then(|| Reply::Drip("I1130 x".to_owned()))
    });
    let world = World::of(bundle(SCENARIO), logs, nothing()).await;
    let live = world.gather_within(STACK_ID, Duration::from_secs(2)).await.expect("a bundle");
    assert_eq!(gap(&live, "log/capo-system"), Some(Why::TimedOut), "{:?}", live.meta.gaps);
    assert!(
        live.meta.read.iter().any(|read| read.starts_with("log/capi-system since ")),
        "{:?}",
        live.meta.read
    );
    assert!(is_read(&live, MACHINES) && is_read(&live, SERVERS));
}

#[tokio::test]
async fn neither_source() {
    let closed = || -> Instead { Arc::new(|_| Some(Reply::Close)) };
    let world = World::of(bundle(SCENARIO), closed(), closed()).await;
    assert_eq!(world.gather("x").await.expect_err("a failure").code, code::NO_SOURCE);
}

#[tokio::test]
async fn a_name_without_magnum() {
    let world = World::of(bundle(SCENARIO), nothing(), only("/magnum", Reply::json(503, "{}"))).await;
    let failure = world.gather("cores-full").await.expect_err("a failure");
    assert_eq!(failure.code, code::NOT_ENOUGH_SEEN);
    assert!(failure.hint.as_deref().unwrap_or_default().contains("stack id"), "{failure:?}");
    assert!(world.gather(STACK_ID).await.is_ok());
}

/// One source failing in one way: the gap of `part`, and `other` is there all the same.
async fn check(
    on_kube: bool,
    prefix: &'static str,
    part: &str,
    other: &str,
    special: &[(&str, Option<Why>)],
) {
    let runs = ways().into_iter().map(|(way, reply, why)| async move {
        let instead = only(prefix, reply);
        let (kube, cloud) = if on_kube { (instead, nothing()) } else { (nothing(), instead) };
        let world = World::of(bundle(SCENARIO), kube, cloud).await;
        let start = Instant::now();
        let live = world.gather_within(STACK_ID, DEADLINE).await;
        let live = live.unwrap_or_else(|failure| panic!("{prefix} {way}: {failure:?}"));
        assert!(start.elapsed() < DEADLINE + Duration::from_secs(4), "{prefix} {way}: {:?}", start.elapsed());
        let expected = special.iter().find(|(special, _)| *special == way).map_or(Some(why), |(_, why)| *why);
        assert_eq!(gap(&live, part), expected, "{prefix} {way}: {:?}", live.meta.gaps);
        assert_eq!(is_read(&live, part), expected.is_none(), "{prefix} {way}");
        assert!(is_read(&live, other), "{prefix} {way}: {:?}", live.meta.gaps);
    });
    join_all(runs).await;
}

const SERVERS: &str = "openstack/compute/servers";
const MACHINES: &str = "kubernetes/machine";

#[tokio::test]
async fn lists_of_kubernetes() {
    // A kind that is not found is not served, so there is none.
    let machines = "/apis/cluster.x-k8s.io/v1beta2/namespaces/magnum-system/machines";
    check(true, machines, MACHINES, SERVERS, &[("404", None)]).await;
    check(true, "/api/v1/namespaces/magnum-system/events", "kubernetes/event", MACHINES, &[("404", None)])
        .await;
}

#[tokio::test]
async fn kubernetes_itself() {
    // Where `/apis` may not be read, or is not there, the usual versions are tried.
    check(true, "/apis HTTP", MACHINES, SERVERS, &[("403", None), ("404", None)]).await;
}

#[tokio::test]
async fn services_of_openstack() {
    check(false, "/compute", SERVERS, MACHINES, &[]).await;
    check(false, "/network", "openstack/network/ports", SERVERS, &[]).await;
    check(false, "/octavia", "openstack/load-balancer/loadbalancers", SERVERS, &[]).await;
    check(false, "/volume", "openstack/volume/volumes", SERVERS, &[]).await;
    // Asked by UUID and not found: Magnum does not have it.
    check(false, "/magnum", "openstack/container-infra/clusters", MACHINES, &[("404", None)]).await;
    check(false, "/identity/v3/users", "openstack/identity/users", SERVERS, &[("404", None)]).await;
}

#[tokio::test]
async fn the_login() {
    check(false, "/v3/auth", "openstack/container-infra/clusters", MACHINES, &[]).await;
}
