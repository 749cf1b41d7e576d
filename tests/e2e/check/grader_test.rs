//! `proctor grader test`: the crate's tests, and its module against its native
//! code.

use std::fs;

use proctor_tests::{Desk, GWS, root};

/// A crate with this library, and the arguments that test it.
fn krate(desk: &Desk, library: &str) -> [String; 3] {
    let folder = desk.path("crate");
    fs::create_dir_all(folder.join("src")).unwrap();
    let manifest =
        "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::write(folder.join("src/lib.rs"), library).unwrap();
    let folder = folder.to_str().unwrap().to_owned();
    ["grader".to_owned(), "test".to_owned(), folder]
}

#[test]
fn tests_that_fail_end_with_1_and_leave_standard_output_to_the_result() {
    let desk = Desk::new();
    let passes = "#[test]\nfn yes() { println!(\"from the test\"); }\n";
    let ended = desk.run(krate(&desk, passes));
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(ended.out, "the crate's tests pass\n");
    let fails = "#[test]\nfn no() { assert!(std::env::var(\"NOBODY\").is_ok()); }\n";
    let arguments = krate(&desk, fails);
    let json = ["--format".to_owned(), "json".to_owned()];
    let ended = desk.run(arguments.into_iter().chain(json));
    assert_eq!(ended.code, 1, "{ended:?}");
    assert_eq!(ended.json()["tests_passed"], false);
    desk.run(["grader", "test", "/nowhere"])
        .refused(2, &["no Cargo.toml"]);
}

/// Slow the first time: it compiles the SDK, for the crate's tests and for the
/// program that grades natively. The module is the locked one, so that it is
/// not built as well.
#[test]
fn the_module_and_the_native_code_of_the_repositorys_grader_agree() {
    let desk = Desk::new();
    let trial = desk.trial(GWS, "oracle", &["--unlocked"]);
    let target = root().join("target").join("grader-test");
    let ended = desk.run([
        "grader".as_ref(),
        "test".as_ref(),
        root().join("graders/gws-task-management").as_os_str(),
        "--bundle".as_ref(),
        trial.dir.as_os_str(),
        "--grader".as_ref(),
        root().join(GWS).join("grader.wasm").as_os_str(),
        "--target-dir".as_ref(),
        target.as_os_str(),
        "--format".as_ref(),
        "json".as_ref(),
    ]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let report = ended.json();
    assert_eq!(report["tests_passed"], true);
    let graded = &report["graded"][0];
    assert_eq!(graded["natively"], "same", "{report}");
    assert_eq!(graded["points"]["low"], 6.0, "{report}");
}
