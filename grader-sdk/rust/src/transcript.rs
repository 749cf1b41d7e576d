//! The transcript: what the agent said and called.
//!
//! ```
//! use proctor_grader::testing::{self, Bundle};
//! use serde_json::json;
//!
//! let evidence = Bundle::new()
//!     .transcript(&[
//!         testing::says("I will look."),
//!         testing::calls("c1", "shell", &json!({"command": ["bash", "-lc", "ls -a"]})),
//!         testing::answers("c1", "a.md"),
//!         testing::says("Done: all tests pass."),
//!     ])
//!     .evidence();
//! let transcript = evidence.transcript().unwrap();
//! let commands: Vec<_> = transcript.commands().map(|at| at.item.into_owned()).collect();
//! assert_eq!(commands, ["ls -a"]);
//! assert_eq!(transcript.result_of("c1").unwrap().item.text(), "a.md");
//! let last = transcript.last_words().unwrap();
//! assert_eq!((last.event, last.item.as_str()), (4, "Done: all tests pass."));
//! ```

use std::borrow::Cow;
use std::collections::BTreeMap;

use proctor_types::bundle;
use proctor_types::transcript::{Event, Message, Part, Role, ToolCall};

use serde_json::Value;

use crate::Error;
use crate::source::{Source, lines};

/// The canonical events of a trial, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Transcript {
    events: Vec<Event>,
    /// Number of the event with the first answer to each tool call.
    results: BTreeMap<String, u64>,
}

/// Something at an event of the transcript.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct At<T> {
    /// Number of the event from 1, as [citations](crate::cite::transcript)
    /// count them.
    pub event: u64,
    /// What is there.
    pub item: T,
}

impl Transcript {
    pub(crate) fn read(source: &dyn Source) -> Result<Self, Error> {
        let mut lines = lines(source, bundle::TRANSCRIPT)?;
        let mut events = Vec::new();
        while let Some((_, event)) = lines.next()? {
            events.push(event);
        }
        let mut transcript = Self {
            events,
            results: BTreeMap::new(),
        };
        let mut results = BTreeMap::new();
        for at in transcript.messages(Role::ToolResult) {
            if let Some(call) = &at.item.tool_call_id {
                results.entry(call.clone()).or_insert(at.event);
            }
        }
        transcript.results = results;
        Ok(transcript)
    }

    /// All events.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// What the agent said, one text a message, without empty ones.
    pub fn assistant_texts(&self) -> impl Iterator<Item = At<String>> {
        self.messages(Role::Assistant)
            .map(|at| At {
                event: at.event,
                item: at.item.text(),
            })
            .filter(|at| !at.item.is_empty())
    }

    /// Tool calls of the agent.
    pub fn tool_calls(&self) -> impl Iterator<Item = At<&ToolCall>> {
        self.messages(Role::Assistant).flat_map(|at| {
            at.item.content.iter().filter_map(move |part| match part {
                Part::ToolCall(call) => Some(At {
                    event: at.event,
                    item: call,
                }),
                _ => None,
            })
        })
    }

    /// Calls of the tools with one of these names, whatever their case.
    pub fn calls_of<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = At<&'a ToolCall>> {
        self.tool_calls().filter(|at| {
            names
                .iter()
                .any(|name| name.eq_ignore_ascii_case(&at.item.name))
        })
    }

    /// Shell commands that the agent ran, whatever its tool for them is called
    /// ([`shell_command`]).
    pub fn commands(&self) -> impl Iterator<Item = At<Cow<'_, str>>> {
        self.tool_calls().filter_map(|at| {
            Some(At {
                event: at.event,
                item: shell_command(at.item)?,
            })
        })
    }

    /// The last thing that the agent said: often what it claims to have done.
    pub fn last_words(&self) -> Option<At<String>> {
        let numbers = (1..=self.events.len() as u64).rev();
        numbers
            .zip(self.events.iter().rev())
            .find_map(|(event, entry)| {
                let message = entry.message.as_ref()?;
                let item = message.text();
                (message.role == Role::Assistant && !item.is_empty()).then_some(At { event, item })
            })
    }

    /// Answer to the tool call with this id.
    pub fn result_of(&self, call: &str) -> Option<At<&Message>> {
        let event = *self.results.get(call)?;
        let index = usize::try_from(event).ok()?.checked_sub(1)?;
        let item = self.events.get(index)?.message.as_ref()?;
        Some(At { event, item })
    }

    fn messages(&self, role: Role) -> impl Iterator<Item = At<&Message>> {
        (1..).zip(&self.events).filter_map(move |(event, entry)| {
            let message = entry.message.as_ref()?;
            (message.role == role).then_some(At {
                event,
                item: message,
            })
        })
    }
}

/// Names of tools that run a shell command, as agents in use call them.
const SHELLS: &[&str] = &[
    "bash",
    "exec",
    "exec_command",
    "execute_bash",
    "execute_command",
    "local_shell",
    "run_command",
    "run_in_terminal",
    "run_shell_command",
    "run_terminal_cmd",
    "shell",
    "shell_command",
    "terminal",
];
/// Arguments that say that a tool works on a file: the `command` of an editor
/// is what to do with it.
const FILES: &[&str] = &["path", "file", "file_path", "filePath", "filename"];

/// The shell command of a tool call, where it runs one: its argument `command`,
/// `cmd` or `script`, a text or a list of arguments. Of `["bash", "-lc", SCRIPT]`
/// it is the script; other lists are joined, with quotation marks where they
/// need some.
///
/// A tool runs commands when it has a name that is known for it, behind
/// whatever prefix (`developer__shell`, `functions.exec_command`), or when it has
/// such an argument and none that names a file.
pub fn shell_command(call: &ToolCall) -> Option<Cow<'_, str>> {
    let name = call.name.rsplit(['.', '/', ':']).next().unwrap_or_default();
    let name = name.rsplit("__").next().unwrap_or(name);
    let is_shell = SHELLS.iter().any(|shell| shell.eq_ignore_ascii_case(name));
    if !is_shell && FILES.iter().any(|key| call.arguments.contains_key(*key)) {
        return None;
    }
    ["command", "cmd", "script"]
        .iter()
        .find_map(|key| match call.arguments.get(*key)? {
            Value::String(command) => Some(Cow::Borrowed(command.as_str())),
            Value::Array(arguments) => joined(arguments),
            _ => None,
        })
}

fn joined(arguments: &[Value]) -> Option<Cow<'_, str>> {
    let arguments: Vec<&str> = arguments.iter().map(Value::as_str).collect::<Option<_>>()?;
    let is_shell = |program: &str| {
        let name = program.rsplit('/').next().unwrap_or(program);
        matches!(name, "sh" | "bash" | "dash" | "zsh")
    };
    if let [shell, flag, script] = arguments[..]
        && is_shell(shell)
        && flag.starts_with('-')
        && flag.ends_with('c')
    {
        return Some(Cow::Borrowed(script));
    }
    let quoted: Vec<Cow<'_, str>> = arguments.into_iter().map(quoted).collect();
    (!quoted.is_empty()).then(|| Cow::Owned(quoted.join(" ")))
}

/// An argument as a shell would have to read it.
fn quoted(argument: &str) -> Cow<'_, str> {
    let plain = |char: char| char.is_alphanumeric() || "-_./:=@%+,".contains(char);
    if !argument.is_empty() && argument.chars().all(plain) {
        Cow::Borrowed(argument)
    } else {
        Cow::Owned(format!("'{}'", argument.replace('\'', r"'\''")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(name: &str, arguments: Value) -> Option<String> {
        let Value::Object(arguments) = arguments else {
            unreachable!("arguments are an object")
        };
        let call = ToolCall {
            id: "c".to_owned(),
            name: name.to_owned(),
            arguments,
        };
        shell_command(&call).map(Cow::into_owned)
    }

    #[test]
    fn a_shell_command_is_found_whatever_the_tool_is_called() {
        use serde_json::json;
        for (name, arguments, expected) in [
            (
                "Bash",
                json!({"command": "ls", "description": "list"}),
                Some("ls"),
            ),
            ("exec", json!({"cmd": "ls"}), Some("ls")),
            (
                "run_terminal_cmd",
                json!({"command": "ls", "is_background": false}),
                Some("ls"),
            ),
            ("functions.exec_command", json!({"cmd": "ls"}), Some("ls")),
            (
                "developer__shell",
                json!({"command": "ls", "path": "/x"}),
                Some("ls"),
            ),
            (
                "shell",
                json!({"command": ["bash", "-lc", "ls | wc"]}),
                Some("ls | wc"),
            ),
            (
                "shell",
                json!({"command": ["/bin/sh", "-c", "a b"]}),
                Some("a b"),
            ),
            (
                "shell",
                json!({"command": ["git", "commit", "-m", "it's"]}),
                Some(r"git commit -m 'it'\''s'"),
            ),
            ("my_runner", json!({"script": "make"}), Some("make")),
            (
                "str_replace_editor",
                json!({"command": "view", "path": "a.md"}),
                None,
            ),
            ("read", json!({"file_path": "a.md"}), None),
            ("shell", json!({"command": [1, 2]}), None),
            ("shell", json!({"command": []}), None),
            ("shell", json!({}), None),
        ] {
            assert_eq!(command(name, arguments).as_deref(), expected, "{name}");
        }
    }
}
