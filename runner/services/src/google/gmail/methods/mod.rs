//! The methods of the API.

mod drafts;
mod history;
mod labels;
mod messages;
mod params;
mod render;
mod schemas;
mod sending;
mod settings;
mod table;
mod threads;

use std::borrow::Cow;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use bytes::Bytes;
use jiff::tz::TimeZone;
use proctor_types::journal::{Change, Touch, View};
use serde_json::{Map, Value};

use super::id::MessageId;
use super::label::{LabelId, Labels};
use super::mailbox::{Cursor, Full, LabelChange, Mailbox, SendError, Wanted};
use super::query::{Context, Plan, Query};
use crate::google::Ctx;
use crate::google::call::Call;
use crate::google::error::ApiError;

pub use table::API;

/// Entries of a page where the request does not say, and at most.
const PAGE: (usize, usize) = (100, 500);
/// Most labels that one request can add or remove.
const MOST_LABELS: usize = 100;

/// 403 unless the request is about the account that asks.
fn check_user(ctx: &Ctx<'_>, call: &Call) -> Result<(), ApiError> {
    let user = call.path("userId");
    if user == "me" || user.eq_ignore_ascii_case(&ctx.account.email) {
        return Ok(());
    }
    let message = format!("Delegation denied for {}", ctx.account.email);
    Err(ApiError::forbidden("forbidden", message))
}

/// The mailbox of the account, where the request is about it.
fn mailbox<'c>(ctx: &'c mut Ctx<'_>, call: &Call) -> Result<&'c mut Mailbox, ApiError> {
    check_user(ctx, call)?;
    Ok(&mut ctx.google.gmail)
}

/// A message or thread id of the path.
fn id_of(call: &Call, name: &str) -> Result<MessageId, ApiError> {
    call.path(name)
        .parse()
        .map_err(|_| ApiError::invalid("Invalid id value"))
}

/// The texts of a list in a JSON object.
fn texts<'v>(map: &'v Map<String, Value>, name: &str) -> Vec<&'v str> {
    let list = map.get(name).and_then(Value::as_array);
    list.map(|list| list.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default()
}

/// A text in a JSON object; `None` where it is absent, `null` or empty.
fn text<'v>(map: &'v Map<String, Value>, name: &str) -> Option<&'v str> {
    map.get(name)
        .and_then(Value::as_str)
        .filter(|text| !text.is_empty())
}

/// The label that an id means.
fn label_of(labels: &Labels, text: &str) -> Result<LabelId, ApiError> {
    let known = text.parse().ok().filter(|id| labels.has(*id));
    known.ok_or_else(|| ApiError::invalid(format!("Invalid label: {text}")))
}

/// The `labelIds` of a query.
fn wanted_labels(labels: &Labels, call: &Call) -> Result<Vec<LabelId>, ApiError> {
    call.queries("labelIds")
        .map(|text| label_of(labels, text))
        .collect()
}

/// What a request to change labels asks for.
fn label_change(labels: &Labels, body: &Map<String, Value>) -> Result<LabelChange, ApiError> {
    let ids = |name: &str| -> Result<Vec<LabelId>, ApiError> {
        let names = texts(body, name);
        if names.len() > MOST_LABELS {
            let message = format!("Too many {name}: a request can have {MOST_LABELS}");
            return Err(ApiError::invalid(message));
        }
        let id = |name: &str| match label_of(labels, name) {
            Ok(id) if !id.can_be_applied() => {
                Err(ApiError::invalid(format!("Invalid label: {name}")))
            }
            other => other,
        };
        names.into_iter().map(id).collect()
    };
    let change = LabelChange {
        add: ids("addLabelIds")?,
        remove: ids("removeLabelIds")?,
    };
    if change == LabelChange::default() {
        return Err(ApiError::invalid("No label add or removes specified"));
    }
    if change.add.iter().any(|id| change.remove.contains(id)) {
        return Err(ApiError::invalid(
            "Cannot both add and remove the same label",
        ));
    }
    Ok(change)
}

/// The query of a listing, ready for this mailbox.
fn plan_of(ctx: &Ctx<'_>, call: &Call) -> Plan {
    let mailbox = &ctx.google.gmail;
    let me = mailbox.identities.me();
    let context = Context {
        labels: &mailbox.labels,
        me: &me,
        zone: TimeZone::get(&ctx.account.time_zone).unwrap_or(TimeZone::UTC),
        clock: ctx.clock,
    };
    Query::parse(call.query("q").unwrap_or_default()).plan(&context)
}

/// What a listing asks for.
fn wanted<'a>(call: &Call, plan: &'a Plan, labels: &'a [LabelId]) -> Result<Wanted<'a>, ApiError> {
    let after = match call.query("pageToken").filter(|token| !token.is_empty()) {
        None => None,
        Some(token) => Some(Cursor::parse(token).ok_or_else(bad_page_token)?),
    };
    Ok(Wanted {
        plan,
        labels,
        everywhere: call.flag("includeSpamTrash"),
        after,
        limit: call.int("maxResults", PAGE.0, PAGE.1)?,
    })
}

fn bad_page_token() -> ApiError {
    ApiError::invalid("Invalid pageToken")
}

/// The mail that a request brings: as upload, or as `raw` of its message.
/// `None` where it brings none.
fn source_of(
    call: &Call,
    message: &Map<String, Value>,
    field: &str,
) -> Result<Option<Bytes>, ApiError> {
    if let Some(media) = call.media() {
        return Ok(Some(media.bytes.clone()));
    }
    let Some(raw) = text(message, "raw") else {
        return Ok(None);
    };
    let source = decode(raw).ok_or_else(|| {
        let quoted: String = raw.chars().take(80).collect();
        let value = format!("Base64 decoding failed for {}", Value::from(quoted));
        ApiError::wrong_type(field, "TYPE_BYTES", &value)
    })?;
    Ok(Some(source.into()).filter(|source: &Bytes| !source.is_empty()))
}

/// Base64 in either alphabet, padded or not, as JSON for protocol buffers
/// takes it.
fn decode(text: &str) -> Option<Vec<u8>> {
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &alphabet::URL_SAFE,
        GeneralPurposeConfig::new()
            .with_decode_allow_trailing_bits(true)
            .with_decode_padding_mode(DecodePaddingMode::Indifferent),
    );
    let text: Cow<'_, str> = if text.contains(['+', '/']) {
        text.replace('+', "-").replace('/', "_").into()
    } else {
        text.into()
    };
    LENIENT.decode(text.as_bytes()).ok()
}

fn no_source() -> ApiError {
    ApiError::invalid(
        "'raw' RFC822 payload message string or uploading message via /upload/* URL required",
    )
}

/// The thread that a request names for its message; 404 where there is none.
fn thread_of(
    mailbox: &Mailbox,
    message: &Map<String, Value>,
) -> Result<Option<MessageId>, ApiError> {
    let Some(text) = text(message, "threadId") else {
        return Ok(None);
    };
    let id = text
        .parse()
        .map_err(|_| ApiError::invalid("Invalid thread_id value"))?;
    if mailbox.has_thread(id) {
        Ok(Some(id))
    } else {
        Err(ApiError::entity_not_found())
    }
}

impl From<Full> for ApiError {
    fn from(full: Full) -> Self {
        Self::new(403, "RESOURCE_EXHAUSTED", "quotaExceeded", full.to_string())
    }
}

impl From<SendError> for ApiError {
    fn from(error: SendError) -> Self {
        match error {
            SendError::Full(full) => full.into(),
            error => Self::invalid(error.to_string()),
        }
    }
}

fn read(kind: &str, id: &impl ToString, view: View) -> Touch {
    Touch::read(kind, id.to_string(), view)
}

fn changed(kind: &str, id: &impl ToString, change: Change) -> Touch {
    Touch::changed(kind, id.to_string(), change)
}

/// A message whose labels a request has set; without a field where they are
/// what they were.
fn relabelled(id: MessageId, is_other: bool) -> Touch {
    changed("gmail.message", &id, Change::Updated).fields(is_other.then_some("labelIds"))
}

/// A message as `messages.get` shows it, for tests of what mails can do to it.
#[cfg(test)]
pub(super) fn rendered(message: &super::Message) -> String {
    let shown = render::Shown::new(message, &render::Format::Full);
    serde_json::to_string(&shown).unwrap_or_default()
}

#[cfg(test)]
mod tests;
