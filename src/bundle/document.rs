//! From the bytes of one YAML or JSON file to values, without ever quoting the file.

use serde_json::Value;
use serde_yaml::options::{DuplicateKeyPolicy, NonFiniteFloatPolicy};

/// The documents of a file; `null` documents (a trailing `---`) are left out.
/// The error says where the file stops making sense, never what stands there.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<Value>, String> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(e) => return Err(format!("not UTF-8 from byte {} on", e.valid_up_to())),
    };
    let mut documents = if looks_like_json(text) {
        // Flow style YAML begins like JSON and is not.
        json(text).or_else(|says| yaml(text).map_err(|_| says))?
    } else {
        yaml(text)?
    };
    documents.retain(|d| !d.is_null());
    if documents.is_empty() { Err("holds no document".to_owned()) } else { Ok(documents) }
}

fn looks_like_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

fn json(text: &str) -> Result<Vec<Value>, String> {
    serde_json::Deserializer::from_str(text)
        .into_iter()
        .collect::<Result<_, _>>()
        .map_err(|e| format!("not JSON at line {}, column {}", e.line(), e.column()))
}

fn yaml(text: &str) -> Result<Vec<Value>, String> {
    serde_yaml::from_multiple_with_options(text, options(text.len())).map_err(|e| match e.location() {
        Some(at) => format!("not YAML at line {}, column {}", at.line(), at.column()),
        None => "not YAML, or aliases without end".to_owned(),
    })
}

/// Untyped values as YAML 1.2 has them, which is what kubectl and serde write: `no` and
/// `0123` are strings. Sizes follow the file's, so that only aliases can break them.
pub(super) fn options(size: usize) -> serde_yaml::Options {
    serde_yaml::options! {
        with_snippet: false,
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
        alias_limits: serde_yaml::alias_limits! { max_total_replayed_events: 100_000 },
        budget: serde_yaml::budget! {
            max_events: size.saturating_add(100_000),
            max_nodes: size.saturating_add(100_000),
            max_documents: size,
            max_total_scalar_bytes: size.saturating_mul(2).saturating_add(65_536),
            max_depth: 96,
        },
    }
}
