//! The beats of one run: which cluster, what exists, what follows.

use std::collections::BTreeSet;

use futures::StreamExt;
use futures::future::join_all;
use futures::stream;
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::clock::Clock;
use super::connect::{self, Sides};
use super::harvest::{Harvest, Outcome};
use super::host::Host;
use super::keep::Wanted;
use super::kinds::CLUSTER;
use super::openstack::{Cloud, Read};
use super::scope::Scope;
use super::which::{self, Found};
use super::{Request, left, lists, logs, place};
use crate::bundle::{Bundle, Meta, Place, Why, meta};
use crate::exit::Failure;
use crate::model::belongs::Marks;
use crate::model::plan::{self, Plan};
use crate::model::{Doc, Snapshot, World};

/// Logs that are read at the same time; each needs a few hundred kilobytes.
const LOGS_AT_ONCE: usize = 8;

/// Reads everything about one cluster that it takes to say why it is stuck.
///
/// # Errors
/// No cluster or several are meant, neither side could be asked, or too little to tell which.
pub async fn gather(request: &Request<'_>, host: &Host, clock: &Clock) -> Result<Bundle, Failure> {
    let sides = connect::both(request, host, clock).await?;
    let namespace = sides.meta.namespace.clone();
    let (kube, cloud) = (sides.kube.as_ref(), sides.cloud.as_ref());
    let found = which::find(kube, cloud, request.cluster, &namespace, request.forgotten).await?;
    let mut harvest = Harvest::default();
    harvest.bundle.meta = index(request, &sides, &found);
    let row = found.magnum.as_ref().ok().and_then(Option::as_ref).cloned();
    let scope = scope(&sides, request, row.as_ref());
    if harvest.bundle.meta.target.project_id.is_none() && request.forgotten {
        harvest.bundle.meta.target.project_id = scope.project.clone();
    }
    harvest.bodies(magnum(&found));
    if !found.by_name {
        harvest.objects(found.cluster.clone());
    }
    second(&sides, &mut harvest, &scope, &found, request.leftovers).await;
    let others = place::stack_ids(&harvest.bundle.objects);
    let target = harvest.bundle.meta.target.clone();
    let known: BTreeSet<&str> = others.iter().map(String::as_str).collect();
    let marks = Marks::new(target.uuid.as_deref(), target.stack_id.as_deref(), &namespace, &known);
    place::only_own(&mut harvest.bundle.objects, &marks);
    let marked = place::marked(&harvest.bundle.objects, &marks);
    let there = async {
        match kube {
            Ok(_) if marked => Place::Right,
            Ok(kube) => place::establish(kube, cloud.ok(), &marks).await,
            Err(_) => Place::Unknown,
        }
    };
    let back = SignedDuration::try_from(request.log_since).unwrap_or(SignedDuration::MAX);
    let (mut plan, things) = planned(&mut harvest, request.cluster, back);
    if request.slim {
        plan = left::plan(&harvest.bundle);
    }
    let follows = third(&sides, &mut harvest, &scope, &plan, marks.clone(), things, row.as_ref());
    let (there, ()) = futures::join!(there, follows);
    // A record of a controller proves the place too.
    let logged = harvest.bundle.logs.iter().any(|log| marks.in_text(&log.text));
    harvest.bundle.meta.place = if logged { Place::Right } else { there };
    if kube.is_ok() && harvest.bundle.meta.place != Place::Right {
        place::forget(&mut harvest, there);
    }
    harvest.finish();
    Ok(std::mem::take(&mut harvest.bundle))
}

/// Reads the list of all clusters: the Magnum rows and the Cluster objects. Magnum shows an
/// admin those of every project; unless they are wanted, only the login's own are kept.
///
/// # Errors
/// Neither side could be asked.
pub async fn clusters(
    request: &Request<'_>,
    all_projects: bool,
    host: &Host,
    clock: &Clock,
) -> Result<Bundle, Failure> {
    let sides = connect::both(request, host, clock).await?;
    let kubernetes = async {
        match &sides.kube {
            Ok(kube) => lists::clusters(kube, &sides.meta.namespace).await,
            Err(fault) => Outcome::fault(CLUSTER.part(), fault.clone()),
        }
    };
    let openstack = async {
        match &sides.cloud {
            Ok(cloud) => cloud.clusters().await,
            Err(fault) => Err(fault.clone()),
        }
    };
    let (objects, rows) = futures::join!(kubernetes, openstack);
    let own = sides.cloud.as_ref().ok().and_then(|cloud| cloud.session.token().project.as_ref());
    let wanted = |row: &Value| {
        let project = request.project.or(own.map(|own| own.id.as_str())).filter(|_| !all_projects);
        project.is_none_or(|project| Doc(row).str("project_id").is_none_or(|id| id == project))
    };
    let part = "openstack/container-infra/clusters";
    let mut harvest = Harvest::default();
    harvest.bundle.meta =
        Meta { format: meta::FORMAT, command: request.command.to_owned(), ..sides.meta.clone() };
    harvest.bodies(match rows {
        Ok(rows) => {
            let rows: Vec<Value> = rows.into_iter().filter(wanted).collect();
            Outcome::whole(part).with(json!({ "clusters": rows }))
        }
        Err(fault) => Outcome::fault(part, fault),
    });
    harvest.objects(objects);
    harvest.finish();
    Ok(std::mem::take(&mut harvest.bundle))
}

fn index(request: &Request<'_>, sides: &Sides, found: &Found) -> Meta {
    let mut meta = Meta {
        format: meta::FORMAT,
        tool: concat!("kubectl-magnum ", env!("CARGO_PKG_VERSION")).to_owned(),
        command: request.command.to_owned(),
        asked_for: request.cluster.to_owned(),
        target: found.target.clone(),
        ..sides.meta.clone()
    };
    if let Some(offset) = found.date.as_deref().and_then(connect::offset) {
        meta.clocks.insert("container-infra".to_owned(), offset);
    }
    if let Some(newest) = &found.newest {
        tracing::debug!(service = "container-infra", newest, "API versions");
    }
    if let Some(newest) = found.newest.as_deref().filter(|newest| is_before_node_groups(newest)) {
        meta.notes.push(format!("this Magnum knows API version {newest} at most; node groups came with 1.9"));
    }
    if let Some(also) = request.also.filter(|_| found.all.is_some()) {
        match plan::is_uuid(also) {
            true => meta.target.uuid.get_or_insert_with(|| also.to_owned()),
            false => meta.target.stack_id.get_or_insert_with(|| also.to_owned()),
        };
    }
    meta.all_clusters = found.all.is_some();
    meta.target.project_id = found.target.project_id.clone().or_else(|| request.project.map(str::to_owned));
    meta
}

/// Whether a Magnum microversion is below 1.9.
fn is_before_node_groups(newest: &str) -> bool {
    let numbers: Vec<u32> = newest.split('.').filter_map(|n| n.parse().ok()).collect();
    matches!(numbers.as_slice(), [major, minor] if (*major, *minor) < (1, 9))
}

fn magnum(found: &Found) -> Outcome {
    let part = "openstack/container-infra/clusters";
    match &found.magnum {
        Ok(None) => Outcome::whole(part).with(json!({ "clusters": found.all.clone().unwrap_or_default() })),
        Ok(row) => Outcome::whole(part).with(json!({ "clusters": row.iter().collect::<Vec<_>>() })),
        Err(fault) => Outcome::fault(part, fault.clone()),
    }
}

fn scope(sides: &Sides, request: &Request<'_>, row: Option<&Value>) -> Scope {
    let project = row.and_then(|row| Doc(row).str("project_id")).or(request.project);
    let scope = sides.cloud.as_ref().map(|cloud| Scope::of(cloud.session.token(), project));
    Scope { slim: request.slim, ..scope.unwrap_or_default() }
}

/// What exists.
async fn second(sides: &Sides, harvest: &mut Harvest, scope: &Scope, found: &Found, leftovers: bool) {
    let row = found.magnum.as_ref().ok().and_then(Option::as_ref);
    let Meta { target, namespace, .. } = harvest.bundle.meta.clone();
    let kubernetes = async {
        match &sides.kube {
            Ok(kube) => {
                let cluster = async {
                    match found.by_name {
                        true => Some(which::cluster_of(kube, &target, &namespace).await),
                        false => None,
                    }
                };
                let (cluster, mut lists) =
                    futures::join!(cluster, lists::kubernetes(kube, &target, &namespace, leftovers));
                lists.extend(cluster);
                Some(lists)
            }
            Err(_) => None,
        }
    };
    let openstack = async {
        match &sides.cloud {
            Ok(cloud) => Some(lists::openstack(cloud, scope, row, leftovers).await),
            Err(_) => None,
        }
    };
    let (objects, bodies) = futures::join!(kubernetes, openstack);
    objects.into_iter().flatten().for_each(|outcome| harvest.objects(outcome));
    bodies.into_iter().flatten().for_each(|outcome| harvest.bodies(outcome));
    if let Err(fault) = &sides.kube {
        lists::no_kubernetes(harvest, fault);
    }
    match (&sides.cloud, &scope.wrong) {
        (Err(fault), _) => lists::no_openstack(harvest, fault, leftovers),
        (Ok(_), Some(says)) => lists::wrong_project(harvest, says, leftovers),
        _ => {}
    }
}

/// What is to be read next, and the names by which records of logs are told.
fn planned(harvest: &mut Harvest, word: &str, back: SignedDuration) -> (Plan, Vec<String>) {
    let bundle = &*harvest.finish();
    let target = &bundle.meta.target;
    let world = World::new(bundle);
    let snapshot = Snapshot::new(&world, word, target.uuid.as_deref(), target.stack_id.as_deref());
    (plan::next(&snapshot, back), plan::things(&snapshot))
}

/// What follows.
async fn third(
    sides: &Sides,
    harvest: &mut Harvest,
    scope: &Scope,
    plan: &Plan,
    marks: Marks,
    things: Vec<String>,
    row: Option<&Value>,
) {
    let taken_at = harvest.bundle.meta.taken_at.unwrap_or_default();
    let wanted = Wanted::new(marks, &things, taken_at);
    let changes = row.map(|row| plan::changes(Doc(row))).unwrap_or_default();
    let of_conductor = wanted.of_conductor(harvest.bundle.meta.target.project_id.as_deref(), &changes);
    let logs = async {
        let Ok(kube) = &sides.kube else { return Vec::new() };
        let read = plan.logs.iter().map(|log| {
            let wanted = if log.conductor { &of_conductor } else { &wanted };
            logs::read(kube, log, wanted.clone())
        });
        stream::iter(read).buffer_unordered(LOGS_AT_ONCE).collect().await
    };
    let cloud = async {
        match &sides.cloud {
            Ok(cloud) => details(cloud, scope, plan).await,
            Err(_) => (Vec::new(), None),
        }
    };
    let (logs, (bodies, console)) = futures::join!(logs, cloud);
    for read in logs {
        harvest.log(read.log, &read.since.to_string(), read.fault);
    }
    bodies.into_iter().for_each(|outcome| harvest.bodies(outcome));
    if let (Some(server), Some(text)) = (&plan.console, console) {
        harvest.console(server, text);
    }
    if plan.conductor && sides.kube.is_ok() && !plan.logs.iter().any(|log| log.conductor) {
        let says =
            "no pod of a magnum-conductor (labels application=magnum, component=conductor) was found here";
        harvest.gap("log/magnum-conductor", Why::NotCollected, says);
    }
}

type Console = Option<Result<String, super::fault::Fault>>;

async fn details(cloud: &Cloud, scope: &Scope, plan: &Plan) -> (Vec<Outcome>, Console) {
    let mut reads = Vec::new();
    if scope.wrong.is_none() && plan.images_and_flavors {
        reads.extend([Read::Images, Read::Flavors]);
    }
    if scope.wrong.is_none() && !plan.networks.is_empty() {
        reads.push(Read::NamedNetworks(plan.networks.clone()));
    }
    // Only an admin sees the ports of others.
    if scope.admin && !plan.held_groups.is_empty() {
        reads.push(Read::Holders(plan.held_groups.clone()));
    }
    let console = async {
        match &plan.console {
            Some(server) => Some(cloud.console(server).await),
            None => None,
        }
    };
    futures::join!(join_all(reads.iter().map(|read| cloud.read(read, scope))), console)
}
