//! The few signs that a page draws, and what stands for them where only ASCII can be shown.

/// One set of signs.
#[derive(Debug)]
pub(super) struct Signs {
    /// Something is wrong.
    pub(super) bad: &'static str,
    /// Nothing is wrong.
    pub(super) good: &'static str,
    /// It is being worked on.
    pub(super) busy: &'static str,
    /// It is not known.
    pub(super) unknown: &'static str,
    /// Between two facts on one line.
    pub(super) dot: &'static str,
    /// Before a version that is only a lower bound.
    pub(super) at_least: &'static str,
    /// Something was left out here.
    pub(super) cut: &'static str,
    /// Before a number of repetitions.
    pub(super) times: &'static str,
    /// On the row that the first cause is about.
    pub(super) here: &'static str,
    /// A row with a sister below it.
    pub(super) tee: &'static str,
    /// The last row of its level.
    pub(super) last: &'static str,
    /// Past a row, to its sister.
    pub(super) pipe: &'static str,
}

const FULL: Signs = Signs {
    bad: "✗",
    good: "✓",
    busy: "…",
    unknown: "?",
    dot: " · ",
    at_least: "≥ ",
    cut: "…",
    times: "×",
    here: "◀ here",
    tee: "├─",
    last: "└─",
    pipe: "│ ",
};

const ASCII: Signs = Signs {
    bad: "X",
    good: "+",
    busy: "~",
    unknown: "?",
    dot: " | ",
    at_least: ">= ",
    cut: "...",
    times: "x",
    here: "<- here",
    tee: "|-",
    last: "`-",
    pipe: "| ",
};

/// The signs to draw with.
pub(super) fn signs(ascii: bool) -> &'static Signs {
    if ascii { &ASCII } else { &FULL }
}
