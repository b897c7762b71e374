//! Folds prose to a width in display columns.
//!
//! A word is never broken, because it may be an id that somebody wants to paste. Only a word that is
//! longer than a whole line is divided, and only after a comma, semicolon, ampersand or closing brace,
//! which no id has: the JSON bodies of OpenStack errors come without spaces. What still does not fit
//! sticks out, and the terminal deals with it.

use unicode_width::UnicodeWidthStr;

/// Display columns of a text.
pub(super) fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Folds each line of the text; a folded line hangs below its own beginning, or below the words after
/// a bullet. Without room (piped) the lines stay as they are.
pub(super) fn fold(text: &str, room: Option<usize>) -> Vec<String> {
    let Some(room) = room else { return text.lines().map(|line| line.trim_end().to_owned()).collect() };
    text.lines().flat_map(|line| fold_line(line, room)).collect()
}

/// Lays items side by side with a separator between them; an item is never divided.
pub(super) fn items(items: &[String], separator: &str, room: Option<usize>) -> Vec<String> {
    let Some(room) = room else { return vec![items.join(separator)] };
    let mut lines = Vec::new();
    let mut current = String::new();
    for item in items {
        if !current.is_empty() && width(&current) + width(separator) + width(item) > room {
            lines.push(std::mem::take(&mut current));
        }
        if !current.is_empty() {
            current.push_str(separator);
        }
        current.push_str(item);
    }
    lines.push(current);
    lines
}

/// Shortens a name in its middle: the front says whose it is, the end tells it from its sisters.
pub(super) fn middle(text: &str, room: usize, cut: &str) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let kept = room.saturating_sub(width(cut));
    let end = kept / 2;
    let front = take(text.chars(), kept - end);
    let back = take(text.chars().rev(), end);
    front.into_iter().chain(cut.chars()).chain(back.into_iter().rev()).collect()
}

/// At most so many lines; the last one says that more was there.
pub(super) fn at_most(mut lines: Vec<String>, most: usize, room: Option<usize>, cut: &str) -> Vec<String> {
    if lines.len() <= most {
        return lines;
    }
    lines.truncate(most);
    if let Some(last) = lines.last_mut() {
        let room = room.unwrap_or(usize::MAX).saturating_sub(width(cut) + 1);
        while width(last) > room {
            last.pop();
        }
        *last = format!("{} {cut}", last.trim_end());
    }
    lines
}

fn take(chars: impl Iterator<Item = char>, room: usize) -> Vec<char> {
    let mut used = 0;
    chars
        .take_while(|c| {
            used += width(c.encode_utf8(&mut [0; 4]));
            used <= room
        })
        .collect()
}

fn fold_line(line: &str, room: usize) -> Vec<String> {
    let words = line.trim();
    let indent = (line.len() - line.trim_start().len()).min(room / 3);
    let bullet = ["* ", "- "].into_iter().find(|bullet| words.starts_with(bullet)).unwrap_or("");
    let words = words.strip_prefix(bullet).unwrap_or(words);
    let hang = indent + bullet.len();
    let mut lines = Vec::new();
    let mut current = format!("{:indent$}{bullet}", "");
    let mut fresh = true;
    for (space, piece) in pieces(words, room.saturating_sub(hang)) {
        let space = if fresh { "" } else { space };
        if !fresh && width(&current) + space.len() + width(piece) > room {
            lines.push(std::mem::replace(&mut current, " ".repeat(hang)));
        } else {
            current.push_str(space);
        }
        current.push_str(piece);
        fresh = false;
    }
    lines.push(current);
    lines
}

/// Words and, where a word is longer than a line, its parts; each with what stands before it.
fn pieces(words: &str, room: usize) -> impl Iterator<Item = (&'static str, &str)> {
    words.split(' ').filter(|word| !word.is_empty()).flat_map(move |word| {
        let long = width(word) > room;
        word.split_inclusive(move |c| long && matches!(c, ',' | ';' | '&' | '}'))
            .enumerate()
            .map(|(at, part)| (if at == 0 { " " } else { "" }, part))
    })
}

#[cfg(test)]
mod tests {
    use super::{at_most, fold, items, middle};

    fn check(text: &str, room: usize, lines: &[&str]) {
        assert_eq!(fold(text, Some(room)), lines);
    }

    #[test]
    fn folds_at_spaces() {
        check("one two three", 9, &["one two", "three"]);
        check("one two three", 13, &["one two three"]);
        check("", 10, &[]);
    }

    #[test]
    fn columns_not_letters() {
        check("東京 大阪", 8, &["東京", "大阪"]);
        check("東京 大阪", 9, &["東京 大阪"]);
    }

    #[test]
    fn an_id_sticks_out_whole() {
        check(
            "port a85f238f-d931-4768-9b28-62b9f5bc3d5a is",
            20,
            &["port", "a85f238f-d931-4768-9b28-62b9f5bc3d5a", "is"],
        );
    }

    #[test]
    fn a_body_without_spaces_is_divided_between_its_fields() {
        check(r#"{"code":403,"title":"Forbidden"}"#, 22, &[r#"{"code":403,"#, r#""title":"Forbidden"}"#]);
    }

    #[test]
    fn bullets_hang() {
        check(
            "* Machine a: not\n  * NodeHealthy: no",
            14,
            &["* Machine a:", "  not", "  * NodeHealthy:", "    no"],
        );
    }

    #[test]
    fn piped_lines_stay() {
        assert_eq!(fold("a b c\n  d", None), ["a b c", "  d"]);
    }

    #[test]
    fn items_stay_whole() {
        let list = ["CAPO 0.14.7".to_owned(), "all read".to_owned()];
        assert_eq!(items(&list, " · ", Some(15)), ["CAPO 0.14.7", "all read"]);
        assert_eq!(items(&list, " · ", None), ["CAPO 0.14.7 · all read"]);
    }

    #[test]
    fn names_lose_their_middle() {
        assert_eq!(middle("kube-4g0ec-default-worker-vfn4x", 13, "…"), "kube-4…-vfn4x");
        assert_eq!(middle("short", 13, "…"), "short");
        assert_eq!(middle("東京大阪名古屋", 7, "…"), "東…屋");
    }

    #[test]
    fn a_cut_is_shown() {
        let lines = fold("one two three four", Some(8));
        assert_eq!(at_most(lines, 1, Some(8), "…"), ["one tw …"]);
    }
}
