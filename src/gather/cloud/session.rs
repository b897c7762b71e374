//! A login to one cloud and region, and questions to its services.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use reqwest::{Client, RequestBuilder, Url};
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::answer::{Answer, Pages};
use super::auth::{self, Keystone};
use super::clouds::Cloud;
use super::http;
use super::said;
use super::service::{Ask, Service};
use super::settings::Settings;
use super::token::Token;
use crate::exit::Failure;
use crate::gather::fault::{Fault, Kind};
use crate::gather::host::Host;
use crate::gather::limits::Limits;

/// Requests to one service at the same time; more makes small clouds slower, not faster.
const AT_ONCE: usize = 8;

/// A list ends here at the latest: at the services' usual page of 1,000 that is 100,000 rows.
const MOST_PAGES: usize = 100;

/// A login to a cloud. Clones share it.
#[derive(Clone)]
pub struct Session {
    inner: openstack::session::Session,
    keystone: Keystone,
    token: Arc<Token>,
    turns: Arc<BTreeMap<Service, Semaphore>>,
}

impl Session {
    /// Logs in. One request, two for OpenID Connect with a scope.
    ///
    /// # Errors
    /// A certificate file is unusable, Keystone cannot be reached or does not let us in, or
    /// its catalog does not have the region.
    pub async fn connect(cloud: &Cloud, host: &Host, limits: &Limits) -> Result<Session, Failure> {
        Ok(Session::log_in(cloud, host, limits).await??)
    }

    /// The same, with Keystone's refusals told from mistakes in the configuration.
    ///
    /// # Errors
    /// Outside: a certificate file is unusable. Inside: Keystone cannot be reached, does not let
    /// us in, or its catalog does not have the region.
    pub async fn log_in(
        cloud: &Cloud,
        host: &Host,
        limits: &Limits,
    ) -> Result<Result<Session, Fault>, Failure> {
        let settings = Arc::new(cloud.settings.clone());
        let client = http::client(&settings.tls, host, limits)?;
        Ok(Session::with(client, settings).await)
    }

    async fn with(client: Client, settings: Arc<Settings>) -> Result<Session, Fault> {
        let keystone = Keystone::new(Arc::clone(&settings));
        let token = keystone.token(&client).await?;
        let regions = token.regions();
        if let Some(region) = settings.region.as_deref()
            && !regions.is_empty()
            && !regions.contains(&region)
        {
            let fault =
                Fault::new(Kind::NoService, "keystone", format!("the catalog has no region '{region}'"));
            return Err(fault.hint(format!("regions, written exactly so: {}", regions.join(", "))));
        }
        let inner = openstack::session::Session::new_with_client(client, keystone.clone()).await;
        let inner = inner.map_err(|error| Fault::new(Kind::Unreachable, "keystone", error.to_string()))?;
        let turns = Service::ALL.map(|service| (service, Semaphore::new(AT_ONCE)));
        Ok(Session { inner, keystone, token, turns: Arc::new(turns.into()) })
    }

    /// What the token says about us and the cloud.
    #[must_use]
    pub fn token(&self) -> &Token {
        &self.token
    }

    /// The region whose endpoints are used, if one is configured.
    #[must_use]
    pub fn region(&self) -> Option<&str> {
        self.keystone.region()
    }

    /// The address of a service, as the catalog or the configuration has it.
    ///
    /// # Errors
    /// [`Kind::NoService`] if neither has one.
    pub fn endpoint(&self, service: Service) -> Result<String, Fault> {
        self.keystone.endpoint(&self.token, service)
    }

    /// Asks one question.
    ///
    /// # Errors
    /// A status that is not 2xx, a body that is not JSON, or no whole answer.
    pub async fn get(&self, ask: &Ask) -> Result<Answer, Fault> {
        let url = self.url(ask)?;
        self.get_url(ask, url).await
    }

    /// Asks for a list and follows its pages. Of the link to the next page only the query is
    /// used: services behind a proxy write links to hosts and schemes that do not exist
    /// outside, and a token must not follow a link to another server.
    pub async fn list(&self, ask: &Ask) -> Pages {
        let mut pages = Pages::default();
        let mut url = match self.url(ask) {
            Ok(url) => url,
            Err(fault) => return Pages { fault: Some(fault), ..pages },
        };
        let mut seen: Vec<Url> = Vec::new();
        loop {
            if seen.contains(&url) || seen.len() >= MOST_PAGES {
                let says = format!("the list does not end after {} pages", seen.len());
                pages.fault = Some(Fault::new(Kind::TooLarge, ask.service.word(), says));
                return pages;
            }
            seen.push(url.clone());
            match self.get_url(ask, url.clone()).await {
                Ok(answer) => {
                    let next = next_query(&answer.bytes);
                    pages.answers.push(answer);
                    match next {
                        Some(query) => url.set_query(Some(&query)),
                        None => return pages,
                    }
                }
                Err(fault) => {
                    pages.fault = Some(fault);
                    return pages;
                }
            }
        }
    }

    /// The last lines of a server's console. Nova has an action for it, the only POST beside
    /// the login; it changes nothing.
    ///
    /// # Errors
    /// As [`Session::get`]; [`Kind::Conflict`] for a server that has no console yet.
    pub async fn console(&self, server: &str, lines: u32) -> Result<Answer, Fault> {
        let ask = Ask::new(Service::Compute, &["servers", server, "action"]);
        let url = self.url(&ask)?;
        let body = json!({ "os-getConsoleOutput": { "length": lines } });
        self.send(&ask, self.client().post(url).json(&body)).await
    }

    fn client(&self) -> &Client {
        self.inner.client().inner()
    }

    fn url(&self, ask: &Ask) -> Result<Url, Fault> {
        let endpoint = self.endpoint(ask.service)?;
        let project = self.token.project.as_ref().map(|project| project.id.as_str());
        ask.url(&endpoint, project).ok_or_else(|| {
            let says = format!("no URL can be made of the endpoint and '{}'", ask.path.join("/"));
            Fault::new(Kind::Refused, ask.service.word(), says)
        })
    }

    async fn get_url(&self, ask: &Ask, url: Url) -> Result<Answer, Fault> {
        self.send(ask, self.client().get(url)).await
    }

    async fn send(&self, ask: &Ask, request: RequestBuilder) -> Result<Answer, Fault> {
        let word = ask.service.word();
        let refused = |why: String| Fault::new(Kind::Refused, word, why);
        // The semaphores are never closed; without one the request goes out all the same.
        let _turn = match self.turns.get(&ask.service) {
            Some(turns) => turns.acquire().await.ok(),
            None => None,
        };
        let mut request = request.header("Accept", "application/json");
        if let Some(version) = ask.microversion.as_deref().or(ask.service.usual_microversion()) {
            request =
                request.header("OpenStack-API-Version", format!("{} {version}", ask.service.version_word()));
            if ask.service == Service::Compute {
                // Novas before 2.27 know only this header.
                request = request.header("X-OpenStack-Nova-API-Version", version);
            }
        }
        let request = self.inner.auth_type().authenticate(self.client(), request).await;
        let request = request.map_err(|error| refused(error.to_string()))?;
        let request = request.build().map_err(|error| refused(error.without_url().to_string()))?;
        let raw = http::send(self.client(), request, word).await.map_err(|fault| self.clean(fault))?;
        let answer = raw.answer;
        if !(200..300).contains(&answer.status) {
            let fault = said::of_answer(word, answer.status, &answer.bytes, answer.request_id);
            return Err(self.clean(fault));
        }
        if serde_json::from_slice::<IgnoredAny>(&answer.bytes).is_err() {
            let mut fault = Fault::new(Kind::Unreadable, word, "the answer is not JSON");
            fault.status = Some(answer.status);
            fault.request_id = answer.request_id;
            return Err(fault);
        }
        Ok(answer)
    }

    fn clean(&self, fault: Fault) -> Fault {
        let mut fault = self.keystone.clean(fault);
        fault.says = auth::without(&fault.says, &self.token.value);
        fault
    }
}

/// Query of the next page, if a body names one.
fn next_query(body: &[u8]) -> Option<String> {
    let Next(href) = serde_json::from_slice(body).ok()?;
    let href = href?;
    let (_, query) = href.split_once('?')?;
    let query = query.split('#').next().unwrap_or_default();
    (!query.is_empty()).then(|| query.to_owned())
}

/// Link to the next page: `<name>_links` with `rel: next` (Nova, Neutron, Octavia, Cinder),
/// `next` (Magnum, Glance), `links.next` (Keystone). The rows are passed over, not parsed:
/// a list has megabytes of them.
struct Next(Option<String>);

impl<'de> Deserialize<'de> for Next {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Fields)
    }
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Next;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the body of a list")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Next, A::Error> {
        let mut next = None;
        while let Some(key) = map.next_key::<String>()? {
            if key == "next" || key == "links" || key.ends_with("_links") {
                next = next_of(&map.next_value::<Value>()?).or(next);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Next(next))
    }
}

fn next_of(value: &Value) -> Option<String> {
    let linked = || {
        let next = value.as_array()?.iter().find(|link| link.get("rel").is_some_and(|rel| rel == "next"))?;
        next.get("href")?.as_str()
    };
    let nested = || value.get("next")?.as_str();
    value.as_str().or_else(nested).or_else(linked).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, expected: Option<&str>) {
        assert_eq!(next_query(body.as_bytes()).as_deref(), expected, "{body}");
    }

    #[test]
    fn every_way_to_name_the_next_page() {
        let links = r#"{"ports": [], "ports_links": [{"rel": "previous", "href": "http://x/p?a=1"},
                        {"rel": "next", "href": "http://x/p?limit=2&marker=m"}]}"#;
        check(links, Some("limit=2&marker=m"));
        check(r#"{"clusters": [], "next": "http://other:9511/v1/clusters?marker=u"}"#, Some("marker=u"));
        check(r#"{"images": [], "next": "/v2/images?marker=i", "first": "/v2/images"}"#, Some("marker=i"));
        check(r#"{"projects": [], "links": {"next": null, "self": "http://k/v3/projects"}}"#, None);
        check(r#"{"ports": [], "ports_links": [{"rel": "previous", "href": "http://x/p?a=1"}]}"#, None);
        check(r#"{"next": "http://x/p"}"#, None);
        check("[]", None);
    }
}
