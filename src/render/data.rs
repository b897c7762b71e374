//! The report for a program: as it stands, in the order of its fields.

use super::clean;

/// Pretty JSON.
pub(super) fn json(report: &impl serde::Serialize) -> String {
    // A report is made of strings, numbers and lists; none of its keys can fail to be a string.
    let text = serde_json::to_string_pretty(report).unwrap_or_else(|error| failed(&error.to_string()));
    format!("{}\n", armour(&text))
}

/// YAML, with the same keys.
pub(super) fn yaml(report: &impl serde::Serialize) -> String {
    serde_yaml::to_string(report).unwrap_or_else(|error| failed(&error.to_string()))
}

/// What a program gets in place of a report, should a serializer ever refuse one.
fn failed(error: &str) -> String {
    serde_json::json!({ "error": format!("writing the report: {error}") }).to_string()
}

/// Writes as `\u…` what a terminal could take for an order, or would not show. `serde_json` does so only
/// below U+0020; the rest can stand nowhere but inside strings, so it can be replaced after the fact.
fn armour(json: &str) -> String {
    let mut armoured = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '\n' || clean::is_plain(c) {
            armoured.push(c);
        } else {
            let mut units = [0; 2];
            armoured.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    armoured
}
