//! `command` and the written form of agents.

use std::time::Duration;

use proctor_agents::command::{Command, CommandError};
use proctor_agents::{AgentError, AgentSpec, Assignment, ExecOutput, SpecError, agent};
use proctor_types::manifest::{AgentEnd, TranscriptSource};
use proctor_types::transcript::Role;

use crate::rooms::{Fake, Host, assignment, run};

/// A prompt that would do harm wherever a shell read it.
const HOSTILE: &str = "it's $(touch /tmp/proctor-owned) `id` \"; exit 9; $HOME *\n-n \\";

#[tokio::test]
async fn the_prompt_arrives_unread_by_the_shell_in_all_three_ways() {
    for line in [
        "printf %s {prompt}",
        "printf %s \"a\" {prompt} | tail -c +2",
        "cat",
        "cat \"$PROCTOR_PROMPT_FILE\"",
    ] {
        let (result, lines) = run(&Command::new(line).unwrap(), &Host, &assignment(HOSTILE)).await;
        let result = result.unwrap();
        assert_eq!(result.end, AgentEnd::Completed, "{line}");
        assert_eq!(lines.roles(), [Role::User, Role::Assistant]);
        assert_eq!(lines.messages()[1].text(), HOSTILE, "{line}");
        assert_eq!(
            result.raw[0],
            ("stdout".to_owned(), HOSTILE.as_bytes().to_vec())
        );
    }
    assert!(!std::path::Path::new("/tmp/proctor-owned").exists());
}

#[tokio::test]
async fn the_system_prompt_comes_as_a_file_and_stdin_is_empty_beside_an_argument() {
    let assignment = Assignment {
        system_prompt: Some("Be brief."),
        ..assignment("p")
    };
    let agent = Command::new("cat \"$PROCTOR_SYSTEM_PROMPT_FILE\"; echo {prompt}; wc -c").unwrap();
    let (_, lines) = run(&agent, &Host, &assignment).await;
    assert_eq!(lines.roles(), [Role::System, Role::User, Role::Assistant]);
    assert_eq!(lines.messages()[2].text(), "Be brief.p\n0\n");
}

#[tokio::test]
async fn nothing_of_the_host_s_environment_is_handed_on() {
    let room = Fake::new(|request| {
        let stdout = if request.argv[2].contains("mktemp") {
            b"/tmp/p".to_vec()
        } else {
            Vec::new()
        };
        Ok(ExecOutput {
            stdout,
            ..ExecOutput::default()
        })
    });
    let (result, lines) = run(&Command::new("x").unwrap(), &room, &assignment("p")).await;
    assert_eq!(result.unwrap().end, AgentEnd::Completed);
    assert_eq!(lines.roles(), [Role::User], "no output is no message");
    let request = room.requests().pop().unwrap();
    assert_eq!(
        request.env,
        [
            ("PROCTOR_ATTEMPT".to_owned(), "0".to_owned()),
            ("PROCTOR_PROMPT_FILE".to_owned(), "/tmp/p".to_owned())
        ]
    );
    assert_eq!(request.argv, ["/bin/bash", "-c", "x", "agent"]);
    assert_eq!(request.stdin.as_deref(), Some(b"p".as_slice()));
    assert_eq!(request.cwd, None);
}

#[tokio::test]
async fn a_command_that_exits_with_an_error_is_a_failed_agent_with_its_output() {
    let agent = Command::new("echo partly; echo 'no key' >&2; exit 3").unwrap();
    let (result, lines) = run(&agent, &Host, &assignment("p")).await;
    let result = result.unwrap();
    let reason = "the command exited with 3: no key".to_owned();
    assert_eq!(
        result.end,
        AgentEnd::Failed {
            exit_code: Some(3),
            reason,
            failure: None,
        }
    );
    assert_eq!(lines.messages()[1].text(), "partly\n");
    assert_eq!(result.raw[1], ("stderr".to_owned(), b"no key\n".to_vec()));
    let (result, _) = run(
        &Command::new("no-such-agent").unwrap(),
        &Host,
        &assignment("p"),
    )
    .await;
    assert!(matches!(
        result.unwrap().end,
        AgentEnd::Failed {
            exit_code: Some(127),
            ..
        }
    ));
}

#[tokio::test]
async fn time_and_output_are_bounded() {
    let short = Assignment {
        timeout: Duration::from_millis(300),
        ..assignment("p")
    };
    let (result, _) = run(&Command::new("sleep 60").unwrap(), &Host, &short).await;
    assert_eq!(result.unwrap().end, AgentEnd::TimedOut { limit_seconds: 0 });

    let noisy = Command::new("head -c 20000000 /dev/zero; printf '\\377'").unwrap();
    let (result, lines) = run(&noisy, &Host, &assignment("p")).await;
    let result = result.unwrap();
    assert_eq!(result.end, AgentEnd::Completed);
    assert_eq!(result.raw[0].1.len(), 8 << 20);
    let text = lines.messages()[1].text();
    assert!(text.starts_with('\0') && text.len() < (257 << 10));
    let cut = 20_000_001 - (256 << 10);
    assert!(text.ends_with(&format!(
        "\n[{cut} more bytes of standard output were cut]\n"
    )));
}

#[tokio::test]
async fn a_prompt_that_no_argument_can_hold_is_refused_with_the_way_out() {
    let long = "x".repeat(200_000);
    for prompt in [long.as_str(), "a\0b"] {
        let agent = Command::new("echo {prompt}").unwrap();
        let (result, _) = run(&agent, &Host, &assignment(prompt)).await;
        let AgentEnd::Failed { reason, .. } = result.unwrap().end else {
            panic!()
        };
        assert!(reason.contains("$PROCTOR_PROMPT_FILE"), "{reason}");
        let (result, lines) = run(&Command::new("cat").unwrap(), &Host, &assignment(prompt)).await;
        assert_eq!(result.unwrap().end, AgentEnd::Completed);
        assert_eq!(lines.messages()[1].text(), prompt);
    }
}

#[tokio::test]
async fn a_room_that_takes_no_file_fails_the_trial_and_not_the_agent() {
    let room = Fake::new(|_| {
        let stderr = b"cat: write error: No space left on device\n".to_vec();
        Ok(ExecOutput {
            exit_code: 1,
            stderr,
            ..ExecOutput::default()
        })
    });
    let (result, _) = run(&Command::new("x").unwrap(), &room, &assignment("p")).await;
    let error = result.unwrap_err();
    assert!(matches!(error, AgentError::Shell(_)));
    assert!(error.to_string().contains("No space left"), "{error}");
}

#[test]
fn agents_are_written_as_a_name_and_an_argument() {
    for (text, name, source) in [
        ("nop", "nop", TranscriptSource::Runner),
        ("oracle", "oracle", TranscriptSource::Runner),
        (
            "command:claude -p {prompt} --x=a:b",
            "command",
            TranscriptSource::Output,
        ),
    ] {
        let spec: AgentSpec = text.parse().unwrap();
        assert_eq!(spec.to_string(), text);
        let agent = agent(&spec).unwrap();
        assert_eq!((agent.name(), agent.transcript_source()), (name, source));
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/agents/steps.yaml");
    let scripted = agent(&format!("scripted:{file}").parse().unwrap()).unwrap();
    assert_eq!(scripted.name(), "scripted");
}

#[test]
fn a_wrong_agent_says_what_would_be_right() {
    let refused = |text: &str| match text.parse::<AgentSpec>() {
        Ok(spec) => match spec.adapter() {
            Err(error) => error,
            Ok(_) => agent(&spec).err().unwrap(),
        },
        Err(error) => error,
    };
    for (text, expected) in [
        (
            "oracel",
            "there is no agent `oracel` (did you mean `oracle`?); the agents are claude-code, codex, gemini-cli, opencode, openclaw, pi, loop, oracle, nop, scripted, command",
        ),
        ("gpt", "there is no agent `gpt`; the agents are"),
        ("", "there is no agent ``; the agents are"),
        (
            "claude-code:x",
            "agent `claude-code` takes no argument, and `x` was given",
        ),
        (
            "codex",
            "the agent `codex` is a program, and nobody said where it is",
        ),
        (
            "a b.toml",
            "a b.toml cannot be the name of an adapter's file: expected letters",
        ),
        (
            "x/pi.toml",
            "expected another name, since this one is that of an agent that Proctor knows",
        ),
        ("/no/such.toml", "cannot read the adapter /no/such.toml: "),
        ("nop:x", "agent `nop` takes no argument, and `x` was given"),
        ("oracle:", "takes no argument"),
        (
            "scripted",
            "agent `scripted` needs a steps file: write `scripted:...`",
        ),
        ("command: ", "agent `command` needs a shell command"),
        (
            "scripted:/no/such.yaml",
            "cannot read the steps file /no/such.yaml: ",
        ),
        ("scripted:/", "cannot read the steps file /: "),
    ] {
        let error = refused(text).to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
    let quoted = refused("command:echo '{prompt}'");
    assert!(
        matches!(quoted, SpecError::Command(CommandError::Quoted { at: 7 })),
        "{quoted:?}"
    );
    assert!(quoted.to_string().contains("write it bare"), "{quoted}");
}
