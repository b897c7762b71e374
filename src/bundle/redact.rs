//! Takes out what must not be kept or shown. Pure, and the same when done twice.
//!
//! Ids, names and addresses stay, for they are what an operator needs. When in doubt
//! whether a value is a secret, it goes: no cause reads one.

mod text;

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::meta::Meta;

/// What stands in place of a secret.
pub const MASK: &str = "REDACTED";

/// Annotation in which `kubectl apply` keeps the whole object, data of Secrets included.
pub(super) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Topology variables that are masked whole. They are base64 of proxy settings with
/// passwords in them, of `cloud.conf` with the application credential, and of containerd
/// settings with registry logins. vexxhost/magnum-cluster-api, `magnum_cluster_api/resources.py`.
const VARIABLES: [&str; 4] =
    ["systemdProxyConfig", "aptProxyConfig", "cloudControllerManagerConfig", "containerdConfig"];

/// Keys of cloud-init in a kubeadm config of which every entry is masked.
/// kubernetes-sigs/cluster-api, `bootstrap/kubeadm` API, `KubeadmConfigSpec`.
const COMMANDS: [&str; 4] = ["preKubeadmCommands", "postKubeadmCommands", "bootCommands", "users"];

/// Any free text: a log, a message, an annotation.
#[must_use]
pub fn text(text: &str) -> Cow<'_, str> {
    text::mask(text)
}

/// A Kubernetes object.
pub fn object(value: &mut Value) {
    kubernetes(value);
}

/// One body of an OpenStack answer. `part` is its part, `openstack/compute/servers`.
pub fn body(part: &str, value: &mut Value) {
    openstack(value, part.starts_with("openstack/container-infra/"));
}

/// The index of a bundle: URLs with passwords in them, and what servers said.
pub fn meta(meta: &mut Meta) {
    let Meta { tool, command, asked_for, target, namespace, login, source, endpoints, .. } = meta;
    let optional = [&mut target.uuid, &mut target.stack_id, &mut target.project_id]
        .into_iter()
        .chain([&mut login.project_id, &mut login.region])
        .chain([&mut source.context, &mut source.api_server, &mut source.cloud])
        .flatten();
    let plain = [tool, command, asked_for, namespace].into_iter().chain(endpoints.values_mut());
    let lists = meta.read.iter_mut().chain(&mut meta.notes).chain(&mut login.roles);
    let missing = meta.missing.iter_mut().flat_map(|m| [&mut m.part, &mut m.id]);
    let gaps = meta.gaps.iter_mut().flat_map(|g| [&mut g.part, &mut g.says]);
    for field in optional.chain(plain).chain(lists).chain(missing).chain(gaps) {
        string(field);
    }
}

fn kubernetes(value: &mut Value) {
    match value {
        Value::Object(map) => {
            mask_secret(map);
            if let Some(Value::String(name)) = map.get("name")
                && (VARIABLES.contains(&name.as_str()) || is_secret(name))
                && let Some(value) = map.get_mut("value")
            {
                mask(value);
            }
            for (key, value) in map {
                match key.as_str() {
                    LAST_APPLIED => mask(value),
                    key if COMMANDS.contains(&key) => mask_below(value),
                    "files" => {
                        mask_contents(value);
                        kubernetes(value);
                    }
                    key if is_secret(key) && value.is_string() => mask(value),
                    _ => kubernetes(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(kubernetes),
        Value::String(text) => string(text),
        _ => {}
    }
}

/// Data of a Secret. Items of a typed List say no kind, so an object without one may be one.
fn mask_secret(map: &mut Map<String, Value>) {
    let may_be = match map.get("kind").and_then(Value::as_str) {
        Some(kind) => kind == "Secret",
        None => map.contains_key("metadata"),
    };
    for key in ["data", "stringData"].into_iter().filter(|_| may_be) {
        if let Some(data) = map.get_mut(key) {
            mask_below(data);
        }
    }
}

/// `files[].content` of a kubeadm config; where the files go stays.
fn mask_contents(files: &mut Value) {
    for file in files.as_array_mut().into_iter().flatten() {
        if let Some(content) = file.get_mut("content") {
            mask(content);
        }
    }
}

fn openstack(value: &mut Value, magnum: bool) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                if is_secret(key) && !value.is_object() && !value.is_array() {
                    mask(value);
                } else if magnum && key.starts_with("labels") {
                    mask_proxies(value);
                    openstack(value, magnum);
                } else {
                    openstack(value, magnum);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| openstack(item, magnum)),
        Value::String(text) => string(text),
        _ => {}
    }
}

/// Labels of a Magnum cluster or template that become proxy settings of its nodes.
fn mask_proxies(labels: &mut Value) {
    for key in ["http_proxy", "https_proxy"] {
        if let Some(value) = labels.get_mut(key) {
            mask(value);
        }
    }
}

/// Whether a key of this name has a secret for a value, whoever wrote the document.
fn is_secret(key: &str) -> bool {
    let plain: String =
        key.rsplit(':').next().unwrap_or(key).chars().filter(char::is_ascii_alphanumeric).collect();
    let plain = plain.to_ascii_lowercase();
    // Names of Secrets, keys in them and times at which passwords end are no secrets.
    matches!(plain.as_str(), "secret" | "userdata" | "passwd" | "psk" | "certificatekey" | "authorization")
        || ["password", "passphrase", "token", "adminpass", "privatekey", "secretkey", "accesskey", "apikey"]
            .iter()
            .any(|ending| plain.ends_with(ending))
        || (plain.ends_with("secret") && !plain.ends_with("datasecret"))
}

fn string(text: &mut String) {
    if let Cow::Owned(masked) = text::mask(text) {
        *text = masked;
    }
}

/// Masks a value unless there is nothing in it: that something is set may matter.
fn mask(value: &mut Value) {
    let empty = match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        _ => false,
    };
    if !empty {
        *value = Value::from(MASK);
    }
}

/// Masks every entry of a map or list, so that their number and names stay.
fn mask_below(value: &mut Value) {
    match value {
        Value::Object(map) => map.values_mut().for_each(mask),
        Value::Array(items) => items.iter_mut().for_each(mask),
        other => mask(other),
    }
}

#[cfg(test)]
#[path = "redact_test.rs"]
mod tests;
