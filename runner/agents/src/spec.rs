//! The written form of an agent, and the adapter it stands for.

use std::fmt;
use std::io::Read;
use std::path::Path;
use std::str::FromStr;

use crate::adapter::{Adapter, AdapterError, BUILTIN_NAMES, MAX_ADAPTER_BYTES, builtin};
use crate::agent::Agent;
use crate::command::{Command, CommandError};
use crate::nop::Nop;
use crate::scripted::{Oracle, Scripted};
use crate::steps::{self, BroughtError, BroughtFile, Steps, StepsError};

/// The agents that the runner plays itself.
const PLAYED: [&str; 4] = ["oracle", "nop", "scripted", "command"];
/// Names of all agents but those of an operator's own adapters: the programs, then
/// those that the runner plays itself.
pub const AGENT_NAMES: &[&str] = &names();

const fn names() -> [&'static str; BUILTIN_NAMES.len() + PLAYED.len()] {
    let mut names = [""; BUILTIN_NAMES.len() + PLAYED.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = if index < BUILTIN_NAMES.len() {
            BUILTIN_NAMES[index]
        } else {
            PLAYED[index - BUILTIN_NAMES.len()]
        };
        index += 1;
    }
    names
}

/// How the file of an operator's own adapter ends.
const ADAPTER_FILE: &str = ".toml";

/// An agent as the operator writes it: `NAME`, `NAME:ARGUMENT` or `FILE.toml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSpec {
    /// Name of the agent: one of [`AGENT_NAMES`], or what the file of an
    /// operator's own adapter is called, without `.toml`.
    pub name: String,
    /// What follows the first colon: the steps file of `scripted`, the shell
    /// command of `command`. For an operator's own adapter its file.
    pub argument: Option<String>,
}

impl FromStr for AgentSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        if let Some(spec) = Self::of_file(text)? {
            return Ok(spec);
        }
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
        if self.is_own() {
            return f.write_str(self.argument.as_deref().unwrap_or(&self.name));
        }
        f.write_str(&self.name)?;
        match &self.argument {
            Some(argument) => write!(f, ":{argument}"),
            None => Ok(()),
        }
    }
}

impl AgentSpec {
    /// The spec of an operator's own adapter, where `text` is the name of its
    /// file.
    fn of_file(text: &str) -> Result<Option<Self>, SpecError> {
        let is_file = text.ends_with(ADAPTER_FILE)
            && !AGENT_NAMES.iter().any(|name| {
                text.strip_prefix(name)
                    .is_some_and(|rest| rest.starts_with(':'))
            });
        if !is_file {
            return Ok(None);
        }
        let base = text.rsplit('/').next().unwrap_or(text);
        let stem = base.strip_suffix(ADAPTER_FILE).unwrap_or(base);
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        // Trials and reports are called after it.
        if stem.is_empty() || stem.len() > 64 || !stem.chars().all(plain) {
            return Err(SpecError::FileName {
                path: text.to_owned(),
                problem: "letters, digits, `-` and `_` before the `.toml`",
            });
        }
        if AGENT_NAMES.contains(&stem) {
            return Err(SpecError::FileName {
                path: text.to_owned(),
                problem: "another name, since this one is that of an agent that Proctor knows",
            });
        }
        Ok(Some(Self {
            name: stem.to_owned(),
            argument: Some(text.to_owned()),
        }))
    }

    /// Whether it is an adapter of the operator's own.
    fn is_own(&self) -> bool {
        !AGENT_NAMES.contains(&self.name.as_str())
    }

    /// The adapter of an agent that is a program of its own ([`CliAgent`]);
    /// `None` for one that [`agent`] makes. An operator's file is read here, so
    /// that a mistake in it shows before a trial starts.
    ///
    /// # Errors
    /// When the file cannot be read, is no adapter, or is one of another name than
    /// the file's: trials, records and the room would call it differently.
    ///
    /// [`CliAgent`]: crate::CliAgent
    pub fn adapter(&self) -> Result<Option<Adapter>, SpecError> {
        if let Some(adapter) = builtin(&self.name) {
            self.none_taken()?;
            return Ok(Some(adapter));
        }
        if !self.is_own() {
            return Ok(None);
        }
        let path = self.needed("a file")?;
        let failed = |source| SpecError::Unreadable {
            what: "adapter",
            path: path.to_owned(),
            source,
        };
        let bytes = read_bounded(path, MAX_ADAPTER_BYTES as u64).map_err(failed)?;
        let adapter = Adapter::parse_named(path, &self.name, &bytes)?;
        Ok(Some(adapter.written(path)))
    }

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
    /// The file of an operator's own adapter has a name that trials cannot have.
    #[error("{path} cannot be the name of an adapter's file: expected {problem}")]
    FileName {
        /// The file.
        path: String,
        /// What would do.
        problem: &'static str,
    },
    /// The adapter is none.
    #[error(transparent)]
    Adapter(#[from] AdapterError),
    /// The agent is a program of its own: it takes more than a spec to make it.
    #[error("the agent `{0}` is a program, and nobody said where it is")]
    Program(String),
    /// The file cannot be read.
    #[error("cannot read the {what} {path}: {source}")]
    Unreadable {
        /// What it was to be.
        what: &'static str,
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

/// The agent that `spec` stands for, where the runner plays it itself; for
/// others see [`AgentSpec::adapter`] and [`crate::CliAgent`]. `scripted` reads its steps file here,
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
        name if BUILTIN_NAMES.contains(&name) || spec.is_own() => {
            Err(SpecError::Program(name.to_owned()))
        }
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
    read_bounded(path, steps::MAX_FILE_BYTES as u64).map_err(|source| SpecError::Unreadable {
        what: "steps file",
        path: path.to_owned(),
        source,
    })
}

/// A file, of which one byte more than `limit` is read: the parser can then say
/// what is wrong.
fn read_bounded(path: &str, limit: u64) -> std::io::Result<Vec<u8>> {
    let file = std::fs::File::open(Path::new(path))?;
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes)?;
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
