//! Makes handles of a resource of its own while it grades, and drops none.

use crate::kit::component::{Core, WIT, encode};

pub(super) fn build() -> Vec<u8> {
    let world = "  export grade: func() -> result<verdict, string>;";
    assert!(WIT.contains(world));
    let wit = WIT.replace(
        world,
        &format!("{world}\n  export things: interface {{ resource thing; }}"),
    );
    let mut core = Core::new().first("(loop $more (drop (call $new (i32.const 7))) (br $more))");
    core.imports.push_str(
        r#"(import "[export]things" "[resource-new]thing" (func $new (param i32) (result i32)))"#,
    );
    encode(&core.text(), &wit)
}
