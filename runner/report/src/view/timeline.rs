//! What the agent said and did, beside what the world was asked.

use cap_std::fs::Dir;
use proctor_types::bundle;
use serde::Serialize;
use serde_json::{Value, json};

use super::purse::{List, Purse, Text};
use super::world::{items, text};
use crate::limits;
use crate::read::files::{self, Lines};

/// Bodies of requests up to this length are shown.
const BODY: u64 = 4 << 10;

/// A file of lines as it is shown.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Stream {
    items: List<Value>,
    /// Bytes of the file that were not looked at.
    #[serde(skip_serializing_if = "is_zero")]
    unread: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(value: &u64) -> bool {
    *value == 0
}

impl Stream {
    fn of(
        lines: Lines,
        purse: &mut Purse,
        each: usize,
        view: impl Fn(&mut Purse, usize, &Value) -> Value,
    ) -> Self {
        let numbered = lines.read.into_iter().enumerate();
        let items = purse.list(numbered, each, |purse, (index, line)| match line {
            Ok(value) => view(purse, index + 1, &value),
            Err(raw) => json!({"n": index + 1, "broken": purse.text(&raw)}),
        });
        Self {
            items,
            unread: lines.unread,
            problem: lines.problem,
        }
    }
}

/// The transcript.
pub(crate) fn transcript(evidence: &Dir, purse: &mut Purse) -> Stream {
    let lines = files::lines(evidence, bundle::TRANSCRIPT, limits::LINES_BYTES);
    Stream::of(lines, purse, 120, event)
}

fn event(purse: &mut Purse, n: usize, event: &Value) -> Value {
    let message = &event["message"];
    let mut view = json!({"n": n});
    set(&mut view, "at", &event["timestamp"], purse);
    if !message.is_object() {
        view["type"] = json!(purse.text(text(event, "type")));
        view["other"] = purse.value(event);
        return view;
    }
    for name in ["role", "toolName", "toolCallId", "isError", "model"] {
        set(&mut view, name, &message[name], purse);
    }
    for name in ["details", "usage"] {
        if message[name].is_object() {
            view[name] = purse.value(&message[name]);
        }
    }
    let content = &message["content"];
    if let Some(said) = content.as_str() {
        view["parts"] = json!([{"text": purse.text(said)}]);
        return view;
    }
    let parts = purse.list(items(content), 24, |purse, part| match text(part, "type") {
        "text" => json!({"text": purse.text(text(part, "text"))}),
        "toolCall" => {
            let arguments = ["arguments", "input", "params"];
            let arguments = arguments.into_iter().map(|name| &part[name]);
            let arguments = arguments.clone().find(|value| !value.is_null());
            json!({
                "tool": purse.text(text(part, "name")),
                "id": purse.text(text(part, "id")),
                "arguments": arguments.map(|value| purse.value(value)),
            })
        }
        _ => json!({"other": purse.value(part)}),
    });
    view["parts"] = json!(parts.items);
    if parts.cut > 0 {
        view["cut"] = json!(parts.cut);
    }
    view
}

/// Copies a field if it is there.
fn set(view: &mut Value, name: &str, value: &Value, purse: &mut Purse) {
    if !value.is_null() {
        view[name] = purse.value(value);
    }
}

/// The journal.
pub(crate) fn journal(lines: Lines, evidence: &Dir, purse: &mut Purse) -> Stream {
    Stream::of(lines, purse, 160, |purse, n, line| {
        entry(purse, n, line, evidence)
    })
}

fn entry(purse: &mut Purse, n: usize, line: &Value, evidence: &Dir) -> Value {
    let mut view = json!({"n": line["n"].as_u64().unwrap_or(n as u64)});
    for name in [
        "t_us",
        "kind",
        "service",
        "operation",
        "actor",
        "host",
        "port",
        "method",
        "path",
        "query",
        "status",
        "part_of",
        "via",
        "note",
        "read",
        "changed",
    ] {
        let value = &line[name];
        let empty = value.as_str() == Some("") || value.as_array().is_some_and(Vec::is_empty);
        if !empty {
            set(&mut view, name, value, purse);
        }
    }
    for name in ["request", "response"] {
        if let Some(bytes) = line[name]["bytes"].as_u64().filter(|bytes| *bytes > 0) {
            view[name] = json!(bytes);
        }
    }
    // What was sent matters where it changed something, or was refused.
    let matters = items(&line["changed"]).next().is_some()
        || line["status"].as_u64().is_some_and(|status| status >= 400);
    if matters && let Some(body) = body(&line["request"], evidence, purse) {
        view["body"] = json!(body);
    }
    view
}

fn body(payload: &Value, evidence: &Dir, purse: &mut Purse) -> Option<Text> {
    let sha256 = text(payload, "sha256");
    let kept = payload["kept"].as_bool() == Some(true);
    if !kept || sha256.len() != 64 || !sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let head = files::head(evidence, &format!("{}/{sha256}", bundle::BODIES_DIR), BODY).ok()?;
    let mut text = String::from_utf8_lossy(&head.bytes).into_owned();
    if let Ok(value) = serde_json::from_slice::<Value>(&head.bytes) {
        text = serde_json::to_string_pretty(&value).unwrap_or(text);
    }
    let cut = usize::try_from(head.length - head.bytes.len() as u64).unwrap_or(usize::MAX);
    Some(match purse.text(&text) {
        Text::Whole(t) if cut > 0 => Text::Cut { t, cut },
        other => other,
    })
}

/// Calls of a judge.
pub(crate) fn judge(trial: &Dir, purse: &mut Purse) -> Stream {
    let lines = files::lines(trial, "judge.jsonl", limits::LINES_BYTES);
    Stream::of(lines, purse, 200, |purse, n, call| {
        let request = &call["request"];
        let mut view = json!({"n": n});
        for name in ["criterion", "judge", "vote", "attempt"] {
            set(&mut view, name, &request[name], purse);
        }
        for name in ["provider", "model", "usage", "at", "seconds", "failure"] {
            set(&mut view, name, &call[name], purse);
        }
        view["user"] = json!(purse.text(text(request, "user")));
        let answer = call["answer"].as_str().unwrap_or(text(call, "reply"));
        view["answer"] = json!(purse.text(answer));
        // The rules are the same in every call.
        if n == 1 {
            view["system"] = json!(purse.text(text(request, "system")));
        }
        view
    })
}

/// What the agent's model was asked, without the bodies.
pub(crate) fn model(evidence: &Dir, purse: &mut Purse) -> Stream {
    let lines = files::lines(evidence, bundle::MODEL, limits::LINES_BYTES);
    Stream::of(lines, purse, 160, |purse, n, exchange| {
        let mut view = json!({"n": n});
        for name in [
            "seq",
            "asked",
            "answered",
            "status",
            "usage",
            "estimated",
            "stop",
            "end",
            "failure",
            "removed",
            "attempts",
        ] {
            set(&mut view, name, &exchange[name], purse);
        }
        set(&mut view, "usd", &exchange["cost"]["usd"], purse);
        set(&mut view, "ms", &exchange["clock"]["total_ms"], purse);
        view
    })
}
