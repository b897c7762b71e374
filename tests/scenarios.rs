//! The program itself over every scenario: the facts of `expect.yaml`, and the whole
//! output as it is stored beside the bundle. `UPDATE_EXPECT=1 cargo test --test scenarios`
//! writes the stored outputs anew.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test ends loudly, and prints its table")]

#[path = "support/cores.rs"]
mod cores;
#[path = "support/expect.rs"]
mod expect;
#[path = "support/folders.rs"]
mod folders;
#[path = "support/stored.rs"]
mod stored;

use std::collections::BTreeMap;
use std::path::Path;

use expect::Expect;
use serde_json::Value;
use stored::{Ran, run, stored};

/// What came of one scenario.
struct Outcome {
    name: String,
    first: String,
    wrong: Vec<String>,
}

#[test]
fn every_scenario_has_its_answer() {
    let outcomes = cores::each(&folders::all(), |dir| check(dir));

    println!("{:<52} {:<36} right?", "scenario", "first cause");
    for o in &outcomes {
        println!("{:<52} {:<36} {}", o.name, o.first, if o.wrong.is_empty() { "right" } else { "WRONG" });
    }
    let wrong: Vec<String> =
        outcomes.iter().filter(|o| !o.wrong.is_empty()).map(Outcome::complaint).collect();
    assert!(wrong.is_empty(), "{} of {} scenarios:\n{}", wrong.len(), outcomes.len(), wrong.join("\n"));
}

/// A misspelt id under `not` would hold for ever, so every id must be one that `explain` knows.
#[test]
fn every_expected_cause_is_in_the_manual() {
    let manual = run(&["explain"]).stdout;
    let known: Vec<&str> = manual.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).collect();
    let mut unknown: BTreeMap<String, String> = BTreeMap::new();
    for dir in folders::all() {
        let ids = Expect::read(&dir).unwrap().ids();
        let missing = ids.into_iter().filter(|id| !known.contains(&id.as_str()));
        unknown.extend(missing.map(|id| (id, folders::name(&dir))));
    }
    assert!(unknown.is_empty(), "ids that `explain` does not know, each with a scenario: {unknown:#?}");
}

impl Outcome {
    fn complaint(&self) -> String {
        format!("{}\n    {}", self.name, self.wrong.join("\n    "))
    }
}

fn check(dir: &Path) -> Outcome {
    let name = folders::name(dir);
    let expect = match Expect::read(dir) {
        Ok(expect) => expect,
        Err(why) => return Outcome { name, first: String::new(), wrong: vec![why] },
    };
    let mut wrong = Vec::new();
    if !dir.join("scenario.md").is_file() {
        wrong.push("scenario.md is missing".to_owned());
    }
    let from = format!("tests/scenarios/{name}/bundle");
    let json = run(&["why", "--from", &from, "-o", "json"]);
    let page = run(&["why", "--from", &from]);
    wrong.extend(expect.ending(json.code, &json.stderr));
    if page.code != json.code {
        wrong.push(format!("the page ends with {:?}, -o json with {:?}", page.code, json.code));
    }

    let mut first = format!("exit {}", json.code.unwrap_or(-1));
    if expect.wants_report() {
        match serde_json::from_str::<Value>(&json.stdout) {
            Ok(report) => {
                first = expect::headline(&report);
                wrong.extend(expect.report(&report));
                wrong.extend(other_outputs(&from, &report, &json));
            }
            Err(e) => wrong.push(format!("the JSON cannot be read: {e}")),
        }
    }
    if page.stdout.chars().any(|c| c.is_control() && c != '\n') {
        wrong.push("control characters in the piped page".to_owned());
    }
    // Where there is no answer, what the program said instead is the page.
    let said = if page.stdout.is_empty() { &page.stderr } else { &page.stdout };
    wrong.extend(stored(&dir.join("expected.txt"), said));
    wrong.extend(stored(&dir.join("expected.json"), &json.stdout));
    Outcome { name, first, wrong }
}

/// The outputs that are not stored say the same: the exit code, the report, the first cause.
fn other_outputs(from: &str, report: &Value, json: &Ran) -> Vec<String> {
    let mut wrong = Vec::new();
    let yaml = run(&["why", "--from", from, "-o", "yaml"]);
    match serde_yaml::from_str::<Value>(&yaml.stdout) {
        Ok(other) if &other == report => {}
        Ok(_) => wrong.push("the YAML is not the JSON".to_owned()),
        Err(e) => wrong.push(format!("the YAML cannot be read: {e}")),
    }
    let markdown = run(&["why", "--from", from, "-o", "markdown"]);
    let wide = run(&["why", "--from", from, "-o", "wide"]);
    for (what, ran) in [("yaml", &yaml), ("markdown", &markdown), ("wide", &wide)] {
        if ran.code != json.code {
            wrong.push(format!("-o {what} ends with {:?}, -o json with {:?}", ran.code, json.code));
        }
    }
    if let Some(id) = report.pointer("/causes/0/id").and_then(Value::as_str) {
        for (what, ran) in [("markdown", &markdown), ("wide", &wide)] {
            if !ran.stdout.contains(id) {
                wrong.push(format!("-o {what} does not name {id}"));
            }
        }
    }
    wrong
}
