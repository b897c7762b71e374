//! The wordings of OpenStack's clients: gophercloud v1 and v2, openstacksdk, requests, keystoneauth.

use super::{ApiError, Failing, Found, Service, after, body, end_of, sentence};

/// gophercloud v2, and v1 for what has no wording of its own (gophercloud/gophercloud, errors.go):
/// `Expected HTTP response code [201] when accessing [POST url], but got 409 instead: body`.
pub(super) fn gophercloud(text: &str) -> Option<Found> {
    let (start, rest) = after(text, "Expected HTTP response code ")?;
    let (_, rest) = rest.split_once(" when accessing [")?;
    let (request, rest) = rest.split_once("], but got ")?;
    let (status, rest) = rest.split_once(' ')?;
    let rest = rest.strip_prefix("instead")?;
    let (method, url) = request.split_once(' ')?;
    let error = ApiError::new(Failing::Http(status.parse().ok()?)).asked(method, url);
    // v1 puts the body on a line of its own, also where there is none.
    let rest = rest.strip_prefix(':').unwrap_or(rest).trim_start();
    Some(with_body(text, start, rest, error))
}

/// Openings of gophercloud v1 with method, URL and body.
const V1: [(&str, u16); 4] = [
    ("Bad request with: [", 400),
    ("Request forbidden: [", 403),
    ("Resource not found: [", 404),
    ("Conflict: [", 409),
];

/// gophercloud v1: `Resource not found: [POST url], error message: body`.
pub(super) fn gophercloud_v1(text: &str) -> Option<Found> {
    let opening = |(words, status): &(&str, u16)| {
        let (start, rest) = after(text, words)?;
        let (request, rest) = rest.split_once(']')?;
        let (method, url) = request.split_once(' ')?;
        let rest = rest.strip_prefix(", error message:").unwrap_or(rest).trim_start();
        Some(with_body(text, start, rest, ApiError::new(Failing::Http(*status)).asked(method, url)))
    };
    V1.iter().filter_map(opening).min_by_key(|found| found.start)
}

/// Openings of another error: a body that is no JSON ends there.
const OPENINGS: [&str; 7] = [
    "Expected HTTP response code ",
    "Bad request with: [",
    "Request forbidden: [",
    "Resource not found: [",
    "failed calling webhook ",
    "Unable to re-authenticate",
    "%!(EXTRA",
];

/// The error with what the body behind it says.
fn with_body(text: &str, start: usize, rest: &str, mut error: ApiError) -> Found {
    let limit = OPENINGS.iter().filter_map(|words| rest.find(words)).min().unwrap_or(rest.len());
    let (said, rest) = body::read(rest, limit);
    error.kind = said.kind;
    error.text = said.text;
    if said.kubernetes {
        error.service = Service::Kubernetes;
    }
    Found { start, end: end_of(text, rest), error }
}

/// Sentences of gophercloud v1 that hide the request.
const FIXED: [(&str, u16); 5] = [
    ("Authentication failed", 401),
    ("Method not allowed", 405),
    ("The server timed out waiting for the request", 408),
    ("Too many requests have been sent in a given amount of time", 429),
    (
        "The service is currently unable to handle the request due to a temporary overloading or maintenance",
        503,
    ),
];

/// gophercloud v1 where it says nothing but a fixed sentence.
pub(super) fn gophercloud_fixed(text: &str) -> Option<Found> {
    let fixed = |(words, status): &(&str, u16)| {
        let (start, rest) = after(text, words)?;
        Some(Found { start, end: end_of(text, rest), error: ApiError::new(Failing::Http(*status)) })
    };
    FIXED.iter().filter_map(fixed).min_by_key(|found| found.start)
}

/// openstacksdk and requests (openstack/openstacksdk, openstack/exceptions.py):
/// `403: Client Error for url: url, text` and `429 Client Error: Too Many Requests for url: url`.
pub(super) fn python(text: &str) -> Option<Found> {
    let words = [" Client Error", " Server Error"];
    let (at, rest) = words.iter().filter_map(|words| after(text, words)).min_by_key(|(at, _)| *at)?;
    let before = text.get(..at)?.trim_end_matches(':');
    let digits = before.len().checked_sub(3)?;
    let status: u16 = before.get(digits..)?.parse().ok()?;
    let (reason, rest) = rest.split_once("for url: ")?;
    if reason.contains('\n') {
        return None;
    }
    let end = rest.find([' ', '\n', '\'', '"']).unwrap_or(rest.len());
    let (url, rest) = rest.split_at_checked(end)?;
    let (url, line) = match url.strip_suffix(',') {
        Some(url) => (url, rest.split('\n').next().unwrap_or_default()),
        None => (url, ""),
    };
    let mut error = ApiError::new(Failing::Http(status)).asked("", url.trim_end_matches(':'));
    error.kind = python_class(before.get(..digits)?);
    error.text = sentence(line).or_else(|| sentence(reason.trim_matches([':', ' '])));
    let rest = rest.get(line.len()..).unwrap_or_default();
    Some(Found { start: digits, end: end_of(text, rest), error })
}

/// keystoneauth and the old clients: `text (HTTP 401) (Request-ID: req-…)`.
pub(super) fn python_client(text: &str) -> Option<Found> {
    let (start, rest) = after(text, "(HTTP ")?;
    let (status, rest) = rest.split_once(')')?;
    let mut error = ApiError::new(Failing::Http(status.parse().ok()?));
    let line = text.get(..start)?.rsplit('\n').next()?;
    let (class, said) = line.rsplit_once(": ").unwrap_or(("", line));
    error.kind = python_class(&format!("{class}: "));
    error.text = sentence(said);
    Some(Found { start, end: end_of(text, rest), error })
}

/// The class at the end of `… module.SomeException: `, without its module.
pub(super) fn python_class(before: &str) -> Option<String> {
    let word = before.trim_end().strip_suffix(':')?.rsplit([' ', '\n', ':', '"', '(']).next()?;
    let class = word.rsplit('.').next()?;
    let endings =
        ["Exception", "Error", "Timeout", "Failure", "Refused", "NotFound", "Unauthorized", "Forbidden"];
    let sound = class.starts_with(|c: char| c.is_ascii_uppercase())
        && class.chars().all(|c| c.is_ascii_alphanumeric())
        && endings.iter().any(|ending| class.ends_with(ending));
    sound.then(|| class.to_owned())
}
