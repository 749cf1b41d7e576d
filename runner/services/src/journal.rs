//! The journal: what the world was asked, and what it answered.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use proctor_types::journal::{EntryKind, JournalEntry, Payload};
use sha2::{Digest, Sha256};

use crate::journal_entry::{ENTRY_CAP, bound, size_of_entry};
use crate::redact;
use crate::service::{Answer, Request};

/// How much a journal holds. Everything in it comes from an agent that may
/// want to exhaust the runner's memory.
#[derive(Debug, Clone)]
pub struct JournalCaps {
    /// Most entries of kind `request`.
    pub requests: usize,
    /// Most entries of kind `egress`. Further attempts are refused all the
    /// same, and counted.
    pub egress: usize,
    /// Most bytes of all entries together as JSON writes them, half of them
    /// for egress.
    pub bytes: usize,
    /// Longest body that is hashed and kept, in bytes.
    pub body_bytes: usize,
    /// Most bytes of kept bodies together.
    pub bodies_bytes: usize,
    /// What happens when there is no room for another request.
    pub when_full: WhenFull,
}

/// What a world does when its journal is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenFull {
    /// It answers 429 to everything, so that nothing happens in it unrecorded:
    /// for trials.
    Refuse,
    /// It forgets its oldest entries: for worlds that people play with.
    Forget,
}

impl Default for JournalCaps {
    fn default() -> Self {
        Self {
            requests: 50_000,
            egress: 10_000,
            bytes: 64 << 20,
            body_bytes: 1 << 20,
            bodies_bytes: 64 << 20,
            when_full: WhenFull::Refuse,
        }
    }
}

impl JournalCaps {
    /// The ordinary caps for a world that is served for as long as somebody
    /// likes: the journal holds the latest entries.
    pub fn rolling() -> Self {
        Self {
            when_full: WhenFull::Forget,
            ..Self::default()
        }
    }
}

/// An attempt that no service answered.
#[derive(Debug, Clone)]
pub(crate) struct Attempt<'a> {
    /// Egress, or a request to a service that never got to it.
    pub(crate) kind: EntryKind,
    /// Transport for egress, else the service's name.
    pub(crate) service: &'a str,
    pub(crate) host: &'a str,
    pub(crate) port: u16,
    /// Empty where the attempt never became HTTP; so are path and query.
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) query: &'a str,
    /// 0 where the attempt never became HTTP.
    pub(crate) status: u16,
    pub(crate) request: Payload,
    /// The request's body, where it may be kept.
    pub(crate) body: Bytes,
    /// Length of the answer.
    pub(crate) answered: usize,
    /// Why it was refused.
    pub(crate) note: String,
}

/// Entries and bodies. Lives under the same lock as the world.
#[derive(Debug)]
pub(crate) struct Journal {
    caps: JournalCaps,
    start: Instant,
    entries: Vec<Listed>,
    requests: Room,
    egress: Room,
    /// Oldest entries that are gone.
    forgotten: u64,
    /// Attempts that are only counted.
    unlisted: u64,
    bodies: BTreeMap<String, Bytes>,
    bodies_bytes: usize,
}

/// An entry of the journal: its place in the list is its number.
#[derive(Debug)]
struct Listed {
    t_us: u64,
    facts: Arc<Facts>,
}

/// What the journal says of a request but for its number and its time, which
/// are left 0. Requests that were answered alike share it.
#[derive(Debug)]
pub(crate) struct Facts {
    entry: JournalEntry,
    bytes: usize,
}

impl Facts {
    fn new(entry: JournalEntry) -> Self {
        let bytes = size_of_entry(&entry);
        Self { entry, bytes }
    }

    /// What they take, in memory and as JSON.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// What one kind of entry may still take.
#[derive(Debug)]
struct Room {
    entries: usize,
    bytes: usize,
}

impl Room {
    fn is_none(&self) -> bool {
        self.entries == 0 || self.bytes == 0
    }

    fn take(&mut self, facts: &Facts) {
        self.entries = self.entries.saturating_sub(1);
        self.bytes = self.bytes.saturating_sub(facts.bytes);
    }
}

impl Journal {
    pub(crate) fn new(caps: JournalCaps) -> Self {
        Self {
            requests: Room {
                entries: caps.requests,
                bytes: caps.bytes / 2,
            },
            egress: Room {
                entries: caps.egress,
                bytes: caps.bytes / 2,
            },
            caps,
            start: Instant::now(),
            entries: Vec::new(),
            forgotten: 0,
            unlisted: 0,
            bodies: BTreeMap::new(),
            bodies_bytes: 0,
        }
    }

    /// An empty journal with the same caps and the same beginning of time.
    pub(crate) fn cleared(&self) -> Self {
        Self {
            start: self.start,
            ..Self::new(self.caps.clone())
        }
    }

    pub(crate) fn start_clock(&mut self) {
        self.start = Instant::now();
    }

    /// Makes room for another request, where the caps allow it. `false`: there
    /// is none.
    pub(crate) fn make_room(&mut self) -> bool {
        if self.requests.is_none() && self.caps.when_full == WhenFull::Forget {
            self.forget();
        }
        !self.requests.is_none()
    }

    /// Forgets the older half: one at a time would move all others each time.
    fn forget(&mut self) {
        let gone = self.entries.len().div_ceil(2);
        self.entries.drain(..gone);
        self.forgotten += gone as u64;
        self.requests = Room {
            entries: self.caps.requests,
            bytes: self.caps.bytes / 2,
        };
        self.egress = Room {
            entries: self.caps.egress,
            bytes: self.caps.bytes / 2,
        };
        for Listed { facts, .. } in &self.entries {
            match facts.entry.kind {
                EntryKind::Request => self.requests.take(facts),
                EntryKind::Egress | EntryKind::Truncated => self.egress.take(facts),
            }
        }
    }

    /// Counts a request that was turned away unlisted.
    pub(crate) fn unlisted(&mut self) {
        self.unlisted += 1;
    }

    /// Lists a request, its answer and what came inside it. What it read and
    /// changed, and for whom, moves from the answer into the journal.
    pub(crate) fn answered(
        &mut self,
        request: &Request,
        payload: Payload,
        answer: &mut Answer,
        note: Option<String>,
    ) -> Arc<Facts> {
        let outer = self.list(request, payload, answer, None, note);
        let n = self.next() - 1;
        for (inner, mut answer) in std::mem::take(&mut answer.parts) {
            let payload = payload_of(&inner, self.caps.body_bytes);
            self.list(&inner, payload, &mut answer, Some(n), None);
        }
        outer
    }

    /// Lists a request that was answered like an earlier one.
    pub(crate) fn answered_again(&mut self, facts: &Arc<Facts>) {
        let facts = if facts.bytes <= self.requests.bytes {
            Arc::clone(facts)
        } else {
            self.fitted(facts.entry.clone())
        };
        self.push(facts);
    }

    fn list(
        &mut self,
        request: &Request,
        mut payload: Payload,
        answer: &mut Answer,
        part_of: Option<u64>,
        note: Option<String>,
    ) -> Arc<Facts> {
        payload.kept = payload.kept && self.keep(&payload, &request.body);
        let facts = self.fitted(JournalEntry {
            n: 0,
            t_us: 0,
            kind: EntryKind::Request,
            service: answer.service.to_owned(),
            operation: answer.operation.map(str::to_owned),
            actor: answer.actor.take(),
            host: request.host.clone(),
            port: request.port,
            method: request.method.as_str().to_owned(),
            path: request.path.clone(),
            query: redact::query(&request.query),
            status: answer.status,
            read: std::mem::take(&mut answer.read),
            changed: std::mem::take(&mut answer.changed),
            request: payload,
            response: digest(&answer.body, self.caps.body_bytes),
            part_of,
            via: answer.via.take(),
            note,
        });
        self.push(Arc::clone(&facts));
        facts
    }

    /// A request's entry as there is room for it.
    fn fitted(&mut self, mut entry: JournalEntry) -> Arc<Facts> {
        // A batch brings more entries than there was room made for.
        if self.caps.when_full == WhenFull::Forget
            && size_of_entry(&entry).min(ENTRY_CAP) > self.requests.bytes
        {
            self.forget();
        }
        bound(&mut entry, self.requests.bytes);
        Arc::new(Facts::new(entry))
    }

    fn push(&mut self, facts: Arc<Facts>) {
        match facts.entry.kind {
            EntryKind::Request => self.requests.take(&facts),
            EntryKind::Egress | EntryKind::Truncated => self.egress.take(&facts),
        }
        let t_us = self.now();
        self.entries.push(Listed { t_us, facts });
    }

    /// Lists an attempt that no service answered.
    pub(crate) fn refused(&mut self, attempt: Attempt<'_>) {
        let room = match attempt.kind {
            EntryKind::Request => &self.requests,
            EntryKind::Egress | EntryKind::Truncated => &self.egress,
        };
        if room.is_none() {
            self.unlisted += 1;
            return;
        }
        let mut payload = attempt.request;
        payload.kept = payload.kept && self.keep(&payload, &attempt.body);
        let mut entry = JournalEntry {
            n: 0,
            t_us: 0,
            kind: attempt.kind,
            service: attempt.service.to_owned(),
            operation: None,
            actor: None,
            host: attempt.host.to_owned(),
            port: attempt.port,
            method: attempt.method.to_owned(),
            path: attempt.path.to_owned(),
            query: redact::query(attempt.query),
            status: attempt.status,
            read: Vec::new(),
            changed: Vec::new(),
            request: payload,
            response: Payload {
                bytes: attempt.answered as u64,
                ..Payload::default()
            },
            part_of: None,
            via: None,
            note: Some(attempt.note),
        };
        bound(&mut entry, ENTRY_CAP);
        self.push(Arc::new(Facts::new(entry)));
    }

    /// All entries. Where the journal met a cap, the last one says so: it is
    /// the only entry that is not final.
    pub(crate) fn entries(&self) -> Vec<JournalEntry> {
        let numbered = (self.forgotten + 1..).zip(&self.entries);
        let entry = |(n, listed): (u64, &Listed)| JournalEntry {
            n,
            t_us: listed.t_us,
            ..listed.facts.entry.clone()
        };
        let mut entries: Vec<JournalEntry> = numbered.map(entry).collect();
        let mut note = Vec::new();
        if self.forgotten > 0 {
            note.push(format!(
                "the first {} entries are no longer listed",
                self.forgotten
            ));
        } else if self.requests.is_none() {
            note.push("the journal is full: from here on no request was answered".to_owned());
        }
        if self.unlisted > 0 {
            note.push(format!(
                "{} attempts that were refused are not listed",
                self.unlisted
            ));
        }
        if !note.is_empty() {
            entries.push(JournalEntry {
                n: self.next(),
                t_us: self.now(),
                kind: EntryKind::Truncated,
                service: "journal".to_owned(),
                operation: None,
                actor: None,
                host: String::new(),
                port: 0,
                method: String::new(),
                path: String::new(),
                query: String::new(),
                status: 0,
                read: Vec::new(),
                changed: Vec::new(),
                request: Payload::default(),
                response: Payload::default(),
                part_of: None,
                via: None,
                note: Some(note.join("; ")),
            });
        }
        entries
    }

    /// Kept bodies by SHA-256.
    pub(crate) fn bodies(&self) -> BTreeMap<String, Bytes> {
        self.bodies.clone()
    }

    /// Keeps a body. Says whether it is kept, now or since an earlier request.
    fn keep(&mut self, payload: &Payload, body: &Bytes) -> bool {
        let Some(sha256) = &payload.sha256 else {
            return false;
        };
        if self.bodies.contains_key(sha256) {
            return true;
        }
        if self.bodies_bytes.saturating_add(body.len()) > self.caps.bodies_bytes {
            return false;
        }
        self.bodies_bytes += body.len();
        // A copy, lest a small body hold on to the large buffer it came in.
        self.bodies
            .insert(sha256.clone(), Bytes::copy_from_slice(body));
        true
    }

    fn next(&self) -> u64 {
        self.forgotten + self.entries.len() as u64 + 1
    }

    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

/// What the journal says of a request's body. `kept` is a wish at this point:
/// it is granted when the entry is listed.
pub(crate) fn payload_of(request: &Request, cap: usize) -> Payload {
    let mut payload = digest(&request.body, cap);
    payload.kept = payload.sha256.is_some() && !redact::is_secret(request);
    if redact::is_secret(request) {
        payload.sha256 = None;
    }
    payload
}

/// Length and, up to `cap` bytes, digest of a body.
fn digest(body: &[u8], cap: usize) -> Payload {
    let hashed = !body.is_empty() && body.len() <= cap;
    Payload {
        bytes: body.len() as u64,
        sha256: hashed.then(|| hex::encode(Sha256::digest(body))),
        kept: false,
    }
}
