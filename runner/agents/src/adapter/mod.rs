//! Adapters of agent programs: what it takes to start one and to read what it
//! did, written down as data.
//!
//! An [`Adapter`] comes from a TOML file. Those of the agents that Proctor knows
//! are embedded ([`builtin`]) and read by the same code as an operator's own
//! ([`Adapter::parse`]). It says which program, with which arguments, variables
//! and files, which model APIs it speaks, where its transcript is, and what its
//! errors look like. Nothing in it is ever read by a shell: every argument is
//! one argument, every value in a JSON or TOML file is one string.
//!
//! What an agent supports ([`Supports`]) is not declared but follows from what
//! its templates use: an agent takes a turn limit exactly if `{turns}` occurs.

mod builtin;
mod check;
mod error;
mod failure;
mod files;
mod paths;
mod raw;
mod render;
mod template;
#[cfg(test)]
mod tests;

use std::fmt;

use proctor_transcripts::Format;
use proctor_types::ModelApi;

pub use builtin::{BUILTIN_NAMES, builtin};
pub use error::{AdapterError, AdapterProblem};
pub use failure::FailureRule;
pub(crate) use failure::Heard;
pub(crate) use paths::{pattern_matches, room_path};
pub(crate) use render::{Rendered, RenderedFile};
pub use template::Values;

use files::FileTemplate;
use template::{Argument, Template};

/// Bytes that an adapter's file may have.
pub const MAX_ADAPTER_BYTES: usize = 256 << 10;

/// How an agent program is started, and how what it leaves is read.
#[derive(Debug, Clone)]
pub struct Adapter {
    name: String,
    /// What an operator writes for it: its name, or its file.
    spec: String,
    title: String,
    program: Program,
    package: Option<Package>,
    models: Vec<ModelWay>,
    args: Vec<Argument>,
    stdin: Option<Template>,
    env: Vec<(String, Template)>,
    files: Vec<FileTemplate>,
    transcript: TranscriptWay,
    failures: Vec<FailureRule>,
}

/// Which program it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// What it is called on a `PATH`, best first.
    pub names: Vec<String>,
    /// Where it is below the root of an installation, best first, for this
    /// machine's processor.
    pub paths: Vec<String>,
    /// Oldest Node.js that runs it, where it is a script of Node's.
    pub node: Option<Version>,
    /// Arguments that make it print its version.
    pub version_args: Vec<String>,
    /// Whether it is Proctor's own and stands beside the runner.
    pub own: bool,
}

/// What `proctor agent install` installs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// Name in the npm registry.
    pub npm: String,
    /// Version with which the adapter was measured.
    pub version: String,
    /// Packages that have to be beside it, as `name@version`.
    pub with: Vec<String>,
    /// Files of the package that are taken away: marks of install scripts that
    /// have not run.
    pub remove: Vec<String>,
}

/// How the agent is told of a model of one API.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ModelWay {
    api: ModelApi,
    /// Follows the origin in `{base_url}`: some agents want the version there.
    path: String,
    /// `{api}`: the agent's own name for the API.
    word: String,
}

/// Where the transcript is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptWay {
    /// Its form.
    pub format: Format,
    /// Whether standard output is of that form.
    pub stdout: bool,
    /// Patterns of files below the agent's home: parts with `*` and `?`.
    pub files: Vec<String>,
}

/// What an agent can do, for tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Supports {
    /// Model APIs, the one that it speaks best first.
    pub apis: Vec<ModelApi>,
    /// How it gets a task's system prompt.
    pub system_prompt: SystemPromptWay,
    /// Whether it can use the world's tools over MCP.
    pub mcp: bool,
    /// Whether it can be held to a number of turns.
    pub turns: bool,
    /// Form of its transcript.
    pub transcript: Format,
    /// Whether it leaves a session that can be read even when it was killed.
    pub session: bool,
}

/// How an agent gets a system prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SystemPromptWay {
    /// As an argument, a variable or in a configuration file: beside its own.
    Native,
    /// Before the prompt, since it has no other place for it.
    Prompt,
}

impl SystemPromptWay {
    /// The word for tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Prompt => "prompt",
        }
    }
}

/// A version with numbers in front: `24.16.0`, `2026.9.6-beta`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version([u64; 3]);

impl Version {
    /// The first version in `text`, as programs print it: `v20.20.2`,
    /// `codex-cli 0.171.0`. What is missing is 0, but two numbers there must be.
    pub fn find(text: &str) -> Option<(Self, &str)> {
        let starts = text.char_indices().filter(|&(at, char)| {
            let before = text[..at].chars().next_back();
            char.is_ascii_digit() && before.is_none_or(|char| !char.is_ascii_digit() && char != '.')
        });
        starts.map(|(at, _)| &text[at..]).find_map(|rest| {
            let end = rest.find(|char: char| {
                !char.is_ascii_alphanumeric() && !matches!(char, '.' | '-' | '+')
            });
            let word = rest[..end.unwrap_or(rest.len())].trim_end_matches(['.', '-', '+']);
            Some((Self::parse(word)?, word))
        })
    }

    /// A version as it is written, without anything before it.
    pub fn parse(word: &str) -> Option<Self> {
        let numbers = word.split(['-', '+']).next().unwrap_or_default();
        let mut version = [0; 3];
        let mut count = 0;
        for (slot, number) in version.iter_mut().zip(numbers.split('.')) {
            *slot = number.parse().ok()?;
            count += 1;
        }
        (count >= 2).then_some(Self(version))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.0;
        write!(f, "{major}.{minor}.{patch}")
    }
}

impl Adapter {
    /// Reads an adapter; `file` is what messages call it.
    ///
    /// # Errors
    /// With the line and what was expected, for a file that is none.
    pub fn parse(file: &str, bytes: &[u8]) -> Result<Self, AdapterError> {
        check::parse(file, None, bytes)
    }

    /// The same for a file that is called after the agent: it has to say the
    /// `name` that its file has.
    pub(crate) fn parse_named(file: &str, name: &str, bytes: &[u8]) -> Result<Self, AdapterError> {
        check::parse(file, Some(name), bytes)
    }

    /// The same adapter, for which operators write `spec`.
    pub(crate) fn written(self, spec: &str) -> Self {
        Self {
            spec: spec.to_owned(),
            ..self
        }
    }

    /// What operators write for it: its name, or, of an adapter of their own, its
    /// file.
    pub fn spec(&self) -> &str {
        &self.spec
    }

    /// What it is called: `claude-code`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What people call it: `Claude Code`.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Which program it is.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// What `proctor agent install` installs; `None` where it cannot.
    pub fn package(&self) -> Option<&Package> {
        self.package.as_ref()
    }

    /// Where its transcript is.
    pub fn transcript(&self) -> &TranscriptWay {
        &self.transcript
    }

    /// Which of `apis`, at which a model can be had, the agent speaks best.
    pub fn choose(&self, apis: &[ModelApi]) -> Option<ModelApi> {
        let mut spoken = self.models.iter().map(|way| way.api);
        spoken.find(|api| apis.contains(api))
    }

    /// Whether it asks models at all.
    pub fn asks_models(&self) -> bool {
        !self.models.is_empty()
    }

    /// What it can do.
    pub fn supports(&self) -> Supports {
        Supports {
            apis: self.models.iter().map(|way| way.api).collect(),
            system_prompt: if self.takes_system_prompt() {
                SystemPromptWay::Native
            } else {
                SystemPromptWay::Prompt
            },
            mcp: self.uses("mcp_url"),
            turns: self.uses("turns"),
            transcript: self.transcript.format,
            session: !self.transcript.files.is_empty(),
        }
    }

    /// Whether a placeholder occurs somewhere.
    fn uses(&self, name: &str) -> bool {
        self.templates().any(|template| template.uses(name))
    }

    /// Whether it has a place for a system prompt beside its own.
    fn takes_system_prompt(&self) -> bool {
        self.uses("system_prompt") || self.uses("system_prompt_file")
    }

    /// Every template of it.
    fn templates(&self) -> impl Iterator<Item = &Template> {
        let args = self.args.iter().flat_map(Argument::templates);
        let env = self.env.iter().map(|(_, template)| template);
        let files = self.files.iter().flat_map(FileTemplate::templates);
        args.chain(&self.stdin).chain(env).chain(files)
    }
}
