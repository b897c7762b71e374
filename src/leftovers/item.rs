//! One thing that carries the cluster's mark.

use std::collections::BTreeMap;

use super::keeper::Keeper;
use super::kind::Kind;
use crate::model::Doc;
use crate::report::{Holder, Thing, Tie};

/// A thing, and all that is known about its removal.
#[derive(Debug, Clone)]
pub(super) struct Item<'w> {
    pub(super) kind: Kind,
    /// Row of the list, or the object.
    pub(super) row: Doc<'w>,
    /// Id, where it is not the row's own (a trunk is read from its port).
    pub(super) own_id: Option<&'w str>,
    pub(super) tied_by: String,
    pub(super) tie: Tie,
    /// Who removes it without being told.
    pub(super) keeper: Keeper,
    pub(super) held: Vec<Held<'w>>,
    pub(super) with: Vec<Thing>,
    pub(super) quota: BTreeMap<String, u64>,
    pub(super) why: Option<String>,
    /// Lines to run before its own removal.
    pub(super) before: Vec<String>,
    /// True if nobody should remove it: it serves somebody else, too.
    pub(super) shared: bool,
}

/// Who holds an item.
#[derive(Debug, Clone)]
pub(super) struct Held<'w> {
    pub(super) holder: Holder,
    /// The holder's id, to find it among the items.
    pub(super) id: &'w str,
    /// True if the holder goes with the item or before it, whatever happens.
    pub(super) passing: bool,
}

impl<'w> Item<'w> {
    /// A thing with its tie.
    pub(super) fn new(kind: Kind, row: Doc<'w>, tie: Tie, tied_by: impl Into<String>) -> Self {
        Item {
            kind,
            row,
            own_id: None,
            tied_by: tied_by.into(),
            tie,
            keeper: Keeper::Nobody,
            held: Vec::new(),
            with: Vec::new(),
            quota: BTreeMap::new(),
            why: None,
            before: Vec::new(),
            shared: false,
        }
    }

    /// The same with something that it takes of a quota.
    pub(super) fn takes(mut self, resource: &str, count: u64) -> Self {
        *self.quota.entry(resource.to_owned()).or_default() += count;
        self
    }

    /// OpenStack id, or the name of a Kubernetes object.
    pub(super) fn id(&self) -> &'w str {
        if self.kind.is_kubernetes() {
            self.row.name()
        } else {
            self.own_id.unwrap_or_else(|| self.row.text("id"))
        }
    }

    /// Name, or the address of a floating IP.
    pub(super) fn name(&self) -> Option<&'w str> {
        match self.kind {
            Kind::FloatingIp => self.row.str("floating_ip_address"),
            kind if kind.is_kubernetes() => None,
            _ => self.row.str("name"),
        }
    }

    /// The thing as reports name it.
    pub(super) fn thing(&self) -> Thing {
        let kind = match self.kind {
            Kind::Object => self.row.kind().to_owned(),
            kind => kind.word().to_owned(),
        };
        Thing {
            kind,
            id: self.id().to_owned(),
            name: self.name().map(str::to_owned),
            project: project(self.row).map(str::to_owned),
        }
    }
}

/// A row as a thing.
pub(super) fn thing(kind: &str, row: Doc<'_>) -> Thing {
    Thing {
        kind: kind.to_owned(),
        id: row.text("id").to_owned(),
        name: row.str("name").map(str::to_owned),
        project: project(row).map(str::to_owned),
    }
}

/// The project of a row; each service has its own word.
pub(super) fn project(row: Doc<'_>) -> Option<&str> {
    let words = [
        "project_id",
        "tenant_id",
        "os-vol-tenant-attr:tenant_id",
        "os-extended-snapshot-attributes:project_id",
    ];
    words.iter().find_map(|word| row.str(word))
}

/// An id as a word of a shell line. Those of servers are plain; a bundle may come from anybody.
pub(super) fn word(id: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    match !id.is_empty() && !id.starts_with('-') && id.chars().all(plain) {
        true => id.to_owned(),
        false => format!("'{}'", id.replace('\'', r"'\''")),
    }
}
