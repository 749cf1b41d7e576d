//! Clients of the world's server of tools: MCP's own in Python and JavaScript,
//! over HTTP and over `proctor-mcp`, and Composio's SDKs. What they must see is
//! in `tests/clients/scripts/`.

use proctor_tests::{Desk, Trial, root, tool};
use serde_json::{Value, json};

use super::{OFFICE, entries, journal, mail, mail_of, new_mails};

/// Tools of a world with mail.
const MAIL_TOOLS: u64 = 12;

/// Runs a script in a trial; gives the trial and the JSON that it printed last.
fn script(desk: &Desk, program: &str, name: &str, environment: &str) -> (Trial, Value) {
    let scripts = root().join("tests/clients/scripts");
    let steps = [json!({"run": format!("{program} /opt/proctor/tools/scripts/{name}")})];
    let tools = ["--tool", environment, "--tool", scripts.to_str().unwrap()];
    let trial = desk.trial(OFFICE, &desk.script(&steps), &tools);
    assert_eq!(trial.ended.code, 0, "{:?}", trial.ended);
    assert_eq!(trial.outcome(), "scored", "{}", trial.record);
    let output = trial.outputs().remove(0);
    let line = output.lines().rfind(|line| line.starts_with('{'));
    let printed = line.and_then(|line| serde_json::from_str(line).ok());
    (trial, printed.unwrap_or_else(|| panic!("{output}")))
}

fn python(desk: &Desk, name: &str) -> (Trial, Value) {
    let venv = tool("venv/bin/python");
    let venv = venv.ancestors().nth(2).unwrap();
    let python = "/opt/proctor/tools/venv/bin/python";
    script(desk, python, name, venv.to_str().unwrap())
}

fn node(desk: &Desk, name: &str) -> (Trial, Value) {
    let modules = tool("npm/package.json");
    let modules = modules.parent().unwrap();
    script(desk, "node", name, modules.to_str().unwrap())
}

/// Nothing but services of the world was asked.
fn nothing_else_was_tried(trial: &Trial) {
    for entry in journal(trial) {
        assert_eq!(entry["kind"], "request", "{entry}");
        assert!(entry["status"].as_u64().unwrap() < 500, "{entry}");
    }
}

#[test]
fn mcps_client_in_python() {
    let desk = Desk::new();
    let (trial, printed) = python(&desk, "mcp_client.py");
    let world = trial.evidence_json("world/after.json");
    for way in ["http", "stdio"] {
        let seen = &printed[way];
        assert_eq!(seen["server"], "proctor", "{way}");
        assert_eq!(seen["tools"], MAIL_TOOLS);
        assert_eq!(seen["no_prompts"], -32601);
        let sent = mail_of(&world, seen["sent"].as_str().unwrap()).unwrap();
        assert_eq!(sent["to"], json!(["ada@example.com"]));
        assert!(sent["text"].as_str().unwrap().contains("größer"), "{sent}");
    }
    assert_eq!(printed["http"]["version"], printed["stdio"]["version"]);
    let journal = journal(&trial);
    let sends = entries(&journal, "gmail.users.messages.send");
    assert_eq!(sends.len(), 2);
    for send in sends {
        assert_eq!(
            send["via"],
            json!({"channel": "mcp", "tool": "GMAIL_REPLY_TO_THREAD"})
        );
        let call = &journal[usize::try_from(send["part_of"].as_u64().unwrap()).unwrap() - 1];
        assert_eq!(call["operation"], "tools/call");
        assert_eq!(call["host"], "mcp.proctor.test");
    }
    nothing_else_was_tried(&trial);
}

#[test]
fn mcps_client_in_javascript() {
    let desk = Desk::new();
    let (trial, printed) = node(&desk, "mcp_client.mjs");
    assert_eq!(printed["http"], printed["stdio"]);
    assert_eq!(printed["http"]["tools"], MAIL_TOOLS);
    nothing_else_was_tried(&trial);
}

#[test]
fn composios_sdk_in_python() {
    let desk = Desk::new();
    let (trial, printed) = python(&desk, "composio_sdk.py");
    assert_eq!(printed["tools"], MAIL_TOOLS + 4);
    assert_eq!(printed["mcp_tools"], MAIL_TOOLS);
    assert_eq!(printed["connected"], json!({"gmail": true}));
    assert_eq!(printed["profile"], printed["mcp_profile"]);
    let url = printed["mcp_url"].as_str().unwrap();
    assert!(
        url.starts_with("https://backend.composio.dev/tool_router/trs_"),
        "{url}"
    );
    let world = trial.evidence_json("world/after.json");
    let new = new_mails(&world);
    assert_eq!(new.len(), 1);
    assert_eq!(new[0]["id"], printed["sent"]);
    assert_eq!(new[0]["subject"], "From the SDK");
    let journal = journal(&trial);
    let send = entries(&journal, "gmail.users.messages.send")[0];
    assert_eq!(
        send["via"],
        json!({"channel": "composio", "tool": "GMAIL_SEND_EMAIL"})
    );
    assert_eq!(entries(&journal, "tools/call").len(), 1);
    nothing_else_was_tried(&trial);
}

#[test]
fn composios_sdk_in_javascript() {
    let desk = Desk::new();
    let (trial, printed) = node(&desk, "composio_sdk.mjs");
    assert_eq!(printed["tools"], MAIL_TOOLS + 4);
    assert!(
        printed["key"].as_str().is_some_and(|key| !key.is_empty()),
        "{printed}"
    );
    let world = trial.evidence_json("world/after.json");
    assert!(mail_of(&world, mail::OFFER).is_some());
    assert_eq!(new_mails(&world).len(), 0);
    nothing_else_was_tried(&trial);
}
