//! `expect.yaml`: what the answer to a scenario must have, derived by hand.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

/// Facts that the answer must have. A list under `verdict` or `first` means that any of
/// them is right.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct Expect {
    exit: u8,
    verdict: Value,
    action: Option<String>,
    first: Value,
    certainty: Option<String>,
    recovers: Option<String>,
    also: Vec<String>,
    /// Words that the first cause's sentences, evidence or things must contain.
    says: Vec<String>,
    /// Words that the first cause's fix must contain.
    fix: Vec<String>,
    /// Words that some fix, or a step to look further, must contain.
    steps: Vec<String>,
    not: Vec<String>,
    not_words: Vec<String>,
    /// Words on stderr, for a command that ends without an answer.
    stderr: Vec<String>,
}

impl Expect {
    /// Reads `expect.yaml` of a scenario folder.
    pub(crate) fn read(dir: &Path) -> Result<Self, String> {
        let text =
            std::fs::read_to_string(dir.join("expect.yaml")).map_err(|e| format!("expect.yaml: {e}"))?;
        serde_yaml::from_str(&text).map_err(|e| format!("expect.yaml: {e}"))
    }

    /// True if the command must end with a report.
    pub(crate) fn wants_report(&self) -> bool {
        self.verdict != Value::Null
    }

    /// Every cause id in the file.
    pub(crate) fn ids(&self) -> Vec<String> {
        [one_or_more(&self.first), self.also.clone(), self.not.clone()].concat()
    }

    /// What is wrong with how the command ended.
    pub(crate) fn ending(&self, code: Option<i32>, stderr: &str) -> Vec<String> {
        let mut wrong = Vec::new();
        if code != Some(i32::from(self.exit)) {
            wrong.push(format!("exit code {code:?}, expected {}; stderr: {}", self.exit, stderr.trim()));
        }
        let silent = self.stderr.iter().filter(|word| !stderr.contains(word.as_str()));
        wrong.extend(silent.map(|word| format!("stderr does not say {word:?}")));
        wrong
    }

    /// What is wrong with the report.
    pub(crate) fn report(&self, report: &Value) -> Vec<String> {
        let causes = list(report, "causes");
        let named: Vec<&str> = causes.iter().map(|c| text(c, "id")).collect();
        let mut wrong = Vec::new();
        let mut hold = |right: bool, what: String| wrong.extend((!right).then_some(what));

        let verdict = text(report, "verdict");
        hold(one_or_more(&self.verdict).iter().any(|v| v == verdict), format!("verdict {verdict}"));
        hold(report.get("exitCode") == Some(&Value::from(self.exit)), "exitCode in the report".into());
        if let Some(action) = &self.action {
            hold(text(report, "action") == action, format!("action {}", text(report, "action")));
        }
        if verdict == "working" {
            hold(report.get("progress").is_some_and(Value::is_object), "working without progress".into());
        }
        for cause in causes {
            hold(!fix(cause).is_empty(), format!("{} has no fix", text(cause, "id")));
        }
        for id in &self.also {
            hold(named.contains(&id.as_str()), format!("{id} is not named, but {named:?}"));
        }
        for id in &self.not {
            hold(!named.contains(&id.as_str()), format!("{id} must not be named"));
        }
        let loud: Vec<String> = causes.iter().flat_map(|c| [told(c, false), fix(c)].concat()).collect();
        for word in &self.not_words {
            hold(!contains(&loud, word), format!("{word:?} must not be in any cause"));
        }
        let last_steps = list(report, "verify").iter().flat_map(step);
        let steps: Vec<String> = causes.iter().flat_map(fix).chain(last_steps).collect();
        for word in &self.steps {
            hold(contains(&steps, word), format!("no step has {word:?}"));
        }
        if self.exit == 0 {
            hold(causes.is_empty(), format!("causes {named:?} where nothing is wrong"));
        } else if verdict != "cause-unknown" {
            wrong.extend(self.first_cause(causes));
        }
        wrong
    }

    fn first_cause(&self, causes: &[Value]) -> Vec<String> {
        let right = one_or_more(&self.first);
        let Some(first) = causes.first() else { return vec![format!("no cause, expected {right:?}")] };
        let mut wrong = Vec::new();
        let mut hold = |right: bool, what: String| wrong.extend((!right).then_some(what));

        hold(
            right.iter().any(|id| id == text(first, "id")),
            format!("first {}, not {right:?}", text(first, "id")),
        );
        for (field, wanted) in [("certainty", &self.certainty), ("recovers", &self.recovers)] {
            if let Some(wanted) = wanted {
                hold(text(first, field) == wanted, format!("{field} {}, not {wanted}", text(first, field)));
            }
        }
        // Where several first causes are right, any of them may carry the words.
        let several = right.len() > 1;
        let speakers: Vec<&Value> = if several {
            causes.iter().filter(|c| right.iter().any(|id| id == text(c, "id"))).collect()
        } else {
            vec![first]
        };
        let says: Vec<String> = speakers.iter().flat_map(|c| told(c, true)).collect();
        for word in &self.says {
            hold(contains(&says, word), format!("{word:?} is not said"));
        }
        let fixes: Vec<String> = if several {
            causes.iter().flat_map(fix).collect()
        } else {
            speakers.iter().flat_map(|c| fix(c)).collect()
        };
        for word in &self.fix {
            hold(contains(&fixes, word), format!("no fix has {word:?}"));
        }
        wrong
    }
}

/// The id of the first cause, or the verdict where there is none.
pub(crate) fn headline(report: &Value) -> String {
    list(report, "causes").first().map_or_else(|| text(report, "verdict"), |c| text(c, "id")).to_owned()
}

/// Sentences and things of a cause, with or without its evidence.
fn told(cause: &Value, with_evidence: bool) -> Vec<String> {
    let mut words: Vec<String> = strings(cause.get("says")).collect();
    words.extend(list(cause, "about").iter().flat_map(|thing| strings(Some(thing))));
    if with_evidence {
        words.extend(list(cause, "evidence").iter().flat_map(|e| strings(Some(e))));
    }
    words
}

fn fix(cause: &Value) -> Vec<String> {
    cause.get("fix").map(|f| list(f, "steps").iter().flat_map(step).collect()).unwrap_or_default()
}

fn step(step: &Value) -> impl Iterator<Item = String> {
    strings(Some(step))
}

fn contains(texts: &[String], word: &str) -> bool {
    let word = word.to_lowercase();
    texts.iter().any(|t| t.to_lowercase().contains(&word))
}

fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn list<'v>(value: &'v Value, field: &str) -> &'v [Value] {
    value.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn one_or_more(value: &Value) -> Vec<String> {
    strings(Some(value)).collect()
}

/// Every string in a value, however deep.
fn strings(value: Option<&Value>) -> Box<dyn Iterator<Item = String> + '_> {
    match value {
        Some(Value::String(text)) => Box::new(std::iter::once(text.clone())),
        Some(Value::Array(all)) => Box::new(all.iter().flat_map(|v| strings(Some(v)))),
        Some(Value::Object(all)) => Box::new(all.values().flat_map(|v| strings(Some(v)))),
        _ => Box::new(std::iter::empty()),
    }
}
