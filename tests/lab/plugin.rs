//! The program as a plugin: installed by krew, found and started by kubectl.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::kube::text;
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
        let krew = self.folder.path().join("krew");
        Command::new(program)
            .args(words)
            .env_clear()
            .env("PATH", format!("{}:{}", krew.join("bin").display(), self.path))
            .env("HOME", self.folder.path())
            .env("KREW_ROOT", krew)
            .current_dir(self.folder.path())
            .output()
            .expect("a program of the lab")
    }
}

/// `kubectl-magnum` and its license in an archive; returns its SHA-256.
fn archive(path: &Path) -> String {
    let file = std::fs::File::create(path).expect("an archive");
    let mut archive = tar::Builder::new(GzEncoder::new(file, Compression::fast()));
    // krew reads no sparse files.
    archive.sparse(false);
    let license = concat!(env!("CARGO_MANIFEST_DIR"), "/LICENSE");
    archive.append_path_with_name(license, "LICENSE").expect("a license");
    archive
        .append_path_with_name(env!("CARGO_BIN_EXE_kubectl-magnum"), "kubectl-magnum")
        .expect("the program");
    archive.into_inner().expect("an archive").finish().expect("an archive");
    let sum = Command::new("sha256sum").arg(path).output().expect("sha256sum");
    lab::page(&sum).split_whitespace().next().expect("a sum").to_owned()
}

fn manifest(sum: &str, uri: &str) -> String {
    format!(
        "apiVersion: krew.googlecontainertools.github.com/v1alpha2\nkind: Plugin\nmetadata: {{name: magnum}}\nspec:\n  \
         version: v{}\n  homepage: https://example.org\n  shortDescription: Why is this Magnum cluster stuck\n  \
         description: Says why.\n  platforms:\n  - selector: {{matchLabels: {{os: linux, arch: amd64}}}}\n    \
         uri: {uri}\n    sha256: {sum}\n    bin: kubectl-magnum\n",
        env!("CARGO_PKG_VERSION")
    )
}

#[test]
fn krew_installs_it_and_kubectl_starts_it() {
    let Some(lab) = lab::lab() else { return };
    let home = Home::new(&lab);
    let sum = archive(&home.folder.path().join("magnum.tar.gz"));
    std::fs::write(
        home.folder.path().join("magnum.yaml"),
        manifest(&sum, "https://example.org/magnum.tar.gz"),
    )
    .expect("a manifest");
    let install = home.kubectl(&["krew", "install", "--manifest=magnum.yaml", "--archive=magnum.tar.gz"]);
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
    let path = home.folder.path().join("magnum.tar.gz");
    let sum = archive(&path);
    let uri = format!("http://{}/magnum.tar.gz", serve(std::fs::read(&path).expect("the archive")));
    std::fs::write(home.folder.path().join("magnum.yaml"), manifest(&sum, &uri)).expect("a manifest");
    let validator = text(&lab["kubernetes"]["validate-krew-manifest"]).to_owned();
    let said = home.run(&validator, &["-manifest", "magnum.yaml"]);
    let talk = String::from_utf8_lossy(&said.stderr);
    assert!(said.status.success(), "{talk}");
    assert!(talk.contains("installed fine"), "{talk}");
    // It would not take just anything.
    let wrong = manifest(&"0".repeat(64), &uri);
    std::fs::write(home.folder.path().join("magnum.yaml"), wrong).expect("a manifest");
    assert!(!home.run(&validator, &["-manifest", "magnum.yaml"]).status.success());
}

/// Answers every request on a port of this machine with these bytes; returns the address.
fn serve(body: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
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
    address
}
