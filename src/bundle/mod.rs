//! What the servers said about one cluster, kept as data.
//!
//! A [`Bundle`] is the only thing that the thinking part of the program sees. It is
//! filled by reading a folder or a `.tar.gz` ([`disk`]), or from live servers.
//! This room never decides anything about a cluster, and no text leaves it that was
//! not redacted first ([`redact`]).

pub mod disk;
mod document;
mod kubernetes;
pub mod meta;
mod place;
pub mod redact;
mod shape;
mod source;
mod take;
mod write;

pub use meta::{Gap, Login, Meta, Missing, Place, Source, Target, Why};

use std::collections::BTreeMap;

use serde_json::Value;

/// Everything that was read about one cluster, and what could not be read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bundle {
    /// `bundle.yaml`: when, by whom, what was asked and which parts were read.
    pub meta: Meta,
    /// Kubernetes objects of the management cluster, one each, Lists taken apart.
    pub objects: Vec<Object>,
    /// OpenStack bodies by part (`openstack/network/ports`), one value a page.
    pub bodies: Vec<Body>,
    /// Controller logs, only the records that were kept.
    pub logs: Vec<Log>,
    /// Console output of servers, redacted, by Nova server id.
    pub consoles: BTreeMap<String, String>,
    /// Objects of the workload cluster that somebody added by hand; never collected.
    pub workload: Vec<Value>,
}

/// One Kubernetes object and where it lay.
#[derive(Debug, Clone, PartialEq)]
pub struct Object {
    /// Part it belongs to: `kubernetes/` and the kind in lower case.
    pub part: String,
    /// The object itself, redacted.
    pub value: Value,
}

/// One page of an OpenStack answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Document path without extension, e.g. `openstack/network/ports`.
    pub part: String,
    /// The body as the service answered it, redacted.
    pub value: Value,
}

/// Log of one container, as text.
#[derive(Debug, Clone, PartialEq)]
pub struct Log {
    /// Namespace of the pod.
    pub namespace: String,
    /// Pod name.
    pub pod: String,
    /// Container name.
    pub container: String,
    /// True for the log of the container's previous run.
    pub previous: bool,
    /// The kept records, redacted, one or more lines each.
    pub text: String,
}

impl Log {
    /// The part that a log belongs to: `log/<namespace>`.
    #[must_use]
    pub fn part(&self) -> String {
        format!("log/{}", self.namespace)
    }
}

impl Bundle {
    /// How many documents there are of each part; logs are no documents.
    #[must_use]
    pub fn documents(&self) -> BTreeMap<String, usize> {
        let mut documents = BTreeMap::new();
        let parts = self.objects.iter().map(|o| &o.part).chain(self.bodies.iter().map(|b| &b.part));
        parts.for_each(|part| *documents.entry(part.clone()).or_default() += 1);
        documents
    }

    /// Takes a part out as if it could not have been read, and notes why.
    /// Used by tests and by the live reader when a part turns out to be unusable.
    pub fn blank(&mut self, part: &str, why: Why, says: &str) {
        self.objects.retain(|o| o.part != part);
        self.bodies.retain(|b| b.part != part);
        self.logs.retain(|l| l.part() != part);
        self.meta.read.retain(|r| r != part && !r.starts_with(&format!("{part} ")));
        self.meta.missing.retain(|m| m.part != part);
        self.meta.gaps.retain(|g| g.part != part);
        self.meta.gaps.push(Gap { part: part.to_owned(), why, says: says.to_owned(), partial: false });
    }
}
