//! Sentences that begin like sentences.
//!
//! What a cause says also stands in the middle of one ("Likely: …", "hence …"), so it begins small there;
//! at the beginning of a line it begins with a capital.

/// The text with a capital at its start, unless its first word is a name (`capo-controller-manager`,
/// `magnum-v0.38.2`), which must be read as it is written.
pub(super) fn begin(text: &str) -> String {
    let text = text.trim();
    let first = text.split_whitespace().next().unwrap_or_default();
    let word = first.trim_end_matches([',', ':', ';']);
    if word.is_empty() || !word.chars().all(|c| c.is_ascii_lowercase() || c == '\'') {
        return text.to_owned();
    }
    let mut letters = text.chars();
    letters.next().map(|letter| letter.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::begin;

    fn check(text: &str, expected: &str) {
        assert_eq!(begin(text), expected);
    }

    #[test]
    fn words_get_a_capital() {
        check("the driver gave up", "The driver gave up");
        check(" a port is left", "A port is left");
        check("delete: yes", "Delete: yes");
    }

    #[test]
    fn names_stay_as_they_are() {
        check("capo-controller-manager is down", "capo-controller-manager is down");
        check("magnum-v0.38.2 is shared", "magnum-v0.38.2 is shared");
        check("status_reason is a copy", "status_reason is a copy");
    }

    #[test]
    fn what_begins_right_stays() {
        check("Nova refuses", "Nova refuses");
        check("5 ports are left", "5 ports are left");
        check("érable", "érable");
        check("", "");
    }
}
