//! Where the files of a bundle come from: a folder or a tar archive, both hostile.
//!
//! Nothing is ever unpacked onto the disk, no link is followed, and there is an end to
//! how much is read.

mod archive;
mod folder;

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::Why;
use crate::exit::{Failure, code};

/// How much of a bundle is read. Sizes in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// One YAML or JSON file; parsed it needs several times its size.
    pub(super) document: u64,
    /// One log.
    pub(super) log: u64,
    /// All files together, unpacked.
    pub(super) total: u64,
    /// Number of files.
    pub(super) files: usize,
    /// How many times its packed size an archive may unpack to, from [`Limits::ratio_from`] on.
    pub(super) ratio: u64,
    /// Unpacked size from which the ratio counts.
    pub(super) ratio_from: u64,
}

impl Limits {
    /// What `disk::read` uses. Real bundles have some thousand files and a few megabytes;
    /// logs pack to a twentieth at best.
    pub(super) const USUAL: Limits = Limits {
        document: 32 << 20,
        log: 64 << 20,
        total: 256 << 20,
        files: 200_000,
        ratio: 250,
        ratio_from: 16 << 20,
    };

    /// The limit for one file, by its name.
    fn for_file(&self, path: &str) -> u64 {
        if path.ends_with(".log") { self.log } else { self.document }
    }
}

/// What is known of one file before it is parsed.
#[derive(Debug)]
pub(super) enum Content {
    /// Bytes out of an archive.
    Bytes(Vec<u8>),
    /// A file that is read when its turn comes, and the limit for it.
    OnDisk(PathBuf, u64),
    /// Left out, and why.
    Left(Why, String),
}

impl Content {
    /// The bytes, or why there are none.
    pub(super) fn load(self) -> Result<Vec<u8>, (Why, String)> {
        match self {
            Content::Bytes(bytes) => Ok(bytes),
            Content::Left(why, says) => Err((why, says)),
            Content::OnDisk(path, limit) => {
                let mut bytes = Vec::new();
                let read = fs::File::open(path).and_then(|f| f.take(limit + 1).read_to_end(&mut bytes));
                match read {
                    Err(e) => Err((Why::Unreadable, e.kind().to_string())),
                    Ok(n) if n as u64 > limit => Err(too_large(limit)),
                    Ok(_) => Ok(bytes),
                }
            }
        }
    }
}

/// All files of a bundle, by their path from its root, `/` between the names.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// The files, in the order of their paths.
    pub(super) files: BTreeMap<String, Content>,
    /// What was left out that belongs to no part.
    pub(super) notes: Vec<String>,
    /// Set if reading ended early: anything may have come after.
    pub(super) cut: Option<(Why, String)>,
}

/// Lists the files of the bundle at `path`.
pub(super) fn open(path: &Path, limits: &Limits) -> Result<Source, Failure> {
    let found = fs::metadata(path).map_err(|e| refused(path, &io_words(&e)))?;
    if found.is_dir() { folder::list(path, limits) } else { archive::list(path, limits) }
}

/// Whether a bundle may have its root where an entry of this name lies.
fn marks_root(name: &str, is_folder: bool) -> bool {
    match name {
        "bundle.yaml" => !is_folder,
        "kubernetes" | "openstack" | "namespaces" | "cluster" => is_folder,
        _ => false,
    }
}

/// Whether a file of this name can hold anything that is read. macOS puts `._x` beside
/// every `x` it packs.
fn wanted(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ext = name.rsplit_once('.').map_or("", |(_, ext)| ext);
    matches!(ext, "yaml" | "yml" | "json" | "log") && !name.starts_with("._")
}

fn too_large(limit: u64) -> (Why, String) {
    (Why::TooLarge, format!("more than {} MiB", limit >> 20))
}

/// The failure for a path that holds no bundle.
pub(super) fn refused(path: &Path, why: &str) -> Failure {
    Failure::new(code::NO_SOURCE, format!("read the bundle {}: {why}", plain(&path.to_string_lossy())))
        .hint("a bundle is a folder or a .tar.gz with bundle.yaml, kubernetes/ and openstack/ in it, or an archive of crust-gather")
}

/// What is wrong with a path, in words of an operator.
fn io_words(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        kind => kind.to_string(),
    }
}

/// The same text without control characters, for names that strangers chose.
pub(super) fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
