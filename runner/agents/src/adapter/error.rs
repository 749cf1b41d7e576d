//! What can be wrong with an adapter's file.

use super::MAX_ADAPTER_BYTES;

/// What is wrong with an adapter's file, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {problem}", line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct AdapterError {
    /// The file, as it was named to the parser.
    pub file: String,
    /// The line, from 1, where one can be told.
    pub line: Option<u64>,
    /// What is wrong.
    pub problem: AdapterProblem,
}

/// What is wrong with an adapter's file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AdapterProblem {
    /// Too many bytes.
    #[error("the file has more than {MAX_ADAPTER_BYTES} bytes, and an adapter may not")]
    TooLarge,
    /// Not text.
    #[error("the file is not UTF-8")]
    NotUtf8,
    /// Not TOML of the right shape, in the parser's words.
    #[error("{0}")]
    Toml(String),
    /// A key that means nothing here.
    #[error(
        "unknown key `{key}`{}; expected one of {}",
        nearest.as_ref().map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default(),
        known.join(", ")
    )]
    UnknownKey {
        /// The key.
        key: String,
        /// The known key that is closest to it, where one is close.
        nearest: Option<String>,
        /// The keys that would do.
        known: Vec<String>,
    },
    /// A placeholder that does not exist.
    #[error("{0}")]
    Placeholder(String),
    /// A value that cannot be.
    #[error("`{key}`: {problem}")]
    Value {
        /// The key.
        key: &'static str,
        /// What is wrong with its value.
        problem: String,
    },
    /// Nothing hands the prompt to the agent.
    #[error(
        "the agent never gets the prompt: put `{{prompt}}` or `{{prompt_file}}` into `args`, \
         `stdin`, `env` or a `file`"
    )]
    NoPrompt,
    /// Nothing says where the program is.
    #[error("`program` names no program: give `names`, as they are on a PATH, or `paths`")]
    NoProgram,
    /// Nothing says where the transcript is.
    #[error("`transcript` has neither `stdout = true` nor `files`: there would be none")]
    NoTranscript,
}
