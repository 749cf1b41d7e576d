//! What the model can do: own tools, and those of a server.

pub(crate) mod call;
pub(crate) mod files;
mod list;
pub(crate) mod mcp;
mod shell;

use std::time::Instant;

use proctor_model::client::ToolSpec;
use proctor_types::transcript::Details;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::failure::Failure;
use call::Call;
use files::Workspace;
use mcp::Mcp;

/// What a tool gave.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Output {
    /// For the model.
    pub(crate) text: String,
    /// Whether it failed.
    pub(crate) is_error: bool,
    /// For the transcript.
    pub(crate) details: Details,
}

impl Output {
    pub(crate) fn error(text: String) -> Self {
        Self {
            is_error: true,
            ..Self::of(text)
        }
    }

    pub(crate) fn of(text: String) -> Self {
        Self {
            text,
            is_error: false,
            details: Details::default(),
        }
    }
}

impl From<Result<String, String>> for Output {
    fn from(result: Result<String, String>) -> Self {
        match result {
            Ok(text) => Self::of(text),
            Err(problem) => Self::error(problem),
        }
    }
}

/// A tool of our own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Own {
    Shell,
    ReadFile,
    WriteFile,
    EditFile,
    ListFiles,
}

impl Own {
    const ALL: [Self; 5] = [
        Self::Shell,
        Self::ReadFile,
        Self::WriteFile,
        Self::EditFile,
        Self::ListFiles,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::ReadFile => "read_file",
            Self::WriteFile => "write_file",
            Self::EditFile => "edit_file",
            Self::ListFiles => "list_files",
        }
    }

    fn spec(self) -> ToolSpec {
        let (description, parameters) = match self {
            Self::Shell => (shell::DESCRIPTION, schema::<shell::Arguments>()),
            Self::ReadFile => (files::READ, schema::<files::ReadArguments>()),
            Self::WriteFile => (files::WRITE, schema::<files::WriteArguments>()),
            Self::EditFile => (files::EDIT, schema::<files::EditArguments>()),
            Self::ListFiles => (list::DESCRIPTION, schema::<list::Arguments>()),
        };
        ToolSpec {
            name: self.name().to_owned(),
            description: description.to_owned(),
            parameters,
        }
    }
}

/// All tools of a run.
#[derive(Debug)]
pub(crate) struct Tools {
    workspace: Workspace,
    own: Vec<Own>,
    mcp: Option<Mcp>,
    specs: Vec<ToolSpec>,
}

impl Tools {
    /// Own tools and those of a server.
    ///
    /// # Errors
    /// When two of them have the same name: the model could not say which it
    /// means, and its transcript not which it was.
    pub(crate) fn new(
        workspace: Workspace,
        shell: bool,
        mcp: Option<Mcp>,
    ) -> Result<Self, Failure> {
        let own: Vec<_> = Own::ALL
            .into_iter()
            .filter(|tool| shell || *tool != Own::Shell)
            .collect();
        let mut specs: Vec<_> = own.iter().map(|tool| tool.spec()).collect();
        for spec in mcp.iter().flat_map(Mcp::specs) {
            if specs.iter().any(|other| other.name == spec.name) {
                return Err(Failure::other(format!(
                    "the MCP server has a tool {:?}, and there is another of this name",
                    spec.name
                )));
            }
            specs.push(spec.clone());
        }
        Ok(Self {
            workspace,
            own,
            mcp,
            specs,
        })
    }

    /// What the model is told of them.
    pub(crate) fn specs(&self) -> &[ToolSpec] {
        &self.specs
    }

    /// Does a call. Whatever is wrong with it is said in the output.
    pub(crate) async fn call(&self, call: &Call) -> Output {
        let began = Instant::now();
        let mut output = match &call.arguments {
            Ok(arguments) => self.dispatch(&call.name, arguments).await,
            Err(unusable) => Output::error(format!("Not done: {}.", unusable.problem)),
        };
        let took = began.elapsed().as_millis();
        output.details.duration_ms = Some(u64::try_from(took).unwrap_or(u64::MAX));
        output
    }

    async fn dispatch(&self, name: &str, arguments: &Map<String, Value>) -> Output {
        let Some(own) = self.own.iter().find(|tool| tool.name() == name) else {
            return match &self.mcp {
                Some(mcp) if mcp.has(name) => mcp.call(name, arguments.clone()).await,
                _ => Output::error(self.unknown(name)),
            };
        };
        let files = &self.workspace;
        match own {
            Own::Shell => match read(arguments) {
                Ok(arguments) => shell::run(&arguments, files.root()).await,
                Err(problem) => Output::error(problem),
            },
            Own::ReadFile => read(arguments).and_then(|it| files.read(&it)).into(),
            Own::WriteFile => read(arguments).and_then(|it| files.write(&it)).into(),
            Own::EditFile => read(arguments).and_then(|it| files.edit(&it)).into(),
            Own::ListFiles => read(arguments).and_then(|it| files.list(&it)).into(),
        }
    }

    fn unknown(&self, name: &str) -> String {
        let names: Vec<_> = self.specs.iter().map(|spec| spec.name.as_str()).collect();
        let name = crate::cut::beginning(name, 64);
        format!(
            "Not done: there is no tool {name:?}. There are: {}.",
            names.join(", ")
        )
    }
}

/// The arguments of a tool, or what the model got wrong.
fn read<T: DeserializeOwned>(arguments: &Map<String, Value>) -> Result<T, String> {
    let value = Value::Object(arguments.clone());
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let place = if path == "." {
            String::new()
        } else {
            format!("`{path}`: ")
        };
        format!(
            "Not done: the arguments are wrong: {place}{}.",
            error.inner()
        )
    })
}

/// The schema of a tool's arguments, as model APIs take it.
fn schema<T: JsonSchema>() -> Value {
    let mut schema = schemars::schema_for!(T).to_value();
    if let Some(fields) = schema.as_object_mut() {
        fields.remove("$schema");
        fields.remove("title");
    }
    schema
}

#[cfg(test)]
mod tests;
