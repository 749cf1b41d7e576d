//! Imports something whose name is ninety thousand bytes long.

pub(super) fn build() -> Vec<u8> {
    super::import_with_escapes::named(&"wasi".repeat(22_500))
}
