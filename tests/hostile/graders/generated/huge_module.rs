//! Is a byte longer than sixty-four megabytes.

pub(super) fn build() -> Vec<u8> {
    let mut component = super::shell();
    component.resize((64 << 20) + 1, 0);
    component
}
