//! The agents that Proctor knows.

use super::Adapter;

/// The embedded adapters by name, in the order in which tables list them.
const BUILTIN: &[(&str, &str)] = &[
    ("claude-code", include_str!("../adapters/claude-code.toml")),
    ("codex", include_str!("../adapters/codex.toml")),
    ("gemini-cli", include_str!("../adapters/gemini-cli.toml")),
    ("opencode", include_str!("../adapters/opencode.toml")),
    ("openclaw", include_str!("../adapters/openclaw.toml")),
    ("pi", include_str!("../adapters/pi.toml")),
    ("loop", include_str!("../adapters/loop.toml")),
];

/// Names of the embedded adapters, in the order in which tables list them.
pub const BUILTIN_NAMES: &[&str] = &names();

const fn names() -> [&'static str; BUILTIN.len()] {
    let mut names = [""; BUILTIN.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = BUILTIN[index].0;
        index += 1;
    }
    names
}

/// The embedded adapter called `name`.
///
/// # Panics
/// Never: a test parses every one of them.
pub fn builtin(name: &str) -> Option<Adapter> {
    let (name, text) = BUILTIN.iter().find(|(known, _)| *known == name)?;
    match Adapter::parse_named(&format!("{name}.toml"), name, text.as_bytes()) {
        Ok(adapter) => Some(adapter),
        Err(error) => unreachable!("an embedded adapter: {error}"),
    }
}
