//! Which records of a controller's log are kept: those of one cluster, and what tells that
//! the controller itself is ill. The log is never held: memory does not grow with it.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use jiff::{SignedDuration, Timestamp};
use regex::Regex;

use crate::model::belongs::Marks;
use crate::model::log;

/// A record is kept to this length, in bytes.
const LONGEST: usize = 64 * 1024;

/// Of records that say the same, the first so many are kept …
const FIRST: usize = 8;

/// … and the last so many. Between them nothing is learned.
const LAST: usize = 32;

/// Records before the end of a container's previous run that are kept whatever they say.
const BEFORE_END: usize = 20;

/// All kept records of one log, in bytes; a log has more only if a controller goes wild.
const MOST: usize = 4 * 1024 * 1024;

/// How near to a change of the Magnum cluster a record of the conductor must be to be kept
/// for the project's id alone.
const NEAR: SignedDuration = SignedDuration::from_mins(5);

/// What is looked for.
#[derive(Debug, Clone)]
pub struct Wanted {
    marks: Marks,
    /// Names and ids of the cluster's things, as one pattern; cheap where nothing fits.
    things: Option<Regex>,
    /// Project of the cluster and the times of its changes: for logs of the conductor.
    conductor: Option<(String, Vec<Timestamp>)>,
    taken_at: Timestamp,
}

impl Wanted {
    /// Records of the cluster with these marks, and those that name one of `things`.
    #[must_use]
    pub fn new(marks: Marks, things: &[String], taken_at: Timestamp) -> Self {
        // A short word would fit everywhere.
        let words: Vec<String> =
            things.iter().filter(|thing| thing.len() >= 6).map(|thing| regex::escape(thing)).collect();
        let things = (!words.is_empty()).then(|| Regex::new(&words.join("|")).ok()).flatten();
        Wanted { marks, things, conductor: None, taken_at }
    }

    /// The same for a log of the conductor.
    #[must_use]
    pub fn of_conductor(&self, project: Option<&str>, changes: &[Timestamp]) -> Self {
        let project = project.unwrap_or_default().to_owned();
        Wanted { conductor: Some((project, changes.to_vec())), ..self.clone() }
    }

    /// Whether a record is kept.
    fn wants(&self, record: &str) -> bool {
        self.marks.in_text(record)
            || self.things.as_ref().is_some_and(|things| things.is_match(record))
            || is_crash(record)
            || self.conductor.as_ref().is_some_and(|(project, changes)| {
                is_periodic_error(record)
                    || (!project.is_empty()
                        && record.contains(project.as_str())
                        && self.is_near(record, changes))
            })
    }

    fn is_near(&self, record: &str, changes: &[Timestamp]) -> bool {
        let at = log::records(record, self.taken_at).first().and_then(|record| record.at);
        at.is_none_or(|at| changes.iter().any(|change| at.duration_since(*change).abs() <= NEAR))
    }
}

/// A panic with its trace, or a record of klog's level F.
fn is_crash(record: &str) -> bool {
    const SIGNS: [&str; 4] = ["Observed a panic", "panic: ", "fatal error: ", "goroutine "];
    let head = log::without_stamp(record).as_bytes();
    let fatal = head.first() == Some(&b'F') && head.get(1).is_some_and(u8::is_ascii_digit);
    let critical = || record.contains(" CRITICAL ");
    fatal || SIGNS.iter().any(|sign| record.contains(sign)) || critical()
}

/// The conductor's passes over all clusters fail without naming one.
/// Source: openstack/magnum magnum/service/periodic.py; oslo.service prints what it raises.
fn is_periodic_error(record: &str) -> bool {
    (record.contains("magnum.service.periodic") || record.contains("Ignore error"))
        && (record.contains(" ERROR ") || record.contains(" WARNING "))
}

/// Reads a log in pieces and keeps what is wanted.
#[derive(Debug)]
pub struct Keeper {
    wanted: Wanted,
    /// True if the container ended: what it said last is kept.
    ended: bool,
    line: Vec<u8>,
    block: String,
    first_line: usize,
    number: u64,
    kept: Vec<(u64, String)>,
    seen: HashMap<u64, Fold>,
    tail: VecDeque<(u64, String)>,
    bytes: usize,
    /// Wanted records that were left out because there were too many.
    pub left_out: usize,
}

/// Records that say the same.
#[derive(Debug, Default)]
struct Fold {
    first: usize,
    last: VecDeque<(u64, String)>,
}

impl Keeper {
    /// For a log that still grows, or one of a container's previous run.
    #[must_use]
    pub fn new(wanted: Wanted, ended: bool) -> Self {
        Keeper {
            wanted,
            ended,
            line: Vec::new(),
            block: String::new(),
            first_line: 0,
            number: 0,
            kept: Vec::new(),
            seen: HashMap::new(),
            tail: VecDeque::new(),
            bytes: 0,
            left_out: 0,
        }
    }

    /// Takes the next piece of the log.
    pub fn push(&mut self, piece: &[u8]) {
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            let room = LONGEST.saturating_sub(self.line.len());
            let (text, ends) = match part.split_last() {
                Some((b'\n', text)) => (text, true),
                _ => (part, false),
            };
            self.line.extend(text.iter().take(room));
            if ends {
                self.end_line();
            }
        }
    }

    fn end_line(&mut self) {
        let bytes = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&bytes);
        let line = line.strip_suffix('\r').unwrap_or(&line);
        let first = self.block.get(..self.first_line).unwrap_or_default();
        if self.block.is_empty() || !log::joins(first, line) {
            self.end_block();
            self.first_line = line.len();
            self.block.push_str(line);
        } else if self.block.len() + line.len() < LONGEST {
            self.block.push('\n');
            self.block.push_str(line);
        }
        // The buffer is used again.
        self.line = bytes;
        self.line.clear();
    }

    fn end_block(&mut self) {
        if self.block.is_empty() {
            return;
        }
        let number = self.number;
        self.number += 1;
        let wanted = self.wanted.wants(&self.block);
        if wanted {
            let block = std::mem::take(&mut self.block);
            self.keep(number, block);
        } else if self.ended {
            if self.tail.len() >= BEFORE_END {
                self.tail.pop_front();
            }
            self.tail.push_back((number, std::mem::take(&mut self.block)));
        } else {
            self.block.clear();
        }
    }

    fn keep(&mut self, number: u64, block: String) {
        let fold = self.seen.entry(without_times(&block)).or_default();
        if fold.first < FIRST {
            if self.bytes + block.len() > MOST {
                self.left_out += 1;
                return;
            }
            fold.first += 1;
            self.bytes += block.len();
            self.kept.push((number, block));
            return;
        }
        if fold.last.len() >= LAST {
            let old = fold.last.pop_front();
            self.bytes -= old.map_or(0, |(_, old)| old.len());
        }
        if self.bytes + block.len() > MOST {
            self.left_out += 1;
            return;
        }
        self.bytes += block.len();
        fold.last.push_back((number, block));
    }

    /// The kept records in the order of the log.
    #[must_use]
    pub fn finish(mut self) -> String {
        if !self.line.is_empty() {
            self.end_line();
        }
        self.end_block();
        let last = self.number.saturating_sub(BEFORE_END as u64);
        let mut kept = self.kept;
        kept.extend(self.seen.into_values().flat_map(|fold| fold.last));
        kept.extend(self.tail.into_iter().filter(|(number, _)| *number >= last));
        kept.sort_by_key(|(number, _)| *number);
        kept.into_iter().map(|(_, block)| block + "\n").collect()
    }
}

/// What a record says apart from when, in which try and in which process: two that agree in it
/// are repeats.
fn without_times(block: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    let body = log::without_stamp(block);
    let words = body.split(' ').filter(|word| !word.is_empty());
    // klog: date, time, thread; oslo: date, time, pid.
    for word in words.skip(3) {
        let of_this_try = ["reconcileID=", "[req-", "req-", "resourceVersion=", "(Request-ID:"];
        if !of_this_try.iter().any(|start| word.starts_with(start)) {
            word.hash(&mut hasher);
        }
    }
    hasher.finish()
}

#[cfg(test)]
#[path = "keep_test.rs"]
mod tests;
