//! From the merged settings of a cloud to a login, TLS settings and endpoints.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::login::Login;
use super::words::{Words, text};
use crate::exit::Failure;
use crate::gather::host::Host;

/// Everything about a cloud that a session needs.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How to log in.
    pub login: Login,
    /// Region whose endpoints are used; none is whatever the catalog has first.
    pub region: Option<String>,
    /// How to check certificates.
    pub tls: Tls,
    /// Settings outside of the login: interfaces and endpoints of single services.
    services: Map<String, Value>,
}

/// How the servers' certificates are checked, and which one we show.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tls {
    /// False if certificates are not checked at all.
    pub verify: bool,
    /// File of the authority's certificates, in place of the system's.
    pub cacert: Option<PathBuf>,
    /// File of a client certificate, which may have its key in it.
    pub cert: Option<PathBuf>,
    /// File of the client certificate's key.
    pub key: Option<PathBuf>,
}

impl Settings {
    /// A setting of one service, e.g. `endpoint_override`; each of its type's names is tried.
    #[must_use]
    pub fn of_service(&self, types: &[&str], key: &str) -> Option<&Value> {
        types.iter().find_map(|kind| self.services.get(&format!("{}_{key}", kind.replace('-', "_"))))
    }

    /// The interfaces to look for in the catalog, best first: `public`, `internal`, `admin`.
    #[must_use]
    pub fn interfaces(&self, types: &[&str]) -> Vec<String> {
        let set = self.of_service(types, "interface").or_else(|| self.services.get("interface"));
        let words: Vec<&str> = match set {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(some)) => some.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let words = if words.is_empty() { vec!["public"] } else { words };
        words.into_iter().map(|word| word.strip_suffix("URL").unwrap_or(word).to_owned()).collect()
    }
}

/// Reads the settings of the cloud that is called `name`.
///
/// # Errors
/// What is configured is not enough to log in, or contradicts itself.
pub fn read(
    mut all: Map<String, Value>,
    name: &str,
    host: &Host,
    notes: &mut Vec<String>,
) -> Result<Settings, Failure> {
    let words = Words::of(&mut all, name);
    let region = text(&all, "region_name").filter(|region| !region.is_empty());
    let login = words.login(&all, host, region.as_deref(), notes)?;
    let tls = tls(&all, host, notes);
    old_interface_names(&mut all);
    // Nothing else is used, and among the rest may be secrets of other programs.
    let used = ["interface", "_endpoint", "endpoint_override", "region_name"];
    all.retain(|key, _| used.iter().any(|end| key.ends_with(end)));
    Ok(Settings { login, region, tls, services: all })
}

fn tls(all: &Map<String, Value>, host: &Host, notes: &mut Vec<String>) -> Tls {
    let path = |key: &str| text(all, key).map(|written| host.path(&written));
    let insecure = text(all, "insecure").is_some_and(|word| word.eq_ignore_ascii_case("true"));
    let verify = match all.get("verify") {
        Some(Value::Bool(verify)) => *verify && !insecure,
        _ => !insecure,
    };
    // As with Python's requests: a text is the file to check against.
    let written = all.get("verify").and_then(Value::as_str).filter(|text| !text.is_empty());
    let usual = || host.first_var(&["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"]).map(|path| host.path(path));
    let cacert = path("cacert").or_else(|| written.map(|path| host.path(path))).or_else(usual);
    if !verify {
        notes.push("the certificates of the OpenStack servers are not checked".to_owned());
    }
    Tls { verify, cacert: cacert.filter(|_| verify), cert: path("cert"), key: path("key") }
}

/// `endpoint_type` is the older name of `interface`, for all services and for one.
fn old_interface_names(all: &mut Map<String, Value>) {
    let old: Vec<String> = all.keys().filter(|key| key.ends_with("endpoint_type")).cloned().collect();
    for key in old {
        if let Some(value) = all.remove(&key) {
            all.entry(key.replace("endpoint_type", "interface")).or_insert(value);
        }
    }
}
