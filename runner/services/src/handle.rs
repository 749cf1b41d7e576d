//! A world in use: the state, its journal, and the locks around them.

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
use tokio::sync::{RwLock, RwLockReadGuard};

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
    /// Taken before `log` wherever both are.
    state: Arc<Mutex<State>>,
    /// Not with the world: some requests keep that for as long as git runs.
    log: Arc<Mutex<Log>>,
    /// Kept alone by a request that takes its time, and by all others together:
    /// nobody blocks a thread by waiting for the former.
    turn: Arc<RwLock<()>>,
    /// Outside the lock: bodies are hashed before it is taken.
    body_cap: usize,
}

#[derive(Debug)]
struct State {
    seeded: World,
    world: World,
    memo: Memo,
    epoch: u64,
    fault: Option<Fault>,
}

#[derive(Debug)]
struct Log {
    journal: Journal,
    /// The world's own time.
    now: Timestamp,
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
        let log = Log {
            journal: Journal::new(caps),
            now: world.clock.now(),
        };
        let state = State {
            seeded: world.clone(),
            world,
            memo: Memo::default(),
            epoch: 0,
            fault: None,
        };
        Self {
            state: Arc::new(Mutex::new(state)),
            log: Arc::new(Mutex::new(log)),
            turn: Arc::default(),
            body_cap,
        }
    }

    /// Sets the moment from which the journal counts time. Called when the
    /// agent is started; until then time counts from the making of the handle.
    pub fn start_clock(&self) {
        self.log().journal.start_clock();
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
        let mut log = self.log();
        if let Some(fault) = &state.fault {
            log.journal.unlisted();
            return failure(service, request, fault);
        }
        if !log.journal.make_room() {
            log.journal.unlisted();
            let text = "this world has answered as many requests as its journal holds";
            return refusal(service.name(), request, 429, text);
        }
        state.world.clock.tick();
        let now = state.world.clock.now();
        log.now = now;
        if let Some(known) = key.as_ref().and_then(|key| state.memo.get(key)) {
            log.journal.answered_again(&known.facts);
            drop((log, state));
            return dated(known.answer(), now);
        }
        drop(log);
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
        let facts = self
            .log()
            .journal
            .answered(request, payload, &mut answer, note);
        match key {
            Some(key) if lasting => state.memo.keep(key, &answer, facts),
            _ if lasting => {}
            _ => state.memo.clear(),
        }
        drop(state);
        dated(answer, now)
    }

    /// Waits for requests that take their time and were here before. As long as
    /// what it gives is kept, those that come later wait.
    pub(crate) async fn turn(&self) -> RwLockReadGuard<'_, ()> {
        self.turn.read().await
    }

    /// As [`WorldHandle::answer`], for requests that take their time
    /// ([`Service::takes_long`]): alone, and on a thread that may be kept.
    pub(crate) async fn answer_apart(&self, service: Arc<dyn Service>, request: Request) -> Answer {
        let turn = Arc::clone(&self.turn).write_owned().await;
        let world = self.clone();
        let name = service.name();
        let work = tokio::task::spawn_blocking(move || {
            let answer = world.answer(service.as_ref(), &request);
            // Even where nobody waits for the answer any more.
            drop(turn);
            answer
        });
        work.await.unwrap_or_else(|_| Answer::new(name, 500))
    }

    /// Lists an attempt that no service answered. The clock stays where it is:
    /// what an agent tries in vain (its own telemetry, say) must not move the
    /// dates of the world.
    pub(crate) fn refused(&self, attempt: Attempt<'_>) {
        self.log().journal.refused(attempt);
    }

    /// Longest body that the journal hashes and keeps, in bytes.
    pub(crate) fn body_cap(&self) -> usize {
        self.body_cap
    }

    /// The world's own time as HTTP writes it.
    pub(crate) fn http_date(&self) -> Option<HeaderValue> {
        let now = self.log().now;
        http_date(now)
    }

    /// The journal. Where it met a cap, the last entry says so.
    pub fn journal(&self) -> Vec<JournalEntry> {
        self.log().journal.entries()
    }

    /// Request bodies that the journal keeps, by SHA-256 in lower-case hex.
    pub fn bodies(&self) -> BTreeMap<String, Bytes> {
        self.log().journal.bodies()
    }

    /// Empties the journal; the world stays as it is.
    pub fn clear_journal(&self) {
        let mut log = self.log();
        log.journal = log.journal.cleared();
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
        state.begin(seeded, &mut self.log());
    }

    /// Replaces the world and empties the journal. [`WorldHandle::reset`] still
    /// goes back to the world as it was seeded.
    pub fn restore(&self, world: World) {
        self.lock().begin(world, &mut self.log());
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
            let (state, log) = (self.lock(), self.log());
            (
                state.seeded.clone(),
                state.world.clone(),
                log.journal.entries(),
                log.journal.bodies(),
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

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn begin(&mut self, world: World, log: &mut Log) {
        log.now = world.clock.now();
        log.journal = log.journal.cleared();
        self.world = world;
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

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::task::{Context, Poll, Waker};

    use bytes::Bytes;
    use http::HeaderMap;

    use super::*;
    use crate::service::Scheme;

    /// A service that says when it is asked, and answers when it is told to.
    struct Slow {
        asked: Sender<()>,
        go: Mutex<Receiver<()>>,
    }

    impl Service for Slow {
        fn name(&self) -> &'static str {
            "slow"
        }

        fn owns(&self, _: &str) -> bool {
            true
        }

        fn owns_path(&self, _: &str) -> bool {
            true
        }

        fn takes_long(&self, _: &Request) -> bool {
            true
        }

        fn handle(&self, _: &mut World, _: &Request) -> Answer {
            self.asked.send(()).unwrap();
            self.go.lock().unwrap().recv().unwrap();
            Answer::new("slow", 200)
        }
    }

    fn request() -> Request {
        Request {
            method: Method::POST,
            scheme: Scheme::Https,
            host: "h".to_owned(),
            port: 443,
            path: "/".to_owned(),
            query: String::new(),
            headers: HeaderMap::new(),
            body: Bytes::new(),
        }
    }

    /// What a future has to give without waiting.
    fn ready<T>(future: impl Future<Output = T>) -> Option<T> {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(it) => Some(it),
            Poll::Pending => None,
        }
    }

    // One thread for everything but the slow request: whoever blocked it would
    // block the test.
    #[tokio::test]
    async fn a_slow_request_keeps_nobody_from_anything_but_the_world() {
        let start = "2026-03-02T09:00:00Z".parse().unwrap();
        let world = WorldHandle::new(World::empty(start), JournalCaps::default());
        let (asked, was_asked) = channel();
        let (go, gone) = channel();
        let slow: Arc<dyn Service> = Arc::new(Slow {
            asked,
            go: Mutex::new(gone),
        });
        let first = tokio::spawn({
            let (world, slow) = (world.clone(), Arc::clone(&slow));
            async move { world.answer_apart(slow, request()).await }
        });
        let asked = tokio::task::spawn_blocking(move || {
            was_asked.recv().unwrap();
            was_asked
        });
        let was_asked = asked.await.unwrap();
        // The slow one is at work. The log can be read, and others queue up.
        assert!(world.journal().is_empty());
        assert!(world.http_date().is_some());
        assert!(ready(world.turn()).is_none(), "the world is taken");
        let second = tokio::spawn({
            let (world, slow) = (world.clone(), Arc::clone(&slow));
            async move { world.answer_apart(slow, request()).await }
        });
        tokio::task::yield_now().await;
        assert!(was_asked.try_recv().is_err(), "one at a time");
        // Who goes away does not make room for the next before the work is done.
        first.abort();
        assert!(first.await.is_err());
        go.send(()).unwrap();
        go.send(()).unwrap();
        assert_eq!(second.await.unwrap().status, 200);
        assert_eq!(world.journal().len(), 2);
        // Where nothing takes its time, nobody waits for anybody.
        let turns = [ready(world.turn()), ready(world.turn())];
        assert!(turns.iter().all(Option::is_some));
        assert!(ready(Arc::clone(&world.turn).write_owned()).is_none());
    }
}
