//! `completion install`: the name under which kubectl asks.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::exit::{Failure, code};

/// Program that kubectl looks for on PATH (kubernetes/kubectl, `pkg/cmd/plugin/plugin_completion.go`).
pub const ASKED_AS: &str = "kubectl_complete-magnum";

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The link.
    pub link: PathBuf,
    /// Whether `PATH` leads to it.
    pub found: bool,
}

/// Links this program under the name that kubectl asks, into `folder`, or beside the program that
/// `path` leads to. Beside it the link is relative: krew replaces its own link on every upgrade,
/// and ours then leads to the new version.
///
/// # Errors
/// Something else has that name, or the folder cannot be written to.
pub fn install(folder: Option<&Path>, path: &OsStr, executable: &Path) -> Result<Installed, Failure> {
    let name = executable_name("kubectl-magnum");
    let folders: Vec<PathBuf> = std::env::split_paths(path).collect();
    let on_path = folders.iter().map(|folder| folder.join(&name)).find(|program| program.is_file());
    let program = on_path.unwrap_or_else(|| executable.to_owned());
    let beside = program.parent().unwrap_or_else(|| Path::new("."));
    let folder = folder.unwrap_or(beside);
    let target = match same(folder, beside) {
        true => PathBuf::from(program.file_name().unwrap_or_default()),
        false => std::path::absolute(&program).unwrap_or_else(|_| program.clone()),
    };
    let link = folder.join(link_name());
    if let Ok(there) = std::fs::symlink_metadata(&link)
        && !is_ours(&link, &there)
    {
        let what = format!("link {}: something else has that name", link.display());
        return Err(Failure::new(code::USAGE, what).hint("move it away, or choose another folder with --dir"));
    }
    make(&link, &target).map_err(|error| {
        Failure::new(code::USAGE, format!("link {}: {error}", link.display()))
            .hint("choose a folder of PATH that you can write to with --dir")
    })?;
    let found = folders.iter().any(|one| same(one, folder));
    Ok(Installed { link, found })
}

fn same(one: &Path, other: &Path) -> bool {
    one == other
        || std::fs::canonicalize(one).is_ok_and(|one| std::fs::canonicalize(other).is_ok_and(|o| o == one))
}

fn executable_name(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

#[cfg(unix)]
fn link_name() -> String {
    ASKED_AS.to_owned()
}

#[cfg(unix)]
fn is_ours(_: &Path, there: &std::fs::Metadata) -> bool {
    there.is_symlink()
}

#[cfg(unix)]
fn make(link: &Path, target: &Path) -> std::io::Result<()> {
    remove(link)?;
    std::os::unix::fs::symlink(target, link)
}

/// Windows lets only some users make links; kubectl takes a `.cmd` there as well.
#[cfg(not(unix))]
fn link_name() -> String {
    format!("{ASKED_AS}.cmd")
}

#[cfg(not(unix))]
fn is_ours(link: &Path, _: &std::fs::Metadata) -> bool {
    std::fs::read_to_string(link).is_ok_and(|text| text.contains(super::WORD))
}

#[cfg(not(unix))]
fn make(link: &Path, target: &Path) -> std::io::Result<()> {
    remove(link)?;
    // `%~dp0` is the folder of the script; an absolute target is left alone by it.
    let program = if target.is_absolute() {
        target.display().to_string()
    } else {
        format!("%~dp0{}", target.display())
    };
    std::fs::write(link, format!("@\"{program}\" {} %*\r\n", super::WORD))
}

fn remove(link: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(link) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn program(folder: &Path) -> PathBuf {
        let program = folder.join("kubectl-magnum");
        std::fs::write(&program, "").expect("a program");
        program
    }

    #[test]
    fn beside_krews_link_and_through_it() {
        let root = tempfile::tempdir().expect("a folder");
        let (store, bin) = (root.path().join("store"), root.path().join("bin"));
        for folder in [&store, &bin] {
            std::fs::create_dir(folder).expect("a folder");
        }
        let executable = program(&store);
        std::os::unix::fs::symlink(&executable, bin.join("kubectl-magnum")).expect("krew's link");
        for _ in 0..2 {
            let done = install(None, bin.as_os_str(), &executable).expect("a link");
            assert_eq!(done, Installed { link: bin.join(ASKED_AS), found: true });
        }
        assert_eq!(std::fs::read_link(bin.join(ASKED_AS)).expect("a link"), Path::new("kubectl-magnum"));
    }

    #[test]
    fn another_folder_gets_a_whole_path() {
        let (here, there) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let executable = program(here.path());
        let done = install(Some(there.path()), OsStr::new(""), &executable).expect("a link");
        assert_eq!(done, Installed { link: there.path().join(ASKED_AS), found: false });
        assert_eq!(std::fs::read_link(&done.link).expect("a link"), executable);
    }

    #[test]
    fn what_somebody_else_put_there_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let executable = program(folder.path());
        std::fs::write(folder.path().join(ASKED_AS), "mine").expect("a file");
        let failure = install(None, OsStr::new(""), &executable).expect_err("a file is there");
        assert_eq!(failure.code, code::USAGE);
        assert_eq!(std::fs::read_to_string(folder.path().join(ASKED_AS)).ok().as_deref(), Some("mine"));
    }

    #[test]
    fn a_folder_that_cannot_be_written_to_is_said() {
        let folder = tempfile::tempdir().expect("a folder");
        let executable = program(folder.path());
        let failure = install(Some(&folder.path().join("nowhere")), OsStr::new(""), &executable);
        assert!(failure.expect_err("no folder").hint.is_some_and(|hint| hint.contains("--dir")));
    }
}
