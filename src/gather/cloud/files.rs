//! Which clouds.yaml, secure.yaml and clouds-public.yaml count, and what they say.
//!
//! Rules of openstacksdk, `openstack/config/loader.py`: of each kind the first file that can
//! be read; one that does not parse is passed over with a warning.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::exit::{Failure, code};
use crate::gather::host::Host;
use crate::gather::yaml;

/// What the files say together. It has no `Debug`: secrets are in it.
#[derive(Default)]
pub struct Files {
    /// Clouds by name, secure.yaml merged in.
    pub clouds: Map<String, Value>,
    /// Profiles of clouds-public.yaml by name.
    pub profiles: Map<String, Value>,
    /// The clouds file that was used.
    pub path: Option<PathBuf>,
    /// Files that were passed over, and why, without their content.
    pub notes: Vec<String>,
}

/// Reads the files that openstacksdk would read.
///
/// # Errors
/// A file is read and is not a mapping, as openstacksdk refuses it too.
pub fn read(host: &Host) -> Result<Files, Failure> {
    let mut files = Files::default();
    let main = first(host, "clouds", "OS_CLIENT_CONFIG_FILE", &mut files.notes);
    let secure = first(host, "secure", "OS_CLIENT_SECURE_FILE", &mut files.notes);
    let public = first(host, "clouds-public", "", &mut files.notes);
    for (path, content) in main.iter().chain(&secure) {
        if !content.is_object() {
            let what = format!("read {}: it is empty or not a mapping", path.display());
            return Err(Failure::new(code::NO_SOURCE, what).hint("it must have a 'clouds' key"));
        }
    }
    if let Some((path, content)) = main {
        if content.get("clouds").is_none() {
            files.notes.push(format!("{} has no 'clouds' key", path.display()));
        }
        files.clouds = section(content, "clouds");
        files.path = Some(path);
    }
    if let Some((_, content)) = secure {
        merge(&mut files.clouds, section(content, "clouds"));
    }
    if let Some((_, content)) = public {
        files.profiles = section(content, "public-clouds");
    }
    Ok(files)
}

/// Folders that are searched, first to last.
#[must_use]
pub fn folders(host: &Host) -> Vec<PathBuf> {
    let mut all = vec![host.cwd.clone()];
    let config = host.var("XDG_CONFIG_HOME").map(PathBuf::from);
    all.extend(config.map(|folder| folder.join("openstack")));
    if let Some(home) = &host.home {
        if cfg!(target_os = "macos") {
            all.push(home.join("Library").join("Application Support").join("openstack"));
        }
        all.push(home.join(".config").join("openstack"));
    }
    all.extend(host.site.iter().cloned());
    all
}

fn first(host: &Host, stem: &str, variable: &str, notes: &mut Vec<String>) -> Option<(PathBuf, Value)> {
    if let Some(named) = host.var(variable) {
        let path = host.path(named);
        if !path.exists() {
            notes.push(format!("{variable} names {}, which does not exist", path.display()));
        }
        if let Some(content) = open(&path, notes) {
            return Some((path, content));
        }
    }
    let names = ["yaml", "yml", "json"].map(|ending| format!("{stem}.{ending}"));
    for folder in folders(host) {
        for name in &names {
            let path = folder.join(name);
            if let Some(content) = open(&path, notes) {
                return Some((path, content));
            }
        }
    }
    None
}

fn open(path: &Path, notes: &mut Vec<String>) -> Option<Value> {
    if !path.exists() {
        return None;
    }
    let read = std::fs::read_to_string(path).map_err(|error| error.to_string());
    match read.and_then(|text| parse(&text)) {
        Ok(content) => Some(content),
        Err(why) => {
            notes.push(format!("{} was passed over: {why}", path.display()));
            None
        }
    }
}

fn parse(text: &str) -> Result<Value, String> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    let mut content: Value = yaml::document(text)?;
    if let Ok(written) = yaml::document::<Written>(text) {
        for (cloud, parts) in written.clouds {
            for (key, words) in parts.auth {
                let slot =
                    content.get_mut("clouds").and_then(|c| c.get_mut(&cloud)?.get_mut("auth")?.get_mut(&key));
                if let (Some(slot @ (Value::Number(_) | Value::Bool(_) | Value::String(_))), Some(words)) =
                    (slot, words)
                {
                    *slot = Value::String(words);
                }
            }
        }
    }
    Ok(content)
}

/// The same file with the credentials as they are written: a password such as `1e5` or
/// `00012` is a text and must not be rounded to a number.
#[derive(Deserialize)]
struct Written {
    #[serde(default)]
    clouds: BTreeMap<String, WrittenCloud>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WrittenCloud {
    auth: BTreeMap<String, Option<String>>,
}

fn section(content: Value, key: &str) -> Map<String, Value> {
    match content {
        Value::Object(mut map) => match map.remove(key) {
            Some(Value::Object(section)) => section,
            _ => Map::new(),
        },
        _ => Map::new(),
    }
}

/// Lays `new` over `old`, maps inside of maps too.
pub fn merge(old: &mut Map<String, Value>, new: Map<String, Value>) {
    for (key, value) in new {
        match (old.get_mut(&key), value) {
            (Some(Value::Object(inner)), Value::Object(value)) => merge(inner, value),
            (_, value) => {
                old.insert(key, value);
            }
        }
    }
}
