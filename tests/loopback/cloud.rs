//! The OpenStack client against a server on this machine: what is sent, and what becomes of
//! every kind of answer.

use std::time::{Duration, Instant};

use crate::records;
use crate::server::{Reply, Seen, Server};
use kubectl_magnum::exit::Failure;
use kubectl_magnum::gather::cloud::{self, Answer, Ask, Cloud, CloudOptions, Service, Session};
use kubectl_magnum::gather::fault::{Fault, Kind};
use kubectl_magnum::gather::host::Host;
use kubectl_magnum::gather::limits::Limits;
use serde_json::{Value, json};

pub(crate) const PROJECT: &str = "09830a0ece9a48039cd603594ea6a843";
pub(crate) const TOKEN: &str = "gAAAA-pl4nted-token";
const PASSWORD: &str = "pl4nted-password";

const LIMITS: Limits = Limits {
    connect: Duration::from_secs(1),
    answer: Duration::from_millis(500),
    plugin: Duration::from_secs(1),
};

/// A token as Keystone gave it, of another person and project, with every service on `root`.
pub(crate) fn token(root: &str) -> Reply {
    let entry = |kind: &str, path: &str| {
        let endpoint = |interface: &str| json!({"interface": interface, "region": "R1", "region_id": "R1", "url": format!("{root}{path}")});
        json!({"type": kind, "name": kind, "endpoints": [endpoint("admin"), endpoint("public")]})
    };
    let catalog = [
        entry("identity", "/v3"),
        entry("container-infra", "/v1"),
        entry("compute", "/v2.1"),
        entry("network", ""),
        entry("volumev3", &format!("/v3/{PROJECT}")),
    ];
    let mut body = records::body("keystone/login-project");
    let token = &mut body["token"];
    token["expires_at"] = json!("2026-12-01T19:46:19.000000Z");
    token["user"]["id"] = json!("u1");
    token["user"]["name"] = json!("jo");
    token["project"]["id"] = json!(PROJECT);
    token["roles"] = json!([{"id": "r1", "name": "reader"}, {"id": "r2", "name": "member"}]);
    token["catalog"] = json!(catalog);
    Reply::json(201, body).with("x-subject-token", TOKEN)
}

/// A cloud whose Keystone gives tokens and whose services answer as said.
pub(crate) async fn cloud_that(answers: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Server {
    Server::start(move |seen| {
        let root = format!("http://{}", seen.header("host").expect("host"));
        if seen.line.contains("/auth/tokens") { token(&root) } else { answers(seen) }
    })
    .await
}

fn host() -> (Host, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("folder");
    (Host { cwd: folder.path().to_owned(), ..Host::default() }, folder)
}

pub(crate) fn password_at(url: &str) -> CloudOptions {
    CloudOptions {
        os_auth_url: Some(url.to_owned()),
        os_username: Some("jo".to_owned()),
        os_password: Some(PASSWORD.to_owned()),
        os_project_id: Some(PROJECT.to_owned()),
        ..CloudOptions::default()
    }
}

pub(crate) async fn connect(options: &CloudOptions) -> Result<Session, Failure> {
    let (host, _folder) = host();
    let cloud: Cloud = cloud::resolve(options, &host)?;
    Session::connect(&cloud, &host, &LIMITS).await
}

async fn session(server: &Server) -> Session {
    connect(&password_at(&server.url())).await.expect("login")
}

fn clusters() -> Ask {
    Ask::new(Service::ContainerInfra, &["clusters"])
}

pub(crate) fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// One GET that is answered so.
async fn check_get(reply: Reply, kind: Kind, says: &str) -> Fault {
    let server = cloud_that(move |_| reply.clone()).await;
    let session = session(&server).await;
    let start = Instant::now();
    let fault = session.get(&clusters()).await.expect_err("a fault");
    assert!(start.elapsed() < Duration::from_secs(2), "{fault}");
    assert_eq!(fault.kind, kind, "{fault}");
    assert!(fault.says.contains(says), "{fault}");
    assert_eq!(fault.service, "container-infra");
    fault
}

#[tokio::test]
async fn a_service_answers_in_every_bad_way() {
    for (record, kind) in [
        ("magnum/cluster-missing", Kind::NotFound),
        ("magnum/no-login", Kind::NoAccess),
        ("magnum/nodegroups-too-old", Kind::Refused),
        ("magnum/version-of-another", Kind::Refused),
        ("magnum/argument-unknown", Kind::Refused),
        ("magnum/cluster-twice", Kind::Conflict),
        ("magnum/conductor-down", Kind::Unreachable),
        ("keystone/project-forbidden", Kind::NoAccess),
        ("keystone/user-missing", Kind::NotFound),
        ("neutron/quota-of-another", Kind::NoAccess),
        ("neutron/port-missing", Kind::NotFound),
        ("neutron/path-missing", Kind::Unreachable),
        ("neutron/filter-unknown", Kind::Refused),
        ("neutron/security-group-in-use", Kind::Conflict),
        ("neutron/over-quota", Kind::Conflict),
        ("octavia/project-of-another", Kind::NoAccess),
        ("octavia/loadbalancer-missing", Kind::NotFound),
        ("octavia/filter-unknown", Kind::Refused),
        ("octavia/pending-delete", Kind::Conflict),
    ] {
        check_get(records::reply(record), kind, &records::says(record)).await;
    }
    let fault = check_get(records::reply("magnum/version-too-new"), Kind::Refused, "1.99").await;
    assert!(fault.status == Some(406) && fault.request_id.is_some(), "{fault:?}");
    for record in ["neutron/keystone-down", "magnum/keystone-down", "octavia/keystone-down"] {
        let fault = check_get(records::reply(record), Kind::Unreachable, "Keystone").await;
        assert!(!fault.says.contains('<'), "markup is taken off: {fault}");
    }
    check_get(Reply::json(429, "{}"), Kind::Unreachable, "429").await;
    check_get(Reply::json(502, "<html><h1>502 Bad Gateway</h1>"), Kind::Unreachable, "502 Bad").await;
    let cut = Reply::json(200, "{\"clusters\": [").with("x-openstack-request-id", "req-9");
    let fault = check_get(cut, Kind::Unreadable, "not JSON").await;
    assert_eq!(fault.request_id.as_deref(), Some("req-9"));
    check_get(Reply::Half("{\"clusters\": [".to_owned()), Kind::Unreadable, "broke off").await;
    check_get(Reply::Drip("{\"clusters\": [".to_owned()), Kind::TimedOut, "in time").await;
    check_get(Reply::Close, Kind::Unreachable, "no connection").await;
    check_get(Reply::Hang, Kind::TimedOut, "in time").await;
}

#[tokio::test]
async fn more_than_we_read() {
    let big = format!("\"{}\"", "x".repeat(cloud::http::LARGEST_BODY));
    check_get(Reply::json(200, big), Kind::TooLarge, "more than 64 MB").await;
}

async fn one(session: &Session, ask: Ask) -> Answer {
    session.get(&ask).await.expect("an answer")
}

#[tokio::test]
async fn paths_headers_and_microversions() {
    let server = cloud_that(|_| {
        Reply::json(200, "{}")
            .with("openstack-api-maximum-version", "container-infrastructure-management 1.14")
            .with("x-openstack-request-id", "req-1")
    })
    .await;
    let session = session(&server).await;
    let answer = one(&session, Ask::new(Service::ContainerInfra, &["clusters", "pro d"])).await;
    assert_eq!((answer.newest.as_deref(), answer.request_id.as_deref()), (Some("1.14"), Some("req-1")));
    assert!(answer.date.is_some());
    one(&session, Ask::new(Service::Compute, &["servers", "detail"]).microversion("2.26").query("a", "b"))
        .await;
    one(&session, Ask::new(Service::Network, &["ports"])).await;
    one(&session, Ask::new(Service::BlockStorage, &["volumes", "detail"]).microversion("3.67")).await;
    session.console("s1", 50).await.expect("console");
    let seen = server.seen();
    let volumes = format!("GET /v3/{PROJECT}/volumes/detail");
    let expected = [
        ("GET /v1/clusters/pro%20d", Some("container-infra latest")),
        ("GET /v2.1/servers/detail?a=b", Some("compute 2.26")),
        ("GET /v2.0/ports", None),
        (volumes.as_str(), Some("volume 3.67")),
        ("POST /v2.1/servers/s1/action", None),
    ];
    for (seen, (line, version)) in seen.iter().skip(1).zip(expected) {
        assert_eq!((seen.line.as_str(), seen.header("openstack-api-version")), (line, version));
        assert_eq!(seen.header("x-auth-token"), Some(TOKEN));
    }
    assert_eq!(seen[2].header("x-openstack-nova-api-version"), Some("2.26"));
    assert_eq!(seen[5].body, r#"{"os-getConsoleOutput":{"length":50}}"#);
    assert_eq!(seen.len(), 6, "one login, one request for each question");
}

#[tokio::test]
async fn pages_are_followed_on_the_same_server() {
    // The link names the server that the page was recorded on.
    let first = records::body("neutron/ports-page");
    let link = first["ports_links"][0]["href"].as_str().expect("a link");
    let (_, query) = link.split_once('?').expect("a query");
    let next = format!("GET /v2.0/ports?{query}");
    let server = cloud_that(move |seen| match seen.line.as_str() {
        "GET /v2.0/ports?limit=1&fields=id&fields=name" => records::reply("neutron/ports-page"),
        line if line == next => Reply::json(200, json!({"ports": [2]})),
        _ => records::reply("neutron/path-missing"),
    })
    .await;
    let ask = Ask::new(Service::Network, &["ports"]).query("limit", "1");
    let pages = session(&server).await.list(&ask.query("fields", "id").query("fields", "name")).await;
    let bodies: Vec<Value> =
        pages.answers.iter().map(|a| serde_json::from_slice(&a.bytes).expect("JSON")).collect();
    assert_eq!(pages.fault, None);
    assert_eq!(bodies, [first, json!({"ports": [2]})]);
}

#[tokio::test]
async fn what_came_before_a_bad_page_is_kept() {
    let next =
        |marker: &str| json!({"clusters": [], "next": format!("http://h/v1/clusters?marker={marker}")});
    let server = cloud_that(move |seen| match seen.line.as_str() {
        "GET /v1/clusters" => Reply::json(200, next("a")),
        _ => Reply::json(500, "{}"),
    })
    .await;
    let pages = session(&server).await.list(&clusters()).await;
    assert_eq!((pages.answers.len(), pages.fault.map(|f| f.kind)), (1, Some(Kind::Unreachable)));

    let server = cloud_that(move |_| Reply::json(200, next("a"))).await;
    let pages = session(&server).await.list(&clusters()).await;
    assert_eq!(
        (pages.answers.len(), pages.fault.map(|f| f.kind)),
        (2, Some(Kind::TooLarge)),
        "a circle ends"
    );
}

#[tokio::test]
async fn a_busy_service_is_asked_once_more_when_it_says_when() {
    for status in [429, 503] {
        let server = cloud_that(move |_| Reply::json(status, "{}").with("retry-after", 0)).await;
        let fault = session(&server).await.get(&clusters()).await.expect_err("busy");
        assert_eq!((fault.kind, server.lines().len()), (Kind::Unreachable, 3), "login, question, once more");
        let server = cloud_that(move |_| Reply::json(status, "{}").with("retry-after", 60)).await;
        session(&server).await.get(&clusters()).await.expect_err("busy");
        assert_eq!(server.lines().len(), 2, "a minute is too long");
    }
}

#[tokio::test]
async fn a_redirect_stays_on_the_server() {
    let server = cloud_that(|seen| match seen.line.as_str() {
        "GET /v1/clusters" => Reply::json(301, "").with("location", "/v1/clusters/"),
        _ => Reply::json(200, json!({"clusters": []})),
    })
    .await;
    session(&server).await.get(&clusters()).await.expect("followed");

    let thief = Server::start(|_| Reply::json(200, "{}")).await;
    let there = thief.url();
    let server = cloud_that(move |_| Reply::json(302, "").with("location", &there)).await;
    let fault = session(&server).await.get(&clusters()).await.expect_err("elsewhere");
    assert!(fault.says.contains(&thief.address) && thief.seen().is_empty(), "{fault}");
}

#[tokio::test]
async fn a_redirected_login_stays_a_post() {
    let server = Server::start(|seen| {
        let root = format!("http://{}", seen.header("host").expect("host"));
        match seen.line.as_str() {
            "POST /v3/auth/tokens" => Reply::json(302, "").with("location", "/identity/v3/auth/tokens"),
            "POST /identity/v3/auth/tokens" => token(&root),
            _ => Reply::json(405, "{}"),
        }
    })
    .await;
    connect(&password_at(&server.url())).await.expect("login");
}

#[tokio::test]
async fn a_region_and_a_service_that_the_catalog_lacks() {
    let server = cloud_that(|_| Reply::json(200, "{}")).await;
    let session = session(&server).await;
    let fault =
        session.get(&Ask::new(Service::LoadBalancer, &["lbaas", "loadbalancers"])).await.expect_err("none");
    assert_eq!(fault.kind, Kind::NoService);
    assert!(fault.hint.is_some_and(|hint| hint.contains("container-infra")));
    let options = CloudOptions { os_region_name: some("r1"), ..password_at(&server.url()) };
    let failure = connect(&options).await.err().expect("no such region");
    assert!(failure.message.contains("no region 'r1'"), "{failure:?}");
    assert!(failure.hint.is_some_and(|hint| hint.contains("R1")));
    let options = CloudOptions { os_interface: some("internal"), ..password_at(&server.url()) };
    let session = connect(&options).await.expect("login");
    assert_eq!(session.get(&clusters()).await.map_err(|f| f.kind).err(), Some(Kind::NoService));
}

#[tokio::test]
async fn an_endpoint_of_our_own_wins() {
    let server = cloud_that(|_| Reply::json(200, "{}")).await;
    let (mut host, _folder) = host();
    let url = format!("{}/lb/%(project_id)s", server.url());
    host.env = [("OS_LOAD_BALANCER_ENDPOINT_OVERRIDE", url.as_str()), ("OS_AUTH_URL", &server.url())]
        .map(|(k, v)| (k.to_owned(), v.to_owned()))
        .into();
    let cloud = cloud::resolve(&CloudOptions { os_auth_url: None, ..password_at("") }, &host).expect("cloud");
    let session = Session::connect(&cloud, &host, &LIMITS).await.expect("login");
    one(&session, Ask::new(Service::LoadBalancer, &["lbaas", "pools"])).await;
    assert_eq!(server.lines().last(), Some(&format!("GET /lb/{PROJECT}/v2/lbaas/pools")));
}

#[tokio::test]
async fn no_secret_comes_back() {
    let server =
        Server::start(|seen| Reply::json(401, json!({"message": format!("you sent {}", seen.body)}))).await;
    let failure = connect(&password_at(&server.url())).await.err().expect("no login");
    assert!(
        failure.message.contains("you sent") && !format!("{failure:?}").contains("pl4nted"),
        "{failure:?}"
    );

    let server = cloud_that(|seen| {
        let token = seen.header("x-auth-token").unwrap_or_default().to_owned();
        Reply::json(403, json!({"message": format!("{token} {PASSWORD} may not")}))
    })
    .await;
    let (host, _folder) = host();
    let cloud = cloud::resolve(&password_at(&server.url()), &host).expect("cloud");
    assert!(!format!("{cloud:?}").contains("pl4nted"), "{cloud:?}");
    let session = Session::connect(&cloud, &host, &LIMITS).await.expect("login");
    assert!(!format!("{:?}", session.token()).contains("pl4nted"));
    let fault = session.get(&clusters()).await.expect_err("forbidden");
    assert_eq!(fault.says, "REDACTED REDACTED may not");
}

#[tokio::test]
async fn eight_at_once_to_one_service() {
    let server = cloud_that(|_| Reply::Hang).await;
    let session = session(&server).await;
    let (magnum, ports) = (clusters(), Ask::new(Service::Network, &["ports"]));
    let asks = (0..12).map(|_| session.get(&magnum)).chain((0..3).map(|_| session.get(&ports)));
    let all = futures::future::join_all(asks);
    // Before the first answers run out of time.
    let _ = tokio::time::timeout(Duration::from_millis(300), all).await;
    let count = |what: &str| server.lines().iter().filter(|line| line.contains(what)).count();
    assert_eq!((count("/v1/clusters"), count("/v2.0/ports")), (8, 3));
}
