//! How long one answer may take, and how `--request-timeout` is written.

use std::time::Duration;

/// Time limits of one connection to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Time to reach a server and agree on TLS.
    pub connect: Duration,
    /// Time from a request to the last byte of its answer.
    pub answer: Duration,
    /// Time for a credential plugin of the kubeconfig to finish.
    pub plugin: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            connect: Duration::from_secs(5),
            answer: Duration::from_secs(10),
            plugin: Duration::from_secs(30),
        }
    }
}

/// A day stands for "no limit": a hanging server must not hold a run for ever, and the
/// deadline of the whole run is shorter than this in any case.
const NO_LIMIT: Duration = Duration::from_secs(24 * 60 * 60);

impl Limits {
    /// The default limits, with another time for one answer.
    #[must_use]
    pub fn with_answer(self, answer: Option<Duration>) -> Self {
        Limits { answer: answer.unwrap_or(self.answer), ..self }
    }
}

/// Reads a length of time as kubectl's `--request-timeout` takes it: a plain number is
/// seconds, else Go's notation (`1m30s`, `500ms`); `0` means no limit.
///
/// # Errors
/// A text that is neither.
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("'{text}' is not a length of time; write seconds, or a unit as in 30s, 2m, 1m30s");
    if let Ok(seconds) = text.parse::<u64>() {
        return Ok(if seconds == 0 { NO_LIMIT } else { Duration::from_secs(seconds) });
    }
    let mut sum = 0.0_f64;
    let mut rest = text;
    while !rest.is_empty() {
        let unit_at = rest.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(wrong)?;
        let (number, after) = rest.split_at_checked(unit_at).ok_or_else(wrong)?;
        let unit_end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, next) = after.split_at_checked(unit_end).ok_or_else(wrong)?;
        let seconds = match unit {
            "h" => 3600.0,
            "m" => 60.0,
            "s" => 1.0,
            "ms" => 0.001,
            _ => return Err(wrong()),
        };
        sum += number.parse::<f64>().map_err(|_| wrong())? * seconds;
        rest = next;
    }
    match Duration::try_from_secs_f64(sum) {
        Ok(length) if !text.is_empty() => Ok(if length.is_zero() { NO_LIMIT } else { length }),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<Duration>) {
        assert_eq!(duration(text).ok(), expected, "{text}");
    }

    #[test]
    fn as_kubectl_writes_it() {
        check("15", Some(Duration::from_secs(15)));
        check("1m30s", Some(Duration::from_secs(90)));
        check("1.5h", Some(Duration::from_secs(5400)));
        check("250ms", Some(Duration::from_millis(250)));
        check("0", Some(NO_LIMIT));
        check("0s", Some(NO_LIMIT));
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["", "s", "10x", "ten", "-3s", "1m30", "1..2s", "3 s"] {
            check(text, None);
        }
    }
}
