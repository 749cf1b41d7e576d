//! Imports two thousand things.

use wasm_encoder::{ComponentSectionId, Encode as _};

pub(super) fn build() -> Vec<u8> {
    let mut component = super::shell();
    let mut body = Vec::new();
    2000_u32.encode(&mut body);
    for n in 0..2000 {
        body.push(0);
        format!("thing-{n}").as_str().encode(&mut body);
        body.extend([1, 0]);
    }
    super::section(&mut component, ComponentSectionId::Import, &body);
    component
}
