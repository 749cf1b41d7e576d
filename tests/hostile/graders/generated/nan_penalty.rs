//! Takes away what is no number, so that nothing is left to compare.

use crate::kit::component::Core;
use crate::kit::memory::{RawAdjustment, RawCriterion, RawVerdict};

pub(super) fn build() -> Vec<u8> {
    let verdict = RawVerdict {
        criteria: vec![RawCriterion::default()],
        adjustments: vec![RawAdjustment {
            points: f64::NAN,
            ..RawAdjustment::default()
        }],
        ..RawVerdict::default()
    };
    Core::returning(&verdict).build()
}
