//! The manifest by krew's rules (kubernetes-sigs/krew, `internal/index/validation/validate.go` and
//! `cmd/validate-krew-manifest/main.go`), and by what reviewers of its index ask for.

use regex::Regex;
use serde_json::Value;

use crate::made::{MADE, PAIRS};

/// Pairs that krew knows.
const SUPPORTED: [(&str, &str); 11] = [
    ("windows", "386"),
    ("windows", "amd64"),
    ("windows", "arm64"),
    ("linux", "386"),
    ("linux", "amd64"),
    ("linux", "arm"),
    ("linux", "arm64"),
    ("linux", "ppc64le"),
    ("darwin", "386"),
    ("darwin", "amd64"),
    ("darwin", "arm64"),
];

/// What is wrong with a manifest, which stands in a file of that name.
fn lint(manifest: &str, file: &str) -> Vec<String> {
    let Ok(all) = serde_yaml::from_str::<Value>(manifest) else { return vec!["no YAML".to_owned()] };
    let text = |pointer: &str| all.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let mut wrong = Vec::new();
    let mut rule = |holds: bool, what: &str| {
        if !holds {
            wrong.push(what.to_owned());
        }
    };
    let matches = |pattern: &str, text: &str| Regex::new(pattern).unwrap().is_match(text);
    rule(text("/apiVersion") == "krew.googlecontainertools.github.com/v1alpha2", "apiVersion");
    rule(text("/kind") == "Plugin", "kind");
    let name = text("/metadata/name");
    rule(matches(r"^[\w-]+$", name), "name");
    rule(!matches(r"(?i)^(con|prn|aux|nul|com[1-9]|lpt[1-9])$", name), "device name");
    rule(file == format!("{name}.yaml"), "file name");
    rule(matches(r"^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$", text("/spec/version")), "version");
    let short = text("/spec/shortDescription");
    rule(!short.is_empty() && !short.contains(['\r', '\n']), "shortDescription");
    rule(short.len() <= 50, "shortDescription is cut in `krew search`");
    let long = text("/spec/description");
    rule(!long.is_empty() && long.lines().all(|line| line.len() <= 80), "description");
    rule(text("/spec/homepage").starts_with("https://"), "homepage");
    let platforms = all.pointer("/spec/platforms").and_then(Value::as_array).cloned().unwrap_or_default();
    rule(!platforms.is_empty(), "platforms");
    for platform in &platforms {
        wrong.extend(lint_platform(platform));
    }
    for pair in SUPPORTED {
        let taken = platforms.iter().filter(|platform| selects(platform, pair)).count();
        if taken > 1 {
            wrong.push(format!("{pair:?} matches {taken} platforms"));
        }
    }
    wrong
}

fn lint_platform(platform: &Value) -> Vec<String> {
    let text = |pointer: &str| platform.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let labels = platform.pointer("/selector/matchLabels").and_then(Value::as_object);
    let known = |labels: &serde_json::Map<String, Value>| {
        !labels.is_empty()
            && labels.iter().all(|(key, value)| (key == "os" || key == "arch") && value.is_string())
    };
    let hex = text("/sha256").chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c));
    let bin = text("/bin");
    let windows = text("/selector/matchLabels/os") == "windows";
    let files = platform.get("files").and_then(Value::as_array);
    let whole = |file: &Value| ["from", "to"].iter().all(|key| file.get(key).is_some_and(Value::is_string));
    let rules = [
        (text("/uri").starts_with("http"), "uri"),
        (text("/sha256").len() == 64 && hex, "sha256"),
        (labels.is_some_and(known), "selector"),
        (SUPPORTED.iter().any(|pair| selects(platform, *pair)), "selector matches nothing"),
        (!bin.is_empty() && !bin.contains('\\') && !bin.contains("..") && !bin.starts_with('/'), "bin"),
        (windows == bin.ends_with(".exe"), "bin of Windows"),
        (
            platform.get("files").is_none() || files.is_some_and(|f| !f.is_empty() && f.iter().all(whole)),
            "files",
        ),
    ];
    rules.iter().filter(|(holds, _)| !holds).map(|(_, what)| (*what).to_owned()).collect()
}

fn selects(platform: &Value, (os, arch): (&str, &str)) -> bool {
    let label =
        |key: &str| platform.pointer("/selector/matchLabels").and_then(|labels| labels.get(key)?.as_str());
    label("os").is_none_or(|own| own == os) && label("arch").is_none_or(|own| own == arch)
}

#[test]
fn the_manifest_keeps_the_rules() {
    assert_eq!(lint(&MADE.manifest, "magnum.yaml"), Vec::<String>::new(), "{}", MADE.manifest);
    let in_index = MADE.folder.path().join("plugins/magnum.yaml");
    assert_eq!(std::fs::read_to_string(in_index).unwrap(), MADE.manifest);
}

#[test]
fn every_pair_has_its_archive_with_its_checksum() {
    let manifest: Value = serde_yaml::from_str(&MADE.manifest).unwrap();
    assert_eq!(manifest["spec"]["version"], format!("v{}", env!("CARGO_PKG_VERSION")));
    let platforms = manifest["spec"]["platforms"].as_array().unwrap();
    assert_eq!(platforms.len(), PAIRS.len());
    for pair in PAIRS {
        let platform = platforms.iter().find(|platform| selects(platform, pair)).unwrap();
        let file = platform["uri"].as_str().unwrap().strip_prefix("http://127.0.0.1:1/archives/").unwrap();
        assert!(file.contains(pair.0) && file.contains(pair.1), "{file}");
        let bytes = std::fs::read(MADE.folder.path().join(file)).unwrap();
        let sum = ring::digest::digest(&ring::digest::SHA256, &bytes);
        let hex: String = sum.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(platform["sha256"], hex, "{file}");
    }
}

/// The good manifest with one thing changed must be refused for that thing.
fn check_refused(from: &str, to: &str, reason: &str) {
    assert!(MADE.manifest.contains(from), "{from} is not in\n{}", MADE.manifest);
    let wrong = lint(&MADE.manifest.replacen(from, to, 1), "magnum.yaml");
    assert!(wrong.iter().any(|said| said.contains(reason)), "{from} -> {to}: {wrong:?}");
}

#[test]
fn what_krew_refuses_is_refused() {
    check_refused("v1alpha2", "v1alpha1", "apiVersion");
    check_refused("kind: Plugin", "kind: Plug", "kind");
    check_refused("name: magnum", "name: mag num", "name");
    check_refused("name: magnum", "name: magnun", "file name");
    check_refused("name: magnum", "name: com1", "device name");
    check_refused("version: v", "version: ", "version");
    check_refused("shortDescription: ", "shortDescription: Reads everything there is to read and ", "cut in");
    check_refused("homepage: https", "homepage: ftp", "homepage");
    check_refused("os: linux", "os: plan9", "selector matches nothing");
    check_refused("os: linux", "system: linux", "selector");
    check_refused("arch: arm64", "arch: amd64", "matches 2 platforms");
    check_refused("arch: arm64", "arch: 386", "selector");
    check_refused("bin: kubectl-magnum", "bin: ../kubectl-magnum", "bin");
    check_refused("bin: kubectl-magnum.exe", "bin: kubectl-magnum", "bin of Windows");
    check_refused("bin: kubectl-magnum", "files: []\n      bin: kubectl-magnum", "files");
    let sum = MADE.manifest.split("sha256: ").nth(1).and_then(|rest| rest.lines().next()).unwrap();
    check_refused(sum, &sum.to_uppercase(), "sha256");
    check_refused(sum, sum.get(1..).unwrap(), "sha256");
}
