//! Which cloud and region are meant, and everything that is configured about them.
//!
//! The rules are openstacksdk's (`openstack/config/loader.py`, `get_one_cloud_osc`), held by
//! the table of cases in `clouds_tests.rs`. Three things differ, all to the operator's help:
//! an `auth_type` that is not set follows from the credentials that are; names without a
//! domain are looked for in the domain `default`, as the `openstack` command does; and a
//! `profile` that is not in clouds-public.yaml is not fetched from the internet.

use serde_json::{Map, Value};

use super::files::{self, Files};
use super::options::CloudOptions;
use super::settings::{self, Settings};
use crate::exit::{Failure, code};
use crate::gather::host::Host;

/// A cloud to log in to.
#[derive(Debug, Clone)]
pub struct Cloud {
    /// Its name in clouds.yaml; `envvars` if it is made of variables, empty if of flags.
    pub name: String,
    /// Login, TLS, region, interface and per-service settings.
    pub settings: Settings,
    /// What the operator should know, e.g. that certificates are not checked.
    pub notes: Vec<String>,
}

/// Reads files, variables and flags.
///
/// # Errors
/// No cloud is configured or chosen, the one that is named does not exist, or what is
/// configured is not enough to log in. No message holds a secret.
pub fn resolve(options: &CloudOptions, host: &Host) -> Result<Cloud, Failure> {
    let mut files = files::read(host)?;
    let env_name = host.var("OS_CLOUD_NAME").unwrap_or("envvars").to_owned();
    if files.clouds.contains_key(&env_name) {
        return Err(Failure::new(
            code::NO_SOURCE,
            format!("tell the cloud '{env_name}' of clouds.yaml from the one made of OS_* variables"),
        )
        .hint("rename it, or set OS_CLOUD_NAME to another name"));
    }
    let variables = of_variables(host);
    let name = choose(options, host, &files, &env_name, variables.is_some());
    let mut notes = std::mem::take(&mut files.notes);
    if let (Some(variables), Some(name)) = (variables, &name) {
        if *name != env_name {
            notes.extend(unused(&variables, name));
        }
        files.clouds.insert(env_name.clone(), Value::Object(variables));
    }
    let own = own_settings(name.as_deref(), &files, options, &notes)?;
    let mut all = Map::new();
    expand_profile(&own, &files, &env_name, &mut all, &mut notes);
    lay_over(&mut all, own.clone());
    let region = choose_region(options, host, name.as_deref(), &own, &all)?;
    all.remove("regions");
    lay_over(&mut all, region.values);
    for (key, value) in options.given() {
        all.insert(key.to_owned(), Value::from(value));
    }
    all.insert("region_name".to_owned(), Value::from(region.name));
    let name = name.unwrap_or_default();
    let settings = settings::read(all, &name, host, &mut notes)?;
    Ok(Cloud { name, settings, notes })
}

fn choose(
    options: &CloudOptions,
    host: &Host,
    files: &Files,
    env_name: &str,
    has_variables: bool,
) -> Option<String> {
    let given = options.os_cloud.as_deref().filter(|name| !name.is_empty());
    let only = || files.clouds.keys().next().filter(|_| files.clouds.len() == 1).cloned();
    given
        .or_else(|| host.var("OS_CLOUD"))
        .map(str::to_owned)
        .or_else(|| has_variables.then(|| env_name.to_owned()))
        .or_else(only)
}

/// The cloud that `OS_*` variables make, if there are any that do more than choose.
fn of_variables(host: &Host) -> Option<Map<String, Value>> {
    const CHOOSE: [&str; 5] =
        ["OS_CLOUD", "OS_REGION_NAME", "OS_CLIENT_CONFIG_FILE", "OS_CLIENT_SECURE_FILE", "OS_CLOUD_NAME"];
    // Variables of OpenStack's test runs.
    const OTHERS: [&str; 3] = ["OS_TEST", "OS_STD", "OS_LOG"];
    let ours = host.env.iter().filter(|(name, value)| {
        !value.is_empty() && name.starts_with("OS_") && !OTHERS.iter().any(|other| name.starts_with(other))
    });
    let all: Vec<(&String, &String)> = ours.collect();
    if all.iter().all(|(name, _)| CHOOSE.contains(&name.as_str())) {
        return None;
    }
    let named = all.into_iter().filter(|(name, _)| name.as_str() != "OS_CLOUD");
    let pairs = named.filter_map(|(name, value)| {
        Some((name.strip_prefix("OS_")?.to_lowercase(), Value::from(value.as_str())))
    });
    Some(pairs.collect())
}

fn unused(variables: &Map<String, Value>, name: &str) -> Option<String> {
    let parts = [
        "username",
        "user_id",
        "password",
        "token",
        "application_credential_id",
        "project_name",
        "project_id",
    ];
    let set: Vec<String> = parts
        .iter()
        .filter(|part| variables.contains_key(**part))
        .map(|part| format!("OS_{}", part.to_uppercase()))
        .collect();
    (!set.is_empty()).then(|| format!("{} not used: the cloud '{name}' is named", set.join(", ")))
}

fn own_settings(
    name: Option<&str>,
    files: &Files,
    options: &CloudOptions,
    notes: &[String],
) -> Result<Map<String, Value>, Failure> {
    let others: Vec<&str> = files.clouds.keys().map(String::as_str).collect();
    let passed_over = || notes.iter().map(|note| format!("; {note}")).collect::<String>();
    let Some(name) = name else {
        if options.os_auth_url.is_some() {
            return Ok(Map::new());
        }
        let failure = Failure::new(code::NO_SOURCE, "choose a cloud");
        return Err(match others.as_slice() {
            [] => failure.hint(format!(
                "no clouds.yaml and no OS_* variables; set OS_CLOUD or source an openrc file{}",
                passed_over()
            )),
            _ => failure.hint(format!("name one with --os-cloud or OS_CLOUD: {}", others.join(", "))),
        });
    };
    match files.clouds.get(name) {
        Some(Value::Object(own)) => Ok(normal(own.clone())),
        Some(_) => Ok(Map::new()),
        None => {
            let by_flag = options.os_cloud.is_some();
            let exit = if by_flag { code::USAGE } else { code::NO_SOURCE };
            let place = files.path.as_ref().map_or("any clouds.yaml".to_owned(), |p| p.display().to_string());
            let listed = if others.is_empty() { "it has none".to_owned() } else { others.join(", ") };
            Err(Failure::new(exit, format!("find cloud '{name}' in {place}"))
                .hint(format!("clouds: {listed}{}", passed_over())))
        }
    }
}

fn expand_profile(
    own: &Map<String, Value>,
    files: &Files,
    env_name: &str,
    all: &mut Map<String, Value>,
    notes: &mut Vec<String>,
) {
    let Some(profile) = own.get("profile").or_else(|| own.get("cloud")).and_then(Value::as_str) else {
        return;
    };
    if profile == env_name {
        return;
    }
    match files.profiles.get(profile) {
        Some(Value::Object(values)) => lay_over(all, normal(values.clone())),
        _ => notes.push(format!(
            "the profile '{profile}' is not in a clouds-public.yaml; copy its auth_url and region to the cloud"
        )),
    }
}

/// A region and the settings that hold in it only.
struct Region {
    name: String,
    values: Map<String, Value>,
}

fn choose_region(
    options: &CloudOptions,
    host: &Host,
    cloud: Option<&str>,
    own: &Map<String, Value>,
    all: &Map<String, Value>,
) -> Result<Region, Failure> {
    let flag = options.os_region_name.as_deref().filter(|name| !name.is_empty());
    let wanted = flag.or_else(|| host.var("OS_REGION_NAME")).unwrap_or_default();
    let of = |map: &Map<String, Value>| map.get("regions").or_else(|| map.get("region_name")).cloned();
    let mut known = of(own).or_else(|| of(all)).map(regions).unwrap_or_default();
    if known.is_empty() {
        return Ok(Region { name: wanted.to_owned(), values: Map::new() });
    }
    let at = if wanted.is_empty() { Some(0) } else { known.iter().position(|region| region.name == wanted) };
    match at {
        Some(at) => Ok(known.swap_remove(at)),
        None => {
            let names: Vec<&str> = known.iter().map(|region| region.name.as_str()).collect();
            let cloud = cloud.unwrap_or_default();
            Err(Failure::new(code::USAGE, format!("find region '{wanted}' of cloud '{cloud}'"))
                .hint(format!("regions, written exactly so: {}", names.join(", "))))
        }
    }
}

fn regions(value: Value) -> Vec<Region> {
    let plain = |name: &str| Region { name: name.to_owned(), values: Map::new() };
    match value {
        Value::String(names) => names.split(',').filter(|name| !name.is_empty()).map(plain).collect(),
        Value::Array(entries) => entries
            .into_iter()
            .filter_map(|entry| match entry {
                Value::String(name) => Some(plain(&name)),
                Value::Object(mut entry) => {
                    let values = match entry.remove("values") {
                        Some(Value::Object(values)) => normal(values),
                        _ => Map::new(),
                    };
                    Some(Region { name: entry.get("name")?.as_str()?.to_owned(), values })
                }
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Settings over settings; of maps only `auth` is merged, any other value is replaced.
fn lay_over(all: &mut Map<String, Value>, new: Map<String, Value>) {
    for (key, value) in new {
        match (all.get_mut(&key), value) {
            (_, Value::Null) => {}
            (Some(Value::Object(old)), Value::Object(new)) if key == "auth" => old.extend(new),
            (_, value) => {
                all.insert(key, value);
            }
        }
    }
}

/// Keys with `_` for `-`, numbers as text.
fn normal(map: Map<String, Value>) -> Map<String, Value> {
    let value = |value| match value {
        Value::Object(map) => Value::Object(normal(map)),
        Value::Number(number) => Value::String(number.to_string()),
        other => other,
    };
    map.into_iter().map(|(key, v)| (key.replace('-', "_"), value(v))).collect()
}

#[cfg(test)]
#[path = "clouds_tests.rs"]
mod tests;
