//! The kubeconfig module up to requests at an API server on this machine.

use std::time::{Duration, Instant};

use kubectl_magnum::exit::{Failure, code};
use kubectl_magnum::gather::fault::Kind;
use kubectl_magnum::gather::host::Host;
use kubectl_magnum::gather::kube_fault;
use kubectl_magnum::gather::kubeconfig::{self, KubeOptions, Target};
use kubectl_magnum::gather::limits::Limits;
use serde_json::{Value, json};

use crate::server::{Reply, Seen, Server};

const LIMITS: Limits = Limits {
    connect: Duration::from_secs(1),
    answer: Duration::from_millis(500),
    plugin: Duration::from_secs(5),
};

/// A folder with a kubeconfig in it, and the surroundings of a run there.
struct Place {
    folder: tempfile::TempDir,
    host: Host,
}

impl Place {
    /// One context whose server and user entry are given, as YAML or JSON.
    fn new(server: &str, user: &str) -> Place {
        let text = format!(
            "current-context: c\ncontexts: [{{name: c, context: {{cluster: k, user: u, namespace: team}}}}]\n\
             clusters: [{{name: k, cluster: {{server: '{server}'}}}}]\nusers: [{{name: u, user: {user}}}]\n"
        );
        Place::with(&text)
    }

    fn with(text: &str) -> Place {
        let folder = tempfile::tempdir().expect("folder");
        std::fs::write(folder.path().join("kubeconfig"), text).expect("file");
        let path = std::env::var("PATH").unwrap_or_default();
        let env = [("KUBECONFIG", "kubeconfig".to_owned()), ("PATH", path)];
        let host = Host {
            env: env.map(|(k, v)| (k.to_owned(), v)).into(),
            cwd: folder.path().to_owned(),
            home: Some(folder.path().join("home")),
            service_account: folder.path().join("account"),
            ..Host::default()
        };
        Place { folder, host }
    }

    fn set(mut self, name: &str, value: &str) -> Place {
        self.host.env.insert(name.to_owned(), value.to_owned());
        self
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("parent")).expect("folder");
        std::fs::write(path, text).expect("file");
    }

    async fn resolve(&self, options: &KubeOptions) -> Result<Target, Failure> {
        kubeconfig::resolve(options, &self.host, &LIMITS).await
    }

    async fn target(&self) -> Target {
        self.resolve(&KubeOptions::default()).await.expect("a target")
    }

    /// A failure, after a look that nothing planted is in it.
    async fn failure(&self, options: &KubeOptions) -> Failure {
        let failure = self.resolve(options).await.err().expect("a failure");
        assert!(!format!("{failure:?}").contains("pl4nted"), "{failure:?}");
        failure
    }
}

async fn api_server() -> Server {
    Server::start(|seen| match seen.line.as_str() {
        "GET /apis" => Reply::json(200, json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": []})),
        _ => Reply::json(404, "{}"),
    })
    .await
}

/// Asks the server as many times and gives what it saw.
async fn ask(target: Target, server: &Server, times: usize) -> Vec<Seen> {
    let client = kube::Client::try_from(target.config).expect("client");
    for _ in 0..times {
        client.list_api_groups().await.expect("groups");
    }
    server.seen()
}

/// User entry with a plugin: a shell script, run by `sh`, with more fields.
fn plugin(more: Value) -> String {
    let mut exec = json!({
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "sh",
        "args": ["plugin.sh"],
        "interactiveMode": "IfAvailable",
    });
    for (key, value) in more.as_object().expect("fields") {
        exec[key] = value.clone();
    }
    json!({ "exec": exec }).to_string()
}

const PRINT_TOKEN: &str = r#"echo run >> runs; echo "$KUBERNETES_EXEC_INFO" > info
echo '{"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1", "status": {"token": "'$T'"}}'"#;

#[tokio::test]
async fn a_plugin_runs_once_for_all_requests() {
    let server = api_server().await;
    let env = json!({"env": [{"name": "T", "value": "pl4nted"}], "provideClusterInfo": true});
    let place = Place::new(&server.url(), &plugin(env));
    place.write("plugin.sh", PRINT_TOKEN);
    let seen = ask(place.target().await, &server, 3).await;
    assert_eq!(std::fs::read_to_string(place.path("runs")).expect("runs"), "run\n");
    assert_eq!(seen.len(), 3);
    assert!(seen.iter().all(|seen| seen.header("authorization") == Some("Bearer pl4nted")));
    let info: Value =
        serde_json::from_str(&std::fs::read_to_string(place.path("info")).expect("info")).expect("JSON");
    let expected = json!({
        "kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1",
        "spec": {"interactive": false, "cluster": {"server": server.url()}},
    });
    assert_eq!(info, expected);
}

/// A plugin that does this: what the failure says.
async fn check_plugin(script: &str, more: Value, says: &str) -> Failure {
    let place = Place::new("https://k", &plugin(more));
    place.write("plugin.sh", script);
    let limits = Limits { plugin: Duration::from_millis(400), ..LIMITS };
    let start = Instant::now();
    let outcome = kubeconfig::resolve(&KubeOptions::default(), &place.host, &limits).await;
    let failure = outcome.err().expect("a failure");
    assert!(start.elapsed() < Duration::from_secs(3), "{failure:?}");
    assert!(failure.message.contains(says) && failure.code == code::NO_SOURCE, "{failure:?}");
    assert!(!format!("{failure:?}").contains("pl4nted"), "{failure:?}");
    failure
}

#[tokio::test]
async fn a_plugin_fails_in_every_way() {
    let none = || json!({});
    let secret = json!({"env": [{"name": "P", "value": "pl4nted"}]});
    check_plugin("echo wrong password $P >&2; exit 3", secret, "wrong password REDACTED").await;
    check_plugin("sleep 20", none(), "no answer within 0.4 s").await;
    check_plugin("echo pl4nted", none(), "did not print an ExecCredential").await;
    check_plugin("echo '{\"token\": \"pl4nted\", ['", none(), "did not print an ExecCredential").await;
    check_plugin("true", none(), "did not print an ExecCredential").await;
    let old = "echo '{\"apiVersion\": \"client.authentication.k8s.io/v1beta1\", \"status\": {\"token\": \"pl4nted\"}}'";
    check_plugin(old, none(), "another apiVersion").await;
    let print = |status: &str| {
        format!("echo '{{\"apiVersion\": \"client.authentication.k8s.io/v1\", \"status\": {status}}}'")
    };
    check_plugin(&print("null"), none(), "no credentials").await;
    check_plugin(&print("{}"), none(), "neither a token nor a certificate").await;
    check_plugin(&print("{\"clientKeyData\": \"pl4nted\"}"), none(), "a key alone").await;
    check_plugin("", json!({"interactiveMode": "Always"}), "not a terminal").await;
    check_plugin("", json!({"apiVersion": "client.authentication.k8s.io/v1alpha1"}), "v1alpha1").await;
    let missing = json!({"command": "no-such-login", "installHint": "get it from the wiki"});
    let failure = check_plugin("", missing, "'no-such-login' of user 'u'").await;
    assert_eq!(failure.hint.as_deref(), Some("get it from the wiki"));
}

#[tokio::test]
async fn a_plugin_may_print_yaml_and_a_certificate() {
    let yaml = "printf 'apiVersion: client.authentication.k8s.io/v1\\nstatus:\\n  clientCertificateData: C\\n  \
                clientKeyData: K\\n'";
    let place = Place::new("https://k", &plugin(json!({})));
    place.write("plugin.sh", yaml);
    let user = place.target().await.config.auth_info;
    assert_eq!(user.client_certificate_data.as_deref(), Some("Qw=="), "base64 of C");
    assert!(user.client_key_data.is_some() && user.token.is_none());
}

#[tokio::test]
async fn every_way_to_log_in_reaches_the_server() {
    for (user, flags, expected) in [
        ("{token: t1}", KubeOptions::default(), "Bearer t1"),
        ("{tokenFile: token}", KubeOptions::default(), "Bearer from-file"),
        ("{token: t1, tokenFile: token}", KubeOptions::default(), "Bearer t1"),
        ("{username: jo, password: pw}", KubeOptions::default(), "Basic am86cHc="),
        ("{token: t1}", KubeOptions { token: Some("t2".to_owned()), ..KubeOptions::default() }, "Bearer t2"),
    ] {
        let server = api_server().await;
        let place = Place::new(&server.url(), user);
        place.write("token", "from-file\n");
        let target = place.resolve(&flags).await.expect("target");
        let seen = ask(target, &server, 1).await;
        assert_eq!(seen[0].header("authorization"), Some(expected), "{user}");
        let agent = seen[0].header("user-agent").unwrap_or_default();
        assert!(agent.starts_with("kubectl-magnum/"), "an audit log says who asked: {agent:?}");
    }
}

#[tokio::test]
async fn acting_as_somebody_reaches_the_server() {
    let server = api_server().await;
    let place = Place::new(&server.url(), "{token: t}");
    let options = KubeOptions {
        act_as: Some("jo".to_owned()),
        as_group: vec!["ops".to_owned()],
        as_uid: Some("7".to_owned()),
        ..KubeOptions::default()
    };
    let seen = ask(place.resolve(&options).await.expect("target"), &server, 1).await;
    for (name, value) in [("impersonate-user", "jo"), ("impersonate-group", "ops"), ("impersonate-uid", "7")]
    {
        assert_eq!(seen[0].header(name), Some(value));
    }
}

#[tokio::test]
async fn the_target_says_where_it_goes() {
    let place = Place::new("https://jo:pl4nted@k.example:6443/prefix/", "{}");
    let options = KubeOptions { namespace: Some("ns".to_owned()), ..KubeOptions::default() };
    let target = place.resolve(&options).await.expect("target");
    assert_eq!(target.api_server, "https://k.example:6443/prefix");
    assert_eq!((target.context.as_deref(), target.namespace.as_deref()), (Some("c"), Some("ns")));
    assert_eq!(target.context_namespace.as_deref(), Some("team"));
    assert!(!target.config.default_retry);
    assert_eq!(target.config.connect_timeout, Some(LIMITS.connect));
}

#[tokio::test]
async fn an_address_without_a_scheme() {
    let plain = Place::new("k.example:8080", "{}").target().await;
    assert_eq!(plain.api_server, "http://k.example:8080");
    let place = Place::new("k.example:6443", "{}");
    let options = KubeOptions { insecure_skip_tls_verify: true, ..KubeOptions::default() };
    let target = place.resolve(&options).await.expect("target");
    assert_eq!((target.api_server.as_str(), target.notes.len()), ("https://k.example:6443", 1));
    let failure = Place::new("http://jo:pl4nted@[", "{}").failure(&KubeOptions::default()).await;
    assert!(failure.message.contains("not a URL"), "{failure:?}");
}

/// Asks a server that answers so: what becomes of it, in time, and how often it was asked.
async fn check_fault(reply: Reply, kind: Kind, says: &str) -> usize {
    let server = Server::start(move |_| reply.clone()).await;
    let client =
        kube::Client::try_from(Place::new(&server.url(), "{}").target().await.config).expect("client");
    let start = Instant::now();
    let error = kube_fault::once_more(|| client.list_api_groups()).await.expect_err("no answer");
    assert!(start.elapsed() < Duration::from_secs(3), "{error:?}");
    let fault = kube_fault::of(&error);
    assert_eq!(fault.kind, kind, "{fault} {error:?}");
    assert!(fault.says.contains(says) && !fault.says.contains("Status {"), "{fault}");
    server.lines().len()
}

fn status(code: u16, message: &str, wait: Option<u32>) -> Reply {
    let details = wait.map(|seconds| json!({ "retryAfterSeconds": seconds }));
    let body = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message,
                      "reason": "R", "details": details, "code": code});
    Reply::json(code, body)
}

#[tokio::test]
async fn an_api_server_answers_in_every_bad_way() {
    check_fault(status(401, "Unauthorized", None), Kind::NoAccess, "Unauthorized").await;
    check_fault(status(403, "pods is forbidden", None), Kind::NoAccess, "pods is forbidden").await;
    check_fault(Reply::json(404, "404 page not found"), Kind::NotFound, "404 page not found").await;
    check_fault(status(409, "conflict", None), Kind::Conflict, "conflict").await;
    check_fault(status(500, "etcd", None), Kind::Unreachable, "etcd").await;
    check_fault(Reply::json(502, "<h1>Bad Gateway</h1>"), Kind::Unreachable, "Bad Gateway").await;
    check_fault(Reply::json(200, "{\"groups\": ["), Kind::Unreadable, "not what Kubernetes").await;
    check_fault(Reply::json(200, "<html>"), Kind::Unreadable, "not what Kubernetes").await;
    check_fault(Reply::Half("{".to_owned()), Kind::Unreadable, "broke off").await;
    check_fault(Reply::Drip("{".to_owned()), Kind::TimedOut, "in time").await;
    check_fault(Reply::Hang, Kind::TimedOut, "in time").await;
    check_fault(Reply::Close, Kind::Unreachable, "no connection").await;
}

#[tokio::test]
async fn an_api_server_is_asked_once_more_at_most() {
    assert_eq!(check_fault(status(429, "busy", Some(1)), Kind::Unreachable, "busy").await, 2);
    assert_eq!(check_fault(Reply::json(429, "too many requests"), Kind::Unreachable, "too many").await, 2);
    assert_eq!(check_fault(status(503, "down", Some(1)), Kind::Unreachable, "down").await, 2);
    assert_eq!(check_fault(status(503, "down", Some(60)), Kind::Unreachable, "down").await, 1);
    assert_eq!(check_fault(status(503, "down", None), Kind::Unreachable, "down").await, 1);
    assert_eq!(check_fault(status(500, "etcd", None), Kind::Unreachable, "etcd").await, 1);
}

#[tokio::test]
async fn no_api_server_listens() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("port");
    let url = format!("http://{}", listener.local_addr().expect("address"));
    drop(listener);
    let client = kube::Client::try_from(Place::new(&url, "{}").target().await.config).expect("client");
    let fault = kube_fault::of(&client.list_api_groups().await.expect_err("nobody there"));
    assert_eq!(fault.kind, Kind::Unreachable);
    assert!(fault.says.contains("Connection refused"), "the cause is kept: {fault}");
}

#[tokio::test]
async fn no_proxy_listens() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("port");
    let proxy = format!("http://{}", listener.local_addr().expect("address"));
    drop(listener);
    let target = Place::new("https://k.example:6443", "{}").set("HTTPS_PROXY", &proxy).target().await;
    let client = kube::Client::try_from(target.config).expect("client");
    let fault = kube_fault::of(&client.list_api_groups().await.expect_err("no way there"));
    assert_eq!(fault.kind, Kind::Unreachable, "{fault}");
    assert!(fault.hint.as_deref().unwrap_or_default().contains("proxy"), "{fault:?}");
}

/// The proxy for an API server `https://k.example:6443` with a cluster's `proxy-url`.
async fn check_proxy(configured: &str, env: &[(&str, &str)], expected: Option<&str>) {
    let cluster = json!({"server": "https://k.example:6443", "proxy-url": configured});
    let mut place = Place::with(&format!(
        "current-context: c\ncontexts: [{{name: c, context: {{cluster: k}}}}]\n\
         clusters: [{{name: k, cluster: {cluster}}}]\n"
    ));
    for (name, value) in env {
        place = place.set(name, value);
    }
    let proxy = place.target().await.config.proxy_url.map(|url| url.to_string());
    assert_eq!(proxy.as_deref(), expected, "{configured} {env:?}");
}

#[tokio::test]
async fn the_proxy_depends_on_the_api_server() {
    check_proxy("", &[("HTTPS_PROXY", "p:3128")], Some("http://p:3128/")).await;
    check_proxy("", &[("https_proxy", "http://p:3128"), ("NO_PROXY", "other,")], Some("http://p:3128/"))
        .await;
    check_proxy("", &[("HTTPS_PROXY", "http://p:3128"), ("NO_PROXY", "p")], Some("http://p:3128/")).await;
    check_proxy("", &[("HTTPS_PROXY", "http://p:3128"), ("NO_PROXY", "a, .example,")], None).await;
    check_proxy("", &[("HTTP_PROXY", "http://p:3128")], None).await;
    let both = [("HTTPS_PROXY", "http://p:3128"), ("NO_PROXY", "*")];
    check_proxy("socks5://own:1080", &both, Some("socks5://own:1080/")).await;
    check_proxy("", &[], None).await;
}

#[tokio::test]
async fn a_proxy_that_is_none() {
    let place = Place::new("https://k", "{}").set("HTTPS_PROXY", "ftp://jo:pl4nted@p");
    assert!(place.failure(&KubeOptions::default()).await.message.contains("HTTPS_PROXY"));
}

#[tokio::test]
async fn in_a_pod_and_only_there() {
    let place =
        Place::with("").set("KUBERNETES_SERVICE_HOST", "fd00::1").set("KUBERNETES_SERVICE_PORT", "443");
    let failure = place.failure(&KubeOptions::default()).await;
    assert!(failure.hint.is_some_and(|hint| hint.contains("kubeconfig")), "no service account, no pod");
    let authority = rcgen::generate_simple_self_signed(["k".to_owned()]).expect("certificate").cert.pem();
    for (name, text) in [("token", "t\n"), ("ca.crt", authority.as_str()), ("namespace", "pods")] {
        place.write(&format!("account/{name}"), text);
    }
    let target = place.target().await;
    assert_eq!(target.api_server, "https://[fd00::1]:443");
    assert_eq!((target.context, target.context_namespace.as_deref()), (None, Some("pods")));
    assert_eq!(target.config.root_cert.map(|all| all.len()), Some(1));
    let failure =
        place.failure(&KubeOptions { kubeconfig: Some("gone".to_owned()), ..KubeOptions::default() }).await;
    assert_eq!(failure.code, code::USAGE);
}

#[tokio::test]
async fn nothing_to_go_by() {
    let failure = Place::with("").failure(&KubeOptions::default()).await;
    assert!(failure.code == code::NO_SOURCE && failure.hint.is_some_and(|hint| hint.contains("kubeconfig")));
    let context = KubeOptions { context: Some("prod".to_owned()), ..KubeOptions::default() };
    assert_eq!(Place::with("").failure(&context).await.code, code::USAGE);
    let failure = Place::with("contexts: [{name: a}, {name: b}]").failure(&KubeOptions::default()).await;
    assert!(failure.hint.is_some_and(|hint| hint.contains("a, b")));
}

#[tokio::test]
async fn files_and_data_that_cannot_be_used() {
    for (user, says) in [
        ("{client-certificate: gone.pem, client-key: gone.key}", "gone"),
        ("{client-certificate-data: QQ==}", "client-key is missing"),
        ("{client-key-data: 'pl4nted!'}", "client-key-data: it is not base64"),
        ("{tokenFile: gone}", "tokenFile"),
    ] {
        let failure = Place::new("https://k", user).failure(&KubeOptions::default()).await;
        assert!(failure.message.contains(says), "{failure:?}");
    }
    let options =
        KubeOptions { certificate_authority: Some("kubeconfig".to_owned()), ..KubeOptions::default() };
    let failure = Place::new("https://k", "{token: pl4nted}").failure(&options).await;
    assert!(failure.message.contains("no PEM certificate"), "{failure:?}");
}
