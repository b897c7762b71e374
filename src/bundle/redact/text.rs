//! Secrets in free text, found by their own shape or by what stands before them.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use super::MASK;

/// A text that has none of these needs no second look. Most have none.
const SIGNS: &str = concat!(
    "@|-----BEGIN|LS0tLS1CRUdJT|gAAAA|eyJ|",
    "(?i-u:token|passw|adminpass|secret|bearer|authorization|certificate-?_?key|private_?key|",
    "user_?data|api_?key|chpasswd)"
);

/// Pattern and replacement, in the order in which they are applied.
const RULES: [(&str, &str); 11] = [
    // PEM blocks; one without an end loses the lines that look like its body.
    (r"-----BEGIN [A-Z0-9 ]+-----(?s:.*?)-----END [A-Z0-9 ]+-----", MASK),
    (r"-----BEGIN [A-Z0-9 ]+-----(?:(?:\\[nr]|\s)*[A-Za-z0-9+/=]{16,})*", MASK),
    // The same in base64, as files and cloud-init have them.
    (r"LS0tLS1CRUdJT[A-Za-z0-9+/=]*", MASK),
    // Keystone's Fernet tokens and JSON Web Tokens.
    (r"gAAAA[A-Za-z0-9_-]{16,}=*", MASK),
    (r"eyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*){0,2}", MASK),
    // User and password in a URL.
    (r#"([A-Za-z][A-Za-z0-9+.-]*://)[^/\s"'<>?#]+@"#, "${1}REDACTED@"),
    // Headers.
    (
        r#"((?i-u:x-(?:auth|subject|service|storage)-token)\\?["']?\s*[:=]\s*\[?\\?["']?)[^\s"',\]\\]+"#,
        "${1}REDACTED",
    ),
    (
        concat!(
            r#"((?i-u:authorization\\?["']?\s*[:=]\s*\[?\\?["']?(?:bearer|basic|token|negotiate)\s+"#,
            r#"|\bbearer\s+(?:[a-z]+=)?))[A-Za-z0-9._~+/=-]{12,}"#
        ),
        "${1}REDACTED",
    ),
    // Flags of kubeadm and others; --discovery-token-ca-cert-hash is none of them.
    (
        concat!(
            r#"(--(?:[a-z]+-)*(?:token|certificate-key|password|secret|tls-bootstrap-token)"#,
            r#"(?:=|\s+|\\?["']\s*,\s*)\\?["']?)[^\s"',\\]+"#
        ),
        "${1}REDACTED",
    ),
    // "token": "…", password='…', both also with the quotes of a string inside a string.
    (
        concat!(
            r#"((?i-u:[a-z0-9_-]*(?:passw(?:or)?d|adminpass|token|passphrase|user_?data|"#,
            r#"certificate_?key|private_?key|secret_?key|access_?key|api_?key|"#,
            r#"(?:client|credential|app)[_-]?secret)\\?["']?|["']secret\\?["'])\s*[:=]\s*u?\\?["'])[^"'\\]+"#
        ),
        "${1}REDACTED",
    ),
    // password: … and token=… without quotes. `token: …` is as often the start of an error.
    (
        concat!(
            r#"((?i-u:\b[a-z0-9_-]*(?:passw(?:or)?d|adminpass|passphrase|"#,
            r#"(?:client|credential|app)[_-]?secret)(?:[ \t]*=[ \t]*|:[ \t]+)|\b[a-z0-9_]*token=))[^\s"',&;\\]+"#
        ),
        "${1}REDACTED",
    ),
];

/// Patterns that do not compile would be left out; a test counts them.
static SIGN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(SIGNS).ok());
static COMPILED: LazyLock<Vec<(Regex, &'static str)>> =
    LazyLock::new(|| RULES.iter().filter_map(|(p, with)| Some((Regex::new(p).ok()?, *with))).collect());

/// The text with every secret masked that can be told from its surroundings.
pub(super) fn mask(text: &str) -> Cow<'_, str> {
    let mut masked = Cow::Borrowed(text);
    if SIGN.as_ref().is_some_and(|sign| !sign.is_match(text)) {
        return masked;
    }
    for (pattern, with) in COMPILED.iter() {
        if let Cow::Owned(changed) = pattern.replace_all(&masked, *with) {
            masked = Cow::Owned(changed);
        }
    }
    masked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert!(SIGN.is_some());
        assert_eq!(COMPILED.len(), RULES.len());
    }
}
