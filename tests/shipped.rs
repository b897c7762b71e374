//! What a package ships beside the program: man pages and completion scripts. They are stored; a stale
//! one is written anew and fails once.
#![expect(clippy::unwrap_used, reason = "a test ends loudly")]

use std::collections::BTreeMap;
use std::path::Path;

use kubectl_magnum::{cli, complete};

type Texts = BTreeMap<String, String>;

/// Holds the files of a folder of the repository against what they should be.
fn check(folder: &str, expected: &Texts) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let stored = read(&folder);
    if stored != *expected {
        std::fs::create_dir_all(&folder).unwrap();
        stored.keys().for_each(|name| std::fs::remove_file(folder.join(name)).unwrap());
        expected.iter().for_each(|(name, text)| std::fs::write(folder.join(name), text).unwrap());
    }
    let stale: Vec<&String> =
        expected.keys().filter(|name| stored.get(*name) != expected.get(*name)).collect();
    assert!(stored == *expected, "{} was stale and has been rewritten: {stale:?}", folder.display());
}

fn read(folder: &Path) -> Texts {
    let Ok(entries) = std::fs::read_dir(folder) else { return Texts::new() };
    let text = |path: &Path| std::fs::read_to_string(path).unwrap().replace("\r\n", "\n");
    entries
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), text(&entry.path())))
        .collect()
}

#[test]
fn man_pages() {
    let made = tempfile::tempdir().unwrap();
    // A man page is called as a file of the program would be.
    clap_mangen::generate_to(cli::command("kubectl-magnum"), made.path()).unwrap();
    let pages = read(made.path());
    assert!(
        pages.contains_key("kubectl-magnum.1") && pages.contains_key("kubectl-magnum-why.1"),
        "{pages:?}"
    );
    check("man", &pages);
}

/// The program that kubectl looks for, for a package that cannot make a link.
const ASKED_AS: &str = "#!/bin/sh\nexec kubectl-magnum __complete \"$@\"\n";

#[test]
fn completion_scripts() {
    let script = |name: &str, shell: &str| (name.to_owned(), complete::script(shell).unwrap());
    let scripts = [
        script("kubectl-magnum.bash", "bash"),
        script("_kubectl-magnum", "zsh"),
        script("kubectl-magnum.fish", "fish"),
        script("kubectl-magnum.ps1", "powershell"),
        (complete::ASKED_AS.to_owned(), ASKED_AS.to_owned()),
    ];
    check("completions", &scripts.into());
}

/// The scripts are for real shells: those that are here must take them.
#[cfg(unix)]
#[test]
fn shells_take_their_script() {
    for (shell, file) in
        [("bash", "kubectl-magnum.bash"), ("zsh", "_kubectl-magnum"), ("sh", complete::ASKED_AS)]
    {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("completions").join(file);
        let Ok(output) = std::process::Command::new(shell).arg("-n").arg(&path).output() else { continue };
        assert!(output.status.success(), "{shell}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// bash asks as it would on TAB, through the stored script.
#[cfg(unix)]
#[test]
fn bash_completes_the_program() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = Path::new(env!("CARGO_BIN_EXE_kubectl-magnum"));
    let ask = "source completions/kubectl-magnum.bash; COMP_WORDS=(kubectl-magnum explain quota-u); COMP_CWORD=2; \
               _clap_complete_kubectl_magnum kubectl-magnum quota-u explain; echo \"${COMPREPLY[*]}\"";
    let path = std::env::join_paths(
        std::iter::once(program.parent().unwrap().to_owned())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let mut asked = std::process::Command::new("bash");
    asked.args(["-c", ask]).current_dir(root).env("PATH", path.unwrap());
    let Ok(output) = asked.output() else { return };
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "quota-used-up");
}
