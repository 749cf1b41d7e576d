//! From native files to the transcript.

use proctor_transcripts::{NativeFile, ReadError, Transcript};
use proctor_types::transcript::{Event, Message, Part, Role};

use super::collect::limits;
use crate::adapter::TranscriptWay;
use crate::agent::Assignment;
use crate::room::ExecOutput;
use crate::transcript::{TranscriptError, TranscriptWriter};

/// Why there is no transcript.
#[derive(Debug)]
pub(super) enum Unread {
    /// The agent left nothing in which anybody says anything.
    Nothing,
    /// It left more than is read of anybody: which bound was met.
    TooMuch(String),
    /// What it left is not what its adapter says: with a sample.
    Strange(String),
}

/// Reads what the agent left: all of it together; or, where that fails, its
/// session files or its output alone, in that order.
pub(super) async fn read(
    way: &TranscriptWay,
    sessions: Vec<NativeFile>,
    output: &ExecOutput,
    warnings: &mut Vec<String>,
) -> Result<Transcript, Unread> {
    let printed = (way.stdout && !output.stdout.is_empty())
        .then(|| NativeFile::new("stdout", output.stdout.clone()));
    let format = way.format;
    // Parsing some ten megabytes takes a while, and is no work for the threads
    // that serve the other trials' worlds.
    let reading = tokio::task::spawn_blocking(move || {
        let mut ways = vec![[sessions.as_slice(), printed.as_slice()].concat()];
        if !sessions.is_empty() && printed.is_some() {
            ways.push(sessions);
            ways.extend(printed.map(|printed| vec![printed]));
        }
        let mut first = None;
        for files in ways.iter().filter(|files| !files.is_empty()) {
            match proctor_transcripts::read(format, files, &limits()) {
                Ok(transcript) => return (Some(transcript), first),
                Err(error) => note(&mut first, error),
            }
        }
        (None, first)
    });
    match reading.await {
        Ok((Some(transcript), error)) => {
            if let Some(error) = error {
                warnings.push(format!(
                    "not all of what the agent left could be read: {error}"
                ));
            }
            Ok(transcript)
        }
        Ok((None, None | Some(ReadError::NoFiles { .. } | ReadError::NoMessages { .. }))) => {
            Err(Unread::Nothing)
        }
        Ok((None, Some(error @ ReadError::TooLarge { .. }))) => {
            Err(Unread::TooMuch(error.to_string()))
        }
        Ok((None, Some(error))) => Err(Unread::Strange(error.to_string())),
        Err(error) => Err(Unread::Strange(format!(
            "the reader of {format} failed: {error}"
        ))),
    }
}

/// Keeps the error that is to be told: the first, but that a bound which was met
/// comes before everything else. Too much of one thing is not made good by
/// another that is strange.
fn note(kept: &mut Option<ReadError>, error: ReadError) {
    let is_bound = |error: &ReadError| matches!(error, ReadError::TooLarge { .. });
    if kept.is_none() || (is_bound(&error) && !kept.as_ref().is_some_and(is_bound)) {
        *kept = Some(error);
    }
}

/// Writes the events after the transcript's opening, which has the prompts
/// already.
pub(super) fn write(
    native: &Transcript,
    assignment: &Assignment<'_>,
    transcript: &mut TranscriptWriter,
) -> Result<(), TranscriptError> {
    let prompt = assignment.prompt.trim();
    let mut is_open = true;
    for event in &native.events {
        if is_open && let Some(message) = &event.message {
            // Agents add to it: a date, a context, the system prompt.
            if message.role == Role::User && message.text().contains(prompt) {
                is_open = false;
                continue;
            }
            is_open = message.role != Role::Assistant;
        }
        transcript.event(event)?;
    }
    Ok(())
}

/// Whether the agent says or does anything in it.
pub(super) fn speaks(native: &Transcript) -> bool {
    let said = |message: &Message| {
        message.role == Role::Assistant
            && message.content.iter().any(|part| match part {
                Part::Text { text } => !text.trim().is_empty(),
                Part::ToolCall(_) | Part::Other(_) => true,
            })
    };
    let mut messages = native
        .events
        .iter()
        .filter_map(|event: &Event| event.message.as_ref());
    messages.any(said)
}
