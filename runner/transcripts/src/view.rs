//! The canonical transcript as graders in Python know it from `OpenClaw`.

use proctor_types::transcript::{Event, Part, Role};
use serde_json::{Map, Value, json};

/// `event` in the shape of a line of `OpenClaw`'s session.
///
/// The canonical model has that shape but for what this adds: token counts
/// under `OpenClaw`'s names (`cacheRead`, `cacheWrite`, `totalTokens`; the
/// canonical names stay), and `stopReason` and `errorMessage` inside of the
/// agent's messages, where `OpenClaw` has them. For every line that is handed
/// to a grader in Python, and for nothing that is kept: reading it back gives
/// the same event with two more fields.
pub fn openclaw_view(event: &Event) -> Value {
    // An event is made of strings, numbers and JSON: it has no other keys.
    let Ok(Value::Object(mut line)) = serde_json::to_value(event) else {
        return json!({"type": event.kind});
    };
    let Some(message) = &event.message else {
        return Value::Object(line);
    };
    let mut moved = Map::new();
    if message.role == Role::Assistant {
        for key in ["stopReason", "errorMessage"] {
            if let Some(value) = line.shift_remove(key) {
                moved.insert(key.into(), value);
            }
        }
        let calls = |part: &Part| matches!(part, Part::ToolCall(_));
        let stop = if message.content.iter().any(calls) {
            "toolUse"
        } else {
            "stop"
        };
        moved.entry("stopReason").or_insert_with(|| stop.into());
    }
    if let Some(Value::Object(fields)) = line.get_mut("message") {
        if let (Some(usage), Some(Value::Object(counts))) = (message.usage, fields.get_mut("usage"))
        {
            counts.insert("cacheRead".into(), usage.cache_read.into());
            counts.insert("cacheWrite".into(), usage.cache_write.into());
            counts.insert("totalTokens".into(), usage.total().into());
        }
        fields.extend(moved);
    }
    Value::Object(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proctor_types::Usage;
    use proctor_types::transcript::Message;

    #[test]
    fn token_counts_have_the_names_of_openclaw() {
        let mut message = Message::new(Role::Assistant, vec![Part::text("done")]);
        message.usage = Some(Usage {
            input: 95,
            cache_read: 5,
            cache_write: 0,
            output: 20,
            reasoning: 0,
        });
        let mut event = Event::message(None, message);
        event.other.insert("id".into(), "x1".into());
        event.other.insert("errorMessage".into(), "odd".into());
        let line = openclaw_view(&event);
        let usage = &line["message"]["usage"];
        for (key, count) in [
            ("input", 95),
            ("output", 20),
            ("cacheRead", 5),
            ("cacheWrite", 0),
            ("totalTokens", 120),
        ] {
            assert_eq!(usage[key], count, "{key}");
        }
        assert_eq!(line["message"]["stopReason"], "stop");
        assert_eq!(line["message"]["errorMessage"], "odd");
        assert_eq!(
            (line["id"].as_str(), line.get("errorMessage")),
            (Some("x1"), None)
        );
        let back: Event = serde_json::from_value(line).unwrap();
        assert_eq!(back.message.unwrap().usage, event.message.unwrap().usage);
    }
}
