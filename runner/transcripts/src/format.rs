//! The names of the forms.

use std::fmt;
use std::str::FromStr;

/// A form in which an agent leaves its transcript behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Claude Code: `--output-format stream-json`, and session JSONL.
    ClaudeCode,
    /// Codex: `exec --json`, and rollout JSONL.
    Codex,
    /// Gemini CLI: `-o stream-json`, and session JSONL.
    Gemini,
    /// opencode: `run --format json`, `export`, and `opencode.db`.
    Opencode,
    /// `OpenClaw`: session JSONL (to 2026.7), `openclaw-agent.sqlite` (from
    /// 2026.8), and what `agent --json` and `agent exec --json` print.
    Openclaw,
    /// pi: session JSONL, and `--mode json`.
    Pi,
    /// Proctor's own events, one a line.
    Canonical,
    /// Plain output: one message of the agent.
    Text,
    /// Harbor's trajectory format, 1.0 to 1.8.
    Atif,
}

impl Format {
    /// Every format, in the order in which messages list them.
    pub const ALL: [Self; 9] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::Gemini,
        Self::Opencode,
        Self::Openclaw,
        Self::Pi,
        Self::Canonical,
        Self::Text,
        Self::Atif,
    ];

    /// The name, as it stands in an adapter's file.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Openclaw => "openclaw",
            Self::Pi => "pi",
            Self::Canonical => "canonical",
            Self::Text => "text",
            Self::Atif => "atif",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no format's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is no transcript format; there are {}", Format::ALL.map(Format::name).join(", "))]
pub struct UnknownFormat {
    /// The name, without control characters, at most 64 characters of it.
    pub name: String,
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| UnknownFormat {
                name: name.chars().take(64).flat_map(char::escape_debug).collect(),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back_and_others_are_told_the_names() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        let refused = "Claude\u{1b}".parse::<Format>().unwrap_err().to_string();
        assert!(
            refused.starts_with(
                "`Claude\\u{1b}` is no transcript format; there are claude-code, codex,"
            )
        );
    }
}
