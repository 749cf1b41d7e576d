//! Sessions: what a client may use, and for whom.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Refusal, meta};
use crate::mcp::{Tool, Toolkit, tool};
use crate::service::Request;
use crate::world::World;

/// Most sessions of a world.
const MOST: usize = 1000;
/// Most tools and toolkits that a session may name.
const MOST_NAMES: usize = 500;

/// Sessions by their identifiers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Sessions(BTreeMap<String, Session>);

/// One session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Session {
    /// Whose it is, as the client calls them.
    user_id: String,
    /// Rises with each change of what may be used.
    version: u64,
    toolkits: Choice,
    preload: Preload,
}

/// Which of several names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Choice {
    All,
    Only(Vec<String>),
    Without(Vec<String>),
}

/// Which tools a session lists besides the meta tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Preload {
    All,
    Only(Vec<String>),
}

impl Sessions {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn get(&self, id: &str) -> Option<&Session> {
        self.0.get(id)
    }

    pub(super) fn remove(&mut self, id: &str) -> bool {
        self.0.remove(id).is_some()
    }
}

impl Session {
    pub(super) fn user(&self) -> &str {
        &self.user_id
    }

    /// Whether the session may use the tools of a service.
    pub(super) fn has(&self, toolkit: Toolkit) -> bool {
        let names = |list: &[String]| list.iter().any(|name| name == toolkit.slug());
        match &self.toolkits {
            Choice::All => true,
            Choice::Only(list) => names(list),
            Choice::Without(list) => !names(list),
        }
    }

    /// Tools that the session may execute.
    pub(super) fn tools(&self, world: &World) -> Vec<&'static Tool> {
        let all = tool::offered(world);
        all.filter(|tool| self.has(tool.toolkit)).collect()
    }

    /// Of those, the ones that it lists.
    pub(super) fn listed(&self, world: &World) -> Vec<&'static Tool> {
        let mut tools = self.tools(world);
        if let Preload::Only(names) = &self.preload {
            tools.retain(|tool| names.iter().any(|name| name == tool.slug));
        }
        tools
    }

    /// The tool that the session may execute under this name.
    pub(super) fn tool(&self, world: &World, slug: &str) -> Result<&'static Tool, Refusal> {
        let tool = tool::find(world, slug)?;
        if self.has(tool.toolkit) {
            return Ok(tool);
        }
        Err(Refusal::new(
            403,
            "ToolRouterV2_ToolkitNotEnabled",
            format!(
                "This session may not use {}: it does not have the toolkit `{}`.",
                tool.slug,
                tool.toolkit.slug()
            ),
        )
        .fix("Use the session's own tools, or a session that has the toolkit."))
    }

    /// As the interface shows it. The MCP server is at the address that was
    /// asked: clients send their key nowhere else.
    pub(super) fn json(&self, id: &str, world: &World, request: &Request) -> Value {
        let url = format!("{}/tool_router/{id}/mcp", request.origin());
        let names = meta::TOOLS.iter().map(|tool| tool.slug);
        let names = names.chain(self.listed(world).into_iter().map(|tool| tool.slug));
        let mut config = json!({
            "user_id": self.user_id,
            "execute": {"enable_multi_execute": true},
            "manage_connections": {"enabled": true},
            "search": {"enable": true},
            "workbench": {"enable": false},
            "instant": false,
            "preload": {"tools": match &self.preload {
                Preload::All => json!("all"),
                Preload::Only(names) => json!(names),
            }},
        });
        match &self.toolkits {
            Choice::All => {}
            Choice::Only(names) => config["toolkits"] = json!({"enabled": names}),
            Choice::Without(names) => config["toolkits"] = json!({"disabled": names}),
        }
        json!({
            "session_id": id,
            "mcp": {"type": "http", "url": url},
            "tool_router_tools": names.collect::<Vec<_>>(),
            "config": config,
            "config_version": self.version,
            "experimental": {"assistive_prompt": ""},
        })
    }
}

/// Creates a session; gives its identifier.
pub(super) fn create(world: &mut World, body: &Map<String, Value>) -> Result<String, Refusal> {
    let user_id = match body.get("user_id") {
        Some(Value::String(user)) if !user.is_empty() && user.len() <= 1024 => user.clone(),
        _ => {
            return Err(Refusal::body("`user_id` must be a text that is not empty."));
        }
    };
    if world.composio.0.len() >= MOST {
        return Err(Refusal::new(
            429,
            "ToolRouterV2_TooManySessions",
            format!("There are {MOST} sessions already."),
        )
        .fix("Use one of them, or delete some."));
    }
    let mut session = Session {
        user_id,
        version: 1,
        toolkits: Choice::All,
        preload: Preload::All,
    };
    session.set(world, body)?;
    let id = format!("trs_{}", world.ids.base64url("composio.session", 16));
    world.composio.0.insert(id.clone(), session);
    Ok(id)
}

/// Changes what a session may use.
pub(super) fn update(
    world: &mut World,
    id: &str,
    body: &Map<String, Value>,
) -> Result<(), Refusal> {
    let session = world.composio.get(id);
    let mut session = session.cloned().ok_or_else(|| Refusal::session(id))?;
    session.set(world, body)?;
    session.version += 1;
    world.composio.0.insert(id.to_owned(), session);
    Ok(())
}

impl Session {
    fn set(&mut self, world: &World, body: &Map<String, Value>) -> Result<(), Refusal> {
        if let Some(value) = body.get("toolkits").filter(|value| !value.is_null()) {
            self.toolkits = toolkits(world, value)?;
        }
        if let Some(value) = body.get("preload").and_then(|value| value.get("tools")) {
            self.preload = match value {
                Value::String(all) if all == "all" => Preload::All,
                value => {
                    let names = names("preload.tools", value)?;
                    for name in &names {
                        tool::find(world, name)?;
                    }
                    Preload::Only(names)
                }
            };
        }
        Ok(())
    }
}

fn toolkits(world: &World, value: &Value) -> Result<Choice, Refusal> {
    let member = |names: [&str; 2]| names.into_iter().find_map(|name| value.get(name));
    let choice = if value.is_array() {
        Choice::Only(names("toolkits", value)?)
    } else if let Some(list) = member(["enable", "enabled"]) {
        Choice::Only(names("toolkits.enable", list)?)
    } else if let Some(list) = member(["disable", "disabled"]) {
        Choice::Without(names("toolkits.disable", list)?)
    } else {
        Choice::All
    };
    let there = Toolkit::of(world);
    if let Choice::Only(list) = &choice
        && let Some(name) = list
            .iter()
            .find(|name| !there.iter().any(|toolkit| toolkit.slug() == *name))
    {
        let there: Vec<&str> = there.iter().map(|toolkit| toolkit.slug()).collect();
        let shown: String = name.chars().take(80).collect();
        return Err(Refusal::new(
            400,
            "ToolRouterV2_InvalidToolkit",
            format!("There is no toolkit `{shown}` here."),
        )
        .fix(format!("The toolkits are: {}.", there.join(", "))));
    }
    Ok(choice)
}

fn names(at: &str, value: &Value) -> Result<Vec<String>, Refusal> {
    let wrong = || {
        Refusal::body(format!(
            "`{at}` must be a list of at most {MOST_NAMES} texts."
        ))
    };
    let list = value.as_array().filter(|list| list.len() <= MOST_NAMES);
    let list = list.ok_or_else(wrong)?;
    let texts = list.iter().map(|item| item.as_str().map(str::to_owned));
    texts.collect::<Option<_>>().ok_or_else(wrong)
}
