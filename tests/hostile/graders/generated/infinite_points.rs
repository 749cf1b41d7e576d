//! Gives more points than there are numbers.

use crate::kit::component::Core;
use crate::kit::memory::{RawCriterion, RawVerdict};

pub(super) fn build() -> Vec<u8> {
    let verdict = RawVerdict {
        criteria: vec![RawCriterion {
            points: Some(f64::INFINITY),
            max: f64::INFINITY,
            ..RawCriterion::default()
        }],
        ..RawVerdict::default()
    };
    Core::returning(&verdict).build()
}
