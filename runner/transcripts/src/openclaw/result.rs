//! What `openclaw agent exec --json` (`{ok, status, final, usage, error}`) and
//! `openclaw agent --local --json` (`{payloads, meta}`) print: one document.

use proctor_types::transcript::Part;
use serde_json::Value;

use crate::builder::{Builder, Words};
use crate::error::ReadError;
use crate::json::{Fields, Look};
use crate::transcript::NativeEnd;
use crate::usage;

pub(super) fn is_result(document: &Fields) -> bool {
    let payloads = document.get("payloads").is_some_and(Value::is_array);
    payloads && (document.contains_key("ok") || document.object("meta").is_some())
}

/// What is known of the run: in the document itself, or below `meta`.
fn run_of(document: &Fields) -> &Fields {
    document
        .object("meta")
        .and_then(|meta| meta.object("agentMeta"))
        .unwrap_or(document)
}

/// The session that the run belongs to.
pub(super) fn session_of(document: &Fields) -> Option<&str> {
    run_of(document).text("sessionId")
}

pub(super) fn read(builder: &mut Builder<'_>, document: &Fields) -> Result<(), ReadError> {
    builder.understood();
    let texts: Vec<&str> = document
        .list("payloads")
        .iter()
        .filter_map(|payload| payload.as_object()?.text("text"))
        .collect();
    let said = match document.text("final") {
        Some(said) => said.to_owned(),
        None => texts.join("\n"),
    };
    let run = run_of(document);
    builder.session(run.text("sessionId"));
    if !said.is_empty() {
        builder.final_text(Some(&said));
        builder.reply(Words {
            model: run.text("model").map(str::to_owned),
            content: vec![Part::text(said)],
            ..Words::default()
        })?;
    }
    if let Some(counts) = run.object("usage") {
        builder.reported_usage(usage::openclaw(counts));
    }
    builder.cost(run.amount("costUsd"));
    builder.turns(run.count("assistantTurns"));
    let error = document
        .object("error")
        .or_else(|| document.object("meta")?.object("error"));
    let aborted = document
        .object("meta")
        .is_some_and(|meta| meta.flag("aborted"));
    let failed = document.get("ok") == Some(&Value::Bool(false));
    if error.is_none() && !aborted && !failed {
        builder.end(Some(NativeEnd::Completed));
        return Ok(());
    }
    let word = |key| error.and_then(|error| error.text(key)).unwrap_or_default();
    let message = match (word("message"), document.text("status")) {
        ("", Some(status)) => status,
        ("", None) => "the run was aborted",
        (message, _) => message,
    };
    builder.failed(None, &[word("kind")], message);
    let mut kept = Fields::new();
    for key in ["status", "error"] {
        if let Some(value) = document.get(key) {
            kept.insert(key.into(), value.clone());
        }
    }
    builder.note(kept)
}
