//! What the API server of Kubernetes says: webhooks, the sentences of its Status reasons, the driver's print.

use super::{ApiError, Failing, Found, Service, Webhook, after, end_of, network};
use crate::model::escape::quoted;

/// A webhook that could not be asked: `failed calling webhook "name": …`
/// (kubernetes/apiserver, pkg/admission/plugin/webhook/errors).
pub(super) fn webhook_unreachable(text: &str) -> Option<Found> {
    let (start, rest) = after(text, "failed calling webhook ")?;
    let (name, tail) = quoted(rest)?;
    let stop = ["failed calling webhook ", " (Status { "];
    let reach = stop.iter().filter_map(|words| tail.find(words)).min().unwrap_or(tail.len());
    let why = tail.get(..reach)?;
    let (mut error, end) = match network::request(why) {
        Some(found) => (found.error, found.end),
        None => match network::told(why) {
            Some((failing, end)) => (ApiError::new(failing), end),
            // The Service itself is missing: nothing stands behind the webhook either.
            None if why.contains("service \"") && why.contains("not found") => {
                (ApiError::new(Failing::NoEndpoints), reach)
            }
            None => (ApiError::new(Failing::Http(500)), 0),
        },
    };
    error.service = Service::Kubernetes;
    error.kind = Some(name.clone());
    error.webhook = Some(Webhook { name, denied: false });
    Some(Found { start, end: end_of(text, tail) + end, error })
}

/// A webhook that said no: `admission webhook "name" denied the request: text`.
pub(super) fn webhook_denied(text: &str) -> Option<Found> {
    let (start, rest) = after(text, "admission webhook ")?;
    let (name, rest) = quoted(rest)?;
    let said = rest.strip_prefix(" denied the request")?;
    let said = said.strip_prefix(": ").unwrap_or(said);
    let line = own(said.split('\n').next().unwrap_or_default());
    // controller-runtime answers 422 for an invalid object and 403 for any other error.
    let status = if line.contains(" is invalid: ") { 422 } else { 403 };
    let mut error = ApiError::new(Failing::Http(status));
    error.service = Service::Kubernetes;
    error.kind = Some(name.clone());
    error.text = super::sentence(line);
    error.webhook = Some(Webhook { name, denied: true });
    Some(Found { start, end: end_of(text, said) + line.len(), error })
}

/// Sentences of the API server and its client, their status and reason
/// (kubernetes/apimachinery, pkg/api/errors/errors.go).
const SENTENCES: [(&str, Failing, &str); 14] = [
    ("Operation cannot be fulfilled on ", Failing::Http(409), "Conflict"),
    ("the object has been modified; please apply your changes", Failing::Http(409), "Conflict"),
    ("the server has asked for the client to provide credentials", Failing::Http(401), "Unauthorized"),
    ("the server could not find the requested resource", Failing::Http(404), "NotFound"),
    ("the server is currently unable to handle the request", Failing::Http(503), "ServiceUnavailable"),
    ("the server was unable to return a response in the time allotted", Failing::Http(504), "Timeout"),
    ("Timeout: request did not complete within", Failing::Http(504), "Timeout"),
    ("the server has received too many requests", Failing::Http(429), "TooManyRequests"),
    ("an error on the server (", Failing::Http(500), "InternalError"),
    ("etcdserver: request timed out", Failing::Http(500), "InternalError"),
    ("etcdserver: leader changed", Failing::Http(500), "InternalError"),
    ("\" is forbidden: ", Failing::Http(403), "Forbidden"),
    ("\" already exists", Failing::Http(409), "AlreadyExists"),
    ("\" is invalid: ", Failing::Http(422), "Invalid"),
];

/// A sentence of the API server without a status around it, or the bare status that the driver's client logs.
pub(super) fn sentence(text: &str) -> Option<Found> {
    let fixed = SENTENCES.iter().filter_map(|(words, failing, reason)| {
        let (start, _) = after(text, words)?;
        let line = text.get(start..)?.split('\n').next()?;
        // The sentence starts before the quoted name that it is about.
        let from = if words.starts_with('"') { name_start(text, start) } else { start };
        let said = super::sentence(own(text.get(from..start + line.len())?));
        let until = own(line).len().max(words.len());
        Some(kubernetes(from, start + until, *failing, Some(reason), said))
    });
    let not_found = text.match_indices("\" not found").filter_map(|(at, words)| {
        let from = name_start(text, at);
        let said = text.get(from..at + words.len())?;
        let kind = said.split(" \"").next()?;
        let sound =
            !kind.is_empty() && kind.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'));
        let whole = sound && kind != "service" && kind != "server";
        whole.then(|| {
            kubernetes(from, at + words.len(), Failing::Http(404), Some("NotFound"), super::sentence(said))
        })
    });
    let internal = internal_error(text);
    fixed.chain(not_found.take(1)).chain(internal).chain(client_log(text)).min_by_key(|found| found.start)
}

/// What of a line is one sentence of the API server: aggregated errors follow as `[one, failed to …: other]`.
fn own(line: &str) -> &str {
    let line = before_status(line);
    let line = line.split(", failed to ").next().unwrap_or(line);
    let count = |bracket: char| line.matches(bracket).count();
    if count(']') > count('[') { line.trim_end_matches(']') } else { line }
}

/// `Internal error occurred: …`, unless a webhook is the reason.
fn internal_error(text: &str) -> Option<Found> {
    let (start, rest) = after(text, "Internal error occurred: ")?;
    let line = rest.split('\n').next()?;
    if line.contains("failed calling webhook ") {
        return None;
    }
    Some(kubernetes(
        start,
        end_of(text, rest),
        Failing::Http(500),
        Some("InternalError"),
        super::sentence(own(line)),
    ))
}

/// kube's client in the driver: `failed with status 504 Gateway Timeout` (kube-rs/kube, client/builder.rs).
fn client_log(text: &str) -> Option<Found> {
    let (start, rest) = after(text, "failed with status ")?;
    let line = rest.split('\n').next()?;
    let (status, reason) = line.split_once(' ').unwrap_or((line, ""));
    let failing = Failing::Http(status.parse().ok()?);
    Some(kubernetes(start, end_of(text, rest) + line.len(), failing, None, super::sentence(reason)))
}

fn kubernetes(
    start: usize,
    end: usize,
    failing: Failing,
    reason: Option<&str>,
    text: Option<String>,
) -> Found {
    let kind = reason.map(str::to_owned);
    Found {
        start,
        end,
        error: ApiError { service: Service::Kubernetes, kind, text, ..ApiError::new(failing) },
    }
}

/// Where `kinds.group "name` starts that ends at the quote at `at`.
fn name_start(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    let Some(quote) = before.rfind('"') else { return at };
    let kind = before.get(..quote).unwrap_or_default().trim_end();
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    kind.rfind(|c| !is_name(c)).map_or(0, |space| {
        let width = kind.get(space..).and_then(|tail| tail.chars().next()).map_or(1, char::len_utf8);
        space + width
    })
}

/// How Rust prints a Status behind the sentence that it repeats (kube-rs/kube-core, src/response.rs).
const PRINT: &str = " (Status { ";

/// The sentence before `: Invalid (Status { …`.
pub(crate) fn before_status(text: &str) -> &str {
    let Some((said, _)) = text.split_once(PRINT) else { return text };
    match said.rsplit_once(": ") {
        Some((sentence, reason)) if !reason.contains(' ') => sentence,
        _ => said,
    }
}

/// The printed Status as an error of its own.
pub(super) fn status_print(text: &str) -> Option<Found> {
    let (start, rest) = after(text, PRINT)?;
    let print = rest.split('\n').next()?;
    let code = after(print, "code: ").and_then(|(_, tail)| tail.split([',', ' ', '}']).next()?.parse().ok());
    let string = |key: &str| after(print, key).and_then(|(_, tail)| Some(quoted(tail)?.0));
    let mut error = ApiError::new(Failing::Http(code.unwrap_or(500)));
    error.service = Service::Kubernetes;
    error.kind = string(", reason: ").filter(|reason| !reason.is_empty());
    error.text = string("message: ").filter(|said| !said.is_empty());
    Some(Found { start, end: end_of(text, rest) + print.len(), error })
}

/// A printed Status tells the sentence before it a second time: it adds its code to a refusal and stands for
/// itself only if that sentence was not understood.
pub(super) fn merge_status(errors: &mut Vec<ApiError>, status: ApiError) {
    match errors.last_mut() {
        Some(last) if last.webhook.as_ref().is_some_and(|webhook| webhook.denied) => {
            last.failing = status.failing
        }
        Some(last) if last.webhook.is_some() => {}
        Some(last) if last.service == Service::Kubernetes && last.kind == status.kind => *last = status,
        _ => errors.push(status),
    }
}
