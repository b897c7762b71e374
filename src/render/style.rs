//! Colours. They only repeat what words and signs already say, so a page without them loses nothing.

use owo_colors::Style;

use crate::report::Risk;
use crate::tree::Mood;

/// The style of each meaning. The default has no colour at all.
#[derive(Debug, Clone, Copy, Default)]
pub struct Styles {
    /// The cluster's name and the sentence that answers.
    pub(super) title: Style,
    /// Something is wrong, or the step destroys something.
    pub(super) bad: Style,
    /// As it should be.
    pub(super) good: Style,
    /// Not known yet, or a step that changes something.
    pub(super) unsure: Style,
    /// What frames the words: labels, tree lines, where it was read.
    pub(super) dim: Style,
    /// A line for the shell.
    pub(super) command: Style,
    /// Name of a condition in the tree.
    pub(super) condition: Style,
}

impl Styles {
    /// Styles for a terminal that shows colours: only the eight basic ones, which every theme defines.
    pub fn coloured() -> Styles {
        Styles {
            title: Style::new().bold(),
            bad: Style::new().red().bold(),
            good: Style::new().green(),
            unsure: Style::new().yellow(),
            dim: Style::new().dimmed(),
            command: Style::new().cyan(),
            condition: Style::new().cyan(),
        }
    }

    /// Style of a status word.
    pub(super) fn mood(&self, mood: Mood) -> Style {
        match mood {
            Mood::Good => self.good,
            Mood::Bad => self.bad,
            Mood::Unsure => self.unsure,
            Mood::Plain => Style::new(),
        }
    }

    /// Style of what a fix touches.
    pub(super) fn risk(&self, risk: Risk) -> Style {
        match risk {
            Risk::Reads => self.good,
            Risk::Changes => self.unsure,
            Risk::Deletes | Risk::EditsDatabase => self.bad,
        }
    }

    /// Style of a log level.
    pub(super) fn level(&self, level: &str) -> Style {
        match level {
            "E" | "F" => self.bad,
            "W" => self.unsure,
            _ => self.dim,
        }
    }
}
