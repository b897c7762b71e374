//! Requests that got no answer, as Go, Python and Rust say it.

use super::{ApiError, Failing, Found, Service, after, end_of, openstack::python_class};

/// Phrases of the network layers. `alone`: it stands for a failed request also without a request before it.
const PHRASES: [(&str, Failing, bool); 40] = [
    ("connection refused", Failing::Refused, true),
    ("Connection refused", Failing::Refused, true),
    ("ECONNREFUSED", Failing::Refused, true),
    ("network is unreachable", Failing::Unreachable, true),
    ("Network is unreachable", Failing::Unreachable, true),
    ("no route to host", Failing::Unreachable, true),
    ("No route to host", Failing::Unreachable, true),
    ("host is down", Failing::Unreachable, true),
    ("client error (Connect)", Failing::Unreachable, true),
    ("client error (SendRequest)", Failing::Closed, true),
    ("no such host", Failing::Dns, true),
    ("server misbehaving", Failing::Dns, true),
    ("Name or service not known", Failing::Dns, true),
    ("Temporary failure in name resolution", Failing::Dns, true),
    ("Failed to resolve", Failing::Dns, true),
    ("x509: ", Failing::Tls, true),
    ("tls: ", Failing::Tls, true),
    ("certificate verify failed", Failing::Tls, true),
    ("CERTIFICATE_VERIFY_FAILED", Failing::Tls, true),
    ("SSLError(", Failing::Tls, false),
    ("server gave HTTP response to HTTPS client", Failing::Tls, true),
    ("TLS handshake timeout", Failing::TimedOut, true),
    ("i/o timeout", Failing::TimedOut, true),
    ("context deadline exceeded", Failing::TimedOut, true),
    ("Client.Timeout", Failing::TimedOut, true),
    ("timeout awaiting response headers", Failing::TimedOut, true),
    ("connection timed out", Failing::TimedOut, true),
    ("Connection timed out", Failing::TimedOut, true),
    ("operation timed out", Failing::TimedOut, true),
    ("Read timed out", Failing::TimedOut, true),
    ("connect timeout=", Failing::TimedOut, false),
    ("timed out", Failing::TimedOut, false),
    ("connection reset by peer", Failing::Closed, true),
    ("Connection reset by peer", Failing::Closed, true),
    ("broken pipe", Failing::Closed, true),
    ("client connection lost", Failing::Closed, true),
    ("server closed idle connection", Failing::Closed, true),
    ("Remote end closed connection", Failing::Closed, true),
    ("EOF", Failing::Closed, false),
    ("no endpoints available for service", Failing::NoEndpoints, true),
];

/// Go's methods as its HTTP client prints them.
const METHODS: [&str; 7] = ["Get", "Post", "Put", "Patch", "Delete", "Head", "Options"];

/// Go's HTTP client: `Get "url": what went wrong`.
pub(super) fn request(text: &str) -> Option<Found> {
    let mut offset = 0;
    while let Some((at, rest)) = text.get(offset..).and_then(|tail| after(tail, " \"http")) {
        let quote = offset + at + 2;
        let method = text.get(..offset + at)?.rsplit(|c: char| !c.is_ascii_alphabetic()).next()?;
        let behind = text.get(quote..)?.split_once('"');
        if let (true, Some((url, tail))) = (METHODS.contains(&method), behind)
            && let Some(tail) = tail.strip_prefix(": ")
            && let Some((failing, end)) = told(reach(tail))
        {
            let start = offset + at - method.len();
            let end = end_of(text, tail) + clause(reach(tail), end);
            return Some(Found { start, end, error: ApiError::new(failing).asked(method, url) });
        }
        offset = end_of(text, rest);
    }
    None
}

/// What belongs to a request: up to the next request, answer or webhook of the same text.
fn reach(tail: &str) -> &str {
    let next = [" \"http", "Expected HTTP response code", "failed calling webhook", ", failed to "];
    let end = next.iter().filter_map(|words| tail.find(words)).min().unwrap_or(tail.len());
    tail.get(..end).unwrap_or(tail)
}

/// Where the clause around a phrase ends: one failure is often told by two layers (`tls: …: x509: …`).
fn clause(tail: &str, from: usize) -> usize {
    let rest = tail.get(from..).unwrap_or_default();
    let stops = [", ", "]", "\n", "; ", "%!("];
    from + stops.iter().filter_map(|stop| rest.find(stop)).min().unwrap_or(rest.len())
}

/// The first network phrase: what it tells, and where it ends. A failed look-up of the server's name is told by
/// `lookup`, whatever stopped it.
pub(super) fn told(tail: &str) -> Option<(Failing, usize)> {
    let (at, words, failing) = PHRASES
        .iter()
        .filter_map(|(words, failing, _)| Some((tail.find(words)?, *words, *failing)))
        .min_by_key(|(at, words, _)| (*at, std::cmp::Reverse(words.len())))?;
    let end = at + words.len();
    let looked_up = tail.get(..at).is_some_and(|before| before.contains("dial tcp: lookup "));
    Some((if looked_up { Failing::Dns } else { failing }, end))
}

/// A network phrase without a request before it; a client that throttles itself is none.
pub(super) fn phrase(text: &str) -> Option<Found> {
    let found = PHRASES
        .iter()
        .filter(|(_, _, alone)| *alone)
        .flat_map(|(words, failing, _)| text.match_indices(words).map(|(at, words)| (at, words, *failing)))
        .filter(|(at, ..)| {
            !text.get(..*at).is_some_and(|b| b.ends_with("rate limiter Wait returned an error: "))
        });
    let (start, words, failing) = found.min_by_key(|(at, words, _)| (*at, std::cmp::Reverse(words.len())))?;
    let tail = reach(text.get(start..).unwrap_or_default());
    let end = start + clause(tail, words.len());
    let mut error = ApiError::new(failing);
    // hyper's words: the driver's extension speaks to nothing but Kubernetes.
    if words.starts_with("client error (") {
        error.service = Service::Kubernetes;
    }
    if failing == Failing::NoEndpoints {
        error.service = Service::Kubernetes;
    }
    Some(Found { start, end, error })
}

/// Openings of Python's clients before a URL.
const PYTHON: [&str; 4] = [
    "Unable to establish connection to ",
    "SSL exception connecting to ",
    "Failure contacting ",
    "Request to ",
];

/// Python: `HTTPSConnectionPool(host='…', port=…): Read timed out.`, alone or behind keystoneauth's words with
/// the URL (openstack/keystoneauth, keystoneauth1/session.py).
pub(super) fn pool(text: &str) -> Option<Found> {
    let by_pool = bare_pool(text);
    let by_url = PYTHON.iter().filter_map(|words| opening(text, words)).min_by_key(|found| found.start);
    [by_url, by_pool].into_iter().flatten().min_by_key(|found| found.start)
}

/// keystoneauth's words with a URL, and the pool behind them.
fn opening(text: &str, words: &str) -> Option<Found> {
    let (start, rest) = after(text, words)?;
    let end = rest.find([' ', '\n']).unwrap_or(rest.len());
    let (url, tail) = rest.split_at_checked(end)?;
    let url = url.trim_end_matches([':', ',']);
    if !url.starts_with("http") {
        return None;
    }
    let line = tail.split('\n').next().unwrap_or_default();
    let unsaid = if words.starts_with("SSL") { Failing::Tls } else { Failing::Unreachable };
    let (failing, _) = told(line).unwrap_or((unsaid, 0));
    let mut error = ApiError::new(failing).asked("", url);
    error.kind = python_class(text.get(..start)?);
    Some(Found { start, end: end_of(text, tail) + line.len(), error })
}

/// urllib3's pool by itself.
fn bare_pool(text: &str) -> Option<Found> {
    let (at, rest) = after(text, "ConnectionPool(host='")?;
    let scheme = text.get(..at)?.rsplit(|c: char| !c.is_ascii_alphabetic()).next()?;
    let (host, rest) = rest.split_once('\'')?;
    let (port, tail) = rest.strip_prefix(", port=")?.split_once(')')?;
    let start = at - scheme.len();
    let line = tail.split('\n').next().unwrap_or_default();
    let path = after(line, "exceeded with url: ").and_then(|(_, url)| url.split([' ', '\n']).next());
    let (failing, _) = told(line).unwrap_or((Failing::Unreachable, 0));
    let url = format!("{}://{host}:{port}{}", scheme.to_ascii_lowercase(), path.unwrap_or_default());
    let mut error = ApiError::new(failing).asked("", &url);
    error.path = path.map(|path| path.split('?').next().unwrap_or(path).to_owned());
    error.kind = python_class(text.get(..start)?);
    Some(Found { start, end: end_of(text, tail) + line.len(), error })
}
