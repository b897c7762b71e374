//! What is masked, and what is evidence and stays.

use proptest::prelude::*;
use serde_json::json;

use super::*;

/// A text and what is left of it.
#[track_caller]
fn check(before: &str, after: &str) {
    assert_eq!(text(before), after);
    assert_eq!(text(after), after, "not the same when done twice");
}

#[test]
fn kubeadm_flags() {
    check(
        "kubeadm join 10.0.0.5:6443 --token abcdef.0123456789abcdef --discovery-token-ca-cert-hash sha256:0a1b",
        "kubeadm join 10.0.0.5:6443 --token REDACTED --discovery-token-ca-cert-hash sha256:0a1b",
    );
    check("--certificate-key=9f8e7d --control-plane", "--certificate-key=REDACTED --control-plane");
    check(r#"["--token", "abcdef.0123"]"#, r#"["--token", "REDACTED"]"#);
}

#[test]
fn pem_blocks() {
    check("a -----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY----- b", "a REDACTED b");
    check(r"x -----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----\n", r"x REDACTED\n");
}

#[test]
fn pem_block_without_an_end_leaves_the_rest_of_a_log() {
    check(
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB\nE1130 failed to reconcile\n",
        "REDACTED\nE1130 failed to reconcile\n",
    );
}

#[test]
fn pem_in_base64() {
    check("ca: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0t end", "ca: REDACTED end");
}

#[test]
fn tokens_by_their_shape() {
    check("got gAAAAABlZ0xkq1Zq3Xc8_-kJd0 from keystone", "got REDACTED from keystone");
    check("jwt eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrIn0.c2ln.", "jwt REDACTED.");
}

#[test]
fn urls_lose_user_and_password_only() {
    check("proxy http://bob:pa@ss@proxy.example:3128/x", "proxy http://REDACTED@proxy.example:3128/x");
    check("GET https://10.0.0.1:6443/healthz?by=a@b", "GET https://10.0.0.1:6443/healthz?by=a@b");
    check("pulled registry.example/pause@sha256:0a1b", "pulled registry.example/pause@sha256:0a1b");
}

#[test]
fn headers() {
    check(r#"-H "X-Auth-Token: 0123abcd" -H "Accept: x""#, r#"-H "X-Auth-Token: REDACTED" -H "Accept: x""#);
    check("{'X-Subject-Token': 'abc'}", "{'X-Subject-Token': 'REDACTED'}");
    check("Authorization: Bearer abcdefghijkl.mnop", "Authorization: Bearer REDACTED");
    check("Authorization: Basic dXNlcjpwYXNzd29yZA==", "Authorization: Basic REDACTED");
}

#[test]
fn settings_in_text() {
    check(r#"{"token":"abc","name":"x"}"#, r#"{"token":"REDACTED","name":"x"}"#);
    check(r#"{\"adminPass\": \"abc\", \"id\": \"1\"}"#, r#"{\"adminPass\": \"REDACTED\", \"id\": \"1\"}"#);
    check("{'secret': 'abc', 'id': '1'}", "{'secret': 'REDACTED', 'id': '1'}");
    check("password = \"a b c\"\nnext", "password = \"REDACTED\"\nnext");
    check("db_password: hunter2\nhost: db", "db_password: REDACTED\nhost: db");
    check("application_credential_secret=abc def", "application_credential_secret=REDACTED def");
    check("application-credential-secret = \"a b\"", "application-credential-secret = \"REDACTED\"");
    check("password = hunter2\nusername = x", "password = REDACTED\nusername = x");
    check("?token=abc&x=1", "?token=REDACTED&x=1");
}

/// Sentences of the controllers that speak of secrets and hold none.
#[test]
fn evidence_stays() {
    for said in [
        "failed to get token: connection refused",
        "Secret \"kube-4g0ec-kubeconfig\" not found",
        "failed to retrieve kubeconfig secret for Cluster magnum-system/kube-4g0ec: secret: not found",
        "Reconciling secret=\"magnum-system/kube-4g0ec-cloud-config\"",
        "MountVolume.SetUp failed for volume \"secret-cinderplugin\"",
        "The request you have made requires authentication. (HTTP 401) (Request-ID: req-9971a6ec)",
        "kube-4g0ec-abcdef.18eced53e38eda86",
        "Error: bearer token is missing",
        "Dependency_Violation by 27893cc9-1ef6-487c-8865-27130428aacd at 203.0.113.82",
    ] {
        check(said, said);
    }
}

/// A document and what is left of it.
#[track_caller]
fn check_object(mut before: Value, after: Value) {
    object(&mut before);
    assert_eq!(before, after);
}

#[test]
fn secret_keeps_the_names_of_its_keys() {
    check_object(
        json!({"kind": "Secret", "metadata": {"name": "s"}, "data": {"value": "aHVudGVyMg=="},
               "stringData": {"a": "hunter2"}}),
        json!({"kind": "Secret", "metadata": {"name": "s"}, "data": {"value": MASK}, "stringData": {"a": MASK}}),
    );
}

#[test]
fn kubeadm_config_keeps_paths_and_counts() {
    check_object(
        json!({"kind": "KubeadmConfig", "spec": {
            "files": [{"path": "/etc/x", "content": "hunter2"},
                      {"path": "/etc/y", "contentFrom": {"secret": {"name": "s", "key": "k"}}}],
            "preKubeadmCommands": ["curl hunter2", "b"], "postKubeadmCommands": ["c"],
            "users": [{"name": "root", "passwd": "hunter2"}],
            "ntp": {"servers": ["ntp.example"]},
            "joinConfiguration": {"discovery": {"bootstrapToken": {
                "token": "abcdef.0123456789abcdef", "apiServerEndpoint": "10.0.0.5:6443",
                "caCertHashes": ["sha256:0a1b"]}}},
            "initConfiguration": {"certificateKey": "9f8e"}}}),
        json!({"kind": "KubeadmConfig", "spec": {
            "files": [{"path": "/etc/x", "content": MASK},
                      {"path": "/etc/y", "contentFrom": {"secret": {"name": "s", "key": "k"}}}],
            "preKubeadmCommands": [MASK, MASK], "postKubeadmCommands": [MASK],
            "users": [MASK],
            "ntp": {"servers": ["ntp.example"]},
            "joinConfiguration": {"discovery": {"bootstrapToken": {
                "token": MASK, "apiServerEndpoint": "10.0.0.5:6443", "caCertHashes": ["sha256:0a1b"]}}},
            "initConfiguration": {"certificateKey": MASK}}}),
    );
}

#[test]
fn topology_variables_that_are_set() {
    check_object(
        json!({"kind": "Cluster", "spec": {"topology": {"variables": [
            {"name": "systemdProxyConfig", "value": "W1NlcnZpY2Vd"}, {"name": "aptProxyConfig", "value": ""},
            {"name": "sshKeyName", "value": "lab"}]}}}),
        json!({"kind": "Cluster", "spec": {"topology": {"variables": [
            {"name": "systemdProxyConfig", "value": MASK}, {"name": "aptProxyConfig", "value": ""},
            {"name": "sshKeyName", "value": "lab"}]}}}),
    );
}

#[test]
fn last_applied_and_env_of_pods() {
    check_object(
        json!({"kind": "Pod", "metadata": {"annotations": {LAST_APPLIED: "{}x", "a": "b"}},
               "spec": {"containers": [{"env": [{"name": "DB_PASSWORD", "value": "hunter2"}, {"name": "A", "value": "b"}]}]}}),
        json!({"kind": "Pod", "metadata": {"annotations": {LAST_APPLIED: MASK, "a": "b"}},
               "spec": {"containers": [{"env": [{"name": "DB_PASSWORD", "value": MASK}, {"name": "A", "value": "b"}]}]}}),
    );
}

/// A body and what is left of it.
#[track_caller]
fn check_body(part: &str, mut before: Value, after: Value) {
    body(part, &mut before);
    assert_eq!(before, after);
}

#[test]
fn servers() {
    check_body(
        "openstack/compute/servers",
        json!({"servers": [{"id": "1", "key_name": "lab", "adminPass": "hunter2",
                            "OS-EXT-SRV-ATTR:user_data": "I2Nsb3Vk", "metadata": {"db_password": "x"}}]}),
        json!({"servers": [{"id": "1", "key_name": "lab", "adminPass": MASK,
                            "OS-EXT-SRV-ATTR:user_data": MASK, "metadata": {"db_password": MASK}}]}),
    );
}

#[test]
fn identity() {
    check_body(
        "openstack/identity/application_credentials",
        json!({"application_credentials": [{"id": "1", "secret": "hunter2", "unrestricted": null}]}),
        json!({"application_credentials": [{"id": "1", "secret": MASK, "unrestricted": null}]}),
    );
    let user = json!({"users": [{"id": "1", "password_expires_at": "2026-01-01T00:00:00Z"}]});
    check_body("openstack/identity/users", user.clone(), user);
}

#[test]
fn proxies_of_magnum() {
    check_body(
        "openstack/container-infra/clustertemplates",
        json!({"clustertemplates": [{"http_proxy": "http://a:b@p.example", "https_proxy": null,
                                     "labels": {"http_proxy": "p.example", "kube_tag": "v1.33.4"}}]}),
        json!({"clustertemplates": [{"http_proxy": "http://REDACTED@p.example", "https_proxy": null,
                                     "labels": {"http_proxy": MASK, "kube_tag": "v1.33.4"}}]}),
    );
}

proptest! {
    #[test]
    fn any_text_is_masked_once(any in r#"(--token |password=|"token":"|://|@|-----BEGIN KEY-----|eyJ|gAAAA|X-Auth-Token: |[a-zA-Z0-9 "'=:.\\é-]{1,12}){0,8}"#) {
        let once = text(&any).into_owned();
        let twice = text(&once).into_owned();
        prop_assert_eq!(text(&twice), twice.as_str());
    }
}
