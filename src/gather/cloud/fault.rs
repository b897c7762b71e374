//! Why an OpenStack service did not answer a question.

use std::error::Error;
use std::fmt;

use serde_json::Value;

use crate::bundle::Why;
use crate::exit::{Failure, code};

/// A question that was not answered, with everything that is known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What kind of failure it was.
    pub kind: Kind,
    /// Who was asked: a service's word, or `keystone` for the login.
    pub service: String,
    /// HTTP status, if there was an answer.
    pub status: Option<u16>,
    /// What the service said, or the chain of causes; never a secret of ours.
    pub says: String,
    /// Request id, to be looked up in the service's log.
    pub request_id: Option<String>,
    /// What to do about it, where we know.
    pub hint: Option<String>,
}

/// What kind of failure it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// 401 or 403.
    NoAccess,
    /// 404 or 410: what was asked for is not there, or not for us.
    NotFound,
    /// 409: for Magnum, several things have that name.
    Conflict,
    /// 400, 405, 406 and other 4xx: the service does not take the question.
    Refused,
    /// No connection, a TLS failure, or the service says that it is down (429, 5xx).
    Unreachable,
    /// No whole answer in time.
    TimedOut,
    /// An answer that is broken off or is not JSON.
    Unreadable,
    /// More than we are ready to read.
    TooLarge,
    /// The catalog has no such service in this region.
    NoService,
}

impl Kind {
    /// The kind that a status means.
    #[must_use]
    pub fn of_status(status: u16) -> Kind {
        match status {
            401 | 403 => Kind::NoAccess,
            404 | 410 => Kind::NotFound,
            409 => Kind::Conflict,
            408 | 504 => Kind::TimedOut,
            429 | 500..=599 => Kind::Unreachable,
            400..=499 => Kind::Refused,
            _ => Kind::Unreadable,
        }
    }

    /// The word of the bundle's gaps for it. A thing that is not found or a service that does
    /// not exist may be no gap at all; that is for the caller to say before.
    #[must_use]
    pub fn why(self) -> Why {
        match self {
            Kind::NoAccess => Why::NoAccess,
            Kind::Unreachable | Kind::NoService => Why::Unreachable,
            Kind::TimedOut => Why::TimedOut,
            Kind::TooLarge => Why::TooLarge,
            Kind::NotFound | Kind::Conflict | Kind::Refused | Kind::Unreadable => Why::Unreadable,
        }
    }
}

impl Fault {
    /// A fault without an answer.
    #[must_use]
    pub fn new(kind: Kind, service: &str, says: impl Into<String>) -> Self {
        Fault {
            kind,
            service: service.to_owned(),
            status: None,
            says: says.into(),
            request_id: None,
            hint: None,
        }
    }

    /// The same with a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// A fault from an answer with an error status.
    #[must_use]
    pub fn of_answer(service: &str, status: u16, body: &[u8], request_id: Option<String>) -> Self {
        let said = Said::of(body);
        let half_up = said.kind.as_deref() == Some("HTTPNotFound");
        // Neutron says so for a whole path that it does not serve (yet): no thing is missing.
        let kind = if status == 404 && half_up { Kind::Unreachable } else { Kind::of_status(status) };
        let says = said.message.unwrap_or_else(|| format!("HTTP {status} without a reason"));
        Fault { kind, service: service.to_owned(), status: Some(status), says, request_id, hint: None }
    }

    /// A fault from a request that got no whole answer. `server` is host and port.
    #[must_use]
    pub fn of_error(service: &str, server: &str, error: reqwest::Error) -> Self {
        let error = error.without_url();
        let chain = chain(&error);
        let kind = if error.is_connect() {
            Kind::Unreachable
        } else if error.is_timeout() {
            Kind::TimedOut
        } else if error.is_body() || error.is_decode() {
            Kind::Unreadable
        } else {
            Kind::Unreachable
        };
        let what = match kind {
            Kind::Unreachable => format!("no connection to {server}"),
            Kind::TimedOut => format!("no whole answer from {server} in time"),
            _ => format!("the answer of {server} broke off"),
        };
        let says = if chain.is_empty() { what } else { format!("{what}: {chain}") };
        let hint = certificate_hint(&says);
        Fault { kind, service: service.to_owned(), status: None, says, request_id: None, hint }
    }
}

/// Every cause of an error once, outermost first. reqwest's own first sentence says nothing.
fn chain(error: &dyn Error) -> String {
    let mut causes: Vec<String> = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause.to_string();
        if !causes.iter().any(|known| known.contains(&text)) {
            causes.push(text);
        }
        next = cause.source();
    }
    causes.retain(|text| text != "client error (Connect)" && text != "error sending request");
    causes.join(": ")
}

/// What to do about a certificate that rustls refuses.
fn certificate_hint(says: &str) -> Option<String> {
    let hint = if says.contains("CaUsedAsEndEntity") {
        "the server shows a self-signed certificate that is marked as an authority; have an authority issue the \
         server's certificate and name that one as cacert, or set `verify: false` for this cloud"
    } else if says.contains("UnknownIssuer") {
        "name the authority's certificate: cacert in clouds.yaml, OS_CACERT or --os-cacert"
    } else if says.contains("NotValidForName") {
        "the certificate is for another name; use the name in it as the address"
    } else if says.contains("certificate expired") || says.contains("Expired") {
        "the certificate is out of date, or this machine's clock is"
    } else {
        return None;
    };
    Some(hint.to_owned())
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.service, self.says)?;
        if let Some(status) = self.status {
            write!(f, " (HTTP {status})")?;
        }
        match &self.request_id {
            Some(id) => write!(f, " [{id}]"),
            None => Ok(()),
        }
    }
}

impl Error for Fault {}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Failure { code: code::NO_SOURCE, message: format!("use OpenStack: {fault}"), hint: fault.hint }
    }
}

/// The reason in an error body. Every service has its own form.
#[derive(Default)]
struct Said {
    message: Option<String>,
    kind: Option<String>,
}

impl Said {
    fn of(body: &[u8]) -> Said {
        match serde_json::from_slice::<Value>(body) {
            Ok(value) => Said::of_value(&value),
            Err(_) => Said { message: short(&String::from_utf8_lossy(body)), kind: None },
        }
    }

    fn of_value(value: &Value) -> Said {
        // Magnum and Placement: {"errors": [{"title", "detail"}]}.
        let first = value.get("errors").and_then(|errors| errors.get(0));
        // Keystone, Neutron, Nova, Cinder: one key that names the kind, with a message in it.
        let inner =
            value.as_object().into_iter().flatten().map(|(_, v)| v).find(|v| v.get("message").is_some());
        let at = |value: Option<&Value>, key: &str| Some(value?.get(key)?.as_str()?.to_owned());
        let message = at(first, "detail")
            .filter(|detail| !detail.is_empty())
            .or_else(|| at(first, "title"))
            .or_else(|| at(inner, "message"))
            .or_else(|| at(Some(value), "faultstring"))
            .or_else(|| at(Some(value), "message"));
        Said { message: message.and_then(|text| short(&text)), kind: at(inner, "type") }
    }
}

/// Text of a server for one line: no control characters, no tags, at most 300 characters.
fn short(text: &str) -> Option<String> {
    let mut plain = String::new();
    let mut in_tag = false;
    for c in text.chars().take(4000) {
        match c {
            '<' => in_tag = true,
            '>' if in_tag => {
                in_tag = false;
                plain.push(' ');
            }
            _ if in_tag => {}
            c if c.is_control() => plain.push(' '),
            c => plain.push(c),
        }
    }
    let words: Vec<&str> = plain.split_whitespace().collect();
    let line: String = words.join(" ").chars().take(300).collect();
    (!line.is_empty()).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(status: u16, body: &str, kind: Kind, says: &str) {
        let fault = Fault::of_answer("s", status, body.as_bytes(), None);
        assert_eq!((fault.kind, fault.says.as_str()), (kind, says), "{body}");
    }

    #[test]
    fn each_service_says_it_in_its_own_way() {
        check(
            401,
            r#"{"error": {"code": 401, "message": "no login", "title": "U"}}"#,
            Kind::NoAccess,
            "no login",
        );
        check(403, r#"{"forbidden": {"code": 403, "message": "policy"}}"#, Kind::NoAccess, "policy");
        check(404, r#"{"errors": [{"title": "t", "detail": "not found."}]}"#, Kind::NotFound, "not found.");
        check(404, r#"{"errors": [{"title": "t", "detail": ""}]}"#, Kind::NotFound, "t");
        check(500, r#"{"faultcode": "Server", "faultstring": "db\ngone"}"#, Kind::Unreachable, "db gone");
        check(
            503,
            r#"{"message": "later.<br /><br />\nnow", "code": "503"}"#,
            Kind::Unreachable,
            "later. now",
        );
        check(502, "<html><h1>Bad Gateway</h1></html>", Kind::Unreachable, "Bad Gateway");
        check(500, "", Kind::Unreachable, "HTTP 500 without a reason");
        check(409, "{}", Kind::Conflict, "HTTP 409 without a reason");
        check(406, "{}", Kind::Refused, "HTTP 406 without a reason");
        check(504, "{}", Kind::TimedOut, "HTTP 504 without a reason");
    }

    #[test]
    fn a_neutron_without_its_paths_is_down() {
        let body =
            |kind: &str| format!(r#"{{"NeutronError": {{"type": "{kind}", "message": "m", "detail": ""}}}}"#);
        check(404, &body("HTTPNotFound"), Kind::Unreachable, "m");
        check(404, &body("NetworkNotFound"), Kind::NotFound, "m");
    }

    #[test]
    fn one_line_with_the_request_id() {
        let fault = Fault::of_answer("compute", 500, br#"{"message": "m"}"#, Some("req-1".to_owned()));
        assert_eq!(fault.to_string(), "compute: m (HTTP 500) [req-1]");
        let failure = Failure::from(fault.hint("h"));
        assert_eq!((failure.code, failure.hint.as_deref()), (code::NO_SOURCE, Some("h")));
    }
}
