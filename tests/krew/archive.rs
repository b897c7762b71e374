//! Archives by krew's rules (kubernetes-sigs/krew, `internal/download/downloader.go`).

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Component, Path};

use flate2::read::GzDecoder;
use tar::{Archive, EntryType};

use crate::made::{MADE, PAIRS, pack};

/// Names that krew's validator takes for a licence (`cmd/validate-krew-manifest/main.go`).
const LICENCES: [&str; 8] = [
    "license",
    "license.txt",
    "license.md",
    "licenses",
    "licenses.txt",
    "licenses.md",
    "copying",
    "copying.txt",
];

/// Files of an archive with their modes; complains about what krew refuses.
fn entries(path: &Path) -> Result<BTreeMap<String, u32>, String> {
    let mut modes = BTreeMap::new();
    for entry in Archive::new(GzDecoder::new(File::open(path).unwrap())).entries().unwrap() {
        let entry = entry.unwrap();
        let name = entry.path().unwrap().to_string_lossy().into_owned();
        match entry.header().entry_type() {
            EntryType::Directory => continue,
            EntryType::Regular => {}
            other => return Err(format!("{name}: {other:?} is neither a file nor a folder")),
        }
        let inside = Path::new(&name).components().all(|part| matches!(part, Component::Normal(_)));
        if !inside || name.contains("..") || name.starts_with(['/', '\\']) {
            return Err(format!("{name}: leads out of the folder"));
        }
        modes.insert(name, entry.header().mode().unwrap() & 0o777);
    }
    Ok(modes)
}

#[test]
fn files_with_their_modes_and_nothing_else() {
    for (os, arch) in PAIRS {
        let name = format!("kubectl-magnum_v{}_{os}_{arch}.tar.gz", env!("CARGO_PKG_VERSION"));
        let modes = entries(&MADE.folder.path().join(&name)).unwrap();
        let binary = if os == "windows" { "kubectl-magnum.exe" } else { "kubectl-magnum" };
        assert_eq!(modes.get(binary), Some(&0o755), "{name}: {modes:?}");
        assert!(modes.keys().any(|file| LICENCES.contains(&file.to_lowercase().as_str())), "{modes:?}");
        for file in ["completions/kubectl-magnum.bash", "man/kubectl-magnum-why.1", "README.md"] {
            assert_eq!(modes.get(file), Some(&0o644), "{name}: {modes:?}");
        }
    }
}

/// krew looks at the first bytes, not at the name.
#[test]
fn content_is_gzip() {
    for (os, arch) in PAIRS {
        let name = format!("kubectl-magnum_v{}_{os}_{arch}.tar.gz", env!("CARGO_PKG_VERSION"));
        let bytes = std::fs::read(MADE.folder.path().join(name)).unwrap();
        assert_eq!(bytes.get(..3), Some([0x1f, 0x8b, 0x08].as_slice()));
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let binary = folder.path().join("kubectl-magnum");
    let packed = |out: &str| {
        // Another time, owner mode and place of the binary change nothing.
        std::fs::write(&binary, "a program\n").unwrap();
        std::fs::read(pack(&binary, ("linux", "arm64"), &folder.path().join(out))).unwrap()
    };
    let first = packed("a");
    std::thread::sleep(std::time::Duration::from_millis(1100));
    assert!(first == packed("b"), "the archive differs between two runs");
}

#[test]
fn a_link_would_be_seen() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tar.gz");
    let gzip = flate2::write::GzEncoder::new(File::create(&path).unwrap(), flate2::Compression::fast());
    let mut tar = tar::Builder::new(gzip);
    let mut header = tar::Header::new_ustar();
    header.set_entry_type(EntryType::Symlink);
    header.set_size(0);
    tar.append_link(&mut header, "kubectl_complete-magnum", "kubectl-magnum").unwrap();
    tar.into_inner().unwrap().finish().unwrap();
    assert!(entries(&path).unwrap_err().contains("kubectl_complete-magnum"));
}
