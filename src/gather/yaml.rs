//! YAML that holds secrets: read without a single word of it getting into an error.

use serde::de::DeserializeOwned;
use serde_yaml::{DuplicateKeyPolicy, NonFiniteFloatPolicy, Options};

/// Parser settings for configuration files. Snippets are off because they print the lines
/// around a mistake; the last of two equal keys wins, as in the Go and Python parsers.
fn settings() -> Options {
    serde_yaml::options! {
        with_snippet: false,
        duplicate_keys: DuplicateKeyPolicy::LastWins,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        // A password such as 31e10934 is read as a number that is too big for one.
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
    }
}

/// Every document of a text.
///
/// # Errors
/// Only the place of the mistake, never what stands there: a message of the parser may
/// quote a value.
pub fn documents<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, String> {
    serde_yaml::from_multiple_with_options(text, settings()).map_err(|error| place(&error))
}

/// The only document of a text.
///
/// # Errors
/// Only the place of the mistake, see [`documents`].
pub fn document<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_yaml::from_str_with_options(text, settings()).map_err(|error| place(&error))
}

fn place(error: &serde_yaml::Error) -> String {
    match error.location() {
        Some(at) => format!("line {}, column {} is not what belongs there", at.line(), at.column()),
        None => "it is not YAML of the expected form".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_mistake_has_a_place_and_no_words() {
        for text in ["a: 1\ntoken: [s3cr3t\nb: }", "token: s3cr3t\n  x: y", "s3cr3t"] {
            let says = document::<BTreeMap<String, u32>>(text).expect_err(text);
            assert!(says.starts_with("line ") && !says.contains("s3cr3t"), "{says}");
        }
    }

    #[test]
    fn the_last_of_two_keys_wins() {
        let read = document::<BTreeMap<String, u32>>("a: 1\na: 2\n");
        assert_eq!(read, Ok(BTreeMap::from([("a".to_owned(), 2)])));
    }
}
