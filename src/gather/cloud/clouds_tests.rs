//! Holds our reader against openstacksdk's rules: `clouds_cases.yaml` is the table.

use std::collections::BTreeMap;
use std::path::Path;

use clap::Parser;
use serde::Deserialize;
use serde_json::Value;

use super::super::login::{Method, Scope};
use super::super::service::Service;
use super::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    title: String,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    flags: Vec<String>,
    name: Option<String>,
    url: Option<String>,
    who: Option<String>,
    scope: Option<String>,
    region: Option<String>,
    interface: Option<String>,
    #[serde(default)]
    service: BTreeMap<String, BTreeMap<String, String>>,
    verify: Option<bool>,
    cacert: Option<String>,
    cert: Option<String>,
    key: Option<String>,
    note: Option<String>,
    error: Option<String>,
    hint: Option<String>,
    ours: Option<String>,
}

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    cloud: CloudOptions,
}

fn cases() -> Vec<Case> {
    serde_yaml::from_str(include_str!("clouds_cases.yaml")).expect("the table of cases")
}

/// Runs a case in folders of its own; paths in it are mapped there and back.
fn run(case: &Case) -> (Result<Cloud, Failure>, impl Fn(&Path) -> String) {
    let root = tempfile::tempdir().expect("folder");
    let places = [("./", "cwd/"), ("~/", "home/"), ("/etc/openstack/", "site/")];
    for (written, text) in &case.files {
        let (prefix, folder) = places.iter().find(|(prefix, _)| written.starts_with(prefix)).expect("place");
        let path = root.path().join(folder).join(written.strip_prefix(prefix).expect("prefix"));
        std::fs::create_dir_all(path.parent().expect("parent")).expect("folder");
        std::fs::write(path, text).expect("file");
    }
    let home = root.path().join("home");
    let host = Host {
        env: case.env.clone(),
        cwd: root.path().join("cwd"),
        home: Some(home.clone()),
        site: vec![root.path().join("site")],
        ..Host::default()
    };
    let words = std::iter::once("test".to_owned()).chain(case.flags.iter().cloned());
    let line = Line::try_parse_from(words).expect("flags");
    let shown = move |path: &Path| path.display().to_string().replace(&home.display().to_string(), "~");
    (resolve(&line.cloud, &host), shown)
}

#[test]
fn every_case_of_the_table() {
    let cases = cases();
    assert!(cases.len() > 70, "the table has become short");
    for case in cases {
        assert!(case.ours.as_deref().is_none_or(|why| why.contains(' ')), "{}: say why", case.title);
        let (outcome, shown) = run(&case);
        match (outcome, &case.error) {
            (Ok(cloud), None) => check(&case, &cloud, shown),
            (Err(failure), Some(error)) => {
                assert!(failure.message.contains(error.as_str()), "{}: {failure:?}", case.title);
                let hint = failure.hint.clone().unwrap_or_default();
                assert!(
                    hint.contains(case.hint.as_deref().unwrap_or_default()),
                    "{}: {failure:?}",
                    case.title
                );
            }
            (Ok(_), Some(error)) => panic!("{}: no error, wanted {error}", case.title),
            (Err(failure), None) => panic!("{}: {failure:?}", case.title),
        }
    }
}

fn check(case: &Case, cloud: &Cloud, shown: impl Fn(&Path) -> String) {
    let settings = &cloud.settings;
    let path = |path: &Option<std::path::PathBuf>| path.as_deref().map_or("-".to_owned(), &shown);
    let region = settings.region.clone().unwrap_or("-".to_owned());
    for (what, wanted, got) in [
        ("name", &case.name, cloud.name.clone()),
        ("url", &case.url, settings.login.auth_url.clone()),
        ("who", &case.who, who(&settings.login)),
        ("scope", &case.scope, scope(&settings.login.scope)),
        ("region", &case.region, region),
        ("interface", &case.interface, settings.interfaces(&["none"]).join(",")),
        ("cacert", &case.cacert, path(&settings.tls.cacert)),
        ("cert", &case.cert, path(&settings.tls.cert)),
        ("key", &case.key, path(&settings.tls.key)),
        ("verify", &case.verify.map(|v| v.to_string()), settings.tls.verify.to_string()),
    ] {
        if let Some(wanted) = wanted {
            assert_eq!(&got, wanted, "{}: {what}", case.title);
        }
    }
    for (word, wanted) in &case.service {
        let service = Service::ALL.into_iter().find(|s| s.word() == word).expect("service");
        let types = service.types();
        if let Some(interface) = wanted.get("interface") {
            assert_eq!(&settings.interfaces(types).join(","), interface, "{}: {word}", case.title);
        }
        if let Some(endpoint) = wanted.get("endpoint") {
            let set = ["endpoint_override", "endpoint"];
            let got = set.iter().find_map(|key| settings.of_service(types, key)?.as_str());
            assert_eq!(got, Some(endpoint.as_str()), "{}: {word}", case.title);
        }
    }
    if let Some(note) = &case.note {
        assert!(cloud.notes.iter().any(|n| n.contains(note.as_str())), "{}: {:?}", case.title, cloud.notes);
    }
    assert!(!format!("{cloud:?}").contains("pl4nted"), "{}", case.title);
}

/// The login in the words of the table, read from the body that would be sent.
fn who(login: &super::super::login::Login) -> String {
    use secrecy::ExposeSecret;
    let body = match (&login.method, login.body()) {
        (Method::Token(token), None) => return format!("token {}", token.expose_secret()),
        (Method::OidcAccessToken { provider, protocol, token }, _) => {
            return format!("oidc {provider} {protocol} {}", token.expose_secret());
        }
        (_, body) => body.expect("a token request"),
    };
    let identity = &body["auth"]["identity"];
    let methods = identity["methods"].as_array().expect("methods");
    let words = methods.iter().map(|method| match method.as_str() {
        Some("password") => {
            let user = &identity["password"]["user"];
            format!("password {} {}", thing(user), text(&user["password"]))
        }
        Some("totp") => {
            let user = &identity["totp"]["user"];
            format!("totp {} {}", thing(user), text(&user["passcode"]))
        }
        Some("token") => format!("token {}", text(&identity["token"]["id"])),
        _ => {
            let credential = &identity["application_credential"];
            let which = match credential.get("id") {
                Some(id) => format!("id:{}", text(id)),
                None => format!("{} of {}", text(&credential["name"]), thing(&credential["user"])),
            };
            format!("appcred {which} {}", text(&credential["secret"]))
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn scope(scope: &Scope) -> String {
    match scope.json() {
        None => "-".to_owned(),
        Some(json) if json.get("system").is_some() => "system".to_owned(),
        Some(json) => match json.get("project") {
            Some(project) => format!("project {}", thing(project)),
            None => match json.get("domain") {
                Some(domain) => format!("domain {}", domain_of(domain)),
                None => format!("trust {}", text(&json["OS-TRUST:trust"]["id"])),
            },
        },
    }
}

fn thing(value: &Value) -> String {
    match value.get("id") {
        Some(id) => format!("id:{}", text(id)),
        None => format!("{}@{}", text(&value["name"]), domain_of(&value["domain"])),
    }
}

fn domain_of(value: &Value) -> String {
    match value.get("id") {
        Some(id) => format!("id:{}", text(id)),
        None => format!("name:{}", text(&value["name"])),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().expect("text")
}
