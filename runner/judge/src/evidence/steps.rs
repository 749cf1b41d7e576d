//! The transcript as exhibits: what was asked, what the agent said last, and
//! what it did in short.

use std::fmt::Write as _;

use proctor_types::Citation;
use proctor_types::Event;
use proctor_types::transcript::{Message, Part, Role, ToolCall};
use proctor_types::verdict::Exhibit;

use super::{Allowance, exhibit};
use crate::text::{excerpt, shortened};

/// Steps in one exhibit at most.
const STEPS: usize = 20;
/// What is shown of a message in between, in bytes.
const SAID: usize = 400;
/// What is shown of a call's arguments.
const CALLED: usize = 300;
/// What is shown of a tool's answer.
const ANSWERED: usize = 160;

fn messages(transcript: &[Event]) -> impl DoubleEndedIterator<Item = (u64, &Message)> {
    let numbered = transcript.iter().enumerate();
    numbered.filter_map(|(at, event)| Some((at as u64 + 1, event.message.as_ref()?)))
}

/// What the task asked for, word for word.
pub(super) fn prompts(transcript: &[Event]) -> Vec<Exhibit> {
    messages(transcript)
        .filter(|(_, message)| message.role == Role::User)
        .map(|(n, message)| {
            let title = "What the agent was asked to do";
            exhibit(title, Citation::Transcript(n), message.text())
        })
        .filter(|exhibit| !exhibit.text.trim().is_empty())
        .collect()
}

/// The last thing that the agent said.
pub(super) fn last_message(transcript: &[Event], bytes: usize) -> Option<Exhibit> {
    let (n, text) = messages(transcript)
        .rev()
        .filter(|(_, message)| message.role == Role::Assistant)
        .map(|(n, message)| (n, message.text()))
        .find(|(_, text)| !text.trim().is_empty())?;
    Some(exhibit(
        "The agent's last message",
        Citation::Transcript(n),
        shortened(&text, bytes).into_owned(),
    ))
}

/// A piece of the steps.
struct Piece {
    first: u64,
    last: u64,
    text: String,
}

/// What the agent said, called and was answered, a line each. Where there are
/// too many the middle is left out: how it began and how it ended tells most.
pub(super) fn steps(transcript: &[Event], allowance: &Allowance) -> Vec<Exhibit> {
    let pieces = pieces(transcript, allowance.each_bytes);
    let count = allowance
        .count
        .min(allowance.total_bytes / allowance.each_bytes.max(1));
    let (head, tail) = if pieces.len() <= count {
        (pieces.len(), 0)
    } else {
        (count / 3, count - count / 3)
    };
    let skipped = head..pieces.len() - tail;
    let mut out = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        if at == skipped.start && !skipped.is_empty() {
            let (first, last) = (piece.first, pieces[skipped.end - 1].last);
            out.push(exhibit(
                &format!("Steps {first} to {last}"),
                Citation::Transcript(first),
                format!("(Steps {first} to {last} are left out for their length.)"),
            ));
        }
        if !skipped.contains(&at) {
            out.push(exhibit(
                &format!(
                    "Steps {} to {} of the agent, in short",
                    piece.first, piece.last
                ),
                Citation::Transcript(piece.first),
                piece.text.clone(),
            ));
        }
    }
    out
}

fn pieces(transcript: &[Event], bytes: usize) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut in_piece = 0;
    for (n, message) in messages(transcript) {
        let lines = lines(n, message);
        if lines.is_empty() {
            continue;
        }
        match pieces.last_mut() {
            Some(piece) if in_piece < STEPS && piece.text.len() + lines.len() <= bytes => {
                piece.text.push_str(&lines);
                piece.last = n;
                in_piece += 1;
            }
            _ => {
                pieces.push(Piece {
                    first: n,
                    last: n,
                    text: shortened(&lines, bytes).into_owned(),
                });
                in_piece = 1;
            }
        }
    }
    pieces
}

fn lines(n: u64, message: &Message) -> String {
    let mut out = String::new();
    match message.role {
        // Shown whole, as prompts.
        Role::System | Role::User => {}
        Role::Assistant => {
            for part in &message.content {
                match part {
                    Part::Text { text } if !text.trim().is_empty() => {
                        _ = writeln!(out, "{n}. says: {}", excerpt(text, SAID));
                    }
                    Part::ToolCall(call) => _ = writeln!(out, "{n}. calls {}", called(call)),
                    // What a model thinks is nothing that it did.
                    Part::Text { .. } | Part::Other(_) => {}
                }
            }
        }
        Role::ToolResult => {
            let tool = message.tool_name.as_deref().unwrap_or("the tool");
            let text = excerpt(&message.text(), ANSWERED);
            let text = if text.is_empty() { "(nothing)" } else { &text };
            _ = writeln!(
                out,
                "{n}. {} answers{}: {text}",
                excerpt(tool, 60),
                how(message)
            );
        }
    }
    out
}

fn called(call: &ToolCall) -> String {
    let name = excerpt(&call.name, 60);
    match call.command() {
        Some(command) => format!("{name}: {}", excerpt(command, CALLED)),
        None if call.arguments.is_empty() => name,
        None => {
            // An object of JSON values has no way to fail.
            let arguments = serde_json::to_string(&call.arguments).unwrap_or_default();
            format!("{name}: {}", excerpt(&arguments, CALLED))
        }
    }
}

fn how(message: &Message) -> String {
    let details = message.details.as_ref();
    match (details, message.is_error) {
        (Some(details), _) if details.timed_out => " (its time was up)".to_owned(),
        (Some(details), _) if details.exit_code.is_some_and(|code| code != 0) => {
            format!(" (exit code {})", details.exit_code.unwrap_or_default())
        }
        (_, Some(true)) => " (an error)".to_owned(),
        _ => String::new(),
    }
}
