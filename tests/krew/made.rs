//! The release of a test: five archives and their manifest, made once.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// Operating system and processor of every archive of a release.
pub(crate) const PAIRS: [(&str, &str); 5] =
    [("linux", "amd64"), ("linux", "arm64"), ("darwin", "amd64"), ("darwin", "arm64"), ("windows", "amd64")];

/// A folder with archives and manifest.
pub(crate) struct Made {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) manifest: String,
}

/// Linux gets the program of this build, the others a file in its place: the rules look at the
/// archive and not at what is in the binary.
pub(crate) static MADE: LazyLock<Made> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let stand_in = folder.path().join("stand-in");
    std::fs::write(&stand_in, "a program\n").unwrap();
    for pair in PAIRS {
        let own = pair == ("linux", "amd64");
        let binary = if own { Path::new(env!("CARGO_BIN_EXE_kubectl-magnum")) } else { &stand_in };
        pack(binary, pair, folder.path());
    }
    run("manifest", &[folder.path().to_str().unwrap(), "http://127.0.0.1:1/archives"]);
    let manifest = std::fs::read_to_string(folder.path().join("magnum.yaml")).unwrap();
    Made { folder, manifest }
});

/// Packs a binary and gives the path of the archive.
pub(crate) fn pack(binary: &Path, (os, arch): (&str, &str), folder: &Path) -> PathBuf {
    run("archive", &[binary.to_str().unwrap(), os, arch, folder.to_str().unwrap()]).trim().into()
}

fn run(script: &str, words: &[&str]) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(root.join("scripts").join(script));
    // The program of a test is large; how small it gets is not what is tested.
    let output =
        command.args(words).env("GZIP_LEVEL", "1").env("SOURCE_DATE_EPOCH", "1700000000").output().unwrap();
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
