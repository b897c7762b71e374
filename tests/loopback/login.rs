//! The login to a Keystone on this machine: what goes out, and what becomes of bad answers.

use std::time::{Duration, Instant};

use kubectl_magnum::exit::Failure;
use kubectl_magnum::gather::cloud::{CloudOptions, Service};
use serde_json::{Value, json};

use crate::cloud::{PROJECT, TOKEN, cloud_that, connect, password_at, some, token};
use crate::records;
use crate::server::{Reply, Seen, Server};

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
    let session = connect(&password_at(&server.url())).await.expect("login");
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
    let hint = |failure: Failure| failure.hint.expect("a hint");
    let refused = || records::reply("keystone/login-wrong-secret");
    let failure = check_no_login(refused(), "requires authentication. (HTTP 401)").await;
    assert!(hint(failure).contains("no role"));
    check_no_login(Reply::json(403, "{}"), "HTTP 403").await;
    assert!(
        hint(check_no_login(records::reply("keystone/path-missing"), "HTTP 404").await).contains("auth_url")
    );
    check_no_login(Reply::json(500, "{}").with("x-openstack-request-id", "req-7"), "[req-7]").await;
    check_no_login(Reply::json(503, "{}"), "HTTP 503").await;
    check_no_login(Reply::json(200, "<html>hello</html>"), "not a token").await;
    check_no_login(Reply::json(201, json!({"token": {}})), "not a token").await;
    check_no_login(Reply::Close, "no connection").await;
    check_no_login(Reply::Hang, "in time").await;
    check_no_login(Reply::Drip("{".to_owned()), "in time").await;
    check_no_login(Reply::Half("{".to_owned()), "broke off").await;
}

/// Keystone answers 404 when what we log in with is gone; its address is right then.
#[tokio::test]
async fn what_we_log_in_with_is_gone() {
    let failed = |record: &'static str, options: CloudOptions| async move {
        let server = Server::start(move |_| records::reply(record)).await;
        let options = CloudOptions { os_auth_url: Some(server.url()), ..options };
        connect(&options).await.err().expect("no login")
    };
    let credential = CloudOptions {
        os_application_credential_id: some("i"),
        os_application_credential_secret: some("s"),
        ..CloudOptions::default()
    };
    let failure = failed("keystone/login-credential-deleted", credential.clone()).await;
    assert!(failure.message.contains("Could not find Application Credential"), "{failure:?}");
    assert!(failure.hint.expect("a hint").contains("was deleted"));
    let elsewhere = failed("keystone/path-missing", credential).await;
    assert!(elsewhere.hint.expect("a hint").contains("auth_url"));
    let token = CloudOptions { os_token: some("t0ken"), os_project_id: some("p"), ..CloudOptions::default() };
    let failure = failed("keystone/login-expired-token", token).await;
    assert!(failure.hint.expect("a hint").contains("get a new one"));
}

#[tokio::test]
async fn nobody_listens() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("port");
    let url = format!("http://{}", listener.local_addr().expect("address"));
    drop(listener);
    let failure = connect(&password_at(&url)).await.err().expect("nobody there");
    assert!(failure.message.contains("Connection refused"), "the cause is kept: {failure:?}");
}
