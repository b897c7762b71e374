use super::*;
use proptest::prelude::*;

const DENIED: &str = r#"ApiError: admission webhook "validation.cluster.cluster.x-k8s.io" denied the request: Cluster.cluster.x-k8s.io "kube-sbnaw" is invalid: spec.topology.version: Invalid value: "vlatest": version must be a valid semantic version: Invalid (Status { status: Some(Failure), code: 422, message: "admission webhook \"validation.cluster.cluster.x-k8s.io\" denied the request: Cluster.cluster.x-k8s.io \"kube-sbnaw\" is invalid: spec.topology.version: Invalid value: \"vlatest\": version must be a valid semantic version", metadata: Some(ListMeta { continue_: None, remaining_item_count: None, resource_version: None, self_link: None }), reason: "Invalid", details: Some(StatusDetails { name: "kube-sbnaw", group: "cluster.x-k8s.io", kind: "Cluster", uid: "", causes: [StatusCause { reason: "FieldValueInvalid", message: "Invalid value: \"vlatest\": version must be a valid semantic version", field: "spec.topology.version" }], retry_after_seconds: 0 }) })"#;

fn check_copy(text: &str, cluster: Option<(&str, &str)>, infra: Option<(&str, &str)>) {
    let quoted = |half: Option<(&str, &str)>| {
        half.map(|(reason, message)| Quoted { reason: reason.to_owned(), message: message.to_owned() })
    };
    assert_eq!(parse(Some(text)), StatusReason::Copy { cluster: quoted(cluster), infra: quoted(infra) });
}

fn check(text: &str, class: Option<&str>, said: &str, causes: &[(&str, &str)]) {
    let causes = causes.iter().map(|(f, m)| FieldCause { field: (*f).to_owned(), message: (*m).to_owned() });
    let expected = StatusReason::Failure {
        class: class.map(str::to_owned),
        text: said.to_owned(),
        causes: causes.collect(),
    };
    assert_eq!(parse(Some(text)), expected);
}

#[test]
fn nothing_said() {
    for text in [None, Some(""), Some(" \n")] {
        assert_eq!(parse(text), StatusReason::None);
    }
}

#[test]
fn copy_of_nothing() {
    check_copy("CAPI Cluster status: . CAPI OpenstackCluster status reason: ", None, None);
}

#[test]
fn copy_of_the_infrastructure_event() {
    check_copy(
        "CAPI Cluster status: . CAPI OpenstackCluster status reason: Successfulcreatemonitor: Created monitor k8s with id 50dd",
        None,
        Some(("Successfulcreatemonitor", "Created monitor k8s with id 50dd")),
    );
}

#[test]
fn copy_of_both_events() {
    check_copy(
        "CAPI Cluster status: Provisioned: Cluster kube-sax6k is Provisioned. CAPI OpenstackCluster status reason: Failedcreaterouter: Failed: got 409 instead\n{\"NeutronError\": \"x\"}",
        Some(("Provisioned", "Cluster kube-sax6k is Provisioned")),
        Some(("Failedcreaterouter", "Failed: got 409 instead\n{\"NeutronError\": \"x\"}")),
    );
}

#[test]
fn refused_version() {
    check(
        DENIED,
        Some("ApiError"),
        r#"admission webhook "validation.cluster.cluster.x-k8s.io" denied the request: Cluster.cluster.x-k8s.io "kube-sbnaw" is invalid: spec.topology.version: Invalid value: "vlatest": version must be a valid semantic version"#,
        &[("spec.topology.version", r#"Invalid value: "vlatest": version must be a valid semantic version"#)],
    );
}

#[test]
fn refused_fields_in_brackets() {
    let said = r#"Cluster.cluster.x-k8s.io "kube-a" is invalid: [spec.topology.variables[0].value: Invalid value: "a, b: c": no, spec.infrastructureRef: Forbidden: cannot be removed]"#;
    check(
        said,
        None,
        said,
        &[
            ("spec.topology.variables[0].value", r#"Invalid value: "a, b: c": no"#),
            ("spec.infrastructureRef", "Forbidden: cannot be removed"),
        ],
    );
}

#[test]
fn conflict_is_cut() {
    check(
        r#"ApiError: Operation cannot be fulfilled on x "magnum-v0.38.2": the object has been modified: Conflict (Status { status: Some(Failure), code: 409, message: "…", reason: "Conflict", details: Some(StatusDetails { causes: [] }) })"#,
        Some("ApiError"),
        r#"Operation cannot be fulfilled on x "magnum-v0.38.2": the object has been modified"#,
        &[],
    );
}

#[test]
fn openstacksdk() {
    check(
        "ForbiddenException: 403: Client Error for url: http://127.0.0.1:8774/v2.1/os-server-groups, Quota exceeded, too many server groups.",
        Some("ForbiddenException"),
        "403: Client Error for url: http://127.0.0.1:8774/v2.1/os-server-groups, Quota exceeded, too many server groups.",
        &[],
    );
}

#[test]
fn service_error() {
    check("ServiceError: client error (Connect)", Some("ServiceError"), "client error (Connect)", &[]);
}

#[test]
fn texts_without_a_class() {
    for text in [
        "ERROR: None",
        "HTTPSConnectionPool(host='127.0.0.1', port=26443): Read timed out. (read timeout=10)",
        "[Errno 2] No such file or directory: 'helm'",
        "Timeout elapsed after 10 seconds while trying to acquiring lock.",
    ] {
        check(text, None, text, &[]);
    }
}

proptest! {
    #[test]
    fn any_text_is_read(text in "(?s).*") {
        let _ = parse(Some(&text));
    }

    #[test]
    fn broken_texts_are_read(cut in 0..DENIED.len(), tail in "[ -~]{0,20}") {
        let mut text = DENIED.chars().take(cut).collect::<String>();
        text.push_str(&tail);
        let failure = matches!(parse(Some(&text)), StatusReason::Failure { .. });
        prop_assert_eq!(failure, !text.trim().is_empty());
    }
}
