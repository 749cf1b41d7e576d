//! Passes whatever happens: its threshold is below zero.

use crate::kit::component::Core;
use crate::kit::memory::{RawCriterion, RawVerdict};

pub(super) fn build() -> Vec<u8> {
    let verdict = RawVerdict {
        criteria: vec![RawCriterion {
            points: Some(0.0),
            ..RawCriterion::default()
        }],
        thresholds: Some((-1.0, None)),
        ..RawVerdict::default()
    };
    Core::returning(&verdict).build()
}
