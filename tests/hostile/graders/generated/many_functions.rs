//! A hundred thousand functions.

use wasm_encoder::{CodeSection, Function, FunctionSection, Module, TypeSection};

pub(super) fn build() -> Vec<u8> {
    let mut types = TypeSection::new();
    types.ty().function([], []);
    let (mut functions, mut code) = (FunctionSection::new(), CodeSection::new());
    let mut function = Function::new([]);
    function.instructions().end();
    for _ in 0..100_000 {
        functions.function(0);
        code.function(&function);
    }
    let mut module = Module::new();
    module.section(&types).section(&functions).section(&code);
    super::beside_module(&module.finish(), true)
}
