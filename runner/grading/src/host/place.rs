//! Where graders run: each in memory of its own, or in a pool of places that are
//! cleaned and used again.
//!
//! Memory, tables and stack that are made for one grade and thrown away cost a
//! small grader a fifth of its time, and an interpreter half, most of it page
//! faults. So what is graded with more than once moves into the pool. A process
//! that grades once never makes one, and what does not fit into a place of the
//! pool, or comes when all are taken, runs outside of it: the verdict and the
//! fuel are the same.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::available_parallelism;

use wasmtime::Engine;
use wasmtime::component::Component;

use super::abi::GraderPre;
use super::cache::Entry;
use super::inspect::ModuleInfo;
use super::state::State;
use super::ticker::Ticker;
use super::{engine, link, mapped};
use crate::error::Fault;
use crate::limits::Limits;

/// Most places of a pool. Grading is bound to processors, and each place has
/// addresses for a stack.
const MOST_PLACES: u32 = 8;

/// An engine and its clock, made when they are first needed.
#[derive(Debug, Default)]
struct Site {
    engine: OnceLock<Result<Engine, Fault>>,
    ticker: OnceLock<Result<Ticker, Fault>>,
}

impl Site {
    fn engine(&self, make: impl FnOnce() -> wasmtime::Result<Engine>) -> Result<&Engine, Fault> {
        let make = || {
            make().map_err(|error| Fault::Internal {
                detail: format!("{error:#}"),
            })
        };
        self.engine.get_or_init(make).as_ref().map_err(Clone::clone)
    }

    fn ticker(&self, engine: &Engine) -> Result<&Ticker, Fault> {
        let make = || {
            Ticker::start(engine).map_err(|error| Fault::Internal {
                detail: format!("cannot start a thread: {error}"),
            })
        };
        self.ticker.get_or_init(make).as_ref().map_err(Clone::clone)
    }
}

/// All places of a host.
#[derive(Debug, Default)]
pub(super) struct Places {
    alone: Site,
    pool: Site,
    /// Places of the pool that are taken.
    taken: AtomicU32,
}

impl Places {
    /// The engine that compiles, and that runs what is outside of the pool.
    pub(super) fn engine(&self) -> Result<&Engine, Fault> {
        self.alone.engine(engine::engine)
    }

    fn pool(&self) -> Result<&Engine, Fault> {
        self.pool.engine(|| engine::pooled(places()))
    }

    fn take(&self) -> Option<Taken<'_>> {
        let more = |taken: u32| (taken < places()).then(|| taken + 1);
        self.taken
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, more)
            .ok()
            .map(|_| Taken(&self.taken))
    }
}

/// Places of a pool: as many graders as can run at once. To find out takes the
/// standard library several files to read.
fn places() -> u32 {
    static PLACES: OnceLock<u32> = OnceLock::new();
    *PLACES.get_or_init(|| {
        let processors = available_parallelism().map_or(1, usize::from);
        u32::try_from(processors).map_or(MOST_PLACES, |processors| processors.min(MOST_PLACES))
    })
}

/// A place of the pool that is in use.
struct Taken<'a>(&'a AtomicU32);

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A module that is ready to run.
pub(super) struct Loaded {
    places: Arc<Places>,
    alone: GraderPre<State>,
    /// The same for the pool, unless it does not fit.
    pooled: OnceLock<Option<GraderPre<State>>>,
    /// Whether it has graded before.
    used: AtomicBool,
    /// What it is loaded from once more for the pool.
    entry: Option<Entry>,
    info: ModuleInfo,
}

impl Loaded {
    /// Links a component of the engine of `places`.
    pub(super) fn new(
        places: Arc<Places>,
        component: &Component,
        entry: Option<Entry>,
        info: ModuleInfo,
    ) -> Result<Self, Fault> {
        let alone = link::link(places.engine()?, component, &info)?;
        Ok(Self {
            places,
            alone,
            pooled: OnceLock::new(),
            used: AtomicBool::new(false),
            entry,
            info,
        })
    }

    /// What the module is made of.
    pub(super) fn info(&self) -> &ModuleInfo {
        &self.info
    }

    /// Where the next grade takes place.
    pub(super) fn place(&self, limits: &Limits) -> Place<'_> {
        let alone = Place {
            loaded: self,
            grader: &self.alone,
            taken: None,
        };
        let is_first = !self.used.swap(true, Ordering::Relaxed);
        if is_first || limits.table_elements >= engine::POOL_TABLE_ELEMENTS {
            return alone;
        }
        let Some(grader) = self.pooled.get_or_init(|| self.pool()).as_ref() else {
            return alone;
        };
        match self.places.take() {
            None => alone,
            taken => Place {
                grader,
                taken,
                ..alone
            },
        }
    }

    fn pool(&self) -> Option<GraderPre<State>> {
        let entry = self.entry.as_ref()?;
        let engine = self.places.pool().ok()?;
        mapped(engine, entry)
            .and_then(|component| link::link(engine, &component, &self.info))
            .inspect_err(|fault| {
                tracing::debug!(grader = self.info.sha256, %fault, "runs outside of the pool");
            })
            .ok()
    }
}

/// Where a grader runs. It is given back when this goes, which has to be after
/// the store.
pub(super) struct Place<'a> {
    loaded: &'a Loaded,
    grader: &'a GraderPre<State>,
    taken: Option<Taken<'a>>,
}

impl Place<'_> {
    /// The grader, for the engine of this place.
    pub(super) fn grader(&self) -> &GraderPre<State> {
        self.grader
    }

    /// The engine of this place.
    pub(super) fn engine(&self) -> Result<&Engine, Fault> {
        let places = &self.loaded.places;
        match self.taken {
            Some(_) => places.pool(),
            None => places.engine(),
        }
    }

    /// The clock of that engine.
    pub(super) fn ticker(&self) -> Result<&Ticker, Fault> {
        let places = &self.loaded.places;
        let site = match self.taken {
            Some(_) => &places.pool,
            None => &places.alone,
        };
        site.ticker(self.engine()?)
    }
}
