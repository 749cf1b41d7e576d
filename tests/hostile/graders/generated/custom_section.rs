//! Carries sixty megabytes that mean nothing.

use std::borrow::Cow;

use wasm_encoder::{CustomSection, Encode as _};

pub(super) fn build() -> Vec<u8> {
    let mut component = super::shell();
    component.push(0);
    let ballast = CustomSection {
        name: Cow::Borrowed("ballast"),
        data: Cow::Owned(vec![0x5a; 60 << 20]),
    };
    ballast.encode(&mut component);
    component
}
