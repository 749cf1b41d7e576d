//! Work on all processors.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// `make` of every item, in the order of the items.
pub(crate) fn in_parallel<I: Sync, T: Send>(items: &[I], make: impl Fn(&I) -> T + Sync) -> Vec<T> {
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let index = next.fetch_add(1, Ordering::Relaxed)
            && let Some(item) = items.get(index)
        {
            done.push((index, make(item)));
        }
        done
    };
    let mut all: Vec<(usize, T)> = thread::scope(|scope| {
        let others = 1..workers.min(items.len());
        let others: Vec<_> = others.map(|_| scope.spawn(work)).collect();
        let mut all = work();
        for other in others {
            match other.join() {
                Ok(done) => all.extend(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    all.sort_unstable_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, made)| made).collect()
}

#[cfg(test)]
mod tests {
    use super::in_parallel;

    #[test]
    fn the_order_is_that_of_the_items() {
        let items: Vec<u32> = (0..1_000).collect();
        assert_eq!(
            in_parallel(&items, |item| item + 1),
            (1..=1_000).collect::<Vec<_>>()
        );
        assert!(in_parallel(&[] as &[u32], |item| *item).is_empty());
    }
}
