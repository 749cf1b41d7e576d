//! What a trial, or a job, may take; and that it takes no more.
//!
//! What a reply costs is known when it is over. So that requests in parallel do
//! not all pass while there is a little left, each reserves what it is likely to
//! take; while what is spent and what is reserved reach the budget together, a
//! further request waits until one of those is over. It is refused when what is
//! spent reaches the budget by itself. So a budget is overshot by one reply at
//! most, and no estimate ever ends a trial. Waiting has an end, too: the others may
//! be held up by an agent that does not read its reply.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use proctor_types::model::{BudgetKind, BudgetScope, Exceeded};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use crate::prices::{self, Pico};

/// Bounds on what is asked of models. Without one there is no bound.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Budget {
    /// Requests for replies and for counts of tokens. Each that the agent makes
    /// counts once, however often it is tried.
    pub requests: Option<u64>,
    /// Tokens, each once, those of caches too ([`proctor_types::Usage::total`]).
    pub tokens: Option<u64>,
    /// US dollars.
    pub usd: Option<f64>,
}

/// What was taken so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spent {
    /// Requests.
    pub requests: u64,
    /// Tokens.
    pub tokens: u64,
    /// US dollars, as far as prices are known.
    pub usd: f64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Amounts {
    requests: u64,
    tokens: u64,
    pico: Pico,
}

/// The account of a trial or a job.
#[derive(Debug)]
pub(crate) struct Ledger {
    scope: BudgetScope,
    budget: Budget,
    state: Mutex<State>,
    settled: Notify,
}

#[derive(Debug, Default)]
struct State {
    spent: Amounts,
    reserved: Amounts,
}

/// A request's part of a ledger, until it is settled or dropped. What is
/// dropped has spent nothing but the request.
#[derive(Debug)]
pub(crate) struct Reservation {
    ledger: Arc<Ledger>,
    reserved: Amounts,
}

/// Why there is no reservation.
#[derive(Debug)]
pub(crate) enum Denied {
    /// The budget is used up.
    Exceeded(Exceeded),
    /// Others had reserved what is left of it for all the time there was to wait.
    Waited(BudgetScope),
}

enum Admission {
    Yes,
    Wait,
    No(Exceeded),
}

impl Ledger {
    pub(crate) fn new(scope: BudgetScope, budget: Budget) -> Arc<Self> {
        Arc::new(Self {
            scope,
            budget,
            state: Mutex::default(),
            settled: Notify::new(),
        })
    }

    pub(crate) fn has_usd(&self) -> bool {
        self.budget.usd.is_some()
    }

    pub(crate) fn spent(&self) -> Spent {
        let spent = self.state().spent;
        Spent {
            requests: spent.requests,
            tokens: spent.tokens,
            usd: prices::usd(spent.pico),
        }
    }

    /// Admits a request that is likely to take so much; waits for others to end
    /// where that decides, but not beyond `until`.
    pub(crate) async fn reserve(
        self: &Arc<Self>,
        tokens: u64,
        pico: Pico,
        until: Instant,
    ) -> Result<Reservation, Denied> {
        let reserved = Amounts {
            requests: 0,
            tokens,
            pico,
        };
        loop {
            let settled = self.settled.notified();
            tokio::pin!(settled);
            // Before looking, so that what settles after the look wakes this up.
            settled.as_mut().enable();
            match self.admit(reserved) {
                Admission::Yes => {
                    return Ok(Reservation {
                        ledger: Arc::clone(self),
                        reserved,
                    });
                }
                Admission::No(exceeded) => return Err(Denied::Exceeded(exceeded)),
                Admission::Wait => {
                    let waited = timeout_at(until, settled).await;
                    waited.map_err(|_| Denied::Waited(self.scope))?;
                }
            }
        }
    }

    fn admit(&self, wanted: Amounts) -> Admission {
        let mut state = self.state();
        let State { spent, reserved } = *state;
        if let Some(exceeded) = self.exceeded(spent) {
            return Admission::No(exceeded);
        }
        let with_reserved = Amounts {
            requests: spent.requests,
            tokens: spent.tokens.saturating_add(reserved.tokens),
            pico: spent.pico.saturating_add(reserved.pico),
        };
        if self.exceeded(with_reserved).is_some() {
            return Admission::Wait;
        }
        state.spent.requests += 1;
        state.reserved.tokens = reserved.tokens.saturating_add(wanted.tokens);
        state.reserved.pico = reserved.pico.saturating_add(wanted.pico);
        Admission::Yes
    }

    #[expect(clippy::cast_precision_loss, reason = "for showing")]
    fn exceeded(&self, amounts: Amounts) -> Option<Exceeded> {
        let Budget {
            requests,
            tokens,
            usd,
        } = self.budget;
        let exceeded = |of, limit, spent| {
            Some(Exceeded {
                scope: self.scope,
                of,
                limit,
                spent,
            })
        };
        if let Some(limit) = requests.filter(|&limit| amounts.requests >= limit) {
            return exceeded(BudgetKind::Requests, limit as f64, amounts.requests as f64);
        }
        if let Some(limit) = tokens.filter(|&limit| amounts.tokens >= limit) {
            return exceeded(BudgetKind::Tokens, limit as f64, amounts.tokens as f64);
        }
        if let Some(limit) = usd.filter(|&limit| amounts.pico >= prices::pico(limit)) {
            return exceeded(BudgetKind::Usd, limit, prices::usd(amounts.pico));
        }
        None
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reservation {
    /// Spends what the request really took.
    pub(crate) fn settle(self, tokens: u64, pico: Pico) {
        let mut state = self.ledger.state();
        state.spent.tokens = state.spent.tokens.saturating_add(tokens);
        state.spent.pico = state.spent.pico.saturating_add(pico);
        drop(state);
        // The drop gives the reservation back and wakes the others.
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut state = self.ledger.state();
        let reserved = &mut state.reserved;
        reserved.tokens = reserved.tokens.saturating_sub(self.reserved.tokens);
        reserved.pico = reserved.pico.saturating_sub(self.reserved.pico);
        drop(state);
        self.ledger.settled.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger(budget: Budget) -> Arc<Ledger> {
        Ledger::new(BudgetScope::Trial, budget)
    }

    /// More time than any of these tests takes.
    fn later() -> Instant {
        Instant::now() + std::time::Duration::from_mins(10)
    }

    #[tokio::test]
    async fn requests_are_counted_exactly_also_in_parallel() {
        let ledger = ledger(Budget {
            requests: Some(10),
            ..Budget::default()
        });
        let tasks: Vec<_> = (0..50)
            .map(|_| {
                let ledger = Arc::clone(&ledger);
                tokio::spawn(async move { ledger.reserve(5, 0, later()).await.is_ok() })
            })
            .collect();
        let mut admitted = 0;
        for task in tasks {
            admitted += u32::from(task.await.unwrap());
        }
        assert_eq!(admitted, 10);
        assert_eq!(ledger.spent().requests, 10);
    }

    #[tokio::test]
    async fn a_budget_is_overshot_by_one_reply_at_most() {
        let budget = Budget {
            tokens: Some(100),
            ..Budget::default()
        };
        let ledger = ledger(budget);
        let tasks: Vec<_> = (0..20)
            .map(|_| {
                let ledger = Arc::clone(&ledger);
                tokio::spawn(async move {
                    if let Ok(reservation) = ledger.reserve(40, 0, later()).await {
                        tokio::task::yield_now().await;
                        reservation.settle(40, 0);
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(ledger.spent().tokens, 120);
        let denied = ledger.reserve(1, 0, later()).await.unwrap_err();
        let Denied::Exceeded(exceeded) = denied else {
            panic!("{denied:?}")
        };
        assert_eq!(
            exceeded.to_string(),
            "the trial's budget of 100 tokens is used up (120 spent)"
        );
    }

    #[tokio::test]
    async fn an_estimate_never_refuses() {
        let ledger = ledger(Budget {
            usd: Some(1.0),
            ..Budget::default()
        });
        let much = prices::pico(50.0);
        let first = ledger.reserve(0, much, later()).await.unwrap();
        let waiting = {
            let ledger = Arc::clone(&ledger);
            tokio::spawn(async move { ledger.reserve(0, 1, later()).await })
        };
        tokio::task::yield_now().await;
        assert!(
            !waiting.is_finished(),
            "it waits for what the first really takes"
        );
        first.settle(0, prices::pico(0.25));
        waiting.await.unwrap().unwrap();
        assert!((ledger.spent().usd - 0.25).abs() < 1e-12);
    }

    #[tokio::test]
    async fn waiting_for_others_has_an_end() {
        let ledger = ledger(Budget {
            tokens: Some(100),
            ..Budget::default()
        });
        let held = ledger.reserve(500, 0, later()).await.unwrap();
        let denied = ledger.reserve(1, 0, Instant::now()).await.unwrap_err();
        assert!(
            matches!(denied, Denied::Waited(BudgetScope::Trial)),
            "{denied:?}"
        );
        assert_eq!(ledger.spent().requests, 1, "it was not made");
        drop(held);
        ledger.reserve(1, 0, Instant::now()).await.unwrap();
    }
}
