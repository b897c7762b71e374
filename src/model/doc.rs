//! A document, read tolerantly: what is not there or has the wrong type is `None`.

use jiff::Timestamp;
use serde_json::Value;

use super::condition::{self, Condition};

/// A Kubernetes object or a row of an OpenStack list.
#[derive(Debug, Clone, Copy)]
pub struct Doc<'w>(pub &'w Value);

impl<'w> Doc<'w> {
    /// Value at a dotted path of plain keys (`status.network.id`).
    #[must_use]
    pub fn at(self, path: &str) -> Option<&'w Value> {
        path.split('.').try_fold(self.0, |value, key| value.get(key))
    }

    /// String at a path; empty strings count as absent.
    #[must_use]
    pub fn str(self, path: &str) -> Option<&'w str> {
        self.at(path)?.as_str().filter(|s| !s.is_empty())
    }

    /// String at a path, or the empty string.
    #[must_use]
    pub fn text(self, path: &str) -> &'w str {
        self.str(path).unwrap_or_default()
    }

    /// Whole number at a path.
    #[must_use]
    pub fn int(self, path: &str) -> Option<i64> {
        self.at(path)?.as_i64()
    }

    /// Truth value at a path; absent is `false`, as the old contract leaves it out.
    #[must_use]
    pub fn is(self, path: &str) -> bool {
        self.at(path).and_then(Value::as_bool).unwrap_or(false)
    }

    /// Time at a path.
    #[must_use]
    pub fn time(self, path: &str) -> Option<Timestamp> {
        time(self.str(path)?)
    }

    /// Rows of the list at a path.
    pub fn list(self, path: &str) -> impl Iterator<Item = Doc<'w>> + use<'w> {
        self.at(path).and_then(Value::as_array).into_iter().flatten().map(Doc)
    }

    /// Strings of the list at a path.
    #[must_use]
    pub fn strings(self, path: &str) -> Vec<&'w str> {
        self.at(path).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// `kind` of a Kubernetes object.
    #[must_use]
    pub fn kind(self) -> &'w str {
        self.text("kind")
    }

    /// `apiVersion` of a Kubernetes object.
    #[must_use]
    pub fn api_version(self) -> &'w str {
        self.text("apiVersion")
    }

    /// `metadata.name` of a Kubernetes object.
    #[must_use]
    pub fn name(self) -> &'w str {
        self.text("metadata.name")
    }

    /// `metadata.namespace` of a Kubernetes object.
    #[must_use]
    pub fn namespace(self) -> &'w str {
        self.text("metadata.namespace")
    }

    /// A label; labels have dots in their keys, so no path reaches them.
    #[must_use]
    pub fn label(self, key: &str) -> Option<&'w str> {
        self.at("metadata.labels")?.get(key)?.as_str()
    }

    /// An annotation.
    #[must_use]
    pub fn annotation(self, key: &str) -> Option<&'w str> {
        self.at("metadata.annotations")?.get(key)?.as_str()
    }

    /// `metadata.creationTimestamp`.
    #[must_use]
    pub fn created(self) -> Option<Timestamp> {
        self.time("metadata.creationTimestamp")
    }

    /// `metadata.deletionTimestamp`: set means that the object is being deleted.
    #[must_use]
    pub fn deleting(self) -> Option<Timestamp> {
        self.time("metadata.deletionTimestamp")
    }

    /// Kind and name of the owners, the controlling one first.
    #[must_use]
    pub fn owners(self) -> Vec<(&'w str, &'w str)> {
        let mut owners: Vec<_> = self.list("metadata.ownerReferences").collect();
        owners.sort_by_key(|o| !o.is("controller"));
        owners.into_iter().map(|o| (o.kind(), o.text("name"))).collect()
    }

    /// Conditions of a Kubernetes object, one a type; see [`condition::of`].
    #[must_use]
    pub fn conditions(self) -> Vec<Condition<'w>> {
        condition::of(self)
    }

    /// The condition of a type.
    #[must_use]
    pub fn condition(self, kind: &str) -> Option<Condition<'w>> {
        self.conditions().into_iter().find(|c| c.kind == kind)
    }

    /// True if the condition is there and has its good value.
    #[must_use]
    pub fn good(self, kind: &str) -> bool {
        self.condition(kind).is_some_and(|c| c.good())
    }
}

/// Parses RFC 3339, and what OpenStack writes: without a zone (UTC), with a space.
#[must_use]
pub fn time(text: &str) -> Option<Timestamp> {
    text.parse().ok().or_else(|| {
        let plain: jiff::civil::DateTime = text.replacen(' ', "T", 1).parse().ok()?;
        plain.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|z| z.timestamp())
    })
}
