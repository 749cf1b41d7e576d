//! Names a penalty like a criterion.

use crate::kit::component::Core;
use crate::kit::memory::{RawAdjustment, RawCriterion, RawVerdict};

pub(super) fn build() -> Vec<u8> {
    let verdict = RawVerdict {
        criteria: vec![RawCriterion::default()],
        adjustments: vec![RawAdjustment {
            id: RawCriterion::default().id,
            ..RawAdjustment::default()
        }],
        ..RawVerdict::default()
    };
    Core::returning(&verdict).build()
}
