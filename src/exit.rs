//! Exit codes, and the one error type that ends a command.

use std::fmt;

/// Exit codes of every command. The same number is in the JSON report.
pub mod code {
    /// Nothing wrong, nothing left over, or in use.
    pub const FINE: u8 = 0;
    /// Something is wrong, left over or blocked.
    pub const WRONG: u8 = 1;
    /// Usage, or an unknown cause id.
    pub const USAGE: u8 = 2;
    /// Neither Kubernetes nor OpenStack could be used, or the bundle could not be read.
    pub const NO_SOURCE: u8 = 3;
    /// Nothing carries the cluster's mark, or several clusters match.
    pub const NO_SUCH_CLUSTER: u8 = 4;
    /// Not enough was seen to say.
    pub const NOT_ENOUGH_SEEN: u8 = 5;
}

/// Why a command ended without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Exit code, one of [`code`].
    pub code: u8,
    /// Phrase with a small first letter that fits after "failed to".
    pub message: String,
    /// What to do about it, where we know.
    pub hint: Option<String>,
}

impl Failure {
    /// A failure without a hint.
    #[must_use]
    pub fn new(code: u8, message: impl Into<String>) -> Self {
        Failure { code, message: message.into(), hint: None }
    }

    /// The same failure with a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
