//! The clock that interrupts graders: one thread that counts the engine's
//! epoch up while something is being graded, and sleeps otherwise.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use wasmtime::Engine;

/// How often a running grader comes back to the host.
pub(super) const TICK: Duration = Duration::from_millis(10);

/// Owns the thread; the thread ends with it.
#[derive(Debug)]
pub(super) struct Ticker {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    running: usize,
    stop: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ticker {
    pub(super) fn start(engine: &Engine) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let (engine, thread_shared) = (engine.clone(), Arc::clone(&shared));
        let thread = std::thread::Builder::new()
            .name("grader-ticker".to_owned())
            .spawn(move || tick(&engine, &thread_shared))?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// Keeps the clock running until the guard is dropped.
    pub(super) fn run(&self) -> Running {
        self.shared.state().running += 1;
        self.shared.changed.notify_all();
        Running(Arc::clone(&self.shared))
    }
}

fn tick(engine: &Engine, shared: &Shared) {
    let mut state = shared.state();
    while !state.stop {
        if state.running == 0 {
            state = shared
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            continue;
        }
        let waited = shared.changed.wait_timeout(state, TICK);
        state = waited.unwrap_or_else(PoisonError::into_inner).0;
        engine.increment_epoch();
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.shared.state().stop = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // The thread cannot panic: it only waits and counts.
            let _ = thread.join();
        }
    }
}

/// Something is being graded.
#[derive(Debug)]
pub(super) struct Running(Arc<Shared>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.state().running -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thread_lets_go_of_everything_when_the_ticker_goes() {
        let ticker = Ticker::start(&super::super::engine::engine().unwrap()).unwrap();
        let running = ticker.run();
        let shared = Arc::downgrade(&ticker.shared);
        drop(ticker);
        assert_eq!(shared.strong_count(), 1, "only the guard is left");
        drop(running);
        assert!(shared.upgrade().is_none());
    }
}
