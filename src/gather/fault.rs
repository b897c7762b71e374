//! Why a server did not answer a question, the same for both clients.

use std::error::Error;
use std::fmt;

use crate::bundle::Why;
use crate::exit::{Failure, code};

/// A question that was not answered, with everything that is known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What kind of failure it was.
    pub kind: Kind,
    /// Who was asked: `kubernetes`, a service's word, or `keystone` for the login.
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
        Failure { code: code::NO_SOURCE, message: format!("ask {fault}"), hint: fault.hint }
    }
}

/// Every cause of an error once, outermost first. reqwest's own first sentence says nothing.
#[must_use]
pub fn chain(error: &dyn Error) -> String {
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

/// Text of a server for one line: no control characters, no tags, at most 300 characters.
#[must_use]
pub fn short(text: &str) -> Option<String> {
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

    #[test]
    fn one_line_with_the_request_id() {
        let fault = Fault {
            status: Some(500),
            request_id: Some("req-1".to_owned()),
            ..Fault::new(Kind::Unreachable, "compute", "m")
        };
        assert_eq!(fault.to_string(), "compute: m (HTTP 500) [req-1]");
        let failure = Failure::from(fault.hint("h"));
        assert_eq!((failure.code, failure.hint.as_deref()), (code::NO_SOURCE, Some("h")));
        assert_eq!(failure.message, "ask compute: m (HTTP 500) [req-1]");
    }

    #[test]
    fn text_of_a_server_is_one_plain_line() {
        assert_eq!(short("<h1>Bad</h1>\n\u{1b}[31m gateway").as_deref(), Some("Bad [31m gateway"));
        assert_eq!(short(" \n<br/>"), None);
        assert_eq!(short(&"é".repeat(500)).map(|text| text.chars().count()), Some(300));
    }
}
