//! A bundle that is one `.tar.gz`, or a plain tar, read into memory.

use std::cell::Cell;
use std::fs;
use std::io::{self, BufReader, Read, Seek};
use std::path::Path;
use std::rc::Rc;

use flate2::read::MultiGzDecoder;

use super::{Content, Limits, Source, marks_root, plain, refused, too_large, wanted};
use crate::bundle::Why;
use crate::exit::{Failure, code};

/// Lists the files of the archive at `path`.
pub(super) fn list(path: &Path, limits: &Limits) -> Result<Source, Failure> {
    let failed = |e: io::Error| refused(path, &e.kind().to_string());
    let mut file = fs::File::open(path).map_err(failed)?;
    let mut head = Vec::new();
    Read::by_ref(&mut file).take(512).read_to_end(&mut head).map_err(failed)?;
    file.rewind().map_err(failed)?;

    let packed = Rc::new(Cell::new(0));
    let counted = Counted { inner: file, count: Rc::clone(&packed) };
    if head.starts_with(&[0x1f, 0x8b]) {
        let meter = Meter::new(MultiGzDecoder::new(BufReader::new(counted)), limits, packed);
        Reading::new(path, limits).all(meter)
    } else if head.get(257..262) == Some(b"ustar") {
        let meter = Meter::new(BufReader::new(counted), limits, packed);
        Reading::new(path, limits).all(meter)
    } else {
        Err(refused(path, "the file is neither a .tar.gz nor a .tar"))
    }
}

/// Counts the bytes that pass.
struct Counted<R> {
    inner: R,
    count: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.count.set(self.count.get() + n as u64);
        Ok(n)
    }
}

/// Ends the reading of an archive that unpacks to too much.
struct Meter<R> {
    inner: R,
    unpacked: u64,
    limits: Limits,
    packed: Rc<Cell<u64>>,
    over: Rc<Cell<bool>>,
}

impl<R: Read> Meter<R> {
    fn new(inner: R, limits: &Limits, packed: Rc<Cell<u64>>) -> Self {
        Meter { inner, unpacked: 0, limits: *limits, packed, over: Rc::default() }
    }
}

impl<R: Read> Read for Meter<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.unpacked += n as u64;
        let swollen = self.unpacked > self.limits.ratio_from
            && self.unpacked / self.packed.get().max(1) > self.limits.ratio;
        if swollen || self.unpacked > self.limits.total {
            self.over.set(true);
            return Err(io::Error::other("the archive unpacks to too much"));
        }
        Ok(n)
    }
}

struct Reading<'a> {
    path: &'a Path,
    limits: &'a Limits,
    entries: usize,
    left_out: usize,
    source: Source,
}

impl<'a> Reading<'a> {
    fn new(path: &'a Path, limits: &'a Limits) -> Self {
        Reading { path, limits, entries: 0, left_out: 0, source: Source::default() }
    }

    fn all<R: Read>(mut self, meter: Meter<R>) -> Result<Source, Failure> {
        let over = Rc::clone(&meter.over);
        let mut archive = tar::Archive::new(meter);
        let entries = archive.entries().map_err(|e| refused(self.path, &e.kind().to_string()))?;
        for entry in entries {
            let Ok(entry) = entry else {
                self.source.cut = Some(ended(over.get(), self.limits));
                break;
            };
            self.entries += 1;
            if self.entries > self.limits.files {
                self.source.cut = Some((Why::TooLarge, format!("more than {} files", self.limits.files)));
                break;
            }
            if self.entry(entry)?.is_err() {
                self.source.cut = Some(ended(over.get(), self.limits));
                break;
            }
        }
        if self.left_out > 0 {
            self.source
                .notes
                .push(format!("left out {} links and special files of the archive", self.left_out));
        }
        self.rooted()
    }

    /// Takes one entry in. The inner error is one of reading, after which nothing follows.
    fn entry<R: Read>(&mut self, mut entry: tar::Entry<'_, R>) -> Result<io::Result<()>, Failure> {
        let kind = entry.header().entry_type();
        if kind.is_pax_global_extensions() {
            return Ok(Ok(()));
        }
        let name = self.inside(&String::from_utf8_lossy(&entry.path_bytes()))?;
        if kind.is_dir() || (kind.is_file() && !wanted(&name)) {
            return Ok(Ok(()));
        }
        if !kind.is_file() {
            self.left_out += 1;
            return Ok(Ok(()));
        }
        let limit = self.limits.for_file(&name);
        let content = if entry.size() > limit {
            let (why, says) = too_large(limit);
            Content::Left(why, says)
        } else {
            let mut bytes = Vec::new();
            if let Err(e) = entry.read_to_end(&mut bytes) {
                self.source
                    .files
                    .insert(name, Content::Left(Why::Unreadable, "the archive ends in it".into()));
                return Ok(Err(e));
            }
            Content::Bytes(bytes)
        };
        self.source.files.insert(name, content);
        Ok(Ok(()))
    }

    /// The entry's path with `.` taken out; an archive that points outside is not ours.
    fn inside(&self, raw: &str) -> Result<String, Failure> {
        let parts: Vec<&str> = raw.split('/').filter(|p| !p.is_empty() && *p != ".").collect();
        if raw.starts_with('/') || parts.contains(&"..") {
            let message =
                format!("read the bundle {}: it holds the path {}", self.path.display(), plain(raw));
            return Err(Failure::new(code::NO_SOURCE, message).hint(
                "no bundle has paths that lead out of it; do not unpack this archive, and ask who made it",
            ));
        }
        Ok(parts.join("/"))
    }

    /// The files by their path from the bundle's root, which may be the only top folder.
    fn rooted(mut self) -> Result<Source, Failure> {
        if self.source.files.keys().any(|p| marks(p)) {
            return Ok(self.source);
        }
        let top =
            self.source.files.keys().next().and_then(|p| p.split_once('/')).map(|(top, _)| format!("{top}/"));
        let below: Option<std::collections::BTreeMap<String, Content>> = top.and_then(|top| {
            let files = std::mem::take(&mut self.source.files).into_iter();
            files.map(|(path, c)| Some((path.strip_prefix(&top)?.to_owned(), c))).collect()
        });
        match below {
            Some(files) if files.keys().any(|p| marks(p)) => Ok(Source { files, ..self.source }),
            _ if self.source.cut.is_some() => Err(refused(self.path, "the archive is damaged or too large")),
            _ => Err(refused(self.path, "there is no bundle in this archive")),
        }
    }
}

fn marks(path: &str) -> bool {
    match path.split_once('/') {
        None => marks_root(path, false),
        Some((top, _)) => marks_root(top, true),
    }
}

/// Why an archive ended before its end.
fn ended(over: bool, limits: &Limits) -> (Why, String) {
    if over {
        let (why, says) = too_large(limits.total);
        (why, format!("the archive unpacks to {says}, or to far more than its size"))
    } else {
        (Why::Unreadable, "the archive is damaged or ends early".to_owned())
    }
}
