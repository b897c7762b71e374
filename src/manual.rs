//! The manual: what `explain` prints, and `src/causes/README.md`.

use std::fmt::Write;

use crate::causes::{ALL, Cause};
use crate::exit::{Failure, code};

/// The manual entry of a cause, in Markdown.
///
/// # Errors
/// A usage failure for an id that is not in the table, with near ones as a hint.
pub fn entry(id: &str) -> Result<String, Failure> {
    match ALL.iter().find(|c| c.id == id) {
        Some(cause) => Ok(page(cause)),
        None => Err(Failure::new(code::USAGE, format!("explain {id:?}: there is no cause of that name"))
            .hint(near(id))),
    }
}

/// Causes whose id shares the most words with what was asked for; one that only holds it counts less.
fn near(id: &str) -> String {
    let asked = id.to_ascii_lowercase();
    let words: Vec<&str> =
        asked.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| w.len() > 2).collect();
    let shared = |cause: &str| {
        let whole = words.iter().filter(|w| cause.split('-').any(|of| of == **w)).count();
        2 * whole + words.iter().filter(|w| cause.contains(**w)).count()
    };
    let most = ALL.iter().map(|c| shared(c.id)).max().unwrap_or(0);
    let close: Vec<&str> = ALL.iter().map(|c| c.id).filter(|c| shared(c) == most).collect();
    if most == 0 {
        "kubectl magnum explain lists all causes".to_owned()
    } else {
        format!("did you mean {}?", close.join(", "))
    }
}

/// The list of all causes, one a line.
#[must_use]
pub fn list() -> String {
    let width = ALL.iter().map(|c| c.id.len()).max().unwrap_or(0);
    let mut text = String::new();
    for cause in ALL {
        let _ = writeln!(text, "{:width$}  {}", cause.id, cause.title);
    }
    text
}

/// The whole manual in one file.
#[must_use]
pub fn book() -> String {
    let mut text = String::from(
        "# Causes\n\nEvery cause that `kubectl magnum why` can name. Generated from the files beside this one.\n\n",
    );
    for cause in ALL {
        let _ = writeln!(text, "- [{}](#{}): {}", cause.id, cause.id, cause.title);
    }
    for cause in ALL {
        let _ = write!(text, "\n{}", page(cause));
    }
    text
}

fn page(cause: &Cause) -> String {
    let mut text = format!("## {}\n\n{}.\n\n{}\n", cause.id, capital(cause.title), cause.doc.trim());
    if !cause.affected.is_empty() {
        text.push_str("\n### Releases\n\n");
        for range in cause.affected {
            let fixed = range.fixed.join(", ");
            let _ = writeln!(text, "- {} from {}, fixed in {fixed}", range.of, range.from);
        }
    }
    text.push_str("\n### Fix\n\n");
    for (number, step) in cause.fix.steps.iter().enumerate() {
        let _ = writeln!(text, "{}. {}", number + 1, general(step.say, step.each));
        if !step.run.is_empty() {
            let lines: Vec<String> = step.run.iter().map(|line| general(line, step.each)).collect();
            let _ = writeln!(text, "\n   ```sh\n   {}\n   ```\n", lines.join("\n   "));
        }
    }
    if !cause.explains.is_empty() {
        let _ = writeln!(text, "\nExplains: {}.", cause.explains.join(", "));
    }
    text
}

/// A line of a fix without a cluster: `{stack_id}` reads `<stack id>`.
fn general(text: &str, each: Option<&str>) -> String {
    let text = text.replace("{each}", &format!("{{{}}}", each.unwrap_or("each")));
    let mut parts = text.split('{');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once('}') {
            Some((name, rest))
                if name.chars().all(|c| c.is_ascii_lowercase() || c == '_') && !name.is_empty() =>
            {
                out.push_str(&format!("<{}>{rest}", name.replace('_', " ")));
            }
            _ => {
                out.push('{');
                out.push_str(part);
            }
        }
    }
    out
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().collect::<String>() + letters.as_str())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    /// The manual is committed; a stale one is written anew and fails once.
    #[test]
    fn the_manual_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/causes/README.md");
        let stored = std::fs::read_to_string(path).unwrap_or_default();
        let now = super::book();
        if stored != now {
            std::fs::write(path, &now).unwrap();
        }
        assert_eq!(stored, now, "src/causes/README.md was stale and has been rewritten");
    }

    fn check_hint(asked: &str, expected: &str) {
        let failure = super::entry(asked).unwrap_err();
        assert_eq!((failure.code, failure.hint.as_deref()), (2, Some(expected)), "{asked}");
    }

    #[test]
    fn an_unknown_cause_is_a_usage_failure_with_near_names() {
        check_hint("quota-is-full", "did you mean quota-used-up?");
        check_hint("Quota-Used-Up", "did you mean quota-used-up?");
        check_hint("quota_used", "did you mean quota-used-up?");
        check_hint("nonsense", "kubectl magnum explain lists all causes");
    }
}
