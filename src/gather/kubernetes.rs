//! Questions to the API server of the management cluster.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use futures::AsyncBufRead;
use http_body_util::BodyExt;
use jiff::Timestamp;
use kube::client::Body;
use kube::core::Status;
use reqwest::Url;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::clock::Clock;
use super::fault::{Fault, Kind};
use super::harvest::Outcome;
use super::kinds::{Ask, Row, ask};
use super::kube_fault;

/// Name of the API server in messages.
const KUBERNETES: &str = "kubernetes";

/// Requests at the same time.
const AT_ONCE: usize = 24;

/// Objects on one page of a list, as kubectl asks for them.
const PAGE: &str = "500";

/// A list ends here at the latest.
const MOST_PAGES: usize = 200;

/// A page beyond this is not read: 500 objects at the 1.5 MB that etcd takes at most would be
/// more, but the largest real ones, Machines and events, have some kilobytes each.
const LARGEST_ANSWER: usize = 64 * 1024 * 1024;

/// Asks for the metadata of objects alone.
const HEADS: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
const HEAD: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";

/// An API server that may be asked.
pub struct Kube {
    client: kube::Client,
    answer: Duration,
    clock: Clock,
    turns: Semaphore,
    /// Versions that each group is served in; none if `/apis` may not be read.
    served: Option<BTreeMap<String, Vec<String>>>,
    /// When it answered first, by its own clock, and by ours.
    pub date: Option<(Timestamp, Timestamp)>,
}

/// Which objects of a kind.
#[derive(Debug, Clone)]
pub struct Which<'a> {
    /// Namespace; none for all.
    pub namespace: Option<&'a str>,
    /// One object by name, in place of a list.
    pub name: Option<String>,
    /// Label selector.
    pub labels: Option<String>,
}

impl Kube {
    /// Connects: one `/apis`.
    ///
    /// # Errors
    /// The server cannot be reached or does not let us in. That `/apis` may not be read is none.
    pub async fn connect(config: kube::Config, answer: Duration, clock: &Clock) -> Result<Kube, Fault> {
        let client = kube::Client::try_from(config).map_err(|error| kube_fault::of(&error))?;
        let turns = Semaphore::new(AT_ONCE);
        let mut kube = Kube { client, answer, clock: clock.clone(), turns, served: None, date: None };
        let ours = Timestamp::now();
        match kube.get(&["apis"], &[], "application/json").await {
            Ok((groups, date)) => {
                kube.date = date.map(|date| (date, ours));
                kube.served = Some(served(&groups).ok_or_else(|| {
                    Fault::new(
                        Kind::Unreadable,
                        KUBERNETES,
                        "the list of API groups is none; is it the API server?",
                    )
                })?);
                Ok(kube)
            }
            Err(fault) if matches!(fault.status, Some(403 | 404 | 406)) => Ok(kube),
            Err(fault) => Err(fault),
        }
    }

    /// The run's time.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Version of the API server, as `v1.33.4`.
    ///
    /// # Errors
    /// It does not say.
    pub async fn version(&self) -> Result<String, Fault> {
        let (answer, _) = self.get(&["version"], &[], "application/json").await?;
        let version = answer.get("gitVersion").and_then(Value::as_str).map(str::to_owned);
        let none = || Fault::new(Kind::Unreadable, KUBERNETES, "the answer to /version has no gitVersion");
        version.ok_or_else(none)
    }

    /// Reads the objects of a kind, a page at a time.
    pub async fn read(&self, row: &Row, which: &Which<'_>) -> Outcome {
        let part = row.part();
        let served = self.served.as_ref().and_then(|groups| groups.get(row.group));
        let versions = match ask(row, served.map(Vec::as_slice), self.served.is_some()) {
            Ask::Empty => return Outcome::whole(part),
            Ask::TooNew(newer) => {
                let says = format!(
                    "{} is served as {} only, which this version does not know",
                    row.kind,
                    newer.join(", ")
                );
                return Outcome::fault(part, Fault::new(Kind::Unreadable, KUBERNETES, says));
            }
            Ask::Versions(versions) => versions,
        };
        let mut last = Outcome::whole(part);
        for version in versions.into_iter().take(if self.served.is_some() { 2 } else { 3 }) {
            last = self.read_version(row, version, which).await;
            if last.fault.as_ref().is_none_or(|fault| fault.kind != Kind::NotFound) {
                return last;
            }
            if which.name.is_some() && self.served.is_some() {
                break;
            }
        }
        // Not found in any version: the kind, or the object, is not there.
        last.fault = None;
        last
    }

    async fn read_version(&self, row: &Row, version: &str, which: &Which<'_>) -> Outcome {
        let mut outcome = Outcome::whole(row.part());
        let mut path =
            if row.group.is_empty() { vec!["api", version] } else { vec!["apis", row.group, version] };
        if let Some(namespace) = which.namespace {
            path.extend(["namespaces", namespace]);
        }
        path.push(row.plural);
        path.extend(which.name.as_deref());
        let mut query = Vec::new();
        if which.name.is_none() {
            query.push(("limit", PAGE.to_owned()));
            query.extend(which.labels.iter().map(|labels| ("labelSelector", labels.clone())));
        }
        let accept = match (row.head_only, which.name.is_some()) {
            (false, _) => "application/json",
            (true, false) => HEADS,
            (true, true) => HEAD,
        };
        for _ in 0..MOST_PAGES {
            match self.get(&path, &query, accept).await {
                Ok((mut answer, _)) => {
                    let next =
                        answer.pointer("/metadata/continue").and_then(Value::as_str).unwrap_or_default();
                    let next = (which.name.is_none() && !next.is_empty()).then(|| next.to_owned());
                    typed(&mut answer, row, version);
                    outcome.documents.push(answer);
                    let Some(next) = next else { return outcome };
                    query.retain(|(key, _)| *key != "continue");
                    query.push(("continue", next));
                }
                Err(fault) => return Outcome { fault: Some(fault), ..outcome },
            }
        }
        let says = format!("the list of {} does not end", row.plural);
        Outcome { fault: Some(Fault::new(Kind::TooLarge, KUBERNETES, says)), ..outcome }
    }

    /// The log of a container, as it streams in. The run's deadline is the caller's to keep.
    ///
    /// # Errors
    /// The server does not give it.
    pub async fn log(
        &self,
        path: &[&str],
        query: &[(&str, String)],
    ) -> Result<impl AsyncBufRead + use<>, Fault> {
        let _turn = self.turns.acquire().await.ok();
        let url = url(path, query);
        let start = Instant::now();
        let asked = async { self.client.request_stream(request(&url, "*/*")?).await };
        let result = asked.await.map_err(|error| kube_fault::of(&error));
        let status = result.as_ref().map_or_else(|fault| fault.status.unwrap_or(0), |_| 200);
        tracing::debug!(service = KUBERNETES, method = "GET", %url, status, ms = millis(start), "asked");
        result
    }

    async fn get(
        &self,
        path: &[&str],
        query: &[(&str, String)],
        accept: &str,
    ) -> Result<(Value, Option<Timestamp>), Fault> {
        let url = url(path, query);
        let ask = async || {
            let _turn = self.turns.acquire().await.ok();
            let start = Instant::now();
            let result = timeout(self.answer, self.ask(&url, accept)).await;
            let status = match &result {
                Ok(Ok((status, ..))) => *status,
                Ok(Err(kube::Error::Api(status))) => status.code,
                _ => 0,
            };
            tracing::debug!(service = KUBERNETES, method = "GET", %url, status, ms = millis(start), "asked");
            match result {
                Ok(Ok((_, Some(value), date))) => Ok(Ok((value, date))),
                Ok(Ok((_, None, _))) => {
                    let says = format!("the answer has more than {} MB", LARGEST_ANSWER / 1024 / 1024);
                    Ok(Err(Fault::new(Kind::TooLarge, KUBERNETES, says)))
                }
                Ok(Err(error)) => Err(error),
                Err(_) => Ok(Err(Fault::new(
                    Kind::TimedOut,
                    KUBERNETES,
                    format!("no whole answer within {}s", self.answer.as_secs_f32()),
                ))),
            }
        };
        let answer = async {
            match kube_fault::once_more(ask).await {
                Ok(answer) => answer,
                Err(error) => Err(kube_fault::of(&error)),
            }
        };
        self.clock.limit(KUBERNETES, answer).await
    }

    /// Status, body and clock of an answer; no body if it is beyond [`LARGEST_ANSWER`].
    async fn ask(&self, url: &str, accept: &str) -> kube::Result<(u16, Option<Value>, Option<Timestamp>)> {
        let response = self.client.send(request(url, accept)?.map(Body::from)).await?;
        let status = response.status();
        let date = response.headers().get(http::header::DATE).and_then(|date| date.to_str().ok());
        let date = date.and_then(super::clock::date);
        let Some(bytes) = bounded(response.into_body()).await? else {
            return Ok((status.as_u16(), None, date));
        };
        if !status.is_success() {
            let said = serde_json::from_slice::<Status>(&bytes);
            let said = said.unwrap_or_else(|_| Status::failure(&String::from_utf8_lossy(&bytes), ""));
            return Err(kube::Error::Api(Box::new(said.with_code(status.as_u16()))));
        }
        let value = serde_json::from_slice(&bytes).map_err(kube::Error::SerdeError)?;
        Ok((status.as_u16(), Some(value), date))
    }
}

/// The bytes of a body; none if there are more than [`LARGEST_ANSWER`], which are not read on.
async fn bounded(mut body: Body) -> kube::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        if let Ok(piece) = frame?.into_data() {
            if bytes.len() + piece.len() > LARGEST_ANSWER {
                return Ok(None);
            }
            bytes.extend_from_slice(&piece);
        }
    }
    Ok(Some(bytes))
}

fn millis(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)
}

fn request(url: &str, accept: &str) -> kube::Result<http::Request<Vec<u8>>> {
    let request = http::Request::get(url).header(http::header::ACCEPT, accept);
    request.body(Vec::new()).map_err(kube::Error::HttpError)
}

/// Path and query with everything encoded that has to be.
fn url(path: &[&str], query: &[(&str, String)]) -> String {
    let Ok(mut url) = Url::parse("http://server/") else { return "/".to_owned() };
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.clear().extend(path);
    }
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    format!("{}{query}", url.path())
}

/// Groups and their versions out of an APIGroupList; none if it is something else.
fn served(groups: &Value) -> Option<BTreeMap<String, Vec<String>>> {
    let text = |value: &Value, key: &str| Some(value.get(key)?.as_str()?.to_owned());
    let group = |group: &Value| {
        let versions = group.get("versions")?.as_array()?.iter();
        Some((text(group, "name")?, versions.filter_map(|version| text(version, "version")).collect()))
    };
    Some(groups.get("groups")?.as_array()?.iter().filter_map(group).collect())
}

/// Says again what the objects of an answer are: a list of metadata calls them all
/// PartialObjectMetadata.
fn typed(answer: &mut Value, row: &Row, version: &str) {
    let name = |value: &mut Value, kind: String| {
        if let Some(object) = value.as_object_mut() {
            object.insert("kind".to_owned(), Value::from(kind));
            object.insert("apiVersion".to_owned(), Value::from(row.api_version(version)));
        }
    };
    if let Some(items) = answer.get_mut("items").and_then(Value::as_array_mut) {
        items.iter_mut().for_each(|item| name(item, row.kind.to_owned()));
    }
    let list = answer.get("kind").and_then(Value::as_str).is_some_and(|kind| kind.ends_with("List"));
    name(answer, format!("{}{}", row.kind, if list { "List" } else { "" }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn urls_are_encoded() {
        let query = [("labelSelector", "a/b=c,d".to_owned())];
        assert_eq!(url(&["api", "v1", "pods"], &query), "/api/v1/pods?labelSelector=a%2Fb%3Dc%2Cd");
        assert_eq!(url(&["apis", "a b", "x/y"], &[]), "/apis/a%20b/x%2Fy");
    }

    #[test]
    fn heads_are_called_by_their_kind() {
        let row = super::super::kinds::KINDS.iter().find(|row| row.kind == "ClusterClass").expect("row");
        let mut list = json!({"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1",
            "items": [{"kind": "PartialObjectMetadata", "metadata": {"name": "m"}}]});
        typed(&mut list, row, "v1beta1");
        assert_eq!(list["kind"], "ClusterClassList");
        assert_eq!(list["items"][0]["kind"], "ClusterClass");
        assert_eq!(list["items"][0]["apiVersion"], "cluster.x-k8s.io/v1beta1");
        let mut one = json!({"kind": "PartialObjectMetadata", "metadata": {"name": "m"}});
        typed(&mut one, row, "v1beta1");
        assert_eq!(one["kind"], "ClusterClass");
    }
}
