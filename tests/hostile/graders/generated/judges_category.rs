//! Puts its criterion among those of the judge.

use crate::kit::component::Core;
use crate::kit::memory::{RawCriterion, RawVerdict};

pub(super) fn build() -> Vec<u8> {
    let verdict = RawVerdict {
        criteria: vec![RawCriterion {
            category: "rubric".to_owned(),
            ..RawCriterion::default()
        }],
        ..RawVerdict::default()
    };
    Core::returning(&verdict).build()
}
