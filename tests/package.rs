//! What `cargo package` would ship: all that builds and explains the program, and none of the captures.

use std::path::Path;
use std::process::Command;

/// The limit of crates.io is 10 MB; beyond this something got in that should not.
const MOST: u64 = 3_000_000;

#[test]
fn a_package_builds_and_is_small() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(env!("CARGO"))
        .args(["package", "--list", "--allow-dirty", "--offline", "--quiet"])
        .current_dir(root)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let list = String::from_utf8(output.stdout).unwrap();
    let files: Vec<&str> = list.lines().collect();
    for file in [
        "Cargo.lock",
        "LICENSE",
        "README.md",
        "src/main.rs",
        "docs/why.svg",
        "docs/rbac.yaml",
        "man/kubectl-magnum.1",
        "completions/kubectl-magnum.bash",
        "schemas/why-report.json",
    ] {
        assert!(files.contains(&file), "{file} is not in the package");
    }
    let strange =
        |file: &&&str| file.starts_with("tests/") || file.starts_with('.') && !file.starts_with(".cargo_vcs");
    assert_eq!(files.iter().find(strange), None);
    let size: u64 =
        files.iter().filter_map(|file| std::fs::metadata(root.join(file)).ok()).map(|file| file.len()).sum();
    assert!((100_000..MOST).contains(&size), "{size} bytes");
}
