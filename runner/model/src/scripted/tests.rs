//! Where a script is, in conversations of all protocols.

use http::Method;
use serde_json::json;

use super::*;

const SCRIPT: &str = r#"
steps:
  - say: I will write the file.
    call: {shell: "echo hello"}
  - say: Half-way.
  - calls:
      - {tool: search, arguments: {q: x}}
      - {shell: "ls"}
  - say: "Done: all of it."
without_tools:
  - {when: "judge this", say: '{"level": 3}'}
"#;

fn chat(script: &Script, messages: &Value, tools: bool) -> Result<Value, String> {
    let endpoint = Endpoint::of(
        &[ModelApi::OpenaiChat],
        &Method::POST,
        "/v1/chat/completions",
    );
    let tools = if tools {
        json!([
            {"type": "function", "function": {"name": "bash", "parameters": {}}},
            {"type": "function", "function": {"name": "mcp__world__search", "parameters": {}}},
        ])
    } else {
        json!([])
    };
    let body = json!({"model": "m", "messages": messages, "tools": tools}).to_string();
    let reply = script.answer(&endpoint.unwrap(), "m", body.as_bytes())?;
    Ok(serde_json::from_slice(&reply.pieces[0]).unwrap())
}

#[test]
fn a_conversation_runs_through_the_steps() {
    let script = Script::parse(SCRIPT).unwrap();
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    let mut said = Vec::new();
    let mut ids = std::collections::HashSet::new();
    for _ in 0..6 {
        let reply = chat(&script, &json!(messages), true).unwrap();
        let message = &reply["choices"][0]["message"];
        said.push(message["content"].as_str().unwrap().to_owned());
        messages.push(message.clone());
        let calls = message["tool_calls"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        if calls.is_empty() {
            messages.push(json!({"role": "user", "content": "go on"}));
        }
        for call in calls {
            said.push(call["function"]["name"].as_str().unwrap().to_owned());
            assert!(
                ids.insert(call["id"].to_string()),
                "two calls have one identifier"
            );
            messages.push(json!({"role": "tool", "tool_call_id": call["id"], "content": "x"}));
        }
    }
    assert_eq!(
        said,
        [
            "I will write the file.",
            "bash",
            "Half-way.",
            "",
            "mcp__world__search",
            "bash",
            "Done: all of it.",
            "Done.",
            "Done."
        ]
    );
}

#[test]
fn titles_spend_no_step() {
    let script = Script::parse(SCRIPT).unwrap();
    let ask = |text: &str| {
        let reply = chat(&script, &json!([{"role": "user", "content": text}]), false).unwrap();
        reply["choices"][0]["message"]["content"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(ask("a title, please"), "Scripted");
    assert_eq!(ask("now judge this"), r#"{"level": 3}"#);
}

#[test]
fn all_protocols_are_at_the_same_step() {
    let script = Script::parse(SCRIPT).unwrap();
    for (api, path, body) in [
        (
            ModelApi::Anthropic,
            "/v1/messages",
            json!({
                "tools": [{"name": "Bash", "input_schema": {}}],
                "messages": [
                    {"role": "user", "content": "go"},
                    {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "Bash", "input": {}}]},
                    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "x"}]},
                ],
            }),
        ),
        (
            ModelApi::OpenaiResponses,
            "/v1/responses",
            json!({
                "tools": [{"type": "function", "name": "exec_command", "parameters": {}}],
                "input": [
                    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
                    {"type": "function_call", "call_id": "1", "name": "exec_command", "arguments": "{}"},
                    {"type": "function_call_output", "call_id": "1", "output": "x"},
                ],
            }),
        ),
        (
            ModelApi::Gemini,
            "/v1beta/models/m:generateContent",
            json!({
                "tools": [{"functionDeclarations": [{"name": "run_shell_command"}]}],
                "contents": [
                    {"role": "user", "parts": [{"text": "go"}]},
                    {"role": "model", "parts": [{"functionCall": {"name": "run_shell_command"}}]},
                    {"role": "user", "parts": [{"functionResponse": {"name": "run_shell_command"}}]},
                ],
            }),
        ),
    ] {
        let endpoint = Endpoint::of(&[api], &Method::POST, path).unwrap();
        let reply = script.answer(&endpoint, "m", body.to_string().as_bytes());
        let reply = String::from_utf8(reply.unwrap().pieces[0].to_vec()).unwrap();
        assert!(reply.contains("Half-way."), "{api}: {reply}");
    }
}

#[test]
fn a_script_that_does_not_fit_says_so() {
    let script = Script::parse("steps: [{call: {tool: fly}}]").unwrap();
    let error = chat(&script, &json!([]), true).unwrap_err();
    assert_eq!(
        error,
        "the agent offers no tool \"fly\"; it offers: bash, mcp__world__search"
    );
}

#[test]
fn nonsense_is_no_script() {
    for text in [
        "steps: [{}]",
        "steps: [{say: ''}]",
        "steps: [{call: {shell: a, tool: b}}]",
        "steps: [{call: {arguments: {}}}]",
        "steps: [{call: {shell: a}, calls: [{shell: b}]}]",
        "steps: [{sya: typo}]",
        "[]",
        "steps: {",
    ] {
        assert!(Script::parse(text).is_err(), "{text}");
    }
}
