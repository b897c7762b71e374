//! What a file of a bundle is, by where it lies, and what is in it.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread;

use serde_json::Value;

use super::source::Content;
use super::{Body, Log, Object, Why, document, kubernetes, redact, shape};

/// What came out of the files, in the order of their paths.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) objects: Vec<Object>,
    /// Each with the number of its page.
    pub(super) bodies: Vec<(Body, u64)>,
    pub(super) logs: Vec<Log>,
    pub(super) consoles: BTreeMap<String, String>,
    pub(super) workload: Vec<Value>,
    pub(super) troubles: Vec<Trouble>,
}

/// A file, or something in it, that made no sense.
#[derive(Debug)]
pub(super) struct Trouble {
    pub(super) part: Part,
    pub(super) why: Why,
    pub(super) says: String,
}

/// The part a file belongs to.
#[derive(Debug, Clone)]
pub(super) enum Part {
    /// Known from where it lies.
    Known(String),
    /// Under `kubernetes/`, but in no folder of a kind; the file's name without extension.
    AnyKind(String),
}

/// Threads that parse at most. More do not help: the time is in a few big files.
const THREADS: usize = 4;

/// Reads all files on several threads. The order of what comes out is that of the files.
pub(super) fn read_all(files: BTreeMap<String, Content>) -> Found {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(THREADS);
    let queue = Mutex::new(files.into_iter().enumerate());
    let next = || match queue.lock() {
        Ok(mut queue) => queue.next(),
        Err(poisoned) => poisoned.into_inner().next(),
    };
    let work = || {
        let mut done = Vec::new();
        while let Some((i, (path, content))) = next() {
            done.push((i, read_one(&path, content)));
        }
        done
    };
    let mut done = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut done = work();
        for other in others {
            match other.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_by_key(|(i, _)| *i);
    let mut all = Found::default();
    for (_, found) in done {
        all.objects.extend(found.objects);
        all.bodies.extend(found.bodies);
        all.logs.extend(found.logs);
        all.consoles.extend(found.consoles);
        all.workload.extend(found.workload);
        all.troubles.extend(found.troubles);
    }
    all
}

/// What a file is.
enum Role<'a> {
    Objects(Part),
    Log { namespace: &'a str, pod: &'a str, container: &'a str, previous: bool },
    Body { part: String, page: u64 },
    Console { server: &'a str },
    Workload,
}

impl Role<'_> {
    fn part(&self) -> Part {
        match self {
            Role::Objects(part) => part.clone(),
            Role::Log { namespace, .. } => Part::Known(format!("log/{namespace}")),
            Role::Body { part, .. } => Part::Known(part.clone()),
            Role::Console { .. } => Part::Known("openstack/compute/console".to_owned()),
            Role::Workload => Part::Known("workload".to_owned()),
        }
    }
}

/// The role of the file at `path`; none for files that are nobody's.
fn role(path: &str) -> Option<Role<'_>> {
    let (stem, ext) = path.rsplit_once('.')?;
    let names: Vec<&str> = stem.split('/').collect();
    let document = matches!(ext, "yaml" | "yml" | "json");
    match *names.as_slice() {
        // crust-gather keeps the server's version here, which is no object.
        ["kubernetes", "version"] => None,
        ["workload", ..] => document.then_some(Role::Workload),
        [.., "namespaces", namespace, "v1", "pod", pod, container, log] if ext == "log" => {
            let previous = match log {
                "current" => false,
                "previous" => true,
                _ => return None,
            };
            Some(Role::Log { namespace, pod, container, previous })
        }
        ["openstack", "compute", "console", server] if ext == "log" => Some(Role::Console { server }),
        ["openstack", .., _] if ext == "json" => {
            let (part, page) = page(stem);
            Some(Role::Body { part: part.to_owned(), page })
        }
        [.., "namespaces", _, _, kind, _] | [.., "cluster", _, kind, _] if document => {
            Some(Role::Objects(Part::Known(kubernetes::part(kind))))
        }
        ["kubernetes" | "namespaces" | "cluster", .., name] if document => {
            Some(Role::Objects(Part::AnyKind(name.to_owned())))
        }
        _ => None,
    }
}

/// `ports-2` and `ports.2` are the second page of `ports`.
fn page(stem: &str) -> (&str, u64) {
    let split = stem.rsplit_once(['-', '.']);
    match split.map(|(part, n)| (part, n.parse())) {
        Some((part, Ok(n))) if !part.ends_with('/') => (part, n),
        _ => (stem, 1),
    }
}

fn read_one(path: &str, content: Content) -> Found {
    let mut found = Found::default();
    let Some(role) = role(path) else { return found };
    let part = role.part();
    let mut trouble = |part: Part, why: Why, says: &str| {
        found.troubles.push(Trouble { part, why, says: format!("{path}: {says}") });
    };
    let bytes = match content.load() {
        Ok(bytes) => bytes,
        Err((why, says)) => {
            trouble(part, why, &says);
            return found;
        }
    };
    match role {
        Role::Log { namespace, pod, container, previous } => found.logs.push(Log {
            namespace: namespace.to_owned(),
            pod: pod.to_owned(),
            container: container.to_owned(),
            previous,
            text: log(&bytes),
        }),
        Role::Console { server } => {
            found.consoles.insert(server.to_owned(), log(&bytes));
        }
        role => match document::parse(&bytes) {
            Err(says) => trouble(part, Why::Unreadable, &says),
            Ok(documents) => {
                drop(bytes);
                for (part, says) in sort_in(role, documents, &mut found) {
                    found.troubles.push(Trouble {
                        part,
                        why: Why::Unreadable,
                        says: format!("{path}: {says}"),
                    });
                }
            }
        },
    }
    found
}

/// Bytes that are not UTF-8 are replaced: one bad line must not cost a log.
fn log(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    redact::text(&text).into_owned()
}

/// Puts documents where their role says, and returns what is no object.
fn sort_in(role: Role<'_>, documents: Vec<Value>, found: &mut Found) -> Vec<(Part, String)> {
    let part = role.part();
    let mut troubles = Vec::new();
    for mut document in documents {
        match &role {
            Role::Body { part: name, page } if document.is_object() => {
                redact::body(name, &mut document);
                if let Some(wrong) = shape::body(name, &document) {
                    troubles.push((part.clone(), wrong.to_owned()));
                }
                found.bodies.push((Body { part: name.clone(), value: document }, *page));
            }
            Role::Workload if document.is_object() || document.is_array() => {
                workload(document, &mut found.workload);
            }
            Role::Objects(_) => {
                let mut odd = Vec::new();
                kubernetes::take_apart(document, &mut found.objects, &mut odd);
                troubles.extend(odd.into_iter().map(|kind| match kind {
                    Some(kind) => (
                        Part::Known(kubernetes::part(&kind)),
                        format!("a {kind} without a name, or of a wrong shape"),
                    ),
                    None => (part.clone(), "something in it is no object".to_owned()),
                }));
            }
            _ => troubles.push((part.clone(), "something in it is no object".to_owned())),
        }
    }
    troubles
}

/// Objects of the workload cluster come from anywhere, so they need no kind.
fn workload(document: Value, all: &mut Vec<Value>) {
    let items = match document {
        Value::Array(items) => items,
        Value::Object(mut map) => match map.remove("items") {
            Some(Value::Array(items)) => items,
            items => {
                map.extend(items.map(|items| ("items".to_owned(), items)));
                vec![Value::Object(map)]
            }
        },
        _ => Vec::new(),
    };
    for mut item in items {
        if let Some(metadata) = item.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.remove("managedFields");
        }
        redact::object(&mut item);
        all.push(item);
    }
}
