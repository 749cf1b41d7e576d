//! Which of an agent's tools a step means, and how it is called.

use serde_json::{Map, Value, json};

use super::Call;
use super::conversation::Tool;
use super::example;

/// Shell tools of known agents (measured with Claude Code, opencode, Codex,
/// OpenClaw, pi, Gemini CLI, and names that other agents use), in the order in
/// which they are preferred.
const SHELLS: &[&str] = &[
    "Bash",
    "bash",
    "exec_command",
    "shell_command",
    "shell",
    "local_shell",
    "exec",
    "run_shell_command",
    "developer__shell",
    "execute_command",
    "run_command",
    "terminal",
];

/// A call, as the agent understands it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Chosen {
    pub(super) name: String,
    pub(super) namespace: Option<String>,
    pub(super) arguments: Value,
}

pub(super) fn choose(call: &Call, tools: &[Tool]) -> Result<Chosen, String> {
    let (tool, arguments) = match call {
        Call::Shell(command) => {
            let mut known = SHELLS.iter();
            let tool = known.find_map(|name| tools.iter().find(|tool| tool.name == *name));
            let tool = tool.ok_or_else(|| missing("shell tool that is known", tools))?;
            (tool, shell_arguments(tool, command))
        }
        Call::Tool { name, arguments } => (named(name, tools)?, arguments.clone()),
    };
    Ok(Chosen {
        name: tool.name.clone(),
        namespace: tool.namespace.clone(),
        arguments: Value::Object(arguments),
    })
}

fn named<'a>(name: &str, tools: &'a [Tool]) -> Result<&'a Tool, String> {
    if let Some(tool) = tools.iter().find(|tool| tool.name == name) {
        return Ok(tool);
    }
    // Agents put the server's name before the tool's, each in its own way.
    for separator in ["__", ".", "/", ":", "-", "_"] {
        let end = format!("{separator}{name}");
        let mut found = tools.iter().filter(|tool| tool.name.ends_with(&end));
        match (found.next(), found.next()) {
            (Some(tool), None) => return Ok(tool),
            (Some(one), Some(other)) => {
                return Err(format!(
                    "two tools of the agent may be {name:?}: {:?} and {:?}",
                    one.name, other.name
                ));
            }
            (None, _) => {}
        }
    }
    Err(missing(&format!("tool {name:?}"), tools))
}

fn missing(what: &str, tools: &[Tool]) -> String {
    let mut names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let more = names.len().saturating_sub(60);
    names.truncate(60);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!(
        "the agent offers no {what}; it offers: {}{more}",
        names.join(", ")
    )
}

fn shell_arguments(tool: &Tool, command: &str) -> Map<String, Value> {
    let properties = tool.schema.get("properties").and_then(Value::as_object);
    let property = |name: &str| properties.and_then(|all| all.get(name));
    let mut arguments = Map::new();
    match (property("command"), property("cmd")) {
        (None, Some(_)) => {
            arguments.insert("cmd".to_owned(), json!(command));
        }
        (Some(of), _) if example::is_type(of, "array") => {
            arguments.insert("command".to_owned(), json!(["bash", "-lc", command]));
        }
        _ => {
            arguments.insert("command".to_owned(), json!(command));
        }
    }
    if property("description").is_some() {
        arguments.insert("description".to_owned(), json!("A step of the script"));
    }
    let required = tool.schema.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if !arguments.contains_key(name) {
            let value = property(name).map_or(json!(""), example::of);
            arguments.insert(name.to_owned(), value);
        }
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, schema: Value) -> Tool {
        Tool {
            name: name.to_owned(),
            namespace: None,
            schema,
        }
    }

    #[test]
    fn the_agents_own_shell_is_called_in_its_own_way() {
        let call = Call::Shell("ls".to_owned());
        for (name, schema, expected) in [
            (
                "Bash",
                json!({"properties": {"command": {"type": "string"}, "description": {}}}),
                json!({"command": "ls", "description": "A step of the script"}),
            ),
            (
                "shell",
                json!({"properties": {"command": {"type": "array"}}}),
                json!({"command": ["bash", "-lc", "ls"]}),
            ),
            (
                "exec_command",
                json!({"properties": {"cmd": {"type": "string"}}}),
                json!({"cmd": "ls"}),
            ),
            (
                "run_shell_command",
                json!({
                    "properties": {"command": {"type": "STRING"}, "is_background": {"type": "BOOLEAN"}},
                    "required": ["command", "is_background"],
                }),
                json!({"command": "ls", "is_background": false}),
            ),
        ] {
            let tools = [tool("read", Value::Null), tool(name, schema)];
            let chosen = choose(&call, &tools).unwrap();
            assert_eq!((chosen.name.as_str(), chosen.arguments), (name, expected));
        }
        let error = choose(&call, &[tool("read", Value::Null)]).unwrap_err();
        assert!(error.ends_with("it offers: read"), "{error}");
    }

    #[test]
    fn tools_of_servers_are_found_by_their_own_names() {
        let find = |name: &str, tools: &[&str]| {
            let tools: Vec<_> = tools.iter().map(|name| tool(name, Value::Null)).collect();
            let call = Call::Tool {
                name: name.to_owned(),
                arguments: Map::new(),
            };
            choose(&call, &tools).map(|chosen| chosen.name)
        };
        let tools = [
            "read",
            "mcp__world__search",
            "world_search_all",
            "other_search",
        ];
        assert_eq!(find("read", &tools).unwrap(), "read");
        assert_eq!(find("search", &tools).unwrap(), "mcp__world__search");
        assert!(find("search", &["a_search", "b_search"]).is_err());
        assert!(find("sear", &tools).is_err());
    }
}
