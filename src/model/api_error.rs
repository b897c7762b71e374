//! What a server said, out of the sentence in which a controller or a conductor passed it on.
//! Nothing here fails: a sentence without an error gives an empty chain.

mod body;
mod kubernetes;
mod network;
mod openstack;
mod quota;
mod service;
#[cfg(test)]
mod tests;

pub(crate) use kubernetes::before_status;
pub use quota::{QuotaRefusal, quota};
pub use service::{Service, service_of};

use crate::model::escape::unescape;
use std::borrow::Cow;

/// How a request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Failing {
    /// The server answered with this status.
    Http(u16),
    /// Nothing listens there.
    Refused,
    /// No route, network unreachable, or no connection for a reason that was not said.
    Unreachable,
    /// No answer in time.
    TimedOut,
    /// The name of the server is not known.
    Dns,
    /// The certificate or the handshake was refused.
    Tls,
    /// The connection ended before the answer.
    Closed,
    /// The Kubernetes Service in between has no endpoints.
    NoEndpoints,
}

/// An admission webhook of Kubernetes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// Its full name, such as `validation.openstackcluster.infrastructure.cluster.x-k8s.io`.
    pub name: String,
    /// It answered and said no; else it could not be asked.
    pub denied: bool,
}

/// One failed request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiError {
    /// How it failed.
    pub failing: Failing,
    /// Whose API it was.
    pub service: Service,
    /// `POST`, in capitals.
    pub method: Option<String>,
    /// The whole URL.
    pub url: Option<String>,
    /// The URL's path without its query.
    pub path: Option<String>,
    /// A word that programs compare: Neutron's error type, the webhook's name, the reason of a Kubernetes
    /// Status, or the class of a Python exception.
    pub kind: Option<String>,
    /// The service's own sentence; none for a network error, where no service spoke.
    pub text: Option<String>,
    /// The webhook, if one was asked.
    pub webhook: Option<Webhook>,
}

impl ApiError {
    fn new(failing: Failing) -> ApiError {
        ApiError {
            failing,
            service: Service::Unknown,
            method: None,
            url: None,
            path: None,
            kind: None,
            text: None,
            webhook: None,
        }
    }

    /// With method and URL, and the service if the path tells it.
    fn asked(mut self, method: &str, url: &str) -> ApiError {
        let path = service::path(url);
        self.service = service::by_path(path, url);
        self.method = (!method.is_empty()).then(|| method.to_ascii_uppercase());
        self.path = Some(path.to_owned());
        self.url = Some(url.to_owned());
        self
    }

    /// The status, if the server answered.
    pub fn status(&self) -> Option<u16> {
        match self.failing {
            Failing::Http(status) => Some(status),
            _ => None,
        }
    }
}

/// An error found in a text: where it starts, where the text goes on behind it.
struct Found {
    start: usize,
    end: usize,
    error: ApiError,
}

/// One wording: the first error of its kind in the text.
type Finder = fn(&str) -> Option<Found>;

/// All wordings; where two start at the same place the earlier in the list counts.
const FINDERS: [Finder; 11] = [
    openstack::gophercloud,
    openstack::gophercloud_v1,
    openstack::gophercloud_fixed,
    openstack::python,
    openstack::python_client,
    network::pool,
    kubernetes::webhook_unreachable,
    kubernetes::webhook_denied,
    network::request,
    kubernetes::sentence,
    network::phrase,
];

/// Errors read from one text: far more than a sentence has, so that a hostile text costs no minutes.
const MOST: usize = 200;

/// Every HTTP, network and webhook error of the sentence, in order.
pub fn chain(text: &str) -> Vec<ApiError> {
    let text = readable(text);
    let mut errors: Vec<ApiError> = Vec::new();
    let mut rest = text.as_ref();
    while errors.len() < MOST
        && let Some((found, status)) = first(rest)
    {
        let before = rest.get(..found.start).unwrap_or_default();
        let mut error = found.error;
        if status {
            kubernetes::merge_status(&mut errors, error);
        } else {
            if error.service == Service::Unknown {
                error.service = service::by_words(before);
            }
            errors.push(error);
        }
        // Always forward, so the loop ends.
        let end = found.end.max(found.start + 1);
        let Some(next) = (end..rest.len()).find_map(|at| rest.get(at..)) else { break };
        rest = next;
    }
    errors
}

/// The error that matters: the last of the chain, as each layer wraps what stopped it.
pub fn last(text: &str) -> Option<ApiError> {
    chain(text).pop()
}

/// The error that starts first, and whether it is the printed Status that repeats what stands before it.
fn first(text: &str) -> Option<(Found, bool)> {
    let plain = FINDERS.iter().filter_map(|finder| finder(text)).min_by_key(|found| found.start);
    match (plain, kubernetes::status_print(text)) {
        (Some(plain), Some(status)) if plain.start < status.start => Some((plain, false)),
        (_, Some(status)) => Some((status, true)),
        (plain, None) => plain.map(|found| (found, false)),
    }
}

/// Text out of a log line that nobody unescaped: the JSON in it shows by `{\"`.
fn readable(text: &str) -> Cow<'_, str> {
    if text.contains("{\\\"") && !text.contains("{\"") {
        Cow::Owned(unescape(text))
    } else {
        Cow::Borrowed(text)
    }
}

/// The first place of a needle, as its start and the text behind it.
fn after<'a>(text: &'a str, needle: &str) -> Option<(usize, &'a str)> {
    let start = text.find(needle)?;
    Some((start, text.get(start + needle.len()..)?))
}

/// Where a piece of `text` ends in it.
fn end_of(text: &str, rest: &str) -> usize {
    text.len().saturating_sub(rest.len())
}

/// A sentence without what Go's printing slip and Rust's second telling add to it.
fn sentence(text: &str) -> Option<String> {
    let line = text.split('\n').next().unwrap_or_default();
    let line = line.split("%!(EXTRA").next().unwrap_or_default();
    let line = before_status(line);
    let line = line.trim();
    (!line.is_empty()).then(|| line.to_owned())
}
