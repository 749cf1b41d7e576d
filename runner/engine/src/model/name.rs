//! The written form of a model.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// Who answers for a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Provider {
    /// Anthropic.
    Anthropic,
    /// OpenAI.
    Openai,
    /// Google's Gemini API.
    Gemini,
    /// A server that speaks OpenAI's chat completions, at an address of its own.
    Compatible,
    /// A file that says what the model answers.
    Scripted,
}

impl Provider {
    const ALL: [Self; 5] = [
        Self::Anthropic,
        Self::Openai,
        Self::Gemini,
        Self::Compatible,
        Self::Scripted,
    ];

    /// Its name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Openai => "openai",
            Self::Gemini => "gemini",
            Self::Compatible => "openai-compatible",
            Self::Scripted => "scripted",
        }
    }

    /// The variable in which operators keep its key. None where a key is only ever
    /// read from a file that is named.
    pub fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::Openai => Some("OPENAI_API_KEY"),
            Self::Gemini => Some("GEMINI_API_KEY"),
            // A key for one provider is not for whoever is at an address.
            Self::Compatible | Self::Scripted => None,
        }
    }

    /// Whether it answers nobody without a key. Servers at an address of the
    /// operator's often want none.
    pub(crate) fn needs_key(self, url: Option<&str>) -> bool {
        match self {
            Self::Anthropic | Self::Openai | Self::Gemini => url.is_none(),
            Self::Compatible | Self::Scripted => false,
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// `PROVIDER/MODEL`, or `scripted/FILE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelName {
    /// Who answers for it.
    pub provider: Provider,
    /// The provider's name for it; the file of a scripted one.
    pub model: String,
}

/// Why a text names no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` names no model: {problem}")]
pub struct ModelNameError {
    text: String,
    problem: String,
}

impl FromStr for ModelName {
    type Err = ModelNameError;

    fn from_str(text: &str) -> Result<Self, ModelNameError> {
        let wrong = |problem: String| ModelNameError {
            text: text.chars().take(200).collect(),
            problem,
        };
        let names = Provider::ALL.map(Provider::as_str);
        let Some((provider, model)) = text.split_once('/') else {
            return Err(wrong(format!(
                "expected PROVIDER/MODEL, with one of the providers {}",
                names.join(", ")
            )));
        };
        if model.trim().is_empty() {
            return Err(wrong("there is nothing behind the `/`".to_owned()));
        }
        if model.chars().any(char::is_control) {
            return Err(wrong("it has a control character".to_owned()));
        }
        let known = Provider::ALL.into_iter().find(|it| it.as_str() == provider);
        match known {
            Some(provider) => Ok(Self {
                provider,
                model: model.to_owned(),
            }),
            None => Err(wrong(format!(
                "there is no provider `{provider}`; the providers are {}",
                names.join(", ")
            ))),
        }
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.model)
    }
}

impl Serialize for ModelName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written_alike() {
        for text in [
            "anthropic/claude-sonnet-4-5",
            "openai-compatible/org/model:7b",
            "scripted/some/where/steps.yaml",
        ] {
            assert_eq!(text.parse::<ModelName>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_names_no_model_says_what_would() {
        for (text, says) in [
            ("", "expected PROVIDER/MODEL"),
            ("gpt-5", "openai-compatible, scripted"),
            ("antropic/x", "there is no provider `antropic`"),
            ("openai/", "nothing behind"),
            ("openai/a\nb", "control character"),
        ] {
            let error = text.parse::<ModelName>().unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
