//! Tools that run at the provider.

use serde_json::Value;
use serde_json::value::RawValue;

use super::{Edits, Fields, NAME};
use crate::api::ModelApi;

/// Kinds of tools that run at the provider and reach the network, or run code
/// there, by the beginning of their names.
const HOSTED: &[&str] = &[
    "web_search",
    "web_fetch",
    "code_execution",
    "code_interpreter",
    "file_search",
    "image_generation",
    "mcp",
];
/// The same of Google, whose tools are fields.
const HOSTED_GOOGLE: &[&str] = &[
    "googleSearch",
    "google_search",
    "googleSearchRetrieval",
    "google_search_retrieval",
    "googleMaps",
    "google_maps",
    "urlContext",
    "url_context",
    "codeExecution",
    "code_execution",
    "fileSearch",
    "file_search",
    "enterpriseWebSearch",
    "enterprise_web_search",
    "mcpServers",
    "mcp_servers",
];
/// Top-level fields that bring such tools.
const HOSTED_FIELDS: &[&str] = &["mcp_servers", "web_search_options", "plugins"];

/// There are tools, and what they are cannot be told.
#[derive(Debug)]
pub(super) struct Unreadable;

/// Takes such tools out of a request, and says which in `removed`. Fails rather
/// than let pass what it cannot read: the provider's parser may be able to.
pub(super) fn take_out(
    api: ModelApi,
    fields: &Fields<'_>,
    edits: &mut Edits,
    removed: &mut Vec<String>,
) -> Result<(), Unreadable> {
    for name in HOSTED_FIELDS {
        if fields.get(name).is_some() {
            edits.remove(name);
            removed.push((*name).to_owned());
        }
    }
    // Read only where a name occurs at all: descriptions of tools are long.
    let Some(raw) = fields.get("tools").map(RawValue::get) else {
        return Ok(());
    };
    let names = HOSTED.iter().chain(HOSTED_GOOGLE);
    // An escape could hide a name.
    let suspicious = raw.contains("\\u")
        || names
            .into_iter()
            .any(|name| memchr::memmem::find(raw.as_bytes(), name.as_bytes()).is_some());
    if !suspicious {
        return Ok(());
    }
    // Lone surrogates, deep nesting and large numbers pass as a raw value.
    let Some(Value::Array(mut tools)) = fields.read::<Value>("tools") else {
        return Err(Unreadable);
    };
    let before = removed.len();
    tools.retain_mut(|tool| keep(api, tool, removed));
    if removed.len() > before {
        if tools.is_empty() {
            edits.remove("tools");
            edits.remove("tool_choice");
        } else {
            edits.set("tools", &Value::Array(tools));
        }
    }
    Ok(())
}

fn keep(api: ModelApi, tool: &mut Value, removed: &mut Vec<String>) -> bool {
    let Some(fields) = tool.as_object_mut() else {
        return true;
    };
    if api == ModelApi::Gemini {
        for name in HOSTED_GOOGLE {
            if fields.shift_remove(*name).is_some() {
                removed.push((*name).to_owned());
            }
        }
        return !fields.is_empty();
    }
    let kind = fields.get("type").and_then(Value::as_str).unwrap_or("");
    let hosted = HOSTED.iter().any(|name| kind.starts_with(name));
    if hosted {
        removed.push(kind.chars().take(NAME).collect());
    }
    !hosted
}

#[cfg(test)]
mod tests {
    use super::super::Refusal;
    use super::super::tests::checked;
    use super::*;

    #[test]
    fn tools_that_run_at_the_provider_are_taken_out() {
        for (api, path, body, expected, removed) in [
            (
                ModelApi::Anthropic,
                "/v1/messages",
                r#"{"model":"m","tools":[{"type":"web_search_20250305","name":"web_search"},{"name":"Bash","input_schema":{}}],"mcp_servers":[]}"#,
                r#"{"model":"m","tools":[{"name":"Bash","input_schema":{}}]}"#,
                &["mcp_servers", "web_search_20250305"][..],
            ),
            (
                ModelApi::OpenaiResponses,
                "/v1/responses",
                r#"{"model":"m","tools":[{"type":"web_s\u0065arch"}],"tool_choice":"required"}"#,
                r#"{"model":"m"}"#,
                &["web_search"],
            ),
            (
                ModelApi::Gemini,
                "/v1beta/models/m:generateContent",
                r#"{"tools":[{"googleSearch":{}},{"functionDeclarations":[],"urlContext":{}}]}"#,
                r#"{"tools":[{"functionDeclarations":[]}]}"#,
                &["googleSearch", "urlContext"],
            ),
        ] {
            let checked = checked(api, path, body).unwrap();
            assert_eq!(checked.body, expected);
            assert_eq!(checked.removed, removed);
        }
        // A tool of the agent's own may be called what it likes.
        let own = r#"{"model":"m","tools":[{"name":"web_search","input_schema":{}}]}"#;
        let checked = checked(ModelApi::Anthropic, "/v1/messages", own).unwrap();
        assert_eq!(
            (checked.body.as_ref(), checked.removed.len()),
            (own.as_bytes(), 0)
        );
    }

    #[test]
    fn tools_that_cannot_be_read_are_refused() {
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        for unreadable in [r#""\ud800""#, deep.as_str(), "1e999"] {
            let tools = format!(r#"[{{"type":"web_search","x":{unreadable}}}]"#);
            let body = format!(r#"{{"model":"m","tools":{tools}}}"#);
            // It is JSON, and passes where nobody has to look at it.
            serde_json::from_str::<Box<serde_json::value::RawValue>>(&body).unwrap();
            let refusal = checked(ModelApi::OpenaiResponses, "/v1/responses", &body).unwrap_err();
            let expected = "the request's body has tools that cannot be read";
            assert_eq!(refusal, Refusal::Body(expected.to_owned()), "{unreadable}");
        }
        let one = r#"{"model":"m","tools":{"type":"web_search"}}"#;
        assert!(checked(ModelApi::OpenaiResponses, "/v1/responses", one).is_err());
        // What holds no such name is the provider's to judge.
        let own = r#"{"model":"m","tools":[{"type":"function","x":1e999}]}"#;
        assert!(checked(ModelApi::OpenaiResponses, "/v1/responses", own).is_ok());
    }
}
