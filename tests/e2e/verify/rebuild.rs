//! Building graders again: a crate without dependencies, so that three builds
//! take seconds, and with everything that a hostile one could try.

use std::fs;
use std::net::TcpListener;
use std::path::Path;

use proctor_tests::{Desk, Ended, root};
use wit_component::StringEncoding;
use wit_parser::Resolve;

/// A grader that only has the shape of one.
const GRADER: &str = r#"//! A grader.

#[used]
#[unsafe(link_section = "component-type:grader")]
static CONTRACT: [u8; include_bytes!("../contract.bin").len()] = *include_bytes!("../contract.bin");

#[unsafe(export_name = "grade")]
extern "C" fn grade() -> *const u8 {
    static ANSWER: [u64; 8] = [1; 8];
    ANSWER.as_ptr().cast()
}
"#;

/// The contract as a module carries it until it becomes a component.
fn contract() -> Vec<u8> {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_path(root().join("grader-sdk/wit")).unwrap();
    let world = resolve.select_world(&[package], Some("grader")).unwrap();
    wit_component::metadata::encode(&resolve, world, StringEncoding::UTF8, None, false).unwrap()
}

/// A repository with one task and its grader's source, built and locked.
fn repository(desk: &Desk) -> String {
    let write = |path: &str, bytes: &[u8]| {
        let path = desk.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    fs::create_dir_all(desk.path("repo/.git")).unwrap();
    let krate = "repo/graders/tiny";
    let manifest =
        "[package]\nname = \"tiny\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";
    write(&format!("{krate}/Cargo.toml"), manifest.as_bytes());
    let lock = "version = 4\n\n[[package]]\nname = \"tiny\"\nversion = \"0.1.0\"\n";
    write(&format!("{krate}/Cargo.lock"), lock.as_bytes());
    write(&format!("{krate}/src/lib.rs"), GRADER.as_bytes());
    write(&format!("{krate}/contract.bin"), &contract());
    let task = "---\nid: tiny\ngrading_type: automated\ntimeout_seconds: 60\nproctor:\n  \
                grader: grader.wasm\n---\n\n## Prompt\n\nDo it.\n";
    write("repo/tasks/tiny/task.md", task.as_bytes());
    build(desk);
    relock(desk);
    desk.path("repo/tasks").to_str().unwrap().to_owned()
}

fn build(desk: &Desk) {
    let (krate, target) = (desk.path("repo/graders/tiny"), desk.path("target"));
    let module = desk.path("repo/tasks/tiny/grader.wasm");
    let paths = [krate, module, target].map(|path| path.to_str().unwrap().to_owned());
    let [krate, module, target] = &paths;
    let ended = desk.run([
        "grader",
        "build",
        krate,
        "-o",
        module,
        "--target-dir",
        target,
    ]);
    assert_eq!(ended.code, 0, "{ended:?}");
}

fn relock(desk: &Desk) {
    let suite = desk.path("repo/tasks");
    let ended = desk.run(["lock", suite.to_str().unwrap()]);
    assert_eq!((ended.code, ended.err.as_str()), (0, ""), "{ended:?}");
}

fn rebuild(desk: &Desk, suite: &str) -> Ended {
    desk.run(["verify", suite, "--rebuild", "--format", "json"])
}

fn append(path: &Path, text: &str) {
    let old = fs::read_to_string(path).unwrap();
    fs::write(path, old + text).unwrap();
}

/// Slow because it builds: five times, and a standard library each time where
/// the toolchain has none for the target.
#[test]
fn a_grader_is_what_its_source_gives_or_it_is_said() {
    let desk = Desk::new();
    let suite = repository(&desk);
    let record = fs::read_to_string(desk.path("repo/tasks/tiny/grader.build.toml")).unwrap();
    assert!(
        record.contains("source = \"../../graders/tiny\""),
        "{record}"
    );
    let lock = fs::read_to_string(desk.path("repo/tasks/proctor.lock")).unwrap();
    for part in [
        "[tasks.tiny.build]\nsource = \"../graders/tiny\"",
        "rustc = \"rustc 1.",
    ] {
        assert!(lock.contains(part), "{lock}");
    }

    // A hostile build script, which finds nothing that it could use, and whose
    // being there is told.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    fs::write(desk.path("secret"), "the operator's").unwrap();
    let script = format!(
        r#"use std::{{fs, net::TcpStream, path::Path}};
fn main() {{
    assert!(TcpStream::connect("{address}").is_err(), "reached the host");
    assert!(TcpStream::connect("192.0.2.1:443").is_err(), "reached the internet");
    assert!(fs::read({secret:?}).is_err(), "read outside of the repository");
    assert!(fs::write("src/more.rs", "x").is_err(), "wrote into the source");
    assert!(fs::write("../../tasks/tiny/grader.wasm", "x").is_err(), "wrote the module");
    assert!(!Path::new("/root/.ssh").exists() && !Path::new("/home/agent/.cargo").exists());
    assert!(std::env::var_os("PROCTOR_SECRET").is_none(), "saw the environment");
}}
"#,
        address = listener.local_addr().unwrap(),
        secret = desk.path("secret"),
    );
    fs::write(desk.path("repo/graders/tiny/build.rs"), script).unwrap();
    let mut command = desk.proctor();
    command.env("PROCTOR_SECRET", "1");
    command.args(["verify", &suite, "--rebuild", "--format", "json"]);
    let output = command.output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let tiny = &report["rebuilds"][0];
    assert_eq!(tiny["outcome"], "identical", "{report}");
    assert_eq!(tiny["ran"][0], "the build script of `tiny`", "{report}");
    assert_eq!(output.status.code(), Some(0), "{report}");
    // The source is another one by now, which is worth a warning.
    assert_eq!(report["findings"][0]["kind"], "source_changed", "{report}");
    assert!(listener.accept().is_err(), "somebody connected");
    fs::remove_file(desk.path("repo/graders/tiny/build.rs")).unwrap();

    // A source that gives other bytes.
    append(
        &desk.path("repo/graders/tiny/src/lib.rs"),
        "#[unsafe(export_name = \"more\")]\nextern \"C\" fn more() -> i32 { 7 }\n",
    );
    let ended = rebuild(&desk, &suite);
    assert_eq!(ended.code, 1, "{ended:?}");
    let report = ended.json();
    assert_eq!(report["rebuilds"][0]["outcome"], "differs", "{report}");
    assert_eq!(report["fits"], false);
}

#[test]
fn what_cannot_be_built_here_is_not_rebuilt_and_ends_with_3() {
    let desk = Desk::new();
    let suite = repository(&desk);
    let why = || {
        let ended = rebuild(&desk, &suite);
        assert_eq!(ended.code, 3, "{ended:?}");
        let report = ended.json();
        assert_eq!(report["rebuilds"][0]["outcome"], "not_rebuilt", "{report}");
        assert_eq!(
            (&report["fits"], &report["incomplete"]),
            (&true.into(), &true.into())
        );
        report["rebuilds"][0]["message"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    // A source that does not compile.
    let source = desk.path("repo/graders/tiny/src/lib.rs");
    append(&source, "fn broken() -> u8 { \"no\" }\n");
    assert!(why().contains("mismatched types"), "{}", why());
    fs::write(&source, GRADER).unwrap();
    // Tools of another version.
    let record = desk.path("repo/tasks/tiny/grader.build.toml");
    let text = fs::read_to_string(&record).unwrap();
    let start = text.find("rustc = ").unwrap();
    let end = start + text[start..].find('\n').unwrap();
    let other = text.replace(&text[start..end], "rustc = \"rustc 0.0.1\"");
    fs::write(&record, other).unwrap();
    relock(&desk);
    let said = why();
    assert!(
        said.contains("the compiler was `rustc 0.0.1` and is `rustc 1."),
        "{said}"
    );
    // Nothing that says how it was built.
    fs::remove_file(&record).unwrap();
    fs::remove_file(desk.path("repo/tasks/proctor.lock")).unwrap();
    desk.run(["lock", &suite]);
    assert!(why().contains("nothing says how it was built"), "{}", why());
}

/// The Python component is Proctor's own, and its source is not in the suite:
/// that nobody built it again is said in every format, and is no pass.
#[test]
fn a_grader_in_python_is_not_rebuilt_and_says_what_tries() {
    let desk = Desk::new();
    let suite = desk.path("suite");
    let suite = suite.to_str().unwrap();
    let ok = |arguments: &[&str]| {
        let ended = desk.run(arguments);
        assert_eq!(ended.code, 0, "{ended:?}");
    };
    ok(&["new", "hello", "--lang", "python", "--dir", suite]);
    ok(&["lock", suite]);
    ok(&["verify", suite]);
    let ended = rebuild(&desk, suite);
    assert_eq!(ended.code, 3, "{ended:?}");
    let report = ended.json();
    assert_eq!(
        (&report["fits"], &report["incomplete"]),
        (&true.into(), &true.into())
    );
    let hello = &report["rebuilds"][0];
    assert_eq!(hello["outcome"], "not_rebuilt", "{report}");
    let lock = fs::read_to_string(root().join("graders/python/python.lock")).unwrap();
    let digest = lock.lines().find_map(|line| line.strip_prefix("sha256 = "));
    let message = hello["message"].as_str().unwrap();
    for part in [
        digest.unwrap().trim_matches('"'),
        "`tools/python.sh --check`",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    let said = format!("hello: NOT REBUILT: {message}");
    let text = desk.run(["verify", suite, "--rebuild"]);
    assert_eq!(text.code, 3);
    assert!(text.out.contains(&said), "{}", text.out);
    assert!(text.out.contains("1 not rebuilt"), "{}", text.out);
    let github = desk.run(["verify", suite, "--rebuild", "--format", "github"]);
    assert_eq!(github.code, 3);
    let command = github.out.lines().next().unwrap();
    assert!(
        command.starts_with("::error file=") && command.ends_with(&said),
        "{command}"
    );
}
