use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

use proctor_model::client::ToolCall;
use rustix::process::{Pid, test_kill_process};
use serde_json::json;
use tempfile::TempDir;

use super::*;

struct Bench {
    folder: TempDir,
    tools: Tools,
}

fn bench() -> Bench {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::open(folder.path()).unwrap();
    let tools = Tools::new(workspace, true, None).unwrap();
    Bench { folder, tools }
}

impl Bench {
    fn path(&self) -> &Path {
        self.folder.path()
    }

    async fn call(&self, name: &str, arguments: Value) -> Output {
        let call = Call::admit(&ToolCall {
            id: "call_1".to_owned(),
            name: name.to_owned(),
            arguments,
        });
        let output = self.tools.call(&call).await;
        assert!(output.details.duration_ms.is_some());
        output
    }

    async fn fine(&self, name: &str, arguments: Value) -> String {
        let output = self.call(name, arguments).await;
        assert!(!output.is_error, "{}", output.text);
        output.text
    }

    async fn refused(&self, name: &str, arguments: Value) -> String {
        let output = self.call(name, arguments).await;
        assert!(output.is_error, "{}", output.text);
        output.text
    }
}

#[tokio::test]
async fn files_are_written_read_edited_and_listed() {
    let bench = bench();
    let text = "one\ntwo\nthree\n";
    bench
        .fine("write_file", json!({"path": "a/b.txt", "content": text}))
        .await;
    assert_eq!(
        bench.fine("read_file", json!({"path": "a/b.txt"})).await,
        text
    );
    let absolute = bench.path().join("a/b.txt");
    let some = bench
        .fine(
            "read_file",
            json!({"path": absolute, "offset": 2, "limit": 1}),
        )
        .await;
    assert_eq!(some, "two\n\n[lines 2 to 2 of 3; go on with `offset` 3]");
    let said = bench
        .refused(
            "edit_file",
            json!({"path": "a/b.txt", "old": "t", "new": "T"}),
        )
        .await;
    assert!(said.contains("2 times"), "{said}");
    bench
        .fine(
            "edit_file",
            json!({"path": "a/b.txt", "old": "t", "new": "T", "all": true}),
        )
        .await;
    bench
        .fine(
            "edit_file",
            json!({"path": "./a/b.txt", "old": "one\n", "new": ""}),
        )
        .await;
    let read = std::fs::read_to_string(&absolute).unwrap();
    assert_eq!(read, "Two\nThree\n");
    // What is shorter leaves nothing of what was longer.
    bench
        .fine("write_file", json!({"path": "a/b.txt", "content": "x"}))
        .await;
    assert_eq!(std::fs::read_to_string(&absolute).unwrap(), "x");
    symlink("a", bench.path().join("link")).unwrap();
    assert_eq!(
        bench.fine("list_files", json!({})).await,
        "a/\na/b.txt 1\nlink -> a"
    );
    assert_eq!(
        bench.fine("list_files", json!({"depth": 1})).await,
        "a/\nlink -> a"
    );
    assert_eq!(
        bench.fine("list_files", json!({"path": "a"})).await,
        "a/b.txt 1"
    );
}

#[tokio::test]
async fn nothing_outside_of_the_workspace_is_touched() {
    let bench = bench();
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret");
    std::fs::write(&secret, "kept").unwrap();
    symlink(&secret, bench.path().join("file")).unwrap();
    symlink(outside.path(), bench.path().join("folder")).unwrap();
    std::fs::create_dir(bench.path().join("in")).unwrap();
    let name = outside.path().file_name().unwrap().to_str().unwrap();
    let up = format!("../{name}/secret");
    let deep = format!("in/../../{name}/secret");
    let absolute = secret.to_str().unwrap();
    for path in [
        "file",
        "folder/secret",
        up.as_str(),
        deep.as_str(),
        absolute,
    ] {
        for (tool, arguments) in [
            ("read_file", json!({"path": path})),
            ("write_file", json!({"path": path, "content": "lost"})),
            (
                "edit_file",
                json!({"path": path, "old": "kept", "new": "lost"}),
            ),
        ] {
            let said = bench.refused(tool, arguments).await;
            assert!(
                said.contains("is not in the workspace"),
                "{tool} {path}: {said}"
            );
        }
    }
    for path in ["folder", "..", "/", "folder/new"] {
        bench.refused("list_files", json!({"path": path})).await;
    }
    bench
        .refused("write_file", json!({"path": "folder/new/a", "content": ""}))
        .await;
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "kept");
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn what_is_no_ordinary_text_is_no_trouble() {
    let bench = bench();
    std::fs::write(bench.path().join("latin"), b"caf\xe9\n").unwrap();
    let read = bench.fine("read_file", json!({"path": "latin"})).await;
    assert!(
        read.starts_with("caf\u{fffd}\n") && read.contains("not all"),
        "{read}"
    );
    let said = bench
        .refused(
            "edit_file",
            json!({"path": "latin", "old": "caf", "new": "x"}),
        )
        .await;
    assert!(said.contains("not UTF-8"), "{said}");
    // Opening a pipe waits for its other end.
    bench.fine("shell", json!({"command": "mkfifo pipe"})).await;
    for (tool, arguments) in [
        ("read_file", json!({"path": "pipe"})),
        ("write_file", json!({"path": "pipe", "content": "x"})),
        ("read_file", json!({"path": "."})),
        ("write_file", json!({"path": ".", "content": "x"})),
        ("read_file", json!({"path": ""})),
        ("read_file", json!({"path": "a\u{0}b"})),
        ("read_file", json!({"path": "missing"})),
        ("read_file", json!({"path": "x".repeat(100_000)})),
    ] {
        let said = bench.refused(tool, arguments.clone()).await;
        assert!(said.len() < 1000, "{tool}: {said}");
    }
    let huge = std::fs::File::create(bench.path().join("huge")).unwrap();
    huge.set_len(1 << 40).unwrap();
    let said = bench.refused("read_file", json!({"path": "huge"})).await;
    assert!(said.contains("longer than"), "{said}");
    std::fs::write(bench.path().join("line"), "y".repeat(200_000)).unwrap();
    let read = bench.fine("read_file", json!({"path": "line"})).await;
    assert!(read.len() < 65_000 && read.contains("136000 bytes left out"));
}

#[tokio::test]
async fn a_command_gives_output_and_exit_code() {
    let bench = bench();
    let output = bench
        .call("shell", json!({"command": "pwd; echo oops >&2; exit 3"}))
        .await;
    let path = bench.path().display();
    assert_eq!(output.text, format!("{path}\noops\n[exit code 3]"));
    assert!(output.is_error);
    assert_eq!(output.details.exit_code, Some(3));
    let output = bench.call("shell", json!({"command": "kill -9 $$"})).await;
    assert_eq!(output.details.exit_code, Some(137));
    assert!(
        output.text.ends_with("[ended by signal 9]"),
        "{}",
        output.text
    );
    // Nobody types: what asks gets an end of file.
    assert_eq!(
        bench.fine("shell", json!({"command": "cat"})).await,
        "(no output)\n[exit code 0]"
    );
    let binary = bench
        .fine("shell", json!({"command": r"printf 'a\xff\x00b'"}))
        .await;
    assert_eq!(binary, "a\u{fffd}\u{0}b\n[exit code 0]");
    let long = bench
        .call("shell", json!({"command": "yes | head -c 10000000"}))
        .await;
    assert!(long.text.len() < 33_000);
    assert_eq!(long.details.truncated_bytes, Some(10_000_000 - 32_000));
    let said = bench
        .refused(
            "shell",
            json!({"command": format!(": {}", "x".repeat(200_000))}),
        )
        .await;
    assert!(said.contains("too long"), "{said}");
    bench.refused("shell", json!({"command": "a\u{0}b"})).await;
}

/// The process whose number a file has; it is waited for.
async fn process(file: &Path) -> Pid {
    for _ in 0..1000 {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        if let Ok(id) = text.trim().parse() {
            return Pid::from_raw(id).unwrap();
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{} is not written", file.display());
}

async fn ended(process: Pid) -> bool {
    for _ in 0..500 {
        if test_kill_process(process).is_err() || zombie(process) {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    false
}

/// Without an init that reaps, killed orphans stay as these.
fn zombie(process: Pid) -> bool {
    let status = format!("/proc/{}/stat", process.as_raw_nonzero());
    let status = std::fs::read_to_string(status).unwrap_or_default();
    status
        .rsplit(") ")
        .next()
        .is_some_and(|it| it.starts_with('Z'))
}

#[tokio::test]
async fn a_command_that_never_ends_is_ended_with_all_it_started() {
    let bench = bench();
    let command = "sleep 1000 & echo $! > child; trap '' TERM INT HUP; echo begun; yes > /dev/null";
    let output = bench
        .call("shell", json!({"command": command, "timeout_seconds": 1}))
        .await;
    assert!(output.details.timed_out && output.is_error);
    assert!(
        output.text.starts_with("begun\n[ended after 1 s"),
        "{}",
        output.text
    );
    let child = process(&bench.path().join("child")).await;
    assert!(ended(child).await);
    // One that prints without an end, as well.
    let output = bench
        .call("shell", json!({"command": "yes", "timeout_seconds": 1}))
        .await;
    assert!(output.details.timed_out && output.text.len() < 33_000);
    for seconds in [0, 100_000] {
        bench
            .refused(
                "shell",
                json!({"command": "true", "timeout_seconds": seconds}),
            )
            .await;
    }
}

#[tokio::test]
async fn what_goes_on_in_the_background_does_not_hold_up_the_call() {
    let bench = bench();
    let began = Instant::now();
    let command = "sleep 1000 & echo $! > child; echo done";
    let said = bench.fine("shell", json!({"command": command})).await;
    assert_eq!(said, "done\n[exit code 0]");
    assert!(ended(process(&bench.path().join("child")).await).await);
    // It left the group and holds on to the output.
    let command = "setsid bash -c 'echo $$ > daemon; exec sleep 1000' & \
                   until [ -s daemon ]; do :; done; echo done";
    let said = bench.fine("shell", json!({"command": command})).await;
    assert_eq!(said, "done\n[exit code 0]");
    assert!(began.elapsed() < Duration::from_mins(1));
    let daemon = process(&bench.path().join("daemon")).await;
    assert!(test_kill_process(daemon).is_ok());
    rustix::process::kill_process(daemon, rustix::process::Signal::KILL).unwrap();
}

#[tokio::test]
async fn a_call_that_is_given_up_takes_its_command_along() {
    let bench = bench();
    let file = bench.path().join("child");
    let call = bench.call(
        "shell",
        json!({"command": "echo $$ > child; sleep 1000; true"}),
    );
    let child = tokio::select! {
        _ = call => panic!("it cannot end"),
        child = process(&file) => child,
    };
    assert!(ended(child).await);
}

#[tokio::test]
async fn the_model_is_told_what_it_got_wrong() {
    let bench = bench();
    for (name, arguments, said) in [
        (
            "fly",
            json!({}),
            "no tool \"fly\". There are: shell, read_file,",
        ),
        ("shell", json!({}), "missing field `command`"),
        (
            "shell",
            json!({"command": 5}),
            "`command`: invalid type: integer `5`",
        ),
        (
            "shell",
            json!({"command": "ls", "cwd": "/"}),
            "unknown field `cwd`",
        ),
        (
            "read_file",
            json!({"path": "a", "offset": -1}),
            "`offset`: invalid value",
        ),
        ("shell", json!("{\"command\": \"l"), "not JSON: EOF"),
    ] {
        let output = bench.refused(name, arguments).await;
        assert!(output.contains(said), "{output}");
    }
    let without = Workspace::open(bench.path()).unwrap();
    let tools = Tools::new(without, false, None).unwrap();
    assert!(tools.specs().iter().all(|spec| spec.name != "shell"));
}

#[test]
fn schemas_are_objects_that_describe_each_argument() {
    for own in Own::ALL {
        let ToolSpec { parameters, .. } = own.spec();
        assert_eq!(parameters["type"], "object", "{own:?}");
        assert_eq!(parameters["additionalProperties"], false, "{own:?}");
        for (name, of) in parameters["properties"].as_object().unwrap() {
            assert!(of["description"].is_string(), "{own:?} {name}");
        }
    }
    assert_eq!(Own::Shell.spec().parameters["required"], json!(["command"]));
}
