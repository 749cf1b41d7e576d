//! A world in use: the state, its journal, and the lock around both.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http::{HeaderValue, Method, header};
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimePrinter;
use proctor_types::WorldSnapshot;
use proctor_types::journal::JournalEntry;

use crate::gateway::refusal_body;
use crate::journal::{Attempt, Journal, JournalCaps, payload_of};
use crate::memo::{Key, Memo};
use crate::service::{Answer, Request, Service};
use crate::world::World;

/// One world with its journal, shared by everything that serves it.
///
/// Requests are answered one at a time under one lock, so the order of the
/// journal is the order in which the world changed. Clones are handles to the
/// same world.
#[derive(Debug, Clone)]
pub struct WorldHandle {
    state: Arc<Mutex<State>>,
    /// Outside the lock: bodies are hashed before it is taken.
    body_cap: usize,
}

#[derive(Debug)]
struct State {
    seeded: World,
    world: World,
    journal: Journal,
    memo: Memo,
    epoch: u64,
    fault: Option<Fault>,
}

/// A fake broke while it answered: what the world says since then is worth
/// nothing, and the trial is nobody's result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the fake `{service}` failed while it answered {request}: {message}")]
pub struct Fault {
    /// The service.
    pub service: String,
    /// Method and path of the request.
    pub request: String,
    /// What the service's code said.
    pub message: String,
}

/// Everything that a world has to say when a trial is over, taken at one
/// moment.
#[derive(Debug, Clone)]
pub struct Evidence {
    /// The world as it was seeded.
    pub before: WorldSnapshot,
    /// The world as it is.
    pub after: WorldSnapshot,
    /// The journal.
    pub journal: Vec<JournalEntry>,
    /// Kept request bodies by SHA-256.
    pub bodies: BTreeMap<String, Bytes>,
    /// Content of the repositories' files, before and after, by SHA-256.
    pub blobs: BTreeMap<String, Bytes>,
    /// Set when a fake failed.
    pub fault: Option<Fault>,
}

impl WorldHandle {
    /// A handle to a new world.
    pub fn new(world: World, caps: JournalCaps) -> Self {
        let body_cap = caps.body_bytes;
        let state = State {
            seeded: world.clone(),
            world,
            journal: Journal::new(caps),
            memo: Memo::default(),
            epoch: 0,
            fault: None,
        };
        Self {
            state: Arc::new(Mutex::new(state)),
            body_cap,
        }
    }

    /// Sets the moment from which the journal counts time. Called when the
    /// agent is started; until then time counts from the making of the handle.
    pub fn start_clock(&self) {
        self.lock().journal.start_clock();
    }

    /// Has `service` answer a request, and lists it in the journal.
    ///
    /// The world's clock moves on by one second first. A panic of the service
    /// becomes a 500 and a [`Fault`]; from then on nothing is answered any
    /// more. A full journal answers 429, and the world stays as it is. What the
    /// answer says was read and changed, and its parts, have moved into the
    /// journal. A request whose answer is still known ([`Answer::lasting`]) gets
    /// that one.
    pub fn answer(&self, service: &dyn Service, request: &Request) -> Answer {
        let key = Key::of(service.name(), request);
        let payload = payload_of(request, self.body_cap);
        let mut state = self.lock();
        if let Some(fault) = &state.fault {
            let answer = failure(service, request, fault);
            state.journal.unlisted();
            return answer;
        }
        if !state.journal.make_room() {
            state.journal.unlisted();
            let text = "this world has answered as many requests as its journal holds";
            return refusal(service.name(), request, 429, text);
        }
        state.world.clock.tick();
        if let Some(known) = key.as_ref().and_then(|key| state.memo.get(key)) {
            state.journal.answered_again(&known.facts);
            let now = state.world.clock.now();
            drop(state);
            return dated(known.answer(), now);
        }
        let world = &mut state.world;
        let answered = catch_unwind(AssertUnwindSafe(|| service.handle(world, request)));
        let (mut answer, note) = match answered {
            Ok(answer) => (answer, None),
            Err(panic) => {
                let fault = Fault {
                    service: service.name().to_owned(),
                    request: format!("{} {}", request.method, request.path),
                    message: message_of(panic.as_ref()),
                };
                tracing::error!(%fault, "a fake failed");
                let answer = failure(service, request, &fault);
                let note = fault.to_string();
                state.fault = Some(fault);
                (answer, Some(note))
            }
        };
        // The body is not sent (RFC 9110, section 9.3.2): nobody has read it.
        if request.method == Method::HEAD {
            answer.read.clear();
        }
        let lasting = answer.lasting;
        let facts = state.journal.answered(request, payload, &mut answer, note);
        match key {
            Some(key) if lasting => state.memo.keep(key, &answer, facts),
            _ if lasting => {}
            _ => state.memo.clear(),
        }
        let now = state.world.clock.now();
        drop(state);
        dated(answer, now)
    }

    /// Lists an attempt that no service answered. The clock stays where it is:
    /// what an agent tries in vain (its own telemetry, say) must not move the
    /// dates of the world.
    pub(crate) fn refused(&self, attempt: Attempt<'_>) {
        self.lock().journal.refused(attempt);
    }

    /// Longest body that the journal hashes and keeps, in bytes.
    pub(crate) fn body_cap(&self) -> usize {
        self.body_cap
    }

    /// The world's own time as HTTP writes it.
    pub(crate) fn http_date(&self) -> Option<HeaderValue> {
        let now = self.lock().world.clock.now();
        http_date(now)
    }

    /// The journal. Where it met a cap, the last entry says so.
    pub fn journal(&self) -> Vec<JournalEntry> {
        self.lock().journal.entries()
    }

    /// Request bodies that the journal keeps, by SHA-256 in lower-case hex.
    pub fn bodies(&self) -> BTreeMap<String, Bytes> {
        self.lock().journal.bodies()
    }

    /// Empties the journal; the world stays as it is.
    pub fn clear_journal(&self) {
        let mut state = self.lock();
        state.journal = state.journal.cleared();
    }

    /// A copy of the world as it is.
    pub fn world(&self) -> World {
        self.lock().world.clone()
    }

    /// Looks something up in the world as it is, under its lock.
    pub(crate) fn look<T>(&self, what: impl FnOnce(&World) -> T) -> T {
        what(&self.lock().world)
    }

    /// The world as it is, made for reading by a grader.
    pub fn snapshot(&self) -> WorldSnapshot {
        self.world().snapshot()
    }

    /// Back to the world as it was seeded, with an empty journal.
    pub fn reset(&self) {
        let mut state = self.lock();
        let seeded = state.seeded.clone();
        state.begin(seeded);
    }

    /// Replaces the world and empties the journal. [`WorldHandle::reset`] still
    /// goes back to the world as it was seeded.
    pub fn restore(&self, world: World) {
        self.lock().begin(world);
    }

    /// How often the world was reset or restored.
    pub fn epoch(&self) -> u64 {
        self.lock().epoch
    }

    /// Set when a fake failed: the trial is an `infrastructure` outcome.
    pub fn fault(&self) -> Option<Fault> {
        self.lock().fault.clone()
    }

    /// World and journal at one moment.
    pub fn evidence(&self) -> Evidence {
        let (seeded, world, journal, bodies, fault) = {
            let state = self.lock();
            (
                state.seeded.clone(),
                state.world.clone(),
                state.journal.entries(),
                state.journal.bodies(),
                state.fault.clone(),
            )
        };
        let mut blobs = seeded.blobs();
        blobs.append(&mut world.blobs());
        Evidence {
            blobs,
            before: seeded.snapshot(),
            after: world.snapshot(),
            journal,
            bodies,
            fault,
        }
    }

    /// The lock is never poisoned by a service (its panics are caught); code of
    /// this module leaves the state whole wherever it may panic.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn begin(&mut self, world: World) {
        self.world = world;
        self.journal = self.journal.cleared();
        self.memo.clear();
        self.fault = None;
        self.epoch += 1;
    }
}

fn failure(service: &dyn Service, request: &Request, fault: &Fault) -> Answer {
    refusal(service.name(), request, 500, &fault.to_string())
}

fn refusal(service: &'static str, request: &Request, status: u16, text: &str) -> Answer {
    let (media_type, body) = refusal_body(&request.headers, status, text);
    Answer::new(service, status).body(media_type, body)
}

fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "panicked without a message".to_owned())
}

/// An answer with its `Date`.
fn dated(mut answer: Answer, now: Timestamp) -> Answer {
    answer
        .headers
        .extend(http_date(now).map(|date| (header::DATE, date)));
    answer
}

/// `Date` by the world's clock (RFC 9110, section 5.6.7): the agent sees one
/// time wherever it looks.
fn http_date(now: Timestamp) -> Option<HeaderValue> {
    let text = DateTimePrinter::new()
        .timestamp_to_rfc9110_string(&now)
        .ok()?;
    HeaderValue::try_from(text).ok()
}
