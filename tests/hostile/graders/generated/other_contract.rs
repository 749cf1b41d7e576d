//! Is made for version 2 of the contract.

use crate::kit::component::{Core, WIT, encode};

pub(super) fn build() -> Vec<u8> {
    let contract = "package proctor:grader@1.0.0;";
    assert!(WIT.contains(contract));
    let wit = WIT.replace(contract, "package proctor:grader@2.0.0;");
    encode(&Core::new().text(), &wit)
}
