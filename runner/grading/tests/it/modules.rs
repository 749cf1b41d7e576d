//! Modules that are not graders, or want what no grader may have.

use proctor_grading::{Fault, GradeError};
use proctor_types::verdict::ABI;

use crate::kit::component::{Core, WIT, assemble, encode};
use crate::kit::{host, load};

fn fault(wasm: &[u8]) -> Fault {
    load(wasm)
        .map_err(|error: GradeError| error.fault().clone())
        .unwrap_err()
}

#[test]
fn what_is_no_component_says_what_it_is() {
    assert_eq!(fault(b"{\"not\": \"wasm\"}").kind(), "not_a_component");
    assert_eq!(fault(b"").kind(), "not_a_component");
    let core = assemble(&Core::new().text());
    let found = fault(&core);
    assert_eq!(
        found,
        Fault::NotAComponent {
            found: "a core module".to_owned()
        }
    );
    assert!(found.hint().unwrap().contains("SDK builds it"));
    assert_eq!(fault(b"(component)").kind(), "not_a_component");
}

#[test]
fn a_damaged_component_does_not_compile() {
    let good = Core::new().build();
    // Cut inside: the walk finds it.
    assert_eq!(fault(&good[..good.len() / 2]).kind(), "compile_failed");
    // Changed inside a function: only the compiler finds it.
    let bad = Core::new().items("(func (result i32) unreachable)").text();
    let bad = encode_unchecked(&bad);
    let found = fault(&bad);
    assert_eq!(found.kind(), "compile_failed", "{found}");
}

/// A component around a core module whose types do not fit.
fn encode_unchecked(core: &str) -> Vec<u8> {
    let wasm = encode(core, WIT);
    // `unreachable` and `end` of the added function: 00 0b. The operator for
    // dropping a value, 1a, has nothing to drop there.
    let at = wasm
        .windows(4)
        .position(|bytes| bytes == [3, 0, 0, 0x0b])
        .unwrap();
    let mut bad = wasm;
    bad[at + 2] = 0x1a;
    bad
}

#[test]
fn every_import_outside_the_contract_is_refused_by_name() {
    for import in [
        "wasi:http/outgoing-handler@0.2.0",
        "wasi:filesystem/types@0.3.0",
    ] {
        let wasm = assemble(&format!("(component (import \"{import}\" (instance)))"));
        match fault(&wasm) {
            Fault::ForbiddenImport {
                import: found,
                allowed,
            } => {
                assert_eq!(found, import);
                assert!(
                    allowed
                        .iter()
                        .any(|name| name.contains("proctor:grader/evidence@"))
                );
            }
            other => panic!("{other:?}"),
        }
    }
    for import in [
        "(func)",
        "(type (sub resource))",
        "(core module)",
        "(component)",
    ] {
        let wasm = assemble(&format!("(component (import \"run\" {import}))"));
        assert_eq!(fault(&wasm).kind(), "forbidden_import", "{import}");
    }
}

#[test]
fn another_version_of_the_contract_is_told_by_both_names() {
    let wit = WIT.replace(
        "package proctor:grader@1.0.0;",
        "package proctor:grader@2.0.0;",
    );
    assert_ne!(wit, WIT);
    let wasm = encode(&Core::new().text(), &wit);
    let found = fault(&wasm);
    assert_eq!(
        found,
        Fault::WrongAbi {
            expected: ABI,
            found: "`proctor:grader@2.0.0`".to_owned()
        }
    );
}

#[test]
fn a_component_without_our_export_says_what_it_has() {
    let found = fault(&assemble("(component)"));
    assert_eq!(
        found.to_string(),
        "the grader has the wrong ABI: expected `proctor:grader@1.0.0`, found a component \
         without exports"
    );
    let wasm = assemble(
        "(component (core module $m) (core instance $i (instantiate $m))
           (component $c) (instance $x (instantiate $c)) (export \"judge\" (instance $x)))",
    );
    let found = fault(&wasm).to_string();
    assert!(
        found.contains("exports `judge` but no function `grade`"),
        "{found}"
    );
}

#[test]
fn an_export_of_the_right_name_and_the_wrong_type_is_another_abi() {
    let wasm = assemble(
        "(component
           (core module $m (func (export \"grade\") (result i32) (i32.const 7)))
           (core instance $i (instantiate $m))
           (func (export \"grade\") (result u32) (canon lift (core func $i \"grade\"))))",
    );
    assert_eq!(fault(&wasm).kind(), "wrong_abi");
}

#[test]
fn an_import_of_the_right_name_and_the_wrong_type_is_another_abi() {
    let wit = WIT.replace(
        "log: func(level: level, message: string);",
        "log: func() -> u32;",
    );
    assert_ne!(wit, WIT);
    let mut core = Core::new().first("(drop (call $log))");
    core.imports =
        r#"(import "proctor:grader/log@1.0.0" "log" (func $log (result i32)))"#.to_owned();
    let found = fault(&encode(&core.text(), &wit));
    assert_eq!(found.kind(), "wrong_abi");
    assert!(found.to_string().contains("log"), "{found}");
}

#[test]
fn two_exports_of_one_name_do_not_compile() {
    let wasm = Core::new().build();
    // The component's last section with a payload is its export; twice the
    // same section is twice the same name.
    let parser = wasmparser::Parser::new(0);
    let range = parser
        .parse_all(&wasm)
        .filter_map(Result::ok)
        .filter_map(|payload| match payload {
            wasmparser::Payload::ComponentExportSection(section) => Some(section.range()),
            _ => None,
        })
        .last()
        .map(|range| usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap())
        .unwrap();
    let header = wasm[..range.start]
        .iter()
        .rposition(|byte| *byte == 11)
        .unwrap();
    let section = wasm[header..range.end].to_vec();
    let mut twice = wasm.clone();
    twice.splice(range.end..range.end, section);
    assert_eq!(fault(&twice).kind(), "compile_failed");
}

#[test]
fn features_that_are_off_do_not_compile() {
    for memory in ["(memory i64 1)", "(memory 1 1 shared)"] {
        let wasm = assemble(&format!(
            "(component
               (core module $m {memory} (func (export \"grade\") (result i32) (i32.const 7)))
               (core instance $i (instantiate $m))
               (func (export \"grade\") (result u32) (canon lift (core func $i \"grade\"))))"
        ));
        let found = fault(&wasm);
        assert_eq!(found.kind(), "compile_failed", "{memory}: {found}");
    }
}

#[test]
fn a_module_that_is_not_the_locked_one_is_refused_before_anything_else() {
    let wasm = Core::new().build();
    let digest = crate::kit::bundle::sha256(&wasm);
    let host = host();
    assert_eq!(
        host.load(&wasm, Some(&digest)).unwrap().info().sha256,
        digest
    );
    let expected = "0".repeat(64);
    let error = host.load(&wasm, Some(&expected)).unwrap_err();
    assert_eq!(
        *error.fault(),
        Fault::DigestMismatch {
            expected,
            found: digest.clone()
        }
    );
    // A file that is no module at all is still first of all not the locked one.
    assert_eq!(
        host.load(b"x", Some(&digest)).unwrap_err().kind(),
        "digest_mismatch"
    );
}

#[test]
fn the_import_list_of_a_grader_can_be_read_without_running_it() {
    let wasm = Core::new().with_log().with_read().build();
    let info = load(&wasm).unwrap().info().clone();
    for import in &info.imports {
        assert!(import.starts_with("proctor:grader/"), "{import}");
    }
    assert!(
        info.imports
            .contains(&"proctor:grader/log@1.0.0".to_owned())
    );
    assert!(info.exports.contains(&"grade".to_owned()));
    assert_eq!(info.abi, ABI);
    assert_eq!(info.bytes, wasm.len());
}
