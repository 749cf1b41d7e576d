//! Running a grader on a bundle, once.

use std::sync::Arc;
use std::time::Instant;

use proctor_types::verdict::{ABI, GraderRef};
use wasmtime::{Store, UpdateDeadline};

use super::abi::{self, Exports, GraderPre};
use super::executor::block_on;
use super::fault::{Stage, classify};
use super::inspect::ModuleInfo;
use super::state::{State, Stop};
use super::{Shared, ticker::Running};
use crate::bundle::Bundle;
use crate::error::{Fault, GradeError};
use crate::limits::Limits;
use crate::log::GradeLog;
use crate::validate::{Problems, ValidVerdict, validate};

/// A loaded grader. Cheap to clone; can grade any number of bundles, also at
/// the same time.
#[derive(Clone)]
pub struct Grader(pub(super) Arc<Loaded>);

pub(super) struct Loaded {
    pub(super) shared: Arc<Shared>,
    pub(super) pre: GraderPre<State>,
    pub(super) info: ModuleInfo,
}

impl std::fmt::Debug for Grader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Grader").field(&self.0.info).finish()
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
}

impl Grader {
    /// What the module is made of.
    pub fn info(&self) -> &ModuleInfo {
        &self.0.info
    }

    /// Grades a bundle. The future gives way to others every few milliseconds
    /// while the grader runs; reads of the bundle are done in place. Needs a
    /// tokio runtime with its timer enabled.
    pub async fn grade(&self, bundle: &Bundle, limits: &Limits) -> Result<Graded, GradeError> {
        let late = || Fault::OutOfTime { limit: limits.time }.into();
        let run = self.run(bundle, limits);
        tokio::time::timeout(limits.time, run)
            .await
            .unwrap_or_else(|_| Err(late()))
    }

    /// Grades a bundle on the calling thread, without a runtime.
    pub fn grade_blocking(&self, bundle: &Bundle, limits: &Limits) -> Result<Graded, GradeError> {
        let late = || Fault::OutOfTime { limit: limits.time }.into();
        let deadline = Instant::now() + limits.time;
        block_on(self.run(bundle, limits), deadline).unwrap_or_else(|| Err(late()))
    }

    async fn run(&self, bundle: &Bundle, limits: &Limits) -> Result<Graded, GradeError> {
        let mut store = self.store(bundle, limits)?;
        let _running: Running = self.0.shared.ticker()?.run();
        let called = call(&self.0.pre, &mut store).await;
        let fuel = limits
            .fuel
            .saturating_sub(store.get_fuel().unwrap_or_default());
        let answer = called.map_err(|(stage, error)| classify(&error, stage, &store, limits));
        let (log, last_error) = store.into_data().log.finish();

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
            }),
            Err(fault) => Err(GradeError::with_run(fault, None, log, Some(fuel))),
        }
    }

    fn store(&self, bundle: &Bundle, limits: &Limits) -> Result<Store<State>, Fault> {
        let internal = |error: wasmtime::Error| Fault::Internal {
            detail: format!("{error:#}"),
        };
        let engine = self.0.shared.engine()?;
        let mut store = Store::try_new(engine, State::new(bundle, limits)).map_err(internal)?;
        store.limiter(|state| &mut state.limiter);
        store.set_hostcall_fuel(limits.output_bytes);
        store.set_fuel(limits.fuel).map_err(internal)?;
        store.set_epoch_deadline(1);
        let deadline = Instant::now() + limits.time;
        store.epoch_deadline_callback(move |_| {
            if Instant::now() >= deadline {
                Err(Stop::Deadline.into())
            } else {
                Ok(UpdateDeadline::Yield(1))
            }
        });
        Ok(store)
    }

    fn reference(&self, fuel: u64) -> GraderRef {
        GraderRef {
            sha256: self.0.info.sha256.clone(),
            abi: ABI.to_owned(),
            fuel,
        }
    }
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
