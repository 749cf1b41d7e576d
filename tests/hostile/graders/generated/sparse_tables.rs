//! A hundred tables of a million elements, of which the last one is set: a
//! compiler that writes down how they begin writes half a gigabyte.

use std::borrow::Cow;

use wasm_encoder::{
    CodeSection, ConstExpr, ElementSection, Elements, Function, FunctionSection, Module, RefType,
    TableSection, TableType, TypeSection,
};

const ELEMENTS: i32 = 1 << 20;

pub(super) fn build() -> Vec<u8> {
    let mut types = TypeSection::new();
    types.ty().function([], []);
    let mut functions = FunctionSection::new();
    functions.function(0);
    let (mut tables, mut elements) = (TableSection::new(), ElementSection::new());
    for table in 0..100 {
        tables.table(TableType {
            element_type: RefType::FUNCREF,
            table64: false,
            minimum: u64::from(ELEMENTS.unsigned_abs()),
            maximum: None,
            shared: false,
        });
        elements.active(
            Some(table),
            &ConstExpr::i32_const(ELEMENTS - 1),
            Elements::Functions(Cow::Borrowed(&[0])),
        );
    }
    let mut function = Function::new([]);
    function.instructions().end();
    let mut code = CodeSection::new();
    code.function(&function);
    let mut module = Module::new();
    module
        .section(&types)
        .section(&functions)
        .section(&tables)
        .section(&elements)
        .section(&code);
    super::beside_module(&module.finish(), true)
}
