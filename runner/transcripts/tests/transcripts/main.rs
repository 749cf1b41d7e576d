//! Readers against what real agents left behind, and against what nobody
//! should have.

#![allow(clippy::unwrap_used, reason = "a test's helpers are tests, too")]

mod database;
mod hostile;
mod samples;
mod trajectory;

use std::fs;
use std::path::Path;

use proctor_transcripts::{Format, NativeEnd, NativeFile, ReadError, ReadLimits, Transcript, read};
use proctor_types::Usage;
use proctor_types::manifest::FailureKind;
use proctor_types::transcript::{Event, Part, Role};

/// A sample as a file.
fn sample(name: &str) -> NativeFile {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/samples")
        .join(name);
    NativeFile::new(name, fs::read(path).unwrap())
}

fn file(name: &str, text: impl AsRef<[u8]>) -> NativeFile {
    NativeFile::new(name, text.as_ref())
}

fn read_all(format: Format, files: &[NativeFile]) -> Result<Transcript, ReadError> {
    read(format, files, &ReadLimits::default())
}

/// The transcript of samples.
fn transcript(format: Format, names: &[&str]) -> Transcript {
    let files: Vec<NativeFile> = names.iter().map(|name| sample(name)).collect();
    read_all(format, &files).unwrap_or_else(|error| panic!("{names:?}: {error}"))
}

/// Each event as a line: who, what, and what is known of it.
fn told(transcript: &Transcript) -> Vec<String> {
    transcript.events.iter().map(line).collect()
}

fn line(event: &Event) -> String {
    let Some(message) = &event.message else {
        let kind = ["type", "status"]
            .iter()
            .find_map(|key| event.other.get("event")?.get(*key)?.as_str());
        return format!("{} {}", event.kind, kind.unwrap_or("?"));
    };
    let parts: Vec<String> = message
        .content
        .iter()
        .map(|part| match part {
            Part::Text { text } => text.clone(),
            Part::ToolCall(call) => {
                let arguments = serde_json::to_string(&call.arguments).unwrap();
                format!("{}{arguments} #{}", call.name, call.id)
            }
            Part::Other(fields) => format!("({})", fields["type"].as_str().unwrap_or("?")),
        })
        .collect();
    let said = parts.join(" | ");
    match message.role {
        Role::System => "system".to_owned(),
        Role::User => format!("user: {said}"),
        Role::Assistant => format!("agent: {said}"),
        Role::ToolResult => {
            let exit = message
                .details
                .as_ref()
                .and_then(|details| details.exit_code);
            format!(
                "{} #{}{}{}: {}",
                message.tool_name.as_deref().unwrap_or("?"),
                message.tool_call_id.as_deref().unwrap_or("?"),
                exit.map(|code| format!(" exit {code}")).unwrap_or_default(),
                if message.is_error == Some(true) {
                    " error"
                } else {
                    ""
                },
                said.replace('\n', "/"),
            )
        }
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "what it is compared with may be missing"
)]
fn usage(
    input: u64,
    cache_read: u64,
    cache_write: u64,
    output: u64,
    reasoning: u64,
) -> Option<Usage> {
    Some(Usage {
        input,
        cache_read,
        cache_write,
        output,
        reasoning,
    })
}

/// The usages of the agent's messages, in order.
fn usages(transcript: &Transcript) -> Vec<Option<Usage>> {
    let messages = transcript
        .events
        .iter()
        .filter_map(|event| event.message.as_ref());
    messages
        .filter(|message| message.role == Role::Assistant)
        .map(|message| message.usage)
        .collect()
}

fn failure(transcript: &Transcript) -> Option<FailureKind> {
    match &transcript.end {
        Some(NativeEnd::Failed { failure, .. }) => *failure,
        other => panic!("not a failure: {other:?}"),
    }
}
