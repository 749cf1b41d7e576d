//! How a script ends: by its own failure, by its time, or because the room or
//! the disk failed.

use std::time::Duration;

use async_trait::async_trait;
use proctor_agents::scripted::{Oracle, Scripted};
use proctor_agents::steps::Steps;
use proctor_agents::{
    Agent, AgentError, Assignment, ExecOutput, ExecRequest, Nop, Shell, ShellError,
    TranscriptError, TranscriptWriter,
};
use proctor_types::manifest::AgentEnd;

use crate::rooms::{Fake, Lines, assignment, failure, play, run};

/// A sink on a full disk.
struct Full;

impl std::io::Write for Full {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A room whose command `second` never ends.
#[derive(Default)]
struct Hanging {
    started: tokio::sync::Notify,
}

#[async_trait]
impl Shell for Hanging {
    async fn exec(&self, request: ExecRequest) -> Result<ExecOutput, ShellError> {
        if request.argv[2] == "second" {
            self.started.notify_one();
            std::future::pending::<()>().await;
        }
        Ok(ExecOutput {
            stdout: b"one".to_vec(),
            ..ExecOutput::default()
        })
    }

    fn capture_program(&self) -> Option<&str> {
        None
    }
}

#[tokio::test]
async fn a_script_that_cannot_go_on_names_the_step_and_keeps_the_transcript() {
    for (steps, stdout, expected) in [
        (
            "- run: x\n- run: get {{id}}\n",
            "",
            "step 2: nothing was captured as `id` before",
        ),
        (
            "- say: '{{id}}'\n",
            "",
            "step 1: nothing was captured as `id`",
        ),
        (
            "- run: x\n  capture: {id: .id}\n",
            "hello",
            "step 1: cannot capture `id`: the command's standard output is not one JSON document",
        ),
        ("- run: x\n  capture: {id: .id}\n", "", "printed nothing"),
        ("- run: x\n  capture: {id: .id}\n", "{}", "gave null"),
        ("- run: x\n  capture: {id: '.['}\n", "{}", "is not jq"),
        (
            "- run: x\n  capture: {id: .id.no}\n",
            r#"{"id": 1}"#,
            "the filter failed",
        ),
        (
            "- run: x\n  capture: {id: '.[]'}\n",
            "[1,2]",
            "more than one value",
        ),
        (
            "- run: x\n  capture: {big: .}\n- run: '{{big}}{{big}}{{big}}'\n",
            "\"BIG\"",
            "step 2: the text has more than 131071 bytes",
        ),
        (
            "- run: x\n  capture: {id: .}\n- run: x\n- run: '{{ID}}'\n",
            "1",
            "step 3: nothing was captured as `ID` before; there is attempt, id",
        ),
    ] {
        let stdout = stdout.replace("BIG", &"x".repeat(60_000));
        let room = Fake::printing(stdout);
        let (run, lines) = play(&format!("steps:\n{steps}"), &room).await;
        let run = run.unwrap();
        let (code, reason) = failure(&run.end);
        assert!(reason.contains(expected), "{steps} ended with {reason}");
        assert_eq!(code, None);
        assert_eq!(lines.commands().len(), room.requests().len(), "{steps}");
        assert_eq!(lines.results().len(), room.requests().len(), "{steps}");
    }
}

#[tokio::test]
async fn an_exit_code_counts_only_where_one_is_expected() {
    let room = Fake::new(|request| {
        let code = if request.argv[2] == "bad" { 7 } else { 0 };
        Ok(ExecOutput {
            exit_code: code,
            stderr: b"a\nno \x1b[1mway\n".to_vec(),
            ..ExecOutput::default()
        })
    });
    let (run, _) = play(
        "steps:\n- run: bad\n- run: bad\n  expect_exit: 7\n- run: ok\n  expect_exit: 0\n",
        &room,
    )
    .await;
    assert_eq!(run.unwrap().end, AgentEnd::Completed);
    let (run, lines) = play("steps:\n- run: bad\n  expect_exit: 0\n- run: ok\n", &room).await;
    let run = run.unwrap();
    let expected = "step 1: expected exit code 0, got 7: no \\u{1b}[1mway";
    assert_eq!(failure(&run.end), (Some(7), expected));
    assert_eq!(lines.commands(), ["bad"]);
}

#[tokio::test]
async fn a_step_that_meets_its_own_limit_is_a_result_and_not_the_end() {
    let room = Fake::new(|_| {
        Ok(ExecOutput {
            exit_code: 137,
            timed_out: true,
            ..ExecOutput::default()
        })
    });
    let (run, lines) = play(
        "steps:\n- run: sleep\n  timeout_seconds: 5\n- say: Well.\n",
        &room,
    )
    .await;
    assert_eq!(run.unwrap().end, AgentEnd::Completed);
    assert_eq!(room.requests()[0].timeout, Duration::from_secs(5));
    assert!(lines.results()[0].contains("time was up"));
    let (run, _) = play("steps:\n- run: sleep\n  expect_exit: 137\n", &room).await;
    assert_eq!(run.unwrap().end, AgentEnd::Completed);
    let (run, _) = play("steps:\n- run: sleep\n  expect_exit: 0\n", &room).await;
    assert!(failure(&run.unwrap().end).1.contains("its time was up"));
}

#[tokio::test]
async fn the_assignment_s_deadline_ends_a_script_and_bounds_its_commands() {
    let room = Fake::new(|_| {
        Ok(ExecOutput {
            exit_code: 137,
            timed_out: true,
            ..ExecOutput::default()
        })
    });
    let steps = Steps::parse("s", b"steps:\n- run: a\n- run: b\n").unwrap();
    let agent = Scripted::new(steps);
    let assignment = Assignment {
        timeout: Duration::from_secs(30),
        ..assignment("p")
    };
    let (result, lines) = run(&agent, &room, &assignment).await;
    assert_eq!(
        result.unwrap().end,
        AgentEnd::TimedOut { limit_seconds: 30 }
    );
    assert!(room.requests()[0].timeout <= Duration::from_secs(30));
    assert_eq!(
        lines.results().len(),
        1,
        "the command that was cut short is in the transcript"
    );

    let none_left = Assignment {
        timeout: Duration::ZERO,
        ..assignment
    };
    let room = Fake::printing("");
    let (result, _) = run(&agent, &room, &none_left).await;
    assert_eq!(result.unwrap().end, AgentEnd::TimedOut { limit_seconds: 0 });
    assert!(
        room.requests().is_empty(),
        "nothing starts when no time is left"
    );
}

#[tokio::test]
async fn a_transcript_that_is_full_is_the_script_s_failure() {
    let room = Fake::printing("x".repeat(50_000));
    let text = format!("steps:\n{}", "- run: x\n".repeat(10));
    let agent = Scripted::new(Steps::parse("s", text.as_bytes()).unwrap());
    let lines = Lines::default();
    let mut transcript = TranscriptWriter::new(lines.clone()).with_limit(200_000);
    let result = agent
        .run(&room, &assignment("p"), &mut transcript)
        .await
        .unwrap();
    assert!(failure(&result.end).1.contains("limit of 200000 bytes"));
    assert!(lines.text().len() <= 200_000);
    assert_eq!(
        transcript.events(),
        lines.events().len() as u64,
        "only whole lines"
    );
}

#[tokio::test]
async fn what_is_not_the_agent_s_fault_is_an_error_of_the_trial() {
    let broken = Fake::new(|_| Err(ShellError::Room("the sandbox is gone".into())));
    let (result, lines) = play("steps:\n- run: x\n", &broken).await;
    let error = result.unwrap_err();
    assert!(
        matches!(error, AgentError::Shell(ShellError::Room(_))),
        "{error:?}"
    );
    assert_eq!(
        error.to_string(),
        "the agent's room failed: the sandbox is gone"
    );
    assert_eq!(lines.commands(), ["x"], "the call is in the transcript");

    let room = Fake::printing("");
    let (result, _) = run(&Oracle, &room, &assignment("p")).await;
    assert!(matches!(result.unwrap_err(), AgentError::NoSolution));
    let (result, _) = play("steps:\n- runs: x\n", &room).await;
    let text = result.unwrap_err().to_string();
    assert!(
        text.starts_with("solution/steps.yaml:2: unknown key `runs`"),
        "{text}"
    );

    let mut transcript = TranscriptWriter::new(Full);
    let result = Nop.run(&room, &assignment("p"), &mut transcript).await;
    assert!(matches!(
        result,
        Err(AgentError::Transcript(TranscriptError::Write(_)))
    ));
}

#[tokio::test]
async fn the_transcript_is_whole_up_to_the_command_in_which_an_agent_is_cancelled() {
    let room = Hanging::default();
    let lines = Lines::default();
    let mut transcript = TranscriptWriter::new(lines.clone());
    let steps = Steps::parse("s", b"steps:\n- run: first\n- run: second\n").unwrap();
    let agent = Scripted::new(steps);
    let assignment = assignment("p");
    tokio::select! {
        _ = agent.run(&room, &assignment, &mut transcript) => panic!("the second never ends"),
        () = room.started.notified() => {}
    }
    assert_eq!(lines.commands(), ["first", "second"]);
    assert_eq!(lines.results(), ["one"]);
}

#[tokio::test]
async fn a_room_without_the_capture_program_says_so() {
    let mut room = Fake::printing("{}");
    room.capture = None;
    let (run, _) = play("steps:\n- run: x\n  capture: {a: .}\n", &room).await;
    assert!(
        failure(&run.unwrap().end)
            .1
            .contains("no `proctor-capture`")
    );
}

/// A room in which the command `line` cannot be started.
fn refusing(line: &'static str) -> Fake {
    Fake::new(move |request| {
        if request.argv.last().is_some_and(|last| last == line) {
            return Err(ShellError::CannotStart {
                program: request.argv[0].clone(),
                reason: "cwd: Permission denied".to_owned(),
            });
        }
        Ok(ExecOutput::default())
    })
}

#[tokio::test]
async fn what_cannot_be_started_after_other_commands_is_the_agents_failure() {
    let script = "steps:\n- run: chmod 000 .\n- run: echo hi\n- run: never\n";
    let room = refusing("echo hi");
    let (run, lines) = play(script, &room).await;
    let run = run.unwrap();
    let (code, reason) = failure(&run.end);
    assert_eq!(code, None);
    assert!(
        reason.contains("step 2: cannot start") && reason.contains("Permission denied"),
        "{reason}"
    );
    assert_eq!(run.raw.len(), 1, "the script is evidence all the same");
    assert_eq!(room.lines(), ["chmod 000 .", "echo hi"]);
    let messages = lines.messages();
    let last = messages.last().unwrap();
    assert_eq!(last.is_error, Some(true));
    assert!(last.text().contains("Permission denied"), "{}", last.text());
}

#[tokio::test]
async fn a_room_that_starts_nothing_is_nobodys_failure() {
    let (run, _) = play("steps:\n- run: echo hi\n", &refusing("echo hi")).await;
    assert!(matches!(run.unwrap_err(), AgentError::Shell(_)));
}
