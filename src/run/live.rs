//! The servers in place of a bundle: the one runtime, Ctrl-C, and what is said meanwhile.

use std::future::Future;
use std::io::{IsTerminal, Write};
use std::pin::pin;
use std::time::Duration;

use crate::bundle::Bundle;
use crate::cli::Live;
use crate::exit::{Failure, code};
use crate::gather::glance::{self, Servers};
use crate::gather::host::Host;
use crate::gather::{self, Clock, Request};

/// Nothing is said about a run that is over before this.
const QUIET: Duration = Duration::from_secs(1);

/// How often the progress line changes.
const TICK: Duration = Duration::from_millis(200);

/// Reads everything about one cluster.
///
/// # Errors
/// As [`gather::gather`].
pub(super) fn gather(live: &Live, cluster: &str, command: &str, leftovers: bool) -> Result<Bundle, Failure> {
    let request = request(live, cluster, command, leftovers);
    let host = Host::of_this_process();
    let clock = Clock::start(live.timeout);
    wait(&clock, gather::gather(&request, &host, &clock))
}

/// Reads what one cluster left behind, or all that nobody knows any more in a project.
///
/// # Errors
/// As [`gather::gather`] and [`gather::project`].
pub(super) fn left(live: &Live, cluster: Option<&str>, also: Option<&str>) -> Result<Bundle, Failure> {
    let host = Host::of_this_process();
    let clock = Clock::start(live.timeout);
    let asked = request(live, cluster.unwrap_or_default(), "leftovers", true);
    let request = Request { forgotten: true, slim: true, also, ..asked };
    match cluster {
        Some(_) => wait(&clock, gather::gather(&request, &host, &clock)),
        None => wait(&clock, gather::project(&request, &host, &clock)),
    }
}

/// Reads the list of clusters.
///
/// # Errors
/// As [`gather::clusters`].
pub(super) fn gather_all(live: &Live) -> Result<Bundle, Failure> {
    let request = request(live, "", "list", false);
    let host = Host::of_this_process();
    let clock = Clock::start(live.timeout);
    wait(&clock, gather::clusters(&request, live.all_projects, &host, &clock))
}

/// Asks the servers for their versions.
///
/// # Errors
/// The program could not start to ask.
pub(super) fn versions(live: &Live) -> Result<Servers, Failure> {
    let request = request(live, "", "version", false);
    let host = Host::of_this_process();
    let clock = Clock::start(live.timeout);
    wait(&clock, async { Ok(glance::versions(&request, &host, &clock).await) })
}

fn request<'a>(live: &'a Live, cluster: &'a str, command: &'a str, leftovers: bool) -> Request<'a> {
    Request {
        cluster,
        command,
        kube: &live.kube,
        cloud: &live.cloud,
        log_since: live.log_since,
        project: live.project.as_deref(),
        leftovers,
        slim: false,
        // Who says where a cluster was wants what it left behind, if there is no more.
        forgotten: command == "collect" && live.project.is_some(),
        also: None,
    }
}

/// Runs `work`. Ctrl-C ends what is still asked; what came before is used. Progress is shown to
/// a person who waits longer than a second.
fn wait<T>(clock: &Clock, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|e| Failure::new(code::NO_SOURCE, format!("start: {e}")))?;
    runtime.block_on(async {
        let mut work = pin!(work);
        let mut shown = Progress::new();
        let mut interrupt = pin!(tokio::signal::ctrl_c());
        let mut interrupted = false;
        let mut ticks = tokio::time::interval_at(tokio::time::Instant::now() + QUIET, TICK);
        loop {
            tokio::select! {
                result = &mut work => {
                    shown.clear();
                    return result;
                }
                Ok(()) = &mut interrupt, if !interrupted => {
                    interrupted = true;
                    clock.stop();
                }
                _ = ticks.tick() => shown.show(clock),
            }
        }
    })
}

/// One line that is written again and again.
struct Progress {
    /// A person looks at stderr.
    wanted: bool,
    shown: bool,
}

impl Progress {
    fn new() -> Self {
        Progress { wanted: std::io::stderr().is_terminal(), shown: false }
    }

    fn show(&mut self, clock: &Clock) {
        if self.wanted {
            let (answered, asked) = clock.progress();
            // Nobody is left to tell if stderr is closed.
            let _ = write!(std::io::stderr(), "\rreading: {answered} of {asked} answers ");
            self.shown = true;
        }
    }

    fn clear(&mut self) {
        if self.shown {
            let _ = write!(std::io::stderr(), "\r{:40}\r", "");
        }
    }
}
