//! Calls itself with five thousand variables that it needs afterwards: few
//! calls fill any stack.

use wasm_encoder::{
    CodeSection, Function, FunctionSection, MemArg, MemArgTarget, MemorySection, MemoryType, Module, StartSection, TypeSection, ValType,
};

const VARIABLES: u32 = 5_000;

pub(super) fn build() -> Vec<u8> {
    let mut types = TypeSection::new();
    types.ty().function([], []);
    types.ty().function([ValType::I64], [ValType::I64]);
    let mut functions = FunctionSection::new();
    functions.function(0).function(1);
    let mut start = Function::new([]);
    start.instructions().i64_const(1).call(1).drop().end();
    let mut deep = Function::new([(VARIABLES, ValType::I64)]);
    let mut body = deep.instructions();
    for variable in 1..=VARIABLES {
        let from = MemArg {
            offset: u64::from(variable % 8000) * 8,
            align: 3,
            target: MemArgTarget::Memory(0),
            ordering: None,
        };
        body.i32_const(0).i64_load(from).local_set(variable);
    }
    body.local_get(1).call(1);
    for variable in 1..=VARIABLES {
        body.local_get(variable).i64_xor();
    }
    body.end();
    let mut memories = MemorySection::new();
    memories.memory(MemoryType {
        minimum: 1,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    });
    let mut code = CodeSection::new();
    code.function(&start).function(&deep);
    let mut module = Module::new();
    module
        .section(&types)
        .section(&functions)
        .section(&memories)
        .section(&StartSection { function_index: 0 })
        .section(&code);
    super::beside_module(&module.finish(), true)
}
