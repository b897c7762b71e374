//! The script that removes what can go. It is printed and never run by this program.
//!
//! Every step asks the server again for the thing with that id, and compares whose it is, its name
//! and its state with what was seen. The first difference, and the first command that fails, ends
//! the script.

use std::collections::BTreeSet;

use super::super::clean;
use super::words;
use crate::report::{LeftVerdict, Leftover, LeftoversReport, Life};

const HELPERS: &str = r#"set -eu

stop() {
    printf 'stopped: %s\n' "$1" >&2
    exit 1
}

# Fields of a thing, one a line, in an order that does not depend on the command; no empty ones.
tidy() {
    sed -e '/^$/d' -e '/^None$/d' | LC_ALL=C sort
}

# seen VALUE...: what was read of the next thing.
seen() {
    seen=$(printf '%s\n' "$@" | tidy)
}

# same WHAT COMMAND...: goes on only if the command prints what was seen.
same() {
    what=$1
    shift
    now=$("$@") || stop "$what cannot be looked at any more"
    now=$(printf '%s\n' "$now" | tidy)
    [ "$now" = "$seen" ] || stop "$what is not what it was: $(printf '%s' "$now" | tr '\n' ' ')"
    printf 'removing %s\n' "$what"
}

# there COMMAND...: true if the command can still show its thing.
there() {
    "$@" >/dev/null 2>&1
}

# settled COMMAND...: waits until the command shows a volume that is not in use; false once it is gone.
settled() {
    tries=0
    while now=$("$@" 2>/dev/null); do
        case $now in
        available | error) return 0 ;;
        esac
        tries=$((tries + 1))
        [ "$tries" -lt 60 ] || stop "a volume is still $now after 5 minutes"
        sleep 5
    done
    return 1
}
"#;

/// Writes the script, or one that refuses.
pub(in super::super) fn script(report: &LeftoversReport) -> String {
    let mut text = opening(report);
    if let Some(why) = refusal(report) {
        text.push_str(&format!("\nprintf '%s\\n' {} >&2\nexit 1\n", quote(&format!("refused: {why}"))));
        return text;
    }
    text.push('\n');
    text.push_str(HELPERS);
    text.push_str(&still_gone(report));
    for left in &report.leftovers {
        text.push('\n');
        match (&left.remove, is_plain(left)) {
            (Some(remove), true) => text.push_str(&step(left, remove)),
            (Some(_), false) => {
                text.push_str(&skipped(left, "its name cannot be compared in a shell: by hand"))
            }
            (None, _) => text.push_str(&skipped(left, &why_not(left))),
        }
    }
    text.push_str("\nprintf '%s\\n' 'done; look again with kubectl magnum leftovers'\n");
    text
}

/// Why no script is written.
fn refusal(report: &LeftoversReport) -> Option<String> {
    let left = report.leftovers.iter().any(|left| left.remove.is_some());
    match report.verdict {
        LeftVerdict::InUse => Some("the cluster is in use".to_owned()),
        LeftVerdict::NotEnoughSeen => {
            Some("not enough was seen to say that the cluster is gone, or what it left".to_owned())
        }
        _ if !report.needs.is_empty() => {
            Some(format!("not everything was read: {} is missing", report.needs.join(", ")))
        }
        LeftVerdict::Clean => Some("nothing is left over".to_owned()),
        _ if !left => Some("nothing can go before somebody lets go of it".to_owned()),
        _ => None,
    }
}

/// Asks again whether the clusters are as unknown as they were: one that is there keeps its things.
fn still_gone(report: &LeftoversReport) -> String {
    if report.life != Life::Gone {
        return String::new();
    }
    let own = report.cluster.stack_id.iter().cloned();
    let strays = report.leftovers.iter().map(|left| left.cluster.clone());
    let names: BTreeSet<String> = own.chain(strays.filter(|_| words::is_project(report))).collect();
    let ask = |name: &String| {
        let unasked = quote(&format!("the management cluster cannot be asked whether cluster {name} lives"));
        let (namespace, lives) = (quote(&report.source.namespace), quote(&format!("cluster {name} lives")));
        let name = quote(name);
        format!(
            "now=$(kubectl -n {namespace} get clusters.cluster.x-k8s.io {name} --ignore-not-found -o name) ||\n    \
             stop {unasked}\n[ -z \"$now\" ] || stop {lives}\n"
        )
    };
    let asked: String = names.iter().filter(|name| !name.is_empty() && are_words(name)).map(ask).collect();
    if asked.is_empty() {
        asked
    } else {
        format!("\n# Only what nobody needs: a cluster that is there keeps its things.\n{asked}")
    }
}

fn opening(report: &LeftoversReport) -> String {
    let project = report.cluster.project.id.as_deref().unwrap_or("unknown");
    let whose = match words::is_project(report) {
        true => "clusters that nobody knows any more".to_owned(),
        false => format!("cluster {}", report.cluster.name),
    };
    let cloud = report.source.cloud.as_deref().or(report.source.region.as_deref()).unwrap_or("unknown");
    let context = report.source.context.as_deref();
    let context = context.map_or_else(|| "the current context".to_owned(), |name| format!("context {name}"));
    let lines = [
        format!("Removes what {whose} left behind in project {project}."),
        format!("Written by `kubectl magnum leftovers` from what was read at {}; nothing was run.", report.taken_at),
        String::new(),
        "Read it before you run it. Each step looks at its thing again by id and stops the script if the".to_owned(),
        "project, the name or the state of the thing is not what it was. Volumes and snapshots with data, and".to_owned(),
        "things of others, are not touched.".to_owned(),
        String::new(),
        format!("It needs the openstack command, with its plugin for load balancers, for cloud or region {cloud}"),
        format!("(OS_CLOUD or the other OS_ variables), and kubectl with {context}."),
    ];
    let comment = |line: &String| format!("# {}", clean::line(line)).trim_end().to_owned() + "\n";
    format!("#!/bin/sh\n{}", lines.iter().map(comment).collect::<String>())
}

fn heading(left: &Leftover) -> String {
    format!("# {}  {}\n", left.order, clean::line(&words::named(&left.thing)))
}

fn skipped(left: &Leftover, why: &str) -> String {
    format!("{}#    not touched: {}\n", heading(left), clean::line(why))
}

fn why_not(left: &Leftover) -> String {
    match (left.data, left.held_by.is_empty()) {
        (true, _) => "data of the cluster's users".to_owned(),
        (false, false) => format!("held by {}", words::held_by(&left.held_by)),
        (false, true) => "its controller removes it".to_owned(),
    }
}

/// True if everything that is compared fits on a line of a shell script, and every command is of
/// plain words: a bundle may come from anybody.
fn is_plain(left: &Leftover) -> bool {
    let commands = [Some(left.look.as_str()), left.remove.as_deref()];
    left.state.values().all(|value| value.chars().all(clean::is_plain) && value.trim() == value)
        && left.state.keys().map(String::as_str).chain(commands.into_iter().flatten()).all(are_words)
}

fn are_words(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, ' ' | '\n' | '-' | '.' | '_' | ':'))
}

fn step(left: &Leftover, remove: &str) -> String {
    let what = format!("{} {}", left.thing.kind, left.thing.id);
    // Once its server is gone a port is free, and a volume may have gone, too.
    let freed = left.held_by.iter().any(|holder| holder.order.is_some() && holder.thing.kind == "server");
    let changing = ["device_id", "device_owner", "status"];
    let fields: Vec<(&str, &str)> = left
        .state
        .iter()
        .map(|(key, value)| (key.as_str(), value.as_str()))
        .filter(|(key, _)| !(freed && changing.contains(key)))
        .collect();
    let values: Vec<String> = fields.iter().map(|(_, value)| quote(value)).collect();
    let mut lines =
        vec![format!("seen {}", values.join(" ")), format!("same {} {}", quote(&what), show(left, &fields))];
    lines.extend(remove.lines().map(str::to_owned));
    if freed {
        let ask = match left.thing.kind.as_str() {
            "volume" => format!("settled {} -f value -c status", left.look),
            _ => format!("there {} -f value -c id", left.look),
        };
        let inside: Vec<String> = lines.iter().map(|line| format!("    {line}")).collect();
        lines = vec![format!("if {ask}; then\n{}\nfi", inside.join("\n"))];
    }
    lines.extend(address(left));
    format!("{}{}\n", heading(left), lines.join("\n"))
}

/// The command that prints the fields. An application credential has other headings in newer
/// releases of the command, which passes over those that it does not know.
fn show(left: &Leftover, fields: &[(&str, &str)]) -> String {
    if left.look.starts_with("kubectl ") {
        return format!("{} -o 'jsonpath={{.metadata.uid}}'", left.look);
    }
    let column = |key: &str| match (left.thing.kind.as_str(), key) {
        ("application credential", "name") => "-c name -c Name".to_owned(),
        ("application credential", "project_id") => "-c project_id -c 'Project ID'".to_owned(),
        _ => format!("-c {key}"),
    };
    let columns: Vec<String> = fields.iter().map(|(key, _)| column(key)).collect();
    format!("{} -f value {}", left.look, columns.join(" "))
}

/// The port of a load balancer goes with it. Where Octavia does not get to it, it stays behind with
/// the load balancer's id in its name.
fn address(left: &Leftover) -> Option<String> {
    let port = left.with.iter().find(|thing| thing.kind == "port")?;
    let name = port
        .name
        .as_deref()
        .filter(|name| name.contains(&left.thing.id) && are_words(name) && are_words(&port.id))?;
    let values =
        [Some(name), port.project.as_deref()].into_iter().flatten().map(quote).collect::<Vec<_>>().join(" ");
    let columns = if port.project.is_some() { "-c name -c project_id" } else { "-c name" };
    let id = &port.id;
    Some(format!(
        "if there openstack port show {id} -f value -c id; then\n    seen {values}\n    \
         same 'port {id}' openstack port show {id} -f value {columns}\n    openstack port delete {id}\nfi"
    ))
}

/// A word for the shell.
fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
