//! The first beat: which cluster is meant.

use futures::future::OptionFuture;
use serde_json::Value;

use super::cloud::Answer;
use super::fault::{Fault, Kind};
use super::harvest::Outcome;
use super::kinds::{self, CLUSTER};
use super::kubernetes::{Kube, Which};
use super::openstack::Cloud;
use crate::bundle::Target;
use crate::exit::{Failure, code};
use crate::model::Doc;
use crate::model::plan::is_uuid;
use crate::model::snapshot::stack_id;

/// What the first beat found.
pub(super) struct Found {
    /// The identifiers of the cluster.
    pub(super) target: Target,
    /// Row of the Magnum cluster; none if Magnum does not have it.
    pub(super) magnum: Result<Option<Value>, Fault>,
    /// Newest microversion that Magnum knows, if it said so.
    pub(super) newest: Option<String>,
    /// Magnum's clock when it answered.
    pub(super) date: Option<String>,
    /// The Cluster object, as far as it was asked for by the word.
    pub(super) cluster: Outcome,
    /// True if the word was a name: the Cluster has another, and is yet to be read.
    pub(super) by_name: bool,
    /// Rows of all Magnum clusters, where nobody knew the one that was asked for.
    pub(super) all: Option<Vec<Value>>,
}

/// What Magnum has under a word.
#[derive(Default)]
struct Row {
    row: Option<Value>,
    newest: Option<String>,
    date: Option<String>,
    /// The row's name alone was what fitted.
    by_name: bool,
    /// All rows, if they were listed.
    all: Option<Vec<Value>>,
}

/// Finds the cluster that `word` names.
///
/// # Errors
/// No cluster, several, or not enough could be read to tell.
pub(super) async fn find(
    kube: Result<&Kube, &Fault>,
    cloud: Result<&Cloud, &Fault>,
    word: &str,
    namespace: &str,
    forgotten: bool,
) -> Result<Found, Failure> {
    let by_word = OptionFuture::from(kube.ok().map(|kube| cluster_of_word(kube, word, namespace)));
    let path = ["clusters", word];
    let by_name = OptionFuture::from(cloud.ok().map(|cloud| cloud.magnum(&path)));
    let (cluster, answer) = futures::join!(by_word, by_name);
    let unread =
        |fault: Option<&Fault>| fault.cloned().unwrap_or_else(|| Fault::new(Kind::Unreachable, "", ""));
    let mut cluster = cluster.unwrap_or_else(|| Outcome::fault(CLUSTER.part(), unread(kube.err())));
    let answer = answer.unwrap_or_else(|| Err(unread(cloud.err())));
    let guessed = object(&cluster).map(|c| (c.name().to_owned(), c.label("cluster-uuid").map(str::to_owned)));
    let magnum = match cloud {
        Ok(cloud) => {
            of_magnum(cloud, word, answer, guessed.as_ref().and_then(|(_, uuid)| uuid.as_deref())).await?
        }
        Err(fault) => Err(fault.clone()),
    };
    let (magnum, newest, date, by_name, all) = match magnum {
        Ok(Row { row, newest, date, by_name, all }) => (Ok(row), newest, date, by_name, all),
        Err(fault) => (Err(fault), None, None, false, None),
    };
    let row = magnum.as_ref().ok().and_then(Option::as_ref).map(Doc);
    let mut target = Target {
        uuid: row.and_then(|r| r.str("uuid")).map(str::to_owned),
        stack_id: row.and_then(stack_id).map(str::to_owned),
        project_id: row.and_then(|r| r.str("project_id")).map(str::to_owned),
    };
    match (&guessed, row) {
        (Some((name, Some(uuid))), Some(row)) if Some(uuid.as_str()) != row.str("uuid") => {
            return Err(two(word, row, name, uuid));
        }
        (Some((name, uuid)), _) => {
            target.stack_id.get_or_insert_with(|| name.clone());
            target.uuid = target.uuid.or_else(|| uuid.clone());
        }
        (None, Some(_)) => {}
        (None, None) if forgotten && (magnum.is_ok() || cluster.fault.is_none()) => {
            target = of_word(word);
            if let Ok(kube) = kube {
                cluster = every(kube, namespace).await;
            }
            return Ok(Found { target, magnum, newest, date, cluster, by_name: false, all });
        }
        (None, None) => return Err(nothing(word, &magnum, &cluster)),
    }
    let by_name = by_name && guessed.is_none() && (target.stack_id.is_some() || target.uuid.is_some());
    Ok(Found { target, magnum, newest, date, cluster, by_name, all: None })
}

/// The Cluster of a Magnum cluster: it is named after the stack id and labelled with the UUID.
pub(super) async fn cluster_of(kube: &Kube, target: &Target, namespace: &str) -> Outcome {
    match (&target.stack_id, &target.uuid) {
        (Some(word), _) | (None, Some(word)) => cluster_of_word(kube, word, namespace).await,
        (None, None) => Outcome::whole(CLUSTER.part()),
    }
}

/// The Cluster that a word is the name of, or the UUID.
async fn cluster_of_word(kube: &Kube, word: &str, namespace: &str) -> Outcome {
    match is_uuid(word) {
        true => {
            let labels = Some(format!("cluster-uuid={word}"));
            kube.read(&CLUSTER, &Which { namespace: Some(namespace), name: None, labels }).await
        }
        false => kube.read(&CLUSTER, &named(namespace, word)).await,
    }
}

/// A cluster that nobody knows: all there is of it is the word.
fn of_word(word: &str) -> Target {
    let word_of = |uuid: bool| (is_uuid(word) == uuid).then(|| word.to_owned());
    Target { uuid: word_of(true), stack_id: word_of(false), project_id: None }
}

/// The metadata of every Cluster of the namespace.
pub(super) async fn every(kube: &Kube, namespace: &str) -> Outcome {
    let heads = kinds::Row { head_only: true, ..CLUSTER };
    kube.read(&heads, &Which { namespace: Some(namespace), name: None, labels: None }).await
}

fn named<'a>(namespace: &'a str, name: &str) -> Which<'a> {
    Which { namespace: Some(namespace), name: Some(name.to_owned()), labels: None }
}

/// The one object in an answer.
fn object(outcome: &Outcome) -> Option<Doc<'_>> {
    let document = Doc(outcome.documents.first()?);
    if document.at("items").is_some() { document.list("items").next() } else { Some(document) }
}

/// The Magnum cluster of a word, from the answer to a GET by that word. Magnum looks up by
/// name what has not the form of a UUID, and knows no stack ids.
async fn of_magnum(
    cloud: &Cloud,
    word: &str,
    answer: Result<Answer, Fault>,
    uuid: Option<&str>,
) -> Result<Result<Row, Fault>, Failure> {
    let fault = match answer {
        Ok(answer) => return Ok(of_answer(&answer, !is_uuid(word))),
        Err(fault) => fault,
    };
    match (fault.kind, uuid) {
        (Kind::NotFound, Some(uuid)) if uuid != word => match cloud.magnum(&["clusters", uuid]).await {
            Ok(answer) => Ok(of_answer(&answer, false)),
            Err(fault) if fault.kind == Kind::NotFound => Ok(Ok(Row::default())),
            Err(fault) => Ok(Err(fault)),
        },
        (Kind::NotFound | Kind::Conflict, _) => match cloud.clusters().await {
            Ok(rows) => among(word, &rows),
            Err(fault) => Ok(Err(fault)),
        },
        _ => Ok(Err(fault)),
    }
}

fn of_answer(answer: &Answer, by_name: bool) -> Result<Row, Fault> {
    let row: Option<Value> = serde_json::from_slice(&answer.bytes).ok();
    let row = row.filter(|row| Doc(row).str("uuid").is_some());
    let no_row = || Fault::new(Kind::Unreadable, "container-infra", "the answer is no cluster");
    let row = Some(row.ok_or_else(no_row)?);
    Ok(Row { row, newest: answer.newest.clone(), date: answer.date.clone(), by_name, all: None })
}

/// The cluster of a word in the list of all: a UUID before a stack id before a name.
fn among(word: &str, rows: &[Value]) -> Result<Result<Row, Fault>, Failure> {
    let fits: [fn(Doc<'_>) -> Option<&str>; 3] = [|r| r.str("uuid"), |r| stack_id(r), |r| r.str("name")];
    for (at, key) in fits.into_iter().enumerate() {
        let found: Vec<&Value> = rows.iter().filter(|row| key(Doc(row)) == Some(word)).collect();
        match found.as_slice() {
            [] => {}
            [one] => return Ok(Ok(Row { row: Some((*one).clone()), by_name: at > 0, ..Row::default() })),
            several => return Err(ambiguous(word, several)),
        }
    }
    Ok(Ok(Row { all: Some(rows.to_vec()), ..Row::default() }))
}

fn line(row: Doc<'_>) -> String {
    let age = row.str("created_at").unwrap_or("unknown");
    let (uuid, project) = (row.text("uuid"), row.text("project_id"));
    format!("{uuid} (stack id {}, project {project}, made {age})", stack_id(row).unwrap_or("-"))
}

fn ambiguous(word: &str, several: &[&Value]) -> Failure {
    let lines: Vec<String> = several.iter().map(|row| line(Doc(row))).collect();
    Failure::new(code::NO_SUCH_CLUSTER, format!("find cluster {word:?}: {} clusters match", several.len()))
        .hint(format!("use one of these UUIDs: {}", lines.join("; ")))
}

fn two(word: &str, row: Doc<'_>, stack_id: &str, uuid: &str) -> Failure {
    Failure::new(code::NO_SUCH_CLUSTER, format!("find cluster {word:?}: 2 clusters match"))
        .hint(format!("use one of these UUIDs: {}; {uuid} (stack id {stack_id})", line(row)))
}

/// Neither side has it, or one could not be asked.
fn nothing(word: &str, magnum: &Result<Option<Value>, Fault>, cluster: &Outcome) -> Failure {
    let find = format!("find cluster {word:?}");
    match (magnum, &cluster.fault) {
        (Err(magnum), Some(kube)) => {
            Failure::new(code::NO_SOURCE, format!("{find}: {magnum}; {kube}")).hint(
                "neither Magnum nor Kubernetes could be asked; see --context and --os-cloud, or try -v",
            )
        }
        (Err(magnum), None) => Failure::new(code::NOT_ENOUGH_SEEN, format!("{find}: {magnum}")).hint(
            "Kubernetes knows no Magnum names; use the stack id, the name of the Cluster object: \
             kubectl -n magnum-system get clusters -L cluster-uuid",
        ),
        (Ok(_), Some(kube)) => {
            Failure::new(code::NOT_ENOUGH_SEEN, format!("{find}: Magnum shows this login none of that name; {kube}"))
                .hint("with access to Kubernetes a stack id can be looked up there")
        }
        (Ok(_), None) => {
            Failure::new(code::NO_SUCH_CLUSTER, format!("{find}: neither Magnum nor Kubernetes has one")).hint(
                "give the Magnum name, the Magnum UUID or the stack id; Magnum shows a login the clusters of its own \
                 project, and Kubernetes those of the namespace",
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rows() -> Vec<Value> {
        let row = |uuid: &str, stack: &str, name: &str| json!({"uuid": uuid, "cluster_id": stack, "name": name, "project_id": "p"});
        vec![
            row("u1", "kube-aaaaa", "web"),
            row("u2", "kube-bbbbb", "web"),
            row("u3", "kube-ccccc", "u1"),
            row("u4", "kube-ddddd", "kube-ccccc"),
        ]
    }

    fn check(word: &str, expected: Option<&str>) {
        let found = among(word, &rows()).ok().and_then(Result::ok).expect("one or none");
        let uuid = found.row.as_ref().map(|row| Doc(row).text("uuid").to_owned());
        assert_eq!(uuid.as_deref(), expected, "{word}");
    }

    #[test]
    fn a_uuid_goes_before_a_stack_id_before_a_name() {
        check("u1", Some("u1"));
        check("kube-ccccc", Some("u3"));
        check("kube-ddddd", Some("u4"));
        check("nothing", None);
    }

    #[test]
    fn several_of_a_name_are_listed_with_their_uuids() {
        let failure = among("web", &rows()).err().expect("a failure");
        assert_eq!(failure.code, code::NO_SUCH_CLUSTER);
        let hint = failure.hint.unwrap_or_default();
        assert!(hint.contains("u1") && hint.contains("u2") && !hint.contains("u3"), "{hint}");
    }
}
