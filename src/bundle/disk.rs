//! A bundle on the disk: a folder or a `.tar.gz`, ours or one of crust-gather.
//!
//! ```text
//!   source ──▶ one file ──▶ document ──▶ kubernetes | body | log | console ──▶ Bundle
//!   bytes      its place     values       slimmed, redacted, or trouble         gaps
//! ```
//!
//! Only the index can end the reading. A file that makes no sense makes its part a gap.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::source::{self, Limits, Source, plain, refused};
use super::{Body, Bundle, Gap, Meta, Why, kubernetes, meta, place, redact};
use crate::exit::{Failure, code};

pub use super::write::{Written, write};

/// Where Cluster API objects are unless somebody says otherwise.
/// vexxhost/magnum-cluster-api, `magnum_cluster_api/conf.py`.
const NAMESPACE: &str = "magnum-system";

/// Reads the bundle at `path`, redacted.
///
/// # Errors
/// If there is no bundle, its index makes no sense or has another format, or the archive
/// holds paths that lead out of it. Everything else becomes a gap.
pub fn read(path: &Path) -> Result<Bundle, Failure> {
    read_within(path, &Limits::USUAL)
}

fn read_within(path: &Path, limits: &Limits) -> Result<Bundle, Failure> {
    let mut source = source::open(path, limits)?;
    let mut meta = index(path, &mut source)?;
    let Source { files, notes, cut } = source;
    meta.notes.extend(notes);

    let found = place::read_all(files);
    let mut bundle = Bundle {
        meta,
        objects: kubernetes::unique(found.objects),
        bodies: paged(found.bodies),
        logs: found.logs,
        consoles: found.consoles,
        workload: found.workload,
    };
    let mut gaps = Gaps::default();
    for trouble in found.troubles {
        gaps.add(trouble, &bundle.meta);
    }
    if let Some((why, says)) = cut {
        for part in parts(&bundle) {
            gaps.note(part, why, &says);
        }
        bundle.meta.notes.push(format!("the bundle was not read to its end: {says}"));
    }
    let there = bundle.documents();
    for (part, written) in std::mem::take(&mut bundle.meta.holds) {
        let found = there.get(&part).copied().unwrap_or_default();
        if found < written {
            let says = format!("{found} of the {written} documents that were written are in the bundle");
            gaps.note(part, Why::Unreadable, &says);
        }
    }
    gaps.enter(&mut bundle.meta);
    redact::meta(&mut bundle.meta);
    Ok(bundle)
}

/// Takes `bundle.yaml` out of the files. An archive without one has an empty index.
fn index(path: &Path, source: &mut Source) -> Result<Meta, Failure> {
    let mut meta = match source.files.remove("bundle.yaml") {
        None => Meta { format: meta::FORMAT, ..Meta::default() },
        Some(content) => {
            let bytes = content.load().map_err(|(_, says)| refused(path, &format!("bundle.yaml: {says}")))?;
            meta::parse(&bytes).map_err(|says| refused(path, &format!("bundle.yaml: {says}")))?
        }
    };
    if meta.format != meta::FORMAT {
        let found =
            if meta.format == 0 { "no format number".to_owned() } else { format!("format {}", meta.format) };
        let message = format!("read the bundle {}: bundle.yaml has {found}", path.display());
        let hint = format!("this version reads format {}; a newer one may know it", meta::FORMAT);
        return Err(Failure::new(code::NO_SOURCE, message).hint(hint));
    }
    if meta.namespace.is_empty() {
        meta.namespace = NAMESPACE.to_owned();
    }
    Ok(meta)
}

/// The pages in their order.
fn paged(mut bodies: Vec<(Body, u64)>) -> Vec<Body> {
    bodies.sort_by(|(a, m), (b, n)| a.part.cmp(&b.part).then(m.cmp(n)));
    bodies.into_iter().map(|(body, _)| body).collect()
}

/// Every part that the bundle has something of, or says it has.
fn parts(bundle: &Bundle) -> BTreeSet<String> {
    let read = bundle.meta.read.iter().map(|r| without_since(r).to_owned());
    read.chain(bundle.objects.iter().map(|o| o.part.clone()))
        .chain(bundle.bodies.iter().map(|b| b.part.clone()))
        .chain(bundle.logs.iter().map(super::Log::part))
        .collect()
}

/// `log/capo-system since <time>` is an entry for the part `log/capo-system`.
fn without_since(read: &str) -> &str {
    read.split_once(' ').map_or(read, |(part, _)| part)
}

/// What could not be read, part by part.
#[derive(Debug, Default)]
struct Gaps(BTreeMap<String, (Why, String, usize)>);

impl Gaps {
    /// Enters trouble with one file. A file of unknown kinds may have held objects of any.
    fn add(&mut self, trouble: place::Trouble, meta: &Meta) {
        let place::Trouble { part, why, says } = trouble;
        let stem = match part {
            place::Part::Known(part) => return self.note(part, why, &says),
            place::Part::AnyKind(stem) => stem,
        };
        let mut any = meta.read.iter().filter(|r| r.starts_with("kubernetes/")).peekable();
        if any.peek().is_none() {
            self.note(kubernetes::part(&stem), why, &says);
        }
        for part in any {
            self.note(part.clone(), why, &says);
        }
    }

    /// Keeps the first reason of a part and counts the others.
    fn note(&mut self, part: String, why: Why, says: &str) {
        self.0.entry(part).and_modify(|(_, _, more)| *more += 1).or_insert_with(|| (why, says.to_owned(), 0));
    }

    /// Writes the gaps into the index. What the collector said of a part goes first.
    fn enter(self, meta: &mut Meta) {
        for (part, (why, says, more)) in self.0 {
            if meta.gaps.iter().any(|g| g.part == part) {
                continue;
            }
            let says = if more == 0 { says } else { format!("{says}, and {more} more like it") };
            meta.gaps.push(Gap { part: plain(&part), why, says: plain(&says), partial: true });
        }
        let Meta { read, gaps, .. } = meta;
        read.retain(|r| gaps.iter().all(|g| g.part != without_since(r)));
    }
}

#[cfg(test)]
#[path = "disk_test.rs"]
mod tests;
