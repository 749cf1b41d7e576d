//! Hostile graders that are too large to be kept, or that no assembler would
//! make: each is made by the function `build` of the file with its name.

use wasm_encoder::{ComponentSectionId, Encode as _};
use wasmparser::{Parser, Payload};

use crate::kit::component::Core;

/// The modules, and `build` by name.
macro_rules! generators {
    ($($module:ident)*) => {
        $(mod $module;)*

        /// Names of all, with `-`.
        pub(crate) fn names() -> Vec<String> {
            [$(stringify!($module)),*].map(|name| name.replace('_', "-")).to_vec()
        }

        /// The component of that name.
        pub(crate) fn build(name: &str) -> Option<Vec<u8>> {
            match name.replace('-', "_").as_str() {
                $(stringify!($module) => Some($module::build()),)*
                _ => None,
            }
        }
    };
}

generators! {
    adjustments_bomb
    bonus
    claims_judged
    code_bomb
    custom_section
    cut_in_half
    data_outside
    deep_components
    deep_declarations
    deep_types
    doubling_instances
    doubling_interfaces
    doubling_types
    empty_verdict
    handles_in_call
    huge_data
    huge_frames
    huge_function
    huge_module
    ill_typed
    import_with_escapes
    infinite_points
    instance_bomb
    judges_category
    jump_tables
    locals_bomb
    long_import
    many_components
    many_functions
    many_imports
    many_types
    nan_penalty
    other_contract
    reused_id
    rubrics_id
    sparse_data
    sparse_tables
    surrogates
    thresholds
    twin_exports
    wasi_sockets
}

/// A grader that is honest, to hide something in.
fn shell() -> Vec<u8> {
    Core::new().build()
}

/// Appends a section of the component format to a component.
fn section(component: &mut Vec<u8>, id: ComponentSectionId, body: &[u8]) {
    component.push(id.into());
    body.encode(component);
}

/// Puts a core module into a grader that is honest otherwise, and has it
/// instantiated where that needs no imports.
fn beside_module(module: &[u8], instantiated: bool) -> Vec<u8> {
    let mut component = shell();
    let index = count(&component, |payload| {
        matches!(payload, Payload::ModuleSection { .. })
    });
    section(&mut component, ComponentSectionId::CoreModule, module);
    if instantiated {
        let mut body = vec![1, 0];
        index.encode(&mut body);
        body.push(0);
        section(&mut component, ComponentSectionId::CoreInstance, &body);
    }
    component
}

/// Puts a component into a grader that is honest otherwise, and instantiates
/// it.
pub(crate) fn beside_component(nested: &[u8]) -> Vec<u8> {
    let mut component = shell();
    let index = count(&component, |payload| {
        matches!(payload, Payload::ComponentSection { .. })
    });
    section(&mut component, ComponentSectionId::Component, nested);
    let mut body = vec![1, 0];
    index.encode(&mut body);
    body.push(0);
    section(&mut component, ComponentSectionId::Instance, &body);
    component
}

/// How many payloads of the outermost component are of a kind.
fn count(component: &[u8], is_wanted: impl Fn(&Payload<'_>) -> bool) -> u32 {
    let (mut depth, mut count) = (0, 0);
    for payload in Parser::new(0).parse_all(component) {
        let payload = payload.unwrap();
        // The header of a nested part follows the section that holds it.
        if depth == 1 && is_wanted(&payload) {
            count += 1;
        }
        match payload {
            Payload::Version { .. } => depth += 1,
            Payload::End(_) => depth -= 1,
            _ => {}
        }
    }
    count
}
