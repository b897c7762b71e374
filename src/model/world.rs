//! All documents of a bundle, sorted by what they are.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::Value;

use super::seen::How;
use super::{Doc, Seen};
use crate::bundle::{Bundle, Gap, Log, Meta};

/// Every document of a bundle, once.
#[derive(Debug)]
pub struct World<'w> {
    /// The bundle's index.
    pub meta: &'w Meta,
    /// When it was taken: the index's time, else the newest time in the documents.
    pub taken_at: Timestamp,
    /// Namespace of the Cluster API objects.
    pub namespace: &'w str,
    objects: BTreeMap<String, Vec<Doc<'w>>>,
    bodies: BTreeMap<&'w str, Vec<&'w Value>>,
    stack_ids: BTreeSet<&'w str>,
    /// Controller logs.
    pub logs: &'w [Log],
    /// Objects of the workload cluster.
    pub workload: Vec<Doc<'w>>,
}

impl<'w> World<'w> {
    /// Sorts a bundle's documents.
    #[must_use]
    pub fn new(bundle: &'w Bundle) -> Self {
        let mut objects: BTreeMap<String, Vec<Doc<'w>>> = BTreeMap::new();
        for object in &bundle.objects {
            objects.entry(object.part.clone()).or_default().push(Doc(&object.value));
        }
        for rows in objects.values_mut() {
            rows.sort_by_key(|d| (d.namespace(), d.name()));
        }
        let mut bodies: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
        for body in &bundle.bodies {
            bodies.entry(&body.part).or_default().push(&body.value);
        }
        let namespace =
            Some(bundle.meta.namespace.as_str()).filter(|n| !n.is_empty()).unwrap_or("magnum-system");
        let mut world = World {
            meta: &bundle.meta,
            taken_at: bundle.meta.taken_at.unwrap_or(Timestamp::UNIX_EPOCH),
            namespace,
            objects,
            bodies,
            stack_ids: BTreeSet::new(),
            logs: &bundle.logs,
            workload: bundle.workload.iter().map(Doc).collect(),
        };
        world.stack_ids = world.collect_stack_ids();
        if bundle.meta.taken_at.is_none() {
            world.taken_at = world.newest_time();
        }
        world
    }

    /// A bundle without an index (an archive of another tool) was taken when the last
    /// thing in it happened, as far as can be known.
    fn newest_time(&self) -> Timestamp {
        let events = self.objects.get("kubernetes/event").into_iter().flatten();
        let conditions = self.objects.values().flatten();
        events
            .flat_map(|e| ["lastTimestamp", "eventTime", "series.lastObservedTime"].map(|k| e.time(k)))
            .flatten()
            .chain(conditions.flat_map(|d| d.conditions().into_iter().filter_map(|c| c.since)))
            .max()
            .unwrap_or(Timestamp::UNIX_EPOCH)
    }

    /// How much of a part was read. Logs name their start after the part
    /// (`log/capo-system since …`).
    #[must_use]
    pub fn how(&self, part: &str) -> How {
        let documents =
            self.objects.contains_key(part) || self.bodies.contains_key(part) || self.has_log(part);
        if let Some(gap) = self.gap(part) {
            return if gap.partial || documents { How::Partly } else { How::Gap };
        }
        let read = self
            .meta
            .read
            .iter()
            .any(|r| r == part || r.strip_prefix(part).is_some_and(|r| r.starts_with(' ')));
        let stands_for_itself = self.meta.read.is_empty() && self.bodies.contains_key(part);
        match (read || stands_for_itself, documents) {
            (true, _) => How::Whole,
            (false, true) => How::Partly,
            (false, false) => How::Gap,
        }
    }

    fn has_log(&self, part: &str) -> bool {
        part.strip_prefix("log/").is_some_and(|ns| self.logs.iter().any(|l| l.namespace == ns))
    }

    /// The gap of a part, if the reader noted one.
    #[must_use]
    pub fn gap(&self, part: &str) -> Option<&'w Gap> {
        self.meta.gaps.iter().find(|g| g.part == part)
    }

    /// Objects of a kind (lower case), of all namespaces.
    #[must_use]
    pub fn objects(&self, kind: &str) -> Seen<Doc<'w>> {
        let part = format!("kubernetes/{kind}");
        let rows = self.objects.get(&part).cloned().unwrap_or_default();
        let how = self.how(&part);
        Seen::new(rows, &part, how)
    }

    /// Rows of an OpenStack list: the pages of the part, joined.
    #[must_use]
    pub fn rows(&self, part: &str, key: &str) -> Seen<Doc<'w>> {
        let pages = self.bodies.get(part).into_iter().flatten();
        let mut rows: Vec<Doc<'w>> = pages.flat_map(|page| Doc(page).list(key)).collect();
        rows.sort_by_key(|r| (r.text("id"), r.text("uuid")));
        rows.dedup_by(|a, b| {
            a.str("id").is_some() && a.text("id") == b.text("id") && a.text("uuid") == b.text("uuid")
        });
        let how = self.how(part);
        Seen::new(rows, part, how)
    }

    /// The first page of a part that is one document rather than a list.
    #[must_use]
    pub fn body(&self, part: &str) -> Option<Doc<'w>> {
        self.bodies.get(part)?.first().map(|v| Doc(v))
    }

    /// Names of all Clusters that any document mentions: Clusters, labels, events about a Cluster,
    /// rows of Magnum.
    #[must_use]
    pub fn stack_ids(&self) -> &BTreeSet<&'w str> {
        &self.stack_ids
    }

    /// Every log record is held against them, so they are collected once.
    fn collect_stack_ids(&self) -> BTreeSet<&'w str> {
        let clusters = self.objects.get("kubernetes/cluster").into_iter().flatten();
        let labelled =
            self.objects.values().flatten().filter_map(|d| d.label("cluster.x-k8s.io/cluster-name"));
        let events = self.objects.get("kubernetes/event").into_iter().flatten();
        let told = events.flat_map(|e| {
            ["involvedObject", "regarding"]
                .into_iter()
                .filter(|about| e.text(&format!("{about}.kind")) == "Cluster")
                .filter_map(|about| e.str(&format!("{about}.name")))
        });
        let rows = self.bodies.get("openstack/container-infra/clusters").into_iter().flatten();
        let rows = rows.flat_map(|page| Doc(page).list("clusters")).filter_map(super::snapshot::stack_id);
        clusters.map(|d| d.name()).chain(labelled).chain(told).chain(rows).filter(|n| !n.is_empty()).collect()
    }

    /// All parts that any list of the index, or any document, names.
    #[must_use]
    pub fn parts(&self) -> BTreeSet<String> {
        let read = self.meta.read.iter().map(|r| r.split(' ').next().unwrap_or_default().to_owned());
        let gaps = self.meta.gaps.iter().map(|g| g.part.clone());
        let documents = self.objects.keys().cloned().chain(self.bodies.keys().map(|k| (*k).to_owned()));
        read.chain(gaps).chain(documents).collect()
    }
}
