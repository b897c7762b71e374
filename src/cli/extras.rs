//! Arguments of the commands around the answer: `completion` and `version`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::Live;

/// `completion`
#[derive(Debug, Args)]
#[command(after_long_help = "\
kubectl completes `kubectl magnum` by itself once it finds a program called kubectl_complete-magnum;
`completion install` links this one under that name. The scripts are for who types kubectl-magnum.

Examples:
  # complete `kubectl magnum …`; kubectl's own completion must be set up
  kubectl magnum completion install

  # complete `kubectl-magnum …` in bash
  source <(kubectl-magnum completion bash)")]
pub struct Completion {
    /// What to do
    #[command(subcommand)]
    pub what: What,
}

/// A shell, or kubectl.
#[derive(Debug, Clone, Subcommand)]
pub enum What {
    /// Print the script for bash
    Bash,
    /// Print the script for zsh
    Zsh,
    /// Print the script for fish
    Fish,
    /// Print the script for PowerShell
    Powershell,
    /// Link this program as kubectl_complete-magnum, which kubectl asks for completions
    Install(Install),
}

impl What {
    /// Name of the shell; none for what is no shell.
    #[must_use]
    pub fn shell(&self) -> Option<&'static str> {
        match self {
            What::Bash => Some("bash"),
            What::Zsh => Some("zsh"),
            What::Fish => Some("fish"),
            What::Powershell => Some("powershell"),
            What::Install(_) => None,
        }
    }
}

/// `completion install`
#[derive(Debug, Clone, Args)]
pub struct Install {
    /// Folder of PATH for the link [default: where kubectl-magnum is found]
    #[arg(long, value_name = "PATH")]
    pub dir: Option<PathBuf>,
}

/// `version`
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  # this program, Kubernetes, Magnum, Cluster API and CAPO
  kubectl magnum version

  # this program alone, for a script
  kubectl magnum version --client -o json

Exit codes: 0 it was printed, 2 usage. A server that does not answer is named and is no failure.")]
pub struct Version {
    /// Do not ask the servers
    #[arg(long)]
    pub client: bool,
    /// Output format
    #[arg(short, long, value_enum, default_value_t = VersionFormat::Text, value_name = "FORMAT")]
    pub output: VersionFormat,
    /// Which servers are read, and how
    #[command(flatten)]
    pub live: Live,
}

/// What the versions are turned into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum VersionFormat {
    /// A line each
    Text,
    /// For a program
    Json,
    /// The same as YAML
    Yaml,
}
