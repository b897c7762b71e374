//! One request and its answer, inside every limit.

use std::time::{Duration, Instant};

use reqwest::header::{LOCATION, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, Identity, Proxy, Request, Response, Url};

use super::answer::{Answer, request_id};
use super::said;
use super::settings::Tls;
use crate::exit::{Failure, code};
use crate::gather::fault::{Fault, Kind};
use crate::gather::host::Host;
use crate::gather::limits::Limits;
use crate::gather::proxy;

/// A body beyond this is not read: the biggest list we ask for, two thousand servers with
/// details, has about 10 MB.
pub const LARGEST_BODY: usize = 64 * 1024 * 1024;

/// A server that names a longer wait than this is not asked again.
const LONGEST_WAIT: Duration = Duration::from_secs(3);

/// The HTTP client for a cloud: its certificates, the proxies of the environment, the limits.
///
/// # Errors
/// A certificate file cannot be read or used.
pub fn client(tls: &Tls, host: &Host, limits: &Limits) -> Result<Client, Failure> {
    let surroundings = host.clone();
    let proxies = Proxy::custom(move |url: &Url| {
        let found = proxy::from_env(&surroundings, url.scheme(), url.host_str()?, url.port())?;
        Url::parse(&found).ok()
    });
    let mut builder = Client::builder()
        .use_rustls_tls()
        .user_agent(concat!("kubectl-magnum/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(limits.connect)
        .timeout(limits.answer)
        // Followed by hand: a token must not travel to another server.
        .redirect(Policy::none())
        .no_proxy()
        .proxy(proxies);
    if !tls.verify {
        builder = builder.danger_accept_invalid_certs(true);
    }
    if let Some(path) = &tls.cacert {
        let text = file(path, "cacert")?;
        let bundle = Certificate::from_pem_bundle(&text).unwrap_or_default();
        if bundle.is_empty() {
            return Err(unusable(path, "cacert", "it holds no PEM certificate"));
        }
        builder = builder.tls_built_in_root_certs(false);
        for certificate in bundle {
            builder = builder.add_root_certificate(certificate);
        }
    }
    if let Some(path) = &tls.cert {
        let mut text = file(path, "cert")?;
        if let Some(key) = &tls.key {
            text.push(b'\n');
            text.extend(file(key, "key")?);
        }
        let identity = Identity::from_pem(&text)
            .map_err(|_| unusable(path, "cert", "it holds no PEM certificate with its key"))?;
        builder = builder.identity(identity);
    }
    builder.build().map_err(|error| {
        // A file that reqwest takes and rustls does not is found out only here.
        Failure::new(code::NO_SOURCE, format!("prepare TLS for OpenStack: {error}"))
            .hint("look at cacert, cert and key of the cloud, and at the system's certificates")
    })
}

fn file(path: &std::path::Path, what: &str) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| unusable(path, what, &error.to_string()))
}

fn unusable(path: &std::path::Path, what: &str, why: &str) -> Failure {
    Failure::new(code::NO_SOURCE, format!("read {what} {}: {why}", path.display()))
        .hint(format!("look at '{what}' of the cloud, OS_{} and --os-{what}", what.to_uppercase()))
}

/// An answer with its headers, whatever its status.
pub struct Raw {
    /// The answer.
    pub answer: Answer,
    /// Its headers.
    pub headers: http::HeaderMap,
}

/// Sends a request and reads the whole answer, which may be an error of the service's.
/// Redirects stay on the same server. Asked again once if the service says when (429, 503).
///
/// # Errors
/// No whole answer.
pub async fn send(client: &Client, request: Request, service: &str) -> Result<Raw, Fault> {
    let again = request.try_clone();
    let raw = send_once(client, request, service).await?;
    let wait = matches!(raw.answer.status, 429 | 503).then(|| retry_after(&raw.headers)).flatten();
    match (wait, again) {
        (Some(wait), Some(again)) if wait <= LONGEST_WAIT => {
            tokio::time::sleep(wait).await;
            send_once(client, again, service).await
        }
        _ => Ok(raw),
    }
}

fn retry_after(headers: &http::HeaderMap) -> Option<Duration> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok().map(Duration::from_secs)
}

async fn send_once(client: &Client, request: Request, service: &str) -> Result<Raw, Fault> {
    let mut request = request;
    for _ in 0..4 {
        let url = request.url().clone();
        let next = request.try_clone();
        let server = server(&url);
        let method = request.method().clone();
        let start = Instant::now();
        let response = client.execute(request).await.map_err(|error| said::of_error(service, &server, error));
        let response = response.inspect_err(|fault| {
            let ms = millis(start);
            tracing::debug!(service, %method, url = %without_userinfo(&url), ms, says = %fault.says, "no answer");
        })?;
        let status = response.status().as_u16();
        let target = redirect(&response);
        let headers = response.headers().clone();
        let bytes = body(response, service, &server).await?;
        let answer = Answer::of(status, &headers, bytes);
        let ms = millis(start);
        tracing::debug!(service, %method, url = %without_userinfo(&url), status, ms, id = request_id(&headers), "asked");
        let (Some(target), Some(mut again)) = (target, next) else {
            return Ok(Raw { answer, headers });
        };
        if !is_same_server(&url, &target) {
            let says = format!("{server} sends on to {}", self::server(&target));
            let hint = "use that address in clouds.yaml or the catalog if it is the right one";
            return Err(Fault::new(Kind::Unreachable, service, says).hint(hint));
        }
        *again.url_mut() = target;
        request = again;
    }
    Err(Fault::new(Kind::Unreachable, service, "it sends on in a circle"))
}

fn redirect(response: &Response) -> Option<Url> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let target = response.headers().get(LOCATION)?.to_str().ok()?;
    response.url().join(target).ok()
}

/// The same host, and never from https back to http.
fn is_same_server(from: &Url, to: &Url) -> bool {
    let same_port = from.port_or_known_default() == to.port_or_known_default();
    from.host_str() == to.host_str()
        && ((from.scheme() == to.scheme() && same_port)
            || (from.scheme() == "http" && to.scheme() == "https"))
}

async fn body(mut response: Response, service: &str, server: &str) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if bytes.len() + chunk.len() > LARGEST_BODY => {
                let says = format!("the answer has more than {} MB", LARGEST_BODY / 1024 / 1024);
                return Err(Fault::new(Kind::TooLarge, service, says));
            }
            Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
            Ok(None) => return Ok(bytes),
            Err(error) => return Err(said::of_error(service, server, error)),
        }
    }
}

fn millis(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// Host and port of a URL, for messages.
#[must_use]
pub fn server(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port_or_known_default().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

fn without_userinfo(url: &Url) -> Url {
    let mut url = url.clone();
    // Fails only for URLs that cannot have one.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}
