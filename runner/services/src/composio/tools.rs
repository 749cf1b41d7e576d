//! Tools as Composio lists them.

use serde_json::{Value, json};

use super::meta::Meta;
use crate::mcp::Tool;

/// The one version that there is of every tool.
const VERSION: &str = "20260101_00";

/// What a result is, as JSON Schema.
fn output() -> Value {
    json!({
        "type": "object",
        "properties": {
            "successful": {"type": "boolean", "description": "Whether it worked."},
            "error": {"type": ["string", "null"], "description": "What to do where it did not."},
            "data": {"type": "object", "description": "What came of it."},
        },
        "required": ["successful", "data"],
    })
}

/// A tool of a service.
pub(super) fn json(tool: &Tool) -> Value {
    let toolkit = tool.toolkit;
    let hint = if tool.reads {
        json!(["readOnlyHint"])
    } else {
        json!(["updateHint"])
    };
    described(
        (tool.slug, tool.title, tool.description()),
        &Value::Object(tool.schema().as_ref().clone()),
        &json!({"slug": toolkit.slug(), "name": toolkit.title(), "logo": ""}),
        &hint,
    )
}

/// A tool of Composio's own.
pub(super) fn meta(tool: &Meta) -> Value {
    described(
        (tool.slug, tool.title, tool.description),
        &(tool.schema)(),
        &json!({"slug": "composio", "name": "Composio", "logo": ""}),
        &json!([]),
    )
}

fn described(
    (slug, name, description): (&str, &str, &str),
    schema: &Value,
    toolkit: &Value,
    tags: &Value,
) -> Value {
    json!({
        "slug": slug,
        "name": name,
        "description": description,
        "human_description": name,
        "toolkit": toolkit,
        "input_parameters": schema,
        "output_parameters": output(),
        "tags": tags,
        "scopes": [],
        "scope_requirements": null,
        "no_auth": false,
        "version": VERSION,
        "available_versions": [VERSION],
        "is_deprecated": false,
        "deprecated": {
            "available_versions": [VERSION],
            "displayName": name,
            "is_deprecated": false,
            "toolkit": {"logo": ""},
            "version": VERSION,
        },
    })
}

/// A list, from `cursor` on (the number of items before it).
pub(super) fn page(items: Vec<Value>, cursor: Option<&str>, limit: Option<&str>) -> Value {
    let total = items.len();
    let start = cursor.and_then(|it| it.parse().ok()).unwrap_or(0_usize);
    let limit = limit.and_then(|it| it.parse().ok()).unwrap_or(total);
    let limit = limit.clamp(1, 1000);
    let items: Vec<Value> = items.into_iter().skip(start).take(limit).collect();
    let end = start.saturating_add(items.len());
    json!({
        "items": items,
        "next_cursor": (end < total).then(|| end.to_string()),
        "total_items": total,
        "total_pages": total.div_ceil(limit),
        "current_page": start / limit + 1,
    })
}
