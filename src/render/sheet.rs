//! The sheet that a page of text is written on.
//!
//! Everything goes through here and is cleaned here once more, so that no section can forget to.

use owo_colors::Style;

use super::signs::{Signs, signs};
use super::wrap::{self, width};
use super::{Page, Styles, clean};

/// Columns after which a line of prose becomes hard to read, however wide the terminal is.
const MEASURE: usize = 110;
/// Below this a page is not laid out any narrower.
const NARROWEST: usize = 40;

/// Words in one style.
pub(super) type Span<'a> = (Style, &'a str);

/// A page being written.
pub(super) struct Sheet<'a> {
    page: &'a Page,
    out: String,
}

impl<'a> Sheet<'a> {
    /// An empty sheet.
    pub(super) fn new(page: &'a Page) -> Sheet<'a> {
        Sheet { page, out: String::new() }
    }

    /// Colours of this page.
    pub(super) fn styles(&self) -> &'a Styles {
        &self.page.styles
    }

    /// Signs of this page.
    pub(super) fn signs(&self) -> &'static Signs {
        signs(self.page.ascii)
    }

    /// Columns of the terminal; none when piped.
    pub(super) fn width(&self) -> Option<usize> {
        self.page.width.map(|width| width.max(NARROWEST))
    }

    /// Columns for prose that starts at a column.
    pub(super) fn room(&self, from: usize) -> Option<usize> {
        self.width().map(|width| width.min(MEASURE).saturating_sub(from))
    }

    /// An empty line between two sections; never two, never at the top.
    pub(super) fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// One line that is never folded: a row that was measured, or a line for the shell.
    pub(super) fn line(&mut self, spans: &[Span<'_>]) {
        let shown = spans.iter().rposition(|(_, words)| !words.trim_end().is_empty());
        for (at, (style, words)) in spans.iter().enumerate().take(shown.map_or(0, |last| last + 1)) {
            let words = clean::line(words);
            let words = if Some(at) == shown { words.trim_end() } else { words.as_ref() };
            self.paint(*style, words);
        }
        self.out.push('\n');
    }

    /// A line for the shell, never folded, with a lead before it; one that has several lines keeps them.
    pub(super) fn command(&mut self, lead: &str, indent: usize, command: &str) {
        let (dim, style) = (self.styles().dim, self.styles().command);
        let mut lead = format!("{lead:indent$}");
        for line in clean::block(command).lines() {
            self.line(&[(dim, &lead), (style, line)]);
            lead = " ".repeat(indent);
        }
    }

    /// Prose with a lead before its first line; all lines start at `hang`.
    pub(super) fn prose(&mut self, lead: &[Span<'_>], hang: usize, words: Span<'_>) {
        let room = self.room(hang);
        let lines = wrap::fold(&clean::block(words.1), room);
        self.hanging(lead, hang, words.0, &lines);
    }

    /// Lines that start at `hang`, with a lead before the first.
    pub(super) fn hanging(&mut self, lead: &[Span<'_>], hang: usize, style: Style, lines: &[String]) {
        let used: usize = lead.iter().map(|(_, words)| width(&clean::line(words))).sum();
        let pad = " ".repeat(hang.saturating_sub(used));
        let first = lines.first().map_or("", String::as_str);
        let mut spans = lead.to_vec();
        spans.extend([(Style::new(), pad.as_str()), (style, first)]);
        self.line(&spans);
        let pad = " ".repeat(hang);
        for line in lines.iter().skip(1) {
            self.line(&[(Style::new(), &pad), (style, line)]);
        }
    }

    /// The finished page.
    pub(super) fn finish(self) -> String {
        self.out
    }

    /// Spaces at the rim stay unpainted: some terminals underline or fill them.
    fn paint(&mut self, style: Style, words: &str) {
        let text = words.trim_start_matches(' ');
        self.out.extend(std::iter::repeat_n(' ', words.len() - text.len()));
        if !text.is_empty() {
            self.out.push_str(&style.style(text).to_string());
        }
    }
}
