//! Forty types, each of which holds the one before it twice: a tuple of a
//! million million numbers out of some hundred bytes.

use wasm_encoder::{Component, ComponentTypeSection, ComponentValType, PrimitiveValType};

pub(super) fn build() -> Vec<u8> {
    let mut types = ComponentTypeSection::new();
    types
        .defined_type()
        .tuple([ComponentValType::Primitive(PrimitiveValType::U8)]);
    for inner in 0..40 {
        types
            .defined_type()
            .tuple([ComponentValType::Type(inner); 2]);
    }
    let mut component = Component::new();
    component.section(&types);
    super::beside_component(&component.finish())
}
