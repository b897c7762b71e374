//! What only leftovers need: the marks of clusters that nobody knows any more.

use std::collections::BTreeSet;

use futures::future::join_all;
use serde_json::json;

use super::clock::Clock;
use super::connect::{self, Sides};
use super::harvest::{Harvest, Outcome};
use super::host::Host;
use super::kinds::{CLUSTER, KINDS, Row};
use super::kubernetes::Which;
use super::scope::Scope;
use super::{Request, lists, place};
use crate::bundle::{Bundle, Meta, Place, Target, meta};
use crate::exit::Failure;
use crate::model::belongs::Marks;
use crate::model::plan::Plan;
use crate::model::{Snapshot, World};

/// Secrets of a cluster that have no label of Cluster API: the manifests of the driver, and the
/// release of its autoscaler (helm.sh/helm pkg/storage/driver/secrets.go).
pub(super) fn secrets<'a>(target: &Target, namespace: &'a str) -> Vec<Which<'a>> {
    let which = Which { namespace: Some(namespace), name: None, labels: None };
    let named = |name: String| Which { name: Some(name), ..which.clone() };
    let by_stack_id = target.stack_id.iter().flat_map(|id| {
        let release = Which { labels: Some(format!("owner=helm,name={id}")), ..which.clone() };
        [named(format!("{id}-cloud-provider")), release]
    });
    let by_uuid = target.uuid.iter().map(|uuid| named(uuid.clone()));
    by_stack_id.chain(by_uuid).collect()
}

/// What follows when a delete is over: no logs and no consoles, but the ports of any project that
/// hold one of the groups.
pub(super) fn plan(bundle: &Bundle) -> Plan {
    let world = World::new(bundle);
    let target = &bundle.meta.target;
    let snapshot = Snapshot::new(&world, "", target.uuid.as_deref(), target.stack_id.as_deref());
    let own = snapshot.cloud.groups.some().iter().filter(|g| snapshot.marks.group(g.text("name")));
    Plan { held_groups: own.map(|g| g.text("id").to_owned()).collect(), ..Plan::default() }
}

/// Reads everything in a project that may carry the mark of a cluster, and the clusters that are
/// known.
///
/// # Errors
/// Neither side could be asked.
pub async fn project(request: &Request<'_>, host: &Host, clock: &Clock) -> Result<Bundle, Failure> {
    let sides = connect::both(request, host, clock).await?;
    let namespace = sides.meta.namespace.clone();
    let of_login = sides.cloud.as_ref().map(|c| Scope::of(c.session.token(), request.project));
    let scope = Scope { slim: true, ..of_login.unwrap_or_default() };
    let mut harvest = Harvest::default();
    harvest.bundle.meta = Meta {
        format: meta::FORMAT,
        command: request.command.to_owned(),
        place: Place::Unknown,
        all_clusters: true,
        target: Target { project_id: scope.project.clone(), ..Target::default() },
        ..sides.meta.clone()
    };
    let (objects, bodies) = futures::join!(heads(&sides, &namespace), lists(&sides, &scope));
    objects.into_iter().for_each(|outcome| harvest.objects(outcome));
    bodies.into_iter().for_each(|outcome| harvest.bodies(outcome));
    match (&sides.cloud, &scope.wrong) {
        (Err(fault), _) => lists::no_openstack(&mut harvest, fault, true),
        (Ok(_), Some(says)) => lists::wrong_project(&mut harvest, says, true),
        _ => {}
    }
    if let Ok(kube) = &sides.kube {
        let marks = Marks::new(None, None, &namespace, &BTreeSet::new());
        let there = match place::marked(&harvest.bundle.objects, &marks) {
            true => Place::Right,
            false => place::establish(kube, sides.cloud.as_ref().ok(), &marks).await,
        };
        harvest.bundle.meta.place = there;
        if there != Place::Right {
            place::forget(&mut harvest, there);
        }
    }
    harvest.finish();
    Ok(std::mem::take(&mut harvest.bundle))
}

/// Kinds of which something can be left without a Cluster, and the class that proves the place.
const KINDS_LEFT: [&str; 4] = ["OpenStackCluster", "ClusterResourceSet", "Secret", "ClusterClass"];

/// The metadata of what the namespace has.
async fn heads(sides: &Sides, namespace: &str) -> Vec<Outcome> {
    let rows = KINDS.iter().filter(|row| KINDS_LEFT.contains(&row.kind)).chain([&CLUSTER]);
    let rows: Vec<Row> = rows.map(|row| Row { head_only: true, ..*row }).collect();
    let which = Which { namespace: Some(namespace), name: None, labels: None };
    match &sides.kube {
        Ok(kube) => join_all(rows.iter().map(|row| kube.read(row, &which))).await,
        Err(fault) => rows.iter().map(|row| Outcome::fault(row.part(), fault.clone())).collect(),
    }
}

/// Magnum's clusters, and what the project has.
async fn lists(sides: &Sides, scope: &Scope) -> Vec<Outcome> {
    let part = "openstack/container-infra/clusters";
    let cloud = match &sides.cloud {
        Ok(cloud) => cloud,
        Err(fault) => return vec![Outcome::fault(part, fault.clone())],
    };
    let (rows, mut outcomes) = futures::join!(cloud.clusters(), lists::openstack(cloud, scope, None, true));
    outcomes.push(match rows {
        Ok(rows) => Outcome::whole(part).with(json!({ "clusters": rows })),
        Err(fault) => Outcome::fault(part, fault),
    });
    outcomes
}
