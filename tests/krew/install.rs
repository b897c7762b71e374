//! What krew and kubectl do: unpack into the store, link, look the program up by the words, run it.

use std::fs::File;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use flate2::read::GzDecoder;

use crate::made::MADE;

/// krew's folders with the plugin installed.
struct Root(tempfile::TempDir);

impl Root {
    /// kubernetes-sigs/krew, `internal/installation/install.go`.
    fn installed() -> Root {
        let root = tempfile::tempdir().unwrap();
        let version = concat!("v", env!("CARGO_PKG_VERSION"));
        let store = root.path().join("store/magnum").join(version);
        let bin = root.path().join("bin");
        std::fs::create_dir_all(&store).unwrap();
        std::fs::create_dir_all(&bin).unwrap();
        let archive = MADE.folder.path().join(format!("kubectl-magnum_{version}_linux_amd64.tar.gz"));
        tar::Archive::new(GzDecoder::new(File::open(archive).unwrap())).unpack(&store).unwrap();
        symlink(store.join("kubectl-magnum"), bin.join("kubectl-magnum")).unwrap();
        Root(root)
    }

    fn bin(&self) -> PathBuf {
        self.0.path().join("bin")
    }

    /// `kubectl WORDS`, from the folder of the repository.
    fn kubectl(&self, words: &[&str]) -> Output {
        let (program, rest) = look_up(words, &self.bin()).expect("a plugin");
        let mut command = Command::new(&program);
        command.arg0(&program).args(rest).env_clear().env("HOME", self.0.path());
        command.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap()
    }
}

/// kubectl's rule (kubernetes/kubectl, `pkg/cmd/plugin.go`): the words before the first flag, dashes as
/// underscores, the longest name first.
fn look_up<'a>(words: &'a [&'a str], bin: &Path) -> Option<(PathBuf, &'a [&'a str])> {
    let plain = words.iter().take_while(|word| !word.starts_with('-')).count();
    (1..=plain).rev().find_map(|count| {
        let (name, rest) = words.split_at(count);
        let name: Vec<String> = name.iter().map(|word| word.replace('-', "_")).collect();
        let program = bin.join(format!("kubectl-{}", name.join("-")));
        let runs = std::fs::metadata(&program).is_ok_and(|file| file.permissions().mode() & 0o111 != 0);
        runs.then_some((program, rest))
    })
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_longest_name_wins() {
    let bin = tempfile::tempdir().unwrap();
    for name in ["kubectl-magnum", "kubectl-magnum-why-prod_1"] {
        std::fs::write(bin.path().join(name), "").unwrap();
        std::fs::set_permissions(bin.path().join(name), PermissionsExt::from_mode(0o755)).unwrap();
    }
    let check = |words: &[&str], name: &str, left: usize| {
        let (program, rest) = look_up(words, bin.path()).unwrap();
        assert_eq!((program, rest.len()), (bin.path().join(name), left), "{words:?}");
    };
    check(&["magnum", "why", "prod-1", "-o", "json"], "kubectl-magnum-why-prod_1", 2);
    check(&["magnum", "why", "prod-2"], "kubectl-magnum", 2);
    check(&["magnum", "--context", "lab"], "kubectl-magnum", 2);
    assert!(look_up(&["--context", "lab", "magnum"], bin.path()).is_none());
}

#[test]
fn the_answer_and_its_exit_code_come_through() {
    let root = Root::installed();
    let scenario = "tests/scenarios/r-03-cores-quota-first-control-plane";
    let why = root.kubectl(&["magnum", "why", "--from", &format!("{scenario}/bundle")]);
    assert_eq!(why.status.code(), Some(1));
    let expected = std::fs::read_to_string(format!("{}/{scenario}/expected.txt", env!("CARGO_MANIFEST_DIR")));
    assert_eq!(text(&why), expected.unwrap());
    assert_eq!(root.kubectl(&["magnum", "explain", "no-such-cause"]).status.code(), Some(2));
    assert_eq!(root.kubectl(&["magnum", "why", "--from", "/nowhere"]).status.code(), Some(3));
    let why = root.kubectl(&["magnum", "why", "nobody", "--from", &format!("{scenario}/bundle")]);
    assert_eq!(why.status.code(), Some(4));
}

#[test]
fn usage_lines_begin_with_kubectl() {
    let root = Root::installed();
    let help = text(&root.kubectl(&["magnum", "why", "--help"]));
    assert!(help.contains("Usage: kubectl magnum why "), "{help}");
}

#[test]
fn completion_is_installed_beside_the_link_and_survives_an_upgrade() {
    let root = Root::installed();
    let mut install = Command::new(root.bin().join("kubectl-magnum"));
    install.args(["completion", "install"]).env_clear().env("PATH", root.bin());
    assert!(install.output().unwrap().status.success());
    // An upgrade replaces krew's link.
    let newer = root.0.path().join("store/magnum/newer");
    std::fs::rename(root.0.path().join(concat!("store/magnum/v", env!("CARGO_PKG_VERSION"))), &newer)
        .unwrap();
    std::fs::remove_file(root.bin().join("kubectl-magnum")).unwrap();
    symlink(newer.join("kubectl-magnum"), root.bin().join("kubectl-magnum")).unwrap();
    let asked =
        Command::new(root.bin().join("kubectl_complete-magnum")).args(["explain", "quota-u"]).output();
    let asked = asked.unwrap();
    assert_eq!((text(&asked).lines().last(), asked.status.code()), (Some(":4"), Some(0)));
    assert!(text(&asked).starts_with("quota-used-up\t"));
}
