//! Every stored report against the JSON Schema that other programs read.
#![expect(clippy::unwrap_used, reason = "a test ends loudly")]

#[path = "support/folders.rs"]
mod folders;

use serde_json::Value;

fn read(path: &std::path::Path) -> Option<Value> {
    Some(serde_json::from_str(&std::fs::read_to_string(path).ok()?).unwrap())
}

/// Holds the stored reports of one name against a schema.
fn check(schema: &str, report: &str, least: usize, kind: &str) {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    let schema = jsonschema::validator_for(&read(&root.join(schema)).unwrap()).unwrap();
    let mut complaints = Vec::new();
    let mut seen = 0;
    for dir in folders::all() {
        let Some(report) = read(&dir.join(report)) else { continue };
        seen += 1;
        let wrong = schema
            .iter_errors(&report)
            .map(|e| format!("{}: {} at {}", folders::name(&dir), e, e.instance_path()));
        complaints.extend(wrong);
    }
    assert!(seen > least, "only {seen} reports were found");
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    let other = serde_json::json!({"apiVersion": "kubectl-magnum/v1alpha1", "kind": kind});
    assert!(!schema.is_valid(&other), "a report without a verdict fits the schema");
}

#[test]
fn stored_reports_fit_the_schema() {
    check("why-report.json", "expected.json", 60, "WhyReport");
    check("leftovers-report.json", "leftovers.json", 15, "LeftoversReport");
}
