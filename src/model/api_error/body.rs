//! The bodies with which the services explain themselves.

use crate::model::escape::unescape;
use serde_json::Value;

/// What a body says.
#[derive(Default)]
pub(super) struct Body {
    /// Neutron's type, or the reason of a Kubernetes Status.
    pub(super) kind: Option<String>,
    /// The sentence.
    pub(super) text: Option<String>,
    /// It is a Status of Kubernetes.
    pub(super) kubernetes: bool,
}

/// Reads the body that a text starts with and returns the text behind it. A body that is no JSON, or JSON that
/// was cut off (an event's message ends at 1024 characters), is taken up to `limit`, where the next error starts.
pub(super) fn read(text: &str, limit: usize) -> (Body, &str) {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    if text.starts_with(['{', '['])
        && let Some(Ok(value)) = values.next()
    {
        let rest = text.get(values.byte_offset()..).unwrap_or_default();
        return (explain(&value), rest);
    }
    let (piece, rest) = text.split_at_checked(limit.min(text.len())).unwrap_or((text, ""));
    if piece.starts_with('{') {
        let body = Body { kind: string_after(piece, "\"type\""), text: cut_off(piece), kubernetes: false };
        return (body, rest);
    }
    (Body { text: html(piece).or_else(|| super::sentence(piece)), ..Body::default() }, rest)
}

/// The sentence of a body that was cut off.
fn cut_off(piece: &str) -> Option<String> {
    ["\"message\"", "\"faultstring\"", "\"detail\""].iter().find_map(|key| string_after(piece, key))
}

/// The string behind a key, as far as it goes.
fn string_after(text: &str, key: &str) -> Option<String> {
    let value = text.split_once(key)?.1.trim_start().strip_prefix(':')?.trim_start();
    let (value, _) = crate::model::escape::quoted(value)?;
    (!value.is_empty()).then_some(value)
}

/// The title of an error page of a proxy.
fn html(piece: &str) -> Option<String> {
    let lower = piece.to_ascii_lowercase();
    let page = lower.trim_start().starts_with('<');
    let title = |open: &str, close: &str| {
        let start = lower.find(open)? + open.len();
        let end = start + lower.get(start..)?.find(close)?;
        super::sentence(piece.get(start..end)?.trim())
    };
    if page { title("<title>", "</title>").or_else(|| title("<h1>", "</h1>")) } else { None }
}

/// What a body of JSON says, by the shapes of the services.
fn explain(value: &Value) -> Body {
    let string = |value: &Value, key: &str| {
        value.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty()).map(str::to_owned)
    };
    let said = |value: &Value| string(value, "message").or_else(|| string(value, "detail"));
    if value.get("kind").and_then(Value::as_str) == Some("Status") {
        return Body { kind: string(value, "reason"), text: string(value, "message"), kubernetes: true };
    }
    // Octavia (wsme): {"faultcode": …, "faultstring": …}
    if let Some(text) = string(value, "faultstring") {
        return Body { text: Some(text), ..Body::default() };
    }
    // Neutron: {"NeutronError": {"type": …}}, or a bare text, or the same without its envelope.
    if let Some(error) = value.get("NeutronError") {
        let text = error.as_str().map(str::to_owned).or_else(|| said(error));
        return Body { kind: string(error, "type"), text, kubernetes: false };
    }
    if value.get("type").is_some_and(Value::is_string) && value.get("message").is_some() {
        return Body { kind: string(value, "type"), text: said(value), kubernetes: false };
    }
    // Magnum: {"errors": [{"title": …, "detail": …}]}
    if let Some(error) = value.get("errors").and_then(|errors| errors.get(0)) {
        let text = string(error, "detail").or_else(|| string(error, "title")).map(|text| inner(&text));
        return Body { text, ..Body::default() };
    }
    // Keystone, Nova and Cinder: one key with code and message inside.
    let inside = value.as_object().and_then(|fields| fields.values().find(|field| field.is_object()));
    let text = inside.and_then(said).or_else(|| said(value)).or_else(|| string(value, "error"));
    Body { text: text.or_else(|| value.as_str().map(str::to_owned)), ..Body::default() }
}

/// Magnum passes the answer of another service on as text in its own detail.
fn inner(text: &str) -> String {
    match serde_json::from_str::<Value>(text.trim()) {
        Ok(value @ Value::Object(_)) => explain(&value).text.unwrap_or_else(|| text.to_owned()),
        _ if text.contains("\\\"") => unescape(text),
        _ => text.to_owned(),
    }
}
