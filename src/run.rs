//! One function a command: a table of contents.

mod left;
mod live;
mod parts;
mod talk;
mod version;

use std::io::{IsTerminal, Write};

use crate::bundle::{Bundle, disk};
use crate::cli::{Cli, Collect, Colour, Command, Completion, Explain, Leftovers, List, What, Why};
use crate::exit::{Failure, code};
use crate::model::resolve::{self, Found};
use crate::model::{Snapshot, World};
use crate::render::{self, Page, Styles};
use crate::report::WhyReport;
use crate::tree::Shape;
use crate::{complete, diagnose, manual};
use talk::Talk;

pub use left::{Asked, leftovers};

/// Runs a command and gives its exit code.
///
/// # Errors
/// [`Failure`] if there is no answer.
pub fn run(cli: &Cli) -> Result<u8, Failure> {
    let talk = Talk::start(cli.verbose);
    let code = match &cli.command {
        Command::Why(args) => run_why(cli, args, &talk),
        Command::Leftovers(args) => run_leftovers(cli, args),
        Command::List(args) => list(cli, args),
        Command::Collect(args) => collect(args),
        Command::Explain(args) => explain(args),
        Command::Completion(args) => completion(args),
        Command::Version(args) => print(&version::text(args)?).map(|()| code::FINE),
    };
    talk.end();
    code
}

fn run_why(cli: &Cli, args: &Why, talk: &Talk) -> Result<u8, Failure> {
    let bundle = match (&args.from, &args.cluster) {
        (Some(path), _) => disk::read(path)?,
        (None, Some(cluster)) => live::gather(&args.live, cluster, "why", false)?,
        (None, None) => return stuck(cli, args),
    };
    // What was gathered was gathered for this cluster, whatever it was called.
    let word = args.cluster.as_deref().filter(|_| args.from.is_some());
    let report = why_shaped(&bundle, word, &args.shape.shape())?;
    talk.versions(&report.cluster.versions);
    print(&render::why(&report, args.output, &page(cli)))?;
    Ok(report.exit_code)
}

/// `why` without a cluster: those that are stuck.
fn stuck(cli: &Cli, args: &Why) -> Result<u8, Failure> {
    let bundle = live::gather_all(&args.live)?;
    let list = diagnose::list(&World::new(&bundle), true);
    print(&render::list(&list, args.output, &page(cli)))?;
    Ok(list.exit_code)
}

fn run_leftovers(cli: &Cli, args: &Leftovers) -> Result<u8, Failure> {
    let report = left::report(args)?;
    print(&render::leftovers(&report, args.output, &page(cli)))?;
    Ok(report.exit_code)
}

fn list(cli: &Cli, args: &List) -> Result<u8, Failure> {
    let bundle = live::gather_all(&args.live)?;
    let list = diagnose::list(&World::new(&bundle), args.stuck);
    print(&render::list(&list, args.output, &page(cli)))?;
    Ok(list.exit_code)
}

fn collect(args: &Collect) -> Result<u8, Failure> {
    let bundle = live::gather(&args.live, &args.cluster, "collect", true)?;
    let written = disk::write(&bundle, &args.path)?;
    print(&parts::lines(&bundle))?;
    let bytes: u64 = written.iter().map(|file| file.bytes).sum();
    print(&format!("{} files, {} kB in {}\n", written.len(), bytes.div_ceil(1000), args.path.display()))?;
    Ok(code::FINE)
}

/// The answer for one cluster of a bundle, with the default tree.
///
/// # Errors
/// [`Failure`] if no cluster, or more than one, is meant.
pub fn why(bundle: &Bundle, asked_for: Option<&str>) -> Result<WhyReport, Failure> {
    why_shaped(bundle, asked_for, &Shape::default())
}

/// The answer for one cluster of a bundle.
///
/// # Errors
/// [`Failure`] if no cluster, or more than one, is meant.
pub fn why_shaped(bundle: &Bundle, asked_for: Option<&str>, shape: &Shape) -> Result<WhyReport, Failure> {
    let world = World::new(bundle);
    let found = resolve::find(&world, asked_for);
    let word = asked_for.unwrap_or(&bundle.meta.asked_for);
    let cluster = match found.as_slice() {
        [one] => one,
        [] => return Err(nothing(word, &resolve::all(&world), &bundle.meta.notes)),
        several => return Err(ambiguous(word, several)),
    };
    // An archive that is about no cluster in particular: the only one in it has a name all the same.
    let own = [&cluster.name, &cluster.stack_id, &cluster.uuid].into_iter().flatten().next();
    let word = if word.is_empty() { own.map_or("", String::as_str) } else { word };
    let snapshot = Snapshot::new(&world, word, cluster.uuid.as_deref(), cluster.stack_id.as_deref());
    if gone(&snapshot) {
        return Err(no_longer(&snapshot));
    }
    Ok(diagnose::why(&snapshot, shape))
}

/// True if both who could know the cluster were read and neither has it.
fn gone(snapshot: &Snapshot<'_>) -> bool {
    let magnum = snapshot.magnum.clusters.whole() && snapshot.magnum.cluster.is_none();
    let kube = snapshot.kube.clusters.whole() && snapshot.kube.cluster().is_none();
    magnum && kube && snapshot.kube.openstack_cluster().is_none() && snapshot.nodes.is_empty()
}

fn no_longer(snapshot: &Snapshot<'_>) -> Failure {
    let name = snapshot.marks.stack_id.as_deref().unwrap_or(&snapshot.asked_for);
    let project = snapshot.project_id().map(|p| format!(" --project {p}")).unwrap_or_default();
    let message =
        format!("find cluster {}: neither Magnum nor Cluster API has it any more", snapshot.asked_for);
    Failure::new(code::NO_SUCH_CLUSTER, message)
        .hint(format!("what its delete left behind is shown by: kubectl magnum leftovers {name}{project}"))
}

/// What was noted on reading may tell why the cluster is not there: an archive that ends early.
fn nothing(word: &str, there: &[Found], notes: &[String]) -> Failure {
    let message = match word {
        "" => "find a cluster: there is none in the bundle".to_owned(),
        word => format!("find cluster {word:?}: nothing in the bundle carries that name"),
    };
    let failure = Failure::new(code::NO_SUCH_CLUSTER, message);
    match there {
        [] if notes.is_empty() => failure,
        [] => failure.hint(notes.join("; ")),
        there => failure.hint(format!(
            "the bundle has {}; a Magnum name, a Magnum UUID or a stack id is understood",
            named(there)
        )),
    }
}

fn ambiguous(word: &str, several: &[Found]) -> Failure {
    let message = match word {
        "" => format!("choose a cluster: none was named and the bundle has {}", several.len()),
        word => format!("find cluster {word:?}: {} clusters match", several.len()),
    };
    let hint = format!("use a UUID or a stack id of these: {}", named(several));
    Failure::new(code::NO_SUCH_CLUSTER, message).hint(hint)
}

/// Clusters that a hint offers; of many only the first.
const OFFERED: usize = 8;

/// `web (UUID …, stack …, project …)`, several with semicolons. What is not known is left out.
fn named(clusters: &[Found]) -> String {
    let one = |found: &Found| {
        let marks = [("UUID", &found.uuid), ("stack", &found.stack_id), ("project", &found.project_id)];
        let marks = marks.iter().filter_map(|(what, id)| Some(format!("{what} {}", id.as_ref()?)));
        let marks = marks.collect::<Vec<_>>().join(", ");
        found.name.as_ref().map_or_else(|| marks.clone(), |name| format!("{name} ({marks})"))
    };
    let more = clusters.len().saturating_sub(OFFERED);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    format!("{}{more}", clusters.iter().take(OFFERED).map(one).collect::<Vec<_>>().join("; "))
}

fn explain(args: &Explain) -> Result<u8, Failure> {
    let text = match &args.cause {
        Some(cause) => manual::entry(cause)?,
        None => manual::list(),
    };
    print(&text)?;
    Ok(code::FINE)
}

fn completion(args: &Completion) -> Result<u8, Failure> {
    let What::Install(install) = &args.what else {
        print(&complete::script(args.what.shell().unwrap_or_default())?)?;
        return Ok(code::FINE);
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let executable = std::env::current_exe()
        .map_err(|error| Failure::new(code::NO_SOURCE, format!("find this program: {error}")))?;
    let done = complete::install(install.dir.as_deref(), &path, &executable)?;
    let missing = if done.found { "" } else { "; its folder is not in PATH, where kubectl looks" };
    print(&format!("linked {}{missing}\n", done.link.display()))?;
    Ok(code::FINE)
}

/// How wide and how colourful: a pipe gets everything, uncut and plain.
fn page(cli: &Cli) -> Page {
    let terminal = std::io::stdout().is_terminal();
    let plain =
        std::env::var_os("NO_COLOR").is_some() || std::env::var_os("TERM").is_some_and(|t| t == "dumb");
    let coloured = match cli.color {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => terminal && !plain,
    };
    let width = terminal_size::terminal_size().filter(|_| terminal).map(|(width, _)| usize::from(width.0));
    let styles = if coloured { Styles::coloured() } else { Styles::default() };
    Page { width, styles, ascii: cli.ascii }
}

/// Prints data on stdout. A reader that has seen enough (`| head`) is no failure.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::new(code::NO_SOURCE, format!("write the answer: {error}")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Found, ambiguous, nothing};
    use crate::model::resolve::TakenFor;

    fn cluster(name: Option<&str>, uuid: Option<&str>, stack_id: &str) -> Found {
        Found {
            uuid: uuid.map(str::to_owned),
            stack_id: Some(stack_id.to_owned()),
            name: name.map(str::to_owned),
            project_id: None,
            taken_for: TakenFor::Target,
        }
    }

    #[test]
    fn who_mistypes_a_name_is_shown_the_right_ones() {
        let there = [cluster(Some("web"), Some("u-1"), "kube-aaaaa"), cluster(None, None, "kube-bbbbb")];
        let failure = nothing("wbe", &there, &[]);
        assert!(failure.message.contains("\"wbe\""));
        let hint = failure.hint.unwrap();
        assert!(hint.contains("web (UUID u-1, stack kube-aaaaa); stack kube-bbbbb;"), "{hint}");
        assert_eq!(nothing("wbe", &[], &[]).hint, None);
    }

    #[test]
    fn a_bundle_that_ends_early_is_said_to() {
        let failure = nothing("", &[], &["the bundle was not read to its end: damaged".to_owned()]);
        assert!(failure.hint.unwrap().contains("not read to its end"));
    }

    #[test]
    fn an_empty_name_is_not_quoted() {
        let two = [cluster(None, None, "kube-aaaaa"), cluster(None, None, "kube-bbbbb")];
        for failure in [nothing("", &[], &[]), ambiguous("", &two)] {
            assert!(!failure.message.contains("\"\""), "{}", failure.message);
        }
    }

    #[test]
    fn of_very_many_clusters_the_first_are_offered() {
        let many: Vec<Found> = (0..11).map(|at| cluster(None, None, &format!("kube-{at}."))).collect();
        let hint = ambiguous("web", &many).hint.unwrap();
        assert!(
            hint.contains("kube-7.") && !hint.contains("kube-8.") && hint.ends_with("; and 3 more"),
            "{hint}"
        );
    }
}
