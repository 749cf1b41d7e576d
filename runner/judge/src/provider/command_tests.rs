use std::fs;

use serde_json::json;

use super::*;

fn ask() -> Ask {
    Ask {
        schema: crate::ask::REQUEST_SCHEMA.to_owned(),
        judge: "command/judge".to_owned(),
        criterion: "tone".to_owned(),
        vote: 1,
        attempt: 1,
        system: "rules".to_owned(),
        // More than a pipe holds.
        user: "x".repeat(1 << 20),
        answer: json!({"type": "object"}),
        max_tokens: 100,
        temperature: None,
    }
}

/// A judge that is a shell script.
struct Script {
    _directory: tempfile::TempDir,
    command: Command,
}

fn script(text: &str) -> Script {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("judge");
    fs::write(&path, text).unwrap();
    // By the shell: a program that was just written may still be open for
    // writing in a child that another test started, and cannot be executed then.
    let mut command = Command::new("/bin/sh");
    command.arguments.push(path.into());
    command.name = Some("judge".to_owned());
    command
        .environment
        .insert("PATH".into(), "/usr/bin:/bin".into());
    Script {
        _directory: directory,
        command,
    }
}

async fn failure(text: &str) -> Failure {
    script(text).command.ask(&ask()).await.answer.unwrap_err()
}

#[tokio::test]
async fn a_program_reads_the_request_and_writes_the_answer() {
    let judge = script(
        r#"bytes=$(wc -c)
echo "{\"level\": 1, \"reason\": \"$bytes bytes\", \"quotes\": []}""#,
    );
    let reply = judge.command.ask(&ask()).await;
    let bytes = serde_json::to_vec(&ask()).unwrap().len();
    assert!(reply.answer.unwrap().contains(&format!("{bytes} bytes")));
    assert_eq!(judge.command.judge(), "command/judge");
}

#[tokio::test]
async fn an_envelope_tells_of_model_usage_and_refusal() {
    let judge = script(
        r#"echo '{"answer": {"level": 2}, "model": "tiny-1", "usage": {"input": 7, "output": 3}}'"#,
    );
    let reply = judge.command.ask(&ask()).await;
    assert_eq!(reply.answer.as_deref(), Ok("{\"level\":2}"));
    assert_eq!(reply.model.as_deref(), Some("tiny-1"));
    assert_eq!((reply.usage.input, reply.usage.output), (7, 3));
    assert_eq!(
        failure(r#"echo '{"refusal": "I would rather not."}'"#).await,
        Failure::Refusal {
            reason: "I would rather not.".to_owned()
        }
    );
    let wrong = failure(r#"echo '{"answer": {}, "cost": 1}'"#)
        .await
        .to_string();
    assert!(wrong.contains("unknown field `cost`"), "{wrong}");
}

#[tokio::test]
async fn an_exit_code_is_told_with_the_last_words() {
    assert_eq!(
        failure("echo no model >&2; exit 3").await.to_string(),
        "the judge's program exited with 3; standard error ends with \"no model\""
    );
    assert_eq!(
        failure("exit 3").await.to_string(),
        "the judge's program exited with 3; it wrote nothing to standard error"
    );
    let killed = failure("kill -9 $$").await.to_string();
    assert!(killed.contains("was killed"), "{killed}");
    // Much is read, the end is kept, and control characters are visible.
    let loud = failure("head -c 10000000 /dev/zero >&2; printf '\\033[2Jend' >&2; exit 1").await;
    assert!(loud.to_string().ends_with("\\u{1b}[2Jend\""), "{loud}");
}

#[tokio::test]
async fn a_gigabyte_of_output_is_not_read() {
    assert_eq!(
        failure("cat > /dev/null; head -c 1000000000 /dev/zero").await,
        Failure::TooLarge { limit: 1 << 20 }
    );
}

#[tokio::test]
async fn a_program_that_hangs_is_killed_with_all_that_it_started() {
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    // Both hold the pipe open for reading for as long as they live.
    let mut judge = script(&format!(
        "exec 3<> '{}'\nsleep 1000 &\nsleep 1000",
        pipe.display()
    ));
    judge.command.limits.time = Duration::from_millis(300);
    let failure = judge.command.ask(&ask()).await.answer.unwrap_err();
    assert_eq!(failure, Failure::Timeout { seconds: 0 });
    // A pipe that nobody reads refuses who would write without waiting.
    let readers_gone = || {
        let opened = rustix::fs::open(
            &pipe,
            rustix::fs::OFlags::WRONLY | rustix::fs::OFlags::NONBLOCK,
            rustix::fs::Mode::empty(),
        );
        opened.err() == Some(rustix::io::Errno::NXIO)
    };
    let deadline = std::time::Instant::now() + Duration::from_secs(20);
    while !readers_gone() && std::time::Instant::now() < deadline {
        tokio::task::yield_now().await;
    }
    assert!(readers_gone(), "a child of the judge is still there");
}

#[tokio::test]
async fn a_program_gets_no_environment_but_its_own() {
    let mut judge = script(r#"echo "$(env | cut -d= -f1 | sort | tr '\n' ' ')""#);
    judge
        .command
        .environment
        .insert("JUDGE_URL".into(), "http://127.0.0.1:1".into());
    let names = judge.command.ask(&ask()).await.answer.unwrap();
    // What the shell itself sets beside them.
    let known = ["JUDGE_URL", "PATH", "PWD", "OLDPWD", "SHLVL", "_"];
    let names: Vec<_> = names.split_whitespace().collect();
    assert!(names.contains(&"JUDGE_URL"));
    assert!(names.iter().all(|name| known.contains(name)), "{names:?}");
    assert!(!format!("{:?}", judge.command).contains("127.0.0.1"));
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let failure = Command::new("/nowhere/judge").ask(&ask()).await.answer;
    let failure = failure.unwrap_err();
    assert!(failure.ends_all());
    assert!(
        failure
            .to_string()
            .starts_with("the judge's program cannot be started: /nowhere/judge: No such file"),
        "{failure}"
    );
}
