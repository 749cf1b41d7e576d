//! Cutting texts that are too long. Each function gives how many bytes are gone.

use proctor_types::transcript::Part;
use serde_json::Value;

/// Cuts every string in `part`.
pub(crate) fn cut_part(part: &mut Part, limit: usize) -> u64 {
    match part {
        Part::Text { text } => cut_text(text, limit),
        Part::ToolCall(call) => call
            .arguments
            .values_mut()
            .map(|value| cut(value, limit))
            .sum(),
        Part::Other(fields) => fields.values_mut().map(|value| cut(value, limit)).sum(),
    }
}

/// Cuts every string in `value`; depth is bounded by the scan before parsing.
pub(crate) fn cut(value: &mut Value, limit: usize) -> u64 {
    match value {
        Value::String(text) => cut_text(text, limit),
        Value::Array(items) => items.iter_mut().map(|item| cut(item, limit)).sum(),
        Value::Object(fields) => fields.values_mut().map(|field| cut(field, limit)).sum(),
        _ => 0,
    }
}

/// Cuts `text` to `limit` bytes, between characters.
pub(crate) fn cut_text(text: &mut String, limit: usize) -> u64 {
    if text.len() <= limit {
        return 0;
    }
    let end = text.floor_char_boundary(limit);
    let gone = text.len() - end;
    text.truncate(end);
    gone as u64
}
