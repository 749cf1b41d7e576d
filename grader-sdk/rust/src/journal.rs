//! The journal: every request that the world answered.

use proctor_types::bundle;
use proctor_types::journal::{EntryKind, JournalEntry, Payload, Touch, View};

use crate::source::{Lines, lines};
use crate::{Error, Evidence};

/// The journal of a trial. It is read as a stream, since the agent decides how
/// long it gets: each method below is one pass that keeps only what it answers.
#[derive(Clone, Copy)]
pub struct Journal<'e> {
    evidence: &'e Evidence,
}

impl<'e> Journal<'e> {
    pub(crate) fn new(evidence: &'e Evidence) -> Self {
        Self { evidence }
    }

    /// All entries in order. A grader with several questions asks them in one
    /// pass over this.
    pub fn entries(&self) -> Result<Entries<'e>, Error> {
        Ok(Entries {
            lines: lines(&*self.evidence.source, bundle::JOURNAL)?,
            failed: false,
        })
    }

    /// Entries that `keep` accepts.
    pub fn filter(&self, keep: impl Fn(&JournalEntry) -> bool) -> Result<Vec<JournalEntry>, Error> {
        self.entries()?
            .filter(|entry| entry.as_ref().map_or(true, &keep))
            .collect()
    }

    /// Accepted requests of one method, such as `tasks.tasks.list`.
    pub fn operation(&self, operation: &str) -> Result<Vec<JournalEntry>, Error> {
        self.filter(|entry| entry.did(operation))
    }

    /// Requests to one service, accepted or not.
    pub fn service(&self, service: &str) -> Result<Vec<JournalEntry>, Error> {
        self.filter(|entry| entry.kind == EntryKind::Request && entry.service == service)
    }

    /// Accepted requests whose answer carried at least `view` of the object.
    pub fn reads(&self, kind: &str, id: &str, view: View) -> Result<Vec<JournalEntry>, Error> {
        self.filter(|entry| entry.touches_read(kind, view).any(|touch| touch.id == id))
    }

    /// Accepted requests that changed an object of the kind.
    pub fn changes(&self, kind: &str) -> Result<Vec<JournalEntry>, Error> {
        self.filter(|entry| entry.touches_changed(kind).next().is_some())
    }

    /// Attempts to get out of the captive world.
    pub fn egress(&self) -> Result<Vec<JournalEntry>, Error> {
        self.filter(|entry| entry.kind == EntryKind::Egress)
    }

    /// The body of a request or an answer, where the journal kept it.
    pub fn body(&self, payload: &Payload) -> Result<Option<Vec<u8>>, Error> {
        match &payload.sha256 {
            Some(sha256) if payload.kept => self
                .evidence
                .read(&format!("{}/{sha256}", bundle::BODIES_DIR))
                .map(Some),
            _ => Ok(None),
        }
    }
}

/// Entries of the journal in order. Ends after the first error.
pub struct Entries<'e> {
    lines: Lines<'e>,
    failed: bool,
}

impl Iterator for Entries<'_> {
    type Item = Result<JournalEntry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let entry = match self.lines.next() {
            Ok(None) => return None,
            Ok(Some((_, entry))) => Ok(entry),
            Err(error) => Err(error),
        };
        self.failed = entry.is_err();
        Some(entry)
    }
}

/// Questions to one entry. Entries that the world did not accept touch nothing.
pub trait JournalEntryExt {
    /// Objects of `kind` of which the answer carried at least `view`.
    fn touches_read<'a>(&'a self, kind: &str, view: View) -> impl Iterator<Item = &'a Touch>;

    /// Objects of `kind` that the request changed.
    fn touches_changed<'a>(&'a self, kind: &str) -> impl Iterator<Item = &'a Touch>;
}

impl JournalEntryExt for JournalEntry {
    fn touches_read<'a>(&'a self, kind: &str, view: View) -> impl Iterator<Item = &'a Touch> {
        let touches: &[Touch] = if self.ok() { &self.read } else { &[] };
        touches
            .iter()
            .filter(move |touch| touch.kind == kind && touch.view.is_some_and(|seen| seen >= view))
    }

    fn touches_changed<'a>(&'a self, kind: &str) -> impl Iterator<Item = &'a Touch> {
        let touches: &[Touch] = if self.ok() { &self.changed } else { &[] };
        touches.iter().filter(move |touch| touch.kind == kind)
    }
}
