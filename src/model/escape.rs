//! Quoted strings inside text: Go's `strconv.Quote`, Rust's `{:?}` and JSON agree on all but the code points.

/// Reads the double-quoted string that `text` starts with: its value, and what follows the closing quote.
/// A string that is cut off before its end is taken as far as it goes.
pub(super) fn quoted(text: &str) -> Option<(String, &str)> {
    let inside = text.strip_prefix('"')?;
    let mut escaped = false;
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => {
                let rest = inside.get(at + 1..).unwrap_or_default();
                return Some((unescape(inside.get(..at).unwrap_or_default()), rest));
            }
            _ => {}
        }
    }
    Some((unescape(inside), ""))
}

/// The text with its backslash escapes undone; an escape nobody knows stays as it is.
pub(super) fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, after)) = rest.split_once('\\') {
        out.push_str(plain);
        rest = one_escape(after, &mut out);
    }
    out.push_str(rest);
    out
}

/// Writes what the escape after a backslash stands for and returns the text behind it.
fn one_escape<'a>(after: &'a str, out: &mut String) -> &'a str {
    let mut chars = after.chars();
    let simple = match chars.next() {
        Some('n') => '\n',
        Some('t') => '\t',
        Some('r') => '\r',
        Some('0') => '\0',
        Some(same @ ('"' | '\\' | '\'' | '/')) => same,
        Some('x') => return hexadecimal(after, 2, out),
        Some('u') if chars.as_str().starts_with('{') => return braced(after, out),
        Some('u') => return hexadecimal(after, 4, out),
        Some('U') => return hexadecimal(after, 8, out),
        _ => {
            out.push('\\');
            return after;
        }
    };
    out.push(simple);
    chars.as_str()
}

/// `x1b`, `u00e9`, `U0001f600`; a UTF-16 pair (JSON) becomes one character.
fn hexadecimal<'a>(after: &'a str, digits: usize, out: &mut String) -> &'a str {
    let number = |text: &str| text.get(1..=digits).and_then(|hex| u32::from_str_radix(hex, 16).ok());
    let (Some(code), Some(rest)) = (number(after), after.get(digits + 1..)) else {
        out.push('\\');
        return after;
    };
    if let (0xd800..0xdc00, Some(low)) = (code, rest.strip_prefix("\\").and_then(number))
        && (0xdc00..0xe000).contains(&low)
    {
        out.extend(char::from_u32(0x1_0000 + ((code - 0xd800) << 10) + (low - 0xdc00)));
        return rest.get(digits + 2..).unwrap_or_default();
    }
    out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
    rest
}

/// Rust's `u{e9}`.
fn braced<'a>(after: &'a str, out: &mut String) -> &'a str {
    let parsed = after
        .strip_prefix("u{")
        .and_then(|text| text.split_once('}'))
        .and_then(|(hex, rest)| Some((char::from_u32(u32::from_str_radix(hex, 16).ok()?)?, rest)));
    match parsed {
        Some((letter, rest)) => {
            out.push(letter);
            rest
        }
        None => {
            out.push('\\');
            after
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, value: &str, rest: &str) {
        assert_eq!(quoted(text), Some((value.to_owned(), rest)));
    }

    #[test]
    fn plain_text_ends_at_the_quote() {
        check(r#""a b" c="d""#, "a b", r#" c="d""#);
    }

    #[test]
    fn go_escapes() {
        check(r#""a \"b\" \\ \n\t \u00e9 \x1b[0m" x"#, "a \"b\" \\ \n\t é \u{1b}[0m", " x");
    }

    #[test]
    fn rust_escapes() {
        check(r#""caf\u{e9} \'x\'""#, "café 'x'", "");
    }

    #[test]
    fn json_surrogate_pair() {
        check(r#""\ud83d\ude00!""#, "😀!", "");
    }

    #[test]
    fn unknown_and_broken_escapes_stay() {
        check(r#""a\qb \uZZZZ \x1"#, r"a\qb \uZZZZ \x1", "");
    }

    #[test]
    fn no_quote_no_string() {
        assert_eq!(quoted("abc"), None);
    }

    proptest! {
        #[test]
        fn any_string_survives_the_round_trip(text in ".*") {
            let printed = format!("{text:?}");
            prop_assert_eq!(quoted(&printed), Some((text, "")));
        }

        #[test]
        fn any_text_is_read(text in r#"["\\ux{}0-9a-f😀]*"#) {
            let _ = quoted(&text);
            prop_assert!(unescape(&text).len() <= text.len() * 3);
        }
    }
}
