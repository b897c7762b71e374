//! Credential plugins of a kubeconfig: run once, with a time limit.
//!
//! The protocol is `client.authentication.k8s.io` v1 and v1beta1, as client-go speaks it
//! (`plugin/pkg/client/auth/exec/exec.go`).

use std::process::{Output, Stdio};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kube::config::{ExecConfig, ExecInteractiveMode};
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::process::Command;

use super::config;
use super::pick::Picked;
use crate::exit::{Failure, code};
use crate::gather::host::Host;
use crate::gather::yaml;

/// Key of a cluster's extension whose value a plugin gets as its configuration.
const EXTENSION: &str = "client.authentication.k8s.io/exec";

/// What a plugin prints. It has no `Debug`: everything in it is secret.
#[derive(Deserialize)]
struct Credential {
    #[serde(rename = "apiVersion")]
    version: Option<String>,
    status: Option<Status>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    token: Option<String>,
    client_certificate_data: Option<String>,
    client_key_data: Option<String>,
}

/// Runs the plugin and puts the credentials it prints into the chosen user.
///
/// # Errors
/// The plugin is not installed, wants a terminal, fails, takes too long, or prints something
/// else than credentials. What it prints on stdout is never shown.
pub async fn run(
    plugin: &ExecConfig,
    picked: &mut Picked,
    host: &Host,
    limit: Duration,
) -> Result<(), Failure> {
    let command = plugin.command.as_deref().filter(|c| !c.is_empty()).ok_or_else(|| {
        Failure::new(code::NO_SOURCE, format!("run the credential plugin of user '{}'", picked.user_name))
            .hint("its entry in the kubeconfig has no command")
    })?;
    let what = format!("run the credential plugin '{command}' of user '{}'", picked.user_name);
    let failed = |why: &str| Failure::new(code::NO_SOURCE, format!("{what}: {why}"));
    check_version(plugin).map_err(|why| failed(&why))?;
    let asks = asks_the_operator(plugin, host).map_err(|why| failed(&why).hint("run it in a terminal"))?;
    let info = exec_info(plugin, picked, host, asks)?;

    let mut child = Command::new(command);
    child.args(plugin.args.iter().flatten()).env_clear().envs(&host.env).envs(variables(plugin));
    child.env("KUBERNETES_EXEC_INFO", info.to_string()).current_dir(&host.cwd);
    child.stdin(if asks { Stdio::inherit() } else { Stdio::null() }).stdout(Stdio::piped());
    child.stderr(if asks { Stdio::inherit() } else { Stdio::piped() }).kill_on_drop(true);
    let output = match tokio::time::timeout(limit, child.output()).await {
        Ok(Ok(output)) => output,
        Ok(Err(error)) => return Err(not_started(&failed(&error.to_string()), plugin)),
        Err(_) => {
            let why = format!("no answer within {} s", limit.as_secs_f32());
            return Err(failed(&why).hint("run it by hand to see what it waits for"));
        }
    };
    if !output.status.success() {
        return Err(failed(&format!("{}{}", output.status, last_words(&output, plugin))));
    }
    let status = read(&output.stdout, plugin).map_err(|why| failed(&why))?;
    apply(status, picked).map_err(|why| failed(&why))
}

fn not_started(failure: &Failure, plugin: &ExecConfig) -> Failure {
    let hint = plugin.install_hint.as_deref().map(str::trim).filter(|hint| !hint.is_empty());
    failure.clone().hint(hint.unwrap_or("the kubeconfig names this program; install it or put it into PATH"))
}

fn check_version(plugin: &ExecConfig) -> Result<(), String> {
    match plugin.api_version.as_deref() {
        Some("client.authentication.k8s.io/v1" | "client.authentication.k8s.io/v1beta1") => Ok(()),
        Some(other) => Err(format!("its apiVersion '{other}' is not one that kubectl still knows")),
        None => Err("its entry in the kubeconfig has no apiVersion".to_owned()),
    }
}

/// Whether the plugin may talk with the operator on this terminal.
fn asks_the_operator(plugin: &ExecConfig, host: &Host) -> Result<bool, String> {
    match plugin.interactive_mode {
        Some(ExecInteractiveMode::Never) => Ok(false),
        Some(ExecInteractiveMode::Always) if !host.terminal => {
            Err("it wants to ask something and standard input is not a terminal".to_owned())
        }
        Some(ExecInteractiveMode::Always | ExecInteractiveMode::IfAvailable) | None => Ok(host.terminal),
    }
}

fn variables(plugin: &ExecConfig) -> impl Iterator<Item = (&String, &String)> {
    plugin.env.iter().flatten().filter_map(|entry| Some((entry.get("name")?, entry.get("value")?)))
}

fn exec_info(plugin: &ExecConfig, picked: &Picked, host: &Host, asks: bool) -> Result<Value, Failure> {
    let mut spec = json!({ "interactive": asks });
    if plugin.provide_cluster_info {
        let cluster = &picked.cluster;
        let mut about = json!({ "server": cluster.server });
        let ca = config::authority(cluster, host)?.map(|pem| STANDARD.encode(pem));
        let extensions = cluster.extensions.iter().flatten();
        let configuration = extensions.filter(|e| e.name == EXTENSION).map(|e| e.extension.clone()).next();
        for (key, value) in [
            ("tls-server-name", cluster.tls_server_name.clone().map(Value::from)),
            ("insecure-skip-tls-verify", cluster.insecure_skip_tls_verify.filter(|v| *v).map(Value::from)),
            ("certificate-authority-data", ca.map(Value::from)),
            ("proxy-url", cluster.proxy_url.clone().map(Value::from)),
            ("disable-compression", cluster.disable_compression.filter(|v| *v).map(Value::from)),
            ("config", configuration),
        ] {
            if let (Some(value), Some(fields)) = (value, about.as_object_mut()) {
                fields.insert(key.to_owned(), value);
            }
        }
        if let Some(fields) = spec.as_object_mut() {
            fields.insert("cluster".to_owned(), about);
        }
    }
    Ok(json!({ "kind": "ExecCredential", "apiVersion": plugin.api_version, "spec": spec }))
}

/// The last line that the plugin wrote on stderr, without the values that the kubeconfig
/// hands to it: those are often passwords.
fn last_words(output: &Output, plugin: &ExecConfig) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let Some(line) = text.lines().map(str::trim).rfind(|line| !line.is_empty()) else {
        return String::new();
    };
    let mut line: String = line.chars().filter(|c| !c.is_control()).collect();
    for secret in variables(plugin).map(|(_, value)| value).chain(plugin.args.iter().flatten()) {
        if secret.len() > 3 {
            line = line.replace(secret.as_str(), "REDACTED");
        }
    }
    let short: String = line.chars().take(300).collect();
    format!(": {short}")
}

fn read(stdout: &[u8], plugin: &ExecConfig) -> Result<Status, String> {
    let text = std::str::from_utf8(stdout).map_err(|_| "it printed something that is not text".to_owned())?;
    let none = || "it did not print an ExecCredential".to_owned();
    let printed: Credential = yaml::document(text).map_err(|_| none())?;
    if printed.version.is_none() && printed.status.is_none() {
        return Err(none());
    }
    if printed.version != plugin.api_version {
        return Err("it printed credentials of another apiVersion than the kubeconfig asks for".to_owned());
    }
    printed.status.ok_or_else(|| "it printed no credentials".to_owned())
}

fn apply(status: Status, picked: &mut Picked) -> Result<(), String> {
    let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
    let token = filled(status.token);
    let pair = match (filled(status.client_certificate_data), filled(status.client_key_data)) {
        (Some(certificate), Some(key)) => Some((certificate, key)),
        (None, None) => None,
        _ => return Err("it printed a certificate without its key, or a key alone".to_owned()),
    };
    if token.is_none() && pair.is_none() {
        return Err("it printed neither a token nor a certificate".to_owned());
    }
    if let Some(token) = token {
        picked.user.token = Some(SecretString::from(token));
    }
    if let Some((certificate, key)) = pair {
        picked.user.client_certificate_data = Some(STANDARD.encode(certificate));
        picked.user.client_key_data = Some(SecretString::from(STANDARD.encode(key)));
        picked.user.client_certificate = None;
        picked.user.client_key = None;
    }
    Ok(())
}
