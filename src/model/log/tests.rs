use super::*;
use proptest::prelude::*;

const RECONCILER: &str = r#"E1130 20:29:18.608183   31299 controller.go:495] "Reconciler error" err="failed to reconcile router: Expected HTTP response code [201 202] when accessing [POST http://127.0.0.1:9696/v2.0/routers], but got 409 instead: {\"NeutronError\": {\"type\": \"OverQuota\"}}" controller="openstackcluster" OpenStackCluster="magnum-system/kube-8pl6y-mg88f" namespace="magnum-system" name="kube-8pl6y-mg88f" reconcileID="9e2f""#;

const EVENT: &str = r#"I1130 20:29:18.597599   31299 recorder.go:104] "Failed to create router k8s: {\"NeutronError\": {}}" logger="events" type="Warning" object={"kind":"OpenStackCluster","namespace":"magnum-system","name":"kube-8pl6y-mg88f","uid":"d78e3ff7-a455-43f9-a7b9-a81924ba0105","apiVersion":"infrastructure.cluster.x-k8s.io/v1beta1","resourceVersion":"629"} reason="Failedcreaterouter""#;

const CONFLICT: &str = "E1130 20:42:31.704149   31296 controller.go:495] \"Reconciler error\" err=<
\tfailed to patch: the condition was modified:   &v1.Condition{
\t  \tStatus:             \"True\",
\t- \tObservedGeneration: 1,
\t+ \tObservedGeneration: 2,
\tE1130 20:42:31.704149   31296 this.go:1] is no header
\t  }
 > controller=\"topology/cluster\" Cluster=\"magnum-system/kube-35zvd\" reconcileID=\"62b96c93\"
I1130 20:42:31.705107   31296 next.go:1] \"next\"";

const PANIC: &str = "I1130 21:21:12.937478   26134 controller.go:110] \"Observed a panic in reconciler: nil pointer\" controller=\"openstackmachine\"
panic: runtime error: invalid memory address or nil pointer dereference [recovered, repanicked]
[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x1b336ba]

goroutine 304 [running]:
sigs.k8s.io/controller-runtime/pkg/internal/controller.(*Controller).Reconcile.func1()
\tsigs.k8s.io/controller-runtime@v0.18.7/pkg/internal/controller/controller.go:111 +0x1fa";

const TRACEBACK: &str = "2026-11-30 21:12:44.010 2956 ERROR oslo_messaging.rpc.server [None req-b9ba8c9a 9b4c4818 d57f97f0 - - default -] Exception during message handling: FileNotFoundError: 'helm'
2026-11-30 21:12:44.010 2956 ERROR oslo_messaging.rpc.server Traceback (most recent call last):
[2026-11-30T21:12:44Z ERROR kube_client::client::builder] failed with error client error (Connect)
2026-11-30 21:12:44.010 2956 ERROR oslo_messaging.rpc.server     res = self.dispatch(message)
2026-11-30 21:12:44.010 2956 ERROR oslo_messaging.rpc.server FileNotFoundError: 'helm'
2026-11-30 21:12:44.010 2956 ERROR oslo_messaging.rpc.server 
2026-11-30 21:12:44.010 2956 ERROR oslo_messaging.rpc.server [-] Another one of the same moment";

fn taken_at() -> Timestamp {
    "2026-11-30T22:00:00Z".parse().unwrap()
}

fn read(text: &str) -> Vec<Record> {
    records(text, taken_at())
}

/// The one record of a text.
fn one(text: &str) -> Record {
    let mut all = read(text);
    assert_eq!(all.len(), 1, "{all:#?}");
    all.remove(0)
}

/// Shape, level and message of every record.
fn check(text: &str, expected: &[(Shape, Level, &str)]) {
    let all = read(text);
    let seen: Vec<_> = all.iter().map(|r| (r.shape, r.level, r.message.as_str())).collect();
    assert_eq!(seen, expected);
}

fn check_at(text: &str, taken_at: &str, expected: &str) {
    let all = records(text, taken_at.parse().unwrap());
    assert_eq!(all[0].at, Some(expected.parse().unwrap()));
}

fn check_objects(pairs: &str, expected: &[(&str, &str)]) {
    let record = one(&format!("I1130 20:42:31.704149 1 a.go:1] \"m\" {pairs}"));
    assert_eq!(record.objects(), expected);
}

#[test]
fn klog_header_and_message() {
    check(RECONCILER, &[(Shape::Klog, Level::Error, "Reconciler error")]);
    let record = one(RECONCILER);
    assert_eq!((record.origin.as_str(), record.level.letter()), ("controller.go:495", "E"));
    assert_eq!(record.text, RECONCILER);
    check_at(RECONCILER, "2026-11-30T22:00:00Z", "2026-11-30T20:29:18.608183Z");
}

#[test]
fn klog_error_is_unescaped() {
    let record = one(RECONCILER);
    assert!(record.error().unwrap().ends_with(r#"409 instead: {"NeutronError": {"type": "OverQuota"}}"#));
    assert_eq!(record.get("reconcileID"), Some("9e2f"));
}

#[test]
fn klog_without_quotes_is_a_message() {
    check(
        "I1130 20:00:00.000001       1 leaderelection.go:257] attempting to acquire leader lease a=\"b\"",
        &[(Shape::Klog, Level::Info, "attempting to acquire leader lease a=\"b\"")],
    );
}

#[test]
fn klog_block_joins_and_its_last_line_has_the_keys() {
    let all = read(CONFLICT);
    assert_eq!(all.len(), 2);
    assert_eq!(all[0].get("Cluster"), Some("magnum-system/kube-35zvd"));
    let error = all[0].error().unwrap();
    assert_eq!(error.lines().count(), 6);
    assert!(error.contains("\n- \tObservedGeneration: 1,\n+ \tObservedGeneration: 2,\n"));
    assert_eq!(all[1].message, "next");
}

#[test]
fn klog_block_with_a_stamp_on_each_line() {
    let stamped: String = CONFLICT.lines().map(|l| format!("2026-11-30T20:41:43.429657123Z {l}\n")).collect();
    let (plain, with) = (read(CONFLICT), read(&stamped));
    assert_eq!(with[0].at, Some("2026-11-30T20:41:43.429657123Z".parse().unwrap()));
    assert_eq!((&with[0].text, &with[0].pairs, with.len()), (&plain[0].text, &plain[0].pairs, 2));
}

#[test]
fn klog_two_blocks_in_one_record() {
    let text = "I1130 20:42:31.7 1 a.go:1] \"m\" diff=<\n\t- a\n > patch=<\n\t{\n\t}\n > last=\"x\"";
    let record = one(text);
    let pairs = [("diff", "- a"), ("patch", "{\n}"), ("last", "x")];
    assert_eq!(record.pairs, pairs.map(|(k, v)| (k.to_owned(), v.to_owned())));
}

#[test]
fn klog_values_of_all_shapes() {
    let record = one(
        r#"I1130 20:42:31.7 1 a.go:1] "m" n=3 err=<nil> list=["a b","c"] o={"k":"} \" x"} worker count=1 n=4"#,
    );
    let pairs = [
        ("n", "3"),
        ("err", "<nil>"),
        ("list", r#"["a b","c"]"#),
        ("o", r#"{"k":"} \" x"}"#),
        ("worker count", "1"),
        ("n", "4"),
    ];
    assert_eq!(record.pairs, pairs.map(|(k, v)| (k.to_owned(), v.to_owned())));
    assert_eq!(record.get("n"), Some("3"));
}

#[test]
fn klog_year_is_that_of_the_taking() {
    check_at("E0301 00:00:00.5 1 a.go:1] \"m\"", "2026-03-01T12:00:00Z", "2026-03-01T00:00:00.5Z");
}

#[test]
fn klog_year_before_new_year() {
    check_at("E1231 23:59:59.0 1 a.go:1] \"m\"", "2027-01-01T00:10:00Z", "2026-12-31T23:59:59Z");
}

#[test]
fn klog_clock_a_little_ahead_stays() {
    check_at("E0101 00:00:01.0 1 a.go:1] \"m\"", "2026-12-31T23:59:50Z", "2027-01-01T00:00:01Z");
}

#[test]
fn klog_leap_day() {
    check_at("E0229 10:00:00.0 1 a.go:1] \"m\"", "2028-03-01T00:00:00Z", "2028-02-29T10:00:00Z");
}

#[test]
fn klog_json_of_component_base() {
    let text = r#"{"ts":1764534558123.5,"caller":"controller.go:329","msg":"Reconciler error","err":"boom","OpenStackCluster":{"name":"kube-a","namespace":"magnum-system"},"name":"x","name":"y"}"#;
    check(text, &[(Shape::KlogJson, Level::Error, "Reconciler error")]);
    let record = one(text);
    assert_eq!(record.at, Some(Timestamp::from_microsecond(1_764_534_558_123_500).unwrap()));
    assert_eq!((record.error(), record.get("name")), (Some("boom"), Some("x")));
    assert_eq!(record.objects(), [("OpenStackCluster", "kube-a")]);
}

#[test]
fn klog_json_of_an_information() {
    check(
        r#"{"ts":1764534558.1,"caller":"a.go:1","msg":"hello","v":0}"#,
        &[(Shape::KlogJson, Level::Info, "hello")],
    );
}

#[test]
fn zap_json_between_klog_lines() {
    let text = r#"{"level":"warn","ts":"2026-11-30T20:56:01.755089Z","caller":"v3/retry.go:68","msg":"retrying","error":"rpc error"}"#;
    check(text, &[(Shape::KlogJson, Level::Warning, "retrying")]);
    check_at(text, "2026-11-30T22:00:00Z", "2026-11-30T20:56:01.755089Z");
    assert_eq!(one(text).error(), Some("rpc error"));
}

#[test]
fn braces_that_are_no_json_are_bare() {
    check("{this is no json}", &[(Shape::Bare, Level::Unknown, "{this is no json}")]);
}

#[test]
fn panic_and_its_trace() {
    let all = read(PANIC);
    let seen: Vec<_> = all.iter().map(|r| (r.shape, r.level, r.is_panic())).collect();
    assert_eq!(seen, [(Shape::Klog, Level::Info, true), (Shape::Bare, Level::Fatal, true)]);
    assert_eq!(all[1].text.lines().count(), 6);
    assert!(!one(RECONCILER).is_panic());
}

#[test]
fn oslo_lines_of_one_moment_join() {
    let all = read(TRACEBACK);
    let seen: Vec<_> = all.iter().map(|r| (r.shape, r.message.lines().count())).collect();
    assert_eq!(seen, [(Shape::Oslo, 4), (Shape::Rust, 1), (Shape::Oslo, 1)]);
    assert_eq!(
        all[0].message,
        "Exception during message handling: FileNotFoundError: 'helm'\nTraceback (most recent call last):\n    res = self.dispatch(message)\nFileNotFoundError: 'helm'"
    );
    assert_eq!(all[0].origin, "oslo_messaging.rpc.server");
    check_at(TRACEBACK, "2026-11-30T22:00:00Z", "2026-11-30T21:12:44.010Z");
}

#[test]
fn oslo_contexts() {
    let context = |bracket: &str| {
        let record = one(&format!("2026-11-30 21:12:44.010 7 WARNING magnum.x {bracket} text"));
        assert_eq!((record.message.as_str(), record.level), ("text", Level::Warning));
        record.context.join(" ")
    };
    assert_eq!(context("[None req-1 user project - - default -]"), "req-1 user project - - default -");
    assert_eq!(context("[req-1 user project - default default]"), "req-1 user project - default default");
    assert_eq!(context("[req-0 req-1 user project - - - -]"), "req-1 user project - - - -");
    assert_eq!(context("[-]"), "");
}

#[test]
fn oslo_critical_is_fatal() {
    check("2026-11-30 21:12:44.010 7 CRITICAL magnum [-] gone", &[(Shape::Oslo, Level::Fatal, "gone")]);
}

#[test]
fn foreign_lines_of_the_conductor() {
    check(
        "2026-11-30 21:12:44.010 7 INFO magnum [-] a\nUsing RPC transport for notifications.\n[2026-11-30T21:22:35Z INFO  kube_client::client] b",
        &[
            (Shape::Oslo, Level::Info, "a"),
            (Shape::Bare, Level::Unknown, "Using RPC transport for notifications."),
            (Shape::Rust, Level::Info, "b"),
        ],
    );
}

#[test]
fn event_of_the_recorder() {
    let event = one(EVENT).event().unwrap();
    assert!(event.warning);
    assert_eq!((event.kind.as_str(), event.name.as_str()), ("OpenStackCluster", "kube-8pl6y-mg88f"));
    assert_eq!(event.uid, "d78e3ff7-a455-43f9-a7b9-a81924ba0105");
    assert_eq!(event.reason, "Failedcreaterouter");
    assert_eq!(event.message, r#"Failed to create router k8s: {"NeutronError": {}}"#);
    assert_eq!(one(RECONCILER).event(), None);
}

#[test]
fn objects_by_kind() {
    check_objects(
        r#"OpenStackCluster="magnum-system/kube-a-b" namespace="n" Node="kube-c""#,
        &[("OpenStackCluster", "kube-a-b"), ("Node", "kube-c")],
    );
}

#[test]
fn objects_by_plain_keys() {
    check_objects(
        r#"cluster="kube-a" openStackMachine="kube-a-m" machine="kube-a-x" status="ACTIVE""#,
        &[("Cluster", "kube-a"), ("OpenStackMachine", "kube-a-m"), ("Machine", "kube-a-x")],
    );
}

#[test]
fn objects_in_lists_and_json() {
    check_objects(
        r#"Machines="kube-a, kube-b" Cluster={"name":"kube-c","namespace":"n"} ControlPlaneUpgrades=null"#,
        &[("Machine", "kube-a"), ("Machine", "kube-b"), ("Cluster", "kube-c")],
    );
}

#[test]
fn ids_and_sentences_are_no_objects() {
    check_objects(r#"ID="6f1d" IP="1.2.3.4" GVK="/v1, Kind=Node" Reason="not a name""#, &[]);
}

#[test]
fn text_is_cut_at_a_character() {
    let record = one(&format!("E1130 20:42:31.7 1 a.go:1] \"m\" err=\"{}\" last=\"é\"", "é".repeat(40_000)));
    assert!(record.text.len() <= TEXT_LIMIT && record.text.len() > TEXT_LIMIT - 2);
    assert_eq!(record.get("last"), Some("é"));
}

#[test]
fn windows_line_ends_and_empty_lines() {
    check(
        "E1130 20:42:31.7 1 a.go:1] \"m\"\r\n\r\n\r\nW1130 20:42:31.7 1 a.go:1] \"n\"\r\n",
        &[(Shape::Klog, Level::Error, "m"), (Shape::Klog, Level::Warning, "n")],
    );
}

proptest! {
    #[test]
    fn any_text_is_read(text in "(?s).*") {
        let _ = read(&text);
    }

    #[test]
    fn no_line_is_lost(lines in proptest::collection::vec(prop_oneof![
        Just(RECONCILER.to_owned()), Just(CONFLICT.to_owned()), Just(PANIC.to_owned()), Just(TRACEBACK.to_owned()),
        r#"[IWEF{\[2]?[ -~]{1,40}"#, r#"E1130 20:42:31.7 1 a.go:1\] "[ -~]*"#,
    ], 1..8)) {
        let text = lines.join("\n");
        let kept: usize = read(&text).iter().map(|r| r.text.lines().count()).sum();
        let empty = text.lines().filter(|l| l.is_empty()).count();
        prop_assert!(kept <= text.lines().count() && kept + empty >= text.lines().count());
        for record in read(&text) {
            let _ = (record.objects(), record.event(), record.is_panic(), record.error());
        }
    }
}
