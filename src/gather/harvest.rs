//! What was read, part by part, and what became of it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::fault::{Fault, Kind};
use crate::bundle::{Bundle, Gap, Log, Missing, Why};

/// What came of one question or of the pages of one list.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Part of the bundle.
    pub part: String,
    /// The answers that came.
    pub documents: Vec<Value>,
    /// Why there are no more; none if everything was read.
    pub fault: Option<Fault>,
    /// Ids that were asked for and do not exist.
    pub missing: Vec<String>,
}

impl Outcome {
    /// A part that was read, with nothing in it so far.
    #[must_use]
    pub fn whole(part: impl Into<String>) -> Self {
        Outcome { part: part.into(), documents: Vec::new(), fault: None, missing: Vec::new() }
    }

    /// A part that could not be read.
    #[must_use]
    pub fn fault(part: impl Into<String>, fault: Fault) -> Self {
        Outcome { fault: Some(fault), ..Outcome::whole(part) }
    }

    /// The same with one more document.
    #[must_use]
    pub fn with(mut self, document: Value) -> Self {
        self.documents.push(document);
        self
    }
}

/// A bundle that grows. A part that was asked for in several questions is read only if every
/// one of them was answered.
#[derive(Debug, Default)]
pub struct Harvest {
    /// What was read so far; its lists of parts are made by [`Harvest::finish`].
    pub bundle: Bundle,
    read: BTreeSet<String>,
    since: BTreeMap<String, String>,
    gaps: BTreeMap<String, Gap>,
    missing: BTreeSet<(String, String)>,
}

impl Harvest {
    /// Enters answers of the Kubernetes API server.
    pub fn objects(&mut self, outcome: Outcome) {
        let Outcome { part, documents, mut fault, .. } = outcome;
        for document in documents {
            if let Err(says) = self.bundle.take_objects(document) {
                fault.get_or_insert(Fault::new(Kind::Unreadable, "kubernetes", says));
            }
        }
        self.close(part, fault);
    }

    /// Enters answers of an OpenStack service.
    pub fn bodies(&mut self, outcome: Outcome) {
        let Outcome { part, documents, mut fault, missing } = outcome;
        for document in documents {
            if let Err(says) = self.bundle.take_body(&part, document) {
                let service = part.split('/').nth(1).unwrap_or_default();
                fault.get_or_insert(Fault::new(Kind::Unreadable, service, says));
            }
        }
        self.missing.extend(missing.into_iter().map(|id| (part.clone(), id)));
        self.close(part, fault);
    }

    /// Enters a log that was asked for from `since` on.
    pub fn log(&mut self, log: Log, since: &str, fault: Option<Fault>) {
        let part = log.part();
        let oldest = self.since.entry(part.clone()).or_insert_with(|| since.to_owned());
        if since < oldest.as_str() {
            *oldest = since.to_owned();
        }
        self.bundle.take_log(log);
        self.close(part, fault);
    }

    /// Enters the console output of a server.
    pub fn console(&mut self, server: &str, text: Result<String, Fault>) {
        let part = "openstack/compute/console".to_owned();
        match text {
            Ok(text) => {
                self.bundle.take_console(server, &text);
                self.close(part, None);
            }
            Err(fault) => self.close(part, Some(fault)),
        }
    }

    /// Notes that a part cannot be read.
    pub fn gap(&mut self, part: &str, why: Why, says: &str) {
        let gap = Gap { part: part.to_owned(), why, says: says.to_owned(), partial: false };
        self.gaps.entry(part.to_owned()).or_insert(gap);
    }

    /// A part counts as never asked for: what it lacks is no evidence.
    pub fn unread(&mut self, part: &str) {
        self.read.remove(part);
    }

    /// The logs turned out to be of controllers that know nothing of the cluster.
    pub fn forget_logs(&mut self) {
        self.bundle.logs.clear();
        self.read.retain(|part| !part.starts_with("log/"));
    }

    /// A sentence for the operator, once.
    pub fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.bundle.meta.notes.contains(&note) {
            self.bundle.meta.notes.push(note);
        }
    }

    fn close(&mut self, part: String, fault: Option<Fault>) {
        match fault {
            Some(fault) => {
                let says = match &fault.hint {
                    Some(hint) => format!("{fault}; {hint}"),
                    None => fault.to_string(),
                };
                self.gap(&part, fault.kind.why(), &says);
            }
            None => {
                self.read.insert(part);
            }
        }
    }

    /// The bundle as far as it is known now, for a look at it.
    pub fn finish(&mut self) -> &mut Bundle {
        let mut gaps = self.gaps.clone();
        let objects = self.bundle.objects.iter().map(|o| o.part.as_str());
        let there: BTreeSet<&str> =
            objects.chain(self.bundle.bodies.iter().map(|b| b.part.as_str())).collect();
        let logs: BTreeSet<String> = self.bundle.logs.iter().map(Log::part).collect();
        for gap in gaps.values_mut() {
            let some = self.read.contains(&gap.part) && gap.part.starts_with("log/");
            gap.partial = some || there.contains(gap.part.as_str()) || logs.contains(&gap.part);
        }
        let read = self.read.iter().filter(|part| !gaps.contains_key(*part));
        let with_since = |part: &String| match self.since.get(part) {
            Some(since) => format!("{part} since {since}"),
            None => part.clone(),
        };
        self.bundle.meta.read = read.map(with_since).collect();
        self.bundle.meta.gaps = gaps.into_values().collect();
        let missing = self.missing.iter().cloned();
        self.bundle.meta.missing = missing.map(|(part, id)| Missing { part, id }).collect();
        self.bundle.settle();
        &mut self.bundle
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn list(names: &[&str]) -> Value {
        let items: Vec<Value> = names.iter().map(|n| json!({"metadata": {"name": n}})).collect();
        json!({"kind": "PodList", "apiVersion": "v1", "items": items})
    }

    #[test]
    fn a_part_is_read_only_if_every_question_was_answered() {
        let mut harvest = Harvest::default();
        harvest.objects(Outcome::whole("kubernetes/pod").with(list(&["a"])));
        harvest.objects(Outcome::fault("kubernetes/pod", Fault::new(Kind::NoAccess, "kubernetes", "no")));
        harvest.objects(Outcome::whole("kubernetes/machine"));
        let bundle = harvest.finish();
        assert_eq!(bundle.meta.read, ["kubernetes/machine"]);
        let gap = bundle.meta.gaps.first().expect("a gap");
        assert_eq!((gap.part.as_str(), gap.why, gap.partial), ("kubernetes/pod", Why::NoAccess, true));
    }

    #[test]
    fn a_log_is_read_from_a_time_on_even_without_records() {
        let mut harvest = Harvest::default();
        let log = |text: &str| Log {
            namespace: "n".to_owned(),
            pod: "p".to_owned(),
            container: "c".to_owned(),
            previous: false,
            text: text.to_owned(),
        };
        harvest.log(log(""), "2026-11-30T20:00:00Z", None);
        harvest.log(log("I1"), "2026-11-30T19:00:00Z", None);
        let bundle = harvest.finish();
        assert_eq!(bundle.meta.read, ["log/n since 2026-11-30T19:00:00Z"]);
        assert_eq!(bundle.logs.len(), 1);
    }

    #[test]
    fn what_is_no_object_makes_its_part_unreadable() {
        let mut harvest = Harvest::default();
        harvest.objects(Outcome::whole("kubernetes/pod").with(json!({"kind": "PodList", "items": [7]})));
        assert_eq!(harvest.finish().meta.gaps.first().map(|g| g.why), Some(Why::Unreadable));
    }
}
