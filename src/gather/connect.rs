//! Both connections at once. One of them is enough.

use jiff::Timestamp;

use super::clock::Clock;
use super::cloud::{self, Service, Session};
use super::fault::{Fault, Kind};
use super::host::Host;
use super::kubeconfig::{self, Target};
use super::kubernetes::Kube;
use super::limits::Limits;
use super::openstack::Cloud;
use super::{Request, clock};
use crate::bundle::{Login, Meta};
use crate::exit::{Failure, code};

/// Where Cluster API objects are unless somebody says otherwise: the driver has it built in
/// (vexxhost/magnum-cluster-api, `magnum_cluster_api/driver.py`).
pub(super) const NAMESPACE: &str = "magnum-system";

/// The two sides, each as far as it can be asked.
pub(super) struct Sides {
    pub(super) kube: Result<Kube, Fault>,
    pub(super) cloud: Result<Cloud, Fault>,
    /// What is known already: namespace, servers, login, notes.
    pub(super) meta: Meta,
}

/// Connects to both.
///
/// # Errors
/// A flag names something that does not exist, or neither side can be asked.
pub(super) async fn both(request: &Request<'_>, host: &Host, clock: &Clock) -> Result<Sides, Failure> {
    let limits = Limits::default().with_answer(request.kube.request_timeout);
    let (kube, cloud) =
        futures::join!(kubernetes(request, host, &limits, clock), openstack(request, host, &limits, clock));
    let ((kube, target), (cloud, name, notes)) = (kube?, cloud?);
    if let (Err(kube), Err(cloud)) = (&kube, &cloud) {
        let hints = [&kube.hint, &cloud.hint].into_iter().flatten().cloned().collect::<Vec<_>>().join("; ");
        let failure =
            Failure::new(code::NO_SOURCE, format!("use Kubernetes ({kube}) or OpenStack ({cloud})"));
        return Err(if hints.is_empty() { failure } else { failure.hint(hints) });
    }
    let mut meta = Meta { notes, ..Meta::default() };
    meta.namespace = namespace(request);
    meta.source.cloud = name;
    if let Some(target) = target {
        meta.source.context = target.context;
        meta.source.api_server = Some(target.api_server);
        meta.notes.extend(target.notes);
    }
    let ours = Timestamp::now();
    meta.taken_at = Some(ours);
    if let Ok(Kube { date: Some((theirs, ours)), .. }) = &kube {
        meta.taken_at = Some(*theirs);
        meta.clocks.insert("kubernetes".to_owned(), theirs.duration_since(*ours).as_secs());
    }
    if let Ok(cloud) = &cloud {
        login(&mut meta, &cloud.session);
    }
    Ok(Sides { kube, cloud, meta })
}

/// Where the Cluster API objects are.
pub(super) fn namespace(request: &Request<'_>) -> String {
    let given = request.kube.namespace.clone().filter(|namespace| !namespace.is_empty());
    given.unwrap_or_else(|| NAMESPACE.to_owned())
}

fn login(meta: &mut Meta, session: &Session) {
    let token = session.token();
    meta.login = Login {
        project_id: token.project.as_ref().map(|project| project.id.clone()),
        roles: token.roles.clone(),
        region: session.region().map(str::to_owned),
    };
    for service in Service::ALL {
        match session.endpoint(service) {
            Ok(url) => {
                meta.endpoints.insert(service.word().to_owned(), url);
            }
            Err(_) => meta.notes.push(format!("the catalog has no {} in this region", service.word())),
        }
    }
}

/// How far a server's clock is from ours, by the `Date` of an answer that came just now.
pub(super) fn offset(date: &str) -> Option<i64> {
    Some(clock::date(date)?.duration_since(Timestamp::now()).as_secs())
}

/// A failure of the configuration as a fault; a wrong flag ends the run.
fn soft(service: &str, failure: Failure) -> Result<Fault, Failure> {
    if failure.code == code::USAGE {
        return Err(failure);
    }
    let fault = Fault::new(Kind::Unreachable, service, format!("failed to {}", failure.message));
    Ok(match failure.hint {
        Some(hint) => fault.hint(hint),
        None => fault,
    })
}

pub(super) type KubeSide = (Result<Kube, Fault>, Option<Target>);

/// Connects to Kubernetes.
///
/// # Errors
/// A flag names something that does not exist.
pub(super) async fn kubernetes(
    request: &Request<'_>,
    host: &Host,
    limits: &Limits,
    clock: &Clock,
) -> Result<KubeSide, Failure> {
    let target = async { Ok(kubeconfig::resolve(request.kube, host, limits).await) };
    let mut target = match clock.limit("kubernetes", target).await {
        Ok(Ok(target)) => target,
        Ok(Err(failure)) => return Ok((Err(soft("kubernetes", failure)?), None)),
        Err(fault) => return Ok((Err(fault), None)),
    };
    let config = std::mem::replace(&mut target.config, kube::Config::new(http::Uri::default()));
    Ok((Kube::connect(config, limits.answer, clock).await, Some(target)))
}

pub(super) type CloudSide = (Result<Cloud, Fault>, Option<String>, Vec<String>);

/// Logs in to the cloud.
///
/// # Errors
/// A flag names something that does not exist.
pub(super) async fn openstack(
    request: &Request<'_>,
    host: &Host,
    limits: &Limits,
    clock: &Clock,
) -> Result<CloudSide, Failure> {
    let cloud = match cloud::resolve(request.cloud, host) {
        Ok(cloud) => cloud,
        Err(failure) => return Ok((Err(soft("openstack", failure)?), None, Vec::new())),
    };
    let login = async {
        match Session::log_in(&cloud, host, limits).await {
            Ok(Ok(session)) => Ok(Ok(session)),
            Ok(Err(fault)) => Err(fault),
            Err(failure) => Ok(Err(failure)),
        }
    };
    let session = match clock.limit("keystone", login).await {
        Ok(Ok(session)) => Ok(Cloud { session, clock: clock.clone() }),
        Ok(Err(failure)) => Err(soft("keystone", failure)?),
        Err(fault) => Err(fault),
    };
    Ok((session, Some(cloud.name).filter(|name| !name.is_empty()), cloud.notes))
}
