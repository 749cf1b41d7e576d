//! Instantiates a module eight hundred times.

use wasm_encoder::{ComponentSectionId, Encode as _};

pub(super) fn build() -> Vec<u8> {
    let mut component = super::beside_module(&wasm_encoder::Module::new().finish(), false);
    let index = super::count(&component, |payload| {
        matches!(payload, wasmparser::Payload::ModuleSection { .. })
    }) - 1;
    for _ in 0..2 {
        let mut body = Vec::new();
        400_u32.encode(&mut body);
        for _ in 0..400 {
            body.push(0);
            index.encode(&mut body);
            body.push(0);
        }
        super::section(&mut component, ComponentSectionId::CoreInstance, &body);
    }
    component
}
