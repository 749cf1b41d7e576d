//! Modules that are not graders, or want what no grader may have.

use proctor_grading::{Fault, GradeError};
use proctor_types::verdict::ABI;

use crate::kit::component::{Core, assemble};
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
