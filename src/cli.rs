//! Arguments. The comments in here are the help text.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::render::Format;
use crate::tree::{Shape, ShowConditions};

/// Says why an OpenStack Magnum cluster is stuck.
///
/// Reads what Magnum, Cluster API and OpenStack say about a cluster and names the cause,
/// with its evidence and the fix. It reads and never changes anything.
#[derive(Debug, Parser)]
#[command(
    name = "kubectl-magnum",
    bin_name = "kubectl magnum",
    version,
    disable_help_subcommand = true,
    after_long_help = "\
Examples:
  # why is the cluster of this bundle stuck?
  kubectl magnum why --from bundle.tar.gz

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
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Name the cause, with evidence and fix, above the condition tree
    Why(Why),
    /// Print the manual entry of a cause, or the list of causes
    Explain(Explain),
}

/// `why`
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  # from a bundle: the cluster that it was collected for
  kubectl magnum why --from bundle.tar.gz

  # another cluster in it, as JSON
  kubectl magnum why web --from bundle.tar.gz -o json

  # with every condition that is not good, machine by machine
  kubectl magnum why --from bundle --show-conditions=all+ --grouping=false

Exit codes: 0 nothing is wrong, 1 something is, 2 usage, 3 nothing could be read,
4 no such cluster or several, 5 not enough was seen to say.")]
pub struct Why {
    /// Magnum name, Magnum UUID or stack id; without it the cluster that the bundle is about
    #[arg(value_name = "CLUSTER")]
    pub cluster: Option<String>,
    /// Read a bundle (a folder or a .tar.gz), or an archive of crust-gather
    #[arg(long, value_name = "PATH")]
    pub from: PathBuf,
    /// Output format
    #[arg(short, long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    pub output: Format,
    /// How the tree is drawn
    #[command(flatten)]
    pub shape: ShapeArgs,
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
    // The bundle is the only argument that must be there.
    (error.kind() == ErrorKind::MissingRequiredArgument).then_some(
        "--from takes a bundle, a folder or a .tar.gz with what the servers said; live servers are not read yet",
    )
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    fn check_hint(line: &str, hinted: bool) {
        let error = super::Cli::try_parse_from(line.split_whitespace()).unwrap_err();
        assert_eq!(super::hint(&error).is_some(), hinted, "{line}");
    }

    #[test]
    fn who_forgets_the_bundle_is_told_what_it_is() {
        check_hint("kubectl-magnum why", true);
        check_hint("kubectl-magnum why web -o json", true);
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
        super::Cli::command().debug_assert();
    }
}
