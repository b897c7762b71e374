//! A bundle onto the disk: a new folder, or a new `.tar.gz`.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use super::source::plain;
use super::{Bundle, Meta, Object};
use crate::exit::{Failure, code};

/// One file of a bundle that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Path from the bundle's root.
    pub path: String,
    /// Size in bytes, unpacked.
    pub bytes: u64,
}

/// Writes a bundle to `path`: as an archive if it ends in `.tar.gz` or `.tgz`, else as a folder.
/// The bundle is written as it is, so it must have been redacted.
///
/// # Errors
/// If something lies at `path` already, other than an empty folder, or it cannot be written.
pub fn write(bundle: &Bundle, path: &Path) -> Result<Vec<Written>, Failure> {
    let failed = |e: &dyn std::fmt::Display| {
        Failure::new(code::USAGE, format!("write the bundle {}: {e}", plain(&path.to_string_lossy())))
    };
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let archive = name.ends_with(".tar.gz") || name.ends_with(".tgz");
    let free = match fs::read_dir(path) {
        Ok(mut entries) => !archive && entries.next().is_none(),
        Err(e) => e.kind() == io::ErrorKind::NotFound,
    };
    if !free {
        return Err(failed(&"it exists already").hint("name a path where nothing is yet"));
    }
    let files = files(bundle).map_err(|e| failed(&e))?;
    let written = if archive { pack(&files, bundle, path) } else { lay_out(&files, path) };
    written.map_err(|e| failed(&e.kind()))?;
    let sizes = files.into_iter().map(|(path, bytes)| Written { path, bytes: bytes.len() as u64 });
    Ok(sizes.collect())
}

fn lay_out(files: &BTreeMap<String, Vec<u8>>, root: &Path) -> io::Result<()> {
    fs::create_dir_all(root)?;
    for (path, bytes) in files {
        let path = root.join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::File::create_new(path)?.write_all(bytes)?;
    }
    Ok(())
}

/// The same bundle gives the same bytes: files are as old as the bundle.
fn pack(files: &BTreeMap<String, Vec<u8>>, bundle: &Bundle, path: &Path) -> io::Result<()> {
    let age = bundle.meta.taken_at.and_then(|t| u64::try_from(t.as_second()).ok()).unwrap_or(0);
    let packer = GzEncoder::new(fs::File::create_new(path)?, Compression::default());
    let mut archive = tar::Builder::new(packer);
    for (path, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(age);
        archive.append_data(&mut header, path, bytes.as_slice())?;
    }
    archive.into_inner()?.finish()?.flush()
}

/// Every file of the bundle by its path.
fn files(bundle: &Bundle) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let mut files = BTreeMap::new();
    let mut holds = bundle.documents();
    holds.retain(|part, _| bundle.meta.read.contains(part));
    add(&mut files, "bundle", "yaml", yaml(&Meta { holds, ..bundle.meta.clone() })?);
    for object in &bundle.objects {
        add(&mut files, &place(object), "yaml", yaml(&object.value)?);
    }
    for body in &bundle.bodies {
        let part: Vec<String> = body.part.split('/').map(safe).collect();
        add(&mut files, &part.join("/"), "json", json(&body.value)?);
    }
    for log in &bundle.logs {
        let [namespace, pod, container] = [&log.namespace, &log.pod, &log.container].map(|n| safe(n));
        let which = if log.previous { "previous" } else { "current" };
        let path = format!("kubernetes/namespaces/{namespace}/v1/pod/{pod}/{container}/{which}");
        files.insert(format!("{path}.log"), log.text.clone().into_bytes());
    }
    for (server, text) in &bundle.consoles {
        files.insert(format!("openstack/compute/console/{}.log", safe(server)), text.clone().into_bytes());
    }
    if !bundle.workload.is_empty() {
        let list = serde_json::json!({"items": bundle.workload});
        add(&mut files, "workload/objects", "json", json(&list)?);
    }
    Ok(files)
}

/// Where the archives of crust-gather have an object, without extension.
fn place(object: &Object) -> String {
    let text = |p| object.value.pointer(p).and_then(Value::as_str).unwrap_or_default();
    let version = safe(&text("/apiVersion").replace('/', "-").to_lowercase());
    let kind = safe(object.part.strip_prefix("kubernetes/").unwrap_or(&object.part));
    let name = safe(text("/metadata/name"));
    match text("/metadata/namespace") {
        "" => format!("kubernetes/cluster/{version}/{kind}/{name}"),
        namespace => format!("kubernetes/namespaces/{}/{version}/{kind}/{name}", safe(namespace)),
    }
}

/// Adds a file; the second of a name gets a `-2`, which for a body says its page.
fn add(files: &mut BTreeMap<String, Vec<u8>>, stem: &str, ext: &str, bytes: Vec<u8>) {
    let mut path = format!("{stem}.{ext}");
    let mut page = 1;
    while files.contains_key(&path) {
        page += 1;
        path = format!("{stem}-{page}.{ext}");
    }
    files.insert(path, bytes);
}

/// A name that strangers chose as a name of a file: no way out of the folder it goes to.
fn safe(name: &str) -> String {
    let plain: String =
        name.chars().map(|c| if c.is_control() || matches!(c, '/' | '\\') { '_' } else { c }).collect();
    if plain.is_empty() || plain.starts_with('.') { format!("_{plain}") } else { plain }
}

fn yaml(value: &impl serde::Serialize) -> Result<Vec<u8>, String> {
    serde_yaml::to_string(value).map(String::into_bytes).map_err(|e| e.to_string())
}

fn json(value: &Value) -> Result<Vec<u8>, String> {
    serde_json::to_vec_pretty(value).map_err(|e| e.to_string())
}
