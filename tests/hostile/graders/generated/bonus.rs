//! Gives points with a penalty below zero.

use crate::kit::component::Core;
use crate::kit::memory::{RawAdjustment, RawCriterion, RawVerdict};

pub(super) fn build() -> Vec<u8> {
    let verdict = RawVerdict {
        criteria: vec![RawCriterion::default()],
        adjustments: vec![RawAdjustment {
            points: -100.0,
            ..RawAdjustment::default()
        }],
        ..RawVerdict::default()
    };
    Core::returning(&verdict).build()
}
