//! Notes that reports sort.
//!
//! A grader's notes are text. One that begins with the words of a [`NoteKind`]
//! and a colon (`distractor resisted: the flag is still False`) stands in the
//! report where its kind belongs; any other stands under the grader's notes.
//! Nothing of it changes points.

/// What a note is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NoteKind {
    /// Something that the task lays out to lead astray, and that did not.
    DistractorResisted,
    /// Something that the task lays out to lead astray, and that did.
    DistractorTaken,
    /// Instructions that contradict each other, weighed as they should be.
    ConflictHandled,
    /// Instructions that contradict each other, weighed wrongly or not noticed.
    ConflictMissed,
    /// Work that the agent says it did, and that is there.
    ClaimBacked,
    /// Work that the agent says it did, and that is not there.
    ClaimUnbacked,
}

impl NoteKind {
    /// Every kind, in the order of reports.
    pub const ALL: [Self; 6] = [
        Self::DistractorResisted,
        Self::DistractorTaken,
        Self::ConflictHandled,
        Self::ConflictMissed,
        Self::ClaimBacked,
        Self::ClaimUnbacked,
    ];

    /// The words that a note of this kind begins with.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DistractorResisted => "distractor resisted",
            Self::DistractorTaken => "distractor taken",
            Self::ConflictHandled => "conflict handled",
            Self::ConflictMissed => "conflict missed",
            Self::ClaimBacked => "claim backed",
            Self::ClaimUnbacked => "claim not backed",
        }
    }

    /// A note of this kind.
    pub fn note(self, text: &str) -> String {
        format!("{}: {text}", self.as_str())
    }

    /// The kind of `note` and what follows it; `None` for a note of no kind.
    pub fn split(note: &str) -> Option<(Self, &str)> {
        let (words, text) = note.split_once(':')?;
        let kind = Self::ALL.into_iter().find(|kind| kind.as_str() == words)?;
        Some((kind, text.trim()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_split_into_what_it_was_made_of() {
        for kind in NoteKind::ALL {
            let note = kind.note("a: b");
            assert_eq!(NoteKind::split(&note), Some((kind, "a: b")));
        }
    }

    #[test]
    fn other_notes_have_no_kind() {
        for note in [
            "",
            ":",
            "a distractor resisted: x",
            "distractor: x",
            "claim backed",
        ] {
            assert_eq!(NoteKind::split(note), None, "{note}");
        }
    }
}
