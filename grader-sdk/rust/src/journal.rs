//! The journal: every request that the world answered.
//!
//! ```
//! use proctor_grader::testing::{self, Bundle};
//! use proctor_grader::types::{Change, Touch, View};
//! # use proctor_grader::Error;
//!
//! let mut list = testing::request("tasks.tasks.list");
//! list.read.push(Touch::read("tasks.task", "t1", View::Full));
//! let mut update = testing::request("tasks.tasks.patch");
//! update.method = "PATCH".to_owned();
//! update.changed.push(Touch::changed("tasks.task", "t1", Change::Updated));
//! let evidence = Bundle::new().journal(&[list, update]).evidence();
//! let journal = evidence.journal();
//!
//! // Did it look before it wrote?
//! let looked = journal.query().reads("tasks.task").id("t1").first()?;
//! let wrote = journal.query().changes("tasks.task").id("t1").first()?;
//! assert!(looked.unwrap().n < wrote.unwrap().n);
//! assert_eq!(journal.query().service("tasks").method("PATCH").accepted().count()?, 1);
//! # Ok::<(), Error>(())
//! ```

mod query;

use std::collections::BTreeMap;

use proctor_types::bundle;
use proctor_types::journal::{EntryKind, JournalEntry, Payload, Touch, View};

use crate::source::{Lines, lines};
use crate::{Error, Evidence};

pub use query::Query;

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

    /// A question to the journal.
    pub fn query<'q>(&self) -> Query<'e, 'q> {
        Query::new(*self)
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

    /// The body of a request or an answer, where the journal kept it. One body
    /// can belong to any number of entries: a grader that looks at the bodies of
    /// many asks through [`Journal::ask_bodies`].
    pub fn body(&self, payload: &Payload) -> Result<Option<Vec<u8>>, Error> {
        match &payload.sha256 {
            Some(sha256) if payload.kept => self
                .evidence
                .read(&format!("{}/{sha256}", bundle::BODIES_DIR))
                .map(Some),
            _ => Ok(None),
        }
    }

    /// One question to the bodies of many entries. Each body of at most `limit`
    /// bytes is read once, however many entries have it; longer ones never are.
    pub fn ask_bodies<T, F>(&self, limit: u64, question: F) -> BodyAnswers<'e, T, F>
    where
        T: Clone,
        F: FnMut(&[u8]) -> T,
    {
        BodyAnswers {
            journal: *self,
            limit,
            question,
            answers: BTreeMap::new(),
        }
    }
}

/// Answers of kept bodies to one question ([`Journal::ask_bodies`]).
pub struct BodyAnswers<'e, T, F> {
    journal: Journal<'e>,
    limit: u64,
    question: F,
    /// By the digest of the body.
    answers: BTreeMap<String, T>,
}

/// What a body answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyAnswer<T> {
    /// The answer of its content.
    Says(T),
    /// There was no body.
    Empty,
    /// It is longer than what is looked at.
    TooLong,
    /// The journal did not keep it.
    NotKept,
}

impl<T: Clone, F: FnMut(&[u8]) -> T> BodyAnswers<'_, T, F> {
    /// The answer of one body.
    pub fn of(&mut self, payload: &Payload) -> Result<BodyAnswer<T>, Error> {
        if payload.bytes == 0 {
            return Ok(BodyAnswer::Empty);
        }
        if payload.bytes > self.limit {
            return Ok(BodyAnswer::TooLong);
        }
        let Some(sha256) = payload.sha256.as_ref().filter(|_| payload.kept) else {
            return Ok(BodyAnswer::NotKept);
        };
        if let Some(answer) = self.answers.get(sha256) {
            return Ok(BodyAnswer::Says(answer.clone()));
        }
        let Some(body) = self.journal.body(payload)? else {
            return Ok(BodyAnswer::NotKept);
        };
        let answer = (self.question)(&body);
        self.answers.insert(sha256.clone(), answer.clone());
        Ok(BodyAnswer::Says(answer))
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
    /// Whether an accepted request got an answer with a body: not one to `HEAD`.
    fn delivers(&self) -> bool;

    /// Whether it asked for content and got it: a `GET`, or the `POST` that a
    /// client makes of a long `GET`.
    fn fetches(&self) -> bool;

    /// Objects of `kind` of which the answer carried at least `view`.
    fn touches_read<'a>(&'a self, kind: &str, view: View) -> impl Iterator<Item = &'a Touch>;

    /// Objects of `kind` that the request changed.
    fn touches_changed<'a>(&'a self, kind: &str) -> impl Iterator<Item = &'a Touch>;
}

impl JournalEntryExt for JournalEntry {
    fn delivers(&self) -> bool {
        self.ok() && !self.method.eq_ignore_ascii_case("HEAD")
    }

    fn fetches(&self) -> bool {
        let is = |method| self.method.eq_ignore_ascii_case(method);
        self.ok() && (is("GET") || is("POST"))
    }

    fn touches_read<'a>(&'a self, kind: &str, view: View) -> impl Iterator<Item = &'a Touch> {
        let touches: &[Touch] = if self.delivers() { &self.read } else { &[] };
        touches
            .iter()
            .filter(move |touch| touch.kind == kind && touch.view.is_some_and(|seen| seen >= view))
    }

    fn touches_changed<'a>(&'a self, kind: &str) -> impl Iterator<Item = &'a Touch> {
        let touches: &[Touch] = if self.ok() { &self.changed } else { &[] };
        touches.iter().filter(move |touch| touch.kind == kind)
    }
}
