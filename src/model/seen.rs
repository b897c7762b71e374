//! A list, and how much of it was read.

use std::collections::BTreeSet;

/// Rows of one part, and whether absence may be concluded from them.
#[derive(Debug, Clone)]
pub struct Seen<T> {
    rows: Vec<T>,
    part: String,
    how: How,
}

/// How much of a part was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// The whole list: what is not in it is not there.
    Whole,
    /// Some documents: what is in it is there.
    Partly,
    /// Nothing.
    Gap,
}

/// The parts that were missing when something could not be decided.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unseen {
    /// Part names, sorted.
    pub parts: BTreeSet<String>,
}

impl Unseen {
    /// One missing part.
    #[must_use]
    pub fn part(part: &str) -> Self {
        Unseen { parts: BTreeSet::from([part.to_owned()]) }
    }
}

impl<T> Seen<T> {
    /// Rows of `part`, read as far as `how` says.
    #[must_use]
    pub fn new(rows: Vec<T>, part: &str, how: How) -> Self {
        Seen { rows, part: part.to_owned(), how }
    }

    /// Rows for a conclusion from absence.
    ///
    /// # Errors
    /// [`Unseen`] if the part was not read whole.
    pub fn all(&self) -> Result<&[T], Unseen> {
        match self.how {
            How::Whole => Ok(&self.rows),
            How::Partly | How::Gap => Err(Unseen::part(&self.part)),
        }
    }

    /// Rows for a conclusion from presence: whatever was read.
    #[must_use]
    pub fn some(&self) -> &[T] {
        &self.rows
    }

    /// True if the list was read whole.
    #[must_use]
    pub fn whole(&self) -> bool {
        self.how == How::Whole
    }

    /// True if nothing of it was read.
    #[must_use]
    pub fn gap(&self) -> bool {
        self.how == How::Gap
    }

    /// The part's name.
    #[must_use]
    pub fn part(&self) -> &str {
        &self.part
    }

    /// The same part with the rows that `keep` wants.
    #[must_use]
    pub fn filter(self, keep: impl FnMut(&T) -> bool) -> Self {
        Seen { rows: self.rows.into_iter().filter(keep).collect(), ..self }
    }
}
