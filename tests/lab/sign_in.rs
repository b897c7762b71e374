//! Every way of a kubeconfig to an API server, and what is said when it leads nowhere.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::kube::{Kube, json, text};

const SCENARIO: &str = "r-03-cores-quota-first-control-plane";
const STACK: &str = "kube-4g0ec";

/// A kubeconfig in pieces. Paths and addresses of the lab stand in it as `PKI`, `URL` and `TOKEN`.
struct Way {
    cluster: &'static str,
    user: &'static str,
}

const CA: &str = r#"server: "URL", certificate-authority: "PKI/ca.crt""#;
const OPERATOR: &str = r#"client-certificate: "PKI/operator.crt", client-key: "PKI/operator.key""#;

impl Way {
    fn user(user: &'static str) -> Way {
        Way { cluster: CA, user }
    }

    fn cluster(cluster: &'static str) -> Way {
        Way { cluster, user: OPERATOR }
    }

    /// The kubeconfig's path. `FOLDER` stands for the test's own folder, `PROXY` for its proxy.
    fn write(&self, kube: &Kube, proxy: &str) -> String {
        let written = format!(
            "{{apiVersion: v1, kind: Config, current-context: c, clusters: [{{name: c, cluster: {{{}}}}}], \
             users: [{{name: u, user: {{{}}}}}], contexts: [{{name: c, context: {{cluster: c, user: u}}}}]}}\n",
            self.cluster, self.user
        );
        let folder = kube.folder().display().to_string();
        let written =
            written.replace("URL", text(&kube.server["url"])).replace("PKI", text(&kube.lab["pki"]));
        let written = written.replace("TOKEN", text(&kube.lab["token"])).replace("PROXY", proxy);
        let path = kube.folder().join("kubeconfig");
        std::fs::write(&path, written.replace("FOLDER", &folder)).expect("a kubeconfig");
        path.display().to_string()
    }
}

/// A file in the test's folder that may be run.
fn script(kube: &Kube, name: &str, lines: &str) {
    let path = kube.folder().join(name);
    std::fs::write(&path, lines.replace("TOKEN", text(&kube.lab["token"]))).expect("a file");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("it may be run");
}

/// Names of the parts that could not be read, with the reason.
fn gaps(report: &Value) -> BTreeSet<(String, String)> {
    let word = |gap: &Value, name: &str| gap[name].as_str().unwrap_or_default().to_owned();
    let all = report["gaps"].as_array().into_iter().flatten();
    all.map(|gap| (word(gap, "part"), word(gap, "why"))).collect()
}

/// Kubernetes parts that somebody may not read.
fn forbidden(report: &Value) -> Vec<String> {
    let forbidden = |(part, why): (String, String)| {
        (why == "no-access" && part.starts_with("kubernetes/")).then_some(part)
    };
    gaps(report).into_iter().filter_map(forbidden).collect()
}

/// The way leads to the operator's answer: the cause, and nothing but Secrets forbidden.
fn check_answer(kube: &Kube, kubeconfig: &str, flags: &[&str]) {
    let output = kube.run_as(kubeconfig, &[&["why", STACK, "-o", "json"], flags].concat());
    let report = json(&output);
    assert_eq!(report["causes"][0]["id"], "quota-used-up", "{report}");
    assert_eq!(forbidden(&report), ["kubernetes/secret"], "{report}");
}

#[test]
fn every_way_that_leads_there() {
    let Some(kube) = Kube::with(SCENARIO) else { return };
    std::fs::write(kube.folder().join("token"), text(&kube.lab["token"])).expect("a token");
    let credential = r#"{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "TOKEN"}}"#;
    script(&kube, "login", &format!("#!/bin/sh\necho '{credential}'\n"));
    let exec = r#"exec: {apiVersion: client.authentication.k8s.io/v1, command: "FOLDER/login", interactiveMode: Never}"#;
    let ways = [
        Way::user(OPERATOR),
        Way::user("token: TOKEN"),
        Way::user(r#"tokenFile: "FOLDER/token""#),
        Way::user(exec),
        Way::user(
            r#"client-certificate: "PKI/admin.crt", client-key: "PKI/admin.key", as: olga, as-groups: [operators]"#,
        ),
        Way::cluster(r#"server: "URL", certificate-authority: "PKI/ca.crt", tls-server-name: localhost"#),
        Way::cluster(r#"server: "URL", insecure-skip-tls-verify: true"#),
    ];
    for way in ways {
        check_answer(&kube, &way.write(&kube, ""), &[]);
    }
    let admin = kube.kubeconfig("admin");
    check_answer(&kube, &admin, &["--as", "olga", "--as-group", "operators"]);
}

#[test]
fn through_a_proxy() {
    let Some(kube) = Kube::with(SCENARIO) else { return };
    let (address, seen) = proxy();
    let way =
        Way::cluster(r#"server: "URL", certificate-authority: "PKI/ca.crt", proxy-url: "http://PROXY""#);
    check_answer(&kube, &way.write(&kube, &address), &[]);
    let target = text(&kube.server["url"]).trim_start_matches("https://").to_owned();
    let lines = seen.lock().expect("lines").clone();
    assert!(
        !lines.is_empty() && lines.iter().all(|l| l.starts_with(&format!("CONNECT {target} "))),
        "{lines:?}"
    );
}

/// The way leads nowhere: nothing could be read, and the reason says `words`.
fn check_refused(kube: &Kube, way: &Way, words: &[&str]) {
    let output = kube.run_as(&way.write(kube, "127.0.0.1:9"), &["why", STACK]);
    let talk = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{}: {talk}", way.user);
    for word in words {
        assert!(talk.contains(word), "{word:?} is not said about {} {}: {talk}", way.cluster, way.user);
    }
}

#[test]
fn ways_that_lead_nowhere_say_why() {
    let Some(kube) = Kube::with(SCENARIO) else { return };
    script(&kube, "fails", "#!/bin/sh\nexit 3\n");
    let plain = |user| Way::user(user);
    // The API server lets none of these in, and says only `Unauthorized`.
    for user in [
        r#"client-certificate: "PKI/expired.crt", client-key: "PKI/expired.key""#,
        r#"client-certificate: "PKI/foreign.crt", client-key: "PKI/foreign.key""#,
        "token: stale",
    ] {
        check_refused(&kube, &plain(user), &["401"]);
    }
    let exec = r#"exec: {apiVersion: client.authentication.k8s.io/v1, command: "FOLDER/fails", interactiveMode: Never}"#;
    check_refused(&kube, &plain(exec), &["fails", "3"]);
    let missing = r#"exec: {apiVersion: client.authentication.k8s.io/v1, command: no-such-login, interactiveMode: Never, installHint: "get no-such-login from the wiki"}"#;
    check_refused(&kube, &plain(missing), &["no-such-login", "from the wiki"]);
    check_refused(&kube, &plain(""), &["anonymous"]);
    let ways = [
        (r#"server: "URL", certificate-authority: "PKI/foreign-ca.crt""#, "certificate"),
        (r#"server: "URL""#, "certificate"),
        (
            r#"server: "URL", certificate-authority: "PKI/ca.crt", tls-server-name: elsewhere.example"#,
            "certificate",
        ),
        (r#"server: "https://127.0.0.1:9", certificate-authority: "PKI/ca.crt""#, "refused"),
        (r#"server: "URL", certificate-authority: "PKI/ca.crt", proxy-url: "http://PROXY""#, "proxy"),
    ];
    for (cluster, word) in ways {
        check_refused(&kube, &Way::cluster(cluster), &[word]);
    }
}

#[test]
fn who_sees_objects_but_no_controllers_gets_the_cause_and_the_gaps() {
    let Some(kube) = Kube::with(SCENARIO) else { return };
    let report = json(&kube.run_as(&kube.kubeconfig("narrow"), &["why", STACK, "-o", "json"]));
    assert_eq!(report["causes"][0]["id"], "quota-used-up", "{report}");
    let expected = ["kubernetes/deployment", "kubernetes/pod", "kubernetes/secret"];
    assert_eq!(forbidden(&report), expected, "{report}");
}

#[test]
fn who_may_see_nothing_is_told_so() {
    let Some(kube) = Kube::with(SCENARIO) else { return };
    let output = kube.run_as(&kube.kubeconfig("blind"), &["why", STACK]);
    let talk = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{talk}");
    assert!(talk.contains(r#"User "bert" cannot"#), "{talk}");
}

/// An HTTP proxy that does CONNECT alone: its address, and the request lines that it saw.
fn proxy() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let lines = Arc::clone(&seen);
    std::thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let lines = Arc::clone(&lines);
            std::thread::spawn(move || connect(client, &lines));
        }
    });
    (address, seen)
}

fn connect(mut client: TcpStream, lines: &Mutex<Vec<String>>) -> Option<()> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        client.read_exact(&mut byte).ok()?;
        head.extend(byte);
    }
    let line = String::from_utf8_lossy(&head).lines().next()?.to_owned();
    lines.lock().expect("lines").push(line.clone());
    let server = TcpStream::connect(line.split(' ').nth(1)?).ok()?;
    client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").ok()?;
    let (mut from, mut to) = (client.try_clone().ok()?, server.try_clone().ok()?);
    std::thread::spawn(move || std::io::copy(&mut from, &mut to));
    let (mut from, mut to) = (server, client);
    std::io::copy(&mut from, &mut to).ok()?;
    Some(())
}
