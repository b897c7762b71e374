//! Where the candidates of each argument come from.

use std::ffi::{OsStr, OsString};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::builder::StyledStr;
use clap::{Arg, ArgMatches, Command, FromArgMatches, ValueHint};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};

use super::names;
use crate::causes::ALL;
use crate::cli;
use crate::gather::cloud::{self, CloudOptions};
use crate::gather::host::Host;
use crate::gather::kubeconfig::{self, KubeOptions};

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asker {
    /// kubectl, which lets the shell complete names of files.
    Kubectl,
    /// A script of ours, for which clap's engine does that.
    Shell,
}

/// What an argument is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum About {
    Cluster,
    Cause,
    Context,
    KubeCluster,
    KubeUser,
    Namespace,
    Cloud,
    Conditions,
    File,
}

/// What was typed so far, and in which surroundings.
pub(super) struct Sources {
    kube: KubeOptions,
    cloud: CloudOptions,
    host: Host,
    asker: Asker,
    files: AtomicBool,
}

/// Lets the arguments of a command, and of those below it, ask `sources` for candidates.
pub(super) fn attach(command: Command, sources: &Arc<Sources>) -> Command {
    let below: Vec<String> = command.get_subcommands().map(|c| c.get_name().to_owned()).collect();
    let command = below
        .into_iter()
        .fold(command, |command, name| command.mut_subcommand(name, |one| attach(one, sources)));
    command.mut_args(|arg| match about(&arg) {
        Some(About::File) if sources.asker == Asker::Shell => arg.value_hint(ValueHint::AnyPath),
        Some(about) => {
            let sources = Arc::clone(sources);
            arg.add(ArgValueCompleter::new(move |typed: &OsStr| sources.candidates(about, typed)))
        }
        None => arg,
    })
}

fn about(arg: &Arg) -> Option<About> {
    let value = arg.get_value_names().and_then(|names| names.first()).map(|name| name.as_str());
    match (arg.get_id().as_str(), value) {
        (_, Some("CLUSTER")) => Some(About::Cluster),
        (_, Some("CAUSE")) => Some(About::Cause),
        (_, Some("FILE" | "PATH")) => Some(About::File),
        ("context", _) => Some(About::Context),
        ("cluster", _) => Some(About::KubeCluster),
        ("user", _) => Some(About::KubeUser),
        ("namespace", _) => Some(About::Namespace),
        ("os_cloud", _) => Some(About::Cloud),
        ("show_conditions", _) => Some(About::Conditions),
        _ => None,
    }
}

impl Sources {
    /// The words before the one that is being typed, without the program.
    pub(super) fn new(before: &[OsString], asker: Asker) -> Self {
        let words = std::iter::once(OsString::from("kubectl-magnum")).chain(before.iter().cloned());
        // An unfinished line has mistakes; what can be understood of it is enough.
        let typed = cli::command("kubectl-magnum").ignore_errors(true).try_get_matches_from(words).ok();
        let typed = typed.as_ref().map(deepest);
        // A credential plugin must not ask for anything in the middle of a line.
        let host = Host { terminal: false, ..Host::of_this_process() };
        Sources {
            kube: typed.and_then(|m| KubeOptions::from_arg_matches(m).ok()).unwrap_or_default(),
            cloud: typed.and_then(|m| CloudOptions::from_arg_matches(m).ok()).unwrap_or_default(),
            host,
            asker,
            files: AtomicBool::new(false),
        }
    }

    /// True if a file was to be completed.
    pub(super) fn wants_files(&self) -> bool {
        self.files.load(Ordering::Relaxed)
    }

    fn candidates(&self, about: About, typed: &OsStr) -> Vec<CompletionCandidate> {
        let typed = typed.to_str().unwrap_or_default();
        let plain = |names: Vec<String>| names.into_iter().map(|name| (name, String::new())).collect();
        let all: Vec<(String, String)> = match about {
            About::Cluster => names::clusters(&self.kube, &self.cloud, &self.host, typed),
            About::Cause => ALL.iter().map(|cause| (cause.id.to_owned(), cause.title.to_owned())).collect(),
            About::Context | About::KubeCluster | About::KubeUser => self.of_kubeconfig(about),
            About::Namespace => {
                plain(names::namespaces(&self.kube, &self.cloud, &self.host, self.context_namespaces()))
            }
            About::Cloud => plain(
                cloud::files::read(&self.host)
                    .map_or_else(|_| Vec::new(), |files| files.clouds.keys().cloned().collect()),
            ),
            About::Conditions => vec![
                ("all".to_owned(), "every condition of every object".to_owned()),
                ("all+".to_owned(), "those that are not good".to_owned()),
            ],
            About::File => {
                self.files.store(true, Ordering::Relaxed);
                Vec::new()
            }
        };
        let fitting = all.into_iter().filter(|(name, _)| name.starts_with(typed) && names::is_word(name));
        let candidate = |(at, (name, help)): (usize, (String, String))| {
            let help = (!help.is_empty()).then(|| StyledStr::from(names::one_line(&help)));
            CompletionCandidate::new(name).help(help).display_order(Some(at))
        };
        fitting.enumerate().map(candidate).collect()
    }

    fn of_kubeconfig(&self, about: About) -> Vec<(String, String)> {
        let Ok(files) = kubeconfig::files::read(self.kube.kubeconfig.as_deref(), &self.host) else {
            return Vec::new();
        };
        let config = files.merged;
        let bare = |name: String| (name, String::new());
        match about {
            About::KubeCluster => config.clusters.into_iter().map(|one| bare(one.name)).collect(),
            About::KubeUser => config.auth_infos.into_iter().map(|one| bare(one.name)).collect(),
            _ => {
                let current = config.current_context;
                let help = |name: &str, cluster: Option<String>| match cluster {
                    Some(cluster) if current.as_deref() == Some(name) => format!("{cluster}, current"),
                    cluster => cluster.unwrap_or_default(),
                };
                let contexts = config.contexts.into_iter();
                contexts
                    .map(|one| {
                        let help = help(&one.name, one.context.map(|context| context.cluster));
                        (one.name, help)
                    })
                    .collect()
            }
        }
    }

    fn context_namespaces(&self) -> Vec<String> {
        let files = kubeconfig::files::read(self.kube.kubeconfig.as_deref(), &self.host);
        let contexts = files.map(|files| files.merged.contexts).unwrap_or_default();
        contexts.into_iter().filter_map(|one| one.context?.namespace).collect()
    }
}

/// The arguments of the command that was typed last.
fn deepest(matches: &ArgMatches) -> &ArgMatches {
    matches.subcommand().map_or(matches, |(_, below)| deepest(below))
}
