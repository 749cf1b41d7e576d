//! Decides nothing.

use crate::kit::component::Core;
use crate::kit::memory::RawVerdict;

pub(super) fn build() -> Vec<u8> {
    Core::returning(&RawVerdict::default()).build()
}
