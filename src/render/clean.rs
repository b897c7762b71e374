//! Makes foreign words safe to show.
//!
//! Tenants can put text into OpenStack error messages, names and logs. Nothing of it may move the
//! cursor, change colours, reverse the direction of a line or hide. Colour sequences (`ESC [ … m` and
//! the like) vanish whole, since honest logs carry them; of anything longer only the control characters
//! vanish, because a sequence that swallows text until its end could hide the rest of a message.

use std::borrow::Cow;
use std::iter::Peekable;
use std::str::Chars;

/// The words on one line: line ends and tabs become a space.
pub(super) fn line(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_plain) { Cow::Borrowed(text) } else { Cow::Owned(scrub(text, ' ')) }
}

/// The words with their line ends; a carriage return ends a line too, so that nothing is overwritten.
pub(super) fn block(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| c == '\n' || is_plain(c)) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(scrub(text, '\n'))
    }
}

/// Whether a character may be shown as it is. Line ends are not plain: they depend on the place.
pub(super) fn is_plain(c: char) -> bool {
    !c.is_control() && !is_line_end(c) && !is_hidden(c)
}

fn scrub(text: &str, line_end: char) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\x1b' if chars.next_if_eq(&'[').is_some() => skip_sequence(&mut chars),
            '\u{9b}' => skip_sequence(&mut chars),
            '\r' => {
                chars.next_if_eq(&'\n');
                clean.push(line_end);
            }
            '\t' => clean.push(' '),
            c if is_line_end(c) => clean.push(line_end),
            c if is_plain(c) => clean.push(c),
            _ => {}
        }
    }
    clean
}

/// Drops parameters and final character of a control sequence (ECMA-48, section 5.4). One that does not
/// end properly loses its parameters only.
fn skip_sequence(chars: &mut Peekable<Chars<'_>>) {
    while chars.next_if(|c| matches!(c, '\x20'..='\x3f')).is_some() {}
    chars.next_if(|c| matches!(c, '\x40'..='\x7e'));
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\u{2028}' | '\u{2029}')
}

/// Characters without a shape of their own: zero width, direction marks and overrides, tags.
fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'
            ..='\u{200f}'
                | '\u{202a}'
            ..='\u{202e}' | '\u{2060}'
            ..='\u{206f}' | '\u{feff}' | '\u{fff9}'
            ..='\u{fffb}' | '\u{e0000}'
            ..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{block, is_plain, line};

    fn check(text: &str, on_one_line: &str, with_lines: &str) {
        assert_eq!((line(text).as_ref(), block(text).as_ref()), (on_one_line, with_lines), "{text:?}");
    }

    #[test]
    fn honest_words_stay() {
        check("größe 5 GiB, naïve 東京", "größe 5 GiB, naïve 東京", "größe 5 GiB, naïve 東京");
    }

    #[test]
    fn line_ends_depend_on_the_place() {
        check("a\nb\r\nc\rd\u{2028}e\tf", "a b c d e f", "a\nb\nc\nd\ne f");
    }

    #[test]
    fn colours_vanish_whole() {
        check("\x1b[31;1mred\x1b[0m \u{9b}32mgreen\u{9b}m", "red green", "red green");
    }

    #[test]
    fn a_title_sequence_cannot_hide_words() {
        check("\x1b]0;owned\x07 quota exceeded", "]0;owned quota exceeded", "]0;owned quota exceeded");
    }

    #[test]
    fn an_open_sequence_swallows_no_letter_but_its_last() {
        check("\x1b[12é", "é", "é");
        check("\x1b[", "", "");
    }

    #[test]
    fn direction_and_zero_width_vanish() {
        check("a\u{202e}b\u{2066}c\u{200b}d\u{feff}e\u{e0041}", "abcde", "abcde");
    }

    proptest! {
        #[test]
        fn whatever_comes_is_plain_after(text in any::<String>(), more in "[\\x00-\\x20\\x7f-\\xa0\\u2000-\\u2070a-c\\[]*") {
            for text in [text, more] {
                prop_assert!(line(&text).chars().all(is_plain));
                prop_assert!(block(&text).chars().all(|c| c == '\n' || is_plain(c)));
            }
        }
    }
}
