//! Quick looks: names for completion, and versions. Each side goes its own way, so that one that
//! hangs costs nothing of the other.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::clock::Clock;
use super::cloud::{Ask, Service};
use super::connect;
use super::fault::{Fault, Kind};
use super::harvest::{Harvest, Outcome};
use super::host::Host;
use super::kinds::{CLUSTER, KINDS};
use super::kubernetes::{Kube, Which};
use super::limits::Limits;
use super::openstack::Cloud;
use super::{Request, lists};
use crate::bundle::{Bundle, Meta, meta};
use crate::exit::Failure;
use crate::model::Doc;

/// The clusters that both sides know by the end of the run's time, whoever owns them. A side that
/// does not answer is a gap.
pub async fn clusters(request: &Request<'_>, host: &Host, clock: &Clock) -> Bundle {
    let namespace = connect::namespace(request);
    let kubernetes = async {
        match kube(request, host, clock).await {
            Ok(kube) => lists::clusters(&kube, &namespace).await,
            Err(fault) => Outcome::fault(CLUSTER.part(), fault),
        }
    };
    let openstack = async {
        let part = "openstack/container-infra/clusters";
        match cloud(request, host, clock).await {
            Ok(cloud) => match cloud.clusters().await {
                Ok(rows) => Outcome::whole(part).with(json!({ "clusters": rows })),
                Err(fault) => Outcome::fault(part, fault),
            },
            Err(fault) => Outcome::fault(part, fault),
        }
    };
    let (objects, rows) = futures::join!(kubernetes, openstack);
    let mut harvest = Harvest::default();
    let taken_at = Some(Timestamp::now());
    harvest.bundle.meta =
        Meta { format: meta::FORMAT, namespace: namespace.clone(), taken_at, ..Meta::default() };
    harvest.bodies(rows);
    harvest.objects(objects);
    harvest.finish();
    std::mem::take(&mut harvest.bundle)
}

/// Namespaces that hold Clusters, as far as the login may see them.
///
/// # Errors
/// Kubernetes cannot be asked, or does not show Clusters of every namespace.
pub async fn namespaces(
    request: &Request<'_>,
    host: &Host,
    clock: &Clock,
) -> Result<BTreeSet<String>, Fault> {
    let kube = kube(request, host, clock).await?;
    let everywhere = Which { namespace: None, name: None, labels: None };
    let outcome = kube.read(&CLUSTER, &everywhere).await;
    let objects = outcome.documents.iter().flat_map(|page| Doc(page).list("items"));
    match outcome.fault {
        Some(fault) => Err(fault),
        None => Ok(objects.map(|object| object.namespace().to_owned()).collect()),
    }
}

/// What the servers are.
#[derive(Debug)]
pub struct Servers {
    /// Version of the Kubernetes API server, as `v1.33.4`.
    pub kubernetes: Result<String, Fault>,
    /// Newest API microversion of Magnum, as `1.11`; none if it did not say.
    pub magnum: Result<Option<String>, Fault>,
    /// The Deployments of the Cluster API providers, as pages of a list.
    pub controllers: Result<Vec<Value>, Fault>,
}

/// Asks every server for its version.
pub async fn versions(request: &Request<'_>, host: &Host, clock: &Clock) -> Servers {
    let kubernetes = async {
        match kube(request, host, clock).await {
            Ok(kube) => futures::join!(kube.version(), controllers(&kube)),
            Err(fault) => (Err(fault.clone()), Err(fault)),
        }
    };
    let openstack = async {
        let cloud = cloud(request, host, clock).await?;
        // Magnum names its versions on every answer; this is the smallest.
        let ask = Ask::new(Service::ContainerInfra, &["clusters"]).query("limit", "1");
        let answer = cloud.clock.limit(ask.service.word(), cloud.session.get(&ask)).await?;
        Ok(answer.newest)
    };
    let ((kubernetes, controllers), magnum) = futures::join!(kubernetes, openstack);
    Servers { kubernetes, magnum, controllers }
}

async fn controllers(kube: &Kube) -> Result<Vec<Value>, Fault> {
    let mut pages = Vec::new();
    for row in KINDS.iter().filter(|row| row.kind == "Deployment") {
        for which in lists::everywhere(row) {
            let outcome = kube.read(row, &which).await;
            match outcome.fault {
                Some(fault) => return Err(fault),
                None => pages.extend(outcome.documents),
            }
        }
    }
    Ok(pages)
}

fn limits(request: &Request<'_>) -> Limits {
    Limits::default().with_answer(request.kube.request_timeout)
}

async fn kube(request: &Request<'_>, host: &Host, clock: &Clock) -> Result<Kube, Fault> {
    match connect::kubernetes(request, host, &limits(request), clock).await {
        Ok((kube, _)) => kube,
        Err(failure) => Err(as_fault("kubernetes", &failure)),
    }
}

async fn cloud(request: &Request<'_>, host: &Host, clock: &Clock) -> Result<Cloud, Fault> {
    match connect::openstack(request, host, &limits(request), clock).await {
        Ok((cloud, ..)) => cloud,
        Err(failure) => Err(as_fault("keystone", &failure)),
    }
}

/// A wrong flag, where it must not end the other side's run.
fn as_fault(service: &str, failure: &Failure) -> Fault {
    Fault::new(Kind::Unreachable, service, format!("failed to {failure}"))
}

/// Namespace of the Cluster API objects where nobody names one.
#[must_use]
pub fn default_namespace() -> &'static str {
    connect::NAMESPACE
}
