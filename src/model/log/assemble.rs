//! Which lines belong to one record.

use super::{Level, Record, Shape, TEXT_LIMIT, cut, is_trace, klog, oslo};
use jiff::Timestamp;

/// The lines of one record, nothing parsed yet but what told the lines apart.
pub(super) struct Draft<'a> {
    stamp: Option<&'a str>,
    shape: Shape,
    lines: Vec<&'a str>,
    /// klog: the last line left a value open (`err=<`).
    open: bool,
    /// oslo: timestamp, pid and logger, the same on every line of a traceback.
    key: Option<oslo::Key<'a>>,
}

/// The log cut into records.
pub(super) fn drafts(text: &str) -> Vec<Draft<'_>> {
    let mut drafts: Vec<Draft<'_>> = Vec::new();
    let mut last_oslo = None;
    for line in text.lines() {
        let (stamp, body) = strip_stamp(line);
        if let Some(draft) = drafts.last_mut()
            && draft.takes(body)
        {
            draft.push(body);
            continue;
        }
        let Some(fresh) = Draft::begin(stamp, body) else { continue };
        if fresh.shape == Shape::Oslo {
            // The extension's own lines may fall into the middle of a traceback.
            if let Some(open) = last_oslo.and_then(|at: usize| drafts.get_mut(at))
                && fresh.continues(open)
            {
                open.push(body);
                continue;
            }
            last_oslo = Some(drafts.len());
        }
        drafts.push(fresh);
    }
    drafts
}

impl<'a> Draft<'a> {
    /// A record that this line starts; none for an empty line.
    fn begin(stamp: Option<&'a str>, body: &'a str) -> Option<Draft<'a>> {
        let key = oslo::key(body);
        let shape = match body.as_bytes().first()? {
            b'I' | b'W' | b'E' | b'F' if klog::header(body).is_some() => Shape::Klog,
            b'{' if body.ends_with('}') => Shape::KlogJson,
            b'[' if oslo::rust_header(body).is_some() => Shape::Rust,
            _ if key.is_some() => Shape::Oslo,
            _ => Shape::Bare,
        };
        let mut draft = Draft { stamp, shape, lines: Vec::new(), open: false, key };
        draft.push(body);
        Some(draft)
    }

    fn push(&mut self, body: &'a str) {
        if self.shape == Shape::Klog {
            let ends = body.ends_with("=<");
            let text_of_value = self.open && body.starts_with('\t');
            let closes = self.open && body.starts_with(" >");
            self.open = if text_of_value { true } else { ends || (self.open && !closes) };
        }
        self.lines.push(body);
    }

    /// Whether a line goes on with this record, told from the line alone.
    fn takes(&self, body: &str) -> bool {
        if self.open && body.starts_with(['\t', ' ']) {
            return true;
        }
        let bare = !starts_record(body);
        match self.shape {
            Shape::Klog => bare && (self.open || body.starts_with(['\t', ' '])),
            Shape::Oslo => bare && body.starts_with(['\t', ' ', '{']),
            Shape::Bare => {
                bare && (!is_start_of_trace(body) || self.lines.iter().any(|l| is_start_of_trace(l)))
            }
            Shape::KlogJson | Shape::Rust => false,
        }
    }

    /// An oslo line without a context of its own that shares the key of an earlier record.
    fn continues(&self, earlier: &Draft<'_>) -> bool {
        self.key
            .as_ref()
            .is_some_and(|key| !key.has_context && earlier.key.as_ref().is_some_and(|e| e.same(key)))
    }

    /// The record that these lines are.
    pub(super) fn finish(self, taken_at: Timestamp) -> Record {
        let text = self.lines.join("\n");
        let mut record = match self.shape {
            Shape::Klog => klog::text_record(&text, taken_at),
            Shape::KlogJson => klog::json_record(&text),
            Shape::Oslo => oslo::record(&self.lines),
            Shape::Rust => oslo::rust_record(&text),
            Shape::Bare => None,
        }
        .unwrap_or_else(|| bare(&text));
        record.at = self.stamp.and_then(|stamp| stamp.parse().ok()).or(record.at);
        record.text = cut(text, TEXT_LIMIT);
        record
    }
}

/// Whether `line` may belong to the record that begins with `first`: it starts none of its
/// own, or it is the next line of the same oslo traceback.
pub(super) fn joins(first: &str, line: &str) -> bool {
    let (_, body) = strip_stamp(line);
    if !starts_record(body) {
        return true;
    }
    let keys = oslo::key(body).zip(oslo::key(strip_stamp(first).1));
    keys.is_some_and(|(line, first)| !line.has_context && line.same(&first))
}

/// A record of one shape, with nothing in it.
pub(super) fn empty(shape: Shape) -> Record {
    Record {
        at: None,
        level: Level::Unknown,
        shape,
        origin: String::new(),
        message: String::new(),
        pairs: Vec::new(),
        context: Vec::new(),
        text: String::new(),
    }
}

fn bare(text: &str) -> Record {
    let level = if is_trace(text) { Level::Fatal } else { Level::Unknown };
    let message = text.lines().next().unwrap_or_default().to_owned();
    Record { level, message, ..empty(Shape::Bare) }
}

fn is_start_of_trace(body: &str) -> bool {
    body.starts_with("panic: ") || body.starts_with("fatal error: ")
}

fn starts_record(body: &str) -> bool {
    match body.as_bytes().first() {
        Some(b'I' | b'W' | b'E' | b'F') => klog::header(body).is_some(),
        Some(b'[') => oslo::rust_header(body).is_some(),
        Some(b'{') => body.ends_with('}') && (body.contains("\"ts\"") || body.contains("\"msg\"")),
        Some(b'0'..=b'9') => oslo::key(body).is_some(),
        _ => false,
    }
}

/// The time that the kubelet puts before each line, and the line without it.
pub(super) fn strip_stamp(line: &str) -> (Option<&str>, &str) {
    let bytes = line.as_bytes();
    let shaped = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if !shaped.iter().all(|(at, mark)| bytes.get(*at) == Some(mark)) {
        return (None, line);
    }
    let (stamp, body) = line.split_once(' ').unwrap_or((line, ""));
    let zoned = stamp.ends_with('Z') || stamp.get(19..).is_some_and(|tail| tail.contains(['+', '-']));
    if zoned { (Some(stamp), body) } else { (None, line) }
}
