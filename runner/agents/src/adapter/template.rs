//! Texts with placeholders.

use crate::spec::nearest;

/// Names of all placeholders.
pub(super) const NAMES: &[&str] = &[
    "agent_dir",
    "api",
    "api_key",
    "attempt",
    "base_url",
    "home",
    "mcp_url",
    "model",
    "prompt",
    "prompt_file",
    "provider",
    "system_prompt",
    "system_prompt_file",
    "timeout_seconds",
    "turns",
    "workspace",
];

/// Placeholders whose value is a number: alone in a string of a JSON or TOML
/// file they are one there too.
const NUMBERS: &[&str] = &["attempt", "timeout_seconds", "turns"];

/// A text with placeholders like `{prompt}`. Braces around anything but a word
/// of lower-case letters and `_` stay as they are; `\{` is a brace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Value(&'static str),
}

/// An element of the arguments: one, or several that are left out together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Argument(pub(super) Vec<Template>);

/// A placeholder that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown placeholder `{{{name}}}`{}; there are {}; write `\\{{{name}}}` for the text itself",
    nearest.as_ref().map(|near| format!(" (did you mean `{{{near}}}`?)")).unwrap_or_default(),
    NAMES.join(", ")
)]
pub(super) struct UnknownPlaceholder {
    name: String,
    nearest: Option<String>,
}

impl Template {
    pub(super) fn parse(text: &str) -> Result<Self, UnknownPlaceholder> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '\\']) {
            plain.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some(after) = rest.strip_prefix("\\{") {
                plain.push('{');
                rest = after;
            } else if let Some((name, after)) = placeholder(rest) {
                let known = NAMES.iter().find(|known| **known == name);
                let known = known.ok_or_else(|| UnknownPlaceholder {
                    name: name.to_owned(),
                    nearest: nearest(name, NAMES),
                })?;
                if !plain.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut plain)));
                }
                pieces.push(Piece::Value(known));
                rest = after;
            } else {
                // A brace or a backslash, which are one byte each.
                plain.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
        plain.push_str(rest);
        if !plain.is_empty() || pieces.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        Ok(Self(pieces))
    }

    /// Whether the placeholder `name` occurs.
    pub(super) fn uses(&self, name: &str) -> bool {
        self.0
            .iter()
            .any(|piece| matches!(piece, Piece::Value(used) if *used == name))
    }

    /// The text; `None` where a placeholder has no value.
    pub(super) fn render(&self, values: &Values) -> Option<String> {
        let mut text = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(plain) => text.push_str(plain),
                Piece::Value(name) => text.push_str(&values.get(name)?),
            }
        }
        Some(text)
    }

    /// Whether it is nothing but a placeholder for a number.
    pub(super) fn is_number(&self) -> bool {
        matches!(self.0.as_slice(), [Piece::Value(name)] if NUMBERS.contains(name))
    }
}

impl Argument {
    /// The arguments; `None` where one of them has no value.
    pub(super) fn render(&self, values: &Values) -> Option<Vec<String>> {
        self.0.iter().map(|part| part.render(values)).collect()
    }

    pub(super) fn templates(&self) -> impl Iterator<Item = &Template> {
        self.0.iter()
    }
}

/// The name in the braces at the begin of `text`, and what follows.
fn placeholder(text: &str) -> Option<(&str, &str)> {
    let (name, after) = text.strip_prefix('{')?.split_once('}')?;
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    is_name.then_some((name, after))
}

/// What placeholders stand for in one trial.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values {
    /// `{agent_dir}`: where the installation is in the room.
    pub agent_dir: String,
    /// `{attempt}`, from 0.
    pub attempt: u32,
    /// `{home}`: the agent's home in the room.
    pub home: String,
    /// `{mcp_url}`: address of the world's tools, where it has some.
    pub mcp_url: Option<String>,
    /// `{model}`, `{provider}`, `{base_url}`, `{api}`, for agents that ask one.
    pub model: Option<ModelValues>,
    /// `{prompt}`.
    pub prompt: String,
    /// `{system_prompt}`, where the task has one.
    pub system_prompt: Option<String>,
    /// `{timeout_seconds}`: the agent's time.
    pub timeout_seconds: u64,
    /// `{turns}`, where they are limited.
    pub turns: Option<u32>,
    /// `{workspace}`: where the agent works.
    pub workspace: String,
}

/// What the placeholders of the model stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelValues {
    /// `{model}`: name, as its provider calls it.
    pub name: String,
    /// `{provider}`.
    pub provider: String,
    /// `{base_url}`, with the path that the agent wants.
    pub base_url: String,
    /// `{api}`: the agent's own word for the API.
    pub api: String,
}

impl Values {
    /// `{prompt_file}`: a file in the room that the runner writes.
    pub(super) fn prompt_file(&self) -> String {
        format!("{}/.proctor/prompt.md", self.home)
    }

    /// `{system_prompt_file}`: the same with the system prompt.
    pub(super) fn system_prompt_file(&self) -> String {
        format!("{}/.proctor/system_prompt.md", self.home)
    }

    fn get(&self, name: &str) -> Option<String> {
        let model = self.model.as_ref();
        Some(match name {
            "agent_dir" => self.agent_dir.clone(),
            "api" => model?.api.clone(),
            "api_key" => proctor_types::api::PLACEHOLDER_KEY.to_owned(),
            "attempt" => self.attempt.to_string(),
            "base_url" => model?.base_url.clone(),
            "home" => self.home.clone(),
            "mcp_url" => self.mcp_url.clone()?,
            "model" => model?.name.clone(),
            "prompt" => self.prompt.clone(),
            "prompt_file" => self.prompt_file(),
            "provider" => model?.provider.clone(),
            "system_prompt" => self.system_prompt.clone()?,
            "system_prompt_file" => {
                self.system_prompt.as_ref()?;
                self.system_prompt_file()
            }
            "timeout_seconds" => self.timeout_seconds.to_string(),
            "turns" => self.turns?.to_string(),
            "workspace" => self.workspace.clone(),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> Values {
        Values {
            prompt: "p {home} $(id) \"'".to_owned(),
            home: "/h".to_owned(),
            turns: Some(7),
            ..Values::default()
        }
    }

    fn rendered(text: &str) -> Option<String> {
        Template::parse(text).unwrap().render(&values())
    }

    #[test]
    fn values_are_put_in_once_and_never_read_again() {
        for (text, expected) in [
            ("{prompt}", "p {home} $(id) \"'"),
            ("--x={turns}{home}", "--x=7/h"),
            ("\\{home}", "{home}"),
            ("{", "{"),
            ("{}", "{}"),
            ("{Home} { home } {\"a\": 1}", "{Home} { home } {\"a\": 1}"),
            ("a\\b \\", "a\\b \\"),
            ("é{home}é", "é/hé"),
            ("{{home}}", "{/h}"),
            ("", ""),
        ] {
            assert_eq!(rendered(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn every_placeholder_has_a_value_and_the_key_is_never_a_real_one() {
        let model = Some(ModelValues {
            name: "m".to_owned(),
            provider: "p".to_owned(),
            base_url: "u".to_owned(),
            api: "a".to_owned(),
        });
        let all = Values {
            mcp_url: Some("x".to_owned()),
            system_prompt: Some("s".to_owned()),
            model,
            ..values()
        };
        for name in NAMES {
            assert!(all.get(name).is_some(), "{name}");
        }
        assert_eq!(all.get("api_key").as_deref(), Some("proctor-no-key"));
        for missing in ["{mcp_url}", "x{system_prompt}", "{model}"] {
            assert_eq!(rendered(missing), None);
        }
    }

    #[test]
    fn a_placeholder_that_does_not_exist_is_a_mistake() {
        let error = Template::parse("a {promt} b").unwrap_err().to_string();
        assert!(
            error.starts_with("unknown placeholder `{promt}` (did you mean `{prompt}`?)"),
            "{error}"
        );
        assert!(error.contains("write `\\{promt}` for the text"), "{error}");
    }
}
