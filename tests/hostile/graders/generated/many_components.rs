//! Three hundred empty components.

use wasm_encoder::ComponentSectionId;

pub(super) fn build() -> Vec<u8> {
    let empty = wasm_encoder::Component::new().finish();
    let mut component = super::shell();
    for _ in 0..300 {
        super::section(&mut component, ComponentSectionId::Component, &empty);
    }
    component
}
