//! Forty interfaces, each of which holds the one before it twice.

use std::fmt::Write as _;

use crate::kit::component::assemble;

pub(super) fn build() -> Vec<u8> {
    let mut text = String::from("(component (type $i0 (instance (export \"f\" (func))))");
    for level in 1..=40 {
        let inner = level - 1;
        write!(
            text,
            "(type $i{level} (instance
               (alias outer 1 $i{inner} (type $inner))
               (export \"a\" (instance (type $inner)))
               (export \"b\" (instance (type $inner)))))"
        )
        .unwrap();
    }
    text.push(')');
    super::beside_component(&assemble(&text))
}
