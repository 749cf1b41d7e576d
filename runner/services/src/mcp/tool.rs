//! What a tool is, and what calling one comes to.

use std::sync::{Arc, OnceLock};

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::caller::{Caller, Parts};
use super::{arguments, schema, tools};
use crate::service::Request;
use crate::world::World;

/// Arguments of one tool, which know how to do what it does.
///
/// The type's documentation is the tool's description, and those of its fields
/// are the descriptions of the arguments: they are written for a model.
pub(crate) trait Arguments: DeserializeOwned + JsonSchema {
    /// The tool's name in Composio's catalogue.
    const SLUG: &'static str;
    /// Its name for people.
    const TITLE: &'static str;
    /// Whether it leaves the world as it is.
    const READS: bool = true;
    /// What a model does when something that an argument names is not there.
    const LOST: &'static str;

    /// Does it.
    fn run(self, caller: &mut Caller<'_>) -> Result<Value, Problem>;
}

/// Services that tools are for, as Composio calls them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Toolkit {
    Gmail,
    GitHub,
    Notion,
}

impl Toolkit {
    pub(crate) const ALL: [Self; 3] = [Self::Gmail, Self::GitHub, Self::Notion];

    pub(crate) fn slug(self) -> &'static str {
        match self {
            Self::Gmail => "gmail",
            Self::GitHub => "github",
            Self::Notion => "notion",
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Gmail => "Gmail",
            Self::GitHub => "GitHub",
            Self::Notion => "Notion",
        }
    }

    pub(crate) fn description(self) -> &'static str {
        match self {
            Self::Gmail => "Read, search, label and send the account's mail.",
            Self::GitHub => "Read and change repositories, branches, pull requests and issues.",
            Self::Notion => "Read and change pages, blocks and databases of the workspace.",
        }
    }

    /// Whether a world has the service.
    pub(crate) fn is_in(self, world: &World) -> bool {
        match self {
            Self::Gmail => world.google.is_some(),
            Self::GitHub => world.github.is_some(),
            Self::Notion => world.notion.is_some(),
        }
    }

    /// Those that a world has.
    pub(crate) fn of(world: &World) -> Vec<Self> {
        let all = Self::ALL.into_iter();
        all.filter(|toolkit| toolkit.is_in(world)).collect()
    }
}

type Runner = fn(&Tool, &mut Caller<'_>, Map<String, Value>) -> Result<Value, Problem>;

/// A tool.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) slug: &'static str,
    pub(crate) title: &'static str,
    pub(crate) toolkit: Toolkit,
    pub(crate) reads: bool,
    lost: &'static str,
    schema_of: fn() -> JsonObject,
    runner: Runner,
    known: OnceLock<Known>,
}

/// What follows from the type of the arguments.
#[derive(Debug)]
struct Known {
    description: String,
    schema: Arc<JsonObject>,
}

impl Tool {
    pub(super) const fn of<A: Arguments>(toolkit: Toolkit) -> Self {
        Self {
            slug: A::SLUG,
            title: A::TITLE,
            toolkit,
            reads: A::READS,
            lost: A::LOST,
            schema_of: schema::of::<A>,
            runner: runner::<A>,
            known: OnceLock::new(),
        }
    }

    fn known(&self) -> &Known {
        self.known.get_or_init(|| {
            let mut schema = (self.schema_of)();
            let description = match schema.shift_remove("description") {
                Some(Value::String(text)) => text,
                _ => String::new(),
            };
            Known {
                description,
                schema: Arc::new(schema),
            }
        })
    }

    /// What it does, for a model.
    pub(crate) fn description(&self) -> &str {
        &self.known().description
    }

    /// JSON Schema of its arguments.
    pub(crate) fn schema(&self) -> &Arc<JsonObject> {
        &self.known().schema
    }
}

fn runner<A: Arguments>(
    tool: &Tool,
    caller: &mut Caller<'_>,
    arguments: Map<String, Value>,
) -> Result<Value, Problem> {
    arguments::read::<A>(tool, arguments)?.run(caller)
}

/// Why a tool did not do what it was asked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Problem {
    /// What is wrong and what to do about it, for a model.
    pub(crate) text: String,
    /// The service's own error, where it was the service that refused.
    pub(crate) data: Value,
    /// HTTP status of the service.
    pub(crate) status: Option<u16>,
}

impl Problem {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            data: json!({}),
            status: None,
        }
    }

    /// The same, with something said before it.
    pub(crate) fn after(mut self, text: &str) -> Self {
        self.text = format!("{text} {}", self.text);
        self
    }
}

/// What a call came to: `{successful, error, data}`.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) successful: bool,
    pub(crate) error: Option<String>,
    pub(crate) data: Value,
}

impl Outcome {
    pub(crate) fn json(&self) -> Value {
        json!({"successful": self.successful, "error": self.error, "data": self.data})
    }
}

impl From<Result<Value, Problem>> for Outcome {
    fn from(result: Result<Value, Problem>) -> Self {
        match result {
            Ok(data) => Self {
                successful: true,
                error: None,
                data,
            },
            Err(problem) => Self {
                successful: false,
                error: Some(problem.text),
                data: problem.data,
            },
        }
    }
}

/// One call of a tool, done.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) outcome: Outcome,
    /// The requests that the tool made, for the journal.
    pub(crate) parts: Parts,
    /// Whether the same call comes to the same until something changes.
    pub(crate) lasting: bool,
}

impl Run {
    /// A call that was refused before the tool did anything.
    pub(crate) fn refused(problem: Problem) -> Self {
        Self {
            outcome: Err(problem).into(),
            parts: Vec::new(),
            lasting: true,
        }
    }
}

/// Calls a tool of a world. `channel` is how it was called (`mcp`, `composio`),
/// `outer` the request that it was called with.
pub(crate) fn run(
    world: &mut World,
    channel: &str,
    tool: &'static Tool,
    mut arguments: Map<String, Value>,
    outer: &Request,
) -> Run {
    let mut caller = Caller::new(world, outer, super::via(channel, tool.slug));
    let result = own_mailbox(&caller, tool, &mut arguments)
        .and_then(|()| (tool.runner)(tool, &mut caller, arguments));
    let result = result.map_err(|mut problem| {
        if problem.status == Some(404) {
            problem.text = format!("{} {}", problem.text, tool.lost);
        }
        problem
    });
    let parts = caller.into_parts();
    Run {
        outcome: result.into(),
        lasting: parts.iter().all(|(_, answer)| answer.lasting),
        parts,
    }
}

/// Gmail's tools take a `user_id` in the catalogue, and there is only one that
/// it can be: it is in no schema, and taken where a client sends it.
fn own_mailbox(
    caller: &Caller<'_>,
    tool: &Tool,
    arguments: &mut Map<String, Value>,
) -> Result<(), Problem> {
    if tool.toolkit != Toolkit::Gmail {
        return Ok(());
    }
    match arguments.shift_remove("user_id") {
        None | Some(Value::Null) => Ok(()),
        Some(Value::String(user)) if user == "me" || user == caller.world.account.email => Ok(()),
        Some(_) => Err(Problem::new(
            "`user_id` can only be `me`: there is one mailbox. Leave it out.",
        )),
    }
}

/// Every tool of a world, in the order of the catalogue.
pub(crate) fn offered(world: &World) -> impl Iterator<Item = &'static Tool> {
    let toolkits = Toolkit::of(world);
    tools::all().filter(move |tool| toolkits.contains(&tool.toolkit))
}

/// The tool of a world with this name.
pub(crate) fn find(world: &World, slug: &str) -> Result<&'static Tool, Problem> {
    tools::find(world, slug)
}
