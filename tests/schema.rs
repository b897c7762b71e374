//! Every stored report against the JSON Schema that other programs read.
#![expect(clippy::unwrap_used, reason = "a test ends loudly")]

#[path = "support/folders.rs"]
mod folders;

use serde_json::Value;

fn read(path: &std::path::Path) -> Option<Value> {
    Some(serde_json::from_str(&std::fs::read_to_string(path).ok()?).unwrap())
}

#[test]
fn stored_reports_fit_the_schema() {
    let schema =
        read(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/why-report.json")).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let mut complaints = Vec::new();
    let mut seen = 0;
    for dir in folders::all() {
        let Some(report) = read(&dir.join("expected.json")) else { continue };
        seen += 1;
        let wrong = schema
            .iter_errors(&report)
            .map(|e| format!("{}: {} at {}", folders::name(&dir), e, e.instance_path()));
        complaints.extend(wrong);
    }
    assert!(seen > 60, "only {seen} reports were found");
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    let other = serde_json::json!({"apiVersion": "kubectl-magnum/v1alpha1", "kind": "WhyReport"});
    assert!(!schema.is_valid(&other), "a report without a verdict fits the schema");
}
