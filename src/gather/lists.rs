//! The second beat: what exists. Everything at once.

use futures::future::join_all;
use serde_json::Value;

use super::fault::Fault;
use super::harvest::{Harvest, Outcome};
use super::kinds::{CLUSTER, Found, KINDS, Row};
use super::kubernetes::{Kube, Which};
use super::left;
use super::openstack::{Cloud, LEFT, OWNED, Read, rows};
use super::scope::Scope;
use crate::bundle::{Target, Why};
use crate::model::Doc;

/// Label of Cluster API on every object of a cluster.
const CLUSTER_NAME: &str = "cluster.x-k8s.io/cluster-name";

/// Reads the objects of the cluster.
pub(super) async fn kubernetes(
    kube: &Kube,
    target: &Target,
    namespace: &str,
    leftovers: bool,
) -> Vec<Outcome> {
    let asked = |row: &Row| {
        let mut asked = which(row, target, namespace);
        if leftovers && row.kind == "Secret" {
            asked.extend(left::secrets(target, namespace));
        }
        asked
    };
    let questions = KINDS.iter().flat_map(|row| asked(row).into_iter().map(move |w| (row, w)));
    join_all(questions.map(|(row, which)| async move { kube.read(row, &which).await })).await
}

/// Reads every Cluster of the namespace.
pub(super) async fn clusters(kube: &Kube, namespace: &str) -> Outcome {
    kube.read(&CLUSTER, &Which { namespace: Some(namespace), name: None, labels: None }).await
}

/// The questions that find a kind's objects where they belong to no cluster.
pub(super) fn everywhere(row: &Row) -> Vec<Which<'static>> {
    match row.found {
        Found::Everywhere(_) => which(row, &Target::default(), ""),
        _ => Vec::new(),
    }
}

/// The questions that find a kind's objects.
fn which<'a>(row: &Row, target: &Target, namespace: &'a str) -> Vec<Which<'a>> {
    let list = |labels: Option<String>| Which { namespace: Some(namespace), name: None, labels };
    let labelled = || match (&target.stack_id, &target.uuid) {
        (Some(stack_id), _) => list(Some(format!("{CLUSTER_NAME}={stack_id}"))),
        // Without a stack id the driver made nothing; a trace would carry the UUID.
        (None, uuid) => list(Some(format!("cluster-uuid={}", uuid.as_deref().unwrap_or_default()))),
    };
    match row.found {
        Found::Labelled => vec![labelled()],
        Found::LabelledAndNamed(suffix) => {
            let name = target.stack_id.as_ref().map(|id| format!("{id}{suffix}"));
            let named = name.map(|name| Which { name: Some(name), ..list(None) });
            [Some(labelled()), named].into_iter().flatten().collect()
        }
        Found::OwnInNamespace | Found::Namespace => vec![list(None)],
        Found::Everywhere(labels) => vec![Which { namespace: None, ..list(Some(labels.to_owned())) }],
    }
}

/// Notes that nothing of Kubernetes can be read.
pub(super) fn no_kubernetes(harvest: &mut Harvest, fault: &Fault) {
    for row in KINDS.iter().chain([&CLUSTER]) {
        harvest.objects(Outcome::fault(row.part(), fault.clone()));
    }
}

/// Reads what OpenStack has of the cluster and its project.
pub(super) async fn openstack(
    cloud: &Cloud,
    scope: &Scope,
    row: Option<&Value>,
    leftovers: bool,
) -> Vec<Outcome> {
    let mut reads = Vec::new();
    if let Some(row) = row.map(Doc) {
        reads.extend(row.str("cluster_template_id").map(|id| Read::Template(id.to_owned())));
        let user = row.str("user_id").map(str::to_owned);
        reads.extend(user.iter().flat_map(|id| [Read::User(id.clone()), Read::Credentials(id.clone())]));
    } else if leftovers {
        // Whose credential the cluster had is not known; the login's own it may see.
        reads.push(Read::Credentials(cloud.session.token().user.id.clone()));
    }
    if scope.project.is_some() {
        reads.push(Read::Project);
    }
    if scope.wrong.is_none() {
        reads.extend(OWNED);
        reads.extend(LEFT.into_iter().filter(|_| leftovers));
    }
    let reads = join_all(reads.iter().map(|read| cloud.read(read, scope)));
    let (mut outcomes, groups) = futures::join!(reads, async {
        match row {
            Some(row) => Some(node_groups(cloud, scope, Doc(row)).await),
            None => None,
        }
    });
    outcomes.extend(groups);
    outcomes
}

/// Notes that the lists of the project belong to somebody else.
pub(super) fn wrong_project(harvest: &mut Harvest, says: &str, leftovers: bool) {
    for read in OWNED.into_iter().chain(LEFT.into_iter().filter(|_| leftovers)) {
        harvest.gap(read.part(), Why::WrongProject, says);
    }
}

/// Notes that nothing of OpenStack can be read.
pub(super) fn no_openstack(harvest: &mut Harvest, fault: &Fault, leftovers: bool) {
    let id = String::new;
    let named = [Read::NodeGroups(id()), Read::Project, Read::User(id()), Read::Credentials(id())];
    for read in OWNED.iter().chain(&named).chain(LEFT.iter().filter(|_| leftovers)) {
        harvest.bodies(Outcome::fault(read.part(), fault.clone()));
    }
}

/// The node groups. The list has no reasons; a failed group that the cluster's `faults` do not
/// explain is asked for by itself (openstack/magnum, `magnum/api/controllers/v1/nodegroup.py`).
async fn node_groups(cloud: &Cloud, scope: &Scope, row: Doc<'_>) -> Outcome {
    let uuid = row.text("uuid");
    let mut outcome = cloud.read(&Read::NodeGroups(uuid.to_owned()), scope).await;
    let told = |name: &str| {
        let said = row.at("faults").and_then(|faults| faults.get(name)).and_then(Value::as_str);
        said.is_some_and(|said| !said.is_empty())
    };
    let failed = |group: &Value| {
        let group = Doc(group);
        let failed = group.text("status").ends_with("_FAILED") && group.at("status_reason").is_none();
        (failed && !told(group.text("name"))).then(|| group.text("uuid").to_owned())
    };
    let groups: Vec<Value> = outcome.documents.iter().flat_map(|page| rows(page, "nodegroups")).collect();
    let failed: Vec<String> = groups.iter().filter_map(failed).collect();
    let whole = join_all(
        failed.iter().map(|id| async move { cloud.magnum(&["clusters", uuid, "nodegroups", id]).await }),
    )
    .await;
    for answer in whole {
        match answer {
            Ok(answer) => replace(&mut outcome, serde_json::from_slice(&answer.bytes).unwrap_or_default()),
            Err(fault) => outcome.fault = outcome.fault.or(Some(fault)),
        }
    }
    outcome
}

/// Puts a group in place of its row in the list.
fn replace(outcome: &mut Outcome, group: Value) {
    let lists = outcome.documents.iter_mut().filter_map(|page| page.get_mut("nodegroups")?.as_array_mut());
    if let Some(row) =
        lists.flatten().find(|row| row.get("uuid").is_some() && row.get("uuid") == group.get("uuid"))
    {
        *row = group;
    }
}
