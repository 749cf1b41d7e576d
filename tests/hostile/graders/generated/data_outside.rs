//! Begins with sixty megabytes of data for a memory of one page.

use wasm_encoder::{ConstExpr, DataSection, MemorySection, MemoryType, Module};

pub(super) fn build() -> Vec<u8> {
    super::beside_module(&module(1), true)
}

/// A module with sixty megabytes of data, and a memory of so many pages.
pub(super) fn module(pages: u64) -> Vec<u8> {
    let mut memories = MemorySection::new();
    memories.memory(MemoryType {
        minimum: pages,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    });
    let mut data = DataSection::new();
    data.active(0, &ConstExpr::i32_const(0), vec![0x5a; 60 << 20]);
    let mut module = Module::new();
    module.section(&memories).section(&data);
    module.finish()
}
