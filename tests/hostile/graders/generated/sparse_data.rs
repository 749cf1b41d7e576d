//! Eight memories with a byte at either end of sixteen megabytes: a compiler
//! that writes down how they begin writes a hundred and twenty-eight.

use wasm_encoder::{ConstExpr, DataSection, MemorySection, MemoryType, Module};

pub(super) fn build() -> Vec<u8> {
    let (mut memories, mut data) = (MemorySection::new(), DataSection::new());
    for memory in 0..8 {
        memories.memory(MemoryType {
            minimum: 256,
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        data.active(memory, &ConstExpr::i32_const(0), [1]);
        data.active(memory, &ConstExpr::i32_const((16 << 20) - 70_000), [1]);
    }
    let mut module = Module::new();
    module.section(&memories).section(&data);
    super::beside_module(&module.finish(), true)
}
