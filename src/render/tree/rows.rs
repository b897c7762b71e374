//! The tree as a list of rows, each with the lines that tie it to the others.

use jiff::Timestamp;

use crate::age;
use crate::render::clean;
use crate::render::signs::Signs;
use crate::tree::{Mood, Node};

/// How much further right than an object its conditions stand, as in `clusterctl describe cluster`
/// (kubernetes-sigs/cluster-api cmd/clusterctl/cmd/describe_cluster.go).
const CONDITION_INDENT: &str = "        ";

/// One row, cleaned.
#[derive(Debug)]
pub(super) struct Row {
    /// Tree lines before the name.
    pub(super) prefix: String,
    /// Tree lines before a line that belongs to this row.
    pub(super) below: String,
    /// Kind, or grouping word, or type of a condition.
    pub(super) kind: String,
    /// Name of the object.
    pub(super) name: String,
    /// `current/desired`.
    pub(super) replicas: String,
    /// Status word.
    pub(super) status: String,
    /// Reason.
    pub(super) reason: String,
    /// Age of the state.
    pub(super) since: String,
    /// Message with its lines.
    pub(super) message: String,
    /// How it is to be read.
    pub(super) mood: Mood,
    /// Whether the first cause is about this row.
    pub(super) here: bool,
    /// Whether it is a condition of the row above.
    pub(super) condition: bool,
}

impl Row {
    /// Kind and name.
    pub(super) fn label(&self) -> String {
        format!("{} {}", self.kind, self.name).trim().to_owned()
    }
}

/// All rows, from the top.
pub(super) fn rows(root: &Node, taken_at: Timestamp, signs: &Signs) -> Vec<Row> {
    let mut walk = Walk { rows: Vec::new(), taken_at, signs };
    if !(root.kind.is_empty() && root.name.is_empty()) {
        walk.node(root, String::new(), "");
    }
    walk.rows
}

struct Walk<'a> {
    rows: Vec<Row>,
    taken_at: Timestamp,
    signs: &'a Signs,
}

impl Walk<'_> {
    /// A node's conditions come first, the objects below it after them.
    fn node(&mut self, node: &Node, prefix: String, indent: &str) {
        let (conditions, objects): (Vec<&Node>, Vec<&Node>) =
            node.children.iter().partition(|node| node.condition);
        let past = if objects.is_empty() { "  " } else { self.signs.pipe };
        self.rows.push(self.row(node, prefix, format!("{indent}{past}")));
        self.level(&conditions, &format!("{indent}{past}{CONDITION_INDENT}"));
        self.level(&objects, indent);
    }

    fn level(&mut self, nodes: &[&Node], indent: &str) {
        for (at, node) in nodes.iter().enumerate() {
            let (glyph, past) = match at + 1 == nodes.len() {
                true => (self.signs.last, "  "),
                false => (self.signs.tee, self.signs.pipe),
            };
            self.node(node, format!("{indent}{glyph}"), &format!("{indent}{past}"));
        }
    }

    fn row(&self, node: &Node, prefix: String, below: String) -> Row {
        let line = |text: &str| clean::line(text).trim().to_owned();
        Row {
            prefix,
            below,
            kind: line(&node.kind),
            name: line(&node.name),
            replicas: node.replicas.as_deref().map(line).unwrap_or_default(),
            status: line(&node.status),
            reason: line(&node.reason),
            since: node.since.map(|since| age::between(since, self.taken_at)).unwrap_or_default(),
            message: clean::block(&node.message).trim().to_owned(),
            mood: node.mood,
            here: node.here,
            condition: node.condition,
        }
    }
}
