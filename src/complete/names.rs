//! Names that only the servers know, within a time that a waiting hand bears.

use std::collections::BTreeSet;
use std::future::Future;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::cache::Cache;
use crate::diagnose;
use crate::gather::cloud::CloudOptions;
use crate::gather::host::Host;
use crate::gather::kubeconfig::KubeOptions;
use crate::gather::{Clock, Request, glance};
use crate::model::World;
use crate::report::ClusterLine;

/// Time for the servers. With the start of the program it stays below a second and a half.
pub(super) const BUDGET: Duration = Duration::from_millis(1300);

/// A cluster, as much of it as a candidate shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Name {
    name: String,
    stack_id: Option<String>,
    uuid: Option<String>,
    status: Option<String>,
    stuck: bool,
}

/// Candidates for a cluster with their descriptions, from the cache if it is fresh.
pub(super) fn clusters(
    kube: &KubeOptions,
    cloud: &CloudOptions,
    host: &Host,
    typed: &str,
) -> Vec<(String, String)> {
    let cache = Cache::of(kube, cloud, host);
    if let Some(names) = cache.as_ref().and_then(Cache::read::<Vec<Name>>) {
        return offer(&names, typed);
    }
    let request = request(kube, cloud);
    let clock = Clock::start(BUDGET);
    let Some(bundle) = wait(glance::clusters(&request, host, &clock)) else { return Vec::new() };
    let list = diagnose::list(&World::new(&bundle), false);
    let names: Vec<Name> = list.clusters.into_iter().map(Name::of).collect();
    // Both sides failed: nothing worth keeping.
    if let (Some(cache), false) = (cache, bundle.meta.read.is_empty()) {
        cache.write(&names);
    }
    offer(&names, typed)
}

/// Candidates for `--namespace`: the driver's own, those of the contexts, and those that hold
/// Clusters.
pub(super) fn namespaces(
    kube: &KubeOptions,
    cloud: &CloudOptions,
    host: &Host,
    of_contexts: Vec<String>,
) -> Vec<String> {
    let request = request(kube, cloud);
    let clock = Clock::start(BUDGET);
    let there = wait(glance::namespaces(&request, host, &clock)).and_then(Result::ok).unwrap_or_default();
    let own = glance::default_namespace().to_owned();
    let all: BTreeSet<String> = there.into_iter().chain(of_contexts).chain([own]).collect();
    all.into_iter().filter(|name| !name.is_empty()).collect()
}

fn request<'a>(kube: &'a KubeOptions, cloud: &'a CloudOptions) -> Request<'a> {
    let log_since = Duration::ZERO;
    Request {
        cluster: "",
        command: "complete",
        kube,
        cloud,
        log_since,
        project: None,
        leftovers: false,
        slim: false,
        forgotten: false,
        also: None,
    }
}

fn wait<T>(work: impl Future<Output = T>) -> Option<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    let answer = runtime.block_on(work);
    // A host name that is still being looked up must not hold the shell.
    runtime.shutdown_background();
    Some(answer)
}

impl Name {
    fn of(line: ClusterLine) -> Self {
        let ClusterLine { name, stack_id, uuid, status, stuck, .. } = line;
        Name { name, stack_id, uuid, status, stuck }
    }

    fn about(&self, shown: &str) -> String {
        let other = |what: &str, id: &str| (id != shown).then(|| format!("{what}{id}"));
        let name = other("", &self.name);
        let stack = self.stack_id.as_deref().filter(|id| *id != self.name).and_then(|id| other("stack ", id));
        let stuck = self.stuck.then(|| "stuck".to_owned());
        let parts: Vec<String> = [name, self.status.clone(), stuck, stack].into_iter().flatten().collect();
        parts.join(", ")
    }
}

/// Names; an id in place of a name that several have. Who began to type an id gets ids as well.
fn offer(names: &[Name], typed: &str) -> Vec<(String, String)> {
    let several = |name: &str| names.iter().filter(|other| other.name == name).count() > 1;
    let one = |name: &Name| {
        let id = name.stack_id.as_ref().or(name.uuid.as_ref()).filter(|_| several(&name.name));
        let shown = id.unwrap_or(&name.name).clone();
        let about = name.about(&shown);
        (shown, about)
    };
    let mut offered: Vec<(String, String)> = names.iter().map(one).collect();
    if !typed.is_empty() {
        for name in names {
            for id in [&name.stack_id, &name.uuid].into_iter().flatten() {
                if offered.iter().all(|(shown, _)| shown != id) {
                    offered.push((id.clone(), name.about(id)));
                }
            }
        }
    }
    offered.retain(|(shown, _)| shown.starts_with(typed));
    offered
}

/// Whether a text can stand on a command line, and in a line of the protocol, as it is.
pub(super) fn is_word(text: &str) -> bool {
    !text.is_empty() && !text.chars().any(|c| c.is_control() || c.is_whitespace())
}

/// Words of a server for one line of a terminal.
pub(super) fn one_line(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(name: &str, stack_id: &str, stuck: bool) -> Name {
        Name {
            name: name.to_owned(),
            stack_id: Some(stack_id.to_owned()),
            uuid: Some(format!("uuid-of-{stack_id}")),
            status: Some("CREATE_FAILED".to_owned()),
            stuck,
        }
    }

    fn check(names: &[Name], typed: &str, expected: &[(&str, &str)]) {
        let offered = offer(names, typed);
        let offered: Vec<(&str, &str)> = offered.iter().map(|(n, a)| (n.as_str(), a.as_str())).collect();
        assert_eq!(offered, expected, "{typed:?}");
    }

    #[test]
    fn a_name_comes_with_what_it_is() {
        let there = [name("web", "kube-aaaaa", true), name("db", "kube-bbbbb", false)];
        check(&there, "w", &[("web", "CREATE_FAILED, stuck, stack kube-aaaaa")]);
        check(
            &there,
            "",
            &[("web", "CREATE_FAILED, stuck, stack kube-aaaaa"), ("db", "CREATE_FAILED, stack kube-bbbbb")],
        );
    }

    #[test]
    fn ids_are_for_who_types_one() {
        let there = [name("web", "kube-aaaaa", false)];
        check(&there, "kube-", &[("kube-aaaaa", "web, CREATE_FAILED")]);
        check(&there, "uuid-", &[("uuid-of-kube-aaaaa", "web, CREATE_FAILED, stack kube-aaaaa")]);
    }

    #[test]
    fn a_name_of_several_would_be_no_answer() {
        let there = [name("web", "kube-aaaaa", false), name("web", "kube-bbbbb", false)];
        check(&there, "", &[("kube-aaaaa", "web, CREATE_FAILED"), ("kube-bbbbb", "web, CREATE_FAILED")]);
        check(&there, "web", &[]);
    }

    #[test]
    fn a_cluster_that_magnum_does_not_show_has_its_stack_id_alone() {
        let alone = Name { uuid: None, status: None, ..name("kube-aaaaa", "kube-aaaaa", false) };
        check(&[alone], "", &[("kube-aaaaa", "")]);
    }

    #[test]
    fn words_that_no_shell_would_take_are_none() {
        for text in ["", "a b", "a\tb", "a\nb", "\u{1b}[31m"] {
            assert!(!is_word(text), "{text:?}");
        }
        assert!(is_word("größe-1.x_y"));
    }
}
