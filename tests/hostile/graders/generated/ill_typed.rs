//! Well-formed, but a function drops a value that it does not have.

use wasm_encoder::{CodeSection, Function, FunctionSection, Module, TypeSection};

pub(super) fn build() -> Vec<u8> {
    let mut types = TypeSection::new();
    types.ty().function([], []);
    let mut functions = FunctionSection::new();
    functions.function(0);
    let mut function = Function::new([]);
    function.instructions().drop().end();
    let mut code = CodeSection::new();
    code.function(&function);
    let mut module = Module::new();
    module.section(&types).section(&functions).section(&code);
    super::beside_module(&module.finish(), true)
}
