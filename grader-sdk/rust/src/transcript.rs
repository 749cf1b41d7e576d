//! The transcript: what the agent said and called.

use std::collections::BTreeMap;

use proctor_types::bundle;
use proctor_types::transcript::{Event, Message, Part, Role, ToolCall};

use crate::Error;
use crate::source::{Source, lines};

/// The canonical events of a trial, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Transcript {
    events: Vec<Event>,
    /// Number of the event with the first answer to each tool call.
    results: BTreeMap<String, u64>,
}

/// Something at an event of the transcript.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct At<T> {
    /// Number of the event from 1, as [citations](crate::cite::transcript)
    /// count them.
    pub event: u64,
    /// What is there.
    pub item: T,
}

impl Transcript {
    pub(crate) fn read(source: &dyn Source) -> Result<Self, Error> {
        let mut lines = lines(source, bundle::TRANSCRIPT)?;
        let mut events = Vec::new();
        while let Some((_, event)) = lines.next()? {
            events.push(event);
        }
        let mut transcript = Self {
            events,
            results: BTreeMap::new(),
        };
        let mut results = BTreeMap::new();
        for at in transcript.messages(Role::ToolResult) {
            if let Some(call) = &at.item.tool_call_id {
                results.entry(call.clone()).or_insert(at.event);
            }
        }
        transcript.results = results;
        Ok(transcript)
    }

    /// All events.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// What the agent said, one text a message, without empty ones.
    pub fn assistant_texts(&self) -> impl Iterator<Item = At<String>> {
        self.messages(Role::Assistant)
            .map(|at| At {
                event: at.event,
                item: at.item.text(),
            })
            .filter(|at| !at.item.is_empty())
    }

    /// Tool calls of the agent.
    pub fn tool_calls(&self) -> impl Iterator<Item = At<&ToolCall>> {
        self.messages(Role::Assistant).flat_map(|at| {
            at.item.content.iter().filter_map(move |part| match part {
                Part::ToolCall(call) => Some(At {
                    event: at.event,
                    item: call,
                }),
                _ => None,
            })
        })
    }

    /// Shell commands that the agent ran.
    pub fn commands(&self) -> impl Iterator<Item = At<&str>> {
        self.tool_calls().filter_map(|at| {
            Some(At {
                event: at.event,
                item: at.item.command()?,
            })
        })
    }

    /// Answer to the tool call with this id.
    pub fn result_of(&self, call: &str) -> Option<At<&Message>> {
        let event = *self.results.get(call)?;
        let index = usize::try_from(event).ok()?.checked_sub(1)?;
        let item = self.events.get(index)?.message.as_ref()?;
        Some(At { event, item })
    }

    fn messages(&self, role: Role) -> impl Iterator<Item = At<&Message>> {
        (1..).zip(&self.events).filter_map(move |(event, entry)| {
            let message = entry.message.as_ref()?;
            (message.role == role).then_some(At {
                event,
                item: message,
            })
        })
    }
}
