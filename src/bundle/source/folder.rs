//! A bundle that lies in a folder. Files are only listed here and read when their turn comes.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Content, Limits, Source, marks_root, refused, too_large, wanted};
use crate::bundle::Why;
use crate::exit::Failure;

/// Folders deeper than this are not a bundle's; its own layout has seven levels.
const DEPTH: usize = 24;

/// Lists the files of the bundle in `path`, or in its only folder.
pub(super) fn list(path: &Path, limits: &Limits) -> Result<Source, Failure> {
    let root = root(path)?;
    let mut walk = Walk { limits, bytes: 0, seen: 0, links: 0, source: Source::default() };
    walk.folder(&root, "", 0);
    if walk.links > 0 {
        walk.source.notes.push(format!("left out {} links and special files of the bundle", walk.links));
    }
    Ok(walk.source)
}

fn root(path: &Path) -> Result<PathBuf, Failure> {
    let entries = entries(path).map_err(|e| refused(path, &e.kind().to_string()))?;
    if entries.iter().any(Entry::marks_root) {
        return Ok(path.to_owned());
    }
    let mut folders = entries.iter().filter(|e| e.folder && !e.name.starts_with('.'));
    if let (Some(only), None) = (folders.next(), folders.next())
        && self::entries(&only.path).is_ok_and(|below| below.iter().any(Entry::marks_root))
    {
        return Ok(only.path.clone());
    }
    Err(refused(path, "there is no bundle in this folder"))
}

struct Entry {
    name: String,
    path: PathBuf,
    folder: bool,
    file: bool,
    size: u64,
}

impl Entry {
    fn marks_root(&self) -> bool {
        (self.folder || self.file) && marks_root(&self.name, self.folder)
    }
}

/// The entries of one folder by name, links as links.
fn entries(path: &Path) -> std::io::Result<Vec<Entry>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let found = entry.metadata()?;
        all.push(Entry {
            name: entry.file_name().to_string_lossy().into_owned(),
            path: entry.path(),
            folder: found.is_dir(),
            file: found.is_file(),
            size: found.len(),
        });
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(all)
}

struct Walk<'a> {
    limits: &'a Limits,
    bytes: u64,
    seen: usize,
    links: usize,
    source: Source,
}

impl Walk<'_> {
    fn folder(&mut self, path: &Path, prefix: &str, depth: usize) {
        if depth > DEPTH {
            self.source.cut = Some((Why::TooLarge, format!("more than {DEPTH} levels of folders")));
            return;
        }
        let Ok(entries) = entries(path) else {
            self.source.cut = Some((Why::Unreadable, format!("the folder {prefix} could not be read")));
            return;
        };
        for entry in entries {
            if self.seen > self.limits.files {
                return;
            }
            let name =
                if prefix.is_empty() { entry.name.clone() } else { format!("{prefix}/{}", entry.name) };
            if depth == 0 && entry.folder && !ours(&entry.name) {
                continue;
            }
            if entry.folder {
                self.folder(&entry.path, &name, depth + 1);
            } else if entry.file {
                self.file(name, entry);
            } else {
                self.links += 1;
            }
        }
    }

    fn file(&mut self, name: String, entry: Entry) {
        if !wanted(&name) {
            return;
        }
        self.seen += 1;
        if self.seen > self.limits.files {
            self.source.cut = Some((Why::TooLarge, format!("more than {} files", self.limits.files)));
            return;
        }
        let limit = self.limits.for_file(&name);
        let content = if entry.size > limit {
            let (why, says) = too_large(limit);
            Content::Left(why, says)
        } else if self.bytes + entry.size > self.limits.total {
            let (why, says) = too_large(self.limits.total);
            Content::Left(why, format!("{says} in all files together"))
        } else {
            self.bytes += entry.size;
            Content::OnDisk(entry.path, limit)
        };
        self.source.files.insert(name, content);
    }
}

/// Folders at the root of a bundle that are read; a bundle may lie beside anything else.
fn ours(name: &str) -> bool {
    marks_root(name, true) || name == "workload"
}
