//! A million types of functions, no two alike.

use wasm_encoder::{Module, TypeSection, ValType};

pub(super) fn build() -> Vec<u8> {
    let mut types = TypeSection::new();
    for n in 0..1_000_000_u32 {
        let parameter = |bit: u32| match n >> (2 * bit) & 3 {
            0 => ValType::I32,
            1 => ValType::I64,
            2 => ValType::F32,
            _ => ValType::F64,
        };
        types.ty().function((0..10).map(parameter), []);
    }
    let mut module = Module::new();
    module.section(&types);
    super::beside_module(&module.finish(), true)
}
