//! What went over the wire against what the transcript tells.
//!
//! A transcript is what an agent wrote of itself. The gateway saw each call of
//! a tool that the model asked for; one that the transcript does not have was
//! left out, or was cut off before the agent could make it.

use std::collections::{BTreeMap, BTreeSet};

use proctor_types::Event;
use proctor_types::model::Exchange;
use proctor_types::transcript::{Part, Role};

/// Tools that are named in a warning.
const NAMED: usize = 8;

/// Calls that were seen on the wire and are not in the transcript, in words.
/// `None` where there are none.
///
/// A call is known by its identifier. Agents that give calls identifiers of
/// their own have none of those of the wire; theirs are counted by tool.
pub(crate) fn unseen(exchanges: &[Exchange], transcript: &[Event]) -> Option<String> {
    let told = Told::of(transcript);
    let wire: Vec<_> = exchanges
        .iter()
        .filter(|exchange| exchange.end.is_ok())
        .flat_map(|exchange| &exchange.tool_calls)
        .collect();
    let by_id = wire
        .iter()
        .any(|call| call.id.as_deref().is_some_and(|id| told.ids.contains(id)));
    // A reply can be asked for twice, and one call be in both.
    let mut once = BTreeSet::new();
    let mut missing: BTreeMap<&str, usize> = BTreeMap::new();
    for call in wire {
        let is_new = call.id.as_deref().is_none_or(|id| once.insert(id));
        let is_told = call.id.as_deref().is_some_and(|id| told.ids.contains(id));
        if is_new && !is_told {
            *missing.entry(&call.name).or_default() += 1;
        }
    }
    if !by_id {
        for (name, count) in &told.names {
            if let Some(left) = missing.get_mut(name) {
                *left = left.saturating_sub(*count);
            }
        }
    }
    missing.retain(|_, count| *count > 0);
    if missing.is_empty() {
        return None;
    }
    let mut names: Vec<String> = missing
        .iter()
        .take(NAMED)
        .map(|(name, count)| format!("{} ({count})", crate::printable(name)))
        .collect();
    if missing.len() > NAMED {
        names.push("...".to_owned());
    }
    Some(format!(
        "calls of tools that came from the model and are not in the transcript: {}",
        names.join(", ")
    ))
}

/// The calls that a transcript has.
struct Told<'a> {
    ids: BTreeSet<&'a str>,
    names: BTreeMap<&'a str, usize>,
}

impl<'a> Told<'a> {
    fn of(transcript: &'a [Event]) -> Self {
        let mut told = Self {
            ids: BTreeSet::new(),
            names: BTreeMap::new(),
        };
        let messages = transcript.iter().filter_map(|event| event.message.as_ref());
        for message in messages.filter(|message| message.role == Role::Assistant) {
            for part in &message.content {
                if let Part::ToolCall(call) = part {
                    told.ids.insert(&call.id);
                    *told.names.entry(&call.name).or_default() += 1;
                }
            }
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use proctor_types::model::{ExchangeClock, ExchangeEnd, ToolUse};
    use proctor_types::transcript::{Message, ToolCall};

    use super::*;

    fn exchange(calls: &[(Option<&str>, &str)], end: ExchangeEnd) -> Exchange {
        let tool_calls = calls.iter().map(|(id, name)| ToolUse {
            id: id.map(str::to_owned),
            name: (*name).to_owned(),
        });
        Exchange {
            seq: 0,
            clock: ExchangeClock::default(),
            method: "POST".to_owned(),
            host: "api.anthropic.com".to_owned(),
            path: "/v1/messages".to_owned(),
            api: None,
            asked: None,
            rewritten: None,
            answered: None,
            removed: Vec::new(),
            streamed: false,
            status: Some(200),
            attempts: 1,
            usage: None,
            estimated: false,
            cost: None,
            tool_calls: tool_calls.collect(),
            stop: None,
            request_bytes: 0,
            reply_bytes: 0,
            end,
            failure: None,
            request: None,
            reply: None,
        }
    }

    fn told(calls: &[(&str, &str)]) -> Vec<Event> {
        let calls = calls.iter().map(|(id, name)| {
            Part::ToolCall(ToolCall {
                id: (*id).to_owned(),
                name: (*name).to_owned(),
                arguments: serde_json::Map::new(),
            })
        });
        vec![Event::message(
            None,
            Message::new(Role::Assistant, calls.collect()),
        )]
    }

    #[test]
    fn calls_are_known_by_their_identifiers() {
        let wire = [
            exchange(&[(Some("a"), "Bash"), (Some("b"), "Bash")], ExchangeEnd::Ok),
            // Asked for again after the connection broke.
            exchange(&[(Some("b"), "Bash")], ExchangeEnd::Ok),
        ];
        assert_eq!(unseen(&wire, &told(&[("a", "Bash"), ("b", "Bash")])), None);
        assert_eq!(
            unseen(&wire, &told(&[("a", "Bash")])).as_deref(),
            Some("calls of tools that came from the model and are not in the transcript: Bash (1)")
        );
    }

    #[test]
    fn agents_that_number_calls_themselves_are_counted() {
        let wire = [exchange(
            &[(None, "exec"), (None, "exec"), (Some("x"), "read")],
            ExchangeEnd::Ok,
        )];
        let all = told(&[("1", "exec"), ("2", "exec"), ("3", "read")]);
        assert_eq!(unseen(&wire, &all), None);
        let text = unseen(&wire, &told(&[("1", "exec")])).unwrap();
        assert!(text.ends_with("exec (1), read (1)"), "{text}");
    }

    #[test]
    fn a_reply_that_broke_off_asked_for_nothing() {
        let cut = ExchangeEnd::Cut {
            reason: "reset".to_owned(),
        };
        assert_eq!(unseen(&[exchange(&[(None, "exec")], cut)], &[]), None);
    }
}
