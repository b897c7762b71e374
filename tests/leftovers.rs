//! The program's `leftovers` over the scenarios that have a `leftovers.yaml`: the facts in it, which
//! are derived by hand, and the page and the report that are stored beside the bundle
//! (`UPDATE_EXPECT=1 cargo test --test leftovers` writes these anew).
#![expect(clippy::unwrap_used, reason = "a test ends loudly")]

#[path = "support/cores.rs"]
mod cores;
#[path = "support/folders.rs"]
mod folders;
#[path = "support/stored.rs"]
mod stored;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kubectl_magnum::bundle::{Bundle, Why, disk};
use kubectl_magnum::report::{LeftVerdict, LeftoversReport};
use kubectl_magnum::run::{Asked, leftovers};
use serde::Deserialize;
use serde_json::Value;
use stored::{Ran, run, stored};

/// What the answer must have.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Facts {
    exit: i32,
    verdict: String,
    life: String,
    /// Ids of everything that is listed, no more and no less.
    listed: BTreeSet<String>,
    /// Those of them that have a command which removes them.
    removable: BTreeSet<String>,
    /// Id to the ids of all its holders.
    held: BTreeMap<String, BTreeSet<String>>,
    /// Words that the page must have.
    says: Vec<String>,
    /// Words that the page must not have.
    not: Vec<String>,
}

#[test]
fn every_scenario_has_its_leftovers() {
    let dirs: Vec<PathBuf> =
        folders::all().into_iter().filter(|dir| dir.join("leftovers.yaml").is_file()).collect();
    assert!(dirs.len() >= 12, "only {} scenarios", dirs.len());
    let wrong = cores::each(&dirs, |dir| check(dir)).concat();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn check(dir: &Path) -> Vec<String> {
    let name = folders::name(dir);
    let facts: Facts =
        serde_yaml::from_str(&std::fs::read_to_string(dir.join("leftovers.yaml")).unwrap()).unwrap();
    let from = format!("tests/scenarios/{name}/bundle");
    let json = run(&["leftovers", "--from", &from, "-o", "json"]);
    let page = run(&["leftovers", "--from", &from]);
    let report: Value = serde_json::from_str(&json.stdout).unwrap();
    let mut wrong = hold(&facts, &report, &page);
    if json.code != Some(facts.exit) || page.code != json.code {
        wrong.push(format!(
            "ends with {:?} and {:?}, not {}; {}",
            page.code, json.code, facts.exit, json.stderr
        ));
    }
    wrong.extend(others(&from, &report, &json));
    wrong.extend(script(&from, &report));
    wrong.extend(stored(&dir.join("leftovers.txt"), &page.stdout));
    wrong.extend(stored(&dir.join("leftovers.json"), &json.stdout));
    wrong.into_iter().map(|says| format!("{name}: {says}")).collect()
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn rows(report: &Value) -> &[Value] {
    report["leftovers"].as_array().unwrap()
}

fn ids<'v>(rows: impl IntoIterator<Item = &'v Value>, pointer: &str) -> BTreeSet<String> {
    rows.into_iter().map(|row| text(row, pointer).to_owned()).collect()
}

fn hold(facts: &Facts, report: &Value, page: &Ran) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut same = |what: &str, expected: String, got: String| {
        if expected != got {
            wrong.push(format!("{what}: {got}, not {expected}"));
        }
    };
    same("verdict", facts.verdict.clone(), text(report, "/verdict").to_owned());
    same("life", facts.life.clone(), text(report, "/life").to_owned());
    same("exitCode", facts.exit.to_string(), report["exitCode"].to_string());
    same("listed", format!("{:?}", facts.listed), format!("{:?}", ids(rows(report), "/thing/id")));
    let removable = rows(report).iter().filter(|row| row["remove"].is_string());
    same("removable", format!("{:?}", facts.removable), format!("{:?}", ids(removable, "/thing/id")));
    let mut held: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in rows(report) {
        let holders = ids(row["heldBy"].as_array().unwrap(), "/id");
        if !holders.is_empty() {
            held.insert(text(row, "/thing/id").to_owned(), holders);
        }
    }
    same("held", format!("{:?}", facts.held), format!("{held:?}"));
    for (at, row) in rows(report).iter().enumerate() {
        same("order", (at + 1).to_string(), row["order"].to_string());
        let remove = row["remove"].as_str().unwrap_or_default();
        let exact = remove.is_empty() || remove.contains(text(row, "/thing/id"));
        same("a command by exact id", "true".to_owned(), exact.to_string());
    }
    let says = facts.says.iter().filter(|word| !page.stdout.contains(word.as_str()));
    wrong.extend(says.map(|word| format!("{word:?} is not said")));
    let not = facts.not.iter().filter(|word| page.stdout.contains(word.as_str()));
    wrong.extend(not.map(|word| format!("{word:?} is said")));
    wrong
}

/// The outputs that are not stored say the same.
fn others(from: &str, report: &Value, json: &Ran) -> Vec<String> {
    let mut wrong = Vec::new();
    let yaml = run(&["leftovers", "--from", from, "-o", "yaml"]);
    if serde_yaml::from_str::<Value>(&yaml.stdout).ok().as_ref() != Some(report) {
        wrong.push("the YAML is not the JSON".to_owned());
    }
    for format in ["wide", "markdown", "name"] {
        let other = run(&["leftovers", "--from", from, "-o", format]);
        if other.code != json.code {
            wrong.push(format!("-o {format} ends with {:?}", other.code));
        }
        let missing =
            ids(rows(report), "/thing/id").into_iter().find(|id| !other.stdout.contains(id.as_str()));
        wrong.extend(missing.map(|id| format!("-o {format} does not name {id}")));
    }
    wrong
}

/// The script is one, and removes what the report says can be removed, or refuses.
fn script(from: &str, report: &Value) -> Vec<String> {
    let script = run(&["leftovers", "--from", from, "-o", "script"]).stdout;
    let mut wrong = Vec::new();
    if !is_shell(&script) {
        wrong.push("the script is none".to_owned());
    }
    let whole = report["needs"].as_array().is_some_and(Vec::is_empty);
    let dead = ["blocked", "leftovers"].contains(&text(report, "/verdict"));
    let removable = rows(report).iter().any(|row| row["remove"].is_string());
    let refused = script.contains("'refused: ");
    if refused == (whole && dead && removable) {
        wrong.push(format!("the script refuses: {refused}"));
    }
    let commands: Vec<&str> = script
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with('#') && line.contains(" delete "))
        .collect();
    for row in rows(report) {
        let id = text(row, "/thing/id");
        let removed = commands.iter().any(|line| line.split(' ').any(|word| word == id));
        if removed != (row["remove"].is_string() && !refused) {
            wrong.push(format!("the script removes {id}: {removed}"));
        }
    }
    wrong
}

/// Whatever single part is taken away: what then has a command that removes it had one before, and
/// nothing turns clean.
#[test]
fn who_sees_less_removes_nothing_more() {
    let dirs: Vec<PathBuf> =
        folders::all().into_iter().filter(|dir| dir.join("leftovers.yaml").is_file()).collect();
    let wrong = cores::each(&dirs, |dir| blank(dir)).concat();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn blank(dir: &Path) -> Vec<String> {
    let bundle = disk::read(&dir.join("bundle")).unwrap();
    let find = |bundle: &Bundle| leftovers(bundle, &Asked { named: true, ..Asked::default() });
    let removable = |report: &LeftoversReport| -> BTreeSet<String> {
        let rows = report.leftovers.iter().filter(|left| left.remove.is_some());
        rows.map(|left| left.thing.id.clone()).collect()
    };
    let full = find(&bundle).unwrap();
    let mut wrong = Vec::new();
    let parts = bundle.meta.read.iter().filter_map(|part| part.split(' ').next());
    for part in parts.filter(|part| !part.starts_with("log/")) {
        let mut less = bundle.clone();
        less.blank(part, Why::NoAccess, "403");
        let Ok(less) = find(&less) else { continue };
        let more: Vec<String> = removable(&less).difference(&removable(&full)).cloned().collect();
        if !more.is_empty() {
            wrong.push(format!("{} without {part} removes {more:?}", folders::name(dir)));
        }
        let calmer = less.exit_code == 0 && full.exit_code != 0;
        if less.verdict == LeftVerdict::Clean && full.verdict != LeftVerdict::Clean || calmer {
            wrong.push(format!("{} without {part} is {:?}", folders::name(dir), less.verdict));
        }
    }
    wrong
}

/// A bundle that was made for one cluster does not have the list of all, and no other project.
#[test]
fn a_bundle_of_one_cluster_says_little_of_others() {
    let from = "tests/scenarios/left-01-forgotten-with-everything-left/bundle";
    let own = run(&["leftovers", "--from", from, "--project", "5b1c9d3e7f2a4c6b8d0e1f2a3b4c5d6e"]);
    assert_eq!(own.code, Some(5), "{}{}", own.stdout, own.stderr);
    assert!(
        own.stdout.contains("the list of all clusters") && !own.stdout.contains(" delete "),
        "{}",
        own.stdout
    );
    let other = run(&["leftovers", "--from", from, "--project", "another"]);
    assert_eq!((other.code, other.stdout.as_str()), (Some(2), ""), "{}", other.stderr);
    // It may live: the bundle does not know.
    let neighbour = run(&["leftovers", "--from", from, "kube-h3m9t"]);
    assert_eq!(neighbour.code, Some(5), "{}", neighbour.stdout);
    assert!(!neighbour.stdout.contains(" delete "), "{}", neighbour.stdout);
    let nobody = run(&["leftovers", "--from", from, "kube-zzzzz"]);
    assert_eq!((nobody.code, nobody.stdout.as_str()), (Some(4), ""), "{}", nobody.stderr);
}

/// What a shell says of the syntax; nothing is run.
fn is_shell(script: &str) -> bool {
    let mut shell = Command::new("sh").arg("-n").stdin(Stdio::piped()).spawn().unwrap();
    shell.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    shell.wait().unwrap().success()
}
