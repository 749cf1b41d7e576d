//! Agents that are programs: against programs that behave, and that do not.

use std::sync::Arc;
use std::time::Duration;

use proctor_agents::Agent as _;
use proctor_agents::adapter::builtin;
use proctor_agents::{AgentError, Assignment, CliAgent, CliSetup, ModelTarget, SetupError};
use proctor_types::ModelApi;
use proctor_types::manifest::{AgentEnd, FailureKind, TranscriptSource};
use proctor_types::transcript::Role;

use crate::homes::Home;
use crate::rooms::{Fake, assignment, run};

/// An adapter whose program prints canonical events, and may leave some in a
/// session.
const CANONICAL: &str = r#"
name = "made-up"
title = "The made-up agent"
args = ["run", ["--system", "{system_prompt}"]]
stdin = "{prompt}"
[program]
names = ["made-up"]
[env]
KEY = "{api_key}"
[[file]]
path = "{home}/.made-up/config.json"
json = { prompt = "{prompt}", seconds = "{timeout_seconds}", where = "{workspace}" }
[transcript]
format = "canonical"
stdout = true
files = [".made-up/sessions/*.jsonl"]
[[failure]]
kind = "context"
says = ["too many words"]
"#;

const SAYS_HELLO: &str = r#"
say() { printf '{"type":"message","message":{"role":"%s","content":"%s"}}\n' "$1" "$2"; }
"#;

fn hello(rest: &str) -> String {
    format!("{SAYS_HELLO}{rest}")
}

fn failed(end: &AgentEnd) -> (Option<FailureKind>, Option<i32>, &str) {
    match end {
        AgentEnd::Failed {
            exit_code,
            reason,
            failure,
        } => (*failure, *exit_code, reason),
        other => panic!("the agent should have failed, and {other:?}"),
    }
}

#[tokio::test]
async fn a_run_gives_files_arguments_and_a_transcript_after_the_prompts() {
    let room = Home::new();
    let script = hello(
        r#"test "$(cat)" = "$(printf '%s' "-x \"q\" \$(id)")" || exit 9
test "$KEY" = proctor-no-key || exit 8
test "$PROCTOR_ATTEMPT" = 0 || exit 7
say user "-x \"q\" \$(id)" | sed 's/"q"/\\"q\\"/'
say assistant "$* $(tr -d ' \n' <~/.made-up/config.json | wc -c) $(pwd | xargs basename)"
echo warned >&2"#,
    );
    let agent = room.agent(CANONICAL, &script);
    let assignment = Assignment {
        system_prompt: Some("Be 'brief'."),
        ..assignment("-x \"q\" $(id)")
    };
    let (result, lines) = run(&agent, &room, &assignment).await;
    let result = result.unwrap();
    assert_eq!(result.end, AgentEnd::Completed, "{result:?}");
    assert_eq!(
        lines.roles(),
        [Role::System, Role::User, Role::Assistant],
        "the prompt is there once"
    );
    let said = lines.messages()[2].text();
    assert!(
        said.starts_with("run --system Be 'brief'. ") && said.ends_with(" work"),
        "{said}"
    );
    let config = std::fs::read_to_string(room.at("home/.made-up/config.json")).unwrap();
    let config: serde_json::Value = serde_json::from_str(&config).unwrap();
    assert_eq!(config["prompt"], "-x \"q\" $(id)");
    assert_eq!(config["seconds"], 3600);
    assert_eq!(result.raw[1], ("stderr".to_owned(), b"warned\n".to_vec()));
    assert_eq!(agent.transcript_source(), TranscriptSource::Agent);
    assert_eq!(result.account.unwrap().warnings, [""; 0]);
}

#[tokio::test]
async fn an_error_of_the_agents_own_ends_it_with_its_kind() {
    for (event, kind) in [
        (
            r#"{"type":"end","outcome":"failed","failure":"refusal","reason":"I will not."}"#,
            Some(FailureKind::Refusal),
        ),
        (
            r#"{"type":"end","outcome":"failed","reason":"Too MANY words."}"#,
            Some(FailureKind::Context),
        ),
        (r#"{"type":"end","outcome":"failed","reason":"hm"}"#, None),
    ] {
        let room = Home::new();
        let agent = room.agent(
            CANONICAL,
            &hello(&format!("say assistant x; echo '{event}'; exit 1")),
        );
        let (result, lines) = run(&agent, &room, &assignment("p")).await;
        let result = result.unwrap();
        let (failure, code, reason) = failed(&result.end);
        assert_eq!((failure, code), (kind, Some(1)), "{reason}");
        assert_eq!(lines.roles()[..2], [Role::User, Role::Assistant]);
    }
}

#[tokio::test]
async fn a_transcript_that_cannot_be_read_is_nobodys_zero() {
    for script in [
        "echo 'Welcome to the agent!'; echo '\\033[2J' >&2",
        "printf '\\377\\376\\0'",
        "printf '[[[[[[[['",
    ] {
        let room = Home::new();
        let (result, _) = run(&room.agent(CANONICAL, script), &room, &assignment("p")).await;
        let error = result.unwrap_err();
        assert!(matches!(error, AgentError::Unreadable { .. }), "{error:?}");
        let text = error.to_string();
        assert!(
            text.starts_with("the transcript of The made-up agent cannot be read: stdout:1: "),
            "{text}"
        );
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}

#[tokio::test]
async fn an_error_in_plain_words_that_a_rule_knows_is_the_agents() {
    let room = Home::new();
    let agent = room.agent(
        CANONICAL,
        "echo plain; echo 'fatal: too many words' >&2; exit 2",
    );
    let (result, _) = run(&agent, &room, &assignment("p")).await;
    let result = result.unwrap();
    let (failure, code, reason) = failed(&result.end);
    assert_eq!((failure, code), (Some(FailureKind::Context), Some(2)));
    assert_eq!(
        reason,
        "The made-up agent exited with 2: fatal: too many words"
    );
}

#[tokio::test]
async fn a_program_that_ends_without_a_word_has_crashed() {
    for (script, code, expected) in [
        (
            "echo one >&2; echo two >&2; echo three >&2; echo four >&2; exit 3",
            3,
            "exited with 3: two / three / four",
        ),
        ("kill -SEGV $$", 139, "exited with 139"),
        ("exit 0", 0, "ended without a word"),
        ("echo odd >&2", 0, "ended without a word: odd"),
        (
            "echo '{\"type\":\"end\",\"outcome\":\"completed\"}'",
            0,
            "ended without a word",
        ),
    ] {
        let room = Home::new();
        let (result, lines) = run(&room.agent(CANONICAL, script), &room, &assignment("p")).await;
        let result = result.unwrap();
        let (failure, exit, reason) = failed(&result.end);
        assert_eq!(
            (failure, exit),
            (Some(FailureKind::Crash), Some(code)),
            "{script}"
        );
        assert!(reason.contains(expected), "{reason}");
        assert_eq!(
            lines.roles(),
            [Role::User],
            "the prompt is in the transcript all the same"
        );
    }
}

#[tokio::test]
async fn what_was_said_before_a_crash_is_kept() {
    let room = Home::new();
    let agent = room.agent(
        CANONICAL,
        &hello("say assistant one; echo boom >&2; exit 70"),
    );
    let (result, lines) = run(&agent, &room, &assignment("p")).await;
    let result = result.unwrap();
    assert_eq!(
        failed(&result.end),
        (
            Some(FailureKind::Crash),
            Some(70),
            "The made-up agent exited with 70: boom"
        )
    );
    assert_eq!(lines.messages()[1].text(), "one");
}

#[tokio::test]
async fn the_session_of_an_agent_whose_time_was_up_is_read() {
    let room = Home::new();
    let script = hello(
        "mkdir -p ~/.made-up/sessions; say assistant early >~/.made-up/sessions/a.jsonl; printf '{\"type\":\"mess' >>~/.made-up/sessions/a.jsonl; exec sleep 60",
    );
    let agent = room.agent(CANONICAL, &script);
    let short = Assignment {
        timeout: Duration::from_secs(2),
        ..assignment("p")
    };
    let (result, lines) = run(&agent, &room, &short).await;
    let result = result.unwrap();
    assert_eq!(result.end, AgentEnd::TimedOut { limit_seconds: 2 });
    assert_eq!(lines.messages()[1].text(), "early");
    let names: Vec<&str> = result.raw.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["stdout", "stderr", "session-0-a.jsonl"]);
    assert!(
        agent.grace() >= Duration::from_secs(30),
        "the engine has to wait for that"
    );

    let silent = room.agent(CANONICAL, "exec sleep 60");
    std::fs::remove_dir_all(room.at("home/.made-up")).unwrap();
    let (result, lines) = run(&silent, &room, &short).await;
    assert_eq!(result.unwrap().end, AgentEnd::TimedOut { limit_seconds: 2 });
    assert_eq!(lines.roles(), [Role::User]);
}

#[tokio::test]
async fn output_and_sessions_without_end_are_cut_and_told_of() {
    let room = Home::new();
    let script = hello(
        "mkdir -p ~/.made-up/sessions; head -c 40000000 /dev/zero >~/.made-up/sessions/z.jsonl; say assistant hi; yes '{\"type\":\"x\"}' | head -c 40000000",
    );
    let agent = room.agent(CANONICAL, &script);
    let (result, _) = run(&agent, &room, &assignment("p")).await;
    // It is the agent's failure, and nobody else's.
    let result = result.unwrap();
    let (failure, code, reason) = failed(&result.end);
    assert_eq!((failure, code), (None, Some(0)));
    assert_eq!(
        reason,
        "The made-up agent left too much: .made-up/sessions/z.jsonl:1: \
         more than 16777216 bytes in a line"
    );
    let warnings = result.account.unwrap().warnings;
    assert!(
        warnings
            .iter()
            .any(|warning| warning.contains("bytes of standard output beyond 33554432 were cut")),
        "{warnings:?}"
    );
    let script = hello("say assistant hi; head -c 50000000 /dev/zero >&2");
    let (result, lines) = run(
        &Home::new().agent(CANONICAL, &script),
        &Home::new(),
        &assignment("p"),
    )
    .await;
    let result = result.unwrap();
    assert_eq!(result.end, AgentEnd::Completed);
    assert_eq!(result.raw[1].1.len(), 32 << 20);
    assert_eq!(lines.roles(), [Role::User, Role::Assistant]);
}

#[tokio::test]
async fn whoever_leaves_too_much_has_failed_whatever_else_it_left() {
    let codex = CANONICAL.replace("format = \"canonical\"", "format = \"codex\"");
    for (adapter, script, code, kind) in [
        // More events than a transcript may have.
        (CANONICAL, "flood", 0, None),
        // The same beside a session that is strange, which is read first.
        (
            codex.as_str(),
            "mkdir -p ~/.made-up/sessions; echo '{\"payload\":{}}' >~/.made-up/sessions/a.jsonl; flood",
            0,
            None,
        ),
        // A rule of the adapter's says what it was about.
        (
            CANONICAL,
            "flood; echo 'too many words' >&2; exit 2",
            2,
            Some(FailureKind::Context),
        ),
    ] {
        let room = Home::new();
        let script = format!("flood() {{ yes '{{\"type\":\"x\"}}' | head -n 100001; }}\n{script}");
        let agent = room.agent(adapter, &script);
        let (result, _) = run(&agent, &room, &assignment("p")).await;
        let result = result.unwrap();
        let (failure, exit, reason) = failed(&result.end);
        assert_eq!((failure, exit), (kind, Some(code)), "{script}");
        assert_eq!(
            reason,
            "The made-up agent left too much: stdout:100001: more than 100000 events"
        );
    }
    let room = Home::new();
    let script = "mkdir -p ~/.made-up/sessions; head -c 17000000 /dev/zero >~/.made-up/sessions/z.jsonl; exec sleep 60";
    let short = Assignment {
        timeout: Duration::from_secs(2),
        ..assignment("p")
    };
    let (result, _) = run(&room.agent(CANONICAL, script), &room, &short).await;
    assert_eq!(result.unwrap().end, AgentEnd::TimedOut { limit_seconds: 2 });
}

#[tokio::test]
async fn sessions_that_are_no_plain_files_are_passed_over() {
    let room = Home::new();
    let script = hello(
        "mkdir -p ~/.made-up/sessions; cd ~/.made-up/sessions; ln -s /etc/passwd a.jsonl; mkfifo b.jsonl; mkdir c.jsonl; ln -s / ../x; : >d.jsonl; say assistant real >'e $(id);.jsonl'; say assistant printed >/dev/null; true",
    );
    let agent = room.agent(CANONICAL, &script);
    let (result, lines) = run(&agent, &room, &assignment("p")).await;
    let result = result.unwrap();
    assert_eq!(result.end, AgentEnd::Completed);
    assert_eq!(lines.messages()[1].text(), "real");
    assert_eq!(result.raw.len(), 3);
    assert_eq!(result.raw[2].0, "session-0-eid.jsonl");
}

#[tokio::test]
async fn where_all_together_makes_no_sense_one_account_is_enough() {
    let room = Home::new();
    let script = hello(
        "mkdir -p ~/.made-up/sessions; head -c 17000000 /dev/zero >~/.made-up/sessions/a.jsonl; say assistant printed",
    );
    let (result, lines) = run(&room.agent(CANONICAL, &script), &room, &assignment("p")).await;
    let result = result.unwrap();
    assert_eq!(result.end, AgentEnd::Completed);
    assert_eq!(lines.roles(), [Role::User, Role::Assistant]);
    assert_eq!(lines.messages()[1].text(), "printed");
    assert_eq!(
        result.account.unwrap().warnings,
        [
            "not all of what the agent left could be read: .made-up/sessions/a.jsonl:1: more than \
             16777216 bytes in a line"
        ]
    );
}

#[tokio::test]
async fn a_program_that_cannot_be_started_is_not_the_agents_fault() {
    let room = Fake::new(|request| {
        if request.argv[0] == "/bin/bash" && request.argv.len() > 2 {
            let stdout = b"/home/agent\n/workspace".to_vec();
            return Ok(proctor_agents::ExecOutput {
                stdout,
                ..Default::default()
            });
        }
        Err(proctor_agents::ShellError::CannotStart {
            program: request.argv[0].clone(),
            reason: "No such file or directory".to_owned(),
        })
    });
    let home = Home::new();
    let mut installation = home.script("");
    installation.command = vec!["/opt/proctor/agents/x/x".to_owned()];
    let adapter = proctor_agents::adapter::Adapter::parse("t.toml", CANONICAL.as_bytes()).unwrap();
    let setup = CliSetup {
        installation,
        model: None,
        mcp_url: None,
        turns: None,
    };
    let agent = CliAgent::new(Arc::new(adapter), setup).unwrap();
    let (result, _) = run(&agent, &room, &assignment("p")).await;
    let error = result.unwrap_err();
    assert!(matches!(error, AgentError::Shell(_)), "{error:?}");
}

#[tokio::test]
async fn a_prompt_that_no_argument_can_hold_ends_the_agent_with_the_reason() {
    let adapter = CANONICAL
        .replace("stdin = \"{prompt}\"", "")
        .replace("\"run\"", "\"{prompt}\"");
    for prompt in ["x".repeat(200_000), "a\0b".to_owned()] {
        let room = Home::new();
        let (result, _) = run(&room.agent(&adapter, "exit 0"), &room, &assignment(&prompt)).await;
        let result = result.unwrap();
        let (failure, code, reason) = failed(&result.end);
        assert_eq!((failure, code), (None, None));
        assert!(
            reason.contains("an argument of the agent would have a NUL")
                || reason.contains("would have 200000 bytes, and may have 130815: "),
            "{reason}"
        );
    }
}

#[test]
fn what_an_agent_cannot_do_is_told_before_it_starts() {
    let home = Home::new();
    let made = |name: &str, api: Option<ModelApi>, turns| {
        let model = api.map(|api| ModelTarget {
            api,
            model: "m".to_owned(),
            base_url: "https://m.test".to_owned(),
            provider: "p".to_owned(),
        });
        let setup = CliSetup {
            installation: home.script(""),
            model,
            mcp_url: None,
            turns,
        };
        CliAgent::new(Arc::new(builtin(name).unwrap()), setup).map(drop)
    };
    made("claude-code", Some(ModelApi::Anthropic), Some(3)).unwrap();
    assert!(matches!(
        made("codex", None, None),
        Err(SetupError::NoModel(_))
    ));
    let error = made("codex", Some(ModelApi::OpenaiChat), None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the agent `codex` cannot ask a model over openai-chat: it speaks openai-responses"
    );
    assert!(matches!(
        made("pi", Some(ModelApi::Gemini), Some(3)),
        Err(SetupError::Turns(_))
    ));
}
