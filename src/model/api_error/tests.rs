use super::*;
use proptest::prelude::*;

const REAUTHENTICATE: &str = r#"failed to reconcile external network: failed to get external network: Unable to re-authenticate: Expected HTTP response code [200] when accessing [GET http://127.0.0.1:9696/v2.0/networks/6d1888fa], but got 401 instead: {"error": {"code": 401, "title": "Unauthorized", "message": "The request you have made requires authentication."}}: Expected HTTP response code [201 202] when accessing [POST http://127.0.0.1:5000/v3/auth/tokens], but got 404 instead: {"error":{"code":404,"message":"Could not find Application Credential: 0b48.","title":"Not Found"}}"#;

const WEBHOOK: &str = r#"error reconciling the Cluster topology: failed to create .: : : failed calling webhook "validation.openstackcluster.infrastructure.cluster.x-k8s.io": failed to call webhook: Post "https://127.0.0.1:19446/validate-infrastructure-cluster-x-k8s-io-v1beta1-openstackcluster?timeout=10s": dial tcp 127.0.0.1:19446: connect: connection refused"#;

/// The error that matters, as `Service METHOD path failing kind`, `-` for what was not said, and its text.
fn check(text: &str, expected: &str, said: Option<&str>) {
    let error = last(text).unwrap_or_else(|| panic!("nothing found in {text}"));
    assert_eq!(shown(&error), expected);
    assert_eq!(error.text.as_deref(), said);
}

fn check_none(text: &str) {
    assert_eq!(chain(text), []);
}

fn shown(error: &ApiError) -> String {
    let or = |part: &Option<String>| part.clone().unwrap_or_else(|| "-".to_owned());
    format!(
        "{} {} {} {:?} {}",
        error.service.word(),
        or(&error.method),
        or(&error.path),
        error.failing,
        or(&error.kind)
    )
}

/// A sentence that gophercloud v2 makes of an answer.
fn v2(request: &str, status: u16, body: &str) -> String {
    format!("Expected HTTP response code [201] when accessing [{request}], but got {status} instead: {body}")
}

#[test]
fn gophercloud_v2_neutron() {
    let body = r#"{"NeutronError": {"type": "OverQuota", "message": "Quota exceeded for resources: ['router'].", "detail": ""}}"#;
    check(
        &v2("POST http://127.0.0.1:9696/v2.0/routers", 409, body),
        "Neutron POST /v2.0/routers Http(409) OverQuota",
        Some("Quota exceeded for resources: ['router']."),
    );
}

#[test]
fn gophercloud_v1_puts_the_body_on_a_line_of_its_own() {
    let body = r#"{"NeutronError": {"type": "NetworkInUse", "message": "In use.", "detail": ""}}"#;
    check(
        &format!(
            "Failed: Expected HTTP response code [202 204] when accessing [DELETE http://n:9696/v2.0/networks/1], but got 409 instead\n{body}"
        ),
        "Neutron DELETE /v2.0/networks/1 Http(409) NetworkInUse",
        Some("In use."),
    );
}

#[test]
fn gophercloud_v1_wordings() {
    check(
        r#"error creating Openstack instance: Request forbidden: [POST http://127.0.0.1:8774/v2.1/servers], error message: {"forbidden": {"code": 403, "message": "Quota exceeded for cores: Requested 2, but already used 13 of 2 cores"}}"#,
        "Nova POST /v2.1/servers Http(403) -",
        Some("Quota exceeded for cores: Requested 2, but already used 13 of 2 cores"),
    );
    check(
        r#"Resource not found: [PUT http://127.0.0.1:9696/v2.0/floatingips/1], error message: {"NeutronError": "gone"}"#,
        "Neutron PUT /v2.0/floatingips/1 Http(404) -",
        Some("gone"),
    );
    check(
        "Bad request with: [POST http://h/v3/volumes], error message: ",
        "Cinder POST /v3/volumes Http(400) -",
        None,
    );
    check("providerClient authentication err: Authentication failed", "Keystone - - Http(401) -", None);
}

#[test]
fn the_last_of_a_chain_matters() {
    let all: Vec<String> = chain(REAUTHENTICATE).iter().map(shown).collect();
    assert_eq!(
        all,
        ["Neutron GET /v2.0/networks/6d1888fa Http(401) -", "Keystone POST /v3/auth/tokens Http(404) -"]
    );
    check(REAUTHENTICATE, &all[1], Some("Could not find Application Credential: 0b48."));
}

#[test]
fn the_same_out_of_an_escaped_log_line() {
    let escaped = REAUTHENTICATE.replace('"', "\\\"");
    assert_eq!(chain(&escaped), chain(REAUTHENTICATE));
}

#[test]
fn neutron_half_up() {
    let body = r#"{"type": "HTTPNotFound", "message": "The resource could not be found.", "detail": ""}"#;
    check(
        &v2("GET http://127.0.0.1:9696/v2.0/networks/1", 404, body),
        "Neutron GET /v2.0/networks/1 Http(404) HTTPNotFound",
        Some("The resource could not be found."),
    );
}

#[test]
fn octavia() {
    let body = r#"{"faultcode": "Client", "faultstring": "Quota has been met for resources: Load Balancer", "debuginfo": null}"#;
    check(
        &v2("POST http://h:9876/v2.0/lbaas/loadbalancers", 403, body),
        "Octavia POST /v2.0/lbaas/loadbalancers Http(403) -",
        Some("Quota has been met for resources: Load Balancer"),
    );
}

#[test]
fn cinder_and_its_project_in_the_path() {
    let body =
        r#"{"itemNotFound": {"code": 404, "message": "Volume type with name ssd-gold could not be found."}}"#;
    check(
        &v2("POST http://h:8776/v3/d57f97f08b9747f7ad7d12c22d0340e4/volumes", 404, body),
        "Cinder POST /v3/d57f97f08b9747f7ad7d12c22d0340e4/volumes Http(404) -",
        Some("Volume type with name ssd-gold could not be found."),
    );
}

#[test]
fn magnum() {
    let body = r#"{"errors": [{"request_id": "", "code": "client", "status": 409, "title": "Conflict", "detail": "Cluster is busy", "links": []}]}"#;
    check(
        &v2("DELETE http://h:9511/v1/clusters/1", 409, body),
        "Magnum DELETE /v1/clusters/1 Http(409) -",
        Some("Cluster is busy"),
    );
}

#[test]
fn kubernetes_status_as_a_body() {
    let body = r#"{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":"Forbidden","code":403}"#;
    check(&v2("GET https://h:6443/x", 403, body), "Kubernetes GET /x Http(403) Forbidden", Some("no"));
}

#[test]
fn body_that_an_event_cut_off() {
    let body =
        r#"{"NeutronError": {"type": "NetworkInUse", "message": "Unable to complete operation on netw"#;
    check(
        &v2("DELETE http://h:9696/v2.0/networks/1", 409, body),
        "Neutron DELETE /v2.0/networks/1 Http(409) NetworkInUse",
        Some("Unable to complete operation on netw"),
    );
}

#[test]
fn page_of_a_proxy() {
    let body =
        "<html><head><title>503 Service Unavailable</title></head><body>connection refused</body></html>";
    check(
        &v2("GET https://cloud.example/compute/v2.1/servers/1", 503, body),
        "Nova GET /compute/v2.1/servers/1 Http(503) -",
        Some("503 Service Unavailable"),
    );
}

#[test]
fn slip_of_go_is_cut() {
    check(
        &(v2("PUT http://h:9696/v2.0/floatingips/1", 500, "oops")
            + "%!(EXTRA wait.errInterrupted=timed out waiting)"),
        "Neutron PUT /v2.0/floatingips/1 Http(500) -",
        Some("oops"),
    );
    check_none(
        "wait for floating IP DOWN: 203.0.113.13%!(EXTRA wait.errInterrupted=timed out waiting for the condition)",
    );
}

#[test]
fn openstacksdk() {
    check(
        "ForbiddenException: 403: Client Error for url: http://127.0.0.1:8774/v2.1/os-server-groups, Quota exceeded, too many server groups.",
        "Nova - /v2.1/os-server-groups Http(403) ForbiddenException",
        Some("Quota exceeded, too many server groups."),
    );
    check(
        "openstack.exceptions.HttpException: HttpException: 500: Server Error for url: http://h:5000/v3/users, Internal Server Error\nTraceback",
        "Keystone - /v3/users Http(500) HttpException",
        Some("Internal Server Error"),
    );
}

#[test]
fn requests_of_pykube() {
    check(
        "requests.exceptions.HTTPError: 429 Client Error: Too Many Requests for url: https://127.0.0.1:27443/apis/cluster.x-k8s.io/v1beta1/clusters?labelSelector=a",
        "Kubernetes - /apis/cluster.x-k8s.io/v1beta1/clusters Http(429) HTTPError",
        Some("Too Many Requests"),
    );
}

#[test]
fn keystoneauth() {
    check(
        "keystoneauth1.exceptions.http.Unauthorized: The request you have made requires authentication. (HTTP 401) (Request-ID: req-1)",
        "unknown service - - Http(401) Unauthorized",
        Some("The request you have made requires authentication."),
    );
    check(
        "Unable to establish connection to http://h:9696/v2.0/networks: HTTPConnectionPool(host='h', port=9696): Max retries exceeded with url: /v2.0/networks (Caused by NewConnectionError('<x>: Failed to establish a new connection: [Errno 111] Connection refused'))",
        "Neutron - /v2.0/networks Refused -",
        None,
    );
}

#[test]
fn pool_of_urllib3() {
    let text = "HTTPSConnectionPool(host='127.0.0.1', port=26443): Read timed out. (read timeout=10)";
    check(text, "unknown service - - TimedOut -", None);
    assert_eq!(last(text).unwrap().url.as_deref(), Some("https://127.0.0.1:26443"));
    check(
        "HTTPConnectionPool(host='h', port=80): Max retries exceeded with url: /v1/clusters (Caused by X('getaddrinfo: Name or service not known'))",
        "Magnum - /v1/clusters Dns -",
        None,
    );
}

#[test]
fn words_before_tell_the_service() {
    check(
        r#"failed to create networking service providerClient: Get "http://127.0.0.1:9696/": dial tcp 127.0.0.1:9696: connect: connection refused"#,
        "Neutron GET / Refused -",
        None,
    );
    check(
        r#"failed to create load balancer service client: Get "http://h/": EOF"#,
        "Octavia GET / Closed -",
        None,
    );
    check(r#"failed to create compute service client: Get "http://h/": EOF"#, "Nova GET / Closed -", None);
}

#[test]
fn network_errors_of_go() {
    let network = |tail: &str| {
        let error = last(&format!("failed: Get \"https://203.0.113.38:6443/?timeout=5s\": {tail}")).unwrap();
        (error.service, error.failing)
    };
    for (tail, failing) in [
        ("dial tcp 203.0.113.38:6443: connect: connection refused", Failing::Refused),
        ("dial tcp 203.0.113.38:6443: connect: network is unreachable", Failing::Unreachable),
        ("dial tcp 203.0.113.38:6443: connect: no route to host", Failing::Unreachable),
        ("dial tcp 203.0.113.38:6443: i/o timeout", Failing::TimedOut),
        ("context deadline exceeded (Client.Timeout exceeded while awaiting headers)", Failing::TimedOut),
        ("net/http: request canceled (Client.Timeout exceeded while awaiting headers)", Failing::TimedOut),
        ("net/http: TLS handshake timeout", Failing::TimedOut),
        ("dial tcp: lookup api.example on 10.0.0.10:53: no such host", Failing::Dns),
        (
            "dial tcp: lookup api.example on 10.0.0.10:53: read udp 10.1.1.1:5->10.0.0.10:53: i/o timeout",
            Failing::Dns,
        ),
        ("x509: certificate signed by unknown authority", Failing::Tls),
        ("tls: failed to verify certificate: x509: certificate has expired", Failing::Tls),
        ("remote error: tls: bad certificate", Failing::Tls),
        ("EOF", Failing::Closed),
        ("read tcp 10.0.0.1:5->203.0.113.38:6443: read: connection reset by peer", Failing::Closed),
    ] {
        assert_eq!(network(tail), (Service::Kubernetes, failing), "{tail}");
    }
}

#[test]
fn a_canceled_context_is_no_failure() {
    check_none(r#"Get "https://203.0.113.38:6443/?timeout=5s": context canceled"#);
    check_none("client rate limiter Wait returned an error: context deadline exceeded");
    check_none(
        "load balancer \"k8s\" with id 1 is not active after timeout: timed out waiting for the condition",
    );
}

#[test]
fn throttling_does_not_hide_the_request_before_it() {
    check(
        r#"[failed to patch: Patch "https://h:26443/apis/x": context deadline exceeded, failed to patch Cluster: client rate limiter Wait returned an error: context deadline exceeded]"#,
        "Kubernetes PATCH /apis/x TimedOut -",
        None,
    );
}

#[test]
fn webhook_that_cannot_be_asked() {
    let name = "validation.openstackcluster.infrastructure.cluster.x-k8s.io";
    let path = "/validate-infrastructure-cluster-x-k8s-io-v1beta1-openstackcluster";
    check(WEBHOOK, &format!("Kubernetes POST {path} Refused {name}"), None);
    assert_eq!(last(WEBHOOK).unwrap().webhook, Some(Webhook { name: name.to_owned(), denied: false }));
}

#[test]
fn webhook_without_endpoints() {
    check(
        r#"failed calling webhook "a.b": failed to call webhook: Post "https://capo-webhook-service.capo-system.svc:443/mutate-x?timeout=10s": no endpoints available for service "capo-webhook-service""#,
        "Kubernetes POST /mutate-x NoEndpoints a.b",
        None,
    );
    check(
        r#"failed calling webhook "a.b": failed to call webhook: Post "https://s.n.svc:443/mutate-x?timeout=10s": service "s" not found"#,
        "Kubernetes - - NoEndpoints a.b",
        None,
    );
}

#[test]
fn driver_tells_a_webhook_twice() {
    let text = format!(
        "ApiError: Internal error occurred: {WEBHOOK}: InternalError (Status {{ status: Some(Failure), code: 500, message: {WEBHOOK:?}, reason: \"InternalError\", details: None }})"
    );
    assert_eq!(chain(&text), chain(WEBHOOK));
}

#[test]
fn webhook_that_says_no() {
    let said = r#"Cluster.cluster.x-k8s.io "kube-a" is invalid: spec.topology.version: Invalid value: "vlatest": no"#;
    let text = format!(r#"ApiError: admission webhook "v.c" denied the request: {said}"#);
    check(&text, "Kubernetes - - Http(422) v.c", Some(said));
    let printed = format!(
        "{text}: Invalid (Status {{ status: Some(Failure), code: 400, message: \"m\", reason: \"Invalid\" }})"
    );
    check(&printed, "Kubernetes - - Http(400) v.c", Some(said));
    assert_eq!(chain(&printed).len(), 1);
    check(
        r#"[x: admission webhook "v.c" denied the request: no, failed to patch it: y]"#,
        "Kubernetes - - Http(403) v.c",
        Some("no"),
    );
}

#[test]
fn reasons_of_kubernetes() {
    let conflict = r#"Operation cannot be fulfilled on clusters.cluster.x-k8s.io "a": the object has been modified; please apply your changes to the latest version and try again"#;
    check(conflict, "Kubernetes - - Http(409) Conflict", Some(conflict));
    let printed = format!(
        "ApiError: {conflict}: Conflict (Status {{ status: Some(Failure), code: 409, message: {conflict:?}, reason: \"Conflict\" }})"
    );
    assert_eq!(chain(&printed), chain(conflict));
    let forbidden = r#"secrets "a" is forbidden: User "u" cannot get resource"#;
    check(&format!("failed to get: {forbidden}"), "Kubernetes - - Http(403) Forbidden", Some(forbidden));
    let missing = r#"Secret "kube-a-kubeconfig" not found"#;
    check(&format!("failed: {missing}"), "Kubernetes - - Http(404) NotFound", Some(missing));
    let invalid = r#"MachineSet.cluster.x-k8s.io "a" is invalid: metadata.finalizers: Forbidden: no"#;
    check(&format!("failed: {invalid}"), "Kubernetes - - Http(422) Invalid", Some(invalid));
}

#[test]
fn extension_of_the_driver() {
    check("ServiceError: client error (Connect)", "Kubernetes - - Unreachable -", None);
    check("failed with error client error (SendRequest)", "Kubernetes - - Closed -", None);
    check("failed with status 504 Gateway Timeout", "Kubernetes - - Http(504) -", Some("Gateway Timeout"));
}

#[test]
fn a_body_that_broke_off_under_client_go() {
    check(
        "failed to patch: unexpected error when reading response body. Please retry. Original error: context deadline exceeded",
        "Kubernetes - - TimedOut -",
        None,
    );
}

#[test]
fn a_text_full_of_errors_ends() {
    let many = r#"Secret "a" not found, "#.repeat(5_000);
    assert_eq!(chain(&many).len(), MOST);
}

#[test]
fn sentences_without_a_request() {
    for text in ["", "ERROR: None", "No valid host was found.", "instance state \"ERROR\" is unexpected"] {
        check_none(text);
    }
}

proptest! {
    #[test]
    fn any_text_is_read(text in "(?s).*") {
        let _ = (chain(&text), quota(&text));
    }

    #[test]
    fn pieces_of_errors_are_read(pieces in proptest::collection::vec(prop_oneof![
        Just(REAUTHENTICATE.to_owned()), Just(WEBHOOK.to_owned()), "[ -~é]{0,12}",
        prop::sample::select(vec![
            "Expected HTTP response code ", " when accessing [", "], but got ", " instead", "GET http://h/v2.0/x",
            "403", ": Client Error for url: ", "(HTTP ", ")", "ConnectionPool(host='", "', port=", "Get \"http",
            "\": ", "EOF", "admission webhook \"", " denied the request", " (Status { ", "code: ", "\" not found",
            "Unable to establish connection to http", "failed with status ", "Quota exceeded for ", "é", "{\\\"",
        ]).prop_map(str::to_owned),
    ], 0..12), cut in 0..400_usize) {
        let text: String = pieces.concat().chars().skip(cut % 40).collect();
        let _ = (chain(&text), quota(&text));
    }
}
