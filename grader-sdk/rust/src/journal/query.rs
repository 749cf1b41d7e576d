//! Questions to the journal, put together from conditions.

use proctor_types::journal::{EntryKind, JournalEntry, Touch, View};

use super::{Journal, JournalEntryExt as _};
use crate::Error;
use crate::files::glob;

/// A question to the journal: all its conditions have to hold.
///
/// Each answer is one pass over the journal. Without a condition about what kind
/// of entry it is, requests of every outcome and refused egress count.
#[derive(Clone)]
#[must_use = "a question is answered by `list`, `first`, `count` or `any`"]
pub struct Query<'e, 'q> {
    journal: Journal<'e>,
    service: Option<&'q str>,
    operation: Option<&'q str>,
    methods: Vec<&'q str>,
    host: Option<&'q str>,
    path: Option<&'q str>,
    statuses: Option<(u16, u16)>,
    touches: Option<Touches<'q>>,
    id: Option<&'q str>,
    after: u64,
    before: u64,
}

/// What an entry has to have done to an object.
#[derive(Clone, Copy)]
enum Touches<'q> {
    Read(&'q str, View),
    Changed(&'q str),
}

impl<'e, 'q> Query<'e, 'q> {
    pub(super) fn new(journal: Journal<'e>) -> Self {
        Self {
            journal,
            service: None,
            operation: None,
            methods: Vec::new(),
            host: None,
            path: None,
            statuses: None,
            touches: None,
            id: None,
            after: 0,
            before: u64::MAX,
        }
    }

    /// Requests to this service: `gmail`, `tasks`, `github`, `notion`, ...
    pub fn service(mut self, service: &'q str) -> Self {
        self.service = Some(service);
        self
    }

    /// Requests of this method of a service: `gmail.users.messages.send`.
    pub fn operation(mut self, operation: &'q str) -> Self {
        self.operation = Some(operation);
        self
    }

    /// Requests with this HTTP method; said several times, with one of them.
    pub fn method(mut self, method: &'q str) -> Self {
        self.methods.push(method);
        self
    }

    /// Requests to this host, or refused attempts to reach it.
    pub fn host(mut self, host: &'q str) -> Self {
        self.host = Some(host);
        self
    }

    /// Requests whose path fits a pattern, as [`Files::glob`] reads it:
    /// `/repos/*/*/pulls`, `/v1/pages/**`. The path is compared as it came,
    /// percent-encoded.
    ///
    /// [`Files::glob`]: crate::files::Files::glob
    pub fn path(mut self, pattern: &'q str) -> Self {
        self.path = Some(pattern);
        self
    }

    /// Requests that were accepted: a status from 200 to 299.
    pub fn accepted(self) -> Self {
        self.status(200, 299)
    }

    /// Requests that were refused: a status from 400.
    pub fn refused(self) -> Self {
        self.status(400, 599)
    }

    /// Requests that were answered with a status in this range, ends included.
    pub fn status(mut self, from: u16, to: u16) -> Self {
        self.statuses = Some((from, to));
        self
    }

    /// Accepted requests whose answer carried all of an object of this kind.
    pub fn reads(self, kind: &'q str) -> Self {
        self.reads_at_least(kind, View::Full)
    }

    /// Accepted requests whose answer carried at least `view` of an object of
    /// this kind.
    pub fn reads_at_least(mut self, kind: &'q str, view: View) -> Self {
        self.touches = Some(Touches::Read(kind, view));
        self
    }

    /// Accepted requests that created, updated, moved or deleted an object of
    /// this kind.
    pub fn changes(mut self, kind: &'q str) -> Self {
        self.touches = Some(Touches::Changed(kind));
        self
    }

    /// That object has this identifier; without [`reads`](Self::reads) or
    /// [`changes`](Self::changes) it means nothing.
    pub fn id(mut self, id: &'q str) -> Self {
        self.id = Some(id);
        self
    }

    /// Entries that come after entry `n`.
    pub fn after(mut self, n: u64) -> Self {
        self.after = n;
        self
    }

    /// Entries that come before entry `n`.
    pub fn before(mut self, n: u64) -> Self {
        self.before = n;
        self
    }

    /// All entries, in order.
    pub fn list(&self) -> Result<Vec<JournalEntry>, Error> {
        self.journal.filter(|entry| self.accepts(entry))
    }

    /// The first entry.
    pub fn first(&self) -> Result<Option<JournalEntry>, Error> {
        for entry in self.journal.entries()? {
            let entry = entry?;
            if self.accepts(&entry) {
                return Ok(Some(entry));
            }
        }
        Ok(None)
    }

    /// The last entry.
    pub fn last(&self) -> Result<Option<JournalEntry>, Error> {
        let mut last = None;
        for entry in self.journal.entries()? {
            let entry = entry?;
            if self.accepts(&entry) {
                last = Some(entry);
            }
        }
        Ok(last)
    }

    /// How many there are.
    pub fn count(&self) -> Result<usize, Error> {
        let mut count = 0;
        for entry in self.journal.entries()? {
            count += usize::from(self.accepts(&entry?));
        }
        Ok(count)
    }

    /// Whether there is one.
    pub fn any(&self) -> Result<bool, Error> {
        Ok(self.first()?.is_some())
    }

    /// Whether an entry answers the question.
    pub fn accepts(&self, entry: &JournalEntry) -> bool {
        let is_request = entry.kind == EntryKind::Request;
        let same = |wanted: Option<&str>, found: &str| wanted.is_none_or(|wanted| wanted == found);
        entry.kind != EntryKind::Truncated
            && entry.n > self.after
            && entry.n < self.before
            && self
                .service
                .is_none_or(|service| is_request && entry.service == service)
            && same(
                self.operation,
                entry.operation.as_deref().unwrap_or_default(),
            )
            && same(self.host, &entry.host)
            && (self.methods.is_empty()
                || self
                    .methods
                    .iter()
                    .any(|method| method.eq_ignore_ascii_case(&entry.method)))
            && self
                .path
                .is_none_or(|pattern| is_request && glob::fits(&entry.path, pattern))
            && self
                .statuses
                .is_none_or(|(from, to)| is_request && (from..=to).contains(&entry.status))
            && self.touches(entry)
    }

    fn touches(&self, entry: &JournalEntry) -> bool {
        let is = |touch: &Touch| self.id.is_none_or(|id| touch.id == id);
        match self.touches {
            None => true,
            Some(Touches::Read(kind, view)) => entry.touches_read(kind, view).any(is),
            Some(Touches::Changed(kind)) => entry.touches_changed(kind).any(is),
        }
    }
}
