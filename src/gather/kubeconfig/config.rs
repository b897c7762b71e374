//! The last step: files become bytes, and everything becomes a [`kube::Config`].

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kube::config::{AuthInfo, Cluster};
use secrecy::SecretString;

use super::Target;
use super::options::KubeOptions;
use super::pick::{self, Picked};
use crate::exit::{Failure, code};
use crate::gather::host::Host;
use crate::gather::limits::Limits;
use crate::gather::proxy;

/// By this name the API server knows us.
const AGENT: &str = concat!("kubectl-magnum/", env!("CARGO_PKG_VERSION"));

/// Builds the configuration of what was chosen.
///
/// # Errors
/// The address or the proxy is not a URL, or a file that is named cannot be read.
pub fn build(picked: Picked, options: &KubeOptions, host: &Host, limits: &Limits) -> Result<Target, Failure> {
    let Picked { context, namespace, cluster, mut user, .. } = picked;
    let authority = authority(&cluster, host)?;
    load_user(&mut user, host)?;
    let insecure = cluster.insecure_skip_tls_verify.unwrap_or(false);
    let tls = insecure || authority.is_some() || user.client_certificate_data.is_some();
    let url = address(cluster.server.as_deref().unwrap_or_default(), tls)?;
    let mut config = kube::Config::new(url.clone());
    config.root_cert = authority.map(|pem| certificates(&pem)).transpose()?;
    config.accept_invalid_certs = insecure;
    config.tls_server_name = cluster.tls_server_name.filter(|name| !name.is_empty());
    config.disable_compression = cluster.disable_compression.unwrap_or(false);
    config.proxy_url = proxy_of(cluster.proxy_url.as_deref(), &url, host)?;
    config.auth_info = user;
    finish(&mut config, limits);
    let mut notes = Vec::new();
    if insecure {
        notes.push("the certificate of the Kubernetes API server is not checked".to_owned());
    }
    Ok(Target {
        api_server: without_userinfo(&url),
        config,
        context,
        namespace: options.namespace.clone().filter(|n| !n.is_empty()),
        context_namespace: namespace,
        notes,
    })
}

/// The configuration that Kubernetes gives to a pod, or none outside of one.
///
/// # Errors
/// In a pod: a file of its service account cannot be read.
pub fn in_cluster(options: &KubeOptions, host: &Host, limits: &Limits) -> Result<Option<Target>, Failure> {
    let (Some(name), Some(port)) = (host.var("KUBERNETES_SERVICE_HOST"), host.var("KUBERNETES_SERVICE_PORT"))
    else {
        return Ok(None);
    };
    let file = |name: &str| host.service_account.join(name);
    if !file("token").exists() {
        return Ok(None);
    }
    let name = if name.contains(':') { format!("[{name}]") } else { name.to_owned() };
    let cluster = Cluster {
        server: Some(format!("https://{name}:{port}")),
        certificate_authority: Some(file("ca.crt").display().to_string()),
        ..Cluster::default()
    };
    let mut user = AuthInfo { token_file: Some(file("token").display().to_string()), ..AuthInfo::default() };
    pick::override_user(&mut user, options)?;
    let namespace = std::fs::read_to_string(file("namespace")).ok().map(|text| text.trim().to_owned());
    let picked = Picked { context: None, namespace, cluster, user_name: "service account".to_owned(), user };
    build(picked, options, host, limits).map(Some)
}

/// Every wait has a limit, and nothing is tried again behind our back: kube's own retries go
/// on for minutes without a word.
fn finish(config: &mut kube::Config, limits: &Limits) {
    config.default_retry = false;
    config.connect_timeout = Some(limits.connect);
    config.read_timeout = Some(limits.answer);
    config.write_timeout = Some(limits.answer);
    config.reset_reader_on_write = true;
    // The client has none of its own, and an audit log should say who asked.
    config.headers.push((http::header::USER_AGENT, http::HeaderValue::from_static(AGENT)));
}

/// An address without a scheme is https if anything about TLS is configured (client-go,
/// `rest/url_utils.go`).
fn address(written: &str, tls: bool) -> Result<http::Uri, Failure> {
    let full = match written.contains("://") {
        true => written.to_owned(),
        false => format!("{}://{written}", if tls { "https" } else { "http" }),
    };
    let wrong = || {
        // Not quoted: a mistyped address may hold a password before an @.
        Failure::new(code::NO_SOURCE, "read the API server's address: it is not a URL")
            .hint("look at 'server' of the cluster entry, or at --server")
    };
    let url: http::Uri = full.parse().map_err(|_| wrong())?;
    match (url.scheme_str(), url.host()) {
        (Some("http" | "https"), Some(_)) => Ok(url),
        _ => Err(wrong()),
    }
}

fn without_userinfo(url: &http::Uri) -> String {
    let host = url.authority().map_or("", |a| a.as_str().rsplit('@').next().unwrap_or_default());
    format!("{}://{host}{}", url.scheme_str().unwrap_or("https"), url.path().trim_end_matches('/'))
}

fn proxy_of(configured: Option<&str>, url: &http::Uri, host: &Host) -> Result<Option<http::Uri>, Failure> {
    let port = url.port_u16();
    let (scheme, name) = (url.scheme_str().unwrap_or("https"), url.host().unwrap_or_default());
    let (found, place) = match configured.filter(|text| !text.is_empty()) {
        Some(text) => (Some(proxy::with_scheme(text)), "proxy-url of the kubeconfig"),
        None => (proxy::from_env(host, scheme, name, port), "HTTPS_PROXY or HTTP_PROXY"),
    };
    let Some(text) = found else { return Ok(None) };
    // kube knows SOCKS by one name; both mean that the proxy looks the name up.
    let text = text.replacen("socks5h://", "socks5://", 1);
    let wrong = |why: &str| Failure::new(code::NO_SOURCE, format!("use the proxy in {place}: {why}"));
    let uri: http::Uri = text.parse().map_err(|_| wrong("it is not a URL"))?;
    match uri.scheme_str() {
        Some("http" | "https" | "socks5") => Ok(Some(uri)),
        _ => Err(wrong("its scheme is none of http, https, socks5")),
    }
}

/// The authority's certificates of a cluster entry as PEM; data goes before a file.
///
/// # Errors
/// The data is not base64, or the file cannot be read.
pub fn authority(cluster: &Cluster, host: &Host) -> Result<Option<Vec<u8>>, Failure> {
    load(
        cluster.certificate_authority_data.as_deref(),
        cluster.certificate_authority.as_deref(),
        "certificate-authority",
        host,
    )
}

fn certificates(text: &[u8]) -> Result<Vec<Vec<u8>>, Failure> {
    let blocks = pem::parse_many(text).unwrap_or_default();
    let found: Vec<Vec<u8>> =
        blocks.into_iter().filter(|b| b.tag() == "CERTIFICATE").map(pem::Pem::into_contents).collect();
    match found.is_empty() {
        false => Ok(found),
        true => Err(Failure::new(code::NO_SOURCE, "read certificate-authority: it holds no PEM certificate")),
    }
}

/// Reads every file that the user entry names, so that a missing one is our error and not
/// one from the middle of a request.
fn load_user(user: &mut AuthInfo, host: &Host) -> Result<(), Failure> {
    use secrecy::ExposeSecret;
    let key_data = user.client_key_data.take();
    let key = load(
        key_data.as_ref().map(ExposeSecret::expose_secret),
        user.client_key.take().as_deref(),
        "client-key",
        host,
    )?;
    let certificate = load(
        user.client_certificate_data.take().as_deref(),
        user.client_certificate.take().as_deref(),
        "client-certificate",
        host,
    )?;
    match (certificate, key) {
        (Some(certificate), Some(key)) => {
            user.client_certificate_data = Some(STANDARD.encode(certificate));
            user.client_key_data = Some(SecretString::from(STANDARD.encode(key)));
        }
        (None, None) => {}
        (certificate, _) => {
            let lacks = if certificate.is_some() { "client-key" } else { "client-certificate" };
            return Err(Failure::new(
                code::NO_SOURCE,
                format!("use the client certificate: {lacks} is missing"),
            ));
        }
    }
    if user.token.is_some() {
        user.token_file = None;
    } else if let Some(path) = user.token_file.take().filter(|path| !path.is_empty()) {
        let token = read(host.path(&path).as_path(), "tokenFile")?;
        let token = String::from_utf8_lossy(&token).trim().to_owned();
        user.token = Some(SecretString::from(token));
    }
    Ok(())
}

fn load(data: Option<&str>, file: Option<&str>, what: &str, host: &Host) -> Result<Option<Vec<u8>>, Failure> {
    if let Some(data) = data.filter(|data| !data.trim().is_empty()) {
        let packed: String = data.chars().filter(|c| !c.is_whitespace()).collect();
        return STANDARD
            .decode(packed)
            .map(Some)
            .map_err(|_| Failure::new(code::NO_SOURCE, format!("read {what}-data: it is not base64")));
    }
    match file.filter(|path| !path.is_empty()) {
        Some(path) => read(&host.path(path), what).map(Some),
        None => Ok(None),
    }
}

fn read(path: &Path, what: &str) -> Result<Vec<u8>, Failure> {
    std::fs::read(path)
        .map_err(|error| Failure::new(code::NO_SOURCE, format!("read {what} {}: {error}", path.display())))
}
