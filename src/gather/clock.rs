//! How long the whole run may take, and how far it is.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::fault::{Fault, Kind};

/// The one deadline of a run, and the operator's wish to end it now. Clones share both.
#[derive(Clone)]
pub struct Clock {
    deadline: Instant,
    length: Duration,
    stop: Arc<watch::Sender<bool>>,
    asked: Arc<AtomicUsize>,
    answered: Arc<AtomicUsize>,
}

impl Clock {
    /// A run that begins now and may take so long.
    #[must_use]
    pub fn start(length: Duration) -> Self {
        let now = Instant::now();
        Clock {
            // Beyond what a clock can hold there is no deadline worth the name.
            deadline: now.checked_add(length).unwrap_or(now + Duration::from_secs(86_400)),
            length,
            stop: Arc::new(watch::Sender::new(false)),
            asked: Arc::default(),
            answered: Arc::default(),
        }
    }

    /// Ends everything that still waits; what was read so far stays.
    pub fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Answers that came and questions that were asked.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        (self.answered.load(Ordering::Relaxed), self.asked.load(Ordering::Relaxed))
    }

    /// Waits for one answer of `service`, no longer than the run may take.
    ///
    /// # Errors
    /// The answer's own fault, or that there was no time left for it.
    pub async fn limit<T>(
        &self,
        service: &str,
        answer: impl Future<Output = Result<T, Fault>>,
    ) -> Result<T, Fault> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let mut stop = self.stop.subscribe();
        let result = tokio::select! {
            biased;
            result = timeout_at(self.deadline, answer) => result.unwrap_or_else(|_| {
                let says = format!("no whole answer within the {}s that the run may take", self.length.as_secs());
                Err(Fault::new(Kind::TimedOut, service, says).hint("give it more time with --timeout"))
            }),
            _ = stop.wait_for(|stop| *stop) => {
                Err(Fault::new(Kind::TimedOut, service, "interrupted before the answer came"))
            }
        };
        self.answered.fetch_add(1, Ordering::Relaxed);
        result
    }
}

/// The time in a `Date` header.
#[must_use]
pub fn date(text: &str) -> Option<jiff::Timestamp> {
    jiff::fmt::rfc2822::parse(text).ok().map(|at| at.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_servers() {
        let at = date("Mon, 30 Nov 2026 20:44:43 GMT").map(|at| at.to_string());
        assert_eq!(at.as_deref(), Some("2026-11-30T20:44:43Z"));
        assert_eq!(date("yesterday"), None);
    }

    #[tokio::test]
    async fn nothing_waits_beyond_the_deadline_or_the_operator() {
        let clock = Clock::start(Duration::from_millis(20));
        let never = || std::future::pending::<Result<(), Fault>>();
        let late = clock.limit("compute", never()).await.expect_err("late");
        assert_eq!((late.kind, late.service.as_str()), (Kind::TimedOut, "compute"));
        assert!(late.says.contains("may take"), "{late}");

        let clock = Clock::start(Duration::from_secs(20));
        assert_eq!(clock.limit("x", async { Ok(7) }).await, Ok(7));
        let (ended, ()) = tokio::join!(clock.limit("x", never()), async { clock.stop() });
        assert!(ended.expect_err("ended").says.contains("interrupted"));
        assert_eq!(clock.progress(), (2, 2));
    }
}
