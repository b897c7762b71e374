//! What `-v` says on stderr: each request as it is answered, and at the end how many there were.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use tracing::field::{Field, Visit};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

use crate::report::Versions;

/// Requests of one source: how many, and the milliseconds that the slowest took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sum {
    requests: usize,
    slowest: u64,
}

type Sums = Arc<Mutex<BTreeMap<String, Sum>>>;

/// The talk of one run; without `-v` it says nothing.
pub(super) struct Talk(Option<Sums>);

impl Talk {
    /// Begins to talk, if it is wanted. Only this program's own events are shown: those of its
    /// libraries may hold more than should be.
    pub(super) fn start(wanted: bool) -> Self {
        if !wanted {
            return Talk(None);
        }
        let own = Targets::new().with_target(env!("CARGO_CRATE_NAME"), LevelFilter::DEBUG);
        let lines = tracing_subscriber::fmt::layer()
            .with_writer(std::io::stderr)
            .with_ansi(false)
            .with_target(false)
            .with_level(false)
            .without_time();
        let sums = Sums::default();
        let count = Count(Arc::clone(&sums));
        // A second call finds the first one's in place.
        let _ = tracing_subscriber::registry().with(own).with(lines).with(count).try_init();
        Talk(Some(sums))
    }

    /// Says which versions were found.
    pub(super) fn versions(&self, versions: &Versions) {
        let found = [
            ("ClusterClass", &versions.class),
            ("driver at least", &versions.driver_at_least),
            ("Cluster API", &versions.capi),
            ("Cluster API Provider OpenStack", &versions.capo),
            ("Kubernetes of the cluster", &versions.kubernetes),
        ];
        for (what, version) in found {
            self.say(&format!("version {what}: {}", version.as_deref().unwrap_or("not seen")));
        }
    }

    /// Says how many requests each source had.
    pub(super) fn end(&self) {
        let Some(sums) = &self.0 else { return };
        let sums = sums.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for (service, Sum { requests, slowest }) in sums {
            self.say(&format!("sum {service}: {requests} requests, the slowest {slowest} ms"));
        }
    }

    fn say(&self, line: &str) {
        if self.0.is_some() {
            // Nobody is left to tell if stderr is closed.
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    }
}

/// Counts the events of requests.
struct Count(Sums);

impl<S: tracing::Subscriber> Layer<S> for Count {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        let mut asked = Asked::default();
        event.record(&mut asked);
        if let Asked { service: Some(service), ms: Some(ms) } = asked {
            let mut sums = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let sum = sums.entry(service).or_default();
            sum.requests += 1;
            sum.slowest = sum.slowest.max(ms);
        }
    }
}

/// The fields of an event that count.
#[derive(Debug, Default)]
struct Asked {
    service: Option<String>,
    ms: Option<u64>,
}

impl Visit for Asked {
    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "service" {
            self.service = Some(value.to_owned());
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "ms" {
            self.ms = Some(value);
        }
    }
}
