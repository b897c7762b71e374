//! The picture at the head of the README: the program's own page on a terminal. A stale one is drawn
//! anew and fails once.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test ends loudly")]

#[path = "support/screen.rs"]
mod screen;
#[path = "support/shown.rs"]
mod shown;

use std::fmt::Write;

use shown::{on_screen, program};
use unicode_width::UnicodeWidthStr;

const SCENARIO: &str = "tests/scenarios/r-03-cores-quota-first-control-plane/bundle";
const COLUMNS: u16 = 118;
/// Width of a letter and height of a line, in the units of the picture.
const LETTER: f64 = 8.4;
const LINE: usize = 19;
const MARGIN: usize = 18;
/// Room above the page for the command.
const TOP: usize = 2 * MARGIN;

/// Letters of one look.
#[derive(Debug, PartialEq, Eq)]
struct Span {
    text: String,
    codes: Vec<String>,
}

/// A line of a terminal as spans, by its colour sequences.
fn spans(line: &str) -> Vec<Span> {
    let mut codes: Vec<String> = Vec::new();
    let mut all = Vec::new();
    for (at, piece) in line.split("\u{1b}[").enumerate() {
        let (sequence, text) = if at == 0 { ("", piece) } else { piece.split_once('m').unwrap() };
        for code in sequence.split(';').filter(|code| !code.is_empty()) {
            if code == "0" { codes.clear() } else { codes.push(code.to_owned()) }
        }
        if !text.is_empty() {
            all.push(Span { text: text.to_owned(), codes: codes.clone() });
        }
    }
    all
}

/// How a colour code looks. An unknown one is a new style of the program and must get its look here.
fn look(code: &str) -> &'static str {
    match code {
        "1" => "font-weight=\"bold\"",
        "2" => "fill-opacity=\"0.6\"",
        "31" => "fill=\"#ff7b72\"",
        "32" => "fill=\"#7ee787\"",
        "33" => "fill=\"#e3b341\"",
        "36" => "fill=\"#79c0ff\"",
        other => panic!("no look for the colour code {other}"),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn draw(command: &str, page: &str) -> String {
    let lines: Vec<&str> = page.lines().collect();
    let width = (f64::from(COLUMNS) * LETTER) as usize + 2 * MARGIN;
    let height = TOP + (lines.len() + 1) * LINE + MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"14\" \
         fill=\"#e6edf3\">\n<title>{}</title>\n<rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#0d1117\"/>\n",
        escaped(command)
    );
    let prompt = format!("\u{1b}[2m$ \u{1b}[0m\u{1b}[1m{command}\u{1b}[0m");
    for (at, line) in std::iter::once(prompt.as_str()).chain(lines).enumerate() {
        let mut column = 0;
        for Span { text, codes } in spans(line) {
            let (x, y) = (MARGIN as f64 + column as f64 * LETTER, TOP + at * LINE);
            let looks: String = codes.iter().map(|code| format!(" {}", look(code))).collect();
            // The length keeps columns straight in a font of another width.
            let length = text.width() as f64 * LETTER;
            if !text.trim().is_empty() {
                let _ = writeln!(
                    svg,
                    "<text x=\"{x:.1}\" y=\"{y}\" textLength=\"{length:.1}\" xml:space=\"preserve\"{looks}>{}</text>",
                    escaped(&text)
                );
            }
            column += text.width();
        }
    }
    svg + "</svg>\n"
}

/// The page down to the end of the fix; the tree and the log are wider than a picture bears.
fn head(page: &str) -> String {
    let end = page.find("kubectl magnum explain").expect("the last line of the fix");
    let end = end + page[end..].find('\n').unwrap();
    page[..=end].to_owned()
}

#[test]
fn the_picture_is_a_real_page() {
    let (page, code) = on_screen(program(&["why", "--from", SCENARIO], &[("TERM", "xterm")]), COLUMNS);
    assert_eq!(code, Some(1));
    let drawn = draw("kubectl magnum why cores-full", &head(&page));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/why.svg");
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    if stored != drawn {
        std::fs::write(path, &drawn).unwrap();
    }
    assert!(stored == drawn, "docs/why.svg was stale and has been drawn anew");
}

#[test]
fn colours_become_looks() {
    let span = |text: &str, codes: &[&str]| Span {
        text: text.to_owned(),
        codes: codes.iter().map(|code| (*code).to_owned()).collect(),
    };
    assert_eq!(
        spans("a\u{1b}[31;1m<b>\u{1b}[0m c"),
        [span("a", &[]), span("<b>", &["31", "1"]), span(" c", &[])]
    );
    let svg = draw("x", "a\u{1b}[31m<b>\u{1b}[0m");
    assert!(svg.contains("fill=\"#ff7b72\">&lt;b&gt;</text>"), "{svg}");
}
