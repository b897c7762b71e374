//! How to log in to Keystone, and the token request of each way.
//!
//! Bodies are those of the Identity API v3, `POST /v3/auth/tokens`, as keystoneauth sends
//! them (`keystoneauth1/identity/v3`).

use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};

/// Everything about one login.
#[derive(Debug, Clone)]
pub struct Login {
    /// Keystone's root with the version, without a slash at the end: `https://k:5000/v3`.
    pub auth_url: String,
    /// Who we are.
    pub method: Method,
    /// What the token is for.
    pub scope: Scope,
}

/// A way to prove who we are.
#[derive(Debug, Clone)]
pub enum Method {
    /// Password, with a one-time code beside it where the user needs both.
    Password {
        /// The user.
        user: User,
        /// Its password.
        password: SecretString,
        /// One-time code, if two factors are asked for.
        passcode: Option<SecretString>,
    },
    /// One-time code alone.
    Totp {
        /// The user.
        user: User,
        /// The code.
        passcode: SecretString,
    },
    /// A token that somebody else got.
    Token(SecretString),
    /// An application credential.
    ApplicationCredential {
        /// Which one.
        which: Credential,
        /// Its secret.
        secret: SecretString,
    },
    /// An OpenID Connect access token, exchanged at Keystone's federation URL.
    OidcAccessToken {
        /// Identity provider as Keystone names it.
        provider: String,
        /// Protocol as Keystone names it.
        protocol: String,
        /// The access token.
        token: SecretString,
    },
}

/// A user by id, or by name in a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum User {
    /// By id.
    Id(String),
    /// By name.
    Named {
        /// The name.
        name: String,
        /// Where the name is unique.
        domain: Domain,
    },
}

/// An application credential by id, or by name of its user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    /// By id.
    Id(String),
    /// By name.
    Named {
        /// The name.
        name: String,
        /// The user that made it.
        user: User,
    },
}

/// A domain by id or by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Domain {
    /// By id.
    Id(String),
    /// By name.
    Name(String),
}

/// What a token is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Whatever Keystone gives: the user's default project, the credential's project, or what
    /// a given token already has.
    Given,
    /// A project by id.
    Project(String),
    /// A project by name.
    ProjectNamed {
        /// The name.
        name: String,
        /// Where the name is unique.
        domain: Domain,
    },
    /// A domain.
    Domain(Domain),
    /// The whole system.
    System,
    /// What a trust gives.
    Trust(String),
}

impl Domain {
    fn json(&self) -> Value {
        match self {
            Domain::Id(id) => json!({ "id": id }),
            Domain::Name(name) => json!({ "name": name }),
        }
    }
}

impl User {
    fn json(&self) -> Value {
        match self {
            User::Id(id) => json!({ "id": id }),
            User::Named { name, domain } => json!({ "name": name, "domain": domain.json() }),
        }
    }

    fn with(&self, key: &str, secret: &SecretString) -> Value {
        let mut user = self.json();
        if let Some(fields) = user.as_object_mut() {
            fields.insert(key.to_owned(), Value::from(secret.expose_secret()));
        }
        json!({ "user": user })
    }
}

impl Scope {
    /// The scope of a request, or none to take what Keystone gives.
    #[must_use]
    pub fn json(&self) -> Option<Value> {
        Some(match self {
            Scope::Given => return None,
            Scope::Project(id) => json!({ "project": { "id": id } }),
            Scope::ProjectNamed { name, domain } => {
                json!({ "project": { "name": name, "domain": domain.json() } })
            }
            Scope::Domain(domain) => json!({ "domain": domain.json() }),
            Scope::System => json!({ "system": { "all": true } }),
            Scope::Trust(id) => json!({ "OS-TRUST:trust": { "id": id } }),
        })
    }
}

impl Login {
    /// Body of the token request. It holds secrets. None for an OpenID Connect login, which
    /// begins with a request of its own, and for a token that is taken as it is.
    #[must_use]
    pub fn body(&self) -> Option<Value> {
        let identity = match &self.method {
            Method::Password { user, password, passcode: None } => {
                json!({ "methods": ["password"], "password": user.with("password", password) })
            }
            Method::Password { user, password, passcode: Some(code) } => json!({
                "methods": ["password", "totp"],
                "password": user.with("password", password),
                "totp": user.with("passcode", code),
            }),
            Method::Totp { user, passcode } => {
                json!({ "methods": ["totp"], "totp": user.with("passcode", passcode) })
            }
            Method::Token(token) => {
                self.scope.json()?;
                return Some(token_body(token, &self.scope));
            }
            Method::ApplicationCredential { which, secret } => {
                let mut credential = match which {
                    Credential::Id(id) => json!({ "id": id }),
                    Credential::Named { name, user } => json!({ "name": name, "user": user.json() }),
                };
                if let Some(fields) = credential.as_object_mut() {
                    fields.insert("secret".to_owned(), Value::from(secret.expose_secret()));
                }
                json!({ "methods": ["application_credential"], "application_credential": credential })
            }
            Method::OidcAccessToken { .. } => return None,
        };
        Some(with_scope(identity, &self.scope))
    }

    /// Every secret of this login, to take out of what a server says.
    #[must_use]
    pub fn secrets(&self) -> Vec<&SecretString> {
        match &self.method {
            Method::Password { password, passcode, .. } => {
                std::iter::once(password).chain(passcode.as_ref()).collect()
            }
            Method::Totp { passcode: secret, .. }
            | Method::Token(secret)
            | Method::ApplicationCredential { secret, .. }
            | Method::OidcAccessToken { token: secret, .. } => vec![secret],
        }
    }
}

/// Body of the request that turns one token into another for a scope.
#[must_use]
pub fn token_body(token: &SecretString, scope: &Scope) -> Value {
    with_scope(json!({ "methods": ["token"], "token": { "id": token.expose_secret() } }), scope)
}

fn with_scope(identity: Value, scope: &Scope) -> Value {
    match scope.json() {
        Some(scope) => json!({ "auth": { "identity": identity, "scope": scope } }),
        None => json!({ "auth": { "identity": identity } }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The body of a login with this method and scope, against JSON as the Identity API
    /// documents it.
    fn check(method: Method, scope: Scope, expected: Option<Value>) {
        let login = Login { auth_url: "https://k/v3".to_owned(), method, scope };
        assert_eq!(login.body(), expected);
    }

    fn secret(text: &str) -> SecretString {
        SecretString::from(text)
    }

    fn jo() -> User {
        User::Named { name: "jo".to_owned(), domain: Domain::Name("Default".to_owned()) }
    }

    fn password() -> Method {
        Method::Password { user: jo(), password: secret("pw"), passcode: None }
    }

    #[test]
    fn password_by_name_for_a_project_by_name() {
        let scope = Scope::ProjectNamed { name: "demo".to_owned(), domain: Domain::Id("default".to_owned()) };
        let user = json!({"name": "jo", "domain": {"name": "Default"}, "password": "pw"});
        let identity = json!({"methods": ["password"], "password": {"user": user}});
        let project = json!({"project": {"name": "demo", "domain": {"id": "default"}}});
        check(password(), scope, Some(json!({"auth": {"identity": identity, "scope": project}})));
    }

    #[test]
    fn every_scope() {
        for (scope, expected) in [
            (Scope::Project("p".to_owned()), json!({"project": {"id": "p"}})),
            (Scope::Domain(Domain::Id("d".to_owned())), json!({"domain": {"id": "d"}})),
            (Scope::Domain(Domain::Name("D".to_owned())), json!({"domain": {"name": "D"}})),
            (Scope::System, json!({"system": {"all": true}})),
            (Scope::Trust("t".to_owned()), json!({"OS-TRUST:trust": {"id": "t"}})),
        ] {
            assert_eq!(scope.json(), Some(expected));
        }
        assert_eq!(Scope::Given.json(), None);
    }

    #[test]
    fn user_by_id_has_no_domain() {
        let method =
            Method::Password { user: User::Id("u1".to_owned()), password: secret("pw"), passcode: None };
        let identity = json!({"methods": ["password"], "password": {"user": {"id": "u1", "password": "pw"}}});
        check(method, Scope::Given, Some(json!({"auth": {"identity": identity}})));
    }

    #[test]
    fn two_factors() {
        let method =
            Method::Password { user: jo(), password: secret("pw"), passcode: Some(secret("123456")) };
        let name = json!({"name": "Default"});
        let identity = json!({
            "methods": ["password", "totp"],
            "password": {"user": {"name": "jo", "domain": name, "password": "pw"}},
            "totp": {"user": {"name": "jo", "domain": name, "passcode": "123456"}},
        });
        check(method, Scope::Given, Some(json!({"auth": {"identity": identity}})));
    }

    #[test]
    fn application_credential_by_id_and_by_name() {
        let by = |which| Method::ApplicationCredential { which, secret: secret("s") };
        let body = |c: Value| json!({"auth": {"identity": {"methods": ["application_credential"], "application_credential": c}}});
        let id = by(Credential::Id("a".to_owned()));
        check(id, Scope::Given, Some(body(json!({"id": "a", "secret": "s"}))));
        let name = by(Credential::Named { name: "n".to_owned(), user: User::Id("u".to_owned()) });
        check(name, Scope::Given, Some(body(json!({"name": "n", "user": {"id": "u"}, "secret": "s"}))));
    }

    #[test]
    fn a_token_is_exchanged_only_for_another_scope() {
        let identity = json!({"methods": ["token"], "token": {"id": "t"}});
        let scoped = json!({"auth": {"identity": identity, "scope": {"project": {"id": "p"}}}});
        check(Method::Token(secret("t")), Scope::Project("p".to_owned()), Some(scoped));
        check(Method::Token(secret("t")), Scope::Given, None);
    }

    #[test]
    fn secrets_are_not_printed() {
        let login = Login { auth_url: String::new(), method: password(), scope: Scope::Given };
        assert!(!format!("{login:?}").contains("pw"));
        assert_eq!(login.secrets().len(), 1);
    }
}
