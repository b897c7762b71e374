//! Arguments. The comments in here are the help text.

mod called;
mod extras;

use std::path::PathBuf;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::gather::cloud::CloudOptions;
use crate::gather::kubeconfig::KubeOptions;
use crate::gather::limits;
use crate::render::{Format, LeftFormat};
use crate::tree::{Shape, ShowConditions};

pub use called::{called, command, parse, program_name};
pub use extras::{Completion, Install, Version, VersionFormat, What};

/// Says why an OpenStack Magnum cluster is stuck.
///
/// Reads what Magnum, Cluster API and OpenStack say about a cluster and names the cause,
/// with its evidence and the fix. It reads and never changes anything.
#[derive(Parser)]
#[command(
    name = "kubectl-magnum",
    version,
    disable_help_subcommand = true,
    after_long_help = "\
Examples:
  # why is it stuck?
  kubectl magnum why prod

  # the same from a bundle
  kubectl magnum why --from bundle.tar.gz

  # what did its delete leave behind?
  kubectl magnum leftovers prod

  # what is known about a cause that it named
  kubectl magnum explain quota-used-up"
)]
pub struct Cli {
    /// When to colour the output
    #[arg(long, global = true, value_enum, default_value_t = Colour::Auto, value_name = "WHEN", display_order = 100)]
    pub color: Colour,
    /// Draw signs and tree with ASCII characters
    #[arg(long, global = true, display_order = 101)]
    pub ascii: bool,
    /// Say on stderr what is asked, how long each answer takes, and which versions were found
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal, unless NO_COLOR is set or TERM is dumb
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The commands.
#[derive(Subcommand)]
pub enum Command {
    /// Name the cause, with evidence and fix, above the condition tree
    Why(Box<Why>),
    /// Show what a cluster left behind, who holds it, and in which order it can go
    Leftovers(Box<Leftovers>),
    /// Show every cluster with its stack id, its status and for how long
    List(Box<List>),
    /// Write all that was read about a cluster to a folder or a .tar.gz, without secrets
    Collect(Box<Collect>),
    /// Print the manual entry of a cause, or the list of causes
    Explain(Explain),
    /// Complete words of the command line with TAB
    Completion(Completion),
    /// Print the versions of this program and of the servers
    Version(Box<Version>),
}

/// `why`
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  # by the name, UUID or stack id that Magnum shows
  kubectl magnum why prod

  # the clusters that are stuck
  kubectl magnum why

  # with another context and cloud
  kubectl magnum why kube-4g0ec --context mgmt --os-cloud admin

  # from a bundle: the cluster that it was collected for
  kubectl magnum why --from bundle.tar.gz

  # another cluster in it, as JSON
  kubectl magnum why web --from bundle.tar.gz -o json

  # with every condition that is not good, machine by machine
  kubectl magnum why --from bundle --show-conditions=all+ --grouping=false

Exit codes: 0 nothing is wrong, 1 something is, 2 usage, 3 nothing could be read,
4 no such cluster or several, 5 not enough was seen to say.")]
pub struct Why {
    /// Magnum name, Magnum UUID or stack id; without it the clusters that are stuck, or the one of the bundle
    #[arg(id = "NAME", value_name = "CLUSTER")]
    pub cluster: Option<String>,
    /// Read a bundle (a folder or a .tar.gz), or an archive of crust-gather, in place of the servers
    #[arg(long, value_name = "PATH")]
    pub from: Option<PathBuf>,
    /// Output format
    #[arg(short, long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    pub output: Format,
    /// How the tree is drawn
    #[command(flatten)]
    pub shape: ShapeArgs,
    /// Which servers are read, and how
    #[command(flatten)]
    pub live: Live,
}

/// `leftovers`
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  # what a delete left behind, or what holds it up
  kubectl magnum leftovers prod

  # of a cluster that Magnum has forgotten: its stack id or its UUID, and its project
  kubectl magnum leftovers kube-4g0ec --project 461843c938324dafae99369081c83008

  # with both keys: volumes and load balancers of Services carry the UUID, all else the stack id
  kubectl magnum leftovers kube-4g0ec --also 27893cc9-1ef6-487c-8865-27130428aacd --project 461843c938324dafae99369081c83008

  # everything in a project that carries the mark of a cluster which nobody knows any more
  kubectl magnum leftovers --project 461843c938324dafae99369081c83008

  # a shell script that removes it, to be read before it is run
  kubectl magnum leftovers kube-4g0ec --project 461843c938324dafae99369081c83008 -o script > clean.sh

Volumes and snapshots of the cluster's users are data: they are shown, and no script touches them.
Shares of Manila carry no mark and are not found.

Exit codes: 0 nothing is left, or the cluster is in use, 1 something is left or held, 2 usage,
3 nothing could be read, 4 nothing carries the cluster's mark or several clusters match,
5 not enough was seen to say.")]
pub struct Leftovers {
    /// Magnum name, Magnum UUID or stack id; without it the cluster of the bundle, or with --project all that are gone
    #[arg(id = "NAME", value_name = "CLUSTER")]
    pub cluster: Option<String>,
    /// The cluster's other key, if both are known: Magnum UUID beside a stack id, or the other way round
    #[arg(long, value_name = "ID", requires = "NAME")]
    pub also: Option<String>,
    /// Read a bundle (a folder or a .tar.gz) in place of the servers
    #[arg(long, value_name = "PATH")]
    pub from: Option<PathBuf>,
    /// Output format
    #[arg(short, long, value_enum, default_value_t = LeftFormat::Text, value_name = "FORMAT")]
    pub output: LeftFormat,
    /// Which servers are read, and how
    #[command(flatten)]
    pub live: Live,
}

/// `list`
#[derive(Args)]
pub struct List {
    /// Only those that are stuck
    #[arg(long)]
    pub stuck: bool,
    /// Output format
    #[arg(short, long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    pub output: Format,
    /// Which servers are read, and how
    #[command(flatten)]
    pub live: Live,
}

/// `collect`
#[derive(Args)]
#[command(after_help = "\
Examples:
  kubectl magnum collect prod prod.tar.gz
  kubectl magnum why --from prod.tar.gz

Secrets, tokens, passwords and user data are taken out before anything is written.")]
pub struct Collect {
    /// Magnum name, Magnum UUID or stack id
    #[arg(id = "NAME", value_name = "CLUSTER")]
    pub cluster: String,
    /// Folder or .tar.gz that does not exist yet
    #[arg(value_name = "PATH")]
    pub path: PathBuf,
    /// Which servers are read, and how
    #[command(flatten)]
    pub live: Live,
}

/// Which servers are read, and how.
#[derive(Args)]
pub struct Live {
    /// Time limit for the whole run; what was read by then is used
    #[arg(long, value_name = "DURATION", default_value = "20s", value_parser = limits::duration)]
    pub timeout: Duration,
    /// How far back the logs of the controllers are read
    #[arg(long, value_name = "DURATION", default_value = "2h", value_parser = limits::duration)]
    pub log_since: Duration,
    /// Id of the project of the cluster, for when Magnum does not know it
    #[arg(long, value_name = "ID")]
    pub project: Option<String>,
    /// Look at the clusters of all projects, which Magnum shows to an admin
    #[arg(long)]
    pub all_projects: bool,
    /// Connection to the management cluster
    #[command(flatten)]
    pub kube: KubeOptions,
    /// Connection to the cloud
    #[command(flatten)]
    pub cloud: CloudOptions,
}

/// Flags of the tree, as `clusterctl describe cluster` has them.
#[derive(Debug, Args)]
#[command(next_help_heading = "Tree (as in clusterctl describe cluster)")]
pub struct ShapeArgs {
    /// Show conditions: all, or a list of Kind and Kind/name; a trailing + shows only those that are not good
    #[arg(long, value_name = "LIST", default_value = "", hide_default_value = true)]
    pub show_conditions: ShowConditions,
    /// Fold machines that are in the same state
    #[arg(long, default_value_t = true, action = clap::ArgAction::Set, num_args = 0..=1, default_missing_value = "true", require_equals = true, value_name = "BOOL")]
    pub grouping: bool,
    /// Show infrastructure and bootstrap objects also where they repeat the machine
    #[arg(long)]
    pub echo: bool,
    /// Show MachineSets between MachineDeployments and Machines
    #[arg(long)]
    pub show_machinesets: bool,
    /// Show the templates that the control plane and the MachineDeployments use
    #[arg(long)]
    pub show_templates: bool,
    /// Show ClusterResourceSets
    #[arg(long)]
    pub show_resourcesets: bool,
}

impl ShapeArgs {
    /// The flags as the tree takes them.
    #[must_use]
    pub fn shape(&self) -> Shape {
        Shape {
            show_conditions: self.show_conditions.clone(),
            grouping: self.grouping,
            echo: self.echo,
            show_machinesets: self.show_machinesets,
            show_templates: self.show_templates,
            show_resourcesets: self.show_resourcesets,
        }
    }
}

/// `explain`
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  # all causes, one a line
  kubectl magnum explain

  # what happens, how it is recognised, and the fix
  kubectl magnum explain quota-used-up

Exit codes: 0 it was printed, 2 there is no such cause.")]
pub struct Explain {
    /// Id of a cause, as `why` prints it in brackets
    #[arg(value_name = "CAUSE")]
    pub cause: Option<String>,
}

/// What to do about wrong arguments, where the error itself does not say it.
#[must_use]
pub fn hint(error: &clap::Error) -> Option<&'static str> {
    // Only `collect` has arguments that must be there.
    (error.kind() == ErrorKind::MissingRequiredArgument).then_some(
        "PATH is a folder or a .tar.gz that does not exist yet; `why --from PATH` reads it afterwards",
    )
}

#[cfg(test)]
mod tests {
    fn check_hint(line: &str, hinted: bool) {
        let words: Vec<_> = line.split_whitespace().map(Into::into).collect();
        let error = super::parse(&words).err().expect("a mistake");
        assert_eq!(super::hint(&error).is_some(), hinted, "{line}");
    }

    #[test]
    fn who_forgets_where_to_collect_to_is_told() {
        check_hint("kubectl-magnum collect", true);
        check_hint("kubectl-magnum collect web", true);
    }

    #[test]
    fn other_mistakes_explain_themselves() {
        check_hint("kubectl-magnum", false);
        check_hint("kubectl-magnum wy", false);
        check_hint("kubectl-magnum why --form b", false);
        check_hint("kubectl-magnum why --help", false);
    }

    #[test]
    fn the_arguments_are_consistent() {
        super::command("kubectl magnum").debug_assert();
    }
}
