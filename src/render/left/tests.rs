//! What foreign names can do to the outputs: nothing.

use std::collections::BTreeMap;

use crate::render::{LeftFormat, Page, leftovers};
use crate::report::{
    ClusterHead, Holder, LeftVerdict, Leftover, LeftoversReport, Life, SourceHead, Thing, Tie,
};

fn thing(name: &str) -> Thing {
    Thing { kind: "port".to_owned(), id: "p-1".to_owned(), name: Some(name.to_owned()), project: None }
}

fn report(name: &str, held: bool) -> LeftoversReport {
    let holder = Holder { thing: thing(name), says: name.to_owned(), order: None };
    let remove = (!held).then(|| "openstack port delete p-1".to_owned());
    let left = Leftover {
        thing: thing(name),
        cluster: "kube-abcde".to_owned(),
        tied_by: "name (stack id)".to_owned(),
        certainty: Tie::Exact,
        why: Some(name.to_owned()),
        held_by: if held { vec![holder] } else { Vec::new() },
        with: vec![thing(name)],
        quota: BTreeMap::new(),
        since: None,
        order: 1,
        data: false,
        state: BTreeMap::from([("name".to_owned(), name.to_owned())]),
        look: "openstack port show p-1".to_owned(),
        remove,
    };
    LeftoversReport {
        api_version: "",
        kind: "LeftoversReport",
        taken_at: jiff::Timestamp::UNIX_EPOCH,
        exit_code: 1,
        verdict: LeftVerdict::Leftovers,
        summary: name.to_owned(),
        life: Life::Gone,
        cluster: ClusterHead {
            name: name.to_owned(),
            stack_id: Some(name.to_owned()),
            ..ClusterHead::default()
        },
        source: SourceHead { cloud: Some(name.to_owned()), ..SourceHead::default() },
        leftovers: vec![left],
        in_use: Vec::new(),
        quota: Vec::new(),
        gaps: Vec::new(),
        needs: Vec::new(),
        notes: vec![name.to_owned()],
        verify: Vec::new(),
    }
}

const ALL: [LeftFormat; 7] = [
    LeftFormat::Text,
    LeftFormat::Wide,
    LeftFormat::Json,
    LeftFormat::Yaml,
    LeftFormat::Name,
    LeftFormat::Script,
    LeftFormat::Markdown,
];

#[test]
fn no_name_moves_the_cursor_or_begins_a_line() {
    for held in [true, false] {
        let report = report("a\u{1b}[2Jb\u{202e}c\nreboot\r# d", held);
        for format in ALL {
            let page = leftovers(&report, format, &Page::default());
            assert!(
                !page
                    .chars()
                    .any(|c| c != '\n' && c.is_control() || (c == '\u{202e}' && format != LeftFormat::Yaml)),
                "{format:?}: {page}"
            );
            // In YAML a name stands in a string as the writer of YAML puts it.
            let starts = page.lines().any(|line| line.trim_start().starts_with("reboot"));
            assert!(!starts || format == LeftFormat::Yaml, "{format:?}: {page}");
        }
    }
}

#[test]
fn what_a_shell_cannot_compare_is_left_to_a_person() {
    let script = |name: &str| leftovers(&report(name, false), LeftFormat::Script, &Page::default());
    assert!(script("it's").contains(r"seen 'it'\''s'"));
    assert!(script("a\nb").contains("by hand") && !script("a\nb").contains("port delete"));
    assert!(script(" padded").contains("by hand"));
}

#[test]
fn ids_stay_whole_however_narrow_the_terminal_is() {
    let name = "kube-abcde-default-worker-bcdfg-hjklm-npqrs-0";
    let page = |columns| Page { width: Some(columns), ascii: true, ..Page::default() };
    let text = |columns| leftovers(&report(name, false), LeftFormat::Text, &page(columns));
    let row = |text: &str| {
        let row = text.lines().find(|line| line.trim_start().starts_with("1 "));
        row.expect("a row").to_owned()
    };
    let (narrow, wide) = (text(40), text(200));
    assert!(row(&wide).contains("p-1") && row(&wide).contains(name), "{wide}");
    // What the terminal has no room for goes, but for the id.
    assert!(row(&narrow).contains("p-1") && row(&narrow).len() <= 40, "{narrow}");
    assert!(narrow.is_ascii(), "{narrow}");
}
