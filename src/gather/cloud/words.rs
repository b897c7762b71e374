//! The words of a login: what `auth`, variables and flags say, made into one [`Login`].

use secrecy::SecretString;
use serde_json::{Map, Value};

use super::login::{Credential, Domain, Login, Method, Scope, User};
use crate::exit::{Failure, code};
use crate::gather::host::Host;

/// The words of a login, from `auth` and from beside it, where flags and variables put them.
pub struct Words {
    cloud: String,
    auth: Map<String, Value>,
}

/// Each word of a login with its older names. The last one that is set wins; for one name,
/// beside `auth` wins over inside (`_fix_backwards_auth` and `_validate_auth_correctly`).
const WORDS: [(&str, &[&str]); 27] = [
    ("auth_url", &[]),
    ("auth_type", &["auth_plugin"]),
    ("username", &["user_name"]),
    ("user_id", &[]),
    ("password", &[]),
    ("passcode", &[]),
    ("token", &["auth_token"]),
    ("user_domain_id", &[]),
    ("user_domain_name", &[]),
    ("project_id", &["tenant_id"]),
    ("project_name", &["tenant_name"]),
    ("project_domain_id", &[]),
    ("project_domain_name", &[]),
    ("domain_id", &[]),
    ("domain_name", &[]),
    ("default_domain_id", &[]),
    ("default_domain_name", &[]),
    ("default_domain", &[]),
    ("system_scope", &[]),
    ("trust_id", &[]),
    ("application_credential_id", &[]),
    ("application_credential_name", &[]),
    ("application_credential_secret", &[]),
    ("identity_provider", &[]),
    ("protocol", &[]),
    ("access_token", &[]),
    ("unscoped", &[]),
];

impl Words {
    /// Takes the words out of the settings of the cloud that is called `cloud`.
    pub fn of(all: &mut Map<String, Value>, cloud: &str) -> Self {
        let mut inside = match all.remove("auth") {
            Some(Value::Object(auth)) => auth,
            _ => Map::new(),
        };
        let mut auth = Map::new();
        for (word, older) in WORDS {
            for name in older.iter().chain([&word]) {
                for found in [inside.remove(*name), all.remove(*name)].into_iter().flatten() {
                    if let Some(value) = word_of(&found) {
                        auth.insert(word.to_owned(), Value::String(value));
                    }
                }
            }
        }
        let mut words = Words { cloud: cloud.to_owned(), auth };
        words.share_domain();
        words
    }

    /// A domain that is written once holds for user and project; without a project it is what
    /// the token is for (`_handle_domain_id`).
    fn share_domain(&mut self) {
        if !self.auth.contains_key("project_id") && !self.auth.contains_key("project_name") {
            return;
        }
        for kind in ["id", "name"] {
            if let Some(domain) = self.auth.remove(&format!("domain_{kind}")) {
                for whose in ["user", "project"] {
                    self.auth.entry(format!("{whose}_domain_{kind}")).or_insert_with(|| domain.clone());
                }
            }
        }
    }

    fn get(&self, word: &str) -> Option<String> {
        text(&self.auth, word)
    }

    fn need(&self, word: &str) -> Result<String, Failure> {
        self.get(word).ok_or_else(|| {
            let hint = match word {
                "auth_url" => "set auth_url of the cloud, or OS_AUTH_URL; it is Keystone's address",
                "password" => "set OS_PASSWORD, or password in secure.yaml beside clouds.yaml",
                _ => "set it under 'auth' of the cloud in clouds.yaml, or as an OS_* variable",
            };
            Failure::new(code::NO_SOURCE, format!("log in to {}: {word} is not set", self.called()))
                .hint(hint)
        })
    }

    fn secret(&self, word: &str) -> Result<SecretString, Failure> {
        self.need(word).map(SecretString::from)
    }

    fn called(&self) -> String {
        if self.cloud.is_empty() { "the cloud".to_owned() } else { format!("cloud '{}'", self.cloud) }
    }

    /// The login that the words make.
    ///
    /// # Errors
    /// A word is missing, or they contradict each other.
    pub fn login(
        &self,
        all: &Map<String, Value>,
        host: &Host,
        region: Option<&str>,
        notes: &mut Vec<String>,
    ) -> Result<Login, Failure> {
        let auth_url =
            keystone_root(&self.need("auth_url")?.replace("{region_name}", region.unwrap_or_default()));
        let method = self.method(all, host)?;
        let scope = match (&method, self.scope(host)?) {
            (Method::ApplicationCredential { .. }, Scope::Given) => Scope::Given,
            (Method::ApplicationCredential { .. }, _) => {
                // Keystone refuses the login if a scope is asked for, even the right one.
                notes.push(
                    "the configured project is not used: an application credential has its own".to_owned(),
                );
                Scope::Given
            }
            (_, scope) => scope,
        };
        Ok(Login { auth_url, method, scope })
    }

    fn method(&self, all: &Map<String, Value>, host: &Host) -> Result<Method, Failure> {
        let has = |word: &str| self.auth.contains_key(word);
        let kind = match self.get("auth_type") {
            Some(kind) => kind,
            None if has("application_credential_secret") => "v3applicationcredential".to_owned(),
            None if has("access_token") && has("identity_provider") => "v3oidcaccesstoken".to_owned(),
            None if has("token") && !has("password") => "token".to_owned(),
            None => "password".to_owned(),
        };
        let code = |word: &str| self.get(word).map(SecretString::from);
        match kind.as_str() {
            "password" | "v3password" => Ok(Method::Password {
                user: self.user(host)?,
                password: self.secret("password")?,
                passcode: code("passcode"),
            }),
            "token" | "v3token" => Ok(Method::Token(self.secret("token")?)),
            "v3totp" => Ok(Method::Totp { user: self.user(host)?, passcode: self.secret("passcode")? }),
            "v3multifactor" if self.is_password_and_code(all) => Ok(Method::Password {
                user: self.user(host)?,
                password: self.secret("password")?,
                passcode: Some(self.secret("passcode")?),
            }),
            "v3applicationcredential" => {
                let which = match self.get("application_credential_id") {
                    Some(id) => Credential::Id(id),
                    None => Credential::Named {
                        name: self.need("application_credential_name")?,
                        user: self.user(host)?,
                    },
                };
                let secret = self.secret("application_credential_secret")?;
                Ok(Method::ApplicationCredential { which, secret })
            }
            "v3oidcaccesstoken" => Ok(Method::OidcAccessToken {
                provider: self.need("identity_provider")?,
                protocol: self.need("protocol")?,
                token: self.secret("access_token")?,
            }),
            other => Err(Failure::new(
                code::NO_SOURCE,
                format!("log in to {}: the auth_type '{other}' is not supported here", self.called()),
            )
            .hint("get a token with `openstack token issue` and pass it as OS_TOKEN with OS_AUTH_TYPE=v3token and OS_AUTH_URL")),
        }
    }

    fn is_password_and_code(&self, all: &Map<String, Value>) -> bool {
        let methods: Vec<String> = match all.get("auth_methods") {
            Some(Value::String(list)) => list.split(',').map(|m| m.trim().to_owned()).collect(),
            Some(Value::Array(list)) => list.iter().filter_map(|m| Some(m.as_str()?.to_owned())).collect(),
            _ => Vec::new(),
        };
        methods.iter().all(|method| method == "v3password" || method == "v3totp")
    }

    fn user(&self, host: &Host) -> Result<User, Failure> {
        match self.get("user_id") {
            Some(id) => Ok(User::Id(id)),
            None => Ok(User::Named { name: self.need("username")?, domain: self.domain("user", host) }),
        }
    }

    fn domain(&self, whose: &str, host: &Host) -> Domain {
        let set = |kind: &str| self.get(&format!("{whose}_domain_{kind}"));
        let id = set("id").map(Domain::Id).or_else(|| set("name").map(Domain::Name));
        let usual = || {
            let by_id = self.get("default_domain_id").or_else(|| self.get("default_domain"));
            by_id.map(Domain::Id).or_else(|| self.get("default_domain_name").map(Domain::Name))
        };
        let variable = || Domain::Id(host.var("OS_DEFAULT_DOMAIN").unwrap_or("default").to_owned());
        id.or_else(usual).unwrap_or_else(variable)
    }

    fn scope(&self, host: &Host) -> Result<Scope, Failure> {
        let project = self.get("project_id").map(Scope::Project).or_else(|| {
            Some(Scope::ProjectNamed {
                name: self.get("project_name")?,
                domain: self.domain("project", host),
            })
        });
        let domain =
            self.get("domain_id").map(Domain::Id).or_else(|| self.get("domain_name").map(Domain::Name));
        let system = match self.get("system_scope").as_deref() {
            None => None,
            Some("all") => Some(Scope::System),
            Some(_) => {
                return Err(Failure::new(code::NO_SOURCE, format!("log in to {}", self.called()))
                    .hint("system_scope can only be 'all'"));
            }
        };
        let trust = self.get("trust_id").map(Scope::Trust);
        let mut scopes = [project, domain.map(Scope::Domain), system, trust].into_iter().flatten();
        match (scopes.next(), scopes.next()) {
            (scope, None) => Ok(scope.unwrap_or(Scope::Given)),
            _ => Err(Failure::new(
                code::NO_SOURCE,
                format!("log in to {}: project, domain, system and trust exclude each other", self.called()),
            )
            .hint("leave one of them in clouds.yaml and in the OS_* variables")),
        }
    }
}

fn word_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// A setting as text; an empty one counts as not set.
#[must_use]
pub fn text(map: &Map<String, Value>, key: &str) -> Option<String> {
    map.get(key).and_then(word_of)
}

/// Keystone's root with `/v3`, whatever version the operator's URL ends in: version 2 is gone
/// since 2018, and the URL without a version answers with a list only.
fn keystone_root(written: &str) -> String {
    let plain = written.trim().trim_end_matches('/');
    let plain = plain.strip_suffix("/auth/tokens").unwrap_or(plain);
    let plain = plain.strip_suffix("/v2.0").unwrap_or(plain);
    if plain.ends_with("/v3") { plain.to_owned() } else { format!("{plain}/v3") }
}
