//! Answers in the place of a criterion that is for the judge.

use crate::kit::component::Core;
use crate::kit::memory::{RawCriterion, RawVerdict};

pub(super) fn build() -> Vec<u8> {
    let verdict = RawVerdict {
        criteria: vec![RawCriterion {
            id: "rubric_quality".to_owned(),
            ..RawCriterion::default()
        }],
        ..RawVerdict::default()
    };
    Core::returning(&verdict).build()
}
