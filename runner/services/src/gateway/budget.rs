//! A bound on the bytes that are on their way.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;

/// Bytes of bodies that a gateway holds because a client is sending or not
/// reading them.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    held: Arc<AtomicUsize>,
    limit: usize,
}

/// A share of a budget, given back when it is dropped.
#[derive(Debug)]
pub(super) struct Share {
    held: Arc<AtomicUsize>,
    bytes: usize,
}

impl Budget {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            held: Arc::default(),
            limit,
        }
    }

    /// Whether there is nothing left.
    pub(super) fn is_spent(&self) -> bool {
        self.held.load(Ordering::Relaxed) >= self.limit
    }

    /// An empty share.
    pub(super) fn share(&self) -> Share {
        Share {
            held: Arc::clone(&self.held),
            bytes: 0,
        }
    }

    /// Adds to a share. `false`: there is not enough left.
    pub(super) fn grow(&self, share: &mut Share, bytes: usize) -> bool {
        let before = self.held.fetch_add(bytes, Ordering::Relaxed);
        share.bytes += bytes;
        before.saturating_add(bytes) <= self.limit
    }

    /// Bytes that count against the budget until the last part of them is
    /// dropped, which is when they have been sent. What exists already is
    /// taken in even above the limit; [`Budget::is_spent`] is asked before the
    /// next is made.
    pub(super) fn tie(&self, bytes: Bytes) -> Bytes {
        if bytes.is_empty() {
            return bytes;
        }
        let mut share = self.share();
        self.grow(&mut share, bytes.len());
        Bytes::from_owner(Tied {
            bytes,
            _share: share,
        })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.held.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

struct Tied {
    bytes: Bytes,
    _share: Share,
}

impl AsRef<[u8]> for Tied {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_dropped_is_given_back() {
        let budget = Budget::new(10);
        let mut share = budget.share();
        assert!(budget.grow(&mut share, 6));
        assert!(!budget.grow(&mut share, 6));
        drop(share);
        assert!(!budget.is_spent());
        let tied = budget.tie(Bytes::from_static(b"0123456789"));
        let part = tied.slice(2..4);
        drop(tied);
        assert!(budget.is_spent());
        assert_eq!(part, "23");
        drop(part);
        assert!(!budget.is_spent());
    }
}
