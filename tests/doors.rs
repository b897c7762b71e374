//! Which room of `src` may name which other: the list in `src/lib.rs`, held against the
//! `crate::` paths of the code.
#![expect(clippy::unwrap_used, reason = "a test ends loudly")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use regex::Regex;

type Doors = BTreeMap<String, BTreeSet<String>>;

#[test]
fn rooms_use_only_their_doors() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let lib = std::fs::read_to_string(src.join("lib.rs")).unwrap();
    let doors = doors(&lib);
    let mut complaints = Vec::new();
    for module in modules(&lib) {
        if !doors.contains_key(&module) {
            complaints.push(format!("room {module} is not in the list of src/lib.rs"));
        }
    }
    // Code that only tests see may go through any door.
    let tests = |file: &PathBuf| {
        let inside = file.strip_prefix(&src).unwrap();
        inside.ends_with("testing.rs")
            || inside.ends_with("tests.rs")
            || inside.components().any(|c| c.as_os_str() == "tests")
    };
    for file in sources(&src).into_iter().filter(|file| !tests(file)) {
        let Some(room) = room(&src, &file) else { continue };
        let Some(allowed) = doors.get(&room) else {
            complaints.push(format!("{}: room {room} is not in the list", file.display()));
            continue;
        };
        for target in named_rooms(&std::fs::read_to_string(&file).unwrap()) {
            let open = target == room || allowed.contains(&target) || allowed.contains("all");
            if doors.contains_key(&target) && !open {
                complaints.push(format!("{}: {room} has no door to {target}", file.display()));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn the_list_and_the_paths_are_understood() {
    let list = doors("//! a → b, c     b   → c\n//! run → all\n");
    assert_eq!(list.keys().collect::<Vec<_>>(), ["a", "b", "c", "run"]);
    assert_eq!(list["a"].iter().collect::<Vec<_>>(), ["b", "c"]);
    assert!(list["c"].is_empty());
    let code = "use crate::a::x;\nuse crate::{b::{y, z}, c};\n// crate::comment\nlet p = crate::d::q();";
    assert_eq!(named_rooms(code).into_iter().collect::<Vec<_>>(), ["a", "b", "c", "d"]);
}

/// The list: `room → room, room`, several to a line. A room that only others name has no doors.
fn doors(lib: &str) -> Doors {
    let entry = Regex::new(r"(\w+)\s*→\s*(\w+(?:,\s*\w+)*)").unwrap();
    let prose: String = lib.lines().filter(|l| l.starts_with("//!")).map(|l| format!("{l}\n")).collect();
    let mut doors = Doors::new();
    for found in entry.captures_iter(&prose) {
        let to: BTreeSet<String> = found[2].split(',').map(|r| r.trim().to_owned()).collect();
        for room in to.iter().filter(|r| *r != "all") {
            doors.entry(room.clone()).or_default();
        }
        doors.entry(found[1].to_owned()).or_default().extend(to);
    }
    assert!(!doors.is_empty(), "src/lib.rs has no list of doors");
    doors
}

fn modules(lib: &str) -> Vec<String> {
    let module = Regex::new(r"(?m)^\s*(?:pub(?:\([a-z]+\))? )?mod (\w+);").unwrap();
    module.captures_iter(lib).map(|m| m[1].to_owned()).collect()
}

/// Every `.rs` file below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The top module a file belongs to; none for the crate roots.
fn room(src: &Path, file: &Path) -> Option<String> {
    let inside = file.strip_prefix(src).unwrap().with_extension("");
    let first = inside.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
    (!["lib", "main"].contains(&first.as_str())).then_some(first)
}

/// The rooms that `crate::` paths outside comments begin with, also in braces.
fn named_rooms(code: &str) -> BTreeSet<String> {
    let code: String = code
        .lines()
        .map(|l| l.split_once("//").map_or(l, |(before, _)| before))
        .collect::<Vec<_>>()
        .join("\n");
    let mut rooms = BTreeSet::new();
    for after in code.split("crate::").skip(1) {
        match after.strip_prefix('{') {
            Some(group) => rooms.extend(in_braces(group)),
            None => rooms.extend(word(after)),
        }
    }
    rooms
}

fn in_braces(group: &str) -> Vec<String> {
    let (mut depth, mut item, mut items) = (0_usize, String::new(), Vec::new());
    for c in group.chars() {
        match c {
            '}' if depth == 0 => break,
            ',' if depth == 0 => items.push(std::mem::take(&mut item)),
            _ => {
                depth = if c == '{' { depth + 1 } else { depth.saturating_sub(usize::from(c == '}')) };
                item.push(c);
            }
        }
    }
    items.push(item);
    items.iter().filter_map(|i| word(i.trim())).collect()
}

fn word(text: &str) -> Option<String> {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    (end > 0).then(|| text[..end].to_owned())
}
