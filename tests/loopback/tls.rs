//! TLS of both clients against a server on this machine, with certificates made for the test.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::server::{Reply, Server};
use kubectl_magnum::exit::Failure;
use kubectl_magnum::gather::cloud::{self, CloudOptions, Session};
use kubectl_magnum::gather::host::Host;
use kubectl_magnum::gather::kubeconfig::{self, KubeOptions};
use kubectl_magnum::gather::limits::Limits;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use serde_json::json;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};

const LIMITS: Limits = Limits {
    connect: Duration::from_secs(2),
    answer: Duration::from_secs(2),
    plugin: Duration::from_secs(2),
};

/// An authority, and a server whose certificate it issued.
struct Signed {
    server: Server,
    authority: String,
}

fn names() -> CertificateParams {
    CertificateParams::new(vec!["localhost".to_owned(), "127.0.0.1".to_owned()]).expect("names")
}

fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = names();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().expect("key")).expect("authority")
}

async fn serve(certificate: CertificateDer<'static>, key: Vec<u8>) -> Server {
    let config = ServerConfig::builder().with_no_client_auth();
    let config = config.with_single_cert(vec![certificate], PrivatePkcs8KeyDer::from(key).into());
    let tls = TlsAcceptor::from(Arc::new(config.expect("certificate")));
    Server::start_with(Some(tls), |seen| match seen.line.as_str() {
        "POST /v3/auth/tokens" => Reply::json(201, json!({"token": {}})).with("x-subject-token", "t0ken"),
        "GET /version" => Reply::json(
            200,
            json!({"major": "1", "minor": "33", "gitVersion": "v1.33.4", "gitCommit": "", "gitTreeState": "",
                   "buildDate": "", "goVersion": "", "compiler": "", "platform": ""}),
        ),
        _ => Reply::json(404, "{}"),
    })
    .await
}

/// A server with a certificate from an authority, as it should be.
async fn signed() -> Signed {
    let issuer = authority();
    let key = KeyPair::generate().expect("key");
    let certificate = names().signed_by(&key, &issuer).expect("certificate");
    Signed {
        server: serve(certificate.der().clone(), key.serialize_der()).await,
        authority: issuer.as_ref().pem(),
    }
}

/// A server that shows the certificate of the authority itself, as `openssl req -x509` makes it.
async fn self_signed() -> Signed {
    let issuer = authority();
    let certificate = issuer.as_ref();
    Signed {
        server: serve(certificate.der().clone(), issuer.key().serialize_der()).await,
        authority: certificate.pem(),
    }
}

async fn openstack(signed: &Signed, cacert: bool, insecure: bool) -> Result<Session, Failure> {
    let folder = tempfile::tempdir().expect("folder");
    let host = Host { cwd: folder.path().to_owned(), ..Host::default() };
    std::fs::write(folder.path().join("ca.pem"), &signed.authority).expect("file");
    let options = CloudOptions {
        os_auth_url: Some(format!("https://{}", signed.server.address)),
        os_user_id: Some("u".to_owned()),
        os_password: Some("pw".to_owned()),
        os_cacert: cacert.then(|| "ca.pem".to_owned()),
        os_insecure: insecure,
        ..CloudOptions::default()
    };
    let cloud = cloud::resolve(&options, &host)?;
    Session::connect(&cloud, &host, &LIMITS).await
}

fn hint(outcome: Result<Session, Failure>) -> String {
    outcome.err().and_then(|failure| failure.hint).unwrap_or_default()
}

/// The version of the API server, over TLS.
async fn kubernetes(signed: &Signed, change: impl FnOnce(&mut KubeOptions, &Path)) -> Result<String, String> {
    let folder = tempfile::tempdir().expect("folder");
    let host = Host { cwd: folder.path().to_owned(), ..Host::default() };
    std::fs::write(folder.path().join("ca.pem"), &signed.authority).expect("file");
    let mut options =
        KubeOptions { server: Some(format!("https://{}", signed.server.address)), ..KubeOptions::default() };
    change(&mut options, folder.path());
    let target = kubeconfig::resolve(&options, &host, &LIMITS).await.map_err(|failure| failure.message)?;
    let client = kube::Client::try_from(target.config).map_err(|error| error.to_string())?;
    client.apiserver_version().await.map(|info| info.git_version).map_err(|error| format!("{error:?}"))
}

#[tokio::test]
async fn an_authority_that_is_named_is_believed() {
    let signed = signed().await;
    openstack(&signed, true, false).await.map(drop).expect("login");
    let version =
        kubernetes(&signed, |options, _| options.certificate_authority = Some("ca.pem".to_owned())).await;
    assert_eq!(version, Ok("v1.33.4".to_owned()));
}

#[tokio::test]
async fn an_authority_that_is_not_named_is_refused_with_a_hint() {
    let signed = signed().await;
    assert!(hint(openstack(&signed, false, false).await).contains("OS_CACERT"));
    assert!(kubernetes(&signed, |_, _| {}).await.is_err_and(|says| says.contains("UnknownIssuer")));
}

#[tokio::test]
async fn certificates_are_not_checked_on_demand() {
    let signed = signed().await;
    openstack(&signed, false, true).await.map(drop).expect("login");
    let version = kubernetes(&signed, |options, _| options.insecure_skip_tls_verify = true).await;
    assert_eq!(version, Ok("v1.33.4".to_owned()));
}

#[tokio::test]
async fn a_self_signed_certificate_has_a_hint_of_its_own() {
    let signed = self_signed().await;
    assert!(hint(openstack(&signed, true, false).await).contains("marked as an authority"));
    openstack(&signed, true, true).await.map(drop).expect("login");
}

#[tokio::test]
async fn the_name_in_the_certificate_can_be_said() {
    let signed = signed().await;
    let with_name = |name: &'static str| {
        move |options: &mut KubeOptions, _: &Path| {
            options.certificate_authority = Some("ca.pem".to_owned());
            options.tls_server_name = Some(name.to_owned());
        }
    };
    assert_eq!(kubernetes(&signed, with_name("localhost")).await, Ok("v1.33.4".to_owned()));
    assert!(
        kubernetes(&signed, with_name("other.example"))
            .await
            .is_err_and(|says| says.contains("NotValidForName"))
    );
}

#[tokio::test]
async fn a_file_without_certificates() {
    let mut signed = signed().await;
    signed.authority = "hello".to_owned();
    let failure = openstack(&signed, true, false).await.err().expect("no certificate");
    assert!(failure.message.contains("ca.pem"), "{failure:?}");
    let says =
        kubernetes(&signed, |options, _| options.certificate_authority = Some("ca.pem".to_owned())).await;
    assert!(says.is_err_and(|says| says.contains("no PEM certificate")));
}
