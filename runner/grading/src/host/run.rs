//! Running a grader on a bundle, once.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use proctor_types::verdict::{ABI, GraderKind, GraderRef};
use wasmtime::{Store, UpdateDeadline};

use super::abi::{self, Exports, GraderPre};
use super::executor::block_on;
use super::fault::{Stage, classify};
use super::inspect::ModuleInfo;
use super::place::{Loaded, Place};
use super::state::{State, Stop};
use super::ticker::Running;
use super::wasi::Inputs;
use crate::bundle::Bundle;
use crate::error::{Fault, GradeError};
use crate::limits::Limits;
use crate::log::GradeLog;
use crate::validate::{Problems, ValidVerdict, validate};

/// After how much fuel a grader gives way, whatever the clock says: some ten
/// milliseconds. It does not change how much fuel a grader burns.
const FUEL_PER_TURN: u64 = 20_000_000;

/// A loaded grader. Cheap to clone; can grade any number of bundles, also at
/// the same time.
#[derive(Clone)]
pub struct Grader(pub(super) Arc<Loaded>);

impl std::fmt::Debug for Grader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Grader").field(self.0.info()).finish()
    }
}

/// A verdict, and what it took.
#[derive(Debug, Clone, PartialEq)]
pub struct Graded {
    /// The grader's verdict, validated.
    pub verdict: ValidVerdict,
    /// The module and its fuel, as they stand in `verdict.json`.
    pub grader: GraderRef,
    /// What the grader logged.
    pub log: GradeLog,
    /// Paths that the grader asked for and the bundle does not have, the first
    /// hundred of them.
    pub missing: Vec<String>,
}

impl Grader {
    /// What the module is made of.
    pub fn info(&self) -> &ModuleInfo {
        self.0.info()
    }

    /// Grades a bundle. The future gives way to others every few milliseconds
    /// while the grader runs; reads of the bundle are done in place. Needs a
    /// tokio runtime with its timer enabled.
    pub async fn grade(&self, bundle: &Bundle, limits: &Limits) -> Result<Graded, GradeError> {
        self.grade_with(&Inputs::default(), bundle, limits).await
    }

    /// The same with inputs beside the bundle.
    pub(crate) async fn grade_with(
        &self,
        inputs: &Inputs,
        bundle: &Bundle,
        limits: &Limits,
    ) -> Result<Graded, GradeError> {
        let late = || Fault::OutOfTime { limit: limits.time }.into();
        let run = self.run(inputs, bundle, limits);
        tokio::time::timeout(limits.time, run)
            .await
            .unwrap_or_else(|_| Err(late()))
    }

    /// Grades a bundle on the calling thread, without a runtime.
    pub fn grade_blocking(&self, bundle: &Bundle, limits: &Limits) -> Result<Graded, GradeError> {
        self.grade_blocking_with(&Inputs::default(), bundle, limits)
    }

    /// The same with inputs beside the bundle.
    pub(crate) fn grade_blocking_with(
        &self,
        inputs: &Inputs,
        bundle: &Bundle,
        limits: &Limits,
    ) -> Result<Graded, GradeError> {
        let late = || Fault::OutOfTime { limit: limits.time }.into();
        let deadline = Instant::now() + limits.time;
        block_on(self.run(inputs, bundle, limits), deadline).unwrap_or_else(|| Err(late()))
    }

    async fn run(
        &self,
        inputs: &Inputs,
        bundle: &Bundle,
        limits: &Limits,
    ) -> Result<Graded, GradeError> {
        let place = self.0.place(limits);
        let mut store = store(&place, inputs, bundle, limits)?;
        let called = self
            .ticking(&place, call(place.grader(), &mut store))
            .await?;
        let fuel = limits
            .fuel
            .saturating_sub(store.get_fuel().unwrap_or_default());
        let answer = called.map_err(|(stage, error)| classify(&error, stage, &store, limits));
        store.data_mut().flush_output();
        let State { log, missing, .. } = store.into_data();
        let (log, last_error) = log.finish();

        let verdict = match answer {
            Ok(Ok(verdict)) => verdict,
            Ok(Err(message)) => {
                let fault = Fault::GraderSaidError { message };
                return Err(GradeError::with_run(fault, None, log, Some(fuel)));
            }
            Err(fault) => {
                // What it said before it broke matters more than how it broke.
                let words = last_error.filter(|_| broke(&fault));
                return Err(GradeError::with_run(fault, words, log, Some(fuel)));
            }
        };
        let mut problems = Problems::default();
        let verdict = abi::verdict(verdict, &mut problems);
        match validate(verdict, problems, bundle, &limits.verdict) {
            Ok(verdict) => Ok(Graded {
                verdict,
                grader: self.reference(fuel),
                log,
                missing: missing.into_iter().collect(),
            }),
            Err(fault) => Err(GradeError::with_run(fault, None, log, Some(fuel))),
        }
    }

    /// Lets the clock tick from the first time that `call` gives way, of fuel or
    /// of time in calls: most graders are done before, and a short process is
    /// spared the thread. Where
    /// components inside of the grader hand each other text, the engine converts
    /// it, which no fuel counts: then only the clock makes it give way.
    async fn ticking<T>(
        &self,
        place: &Place<'_>,
        call: impl Future<Output = T>,
    ) -> Result<T, Fault> {
        let mut call = pin!(call);
        let mut running: Option<Running> = None;
        if self.0.info().instances > 1 {
            running = Some(place.ticker()?.run());
        }
        poll_fn(|context| match call.as_mut().poll(context) {
            Poll::Ready(output) => Poll::Ready(Ok(output)),
            Poll::Pending if running.is_some() => Poll::Pending,
            Poll::Pending => match place.ticker() {
                Ok(ticker) => {
                    running = Some(ticker.run());
                    Poll::Pending
                }
                Err(fault) => Poll::Ready(Err(fault)),
            },
        })
        .await
    }

    fn reference(&self, fuel: u64) -> GraderRef {
        GraderRef {
            kind: GraderKind::Component,
            source_sha256: None,
            sha256: self.0.info().sha256.clone(),
            abi: ABI.to_owned(),
            fuel,
        }
    }
}

fn store(
    place: &Place<'_>,
    inputs: &Inputs,
    bundle: &Bundle,
    limits: &Limits,
) -> Result<Store<State>, Fault> {
    let internal = |error: wasmtime::Error| Fault::Internal {
        detail: format!("{error:#}"),
    };
    let engine = place.engine()?;
    let mut store =
        Store::try_new(engine, State::new(engine, bundle, inputs, limits)).map_err(internal)?;
    store.limiter(|state| &mut state.limiter);
    store.set_hostcall_fuel(limits.output_bytes);
    store.set_fuel(limits.fuel).map_err(internal)?;
    store
        .fuel_async_yield_interval(Some(FUEL_PER_TURN))
        .map_err(internal)?;
    store.set_epoch_deadline(1);
    let deadline = store.data().deadline;
    store.epoch_deadline_callback(move |_| {
        if Instant::now() >= deadline {
            Err(Stop::Deadline.into())
        } else {
            Ok(UpdateDeadline::Yield(1))
        }
    });
    Ok(store)
}

async fn call(
    pre: &GraderPre<State>,
    store: &mut Store<State>,
) -> Result<Result<abi::types::Verdict, String>, (Stage, wasmtime::Error)> {
    let exports: Exports = pre
        .instantiate_async(&mut *store)
        .await
        .map_err(|error| (Stage::Instantiate, error))?;
    exports
        .call_grade(store)
        .await
        .map_err(|error| (Stage::Call, error))
}

/// Whether the grader ended by itself, so that its last words explain it.
fn broke(fault: &Fault) -> bool {
    matches!(
        fault,
        Fault::Trapped { .. } | Fault::OutOfMemory { .. } | Fault::StackOverflow
    )
}
