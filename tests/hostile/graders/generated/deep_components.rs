//! A component in a component in a component, two hundred deep.

use wasm_encoder::ComponentSectionId;

pub(super) fn build() -> Vec<u8> {
    super::beside_component(&nested(200))
}

fn nested(depth: usize) -> Vec<u8> {
    let mut component = wasm_encoder::Component::new().finish();
    for _ in 0..depth {
        let inner = component;
        component = wasm_encoder::Component::new().finish();
        super::section(&mut component, ComponentSectionId::Component, &inner);
    }
    component
}
