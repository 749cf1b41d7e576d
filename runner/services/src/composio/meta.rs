//! Composio's own tools: finding tools, and executing several at once.

use serde_json::{Map, Value, json};

use super::sessions::Session;
use super::{CHANNEL, Refusal, search};
use crate::mcp::{self, Outcome, Run, Toolkit};
use crate::service::Request;
use crate::world::World;

/// Most tools of one call.
const MOST: usize = 50;

/// A tool of Composio's own.
pub(super) struct Meta {
    pub(super) slug: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    pub(super) schema: fn() -> Value,
    run: fn(&mut Call<'_>) -> Result<Value, Refusal>,
}

pub(super) static TOOLS: [Meta; 4] = [
    Meta {
        slug: "COMPOSIO_SEARCH_TOOLS",
        title: "Search tools",
        description: "Finds the tools for what you want to do, with the schemas of their \
                      arguments. Give one query for each thing.",
        schema: || {
            json!({"type": "object", "required": ["queries"], "properties": {
                "queries": {"type": "array", "minItems": 1,
                    "description": "What you want to do, one thing in each.",
                    "items": {"type": "object", "required": ["use_case"], "properties": {
                        "use_case": {"type": "string", "description": "For example `send an email`."},
                    }}},
                "session": {"type": "object", "description": "Not needed."},
            }})
        },
        run: |call| search::answer(call.world, &call.session, call.id, call.arguments),
    },
    Meta {
        slug: "COMPOSIO_GET_TOOL_SCHEMAS",
        title: "Get schemas of tools",
        description: "Gives description and arguments' schemas of tools by their slugs.",
        schema: || {
            json!({"type": "object", "required": ["tool_slugs"], "properties": {
                "tool_slugs": {"type": "array", "items": {"type": "string"},
                    "description": "Slugs, for example `GMAIL_SEND_EMAIL`."},
                "session_id": {"type": "string", "description": "Not needed."},
            }})
        },
        run: schemas,
    },
    Meta {
        slug: "COMPOSIO_MULTI_EXECUTE_TOOL",
        title: "Execute tools",
        description: "Executes one or several tools, one after the other, and gives the result \
                      of each.",
        schema: || {
            json!({"type": "object", "required": ["tools"], "properties": {
                "tools": {"type": "array", "minItems": 1, "maxItems": MOST,
                    "description": "The calls, in order.",
                    "items": {"type": "object", "required": ["tool_slug", "arguments"], "properties": {
                        "tool_slug": {"type": "string", "description": "For example `GMAIL_SEND_EMAIL`."},
                        "arguments": {"type": "object", "description": "The tool's arguments, by its schema."},
                    }}},
                "session_id": {"type": "string", "description": "Not needed."},
            }})
        },
        run: execute,
    },
    Meta {
        slug: "COMPOSIO_MANAGE_CONNECTIONS",
        title: "Manage connections",
        description: "Tells which services are connected. All that there are, are.",
        schema: || {
            json!({"type": "object", "properties": {
                "toolkits": {"type": "array", "items": {"type": "string"},
                    "description": "Services to look at, for example `gmail`."},
            }})
        },
        run: |call| Ok(connections(call)),
    },
];

/// A call of one of them.
struct Call<'a> {
    world: &'a mut World,
    session: Session,
    id: &'a str,
    arguments: &'a Map<String, Value>,
    request: &'a Request,
    parts: Vec<(Request, crate::service::Answer)>,
    lasting: bool,
}

/// Calls the tool with this name, where there is one.
pub(super) fn run(
    world: &mut World,
    session: &Session,
    id: &str,
    slug: &str,
    arguments: &Map<String, Value>,
    request: &Request,
) -> Option<Run> {
    let tool = TOOLS.iter().find(|tool| tool.slug == slug)?;
    let mut call = Call {
        world,
        session: session.clone(),
        id,
        arguments,
        request,
        parts: Vec::new(),
        lasting: true,
    };
    let result = (tool.run)(&mut call);
    let outcome = match result {
        Ok(data) => {
            // Where everything that was executed failed, so did this.
            let failed = data.get("error").and_then(Value::as_str).map(str::to_owned);
            Outcome {
                successful: failed.is_none(),
                error: failed,
                data,
            }
        }
        Err(refusal) => Outcome {
            successful: false,
            error: Some(refusal.text()),
            data: json!({}),
        },
    };
    Some(Run {
        outcome,
        parts: call.parts,
        lasting: call.lasting,
    })
}

fn schemas(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let slugs = call.arguments.get("tool_slugs").and_then(Value::as_array);
    let slugs = slugs.filter(|slugs| slugs.len() <= MOST);
    let wrong = || {
        Refusal::body(format!(
            "`tool_slugs` must be a list of at most {MOST} slugs."
        ))
    };
    let (mut found, mut missing) = (Map::new(), Vec::new());
    for slug in slugs.ok_or_else(wrong)? {
        let slug = slug.as_str().ok_or_else(wrong)?;
        match call.session.tool(call.world, slug) {
            Ok(tool) => {
                found.insert(tool.slug.to_owned(), search::schema(tool));
            }
            Err(refusal) => missing.push(refusal.text()),
        }
    }
    Ok(json!({"tool_schemas": found, "not_found": missing}))
}

fn execute(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let tools = call.arguments.get("tools").and_then(Value::as_array);
    let tools = tools.filter(|tools| (1..=MOST).contains(&tools.len()));
    let wrong = || {
        Refusal::body(format!(
            "`tools` must be a list of 1 to {MOST} objects with `tool_slug` and `arguments`."
        ))
    };
    let (mut results, mut errors) = (Vec::new(), Vec::new());
    for (index, item) in tools.ok_or_else(wrong)?.iter().enumerate() {
        let slug = item.get("tool_slug").and_then(Value::as_str);
        let slug = slug.ok_or_else(wrong)?;
        let arguments = match item.get("arguments") {
            Some(Value::Object(arguments)) => arguments.clone(),
            None | Some(Value::Null) => Map::new(),
            Some(_) => return Err(wrong()),
        };
        let outcome = match call.session.tool(call.world, slug) {
            Ok(tool) => {
                let done = mcp::run(call.world, CHANNEL, tool, arguments, call.request);
                call.parts.extend(done.parts);
                call.lasting &= done.lasting;
                done.outcome
            }
            Err(refusal) => Outcome {
                successful: false,
                error: Some(refusal.text()),
                data: json!({}),
            },
        };
        errors.extend(outcome.error.clone());
        results.push(json!({"index": index, "tool_slug": slug, "response": outcome.json()}));
    }
    let all_failed = errors.len() == results.len();
    let mut data = json!({
        "success_count": results.len() - errors.len(),
        "error_count": errors.len(),
        "total_count": results.len(),
        "results": results,
    });
    if all_failed {
        data["error"] = errors.join(" ").into();
    }
    Ok(data)
}

fn connections(call: &mut Call<'_>) -> Value {
    let asked = call.arguments.get("toolkits").and_then(Value::as_array);
    let there = Toolkit::of(call.world);
    let mut results = Map::new();
    let all: Vec<&str> = match asked {
        Some(list) => list.iter().take(MOST).filter_map(Value::as_str).collect(),
        None => there.iter().map(|toolkit| toolkit.slug()).collect(),
    };
    for name in all {
        let toolkit = there.iter().find(|toolkit| toolkit.slug() == name);
        let usable = toolkit.is_some_and(|toolkit| call.session.has(*toolkit));
        let status = if usable { "active" } else { "not_available" };
        results.insert(name.to_owned(), json!({"toolkit": name, "status": status}));
    }
    json!({"results": results})
}
