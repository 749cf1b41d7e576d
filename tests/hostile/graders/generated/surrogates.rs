//! Answers in UTF-16, with half of a character.

use wit_component::StringEncoding;

use crate::kit::component::{WIT, encode_as};

pub(super) fn build() -> Vec<u8> {
    let core = r#"(module
      (memory (export "memory") 1)
      (data (i32.const 0) "\01\00\00\00\00\00\00\00\10\00\00\00\02\00\00\00\3d\d8\61\00")
      (func (export "grade") (result i32) (i32.const 0)))"#;
    encode_as(core, WIT, StringEncoding::UTF16)
}
