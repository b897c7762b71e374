//! A management cluster and a cloud that answer what a scenario's bundle holds.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use kubectl_magnum::bundle::{Bundle, disk};
use kubectl_magnum::exit::Failure;
use kubectl_magnum::gather::cloud::CloudOptions;
use kubectl_magnum::gather::host::Host;
use kubectl_magnum::gather::kinds::{CLUSTER, KINDS, Row};
use kubectl_magnum::gather::kubeconfig::KubeOptions;
use kubectl_magnum::gather::{Clock, Request, gather};
use serde_json::{Value, json};

use crate::scenario_cloud::openstack;
use crate::server::{Reply, Rounds, Seen, Server};

/// What a test answers in place of the scenario; none leaves the answer as it is.
pub(crate) type Instead = Arc<dyn Fn(&Seen) -> Option<Reply> + Send + Sync>;

/// The two servers of a scenario.
pub(crate) struct World {
    pub(crate) bundle: Arc<Bundle>,
    pub(crate) kube: Server,
    pub(crate) cloud: Server,
    folder: tempfile::TempDir,
    /// How long one answer may take.
    patience: Duration,
}

/// Short, so that tests of servers that hang are.
const ONE_ANSWER: Duration = Duration::from_millis(1500);

/// For servers that let others go first.
const ONE_ROUND: Duration = Duration::from_secs(8);

/// The bundle of a scenario.
pub(crate) fn bundle(name: &str) -> Bundle {
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios").join(name).join("bundle");
    disk::read(&path).expect("a bundle")
}

/// True for a bundle that somebody wrote from a report: it has the decisive documents only.
pub(crate) fn is_composed(bundle: &Bundle) -> bool {
    bundle.meta.login.roles.is_empty()
}

/// Gives a composed bundle what real servers always have: a login, and Cluster API's label.
fn completed(mut bundle: Bundle) -> Bundle {
    if !is_composed(&bundle) {
        return bundle;
    }
    bundle.meta.login.project_id = bundle.meta.target.project_id.clone().or(Some("p".to_owned()));
    bundle.meta.login.roles = vec!["admin".to_owned()];
    let stack_id = bundle.meta.target.stack_id.clone().unwrap_or_default();
    let class = json!({"kind": "ClusterClass", "apiVersion": "cluster.x-k8s.io/v1beta1",
        "metadata": {"name": "magnum-v0.38.2", "namespace": "magnum-system"}});
    if !bundle.objects.iter().any(|object| object.part == "kubernetes/clusterclass") {
        bundle.take_objects(class).expect("a class");
    }
    for log in bundle.logs.clone() {
        let pod = json!({"kind": "Pod", "apiVersion": "v1",
            "metadata": {"name": log.pod, "namespace": log.namespace},
            "spec": {"containers": [{"name": log.container}]}});
        if !bundle.objects.iter().any(|object| text(&object.value, "/metadata/name") == log.pod) {
            bundle.take_objects(pod).expect("a pod");
        }
    }
    for object in &mut bundle.objects {
        let name = text(&object.value, "/metadata/name").to_owned();
        let kind = text(&object.value, "/kind").to_owned();
        let labels = object.value.pointer_mut("/metadata").and_then(Value::as_object_mut).expect("metadata");
        let labels = labels.entry("labels").or_insert_with(|| json!({})).as_object_mut().expect("labels");
        if name.starts_with(&stack_id) && kind != "Cluster" {
            labels.entry("cluster.x-k8s.io/cluster-name").or_insert_with(|| json!(stack_id));
        }
        if kind == "Pod" && name.contains("controller-manager") {
            labels.entry("cluster.x-k8s.io/provider").or_insert_with(|| json!("some"));
        }
        if name.starts_with("magnum-conductor") {
            labels.insert("application".to_owned(), json!("magnum"));
            labels.insert("component".to_owned(), json!("conductor"));
        }
    }
    bundle
}

/// Nothing is answered in place of anything.
pub(crate) fn nothing() -> Instead {
    Arc::new(|_| None)
}

impl World {
    pub(crate) async fn of(bundle: Bundle, kube: Instead, cloud: Instead) -> World {
        World::start(bundle, kube, cloud, None).await
    }

    /// Both servers answer in rounds.
    pub(crate) async fn in_rounds(bundle: Bundle, rounds: &Arc<Rounds>) -> World {
        World::start(bundle, nothing(), nothing(), Some(Arc::clone(rounds))).await
    }

    async fn start(bundle: Bundle, kube: Instead, cloud: Instead, rounds: Option<Arc<Rounds>>) -> World {
        let bundle = Arc::new(completed(bundle));
        let patience = if rounds.is_some() { ONE_ROUND } else { ONE_ANSWER };
        let (for_kube, for_cloud) = (Arc::clone(&bundle), Arc::clone(&bundle));
        let date = bundle.meta.taken_at.expect("a time").strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
        let dated = date.clone();
        let kube = Server::start_in(rounds.clone(), None, move |seen| {
            kube(seen).unwrap_or_else(|| kubernetes(&for_kube, seen)).with("date", &date)
        })
        .await;
        let cloud = Server::start_in(rounds, None, move |seen| {
            cloud(seen).unwrap_or_else(|| openstack(&for_cloud, seen)).with("date", &dated)
        })
        .await;
        World { bundle, kube, cloud, folder: tempfile::tempdir().expect("folder"), patience }
    }

    /// An empty folder of this test alone.
    pub(crate) fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    /// What a run against these servers gathers.
    pub(crate) async fn gather(&self, word: &str) -> Result<Bundle, Failure> {
        self.gather_within(word, Duration::from_secs(20)).await
    }

    pub(crate) async fn gather_within(&self, word: &str, timeout: Duration) -> Result<Bundle, Failure> {
        let kube = KubeOptions {
            server: Some(self.kube.url()),
            token: Some("pl4nted-bearer".to_owned()),
            request_timeout: Some(self.patience),
            ..KubeOptions::default()
        };
        let cloud = CloudOptions {
            os_auth_url: Some(format!("{}/v3", self.cloud.url())),
            os_username: Some("jo".to_owned()),
            os_password: Some("pl4nted-password".to_owned()),
            os_project_id: self.bundle.meta.login.project_id.clone().or(Some("x".to_owned())),
            ..CloudOptions::default()
        };
        let host = Host { cwd: self.folder.path().to_owned(), ..Host::default() };
        let request = Request {
            cluster: word,
            command: "why",
            kube: &kube,
            cloud: &cloud,
            log_since: Duration::from_secs(7200),
            project: None,
            leftovers: false,
            slim: false,
            forgotten: false,
            also: None,
        };
        gather(&request, &host, &Clock::start(timeout)).await
    }
}

/// Path and query of a request.
pub(crate) fn parts(seen: &Seen) -> (Vec<String>, Vec<(String, String)>) {
    let (_, target) = seen.line.split_once(' ').expect("a request line");
    let url = reqwest::Url::parse(&format!("http://server{target}")).expect("a URL");
    let segments = url.path_segments().expect("a path").map(str::to_owned).collect();
    (segments, url.query_pairs().map(|(k, v)| (k.into_owned(), v.into_owned())).collect())
}

pub(crate) fn of<'a>(query: &'a [(String, String)], key: &str) -> Option<&'a str> {
    query.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str())
}

pub(crate) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// True if a scenario has something of the part, or has it whole with nothing in it.
pub(crate) fn is_read(bundle: &Bundle, part: &str) -> bool {
    bundle.meta.read.iter().any(|read| read == part || read.starts_with(&format!("{part} ")))
        || bundle.objects.iter().any(|object| object.part == part)
        || bundle.bodies.iter().any(|body| body.part == part)
}

fn rows() -> Vec<Row> {
    KINDS.iter().chain([&CLUSTER]).copied().collect()
}

fn status(code: u16, says: &str) -> Reply {
    Reply::json(
        code,
        json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": says, "code": code}),
    )
}

/// Versions that the objects of the scenario are in; older contracts have older ones.
fn served(bundle: &Bundle) -> BTreeMap<String, BTreeSet<String>> {
    let mut groups: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for object in &bundle.objects {
        if let Some((group, version)) = text(&object.value, "/apiVersion").split_once('/') {
            groups.entry(group.to_owned()).or_default().insert(version.to_owned());
        }
    }
    for row in rows().iter().filter(|row| !row.group.is_empty()) {
        let versions = groups.entry(row.group.to_owned()).or_default();
        if !row.versions.iter().any(|version| versions.contains(*version)) {
            versions.insert(row.versions.last().expect("a version").to_string());
        }
    }
    groups
}

fn kubernetes(bundle: &Bundle, seen: &Seen) -> Reply {
    let (path, query) = parts(seen);
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let (group, version, rest) = match path.as_slice() {
        ["apis"] => {
            let groups = served(bundle).into_iter().map(|(name, versions)| {
                let versions: Vec<Value> = versions
                    .iter()
                    .map(|v| json!({"groupVersion": format!("{name}/{v}"), "version": v}))
                    .collect();
                json!({"name": name, "versions": versions})
            });
            let groups: Vec<Value> = groups.collect();
            return Reply::json(200, json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}));
        }
        ["api", "v1", "namespaces", namespace, "pods", pod, "log"] => {
            let log = bundle.logs.iter().find(|log| {
                (log.namespace.as_str(), log.pod.as_str()) == (*namespace, *pod)
                    && Some(log.container.as_str()) == of(&query, "container")
                    && log.previous == of(&query, "previous").is_some()
            });
            let body = log.map(|log| log.text.clone()).unwrap_or_default();
            return Reply::Whole {
                status: 200,
                headers: vec![("content-type", "text/plain".to_owned())],
                body,
            };
        }
        ["api", version, rest @ ..] => ("", *version, rest),
        ["apis", group, version, rest @ ..] => (*group, *version, rest),
        _ => return status(404, "the server could not find the requested resource"),
    };
    let (namespace, plural, name) = match rest {
        ["namespaces", namespace, plural] => (Some(*namespace), *plural, None),
        ["namespaces", namespace, plural, name] => (Some(*namespace), *plural, Some(*name)),
        [plural] => (None, *plural, None),
        _ => return status(404, "the server could not find the requested resource"),
    };
    let Some(row) = rows().into_iter().find(|row| row.plural == plural && row.group == group) else {
        return status(404, "the server could not find the requested resource");
    };
    // Events were never a part that is whole.
    if !is_read(bundle, &row.part()) && row.kind != "Event" {
        return status(403, &format!("{plural} is forbidden: User \"jo\" cannot list resource"));
    }
    let api = row.api_version(version);
    let ours = bundle.objects.iter().map(|object| &object.value).filter(|value| {
        text(value, "/kind") == row.kind
            && (row.group.is_empty() || text(value, "/apiVersion") == api)
            && namespace.is_none_or(|namespace| text(value, "/metadata/namespace") == namespace)
            && labelled(value, of(&query, "labelSelector"))
    });
    match name {
        None => {
            let items: Vec<&Value> = ours.collect();
            Reply::json(
                200,
                json!({"kind": format!("{}List", row.kind), "apiVersion": api, "metadata": {}, "items": items}),
            )
        }
        Some(name) => match ours.into_iter().find(|value| text(value, "/metadata/name") == name) {
            Some(object) => Reply::json(200, object),
            None => status(404, &format!("{plural} \"{name}\" not found")),
        },
    }
}

fn labelled(value: &Value, selector: Option<&str>) -> bool {
    let label = |key: &str| value.pointer("/metadata/labels").and_then(|labels| labels.get(key)?.as_str());
    selector.is_none_or(|selector| {
        selector.split(',').all(|term| match term.split_once('=') {
            Some((key, wanted)) => label(key) == Some(wanted),
            None => label(term).is_some(),
        })
    })
}
