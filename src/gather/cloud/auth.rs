//! The login to Keystone, in the shape that the `openstack` crate's session wants.

use std::sync::Arc;

use async_trait::async_trait;
use openstack::auth::AuthType;
use openstack::{EndpointFilters, Error, ErrorKind};
use reqwest::header::{AUTHORIZATION, HeaderValue};
use reqwest::{Client, RequestBuilder, Url};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use tokio::sync::Mutex;

use super::http::{self, Raw};
use super::login::{Method, Scope, token_body};
use super::said;
use super::service::Service;
use super::settings::Settings;
use super::token::Token;
use crate::gather::fault::{Fault, Kind};

/// Name of Keystone in messages about the login.
const KEYSTONE: &str = "keystone";

/// How the login went; none before it was tried.
type Outcome = Option<Result<Arc<Token>, Fault>>;

/// A login that is made once and then used for every request.
#[derive(Debug, Clone)]
pub struct Keystone {
    settings: Arc<Settings>,
    outcome: Arc<Mutex<Outcome>>,
}

impl Keystone {
    /// A login that has not been made yet.
    #[must_use]
    pub fn new(settings: Arc<Settings>) -> Self {
        Keystone { settings, outcome: Arc::default() }
    }

    /// The region that is configured.
    #[must_use]
    pub fn region(&self) -> Option<&str> {
        self.settings.region.as_deref().filter(|region| !region.is_empty())
    }

    /// The token; the first call makes the login, at the same time calls wait for it.
    ///
    /// # Errors
    /// Keystone cannot be reached or does not let us in; asked once, then remembered.
    pub async fn token(&self, client: &Client) -> Result<Arc<Token>, Fault> {
        let mut outcome = self.outcome.lock().await;
        if let Some(outcome) = outcome.as_ref() {
            return outcome.clone();
        }
        let made = self.login(client).await.map(Arc::new).map_err(|fault| self.clean(fault));
        outcome.insert(made).clone()
    }

    async fn login(&self, client: &Client) -> Result<Token, Fault> {
        let login = &self.settings.login;
        match &login.method {
            Method::OidcAccessToken { provider, protocol, token } => {
                let unscoped = self.federated(client, provider, protocol, token).await?;
                match login.scope {
                    Scope::Given => Ok(unscoped),
                    _ => self.post(client, &token_body(&unscoped.value, &login.scope)).await,
                }
            }
            Method::Token(token) if login.scope == Scope::Given => self.look_at(client, token).await,
            _ => match login.body() {
                Some(body) => self.post(client, &body).await,
                None => Err(Fault::new(Kind::Refused, KEYSTONE, "this login has no token request")),
            },
        }
    }

    /// `POST /v3/auth/tokens`.
    async fn post(&self, client: &Client, body: &serde_json::Value) -> Result<Token, Fault> {
        let request = client.post(format!("{}/auth/tokens", self.settings.login.auth_url)).json(body);
        read(self.send(client, request).await?, None)
    }

    /// A token is taken as it is: what it is for is asked with itself. It is not exchanged,
    /// because a site may forbid that, and a new one without a scope would reach nothing.
    async fn look_at(&self, client: &Client, token: &SecretString) -> Result<Token, Fault> {
        let own = secret_header(token.expose_secret())?;
        let url = format!("{}/auth/tokens", self.settings.login.auth_url);
        let request = client.get(url).header("X-Auth-Token", own.clone()).header("X-Subject-Token", own);
        read(self.send(client, request).await?, Some(token))
    }

    /// An access token becomes an unscoped token at the URL of the identity provider.
    async fn federated(
        &self,
        client: &Client,
        provider: &str,
        protocol: &str,
        token: &SecretString,
    ) -> Result<Token, Fault> {
        let root = &self.settings.login.auth_url;
        let path = ["OS-FEDERATION", "identity_providers", provider, "protocols", protocol, "auth"];
        let mut url = Url::parse(root).map_err(|_| not_a_url())?;
        match url.path_segments_mut() {
            Ok(mut segments) => segments.pop_if_empty().extend(path),
            Err(()) => return Err(not_a_url()),
        };
        let bearer = secret_header(&format!("Bearer {}", token.expose_secret()))?;
        read(self.send(client, client.post(url).header(AUTHORIZATION, bearer)).await?, None)
    }

    async fn send(&self, client: &Client, request: RequestBuilder) -> Result<Raw, Fault> {
        let request = request.header("Accept", "application/json").build().map_err(|_| not_a_url())?;
        let raw = http::send(client, request, KEYSTONE).await?;
        let answer = &raw.answer;
        if (200..300).contains(&answer.status) {
            return Ok(raw);
        }
        let fault = said::of_answer(KEYSTONE, answer.status, &answer.bytes, answer.request_id.clone());
        Err(match fault.kind {
            Kind::NoAccess => fault.hint(self.no_access_hint()),
            Kind::NotFound => fault.hint(self.not_found_hint(&answer.bytes)),
            _ => fault,
        })
    }

    /// Keystone's own 404 is JSON with a code; a path that it does not serve, or another server,
    /// gives something else. Only a login by id can be for something that is gone.
    /// Source: openstack/keystone keystone/api/auth.py, keystone/server/flask/application.py.
    fn not_found_hint(&self, body: &[u8]) -> &'static str {
        let said = serde_json::from_slice::<Value>(body).unwrap_or_default();
        match (&self.settings.login.method, said.pointer("/error/code")) {
            (Method::ApplicationCredential { .. }, Some(_)) => {
                "the application credential, its user or its project was deleted; make a new one"
            }
            (Method::Token(_), Some(_)) => self.no_access_hint(),
            _ => "auth_url must be Keystone's address, as https://keystone.example:5000/v3",
        }
    }

    /// Keystone says the same for a wrong password and for a project without a role.
    fn no_access_hint(&self) -> &'static str {
        match self.settings.login.method {
            Method::Token(_) => {
                "the token has ended, was taken back, or may not be used for this scope; get a new one"
            }
            Method::ApplicationCredential { .. } => {
                "the application credential is wrong, has expired, or its user lost a role it carries"
            }
            Method::OidcAccessToken { .. } => {
                "get a new access token, and look at identity_provider and protocol"
            }
            Method::Password { .. } | Method::Totp { .. } => {
                "user, password, a domain or the project is wrong, or the user has no role in the project"
            }
        }
    }

    /// Takes our secrets out of what a server said, which may repeat a request.
    #[must_use]
    pub fn clean(&self, mut fault: Fault) -> Fault {
        for secret in self.settings.login.secrets() {
            fault.says = without(&fault.says, secret);
        }
        fault
    }

    /// The address of a service: the configured one, else the catalog's.
    ///
    /// # Errors
    /// [`Kind::NoService`] if neither has one.
    pub fn endpoint(&self, token: &Token, service: Service) -> Result<String, Fault> {
        let types = service.types();
        let set = ["endpoint_override", "endpoint"];
        let configured = set.iter().find_map(|key| self.settings.of_service(types, key)?.as_str());
        if let Some(configured) = configured {
            let project = token.project.as_ref().map_or("", |project| project.id.as_str());
            let url = configured.replace("%(project_id)s", project).replace("%(tenant_id)s", project);
            return Ok(url.replace("%(user_id)s", &token.user.id));
        }
        token.endpoint(service, &self.settings).map(str::to_owned).ok_or_else(|| {
            let place =
                self.settings.region.as_deref().map(|r| format!(" of region {r}")).unwrap_or_default();
            let interfaces = self.settings.interfaces(types).join(" or ");
            let says = format!("the catalog{place} has no {interfaces} endpoint of this service");
            Fault::new(Kind::NoService, service.word(), says)
                .hint(format!("the catalog has: {}", token.services().join(", ")))
        })
    }
}

/// A text without a secret. Shorter ones would tear words apart and are no secrets.
#[must_use]
pub fn without(text: &str, secret: &SecretString) -> String {
    let secret = secret.expose_secret();
    if secret.len() < 4 { text.to_owned() } else { text.replace(secret, "REDACTED") }
}

fn read(raw: Raw, own: Option<&SecretString>) -> Result<Token, Fault> {
    let value = match own {
        Some(token) => Some(token.clone()),
        None => raw.headers.get("x-subject-token").and_then(|v| v.to_str().ok()).map(SecretString::from),
    };
    let token = value.and_then(|value| Token::read(value, &raw.answer.bytes));
    token.ok_or_else(|| {
        Fault::new(Kind::Unreadable, KEYSTONE, "the answer to the token request is not a token")
            .hint("auth_url must be Keystone's address, as https://keystone.example:5000/v3")
    })
}

/// A header value that is left out of debug output.
fn secret_header(text: &str) -> Result<HeaderValue, Fault> {
    let mut value = HeaderValue::from_str(text)
        .map_err(|_| Fault::new(Kind::Refused, KEYSTONE, "the token has characters that no token has"))?;
    value.set_sensitive(true);
    Ok(value)
}

fn not_a_url() -> Fault {
    Fault::new(Kind::Unreachable, KEYSTONE, "auth_url is not a URL")
        .hint("write it as https://keystone.example:5000/v3")
}

fn to_error(fault: Fault) -> Error {
    let kind = match fault.kind {
        Kind::NoAccess => ErrorKind::AuthenticationFailed,
        Kind::NoService => ErrorKind::EndpointNotFound,
        Kind::TimedOut => ErrorKind::OperationTimedOut,
        Kind::Unreadable => ErrorKind::InvalidResponse,
        _ => ErrorKind::ProtocolError,
    };
    Error::new(kind, fault.to_string())
}

#[async_trait]
impl AuthType for Keystone {
    async fn authenticate(&self, client: &Client, request: RequestBuilder) -> Result<RequestBuilder, Error> {
        let token = self.token(client).await.map_err(to_error)?;
        let value = secret_header(token.value.expose_secret()).map_err(to_error)?;
        Ok(request.header("X-Auth-Token", value))
    }

    async fn get_endpoint(&self, client: &Client, kind: &str, _: &EndpointFilters) -> Result<Url, Error> {
        let token = self.token(client).await.map_err(to_error)?;
        let service = Service::ALL.into_iter().find(|service| service.types().contains(&kind));
        let service = service.ok_or_else(|| Error::new(ErrorKind::EndpointNotFound, kind))?;
        let found = self.endpoint(&token, service).map_err(to_error)?;
        Url::parse(&found).map_err(|error| Error::new(ErrorKind::InvalidResponse, error.to_string()))
    }

    async fn refresh(&self, client: &Client) -> Result<(), Error> {
        self.token(client).await.map(drop).map_err(to_error)
    }
}
