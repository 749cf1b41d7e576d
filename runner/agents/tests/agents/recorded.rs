//! Errors of the real agents, recorded against a server that answered 401, 400
//! (the context is too long), 429 and 500 in the error shapes of the APIs.
//! Versions are those of the adapters.

use std::path::Path;
use std::sync::Arc;

use proctor_agents::adapter::builtin;
use proctor_agents::{CliAgent, CliSetup, ModelTarget};
use proctor_types::ModelApi;
use proctor_types::manifest::{AgentEnd, FailureKind};

use crate::homes::Home;
use crate::rooms::{assignment, run};

const CASES: &[(&str, u16, i32, FailureKind)] = &[
    ("claude-code", 401, 1, FailureKind::Authentication),
    ("claude-code", 400, 1, FailureKind::Context),
    ("claude-code", 429, 1, FailureKind::RateLimit),
    ("claude-code", 500, 1, FailureKind::Upstream),
    ("codex", 401, 1, FailureKind::Authentication),
    ("codex", 400, 1, FailureKind::Context),
    ("codex", 429, 1, FailureKind::RateLimit),
    ("codex", 500, 1, FailureKind::Upstream),
    ("gemini-cli", 401, 145, FailureKind::Authentication),
    ("gemini-cli", 429, 173, FailureKind::RateLimit),
    ("gemini-cli", 500, 244, FailureKind::Upstream),
    ("opencode", 401, 1, FailureKind::Authentication),
    ("opencode", 400, 1, FailureKind::Context),
    ("openclaw", 401, 1, FailureKind::Authentication),
    ("openclaw", 400, 1, FailureKind::Context),
    ("pi", 401, 0, FailureKind::Authentication),
    ("pi", 400, 0, FailureKind::Context),
    ("pi", 429, 0, FailureKind::RateLimit),
    ("pi", 500, 0, FailureKind::Upstream),
];

#[tokio::test]
async fn errors_of_the_real_agents_are_of_the_right_kind() {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/recorded");
    for (name, status, code, kind) in CASES {
        let file = |end: &str| {
            recorded
                .join(format!("{name}.{status}.{end}"))
                .display()
                .to_string()
        };
        let script = format!(
            "cat '{}'; cat '{}' >&2 2>/dev/null; exit {code}",
            file("out"),
            file("err")
        );
        let room = Home::new();
        let adapter = builtin(name).unwrap();
        let api = adapter.choose(&ModelApi::ALL).unwrap();
        let model = ModelTarget {
            api,
            model: "m".to_owned(),
            base_url: "http://model.proctor.test".to_owned(),
            provider: "openai-compatible".to_owned(),
        };
        let setup = CliSetup {
            installation: room.script(&script),
            model: Some(model),
            mcp_url: None,
            turns: None,
        };
        let agent = CliAgent::new(Arc::new(adapter), setup).unwrap();
        let (result, _) = run(&agent, &room, &assignment("p")).await;
        let end = result
            .unwrap_or_else(|error| panic!("{name} {status}: {error}"))
            .end;
        let AgentEnd::Failed {
            exit_code,
            failure,
            reason,
        } = end
        else {
            panic!("{name} {status}: {end:?}")
        };
        assert_eq!(
            (failure, exit_code),
            (Some(*kind), Some(*code)),
            "{name} {status}: {reason}"
        );
    }
}
