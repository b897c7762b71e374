//! What an OpenStack service says when it does not answer: every service has its own form.

use serde_json::Value;

use crate::gather::fault::{Fault, Kind, chain, short};

/// A fault from an answer with an error status.
#[must_use]
pub fn of_answer(service: &str, status: u16, body: &[u8], request_id: Option<String>) -> Fault {
    let said = Said::of(body);
    let half_up = said.kind.as_deref() == Some("HTTPNotFound");
    // Neutron says so for a whole path that it does not serve (yet): no thing is missing.
    let kind = if status == 404 && half_up { Kind::Unreachable } else { Kind::of_status(status) };
    let says = said.message.unwrap_or_else(|| format!("HTTP {status} without a reason"));
    Fault { kind, service: service.to_owned(), status: Some(status), says, request_id, hint: None }
}

/// A fault from a request that got no whole answer. `server` is host and port.
#[must_use]
pub fn of_error(service: &str, server: &str, error: reqwest::Error) -> Fault {
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
            // A version that Magnum does not have: the title does not say which it has.
            .or_else(|| at(first, "description"))
            .or_else(|| at(first, "title"))
            .or_else(|| at(inner, "message"))
            .or_else(|| at(Some(value), "faultstring"))
            .or_else(|| at(Some(value), "message"));
        Said { message: message.and_then(|text| short(&text)), kind: at(inner, "type") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(status: u16, body: &str, kind: Kind, says: &str) {
        let fault = of_answer("s", status, body.as_bytes(), None);
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
}
