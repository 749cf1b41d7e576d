//! One function of twenty-eight megabytes.

use wasm_encoder::{CodeSection, Function, FunctionSection, Module, TypeSection};

pub(super) fn build() -> Vec<u8> {
    let mut types = TypeSection::new();
    types.ty().function([], []);
    let mut functions = FunctionSection::new();
    functions.function(0);
    let mut function = Function::new([]);
    // `i32.const 7`, `drop`
    function.raw([0x41, 7, 0x1a].repeat((28 << 20) / 3));
    function.instructions().end();
    let mut code = CodeSection::new();
    code.function(&function);
    let mut module = Module::new();
    module.section(&types).section(&functions).section(&code);
    super::beside_module(&module.finish(), true)
}
