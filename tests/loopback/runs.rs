//! How much is asked, whose things are read, and that no secret leaves.

use std::sync::Arc;

use kubectl_magnum::bundle::{Bundle, Object, Place, Why, disk};
use kubectl_magnum::exit::code;
use kubectl_magnum::render::{self, Format, Page};
use kubectl_magnum::run;
use serde_json::{Value, json};

use crate::scenario::{World, bundle, nothing};
use crate::server::Reply;

const SCENARIO: &str = "r-03-cores-quota-first-control-plane";
const NAME: &str = "cores-full";
const STACK_ID: &str = "kube-4g0ec";
const UUID: &str = "27893cc9-1ef6-487c-8865-27130428aacd";
const CLUSTERS: &str = "openstack/container-infra/clusters";

async fn world(bundle: Bundle) -> World {
    World::of(bundle, nothing(), nothing()).await
}

/// The scenario with so many machines.
fn with_machines(count: usize) -> Bundle {
    let mut bundle = bundle(SCENARIO);
    let kinds = ["kubernetes/machine", "kubernetes/openstackmachine", "kubernetes/openstackserver"];
    let some: Vec<Object> =
        bundle.objects.iter().filter(|o| kinds.contains(&o.part.as_str())).cloned().collect();
    for n in 0..count {
        for object in &some {
            let mut object = object.clone();
            let name = object.value["metadata"]["name"].as_str().expect("a name").to_owned();
            object.value["metadata"]["name"] = json!(format!("{name}-{n}"));
            bundle.objects.push(object);
        }
    }
    bundle
}

/// Requests of one run: to Kubernetes without the logs, for logs, to OpenStack.
async fn requests(world: &World, word: &str) -> [usize; 3] {
    let before = [world.kube.lines().len(), world.cloud.lines().len()];
    world.gather(word).await.expect("a bundle");
    let kube = world.kube.lines().split_off(before[0]);
    let logs = kube.iter().filter(|line| line.contains("/log?")).count();
    [kube.len() - logs, logs, world.cloud.lines().len() - before[1]]
}

#[tokio::test]
async fn the_number_of_requests_does_not_grow() {
    let (few, many) = (world(with_machines(5)).await, world(with_machines(50)).await);
    let pods = few.bundle.objects.iter().filter(|object| object.part == "kubernetes/pod").count();
    for word in [NAME, UUID, STACK_ID] {
        let asked = requests(&few, word).await;
        assert_eq!(asked, requests(&many, word).await, "{word}");
        let [kube, logs, cloud] = asked;
        assert!(kube <= 20 && logs <= pods && cloud <= 24, "{word}: {asked:?}: {:#?}", few.cloud.lines());
    }
}

#[tokio::test]
async fn few_answers_are_waited_for_in_a_row() {
    for (word, most) in [(NAME, 4), (UUID, 4), (STACK_ID, 5)] {
        let rounds = Arc::default();
        let world = World::in_rounds(with_machines(5), &rounds).await;
        let live = world.gather(word).await.expect("a bundle");
        assert!(live.meta.gaps.is_empty(), "{word}: {:?}", live.meta.gaps);
        let kinds = [world.kube.lines().len(), world.cloud.lines().len()];
        assert!((2..=most).contains(&rounds.count()), "{word}: {} rounds for {kinds:?}", rounds.count());
    }
}

/// Rows of Magnum like the scenario's, with other words in them.
fn rows(bundle: &mut Bundle, more: &[(&str, &str, &str)]) {
    let body = bundle.bodies.iter_mut().find(|body| body.part == CLUSTERS).expect("clusters");
    let rows = body.value["clusters"].as_array_mut().expect("rows");
    let first = rows.first().cloned().expect("a row");
    for (uuid, stack_id, name) in more {
        let mut row = first.clone();
        row["uuid"] = json!(uuid);
        row["cluster_id"] = json!(stack_id);
        row["name"] = json!(name);
        rows.push(row);
    }
}

#[tokio::test]
async fn two_clusters_of_one_name() {
    let other = "11111111-2222-4333-8444-555555555555";
    let mut bundle = bundle(SCENARIO);
    rows(&mut bundle, &[(other, "kube-zzzzz", NAME)]);
    let world = world(bundle).await;
    let failure = world.gather(NAME).await.expect_err("a failure");
    let hint = failure.hint.unwrap_or_default();
    assert_eq!(failure.code, code::NO_SUCH_CLUSTER);
    assert!(hint.contains(UUID) && hint.contains(other), "{hint}");
    let one = world.gather(UUID).await.expect("a bundle");
    assert_eq!(one.meta.target.stack_id.as_deref(), Some(STACK_ID));
}

#[tokio::test]
async fn a_name_that_is_the_uuid_or_the_stack_id_of_another() {
    let other = "11111111-2222-4333-8444-555555555555";
    let mut bundle = bundle(SCENARIO);
    rows(
        &mut bundle,
        &[(other, "kube-zzzzz", UUID), ("99999999-2222-4333-8444-555555555555", "kube-yyyyy", STACK_ID)],
    );
    let world = world(bundle).await;
    // The form of a UUID is a UUID.
    let by_uuid = world.gather(UUID).await.expect("a bundle");
    assert_eq!(by_uuid.meta.target.uuid.as_deref(), Some(UUID));
    // A word that is one cluster's name and another's stack id is two clusters.
    let failure = world.gather(STACK_ID).await.expect_err("a failure");
    assert_eq!(failure.code, code::NO_SUCH_CLUSTER);
    assert!(failure.hint.unwrap_or_default().contains(UUID));
}

#[tokio::test]
async fn a_word_that_nothing_has() {
    let world = world(bundle(SCENARIO)).await;
    assert_eq!(world.gather("nobody").await.expect_err("a failure").code, code::NO_SUCH_CLUSTER);
}

/// A Machine, an event and a line in the log of a cluster.
fn traces(bundle: &mut Bundle, stack_id: &str) {
    let meta = |name: String| json!({"name": name, "namespace": "magnum-system", "labels": {"cluster.x-k8s.io/cluster-name": stack_id}});
    let machine = json!({"kind": "Machine", "apiVersion": "cluster.x-k8s.io/v1beta2", "metadata": meta(format!("{stack_id}-m"))});
    let event = json!({"kind": "Event", "apiVersion": "v1", "metadata": {"name": format!("{stack_id}.1"), "namespace": "magnum-system"},
        "involvedObject": {"kind": "Cluster", "name": stack_id}, "message": format!("about {stack_id}")});
    for object in [machine, event] {
        bundle.take_objects(object).expect("an object");
    }
    let log = bundle.logs.iter_mut().find(|log| log.namespace == "capo-system").expect("a log");
    log.text.push_str(&format!(
        "I1130 20:44:00.000000       7 x.go:1] \"trace\" Cluster=\"magnum-system/{stack_id}\" which=\"{stack_id}\"\n"
    ));
}

#[tokio::test]
async fn a_stack_id_that_is_the_beginning_of_another() {
    let mut bundle = bundle(SCENARIO);
    let longer = format!("{STACK_ID}-x");
    traces(&mut bundle, &longer);
    traces(&mut bundle, STACK_ID);
    let live = world(bundle).await.gather(STACK_ID).await.expect("a bundle");
    let name = |object: &Object| object.value["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    let names: Vec<String> = live.objects.iter().map(name).collect();
    assert!(
        names.contains(&format!("{STACK_ID}-m")) && names.contains(&format!("{STACK_ID}.1")),
        "{names:?}"
    );
    assert!(!names.iter().any(|name| name.starts_with(&longer)), "{names:?}");
    let log = live.logs.iter().find(|log| log.namespace == "capo-system").expect("a log");
    assert!(log.text.contains(&format!("which=\"{STACK_ID}\"")) && !log.text.contains(&longer));
}

#[tokio::test]
async fn a_login_for_another_project() {
    let mut bundle = bundle(SCENARIO);
    bundle.meta.login.project_id = Some("another".to_owned());
    let live = world(bundle).await.gather(STACK_ID).await.expect("a bundle");
    for part in [
        "openstack/compute/servers",
        "openstack/network/ports",
        "openstack/load-balancer/loadbalancers",
        "openstack/volume/volumes",
    ] {
        let gap = live.meta.gaps.iter().find(|gap| gap.part == part).expect(part);
        assert_eq!(gap.why, Why::WrongProject);
        assert!(gap.says.contains("461843c938324dafae99369081c83008"), "{}", gap.says);
    }
    assert!(live.meta.read.iter().any(|part| part == "kubernetes/machine"));
}

#[tokio::test]
async fn an_admin_of_another_project_asks_for_the_right_one() {
    let mut bundle = bundle(SCENARIO);
    bundle.meta.login.project_id = Some("another".to_owned());
    bundle.meta.login.roles = vec!["admin".to_owned()];
    let world = world(bundle).await;
    let live = world.gather(STACK_ID).await.expect("a bundle");
    assert!(live.meta.read.iter().any(|part| part == "openstack/compute/servers"), "{:?}", live.meta.gaps);
    let servers =
        world.cloud.lines().into_iter().find(|line| line.contains("/servers/detail")).expect("servers");
    assert!(servers.contains("all_tenants=1&project_id=461843c938324dafae99369081c83008"), "{servers}");
}

#[tokio::test]
async fn the_wrong_management_cluster() {
    let mut bundle = bundle(SCENARIO);
    bundle.objects.retain(|object| {
        object.value["metadata"]["namespace"] != "magnum-system" && object.part != "kubernetes/clusterclass"
    });
    bundle.logs.clear();
    let live = world(bundle).await.gather(NAME).await.expect("a bundle");
    assert_eq!(live.meta.place, Place::Wrong);
    let gap = live.meta.gaps.iter().find(|gap| gap.part == "kubernetes/cluster").expect("a gap");
    assert_eq!(gap.why, Why::WrongPlace);
    // That it has no machines here says nothing.
    assert!(!live.meta.read.iter().any(|part| part == "kubernetes/machine"), "{:?}", live.meta.read);
}

/// Puts a secret wherever one can be.
fn plant(bundle: &mut Bundle) {
    for object in &mut bundle.objects {
        let value = &mut object.value;
        value["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] =
            json!("pl4nted-a");
        match object.part.as_str() {
            "kubernetes/secret" => value["data"] = json!({"value": "pl4nted-b", "clouds.yaml": "pl4nted-c"}),
            "kubernetes/kubeadmconfig" => {
                value["spec"]["files"] = json!([{"path": "/f", "content": "pl4nted-d"}]);
                value["spec"]["joinConfiguration"] =
                    json!({"discovery": {"bootstrapToken": {"token": "pl4nted-e"}}});
                value["spec"]["preKubeadmCommands"] = json!(["pl4nted-f"]);
            }
            "kubernetes/event" => {
                value["message"] = json!("kube-4g0ec kubeadm join --token pl4nted.g0123456789abcde")
            }
            "kubernetes/cluster" => {
                value["spec"]["topology"]["variables"] =
                    json!([{"name": "aptProxyConfig", "value": "pl4nted-h"}]);
            }
            _ => {}
        }
    }
    for body in &mut bundle.bodies {
        for row in body
            .value
            .as_object_mut()
            .into_iter()
            .flatten()
            .filter_map(|(_, rows)| rows.as_array_mut())
            .flatten()
        {
            if row.is_object() {
                row["adminPass"] = json!("pl4nted-i");
                row["user_data"] = json!("pl4nted-j");
                row["description"] = json!("http://jo:pl4nted-k@proxy");
            }
        }
    }
    for log in &mut bundle.logs {
        log.text.push_str(
            "I1130 20:44:00.000000       7 x.go:1] \"kube-4g0ec\" header=\"X-Auth-Token: pl4nted-l\"\n",
        );
        log.text.push_str("I1130 20:44:01.000000       7 x.go:1] \"kube-4g0ec\" Authorization: Bearer pl4nted-m0123456789\n");
        log.text.push_str("2026-11-30 20:44:43.000 8 ERROR x [-] kube-4g0ec password='pl4nted-n'\n");
    }
}

#[tokio::test]
async fn no_secret_leaves() {
    let mut planted = bundle(SCENARIO);
    plant(&mut planted);
    // Servers that show a caller his own login, and more than was asked for.
    let echo = |seen: &crate::server::Seen| {
        let own = format!(
            "{} {}",
            seen.header("x-auth-token").unwrap_or_default(),
            seen.header("authorization").unwrap_or_default()
        );
        Some(Reply::json(500, json!({"message": format!("refused: {own}")})))
    };
    let world = World::of(
        planted,
        Arc::new(move |seen| if seen.line.contains("machinehealthchecks") { echo(seen) } else { None }),
        Arc::new(move |seen| if seen.line.contains("routers") { echo(seen) } else { None }),
    )
    .await;
    let live = world.gather(STACK_ID).await.expect("a bundle");
    assert_eq!(live.meta.gaps.len(), 2, "{:?}", live.meta.gaps);
    let report = run::why(&live, None).expect("a report");
    let page = Page::default();
    let formats = [Format::Text, Format::Wide, Format::Json, Format::Yaml, Format::Markdown];
    let mut all: Vec<(String, String)> =
        formats.iter().map(|format| (format!("{format:?}"), render::why(&report, *format, &page))).collect();
    let folder = tempfile::tempdir().expect("folder");
    let written = disk::write(&live, &folder.path().join("bundle")).expect("a bundle");
    for file in written {
        let bytes = std::fs::read(folder.path().join("bundle").join(&file.path)).expect("a file");
        all.push((file.path, String::from_utf8_lossy(&bytes).into_owned()));
    }
    let leaks: Vec<String> = all
        .iter()
        .flat_map(|(name, text)| {
            text.lines().filter(|line| line.contains("pl4nted")).map(move |line| format!("{name}: {line}"))
        })
        .collect();
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
    // And what was written is what was gathered.
    let again = disk::read(&folder.path().join("bundle")).expect("the bundle");
    assert_eq!(again.meta, live.meta);
    let value = |bundle: &Bundle| bundle.bodies.iter().map(|body| body.value.clone()).collect::<Vec<Value>>();
    assert_eq!(value(&again), value(&live));
}
