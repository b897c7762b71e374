//! Foreign words in a ticket.
//!
//! In prose every word that a Markdown reader might take for more than a word (a link, HTML, a mention,
//! emphasis, a reference to another ticket) is shown as code: ids read well that way, and code is where
//! no tracker looks for mentions. Backslashes would not do: GitHub looks for mentions and addresses
//! after it has taken them away.

use super::clean;

/// Prose on one line.
pub(super) fn prose(text: &str) -> String {
    let clean = clean::line(text);
    let mut words: Vec<String> = Vec::new();
    for word in clean.split_whitespace() {
        let first = words.is_empty();
        words.push(if is_harmless(word, first) { word.to_owned() } else { guarded(word) });
    }
    words.join(" ")
}

/// Code on one line, fenced by more backticks than it has.
pub(super) fn code(text: &str) -> String {
    let clean = clean::line(text);
    let text = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        return String::new();
    }
    let fence = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A block of code, indented for the list it may stand in.
pub(super) fn fenced(language: &str, text: &str, indent: usize) -> String {
    let text = clean::block(text);
    let fence = "`".repeat((longest_run(&text) + 1).max(3));
    let pad = " ".repeat(indent);
    let mut block = format!("{pad}{fence}{language}\n");
    for line in text.trim_end().lines() {
        block.push_str(format!("{pad}{line}").trim_end());
        block.push('\n');
    }
    block.push_str(&format!("{pad}{fence}\n"));
    block
}

fn is_harmless(word: &str, first: bool) -> bool {
    let loud = |c: char| {
        !(c.is_alphanumeric()
            || matches!(c, '.' | ',' | ';' | ':' | '?' | '(' | ')' | '"' | '\'' | '/' | '-' | '%'))
            && c.is_ascii()
    };
    let lower = word.to_lowercase();
    // A dash, a number with a dot: at the front of a paragraph these begin a list.
    let number_off = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let opens =
        first && (word.starts_with('-') || (word != number_off && number_off.starts_with(['.', ')'])));
    let hex = word.len() >= 7 && word.chars().all(|c| c.is_ascii_hexdigit());
    !(word.contains(loud) || lower.contains("://") || lower.contains("www.") || opens || hex)
}

/// The word as code, with the punctuation around it outside.
fn guarded(word: &str) -> String {
    let body = word.trim_start_matches(['(', '"', '\'']);
    let (front, _) = word.split_at(word.len() - body.len());
    let core = body.trim_end_matches(['.', ',', ';', ':', ')', '"', '\'']);
    let (_, back) = body.split_at(core.len());
    match core.is_empty() {
        true => code(word),
        false => format!("{front}{}{back}", code(core)),
    }
}

fn longest_run(text: &str) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::{code, fenced, prose};

    fn check(text: &str, markdown: &str) {
        assert_eq!(prose(text), markdown);
    }

    #[test]
    fn plain_words_stay() {
        check(
            "the project's quota (2 of 10) is too small: 50%.",
            "the project's quota (2 of 10) is too small: 50%.",
        );
    }

    #[test]
    fn no_mention_link_html_or_emphasis() {
        check("ask @admin, now", "ask `@admin`, now");
        check("[x](http://evil) <img>", "`[x](http://evil`) `<img>`");
        check("see https://evil.example", "see `https://evil.example`");
        check("k8s_secgroup (#12).", "`k8s_secgroup` (`#12`).");
        check("# heading", "`#` heading");
        check("- item", "`-` item");
        check("1. item", "`1`. item");
    }

    #[test]
    fn no_word_leaves_its_code() {
        check("a`b``c", "```a`b``c```");
        check("`@a", "`` `@a ``");
        assert_eq!(code("a\n\n# b"), "`a # b`");
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fenced("", "a\n```\n<b>", 0), "````\na\n```\n<b>\n````\n");
        assert_eq!(fenced("sh", "a", 3), "   ```sh\n   a\n   ```\n");
    }
}
