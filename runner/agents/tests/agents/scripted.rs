//! `scripted`, `oracle` and `nop`, from the steps file to the transcript.

use std::time::Duration;

use proctor_agents::scripted::Oracle;
use proctor_agents::{Agent, Assignment, ExecOutput, Nop, Solution};
use proctor_types::manifest::{AgentEnd, TranscriptSource};
use proctor_types::transcript::{Part, Role};

use crate::rooms::{Fake, Host, assignment, failure, play, run};

#[tokio::test]
async fn a_step_is_a_call_and_its_result_as_in_a_real_agent_s_transcript() {
    let room = Fake::new(|_| {
        Ok(ExecOutput {
            exit_code: 3,
            stdout: b"out".to_vec(),
            stderr: b"err\n".to_vec(),
            duration: Duration::from_millis(12),
            ..ExecOutput::default()
        })
    });
    let (run, lines) = play(
        "steps:\n- say: Look.\n  run: gws tasks list\n- say: Done.\n",
        &room,
    )
    .await;
    let run = run.unwrap();
    assert_eq!(
        run.end,
        AgentEnd::Completed,
        "a failing command does not stop a script"
    );
    assert_eq!(run.raw[0].0, "steps.yaml");
    assert_eq!(
        lines.roles(),
        [
            Role::User,
            Role::Assistant,
            Role::ToolResult,
            Role::Assistant
        ]
    );

    let messages = lines.messages();
    assert_eq!(messages[0].text(), "Do it.");
    assert_eq!(messages[1].text(), "Look.");
    let Part::ToolCall(call) = &messages[1].content[1] else {
        panic!("{:?}", messages[1])
    };
    assert_eq!(
        (call.name.as_str(), call.command()),
        ("exec", Some("gws tasks list"))
    );
    let result = &messages[2];
    assert_eq!(result.text(), "out\nerr\n");
    assert_eq!(result.tool_call_id.as_deref(), Some(call.id.as_str()));
    assert_eq!(result.tool_name.as_deref(), Some("exec"));
    assert_eq!(result.is_error, Some(true));
    let details = result.details.as_ref().unwrap();
    assert_eq!(
        (details.exit_code, details.duration_ms),
        (Some(3), Some(12))
    );
    assert!(
        lines
            .events()
            .iter()
            .all(|event| event.timestamp.as_ref().unwrap().ends_with('Z'))
    );

    let request = &room.requests()[0];
    assert_eq!(request.argv, ["/bin/bash", "-c", "gws tasks list"]);
    let attempt = ("PROCTOR_ATTEMPT".to_owned(), "0".to_owned());
    assert_eq!(request.env, [attempt]);
    assert_eq!(request.timeout, Duration::from_mins(1));
}

#[tokio::test]
async fn steps_know_the_attempt_and_where_their_files_are() {
    let room = Fake::printing("{}").with_files("/opt/proctor/steps");
    let solution = Some(Solution {
        path: "solution/steps.yaml",
        bytes: b"files: [kit]\nsteps:\n- say: Run {{attempt}}.\n  run: clone hydra-{{attempt}} {attempt}\n",
    });
    let assignment = Assignment {
        attempt: 3,
        solution,
        ..assignment("Do it.")
    };
    let (ran, lines) = run(&Oracle, &room, &assignment).await;
    assert_eq!(ran.unwrap().end, AgentEnd::Completed);
    assert_eq!(room.lines(), ["clone hydra-3 {attempt}"]);
    assert_eq!(lines.messages()[1].text(), "Run 3.");
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(
        room.requests()[0].env,
        [
            pair("PROCTOR_ATTEMPT", "3"),
            pair("PROCTOR_STEPS", "/opt/proctor/steps")
        ]
    );
}

#[tokio::test]
async fn captured_values_are_filled_into_later_steps() {
    let room = Fake::printing(r#"{"items": [{"id": "a1"}, {"id": "b2"}], "n": 2}"#);
    let steps = r#"
steps:
- run: list
  capture:
    first: .items[0].id
    all: '[.items[].id]'
    n: .n
- say: There are {{n}}.
  run: get {{first}} of {{all}} \{{first}} {{.Go}}
- run: again
  capture:
    first: .items[1].id
    again: 'first(.items[] | select(.id == "{{first}}")) | .id'
- run: get {{first}} {{again}}
"#;
    let (run, lines) = play(steps, &room).await;
    assert_eq!(run.unwrap().end, AgentEnd::Completed);
    let expected = [
        "list",
        "get a1 of [\"a1\",\"b2\"] {{first}} {{.Go}}",
        "again",
        "get b2 b2",
    ];
    assert_eq!(room.lines(), expected);
    assert_eq!(lines.commands(), expected, "the transcript shows what ran");
    assert_eq!(lines.messages()[3].text(), "There are 2.");
}

#[tokio::test]
async fn hostile_output_is_kept_readable_and_bounded() {
    let mut hostile = b"\xff\xfe\0\x1b]0;title\x07 \xe2\x82".to_vec();
    hostile.extend(vec![b'A'; 10 << 20]);
    let room = Fake::new(move |request| {
        let (stdout, stdout_cut_bytes) =
            crate::rooms::capped(hostile.clone(), request.output_cap_bytes);
        Ok(ExecOutput {
            stdout,
            stdout_cut_bytes,
            ..ExecOutput::default()
        })
    });
    let (run, lines) = play("steps:\n- run: x\n- run: x\n  capture: {a: .}\n", &room).await;
    let reason = run.unwrap().end;
    assert!(
        failure(&reason)
            .1
            .contains("step 2: cannot capture `a`: the command's output was cut")
    );
    let result = &lines.results()[0];
    assert!(
        result.starts_with("\u{fffd}\u{fffd}\0\u{1b}]0;title\u{7} \u{fffd}AAA"),
        "{result:.40?}"
    );
    let cut = (10 << 20) + 16 - (64 << 10);
    let expected = format!("A\n[{cut} more bytes of standard output were cut]\n");
    assert!(
        result.ends_with(&expected),
        "{}",
        &result[result.len() - 90..]
    );
    assert!(
        !lines.text().contains('\u{1b}'),
        "escape sequences do not reach a terminal"
    );
    let details = lines.messages()[2].details.clone().unwrap();
    assert_eq!(details.truncated_bytes, Some(cut));
}

#[tokio::test]
async fn nop_says_and_does_nothing() {
    let room = Fake::printing("");
    let with_system = Assignment {
        system_prompt: Some("Be brief."),
        ..assignment("Do it.")
    };
    let (result, lines) = run(&Nop, &room, &with_system).await;
    assert_eq!(result.unwrap().end, AgentEnd::Completed);
    assert_eq!(lines.roles(), [Role::System, Role::User]);
    assert!(room.requests().is_empty());
    assert_eq!(
        (Nop.name(), Nop.transcript_source()),
        ("nop", TranscriptSource::Runner)
    );
}

#[tokio::test]
async fn real_commands_play_as_written() {
    let steps = r#"
steps:
- run: printf '{"id":"%s"}' "it's"
  capture: {id: .id}
- run: |
    cat <<'EOF'
    {{id}}
    EOF
    echo "${HOME-unset}" >&2
    exit 4
  expect_exit: 4
- run: kill -9 $$
  expect_exit: 137
"#;
    let (run, lines) = play(steps, &Host).await;
    assert_eq!(run.unwrap().end, AgentEnd::Completed);
    assert_eq!(lines.results()[1], "it's\nunset\n");
}
