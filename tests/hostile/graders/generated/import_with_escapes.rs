//! Imports something whose name would turn the colours of whoever reads it.

use wasm_encoder::{ComponentSectionId, Encode as _};

pub(super) fn build() -> Vec<u8> {
    named("wasi:http/\u{1b}[31m\u{7}\u{202e}@0.2.0")
}

/// A grader with an import of that name.
pub(super) fn named(name: &str) -> Vec<u8> {
    let mut component = super::shell();
    // One import, by a plain name, of a function of type 0.
    let mut body = vec![1, 0];
    name.encode(&mut body);
    body.extend([1, 0]);
    super::section(&mut component, ComponentSectionId::Import, &body);
    component
}
