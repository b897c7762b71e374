//! The scenario folders.

use std::path::{Path, PathBuf};

/// Every folder below `tests/scenarios`, sorted by name.
pub(crate) fn all() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(root).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir()).collect();
    found.sort();
    assert!(!found.is_empty(), "no scenario was found");
    found
}

/// Name of a scenario: its folder's name.
pub(crate) fn name(dir: &Path) -> String {
    dir.file_name().unwrap().to_string_lossy().into_owned()
}
