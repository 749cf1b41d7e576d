//! The protocols in which models are asked. Adapters, gateways and records mean
//! the same four.

use std::fmt;
use std::str::FromStr;

/// What an agent in a room may give as its key where it insists on one. The
/// gateway puts the real one in, outside of the room.
pub const PLACEHOLDER_KEY: &str = "proctor-no-key";

/// A protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModelApi {
    /// Anthropic's Messages.
    Anthropic,
    /// OpenAI's chat completions, which most other servers speak too.
    OpenaiChat,
    /// OpenAI's responses.
    OpenaiResponses,
    /// Google's `generateContent`.
    Gemini,
}

impl ModelApi {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Anthropic,
        Self::OpenaiChat,
        Self::OpenaiResponses,
        Self::Gemini,
    ];

    /// Its name on the command line, in adapters and in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenaiChat => "openai-chat",
            Self::OpenaiResponses => "openai-responses",
            Self::Gemini => "gemini",
        }
    }

    /// The host of the provider whose protocol it is.
    pub fn host(self) -> &'static str {
        match self {
            Self::Anthropic => "api.anthropic.com",
            Self::OpenaiChat | Self::OpenaiResponses => "api.openai.com",
            Self::Gemini => "generativelanguage.googleapis.com",
        }
    }

    /// Whether it is one of OpenAI's two.
    pub fn is_openai(self) -> bool {
        matches!(self, Self::OpenaiChat | Self::OpenaiResponses)
    }
}

impl fmt::Display for ModelApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownApi(String);

impl fmt::Display for UnknownApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} is no model API: anthropic, openai-chat, openai-responses or gemini",
            self.0
        )
    }
}

impl std::error::Error for UnknownApi {}

impl FromStr for ModelApi {
    type Err = UnknownApi;

    fn from_str(name: &str) -> Result<Self, UnknownApi> {
        let mut all = Self::ALL.into_iter();
        all.find(|api| api.name() == name)
            .ok_or_else(|| UnknownApi(name.chars().take(64).collect()))
    }
}
