//! Filters that never end, fill the memory or overflow the stack, against the
//! real `proctor-capture`.

use std::time::Duration;

use proctor_agents::capture::program;
use proctor_agents::{ExecOutput, ExecRequest, Shell};
use proctor_types::manifest::AgentEnd;

use crate::rooms::{CAPTURE, Fake, Host, play};

/// Filters that must end in one of the limits.
const BOMBS: &[&str] = &[
    "last(repeat(.))",
    "last(range(1e12))",
    "[range(1e12)]",
    "reduce range(1e12) as $i (0; . + 1)",
    "def f: f; f",
    "def f: 1 + f; f",
    "def f: [f]; f",
    "\"x\" * 1e12",
    "[limit(1e9; repeat(\"xxxxxxxxxxxxxxxx\"))] | join(\"\")",
    "until(false; .)",
    "last(while(true; . + 1))",
    "[combinations(40)]",
    "pow(10; 1e9) | tostring | test(\"(x+x+)+y\") | until(false; .)",
];

async fn capture(filter: &str, document: &str) -> ExecOutput {
    let request = ExecRequest {
        argv: vec![CAPTURE.to_owned(), filter.to_owned()],
        env: Vec::new(),
        cwd: None,
        stdin: Some(document.as_bytes().to_vec()),
        timeout: Duration::from_mins(1),
        output_cap_bytes: 1 << 20,
    };
    Host.exec(request).await.unwrap()
}

#[tokio::test]
async fn no_filter_outlives_its_limits() {
    // Two at a time: each may take half a gigabyte before it is stopped.
    for pair in BOMBS.chunks(2) {
        let both = pair.iter().map(|filter| capture(filter, "[[1,2],[3,4]]"));
        for (filter, output) in pair.iter().zip(futures(both).await) {
            assert!(
                !output.timed_out,
                "{filter} was still running after a minute"
            );
            assert_ne!(
                output.exit_code,
                0,
                "{filter} printed {} bytes",
                output.stdout.len()
            );
            assert!(output.stdout.is_empty(), "{filter}");
        }
    }
}

/// Runs all of them at once.
async fn futures(
    all: impl Iterator<Item = impl Future<Output = ExecOutput> + Send + 'static>,
) -> Vec<ExecOutput> {
    let tasks: Vec<_> = all.map(tokio::spawn).collect();
    let mut outputs = Vec::new();
    for task in tasks {
        outputs.push(task.await.unwrap());
    }
    outputs
}

#[tokio::test]
async fn a_bomb_is_the_script_s_failure_with_its_step() {
    for filter in ["[range(1e12)]", "def f: 1 + f; f", "last(repeat(.))"] {
        let room = Fake::printing("1");
        let steps = format!("steps:\n- run: x\n- run: x\n  capture:\n    a: '{filter}'\n");
        let (run, lines) = play(&steps, &room).await;
        let AgentEnd::Failed { reason, .. } = run.unwrap().end else {
            panic!("{filter}")
        };
        assert!(
            reason.starts_with("step 2: cannot capture `a`: the filter used up its time, memory"),
            "{filter}: {reason}"
        );
        assert_eq!(lines.results().len(), 2, "the transcript is kept");
    }
}

#[tokio::test]
async fn the_program_answers_once_and_on_the_right_stream() {
    let output = capture(".a", r#"{"a": "x"}"#).await;
    assert_eq!(
        (output.exit_code, output.stdout.as_slice()),
        (0, b"x".as_slice())
    );
    let output = capture(".a", "{}").await;
    assert_eq!(output.exit_code, program::REFUSED);
    assert!(output.stdout.is_empty() && output.stderr.ends_with(b"such value\n"));
    let output = capture("$ENV | length", "{}").await;
    assert_ne!(
        output.stdout, b"0",
        "the environment is the room's, whatever it is"
    );
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    assert_eq!(capture(".", &deep).await.exit_code, program::REFUSED);
}
