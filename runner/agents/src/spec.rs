//! The written form of an agent, and the adapter it stands for.

use std::fmt;
use std::io::Read;
use std::path::Path;
use std::str::FromStr;

use crate::agent::Agent;
use crate::command::{Command, CommandError};
use crate::nop::Nop;
use crate::scripted::{Oracle, Scripted};
use crate::steps::{self, BroughtError, BroughtFile, Steps, StepsError};

/// The agents that [`agent`] knows.
pub const AGENT_NAMES: &[&str] = &["command", "nop", "oracle", "scripted"];

/// An agent as the operator writes it: `NAME` or `NAME:ARGUMENT`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSpec {
    /// Name of the adapter.
    pub name: String,
    /// What follows the first colon: the steps file of `scripted`, the shell
    /// command of `command`.
    pub argument: Option<String>,
}

impl FromStr for AgentSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (name, argument) = match text.split_once(':') {
            Some((name, argument)) => (name, Some(argument.to_owned())),
            None => (text, None),
        };
        let spec = Self {
            name: name.to_owned(),
            argument,
        };
        if AGENT_NAMES.contains(&name) {
            Ok(spec)
        } else {
            Err(spec.unknown())
        }
    }
}

impl fmt::Display for AgentSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        match &self.argument {
            Some(argument) => write!(f, ":{argument}"),
            None => Ok(()),
        }
    }
}

impl AgentSpec {
    fn unknown(&self) -> SpecError {
        SpecError::Unknown {
            name: self.name.clone(),
            nearest: nearest(&self.name, AGENT_NAMES),
        }
    }

    fn needed(&self, what: &'static str) -> Result<&str, SpecError> {
        match self.argument.as_deref() {
            Some(argument) if !argument.trim().is_empty() => Ok(argument),
            _ => Err(SpecError::ArgumentMissing {
                name: self.name.clone(),
                what,
            }),
        }
    }

    fn none_taken(&self) -> Result<(), SpecError> {
        match &self.argument {
            None => Ok(()),
            Some(argument) => Err(SpecError::ArgumentUnexpected {
                name: self.name.clone(),
                argument: argument.clone(),
            }),
        }
    }
}

/// Why a written agent is none.
#[derive(Debug, thiserror::Error)]
pub enum SpecError {
    /// No adapter of that name.
    #[error(
        "there is no agent `{name}`{}; the agents are {}",
        nearest.as_ref().map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default(),
        AGENT_NAMES.join(", ")
    )]
    Unknown {
        /// The name as written.
        name: String,
        /// The known name that is closest to it, where one is close.
        nearest: Option<String>,
    },
    /// The adapter needs something after the colon.
    #[error("agent `{name}` needs {what}: write `{name}:...`")]
    ArgumentMissing {
        /// The adapter.
        name: String,
        /// What it needs.
        what: &'static str,
    },
    /// The adapter takes nothing after the name.
    #[error("agent `{name}` takes no argument, and `{argument}` was given")]
    ArgumentUnexpected {
        /// The adapter.
        name: String,
        /// What was given.
        argument: String,
    },
    /// The steps file cannot be read.
    #[error("cannot read the steps file {path}: {source}")]
    Unreadable {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The steps file is none.
    #[error(transparent)]
    Steps(#[from] StepsError),
    /// What the steps file brings cannot be read.
    #[error("{path}: {source}")]
    Brought {
        /// The steps file.
        path: String,
        /// What is wrong.
        source: BroughtError,
    },
    /// The command cannot be run as an agent.
    #[error(transparent)]
    Command(#[from] CommandError),
}

/// The adapter that `spec` stands for. `scripted` reads its steps file here,
/// so that a mistake in it shows before a trial starts.
///
/// # Errors
/// When there is no such agent, its argument is missing or its steps file is
/// wrong.
pub fn agent(spec: &AgentSpec) -> Result<Box<dyn Agent>, SpecError> {
    match spec.name.as_str() {
        "nop" => {
            spec.none_taken()?;
            Ok(Box::new(Nop))
        }
        "oracle" => {
            spec.none_taken()?;
            Ok(Box::new(Oracle))
        }
        "scripted" => {
            let path = spec.needed("a steps file")?;
            Ok(Box::new(Scripted::new(Steps::parse(
                path,
                &read_steps(path)?,
            )?)))
        }
        "command" => Ok(Box::new(Command::new(spec.needed("a shell command")?)?)),
        _ => Err(spec.unknown()),
    }
}

/// What the steps file of `spec` brings into the room; nothing for an agent
/// without a steps file of the operator's.
///
/// # Errors
/// When the steps file is wrong, or what it names is not there, too much or no
/// file.
pub fn brought(spec: &AgentSpec) -> Result<Vec<BroughtFile>, SpecError> {
    if spec.name != "scripted" {
        return Ok(Vec::new());
    }
    let path = spec.needed("a steps file")?;
    let steps = Steps::parse(path, &read_steps(path)?)?;
    steps::read_files(Path::new(path), steps.files()).map_err(|source| SpecError::Brought {
        path: path.to_owned(),
        source,
    })
}

fn read_steps(path: &str) -> Result<Vec<u8>, SpecError> {
    let failed = |source| SpecError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let file = std::fs::File::open(Path::new(path)).map_err(failed)?;
    let mut bytes = Vec::new();
    // One byte more than the parser takes, so that it can say what is wrong.
    let limit = steps::MAX_FILE_BYTES as u64 + 1;
    file.take(limit).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// The one of `known` that `word` was probably meant to be.
pub(crate) fn nearest(word: &str, known: &[&str]) -> Option<String> {
    let word = word.to_lowercase();
    known
        .iter()
        .map(|name| (strsim::damerau_levenshtein(&word, name), name))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 4)
        .min()
        .map(|(_, name)| (*name).to_owned())
}
