//! The type of a component that declares the type of a component that declares
//! one, a hundred thousand deep: whoever reads it by calling itself runs out of
//! stack.

use wasm_encoder::ComponentSectionId;

const DEPTH: usize = 100_000;

pub(super) fn build() -> Vec<u8> {
    // One type: a component of one declaration: a type.
    let mut types = vec![1];
    types.extend([0x41, 1, 1].repeat(DEPTH));
    types.extend([0x41, 0]);
    let mut component = wasm_encoder::Component::new().finish();
    super::section(&mut component, ComponentSectionId::Type, &types);
    super::beside_component(&component)
}
