//! The agents that Proctor knows.

use super::Adapter;

/// Names of the embedded adapters, in the order in which tables list them.
pub const BUILTIN_NAMES: &[&str] = &[
    "claude-code",
    "codex",
    "gemini-cli",
    "opencode",
    "openclaw",
    "pi",
    "loop",
];

/// The embedded adapter called `name`.
///
/// # Panics
/// Never: a test parses every one of them.
pub fn builtin(name: &str) -> Option<Adapter> {
    let text = match name {
        "claude-code" => include_str!("../adapters/claude-code.toml"),
        "codex" => include_str!("../adapters/codex.toml"),
        "gemini-cli" => include_str!("../adapters/gemini-cli.toml"),
        "opencode" => include_str!("../adapters/opencode.toml"),
        "openclaw" => include_str!("../adapters/openclaw.toml"),
        "pi" => include_str!("../adapters/pi.toml"),
        "loop" => include_str!("../adapters/loop.toml"),
        _ => return None,
    };
    match Adapter::parse(&format!("{name}.toml"), text.as_bytes()) {
        Ok(adapter) => Some(adapter),
        Err(error) => unreachable!("an embedded adapter: {error}"),
    }
}
