//! Takes points away in ten thousand ways.

use crate::kit::component::Core;
use crate::kit::memory::{RawAdjustment, RawCriterion, RawVerdict};

pub(super) fn build() -> Vec<u8> {
    let verdict = RawVerdict {
        criteria: vec![RawCriterion::default()],
        adjustments: (0..10_000)
            .map(|n| RawAdjustment {
                id: format!("a{n}"),
                ..RawAdjustment::default()
            })
            .collect(),
        ..RawVerdict::default()
    };
    Core::returning(&verdict).build()
}
