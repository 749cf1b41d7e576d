//! Fifty functions that are nothing but a table of a million jumps, each of one
//! byte: the compiled tables are several times as long.

use wasm_encoder::{BlockType, CodeSection, Function, FunctionSection, Module, TypeSection, ValType};

const FUNCTIONS: u32 = 900;

pub(super) fn build() -> Vec<u8> {
    let mut types = TypeSection::new();
    types.ty().function([ValType::I32], []);
    let (mut functions, mut code) = (FunctionSection::new(), CodeSection::new());
    let mut function = Function::new([]);
    function
        .instructions()
        .block(BlockType::Empty)
        .local_get(0)
        .br_table((0..60_000).map(|n| n % 2), 0)
        .end()
        .end();
    for _ in 0..FUNCTIONS {
        functions.function(0);
        code.function(&function);
    }
    let mut module = Module::new();
    module.section(&types).section(&functions).section(&code);
    super::beside_module(&module.finish(), true)
}
