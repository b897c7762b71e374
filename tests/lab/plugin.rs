//! The program as a plugin: installed by krew, found and started by kubectl.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::cloud::Cloud;
use crate::kube::{Kube, text};
use crate::lab;

/// A home with krew in it, and the programs of the lab on the PATH.
struct Home {
    folder: tempfile::TempDir,
    path: String,
}

impl Home {
    fn new(lab: &Value) -> Home {
        let programs = text(&lab["kubernetes"]["path"][0]);
        Home { path: format!("{programs}:/usr/bin:/bin"), folder: tempfile::tempdir().expect("a folder") }
    }

    fn kubectl(&self, words: &[&str]) -> Output {
        self.run("kubectl", words)
    }

    fn run(&self, program: &str, words: &[&str]) -> Output {
        self.command(program, words).output().expect("a program of the lab")
    }

    fn command(&self, program: &str, words: &[&str]) -> Command {
        let krew = self.folder.path().join("krew");
        let mut command = Command::new(program);
        command.args(words).env_clear();
        command.env("PATH", format!("{}:{}", krew.join("bin").display(), self.path));
        command.env("HOME", self.folder.path()).env("KREW_ROOT", krew).current_dir(self.folder.path());
        command
    }
}

/// Archive and manifest as the scripts of a release make them, in a folder; returns the archive's
/// name. Each archive is looked for below the address.
fn release(folder: &Path, address: &str) -> String {
    let script = |name: &str, words: &[&str]| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts").join(name);
        // The program of a test is large; how small it gets is not what is tested.
        let done = Command::new(script).args(words).env("GZIP_LEVEL", "1").output().expect(name);
        assert!(done.status.success(), "{name}: {}", String::from_utf8_lossy(&done.stderr));
        lab::page(&done).trim().to_owned()
    };
    let out = folder.to_str().expect("a path");
    let archive = script("archive", &[env!("CARGO_BIN_EXE_kubectl-magnum"), "linux", ARCH, out]);
    script("manifest", &[out, address]);
    Path::new(&archive).file_name().expect("a name").to_string_lossy().into_owned()
}

/// This machine's processor in krew's words.
const ARCH: &str = if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" };

#[test]
fn krew_installs_it_and_kubectl_starts_it() {
    let Some(lab) = lab::lab() else { return };
    let home = Home::new(&lab);
    let archive = release(home.folder.path(), "https://example.org");
    let given = format!("--archive={archive}");
    let install = home.kubectl(&["krew", "install", "--manifest=magnum.yaml", &given]);
    assert!(install.status.success(), "{}", String::from_utf8_lossy(&install.stderr));

    let list = lab::page(&home.kubectl(&["plugin", "list"]));
    let installed = home.folder.path().join("krew/bin/kubectl-magnum");
    assert!(list.lines().any(|line| Path::new(line.trim()) == installed), "{list}");

    let scenario =
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scenarios/r-03-cores-quota-first-control-plane");
    let why = home.kubectl(&["magnum", "why", "--from", &format!("{scenario}/bundle")]);
    assert_eq!(why.status.code(), Some(1), "{}", String::from_utf8_lossy(&why.stderr));
    let expected = std::fs::read_to_string(format!("{scenario}/expected.txt")).expect("the page");
    assert_eq!(lab::page(&why), expected);
    // The exit code passes through kubectl, whatever it is.
    for (words, code) in [
        (&["magnum", "why", "--from", "nowhere"][..], 3),
        (&["magnum", "explain", "no-such-cause"], 2),
        (&["magnum", "explain", "quota-used-up"], 0),
    ] {
        assert_eq!(home.kubectl(words).status.code(), Some(code), "{words:?}");
    }
}

/// krew's own check of a manifest installs the plugin from its address.
#[test]
fn the_validator_of_krew_takes_it() {
    let Some(lab) = lab::lab() else { return };
    let home = Home::new(&lab);
    // The address is in the manifest, and the manifest beside the archive.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let archive = release(home.folder.path(), &format!("http://{address}"));
    serve(listener, std::fs::read(home.folder.path().join(archive)).expect("the archive"));
    let validator = text(&lab["kubernetes"]["validate-krew-manifest"]).to_owned();
    let said = home.run(&validator, &["-manifest", "magnum.yaml"]);
    let talk = String::from_utf8_lossy(&said.stderr);
    assert!(said.status.success(), "{talk}");
    assert!(talk.contains("all 1 spec.platforms installed fine"), "{talk}");
    // It would not take just anything.
    let manifest = home.folder.path().join("magnum.yaml");
    let right = std::fs::read_to_string(&manifest).expect("the manifest");
    let (before, sum) = right.split_once("sha256: ").expect("a checksum");
    let wrong = format!("{before}sha256: {}{}", "0".repeat(64), sum.get(64..).expect("the rest"));
    std::fs::write(&manifest, wrong).expect("a manifest");
    assert!(!home.run(&validator, &["-manifest", "magnum.yaml"]).status.success());
}

/// kubectl asks the plugin what fits, and passes on names that Magnum and Kubernetes know.
#[test]
fn kubectl_completes_names_of_real_servers() {
    let Some(cloud) = Cloud::up() else { return };
    let Some(kube) = Kube::with("r-03-cores-quota-first-control-plane") else { return };
    let home = Home::new(&lab::lab().expect("the lab"));
    let bin = home.folder.path().join("krew/bin");
    std::fs::create_dir_all(&bin).expect("a folder");
    for name in ["kubectl-magnum", "kubectl_complete-magnum"] {
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_kubectl-magnum"), bin.join(name)).expect("a link");
    }
    let complete = |words: &[&str]| {
        let mut command = home.command("kubectl", &[&["__complete", "magnum"], words].concat());
        command.env("KUBECONFIG", kube.kubeconfig("operator")).env("OS_CLOUD", "demo");
        command.env("OS_CLIENT_CONFIG_FILE", text(&cloud.lab["clouds"]));
        lab::page(&command.output().expect("kubectl"))
    };
    let names = complete(&["why", ""]);
    let described = |name: &str| names.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('\t'));
    assert!(described("prod").is_some_and(|status| status.contains("_COMPLETE")), "{names}");
    // Whoever begins with a stack id gets stack ids.
    let by_id = complete(&["why", "kube-st00"]);
    assert!(by_id.lines().any(|line| line.starts_with("kube-st001\tcreate-failed")), "{by_id}");
    // Files are of no use there.
    assert_eq!(names.lines().last(), Some(":4"), "{names}");
    assert_eq!(complete(&["why", "no-cluster-begins-so"]).trim(), ":4");
    assert!(complete(&["wh"]).starts_with("why"), "a command");
}

/// Answers every request with these bytes.
fn serve(listener: TcpListener, body: Vec<u8>) {
    std::thread::spawn(move || {
        for mut client in listener.incoming().map_while(Result::ok) {
            let asked = BufReader::new(client.try_clone().expect("a socket"));
            // Up to the empty line.
            asked.lines().map_while(Result::ok).take_while(|line| !line.is_empty()).for_each(drop);
            let head =
                format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            // A client that leaves early is no fault of the server's.
            let _ = client.write_all(head.as_bytes()).and_then(|()| client.write_all(&body));
        }
    });
}
