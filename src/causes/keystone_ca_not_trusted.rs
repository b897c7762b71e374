//! CAPO does not trust the certificate of Keystone or of another OpenStack endpoint.

use super::kit::{self, login, thing};
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::{Action, Actions};
use crate::model::api_error::{Failing, Service};
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Message, Snapshot};
use crate::report::{Recovers, Risk};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "keystone-ca-not-trusted",
    title: "CAPO does not trust the certificate of an OpenStack endpoint",
    during: Actions::ALL,
    stage: Stage::Credentials,
    explains: &[],
    needs: &login::PARTS,
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see which CA has signed the endpoint's certificate, and which CAs this cluster trusts").run(&[
                "openssl s_client -connect {host} -showcerts </dev/null",
                "kubectl -n {namespace} get secret {stack_id}-cloud-config -o jsonpath='{.data.cacert}' | base64 -d | openssl storeutl -noout -text -certs /dev/stdin | grep Subject:",
            ]),
            Step::say("for this cluster: put the bundle with that CA into the key cacert of its Secret")
                .run(&[
                    "kubectl -n {namespace} patch secret {stack_id}-cloud-config --type merge -p \"{\\\"data\\\":{\\\"cacert\\\":\\\"$(base64 -w0 < ca.pem)\\\"}}\"",
                ]),
            Step::say("for all clusters to come: name that bundle as ca_file in section [capi_client] of magnum.conf and restart the magnum-conductor"),
            Step::say("the nodes and the cluster's own cloud provider have a copy of the old bundle: an upgrade to the same cluster template replaces it (it may replace the nodes)")
                .run(&["openstack coe cluster show -c cluster_template_id {uuid}"])
                .when("running"),
        ],
    },
    values: &["host"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

CAPO talks to OpenStack with the CA bundle in the key `cacert` of the Secret `<stack id>-cloud-config`.
The driver writes there what `[capi_client] ca_file` names, and the public CAs if nothing is named. A
private CA, or one that has been replaced since the cluster was made, is then not trusted, and every
reconcile of the cluster ends before it begins: no condition, no event.

### How it is recognised

A current message of CAPO for this cluster ends in `x509: certificate signed by unknown authority` for
the URL of an OpenStack endpoint, mostly Keystone's. The same words for the webhook of a controller or
for the API server of the cluster are something else.

### Sources

- vexxhost/magnum-cluster-api issues 417 and 866, magnum_cluster_api/resources.py (CloudConfigSecret)
- kubernetes-sigs/cluster-api-provider-openstack issue 264, docs/book/src/topics/troubleshooting.md
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let messages: Vec<&Message> =
        snapshot.said.messages.iter().filter(|m| m.current() && untrusted(m)).collect();
    let Some(newest) = messages.iter().max_by_key(|m| login::moment(m)) else { return Ok(Vec::new()) };
    let Some(api) = &newest.api else { return Ok(Vec::new()) };
    let Some(url) = api.url.as_deref() else { return Ok(Vec::new()) };
    let service = api.service.word();
    let headline = format!(
        "CAPO does not trust the certificate of {service} at {}: it is signed by an unknown authority",
        base(url)
    );
    let deleting = snapshot.action == Action::Delete;
    let mut finding = Finding::new(headline)
        .says(if deleting {
            "CAPO cannot reach OpenStack for this cluster, so nothing of it can be deleted."
        } else {
            "CAPO cannot reach OpenStack for this cluster, so nothing of it is made or changed."
        })
        .recovers(
            Recovers::AfterFix,
            "Once the Secret holds the right CA CAPO goes on by itself, up to about ten minutes later.",
        )
        .about(thing("endpoint", base(url)))
        .value("host", host(url))
        .likely_if(messages.iter().all(|m| m.weak));
    for message in &messages {
        finding = finding.about(kit::subject(message));
    }
    for evidence in kit::evidence_of(snapshot, &messages) {
        finding = finding.evidence(evidence);
    }
    if snapshot.initialised() == Some(true) && !deleting {
        finding = finding.flag("running");
    }
    Ok(vec![finding])
}

fn untrusted(message: &Message) -> bool {
    let tls = message.api.as_ref().is_some_and(|api| {
        api.failing == Failing::Tls
            && !matches!(api.service, Service::Kubernetes | Service::Unknown | Service::Magnum)
    });
    tls && login::of_capo(message) && message.has("certificate signed by unknown authority")
}

/// Scheme, host and port of a URL.
pub(super) fn base(url: &str) -> &str {
    let start = url.find("://").map_or(0, |at| at + 3);
    let length = url.get(start..).and_then(|rest| rest.find(['/', '?']));
    length.and_then(|at| url.get(..start + at)).unwrap_or(url)
}

/// `host:port` for openssl.
fn host(url: &str) -> String {
    let base = base(url);
    let host = base.split_once("://").map_or(base, |(_, host)| host);
    let port = host.rsplit_once(':').is_some_and(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()));
    if port { host.to_owned() } else { format!("{host}:443") }
}

#[cfg(test)]
mod tests {
    use super::super::testing::login::{self, SUCCESS};
    use super::super::testing::{check, report};
    use super::{base, host};

    const ID: &str = super::CAUSE.id;
    const UNTRUSTED: &str = r#"providerClient authentication err: Get "https://keystone.example:5000/": tls: failed to verify certificate: x509: certificate signed by unknown authority"#;

    #[test]
    fn an_unknown_authority_at_keystone_is_certain() {
        check(ID, &login::files(UNTRUSTED), &[], "certain");
        let neutron = UNTRUSTED
            .replace("providerClient authentication err", "failed to get external network")
            .replace(":5000/", ":9696/v2.0/networks");
        check(ID, &login::files(&neutron), &[], "certain");
    }

    #[test]
    fn the_fix_looks_at_that_endpoint() {
        let report = report(&login::files(UNTRUSTED), &[]);
        let lines: Vec<&String> = report.causes[0].fix.steps.iter().flat_map(|s| &s.run).collect();
        assert!(lines.iter().any(|l| l.contains("-connect keystone.example:5000 ")), "{lines:?}");
    }

    #[test]
    fn another_certificate_or_another_trouble_is_none() {
        check(
            ID,
            &login::files(
                r#"failed to get APIServer: Get "https://203.0.113.9:6443/api/v1/nodes": tls: failed to verify certificate: x509: certificate signed by unknown authority"#,
            ),
            &[],
            "no",
        );
        check(
            ID,
            &login::files(
                &UNTRUSTED.replace("signed by unknown authority", "has expired or is not yet valid"),
            ),
            &[],
            "no",
        );
    }

    #[test]
    fn a_later_success_ends_it() {
        check(ID, &format!("{}{SUCCESS}", login::files(UNTRUSTED)), &[], "no");
    }

    #[test]
    fn without_the_log_it_is_not_checked() {
        check(ID, &login::files(""), &["log/capo-system"], "not checked");
    }

    #[test]
    fn a_url_is_cut_to_what_openssl_wants() {
        let check = |url: &str, expected: (&str, &str)| {
            assert_eq!((base(url), host(url).as_str()), expected, "{url}")
        };
        check("https://k.example:5000/v3/auth/tokens", ("https://k.example:5000", "k.example:5000"));
        check("https://k.example/identity?x=/", ("https://k.example", "k.example:443"));
        check("https://k.example", ("https://k.example", "k.example:443"));
    }
}
