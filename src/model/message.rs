//! Every sentence that was said about one cluster.

use jiff::Timestamp;

use super::api_error::{self, ApiError};
use super::condition::Status;
use super::operation::{self, Operation};

/// A sentence, who said it about what, and whether it still holds.
#[derive(Debug, Clone)]
pub struct Message {
    /// Who said it.
    pub source: Source,
    /// Kind of the object it was said about.
    pub kind: String,
    /// Name of that object.
    pub name: String,
    /// Condition reason, event reason, exception class; may be empty.
    pub reason: String,
    /// The sentence.
    pub text: String,
    /// When it was first said.
    pub since: Option<Timestamp>,
    /// When it was last said; state (a condition, a fault) is said at the time of reading.
    pub last: Timestamp,
    /// How often.
    pub times: usize,
    /// The API error in it: the last one of a chain, which is the cause of the others.
    pub api: Option<ApiError>,
    /// What was being done.
    pub operation: Option<Operation>,
    /// Why it no longer holds, if so.
    pub over: Option<&'static str>,
    /// True if it cannot carry certainty: not tied to this cluster for sure, or said by
    /// a controller that no longer runs.
    pub weak: bool,
}

/// Who said a [`Message`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A condition of that type, with its status and severity.
    Condition(String, Status, Option<String>),
    /// `status.failureMessage` of an older contract.
    Failure,
    /// An Event object of that name.
    Event(String),
    /// The log of `namespace/pod`.
    Log(String),
    /// Nova's fault of a server of that id.
    Fault(String),
    /// `status_reason` of the Magnum cluster.
    ClusterReason,
    /// `status_reason` of that node group.
    GroupReason(String),
    /// The log of a magnum-conductor, `namespace/pod`.
    Conductor(String),
    /// What the reader of the bundle was told when it asked for that part.
    Gap(String),
}

impl Message {
    /// A sentence with its API error and operation read out of it.
    #[must_use]
    pub fn new(source: Source, kind: &str, name: &str, reason: &str, text: &str, last: Timestamp) -> Self {
        let api = api_error::last(text);
        let operation = operation::of_reason(reason)
            .map(|(operation, _)| operation)
            .or_else(|| operation::of_text(text, api.as_ref()));
        Message {
            source,
            kind: kind.to_owned(),
            name: name.to_owned(),
            reason: reason.to_owned(),
            text: text.to_owned(),
            since: None,
            last,
            times: 1,
            api,
            operation,
            over: None,
            weak: false,
        }
    }

    /// True if it still holds.
    #[must_use]
    pub fn current(&self) -> bool {
        self.over.is_none()
    }

    /// True for what is said by being there at the time of reading.
    #[must_use]
    pub fn state(&self) -> bool {
        matches!(
            self.source,
            Source::Condition(..)
                | Source::Fault(_)
                | Source::ClusterReason
                | Source::GroupReason(_)
                | Source::Gap(_)
        )
    }

    /// True if it comes from a log.
    #[must_use]
    pub fn logged(&self) -> bool {
        matches!(self.source, Source::Log(_) | Source::Conductor(_))
    }

    /// True if the text contains `words`, whatever the case of ASCII letters.
    #[must_use]
    pub fn has(&self, words: &str) -> bool {
        self.text.to_ascii_lowercase().contains(&words.to_ascii_lowercase())
    }
}
