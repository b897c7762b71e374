//! Fills a fix with the ids of this cluster.

use std::collections::BTreeMap;

use super::order::Found;
use crate::causes::{Finding, Step};
use crate::model::Snapshot;
use crate::report::{CauseReport, FixReport, Step as FilledStep};

/// The findings as they are reported.
pub(super) fn causes(snapshot: &Snapshot<'_>, findings: &[Found]) -> Vec<CauseReport> {
    findings
        .iter()
        .map(|found| {
            let finding = &found.finding;
            CauseReport {
                id: found.cause.id,
                title: found.cause.title,
                certainty: finding.certainty,
                says: finding.says.clone(),
                recovers: finding.recovers,
                recovers_says: finding.recovers_says.clone(),
                about: finding.about.clone(),
                evidence: finding.evidence.clone(),
                fix: FixReport {
                    risk: finding.risk.unwrap_or(found.cause.fix.risk),
                    steps: steps(snapshot, finding, found.cause.fix.steps),
                },
                consequences: found.consequences.clone(),
            }
        })
        .collect()
}

fn steps(snapshot: &Snapshot<'_>, finding: &Finding, steps: &[Step]) -> Vec<FilledStep> {
    let wanted = steps.iter().filter(|step| {
        step.when.is_none_or(|flag| finding.flags.contains(flag))
            && step.unless.is_none_or(|flag| !finding.flags.contains(flag))
    });
    wanted.map(|step| fill(snapshot, finding, step)).collect()
}

fn fill(snapshot: &Snapshot<'_>, finding: &Finding, step: &Step) -> FilledStep {
    let values = base(snapshot);
    let each = step.each.and_then(|name| finding.values.get(name)).cloned().unwrap_or_default();
    let one = |text: &str| replace(text, &values, &finding.values);
    let run = if step.each.is_some() {
        each.iter()
            .flat_map(|value| step.run.iter().map(|line| one(&line.replace("{each}", value))))
            .collect()
    } else {
        step.run.iter().map(|line| one(line)).collect()
    };
    FilledStep { say: one(step.say), run }
}

/// Placeholders that every fix may use.
pub(super) const BASE: [&str; 5] = ["cluster", "uuid", "stack_id", "project_id", "namespace"];

fn base(snapshot: &Snapshot<'_>) -> BTreeMap<&'static str, String> {
    let unknown = |what: &str| format!("<{what}>");
    let name = snapshot.magnum.cluster.and_then(|c| c.str("name")).unwrap_or(&snapshot.asked_for);
    let values = [
        name.to_owned(),
        snapshot.marks.uuid.clone().unwrap_or_else(|| unknown("Magnum UUID")),
        snapshot.marks.stack_id.clone().unwrap_or_else(|| unknown("stack id")),
        snapshot.project_id().map_or_else(|| unknown("project id"), str::to_owned),
        snapshot.marks.namespace.clone(),
    ];
    BASE.into_iter().zip(values).collect()
}

/// Several values of one placeholder are joined with a comma.
fn replace(text: &str, base: &BTreeMap<&str, String>, values: &BTreeMap<&str, Vec<String>>) -> String {
    let mut text = text.to_owned();
    for (name, value) in base {
        text = text.replace(&format!("{{{name}}}"), value);
    }
    for (name, value) in values {
        text = text.replace(&format!("{{{name}}}"), &value.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::causes::{ALL, Look};

    /// `{name}` in a text; shell braces of other shapes are not placeholders.
    fn placeholders(text: &str) -> Vec<String> {
        let found = text.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
        found
            .map(|(name, _)| name.to_owned())
            .filter(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_'))
            .collect()
    }

    #[test]
    fn fixes_use_only_placeholders_that_will_be_filled() {
        let mut ids = BTreeSet::new();
        for cause in ALL {
            assert!(ids.insert(cause.id), "{} is twice in the table", cause.id);
            assert!(
                cause.id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
                "{}",
                cause.id
            );
            for heading in ["### What happens", "### How it is recognised", "### Sources"] {
                assert!(cause.doc.contains(heading), "{}: the doc lacks {heading}", cause.id);
            }
            assert!(!cause.fix.steps.is_empty(), "{} has no fix", cause.id);
            for step in cause.fix.steps {
                let texts = step.run.iter().chain([&step.say]);
                for name in texts.flat_map(|t| placeholders(t)) {
                    let known = super::BASE.contains(&name.as_str())
                        || (name == "each" && step.each.is_some())
                        || (matches!(cause.look, Look::Code(_)) && cause.values.contains(&name.as_str()));
                    assert!(known, "{}: placeholder {{{name}}} is never filled", cause.id);
                }
                if let Some(each) = step.each {
                    assert!(cause.values.contains(&each), "{}: no values named {each}", cause.id);
                }
            }
            for other in cause.explains {
                assert!(ALL.iter().any(|c| c.id == *other), "{} explains unknown {other}", cause.id);
            }
        }
    }

    /// The file of a cause is named after it, and each file under `causes/` is in the table.
    #[test]
    fn the_table_and_the_folder_agree() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/causes");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .filter_map(|e| Some(e.unwrap().file_name().to_str()?.strip_suffix(".rs")?.replace('_', "-")))
            .filter(|name| !["mod", "kit", "table", "testing"].contains(&name.as_str()))
            .collect();
        let ids: BTreeSet<String> = ALL.iter().map(|c| c.id.to_owned()).collect();
        assert_eq!(files, ids);
    }
}
