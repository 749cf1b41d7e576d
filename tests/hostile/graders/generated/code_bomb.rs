//! A function of some kilobytes that takes the compiler minutes: every value is
//! alive around every loop.

use wasm_encoder::{
    BlockType, CodeSection, Function, FunctionSection, Module, TypeSection, ValType,
};

const VALUES: u32 = 1000;
const LOOPS: u32 = 2000;

pub(super) fn build() -> Vec<u8> {
    let mut types = TypeSection::new();
    types.ty().function(vec![ValType::I32; VALUES as usize], []);
    let mut functions = FunctionSection::new();
    functions.function(0);
    let mut function = Function::new([]);
    let mut body = function.instructions();
    for _ in 0..LOOPS {
        body.loop_(BlockType::Empty);
    }
    for value in 0..VALUES {
        body.local_get(value).local_get(0).i32_add().local_set(value);
    }
    for _ in 0..LOOPS {
        body.local_get(1).br_if(0).end();
    }
    body.end();
    let mut code = CodeSection::new();
    code.function(&function);
    let mut module = Module::new();
    module.section(&types).section(&functions).section(&code);
    super::beside_module(&module.finish(), true)
}
