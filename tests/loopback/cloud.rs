//! The OpenStack client against a server on this machine: what is sent, and what becomes of
//! every kind of answer.

use std::time::{Duration, Instant};

use crate::server::{Reply, Seen, Server};
use kubectl_magnum::exit::Failure;
use kubectl_magnum::gather::cloud::{self, Answer, Ask, Cloud, CloudOptions, Fault, Kind, Service, Session};
use kubectl_magnum::gather::host::Host;
use kubectl_magnum::gather::limits::Limits;
use serde_json::{Value, json};

const PROJECT: &str = "09830a0ece9a48039cd603594ea6a843";
const TOKEN: &str = "gAAAA-pl4nted-token";
const PASSWORD: &str = "pl4nted-password";

const LIMITS: Limits = Limits {
    connect: Duration::from_secs(1),
    answer: Duration::from_millis(500),
    plugin: Duration::from_secs(1),
};

/// A token as Keystone gives it, with every service on `root`.
fn token(root: &str) -> Reply {
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
    let body = json!({"token": {
        "expires_at": "2026-12-01T19:46:19.000000Z",
        "user": {"id": "u1", "name": "jo", "domain": {"id": "default", "name": "Default"}},
        "project": {"id": PROJECT, "name": "demo", "domain": {"id": "default", "name": "Default"}},
        "roles": [{"id": "r1", "name": "reader"}, {"id": "r2", "name": "member"}],
        "catalog": catalog,
    }});
    Reply::json(201, body).with("x-subject-token", TOKEN)
}

/// A cloud whose Keystone gives tokens and whose services answer as said.
async fn cloud_that(answers: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Server {
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

fn password_at(url: &str) -> CloudOptions {
    CloudOptions {
        os_auth_url: Some(url.to_owned()),
        os_username: Some("jo".to_owned()),
        os_password: Some(PASSWORD.to_owned()),
        os_project_id: Some(PROJECT.to_owned()),
        ..CloudOptions::default()
    }
}

async fn connect(options: &CloudOptions) -> Result<Session, Failure> {
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

/// Logs in with these flags and checks what went out: the lines, and the last body.
async fn check_login(
    flags: impl FnOnce(&mut CloudOptions),
    lines: &[&str],
    body: Option<Value>,
) -> Vec<Seen> {
    let server = Server::start(|seen| token(&format!("http://{}", seen.header("host").expect("host")))).await;
    let mut options = CloudOptions { os_auth_url: Some(server.url()), ..CloudOptions::default() };
    flags(&mut options);
    let session = connect(&options).await.expect("login");
    assert_eq!(session.token().project.as_ref().map(|p| p.id.as_str()), Some(PROJECT));
    assert_eq!(server.lines(), lines);
    let last = server.seen().pop().expect("a request");
    assert_eq!(serde_json::from_str::<Value>(&last.body).ok(), body);
    server.seen()
}

const TOKENS: &[&str] = &["POST /v3/auth/tokens"];

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[tokio::test]
async fn login_with_a_password() {
    let user = json!({"name": "jo", "domain": {"name": "D"}, "password": "pw"});
    let scope = json!({"project": {"name": "p", "domain": {"id": "default"}}});
    let identity = json!({"methods": ["password"], "password": {"user": user}});
    let flags = |o: &mut CloudOptions| {
        o.os_username = some("jo");
        o.os_user_domain_name = some("D");
        o.os_password = some("pw");
        o.os_project_name = some("p");
    };
    check_login(flags, TOKENS, Some(json!({"auth": {"identity": identity, "scope": scope}}))).await;
}

#[tokio::test]
async fn login_for_the_system() {
    let user = json!({"id": "u1", "password": "pw"});
    let identity = json!({"methods": ["password"], "password": {"user": user}});
    let flags = |o: &mut CloudOptions| {
        o.os_user_id = some("u1");
        o.os_password = some("pw");
        o.os_system_scope = some("all");
    };
    let scope = json!({"system": {"all": true}});
    check_login(flags, TOKENS, Some(json!({"auth": {"identity": identity, "scope": scope}}))).await;
}

#[tokio::test]
async fn login_with_an_application_credential() {
    let credential = json!({"id": "i", "secret": "s"});
    let identity = json!({"methods": ["application_credential"], "application_credential": credential});
    let flags = |o: &mut CloudOptions| {
        o.os_application_credential_id = some("i");
        o.os_application_credential_secret = some("s");
    };
    check_login(flags, TOKENS, Some(json!({"auth": {"identity": identity}}))).await;
}

#[tokio::test]
async fn login_with_a_token_for_a_project() {
    let identity = json!({"methods": ["token"], "token": {"id": "t0ken"}});
    let flags = |o: &mut CloudOptions| {
        o.os_token = some("t0ken");
        o.os_project_id = some("p");
    };
    let scope = json!({"project": {"id": "p"}});
    check_login(flags, TOKENS, Some(json!({"auth": {"identity": identity, "scope": scope}}))).await;
}

#[tokio::test]
async fn a_token_without_a_scope_is_looked_at_and_kept() {
    let flags = |o: &mut CloudOptions| o.os_token = some("t0ken");
    let seen = check_login(flags, &["GET /v3/auth/tokens"], None).await;
    assert_eq!(seen[0].header("x-subject-token"), Some("t0ken"));
    assert_eq!(seen[0].header("x-auth-token"), Some("t0ken"));
}

#[tokio::test]
async fn login_with_openid_connect() {
    let identity = json!({"methods": ["token"], "token": {"id": TOKEN}});
    let flags = |o: &mut CloudOptions| {
        o.os_auth_type = some("v3oidcaccesstoken");
        o.os_identity_provider = some("my idp");
        o.os_protocol = some("openid");
        o.os_access_token = some("acc3ss");
        o.os_project_id = some("p");
    };
    let lines =
        ["POST /v3/OS-FEDERATION/identity_providers/my%20idp/protocols/openid/auth", "POST /v3/auth/tokens"];
    let body = json!({"auth": {"identity": identity, "scope": {"project": {"id": "p"}}}});
    let seen = check_login(flags, &lines, Some(body)).await;
    assert_eq!(seen[0].header("authorization"), Some("Bearer acc3ss"));
}

#[tokio::test]
async fn the_token_says_who_and_where() {
    let server = cloud_that(|_| Reply::Hang).await;
    let session = session(&server).await;
    let token = session.token();
    assert_eq!((token.user.name.as_str(), token.roles.join(" ")), ("jo", "reader member".to_owned()));
    assert!(token.has_role("member") && !token.has_role("admin") && !token.system);
    assert_eq!(token.expires_at, "2026-12-01T19:46:19Z".parse().ok());
    assert_eq!(session.endpoint(Service::ContainerInfra), Ok(format!("{}/v1", server.url())));
    assert_eq!(session.endpoint(Service::BlockStorage), Ok(format!("{}/v3/{PROJECT}", server.url())));
    assert_eq!(server.lines(), TOKENS);
}

/// A login that Keystone answers so: what the failure says, and that it comes in time.
async fn check_no_login(reply: Reply, says: &str) -> Failure {
    let server = Server::start(move |_| reply.clone()).await;
    let start = Instant::now();
    let failure = connect(&password_at(&server.url())).await.err().expect("no login");
    assert!(start.elapsed() < Duration::from_secs(2), "{failure:?}");
    assert!(failure.message.contains(says), "{failure:?}");
    assert_eq!(failure.code, 3);
    assert!(!format!("{failure:?}").contains("pl4nted"), "{failure:?}");
    failure
}

#[tokio::test]
async fn keystone_answers_in_every_bad_way() {
    let refused = json!({"error": {"code": 401, "message": "The request requires authentication."}});
    let failure = check_no_login(Reply::json(401, refused), "requires authentication. (HTTP 401)").await;
    assert!(failure.hint.expect("hint").contains("no role"));
    check_no_login(Reply::json(403, "{}"), "HTTP 403").await;
    let failure = check_no_login(Reply::json(404, "{}"), "HTTP 404").await;
    assert!(failure.hint.expect("hint").contains("auth_url"));
    check_no_login(Reply::json(500, "{}").with("x-openstack-request-id", "req-7"), "[req-7]").await;
    check_no_login(Reply::json(503, "{}"), "HTTP 503").await;
    check_no_login(Reply::json(200, "<html>hello</html>"), "not a token").await;
    check_no_login(Reply::json(201, json!({"token": {}})), "not a token").await;
    check_no_login(Reply::Close, "no connection").await;
    check_no_login(Reply::Hang, "in time").await;
    check_no_login(Reply::Drip("{".to_owned()), "in time").await;
    check_no_login(Reply::Half("{".to_owned()), "broke off").await;
}

#[tokio::test]
async fn nobody_listens() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("port");
    let url = format!("http://{}", listener.local_addr().expect("address"));
    drop(listener);
    let failure = connect(&password_at(&url)).await.err().expect("nobody there");
    assert!(failure.message.contains("Connection refused"), "the cause is kept: {failure:?}");
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
    let id = |reply: Reply| reply.with("x-openstack-request-id", "req-9");
    let missing =
        json!({"errors": [{"status": 404, "title": "t", "detail": "Cluster x could not be found."}]});
    let fault =
        check_get(id(Reply::json(404, missing)), Kind::NotFound, "Cluster x could not be found.").await;
    assert_eq!((fault.status, fault.request_id.as_deref()), (Some(404), Some("req-9")));
    check_get(Reply::json(401, "{}"), Kind::NoAccess, "401").await;
    check_get(Reply::json(403, json!({"forbidden": {"message": "policy"}})), Kind::NoAccess, "policy").await;
    check_get(Reply::json(406, "{}"), Kind::Refused, "406").await;
    check_get(Reply::json(409, "{}"), Kind::Conflict, "409").await;
    check_get(Reply::json(429, "{}"), Kind::Unreachable, "429").await;
    check_get(Reply::json(500, json!({"faultstring": "db gone"})), Kind::Unreachable, "db gone").await;
    check_get(Reply::json(503, "<html><h1>503 Service Unavailable</h1>"), Kind::Unreachable, "503 Service")
        .await;
    let fault = check_get(id(Reply::json(200, "{\"clusters\": [")), Kind::Unreadable, "not JSON").await;
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
    let server = cloud_that(|seen| match seen.line.as_str() {
        "GET /v2.0/ports?limit=1" => Reply::json(
            200,
            json!({"ports": [1], "ports_links": [{"rel": "next", "href": "https://elsewhere/x?limit=1&marker=a"}]}),
        ),
        "GET /v2.0/ports?limit=1&marker=a" => Reply::json(200, json!({"ports": [2]})),
        other => Reply::json(404, json!({"message": other})),
    })
    .await;
    let pages =
        session(&server).await.list(&Ask::new(Service::Network, &["ports"]).query("limit", "1")).await;
    let bodies: Vec<Value> =
        pages.answers.iter().map(|a| serde_json::from_slice(&a.bytes).expect("JSON")).collect();
    assert_eq!(pages.fault, None);
    assert_eq!(bodies[1], json!({"ports": [2]}));
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
