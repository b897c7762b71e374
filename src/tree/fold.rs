//! Machines that say the same become one row.
//!
//! clusterctl compares reasons only, and since the contract v1beta2 every sick machine
//! has the reason NotReady. Here the words of the deepest failing object are compared,
//! without names, ids and times, and they stay on the row.

use super::{Mood, Node};
use crate::model::doc;

/// End of the kind of a row that stands for several machines.
pub(super) const MACHINES: &str = " Machines...";

/// Folds machines of one owner; `alone` are never folded.
pub(super) fn fold(rows: Vec<Node>, alone: impl Fn(&Node) -> bool) -> Vec<Node> {
    let mut classes: Vec<(Option<Key>, Vec<Node>)> = Vec::new();
    for row in rows {
        let key = (row.kind == "Machine" && !alone(&row)).then(|| key(&row));
        match classes.iter_mut().find(|(k, _)| k.is_some() && *k == key) {
            Some((_, members)) => members.push(row),
            None => classes.push((key, vec![row])),
        }
    }
    classes.into_iter().flat_map(|(_, members)| one(members)).collect()
}

#[derive(PartialEq)]
struct Key {
    status: String,
    deleting: bool,
    mood: Mood,
    deepest: [String; 4],
}

fn key(row: &Node) -> Key {
    let deep = deepest(row);
    let names = names(row);
    let plain = |text: &str| normal(text, &names);
    Key {
        status: row.status.clone(),
        deleting: row.reason == "deleting",
        mood: deep.mood,
        deepest: [deep.kind.clone(), deep.status.clone(), plain(&deep.reason), plain(&deep.message)],
    }
}

fn one(members: Vec<Node>) -> Vec<Node> {
    let [first, _, ..] = members.as_slice() else { return members };
    let deep = deepest(first);
    let shown: Vec<&str> = members.iter().take(2).map(|m| m.name.as_str()).collect();
    let more = if members.len() > shown.len() { ", …" } else { "" };
    let see = format!("See {}{more}", shown.join(", "));
    vec![Node {
        kind: format!("{}{MACHINES}", members.len()),
        status: first.status.clone(),
        reason: deep.reason.clone(),
        message: super::row::lines(&[&deep.message, &see]),
        since: members.iter().filter_map(|m| m.since).min(),
        mood: deep.mood,
        folded: members.iter().flat_map(names).collect(),
        ..Node::default()
    }]
}

/// The deepest bad row, else the deepest unsure one, else the row itself.
fn deepest(row: &Node) -> &Node {
    [Mood::Bad, Mood::Unsure].into_iter().find_map(|mood| deepest_of(row, mood)).map_or(row, |(_, node)| node)
}

fn deepest_of(row: &Node, mood: Mood) -> Option<(usize, &Node)> {
    let own = (row.mood == mood).then_some((0, row));
    let below = row.children.iter().filter(|c| !c.condition).filter_map(|c| deepest_of(c, mood));
    // The first of the deepest: `max_by_key` would take the last.
    let below = below.fold(None, |best: Option<(usize, &Node)>, (depth, node)| match best {
        Some(best) if best.0 > depth => Some(best),
        _ => Some((depth + 1, node)),
    });
    below.or(own)
}

/// All names and ids in a row and below, each once.
fn names(row: &Node) -> Vec<String> {
    let mut all = vec![row.name.clone()];
    all.extend(row.folded.iter().cloned());
    all.extend(row.children.iter().filter(|c| !c.condition).flat_map(names));
    all.retain(|n| !n.is_empty());
    all.sort();
    all.dedup();
    all
}

/// A text without what differs from machine to machine: its names, ids, ages, times.
fn normal(text: &str, names: &[String]) -> String {
    let mut longest: Vec<&String> = names.iter().collect();
    longest.sort_by_key(|n| std::cmp::Reverse(n.len()));
    let text = longest.iter().fold(text.to_owned(), |text, name| text.replace(name.as_str(), "<name>"));
    text.split_inclusive(|c: char| !is_word(c)).map(plain_word).collect()
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | ':' | '+')
}

fn plain_word(piece: &str) -> String {
    let word = piece.trim_end_matches(|c: char| !is_word(c));
    let rest = piece.strip_prefix(word).unwrap_or_default();
    let end = word.trim_end_matches(['.', ':']);
    let tail = word.strip_prefix(end).unwrap_or_default();
    let kind = if is_id(end.strip_prefix("req-").unwrap_or(end)) {
        "<id>"
    } else if is_age(end) {
        "<age>"
    } else if doc::time(end).is_some() {
        "<time>"
    } else {
        return piece.to_owned();
    };
    format!("{kind}{tail}{rest}")
}

/// A UUID, with dashes or without.
fn is_id(word: &str) -> bool {
    let hex = word.chars().filter(char::is_ascii_hexdigit).count();
    let dashes = word.chars().filter(|c| *c == '-').count();
    hex == 32 && hex + dashes == word.len() && matches!(dashes, 0 | 4)
}

/// `10m0s`, `2h`, `1.5s`.
fn is_age(word: &str) -> bool {
    let number = |c: char| c.is_ascii_digit() || c == '.';
    word.starts_with(number)
        && word.ends_with(['s', 'm', 'h', 'd'])
        && word.chars().all(|c| number(c) || matches!(c, 's' | 'm' | 'h' | 'd'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, names: &[&str], expected: &str) {
        let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
        assert_eq!(normal(text, &names), expected);
    }

    #[test]
    fn names_ids_ages_and_times_do_not_count() {
        check("server m1-a of m1 failed", &["m1", "m1-a"], "server <name> of <name> failed");
        check("port 7b756bfe-151a-489b-9f26-9f1e5b4ddbf3: gone", &[], "port <id>: gone");
        check("(req-7b756bfe-151a-489b-9f26-9f1e5b4ddbf3)", &[], "(<id>)");
        check("since 3m24s, finalizers: a", &[], "since <age>, finalizers: a");
        check("started at 2026-11-30T20:42:26Z.", &[], "started at <time>.");
    }

    #[test]
    fn what_was_refused_counts() {
        check("cores: Requested 2, used 0 of 1", &[], "cores: Requested 2, used 0 of 1");
        check("POST /servers 403", &[], "POST /servers 403");
        check("cafe", &[], "cafe");
    }
}
