//! An OpenStack service does not answer CAPO.

use std::collections::BTreeMap;

use jiff::SignedDuration;

use super::keystone_ca_not_trusted::base;
use super::kit::{self, login, thing};
use super::{Cause, Finding, Fix, Look, Step};
use crate::bundle::Why;
use crate::model::action::{Action, Actions};
use crate::model::api_error::{ApiError, Failing, Service};
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Message, Snapshot};
use crate::report::{Evidence, Recovers, Risk};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "openstack-api-down",
    title: "an OpenStack service does not answer",
    during: Actions::ALL,
    stage: Stage::Credentials,
    explains: &[],
    needs: &login::PARTS,
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see which URLs the service has, and ask it from where CAPO runs")
                .run(&["openstack catalog show {service}", "curl -sSi {url}"]),
            Step::say("find out whether the name is known where CAPO runs")
                .run(&["getent hosts {host}"])
                .when("dns"),
            Step::say("bring the service, or the way to it, back; nothing needs to be done to the cluster"),
        ],
    },
    values: &["service", "url", "host"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

CAPO asks Keystone, Neutron, Octavia, Nova, Cinder and Glance at every reconcile. While one of them
does not answer, the cluster stands still. If it fails before CAPO has made its clients (`failed to
create networking service providerClient`), there is no condition and no event, and Magnum's
status_reason stays empty. CAPO tries again, up to about ten minutes apart, so the cluster goes on by
itself when the service is back. CAPO 0.10 and older may leave the phase Failed behind; it then says
nothing about the present.

### How it is recognised

A current message of CAPO for this cluster says that a request to an OpenStack URL got no connection,
no answer in time, no address for its name, or HTTP 500, 502, 503 or 504, and nothing newer shows that
the service answers. It is certain if this reading could not reach the same service either. If this
reading reached it, the service, or the way to it from the management cluster, was down minutes ago:
likely, and after five minutes no cause any more. A single HTTP 500 can also be a fault in one request,
so it is never more than likely. The API server of the cluster and the webhooks of the controllers are
no OpenStack services.

### Sources

- kubernetes-sigs/cluster-api-provider-openstack pkg/scope/provider.go, pkg/cloud/services; issues 2146
  and 2185
- gophercloud/gophercloud errors.go
";

/// For how long an outage counts although the service answers by now: CAPO's usual
/// back-off after a few failed tries.
const LATELY: SignedDuration = SignedDuration::from_mins(5);

const SERVICES: [Service; 6] =
    [Service::Keystone, Service::Neutron, Service::Octavia, Service::Nova, Service::Cinder, Service::Glance];

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let mut by_service: BTreeMap<Service, Vec<(&Message, &ApiError)>> = BTreeMap::new();
    for message in snapshot.said.messages.iter().filter(|m| m.current() && login::of_capo(m)) {
        let Some(api) = message.api.as_ref().filter(|api| down(api)) else { continue };
        by_service.entry(api.service).or_default().push((message, api));
    }
    Ok(by_service.iter().filter_map(|(service, said)| finding(snapshot, *service, said)).collect())
}

/// True for a request to an OpenStack service that failed at the service or before it.
fn down(api: &ApiError) -> bool {
    let failing = match api.failing {
        Failing::Refused | Failing::Unreachable | Failing::TimedOut | Failing::Dns | Failing::Closed => {
            api.url.is_some()
        }
        Failing::Http(status) => matches!(status, 500 | 502 | 503 | 504),
        Failing::Tls | Failing::NoEndpoints => false,
    };
    failing && SERVICES.contains(&api.service)
}

fn finding(snapshot: &Snapshot<'_>, service: Service, said: &[(&Message, &ApiError)]) -> Option<Finding> {
    let (newest, api) = said.iter().max_by_key(|(m, _)| login::moment(m)).copied()?;
    if answered_since(snapshot, service, newest) {
        return None;
    }
    let ago = snapshot.age(newest.last);
    let (reached, unreached) = (reached(snapshot, service), unreached(snapshot, service));
    // A single HTTP 500 may be about one request only.
    let sure =
        said.iter().any(|(m, _)| !m.weak) && api.failing != Failing::Http(500) && !unreached.is_empty();
    let up_again = reached && unreached.is_empty();
    if up_again && ago > LATELY {
        return None;
    }
    let messages: Vec<&Message> = said.iter().map(|(m, _)| *m).collect();
    let mut finding =
        Finding::new(headline(service, api, up_again)).shared().about(thing("service", service.word()));
    for message in &messages {
        finding = finding.about(kit::subject(message));
    }
    finding = if up_again {
        finding
            .says(format!("CAPO was told so {} ago; this reading reached it, so it is back, or only the way from the management cluster is broken.", kit::age(ago)))
            .recovers(Recovers::ByItself, "If the service is back it ends by itself: CAPO tries again, up to about ten minutes apart.")
    } else {
        finding
            .says(if snapshot.action == Action::Delete {
                "Nothing of this cluster that needs it can be deleted until it answers."
            } else {
                "Nothing of this cluster that needs it can be made until it answers."
            })
            .recovers(
                Recovers::AfterFix,
                "Once the service answers CAPO goes on by itself, up to about ten minutes later.",
            )
    };
    for evidence in
        kit::evidence_of(snapshot, &messages).into_iter().take(2).chain(unreached.into_iter().take(1))
    {
        finding = finding.evidence(evidence);
    }
    finding.stage = Some(stage(snapshot, service));
    if api.failing == Failing::Dns {
        finding = finding.flag("dns");
    }
    let url = api.url.as_deref().map_or("<URL of the service>", base);
    let host = url.split_once("://").map_or(url, |(_, host)| host);
    let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
    Some(finding.value("service", catalog(service)).value("url", url).value("host", host).likely_if(!sure))
}

fn headline(service: Service, api: &ApiError, up_again: bool) -> String {
    let at = api.url.as_deref().map(|url| format!(" at {}", base(url))).unwrap_or_default();
    let name = service.word();
    let (is, was) = match api.failing {
        Failing::Refused => ("refuses connections".to_owned(), "refused connections".to_owned()),
        Failing::TimedOut => ("does not answer in time".to_owned(), "did not answer in time".to_owned()),
        Failing::Dns => (
            "cannot be found: its name has no address where CAPO runs".to_owned(),
            "could not be found: its name had no address where CAPO runs".to_owned(),
        ),
        Failing::Closed => (
            "closes connections before it answers".to_owned(),
            "closed connections before it answered".to_owned(),
        ),
        Failing::Http(status) => {
            (format!("answers with HTTP {status}"), format!("answered with HTTP {status}"))
        }
        _ => ("cannot be reached".to_owned(), "could not be reached".to_owned()),
    };
    format!("{name}'s API{at} {}", if up_again { was } else { is })
}

/// True if a newer message holds an answer of the service: any but a fault of its own.
fn answered_since(snapshot: &Snapshot<'_>, service: Service, newest: &Message) -> bool {
    snapshot
        .said
        .messages
        .iter()
        .filter(|m| login::of_capo(m) && login::moment(m) > login::moment(newest))
        .any(|m| {
            m.api.as_ref().is_some_and(|api| {
                api.service == service && api.status().is_some_and(|status| !(500..600).contains(&status))
            })
        })
}

/// The folder of the service's parts.
fn folder(service: Service) -> &'static str {
    match service {
        Service::Neutron => "openstack/network/",
        Service::Octavia => "openstack/load-balancer/",
        Service::Nova => "openstack/compute/",
        Service::Cinder => "openstack/volume/",
        Service::Glance => "openstack/image/",
        _ => "openstack/identity/",
    }
}

/// The service's type in the catalog.
fn catalog(service: Service) -> &'static str {
    match service {
        Service::Neutron => "network",
        Service::Octavia => "load-balancer",
        Service::Nova => "compute",
        Service::Cinder => "block-storage",
        Service::Glance => "image",
        _ => "identity",
    }
}

/// True if this reading got an answer of the service.
fn reached(snapshot: &Snapshot<'_>, service: Service) -> bool {
    let read = &snapshot.world.meta.read;
    read.iter().any(|part| part.starts_with(folder(service)))
}

/// What this reading was told when it could not reach the service.
fn unreached(snapshot: &Snapshot<'_>, service: Service) -> Vec<Evidence> {
    let gaps = snapshot.world.meta.gaps.iter().filter(|gap| gap.part.starts_with(folder(service)));
    gaps.filter(|gap| matches!(gap.why, Why::Unreachable | Why::TimedOut))
        .map(|gap| {
            let place = format!("openstack catalog show {}", catalog(service));
            kit::seen(format!("this reading of {}", gap.part), place, gap.says.clone())
        })
        .collect()
}

fn stage(snapshot: &Snapshot<'_>, service: Service) -> Stage {
    let deleting = snapshot.action == Action::Delete;
    match service {
        Service::Neutron if deleting => Stage::RouterAndNetwork,
        Service::Neutron => Stage::Network,
        Service::Octavia if deleting => Stage::ApiLoadBalancer,
        Service::Octavia => Stage::LoadBalancer,
        Service::Nova | Service::Cinder | Service::Glance if deleting => Stage::Machines,
        Service::Nova | Service::Cinder | Service::Glance => Stage::Server,
        _ => Stage::Credentials,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::login::{self, SUCCESS};
    use super::super::testing::{check, unreachable};

    const ID: &str = super::CAUSE.id;
    const REFUSED: &str = r#"failed to create networking service providerClient: Get "http://n.example:9696/": dial tcp 10.0.0.9:9696: connect: connection refused"#;
    const UNAVAILABLE: &str = "failed to get external network: Expected HTTP response code [200] when accessing [GET http://n.example:9696/v2.0/networks/n], but got 503 instead: <html>";

    const NETWORK: [&str; 7] = [
        "openstack/network/ports",
        "openstack/network/networks",
        "openstack/network/subnets",
        "openstack/network/routers",
        "openstack/network/security-groups",
        "openstack/network/floatingips",
        "openstack/network/quotas",
    ];

    /// CAPO and this reading meet the same outage.
    #[test]
    fn a_service_that_neither_reaches_is_certain() {
        for error in [REFUSED, UNAVAILABLE] {
            assert_eq!(unreachable(ID, &login::files(error), &NETWORK), "certain", "{error}");
        }
    }

    #[test]
    fn an_http_500_is_only_likely() {
        let error = UNAVAILABLE.replace("503", "500");
        assert_eq!(unreachable(ID, &login::files(&error), &NETWORK), "likely");
    }

    /// This reading reached Neutron: it was down two minutes ago, and ten minutes ago
    /// counts no more.
    #[test]
    fn a_service_that_answers_now_was_down() {
        check(ID, &login::files(REFUSED), &[], "likely");
        check(ID, &login::files(REFUSED).replace("E0101 11:58", "E0101 11:50"), &[], "no");
    }

    #[test]
    fn a_gap_alone_names_nothing() {
        assert_eq!(unreachable(ID, &login::files(""), &NETWORK), "no");
    }

    /// Not read is not the same as not reached.
    #[test]
    fn without_access_to_the_service_it_is_likely() {
        check(ID, &login::files(REFUSED), &NETWORK, "likely");
        check(ID, &login::files(""), &["log/capo-system"], "not checked");
    }

    #[test]
    fn a_later_answer_ends_it() {
        assert_eq!(unreachable(ID, &format!("{}{SUCCESS}", login::files(REFUSED)), &NETWORK), "no");
    }

    /// The cluster's own API server and the management cluster's are no OpenStack services.
    #[test]
    fn a_kubernetes_api_is_none() {
        for url in
            ["https://203.0.113.9:6443/?timeout=5s", "https://10.96.0.1:443/apis/cluster.x-k8s.io/v1beta1"]
        {
            let error =
                format!(r#"failed to reconcile: Get "{url}": dial tcp 203.0.113.9:6443: i/o timeout"#);
            check(ID, &login::files(&error), &[], "no");
        }
        check(
            ID,
            &login::files("failed to delete load balancer: timed out waiting for the condition"),
            &[],
            "no",
        );
    }
}
