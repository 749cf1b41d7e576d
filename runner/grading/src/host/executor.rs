//! Running one future on the calling thread, for callers without a runtime.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Instant;

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.unpark();
    }
}

/// Drives `future` to its end, or drops it at `deadline`.
pub(super) fn block_on<F: Future>(future: F, deadline: Instant) -> Option<F::Output> {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return Some(output);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return None;
        }
        thread::park_timeout(left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_future_that_never_ends_is_dropped_at_the_deadline() {
        let deadline = Instant::now() + Duration::from_millis(5);
        assert_eq!(block_on(std::future::pending::<()>(), deadline), None);
    }

    #[test]
    fn a_wake_from_another_thread_is_heard() {
        let (send, receive) = tokio::sync::oneshot::channel();
        let sender = thread::spawn(move || send.send(7));
        let deadline = Instant::now() + Duration::from_mins(1);
        assert_eq!(block_on(receive, deadline), Some(Ok(7)));
        sender.join().unwrap().unwrap();
    }
}
