//! Gives everything in a bundle another name of the same length and kind, and moves all
//! times by one constant.
//!
//! Sorted lists must stay sorted, so the names of one class are replaced in order and keep
//! their first letters, and no new name is one that is already in use.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::civil::DateTime;
use jiff::{Span, ToSpan};
use regex::{Captures, Regex};
use serde_json::Value;

const HEX: &str = "0123456789abcdef";
/// Letters of the random suffixes of Kubernetes (apimachinery `pkg/util/rand`).
const SUFFIX: &str = "2456789bcdfghjklmnpqrstvwxz";
/// `kube-` and five letters that are no stack ids.
const WORDS: [&str; 3] = ["proxy", "error", "stuck"];
/// Node group names that mean something to the driver.
const GROUPS: [&str; 2] = ["default-master", "default-worker"];

/// A mapping of names and times, and the way back.
pub(crate) struct Rename {
    ids: HashMap<String, String>,
    runs: HashMap<String, String>,
    stacks: HashMap<String, String>,
    groups: Vec<Word>,
    clusters: Vec<Word>,
    shift: Span,
    find: Patterns,
}

/// A word and what stands in its place.
struct Word {
    old: String,
    new: String,
    whole: Regex,
}

impl Word {
    fn new(old: &str, new: &str) -> Self {
        let whole = Regex::new(&format!(r"\b{}\b", regex::escape(old))).unwrap();
        Word { old: old.to_owned(), new: new.to_owned(), whole }
    }

    fn turned(&self) -> Self {
        Word::new(&self.new, &self.old)
    }
}

struct Patterns {
    uuid: Regex,
    run: Regex,
    stack: Regex,
    time: Regex,
}

impl Patterns {
    fn new() -> Self {
        let regex = |text: &str| Regex::new(text).unwrap();
        Patterns {
            uuid: regex("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
            run: regex("[0-9A-Za-z]+"),
            stack: regex("kube-([0-9a-z]+)((?:-[0-9a-z]+)*)"),
            time: regex(concat!(
                r"(?P<date>\d{4}-\d\d-\d\d)(?P<sep>[T ])(?P<time>\d\d:\d\d:\d\d)",
                r"|(?P<level>[IWEF])(?P<day>\d{4}) (?P<klog>\d\d:\d\d:\d\d)",
                r"|\b(?P<bare>\d\d:\d\d:\d\d)Z"
            )),
        }
    }
}

impl Rename {
    /// Chooses new names for everything that the documents of a bundle name.
    pub(crate) fn of(documents: &BTreeMap<String, String>) -> Self {
        let find = Patterns::new();
        let everything: String = documents.iter().map(|(path, text)| format!("{path}\n{text}\n")).collect();
        let known: BTreeSet<&str> = find.run.find_iter(&everything).map(|m| m.as_str()).collect();
        let mut dice = Dice(0x2545_F491_4F6C_DD1D);

        let uuids: BTreeSet<String> =
            find.uuid.find_iter(&everything).map(|m| m.as_str().to_owned()).collect();
        let hexes = known.iter().filter(|r| r.len() == 32 && r.chars().all(|c| HEX.contains(c)));
        let hexes: BTreeSet<String> = hexes.map(|r| (*r).to_owned()).collect();
        let (stacks, suffixes) = names(&find, &everything);

        let mut ids = dice.fresh(&uuids, 1, HEX, &known);
        ids.extend(dice.fresh(&hexes, 1, HEX, &known));
        Rename {
            ids,
            stacks: dice.fresh(&stacks, 1, SUFFIX, &known),
            runs: dice.fresh(&suffixes, 2, SUFFIX, &known),
            groups: dice.words(documents, "nodegroups", &known),
            clusters: dice.words(documents, "clusters", &known),
            shift: 3.hours().minutes(17),
            find,
        }
    }

    /// The mapping that undoes this one.
    pub(crate) fn back(&self) -> Self {
        let turn = |map: &HashMap<String, String>| map.iter().map(|(a, b)| (b.clone(), a.clone())).collect();
        let turned = |words: &[Word]| words.iter().map(Word::turned).collect();
        Rename {
            ids: turn(&self.ids),
            runs: turn(&self.runs),
            stacks: turn(&self.stacks),
            groups: turned(&self.groups),
            clusters: turned(&self.clusters),
            shift: -self.shift,
            find: Patterns::new(),
        }
    }

    /// A document under its new path.
    pub(crate) fn document(&self, path: &str, text: &str) -> (String, String) {
        let mut text = self.text(text);
        // A cluster may be called by an everyday word (`drain`, `upgrade`), so its name is
        // replaced only where it can be nothing else.
        for word in &self.clusters {
            let name = regex::escape(&word.old);
            let place = match path {
                "bundle.yaml" => format!(r#"(?m)^(askedFor: ['"]?){name}(['"]?)$"#),
                _ if path.ends_with("/clusters.json") => format!(r#"("name": "){name}(")"#),
                _ => continue,
            };
            let place = Regex::new(&place).unwrap();
            text = place
                .replace_all(&text, |c: &Captures<'_>| format!("{}{}{}", &c[1], word.new, &c[2]))
                .into_owned();
        }
        (self.text(path), text)
    }

    /// Everything in an answer; cluster names wherever they stand as whole words.
    pub(crate) fn answer(&self, text: &str) -> String {
        let text = self.clusters.iter().fold(text.to_owned(), |text, word| {
            word.whole.replace_all(&text, word.new.as_str()).into_owned()
        });
        self.text(&text)
    }

    fn text(&self, text: &str) -> String {
        let swap = |map: &HashMap<String, String>, c: &Captures<'_>| {
            map.get(&c[0]).cloned().unwrap_or_else(|| c[0].to_owned())
        };
        let text = self.find.uuid.replace_all(text, |c: &Captures<'_>| swap(&self.ids, c));
        let text = self.find.stack.replace_all(&text, |c: &Captures<'_>| {
            let id = self.stacks.get(&c[1]).map_or(&c[1], String::as_str);
            format!("kube-{id}{}", &c[2])
        });
        let text = self.find.run.replace_all(&text, |c: &Captures<'_>| match c[0].len() {
            32 => swap(&self.ids, c),
            _ => swap(&self.runs, c),
        });
        let text = self.groups.iter().fold(text.into_owned(), |text, word| {
            word.whole.replace_all(&text, word.new.as_str()).into_owned()
        });
        self.find.time.replace_all(&text, |c: &Captures<'_>| self.time(c)).into_owned()
    }

    fn time(&self, found: &Captures<'_>) -> String {
        let get = |name: &str| found.name(name).map(|m| m.as_str());
        let moved = |date: &str, time: &str| -> Option<DateTime> {
            format!("{date}T{time}").parse::<DateTime>().ok()?.checked_add(self.shift).ok()
        };
        let new = if let (Some(date), Some(sep), Some(time)) = (get("date"), get("sep"), get("time")) {
            moved(date, time).map(|t| t.strftime(&format!("%Y-%m-%d{sep}%H:%M:%S")).to_string())
        } else if let (Some(level), Some(day), Some(time)) = (get("level"), get("day"), get("klog")) {
            // A klog line has no year; any year without 29 February gives the same day.
            let date = format!("2026-{}-{}", &day[..2], &day[2..]);
            moved(&date, time).map(|t| t.strftime(&format!("{level}%m%d %H:%M:%S")).to_string())
        } else {
            let time = get("bare").unwrap_or_default();
            moved("2026-06-15", time).map(|t| t.strftime("%H:%M:%SZ").to_string())
        };
        new.unwrap_or_else(|| found[0].to_owned())
    }
}

/// Stack ids, and the random parts of the names that begin with one.
fn names(find: &Patterns, text: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let mut stacks = BTreeSet::new();
    let mut suffixes = BTreeSet::new();
    for found in find.stack.captures_iter(text) {
        if found[1].len() != 5 || WORDS.contains(&&found[1]) {
            continue;
        }
        stacks.insert(found[1].to_owned());
        suffixes.extend(found[2].split('-').filter(|part| is_random(part)).map(str::to_owned));
    }
    (stacks, suffixes)
}

/// Five letters without a vowel, or with both letters and digits: no word of a language.
fn is_random(part: &str) -> bool {
    let digit = part.chars().any(|c| c.is_ascii_digit());
    let letter = part.chars().any(|c| c.is_ascii_alphabetic());
    part.len() == 5 && letter && (digit || part.chars().all(|c| SUFFIX.contains(c)))
}

/// Pseudo-random numbers (xorshift), the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    /// As many new tokens as there are old ones, in the same order. The first `keep` letters
    /// stay, hyphens too.
    fn fresh(
        &mut self,
        old: &BTreeSet<String>,
        keep: usize,
        alphabet: &str,
        known: &BTreeSet<&str>,
    ) -> HashMap<String, String> {
        let mut groups: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
        for token in old {
            groups.entry(&token[..keep]).or_default().push(token);
        }
        let mut map = HashMap::new();
        for tokens in groups.values() {
            let mut new = BTreeSet::new();
            while new.len() < tokens.len() {
                let token = self.like(tokens[0], keep, alphabet);
                if !old.contains(&token) && !known.contains(token.as_str()) {
                    new.insert(token);
                }
            }
            map.extend(tokens.iter().map(|t| (*t).clone()).zip(new));
        }
        map
    }

    fn like(&mut self, token: &str, keep: usize, alphabet: &str) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        let roll = |(at, c): (usize, char)| {
            if at < keep || !c.is_ascii_alphanumeric() { c } else { letters[self.roll(letters.len())] }
        };
        token.chars().enumerate().map(roll).collect()
    }

    /// New names for the clusters or node groups that Magnum lists.
    fn words(
        &mut self,
        documents: &BTreeMap<String, String>,
        list: &str,
        known: &BTreeSet<&str>,
    ) -> Vec<Word> {
        let text = documents.get(&format!("openstack/container-infra/{list}.json"));
        let body: Value = text.and_then(|t| serde_json::from_str(t).ok()).unwrap_or_default();
        let rows = body.get(list).and_then(Value::as_array).cloned().unwrap_or_default();
        let old: BTreeSet<&str> = rows.iter().filter_map(|r| r.get("name")?.as_str()).collect();
        let mut words: Vec<Word> = Vec::new();
        for word in old.iter().filter(|w| !GROUPS.contains(w) && !w.starts_with("kube-")) {
            let new = loop {
                let new = self.like(word, 1, "bcdfghjklmnpqrstvwxz");
                let known = new.split('-').any(|part| known.contains(part));
                if !known && words.iter().all(|w| w.new != new) {
                    break new;
                }
            };
            words.push(Word::new(word, &new));
        }
        words
    }
}
