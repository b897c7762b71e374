//! What a token says: who we are, what for, and where the services are.

use jiff::Timestamp;
use secrecy::SecretString;
use serde::Deserialize;

use super::service::Service;
use super::settings::Settings;

/// A token with what Keystone told about it.
#[derive(Debug, Clone)]
pub struct Token {
    /// The token itself.
    pub value: SecretString,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
    /// The user who logged in.
    pub user: Named,
    /// Project the token is for; none if it is for a domain, the system, or nothing.
    pub project: Option<Named>,
    /// Domain the token is for.
    pub domain: Option<Named>,
    /// True if it is for the whole system.
    pub system: bool,
    /// Names of the roles it carries, in Keystone's order.
    pub roles: Vec<String>,
    /// The services that this token can reach.
    pub catalog: Vec<CatalogEntry>,
}

/// Something with an id and a name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Named {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The domain it belongs to, where it has one.
    pub domain: Option<Box<Named>>,
}

/// One service of the catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct CatalogEntry {
    /// Service type, as the site wrote it.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its addresses.
    pub endpoints: Vec<Endpoint>,
}

/// One address of a service.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Endpoint {
    /// `public`, `internal` or `admin`.
    pub interface: String,
    /// Region; older Keystones have only this one.
    pub region: Option<String>,
    /// Region by id.
    pub region_id: Option<String>,
    /// The address.
    pub url: Option<String>,
}

/// The body of a token answer.
#[derive(Deserialize)]
struct Body {
    token: Fields,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Fields {
    expires_at: Option<String>,
    user: Named,
    project: Option<Named>,
    domain: Option<Named>,
    system: Option<serde_json::Value>,
    roles: Vec<Named>,
    catalog: Vec<CatalogEntry>,
}

impl Token {
    /// Reads the answer to a token request; the token itself comes in a header.
    #[must_use]
    pub fn read(value: SecretString, body: &[u8]) -> Option<Token> {
        let Body { token } = serde_json::from_slice(body).ok()?;
        Some(Token {
            value,
            expires_at: token.expires_at.and_then(|at| at.parse().ok()),
            user: token.user,
            project: token.project,
            domain: token.domain,
            system: token.system.is_some(),
            roles: token.roles.into_iter().map(|role| role.name).collect(),
            catalog: token.catalog,
        })
    }

    /// Whether the token carries a role, by name.
    #[must_use]
    pub fn has_role(&self, name: &str) -> bool {
        self.roles.iter().any(|role| role == name)
    }

    /// The address of a service in the cloud's region, by keystoneauth's rules
    /// (`access/service_catalog.py`): the official type before its aliases, the interfaces in
    /// the order they are configured.
    #[must_use]
    pub fn endpoint(&self, service: Service, settings: &Settings) -> Option<&str> {
        let types = service.types();
        let region = settings.of_service(types, "region_name").and_then(serde_json::Value::as_str);
        let region = region.or(settings.region.as_deref());
        let interfaces = settings.interfaces(types);
        types.iter().find_map(|kind| {
            let entries = self.catalog.iter().filter(|entry| entry.kind == *kind);
            let endpoints: Vec<&Endpoint> =
                entries.flat_map(|entry| &entry.endpoints).filter(|e| e.is_in(region)).collect();
            interfaces.iter().find_map(|wanted| {
                let fits = endpoints
                    .iter()
                    .filter(|e| e.interface.strip_suffix("URL").unwrap_or(&e.interface) == wanted);
                fits.filter_map(|e| e.url.as_deref()).find(|url| !url.is_empty())
            })
        })
    }

    /// The regions of the catalog, each once, sorted.
    #[must_use]
    pub fn regions(&self) -> Vec<&str> {
        let endpoints = self.catalog.iter().flat_map(|entry| &entry.endpoints);
        let mut regions: Vec<&str> = endpoints.filter_map(Endpoint::region).collect();
        regions.sort_unstable();
        regions.dedup();
        regions
    }

    /// The service types of the catalog, each once, sorted.
    #[must_use]
    pub fn services(&self) -> Vec<&str> {
        let mut kinds: Vec<&str> = self.catalog.iter().map(|entry| entry.kind.as_str()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }
}

impl Endpoint {
    fn region(&self) -> Option<&str> {
        self.region.as_deref().or(self.region_id.as_deref())
    }

    fn is_in(&self, region: Option<&str>) -> bool {
        region.is_none_or(|wanted| self.region() == Some(wanted))
    }
}
