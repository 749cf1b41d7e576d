//! A list of lists of lists, forty thousand deep: whoever follows it by
//! calling itself runs out of stack.

use wasm_encoder::{Component, ComponentTypeSection, ComponentValType, PrimitiveValType};

pub(super) fn build() -> Vec<u8> {
    let mut types = ComponentTypeSection::new();
    types
        .defined_type()
        .list(ComponentValType::Primitive(PrimitiveValType::U8));
    for inner in 0..40_000 {
        types.defined_type().list(ComponentValType::Type(inner));
    }
    let mut component = Component::new();
    component.section(&types);
    super::beside_component(&component.finish())
}
