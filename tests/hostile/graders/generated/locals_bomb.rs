//! Fifty thousand functions, each with fifty thousand variables that have to be
//! cleared: two thousand five hundred million out of some bytes each.

use wasm_encoder::{CodeSection, Function, FunctionSection, Module, TypeSection, ValType};

pub(super) fn build() -> Vec<u8> {
    let mut types = TypeSection::new();
    types.ty().function([], [ValType::I64]);
    let (mut functions, mut code) = (FunctionSection::new(), CodeSection::new());
    let mut function = Function::new([(50_000, ValType::I64)]);
    function.instructions().local_get(49_999).end();
    for _ in 0..50_000 {
        functions.function(0);
        code.function(&function);
    }
    let mut module = Module::new();
    module.section(&types).section(&functions).section(&code);
    super::beside_module(&module.finish(), true)
}
