//! Streams the logs of controllers through a [`Keeper`].

use std::error::Error;
use std::pin::pin;

use futures::AsyncBufReadExt;
use jiff::Timestamp;

use super::fault::{Fault, Kind};
use super::keep::{Keeper, Wanted};
use super::kubernetes::Kube;
use crate::bundle::Log;
use crate::model::plan::PodLog;

/// A log that was read, as far as it went.
pub struct Read {
    /// What was kept.
    pub log: Log,
    /// From when on it was asked for.
    pub since: Timestamp,
    /// Why it ends early; none if it was read to its end.
    pub fault: Option<Fault>,
}

/// Reads one log. What was kept before the time ran out stays.
pub async fn read(kube: &Kube, which: &PodLog, wanted: Wanted) -> Read {
    let mut keeper = Keeper::new(wanted, which.previous);
    let stream = async {
        let path = ["api", "v1", "namespaces", &which.namespace, "pods", &which.pod, "log"];
        let mut query = vec![("container", which.container.clone()), ("timestamps", "true".to_owned())];
        // What a container said before it ended may lie before the window.
        match which.previous {
            true => query.push(("previous", "true".to_owned())),
            false => query.push(("sinceTime", whole_seconds(which.since))),
        }
        let log = kube.log(&path, &query).await?;
        let mut log = pin!(log);
        loop {
            let piece = log.fill_buf().await.map_err(|error| broken(&error))?;
            let length = piece.len();
            if length == 0 {
                return Ok(());
            }
            keeper.push(piece);
            log.as_mut().consume_unpin(length);
            // Many logs at once share one thread.
            tokio::task::yield_now().await;
        }
    };
    let mut fault = kube.clock().limit("kubernetes", stream).await.err();
    // No log of a previous run is kept for ever: that it is gone says nothing.
    if which.previous && fault.as_ref().is_some_and(|f| matches!(f.kind, Kind::NotFound | Kind::Refused)) {
        fault = None;
    }
    if keeper.left_out > 0 && fault.is_none() {
        let says = format!("{} more records about the cluster were left out", keeper.left_out);
        fault = Some(Fault::new(Kind::TooLarge, "kubernetes", says));
    }
    let log = Log {
        namespace: which.namespace.clone(),
        pod: which.pod.clone(),
        container: which.container.clone(),
        previous: which.previous,
        text: keeper.finish(),
    };
    Read { log, since: which.since, fault }
}

fn broken(error: &std::io::Error) -> Fault {
    let mut next: Option<&(dyn Error + 'static)> = Some(error);
    let mut kind = Kind::Unreadable;
    while let Some(cause) = next {
        let late = |e: &std::io::Error| e.kind() == std::io::ErrorKind::TimedOut;
        if cause.downcast_ref::<std::io::Error>().is_some_and(late) {
            kind = Kind::TimedOut;
        }
        next = cause.source();
    }
    let what = if kind == Kind::TimedOut { "the log stopped coming" } else { "the log broke off" };
    Fault::new(kind, "kubernetes", format!("{what}: {error}"))
}

fn whole_seconds(at: Timestamp) -> String {
    at.round(jiff::Unit::Second).unwrap_or(at).to_string()
}
