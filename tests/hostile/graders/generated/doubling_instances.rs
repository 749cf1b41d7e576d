//! Thirty components, each of which instantiates the one before it twice: a
//! thousand million instances out of a kilobyte.

use std::fmt::Write as _;

use crate::kit::component::assemble;

pub(super) fn build() -> Vec<u8> {
    let mut text = String::from("(component (component $c0)");
    for level in 1..=30 {
        let inner = level - 1;
        write!(
            text,
            "(component $c{level} (alias outer 1 $c{inner} (component $c))
               (instance (instantiate $c)) (instance (instantiate $c)))"
        )
        .unwrap();
    }
    text.push_str("(instance (instantiate $c30)))");
    super::beside_component(&assemble(&text))
}
