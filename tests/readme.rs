//! What the README shows is what the program prints.
#![expect(clippy::unwrap_used, reason = "a test ends loudly")]

use std::path::{Path, PathBuf};

/// The page of the README is from this scenario, and so is its command.
const SCENARIO: &str = "tests/scenarios/r-03-cores-quota-first-control-plane";
/// So much of a page shows at least the cause with its evidence and its fix.
const LINES: usize = 20;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn readme() -> String {
    std::fs::read_to_string(root().join("README.md")).unwrap()
}

/// The lines of the first code block of a kind.
fn block<'a>(text: &'a str, kind: &str) -> Vec<&'a str> {
    let fence = format!("```{kind}");
    text.lines().skip_while(|line| *line != fence).skip(1).take_while(|line| *line != "```").collect()
}

/// `expected.txt` is held against the program by the test of the scenarios. With `UPDATE_EXPECT=1` the
/// page in the README is written anew from it.
#[test]
fn the_page_is_the_head_of_a_real_one() {
    let expected = std::fs::read_to_string(root().join(SCENARIO).join("expected.txt")).unwrap();
    let readme = readme();
    let shown = block(&readme, "text");
    assert!(shown.len() >= LINES, "the README shows {} lines of a page", shown.len());
    let head: Vec<&str> = expected.lines().take(shown.len()).collect();
    if shown != head && std::env::var_os("UPDATE_EXPECT").is_some() {
        let anew = readme.replacen(&shown.join("\n"), &head.join("\n"), 1);
        std::fs::write(root().join("README.md"), anew).unwrap();
        return;
    }
    assert_eq!(shown, head, "the README shows another page (UPDATE_EXPECT=1 writes it)");
}

#[test]
fn the_first_command_makes_that_page() {
    let readme = readme();
    let command = format!("cargo run -- why --from {SCENARIO}/bundle");
    assert_eq!(block(&readme, ""), [command.as_str()]);
    let ci = std::fs::read_to_string(root().join(".ci/run")).unwrap();
    assert!(ci.contains(&format!("example={SCENARIO}\n")), ".ci/run runs another example");
}

/// The lines that `docs/first-hour.md` explains are those of the same page, in their order.
#[test]
fn the_first_hour_reads_a_real_page() {
    let page = std::fs::read_to_string(root().join(SCENARIO).join("expected.txt")).unwrap();
    let text = std::fs::read_to_string(root().join("docs/first-hour.md")).unwrap();
    let blocks = text.split("```text\n").skip(1).filter_map(|rest| rest.split_once("```"));
    let quoted: Vec<&str> = blocks.flat_map(|(block, _)| block.lines()).collect();
    assert!(quoted.len() >= LINES / 2);
    let mut lines = page.lines();
    for line in quoted {
        assert!(lines.any(|of_page| of_page == line), "the page has not, or not there: {line}");
    }
}

/// Links to files of the repository lead somewhere.
fn check_links(file: &str) {
    let text = std::fs::read_to_string(root().join(file)).unwrap();
    let folder = root().join(file).parent().unwrap().to_owned();
    let links = text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link);
    let here: Vec<&str> = links.filter(|link| !link.contains("://")).collect();
    assert!(!here.is_empty());
    for link in here {
        let path = link.split('#').next().unwrap();
        assert!(folder.join(path).exists(), "{file}: {link}");
    }
}

#[test]
fn links_lead_to_files() {
    check_links("README.md");
    check_links("docs/first-hour.md");
}
