//! Claims that a judge has decided: a case of the status that only hosts know.

use crate::kit::component::Core;
use crate::kit::memory::{RawCriterion, RawVerdict};

pub(super) fn build() -> Vec<u8> {
    let criterion = RawCriterion {
        status: 3,
        ..RawCriterion::default()
    };
    let verdict = RawVerdict {
        criteria: vec![criterion],
        ..RawVerdict::default()
    };
    Core::returning(&verdict).build()
}
