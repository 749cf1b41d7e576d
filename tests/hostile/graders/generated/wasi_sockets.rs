//! Wants a socket. Its million things to send are bait: the functions of sockets
//! take whatever a grader says that they take.

use crate::kit::component::{Core, WIT, encode};

pub(super) fn build() -> Vec<u8> {
    let world = "  import log;\n";
    assert!(WIT.contains(world));
    let wit = WIT.replace(
        world,
        &format!("{world}  import wasi:sockets/udp@0.2.12;\n"),
    ) + "package wasi:sockets@0.2.12 {
           interface udp {
             enum error-code { access-denied }
             send: func(what: list<list<u8>>) -> result<_, error-code>;
           }
         }";
    let mut core = Core::new()
        .memory("(memory (export \"memory\") 200)")
        .first("(call $send (i32.const 0x100000) (i32.const 1000000) (i32.const 64))");
    core.imports.push_str(
        r#"(import "wasi:sockets/udp@0.2.12" "send" (func $send (param i32 i32 i32)))"#,
    );
    encode(&core.text(), &wit)
}
