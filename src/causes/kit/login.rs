//! What became of the cluster's own login to OpenStack.
//!
//! CAPO logs in with the application credential in the Secret `<stack id>-cloud-config`,
//! one Secret for all objects of the cluster. So the newest answer counts, whichever
//! object it was given for. A fresh login fails with `providerClient authentication err`
//! and leaves no condition; a cached client fails with `Unable to re-authenticate`, a 401
//! of any service followed by Keystone's own answer, which is the one that matters.
//!
//! Sources: kubernetes-sigs/cluster-api-provider-openstack pkg/scope/provider.go;
//! gophercloud/gophercloud provider_client.go; openstack/keystone keystone/exception.py.

use jiff::{SignedDuration, Timestamp};

use super::{age, evidence_of, plural, seen};
use crate::causes::{Finding, Step};
use crate::model::action::Action;
use crate::model::api_error::{self, Failing, Service};
use crate::model::{Doc, Message, Seen, Snapshot, Source};
use crate::report::{Evidence, Recovers};

/// Parts from which a failed login is known.
pub const PARTS: [&str; 5] = [
    "log:infrastructure-openstack",
    "kubernetes/cluster",
    "kubernetes/openstackcluster",
    "kubernetes/openstackmachine",
    "kubernetes/openstackserver",
];

/// How a login failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Keystone has no application credential of that id.
    NoCredential(String),
    /// Keystone has no project of that id.
    NoProject(String),
    /// A plain 401, which does not tell why.
    Refused,
    /// The Secret with the login is missing.
    NoSecret,
    /// Something else: no connection, no trust, a fault of Keystone.
    Other,
}

/// The newest failed login of a cluster.
#[derive(Debug)]
pub struct Login<'a> {
    /// How it failed.
    pub answer: Answer,
    /// Everything that says the same.
    pub messages: Vec<&'a Message>,
    /// False if it cannot carry certainty.
    pub sound: bool,
}

/// The newest failed login, if nothing succeeded since and CAPO still has objects of the
/// cluster to work on.
#[must_use]
pub fn failed<'a>(snapshot: &'a Snapshot<'_>) -> Option<Login<'a>> {
    let messages = snapshot.said.messages.iter().filter(|m| m.current() && of_capo(m));
    let answers: Vec<(&Message, Answer)> = messages.filter_map(|m| Some((m, answer(snapshot, m)?))).collect();
    let (_, newest) = answers.iter().max_by_key(|(m, _)| moment(m))?;
    let newest = newest.clone();
    let messages: Vec<&Message> = answers.into_iter().filter(|(_, a)| *a == newest).map(|(m, _)| m).collect();
    let there = at_work(snapshot)?;
    let sound = there && messages.iter().any(|m| !m.weak);
    Some(Login { answer: newest, messages, sound })
}

/// True for what CAPO says: its own log, and conditions that it or Cluster API copied.
#[must_use]
pub fn of_capo(message: &Message) -> bool {
    match message.source {
        Source::Condition(..) | Source::Failure => true,
        Source::Log(_) | Source::Event(_) => message.kind.starts_with("OpenStack"),
        _ => false,
    }
}

/// When a message began to hold (a condition) or was last said (all others).
#[must_use]
pub fn moment(message: &Message) -> Timestamp {
    message.since.filter(|_| message.state()).unwrap_or(message.last)
}

/// `Some(true)` if an object of CAPO's is there, `Some(false)` if that was not read;
/// nothing if there is none any more.
fn at_work(snapshot: &Snapshot<'_>) -> Option<bool> {
    let kube = &snapshot.kube;
    let lists = [&kube.openstack_clusters, &kube.openstack_machines, &kube.openstack_servers];
    if lists.iter().any(|list| !list.some().is_empty()) {
        return Some(true);
    }
    (!lists.iter().all(|list| list.whole())).then_some(false)
}

fn answer(snapshot: &Snapshot<'_>, message: &Message) -> Option<Answer> {
    let secret = format!("\"{}-cloud-config\" not found", snapshot.marks.stack_id.as_deref()?);
    if message.text.contains(&secret) {
        return Some(Answer::NoSecret);
    }
    let api = message.api.as_ref()?;
    let tokens = api.path.as_deref().is_some_and(|path| path.ends_with("/auth/tokens"));
    let login = tokens
        || ["providerClient authentication err", "Unable to re-authenticate"].iter().any(|w| message.has(w));
    if !login || !matches!(api.service, Service::Keystone | Service::Unknown) {
        return None;
    }
    let text = api.text.as_deref().unwrap_or_default();
    Some(match api.failing {
        Failing::Http(401) => Answer::Refused,
        Failing::Http(404) => id_after(text, "Could not find Application Credential: ")
            .map(Answer::NoCredential)
            .or_else(|| id_after(text, "Could not find project: ").map(Answer::NoProject))
            .unwrap_or(Answer::Other),
        _ => Answer::Other,
    })
}

fn id_after(text: &str, words: &str) -> Option<String> {
    let (_, rest) = text.split_once(words)?;
    let id = rest.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_')).next()?;
    (!id.is_empty()).then(|| id.to_owned())
}

/// What a Keystone list says of one row.
#[derive(Debug, Clone, Copy)]
pub enum Known<'w> {
    /// It is there.
    There(Doc<'w>),
    /// The whole list was read and it is not in it.
    Gone,
    /// Not known.
    Unread,
}

impl Known<'_> {
    /// True if it is there and switched off.
    #[must_use]
    pub fn disabled(&self) -> bool {
        self.enabled() == Some(false)
    }

    /// The row's `enabled`, if it was read.
    #[must_use]
    pub fn enabled(&self) -> Option<bool> {
        let Known::There(row) = self else { return None };
        row.at("enabled").and_then(serde_json::Value::as_bool)
    }

    /// True if it is known to be gone.
    #[must_use]
    pub fn gone(&self) -> bool {
        matches!(self, Known::Gone)
    }
}

fn known<'w>(list: &Seen<Doc<'w>>, key: &str, wanted: Option<&str>) -> Known<'w> {
    let Some(wanted) = wanted else { return Known::Unread };
    match list.some().iter().find(|row| row.str(key) == Some(wanted)) {
        Some(row) => Known::There(*row),
        None if list.whole() => Known::Gone,
        None => Known::Unread,
    }
}

/// The user that made the cluster and owns its credential.
#[must_use]
pub fn owner<'w>(snapshot: &Snapshot<'w>) -> Known<'w> {
    known(&snapshot.cloud.users, "id", snapshot.user_id())
}

/// The cluster's project.
#[must_use]
pub fn project<'w>(snapshot: &Snapshot<'w>) -> Known<'w> {
    known(&snapshot.cloud.projects, "id", snapshot.project_id())
}

/// The application credential that the driver made: it has the Magnum UUID as its name.
/// Source: vexxhost/magnum-cluster-api magnum_cluster_api/resources.py.
#[must_use]
pub fn credential<'w>(snapshot: &Snapshot<'w>) -> Known<'w> {
    known(&snapshot.cloud.credentials, "name", snapshot.marks.uuid.as_deref())
}

/// Names of the roles that the credential carries, else those that the driver needs.
#[must_use]
pub fn roles(snapshot: &Snapshot<'_>) -> Vec<String> {
    let Known::There(row) = credential(snapshot) else {
        return vec!["member".to_owned(), "load-balancer_member".to_owned()];
    };
    let mut roles: Vec<String> = row.list("roles").filter_map(|r| r.str("name").map(str::to_owned)).collect();
    roles.sort();
    roles
}

/// The owner by name and id.
#[must_use]
pub fn owner_words(snapshot: &Snapshot<'_>) -> String {
    let id = snapshot.user_id();
    match (owner(snapshot), id) {
        (Known::There(row), Some(id)) => format!("\"{}\" ({id})", row.str("name").unwrap_or(id)),
        (_, Some(id)) => id.to_owned(),
        (_, None) => "who owns the cluster".to_owned(),
    }
}

/// The headline with what follows from it, how often it was said, the evidence and the end.
#[must_use]
pub fn finding(snapshot: &Snapshot<'_>, login: &Login<'_>, headline: String) -> Finding {
    let mut finding = Finding::new(headline).says(follows(snapshot)).says(refused(snapshot, login)).recovers(
        Recovers::AfterFix,
        "Once the login works again CAPO goes on by itself, up to about ten minutes later; no restart is needed.",
    );
    for message in &login.messages {
        finding = finding.about(super::subject(message));
    }
    for evidence in evidence_of(snapshot, &login.messages).into_iter().take(3) {
        finding = finding.evidence(evidence);
    }
    finding = finding.value("user", snapshot.user_id().unwrap_or("<user id of the owner>"));
    if let Some(service) = misleading(&login.messages) {
        finding = finding.not_it(
            format!("the 401 of {service} in the same sentence"),
            "it only says that the old token is no longer taken; Keystone's answer behind it is the cause",
        );
    }
    if snapshot.initialised() == Some(true) && snapshot.action != Action::Delete {
        finding = finding.flag("running");
    }
    finding.likely_if(!login.sound)
}

fn follows(snapshot: &Snapshot<'_>) -> &'static str {
    if snapshot.action == Action::Delete {
        "CAPO cannot log in, so nothing of this cluster can be deleted: its objects wait with their finalizers, and what it has in OpenStack stays."
    } else {
        "CAPO cannot log in, so nothing of this cluster is made, changed or deleted; conditions from before may still look good."
    }
}

fn refused(snapshot: &Snapshot<'_>, login: &Login<'_>) -> String {
    let times: usize = login.messages.iter().filter(|m| m.logged()).map(|m| m.times).sum();
    let first = login.messages.iter().filter_map(|m| m.since).min();
    let since = first.map(|at| age(snapshot.age(at)));
    match (times, since) {
        (0, Some(since)) => format!("This has been so for at least {since}."),
        (0, None) => "A condition says so.".to_owned(),
        (times, since) => {
            let last = login.messages.iter().filter(|m| m.logged()).map(|m| m.last).max();
            let last = last.map(|at| age(snapshot.age(at))).unwrap_or_default();
            let since = since.map(|s| format!(", first {s} ago")).unwrap_or_default();
            format!("CAPO's log has it {}{since}, last {last} ago.", plural(times, "time", "times"))
        }
    }
}

/// The service whose 401 stands before Keystone's answer.
fn misleading(messages: &[&Message]) -> Option<&'static str> {
    messages.iter().find_map(|m| {
        let chain = api_error::chain(&m.text);
        let first = chain.first()?;
        let other = chain.len() > 1 && first.status() == Some(401) && first.service != Service::Keystone;
        other.then(|| first.service.word())
    })
}

/// The owner's row as evidence.
#[must_use]
pub fn owner_evidence(snapshot: &Snapshot<'_>) -> Option<Evidence> {
    let id = snapshot.user_id()?;
    row_evidence("user", id, owner(snapshot), &format!("openstack user show {id}"))
}

/// The project's row as evidence.
#[must_use]
pub fn project_evidence(snapshot: &Snapshot<'_>) -> Option<Evidence> {
    let id = snapshot.project_id()?;
    row_evidence("project", id, project(snapshot), &format!("openstack project show {id}"))
}

/// The credential's row as evidence.
#[must_use]
pub fn credential_evidence(snapshot: &Snapshot<'_>) -> Option<Evidence> {
    let uuid = snapshot.marks.uuid.as_deref()?;
    let place = format!("openstack application credential list --user {}", snapshot.user_id()?);
    row_evidence("application credential", uuid, credential(snapshot), &place)
}

fn row_evidence(kind: &str, id: &str, row: Known<'_>, place: &str) -> Option<Evidence> {
    let words = match row {
        Known::Unread => return None,
        Known::Gone => format!("none with {} {id}", if kind.contains(' ') { "name" } else { "id" }),
        Known::There(row) => {
            let enabled = row.at("enabled").map(|e| format!(", enabled {e}")).unwrap_or_default();
            format!("{} {}{enabled}", row.text("id"), row.text("name"))
        }
    };
    Some(seen(format!("Keystone, {kind}"), place, words))
}

/// True if the credential's end has passed; the driver sets none.
#[must_use]
pub fn expired(snapshot: &Snapshot<'_>) -> bool {
    let Known::There(row) = credential(snapshot) else { return false };
    row.time("expires_at").is_some_and(|at| snapshot.taken_at.duration_since(at) > SignedDuration::ZERO)
}

/// Reads the login out of the Secret into a file that nobody else can read.
pub const READ: Step =
    Step::say("read the login of the cluster out of its Secret, into a file that only you can read").run(&[
        "umask 077",
        "kubectl -n {namespace} get secret {stack_id}-cloud-config -o jsonpath='{.data.clouds\\.yaml}' | base64 -d > {stack_id}-clouds.yaml",
    ]);

/// Makes a new credential; its secret goes into a file, not on the screen.
pub const MAKE: Step = Step::say(
    "make a new application credential with the Magnum UUID as its name, so that the driver removes it with the cluster; Keystone tells its secret only once, so it goes into a file",
)
.run(&[
    "umask 077",
    "openstack application credential create --description \"Magnum cluster ({uuid})\" -f json {uuid} > credential.json",
]);

/// Puts id and secret of the new credential into the Secret and removes the files.
pub const PUT: Step = Step::say("put its id and its secret into the login, write the Secret, and remove the files").run(&[
    "sed -i -e \"s/\\(application_credential_id: *\\).*/\\1$(jq -r '.id // .ID' credential.json)/\" -e \"s/\\(application_credential_secret: *\\).*/\\1$(jq -r '.secret // .Secret' credential.json)/\" {stack_id}-clouds.yaml",
    "printf '{\"data\":{\"clouds.yaml\":\"%s\"}}' \"$(base64 -w0 < {stack_id}-clouds.yaml)\" > patch.json",
    "kubectl -n {namespace} patch secret {stack_id}-cloud-config --type merge --patch-file patch.json",
    "rm {stack_id}-clouds.yaml credential.json patch.json",
]);

/// For clusters that run: what works inside them uses the same credential.
pub const INSIDE: Step = Step::say(
    "the cluster's own cloud provider and volume drivers log in with the same credential: an upgrade to the same cluster template has it written there too (it may replace the nodes)",
)
.run(&["openstack coe cluster show -c cluster_template_id {uuid}"])
.when("running");
