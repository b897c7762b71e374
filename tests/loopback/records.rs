//! What real services answered: `tests/lab/lab.sh record` writes these again.

use serde_json::Value;

use crate::server::Reply;

/// Headers that a record may have.
const HEADERS: [&str; 8] = [
    "content-type",
    "location",
    "openstack-api-version",
    "openstack-api-minimum-version",
    "openstack-api-maximum-version",
    "retry-after",
    "www-authenticate",
    "x-openstack-request-id",
];

/// The record of that name: method, path, status, headers, body.
fn read(name: &str) -> Value {
    let path = format!("{}/tests/loopback/records/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The body of a record, `neutron/ports-page`.
pub(crate) fn body(name: &str) -> Value {
    read(name)["body"].take()
}

/// The text of a record's body.
fn text(body: &Value) -> String {
    body.as_str().map_or_else(|| body.to_string(), str::to_owned)
}

/// The answer as the service gave it.
pub(crate) fn reply(name: &str) -> Reply {
    let record = read(name);
    let status = record["status"].as_u64().and_then(|s| u16::try_from(s).ok()).expect("a status");
    let known = |header: &&'static str| record["headers"][*header].as_str().map(|v| (*header, v.to_owned()));
    let headers = HEADERS.iter().filter_map(known).collect();
    Reply::Whole { status, headers, body: text(&record["body"]) }
}

/// The message in a record's body, wherever its service puts it.
pub(crate) fn says(name: &str) -> String {
    let body = body(name);
    let places = ["/error/message", "/NeutronError/message", "/errors/0/detail", "/faultstring"];
    let found = places.iter().find_map(|place| body.pointer(place)).and_then(Value::as_str);
    found.unwrap_or_else(|| panic!("{name} says nothing")).to_owned()
}
