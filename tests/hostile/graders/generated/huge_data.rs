//! Brings sixty megabytes of data, and the memory for them.

pub(super) fn build() -> Vec<u8> {
    super::beside_module(&super::data_outside::module(960), true)
}
