//! Mails as tools show them.

use base64::Engine as _;
use base64::engine::general_purpose::{URL_SAFE, URL_SAFE_NO_PAD};
use jiff::Timestamp;
use serde_json::{Value, json};

/// How much of a mail is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Show {
    /// Who, when and about what.
    Summary,
    /// Its text, too.
    Text,
    /// Its text, and the structure of its parts with all header fields.
    Payload,
}

/// A mail of Gmail's interface, flattened.
pub(super) fn mail(message: &Value, show: Show) -> Value {
    let payload = &message["payload"];
    let subject = field(payload, "Subject").unwrap_or_default();
    let mut shown = json!({
        "messageId": message["id"],
        "threadId": message["threadId"],
        "labelIds": message["labelIds"],
        "messageTimestamp": moment(message),
        "sender": field(payload, "From"),
        "to": field(payload, "To"),
        "subject": subject,
        "preview": {"subject": subject, "body": message["snippet"]},
    });
    if let Some(copies) = field(payload, "Cc") {
        shown["cc"] = copies.into();
    }
    if show != Show::Summary {
        shown["messageText"] = text(payload).into();
        let mut attachments = Vec::new();
        collect(payload, &mut attachments);
        shown["attachmentList"] = attachments.into();
        if show == Show::Payload {
            shown["payload"] = payload.clone();
        }
    }
    if let Some(raw) = message.get("raw") {
        shown["raw"] = raw.clone();
    }
    shown
}

/// A header field of a mail.
pub(super) fn field<'m>(payload: &'m Value, name: &str) -> Option<&'m str> {
    let headers = payload["headers"].as_array()?;
    let found = headers.iter().find(|header| {
        let this = header["name"].as_str();
        this.is_some_and(|this| this.eq_ignore_ascii_case(name))
    });
    found?["value"].as_str()
}

fn moment(message: &Value) -> Option<String> {
    let ms = message["internalDate"].as_str()?.parse().ok()?;
    Some(Timestamp::from_millisecond(ms).ok()?.to_string())
}

/// The text of a mail: its plain text, else its HTML.
pub(super) fn text(payload: &Value) -> String {
    part_of(payload, "text/plain")
        .or_else(|| part_of(payload, "text/html"))
        .unwrap_or_default()
}

/// The first part of a type that is no attachment.
fn part_of(part: &Value, media_type: &str) -> Option<String> {
    let is_file = part["filename"].as_str().is_some_and(|it| !it.is_empty());
    if part["mimeType"] == media_type && !is_file {
        let data = part["body"]["data"].as_str().unwrap_or_default();
        let bytes = URL_SAFE
            .decode(data)
            .or_else(|_| URL_SAFE_NO_PAD.decode(data))
            .ok()?;
        return Some(String::from_utf8_lossy(&bytes).into_owned());
    }
    let mut parts = part["parts"].as_array().into_iter().flatten();
    parts.find_map(|part| part_of(part, media_type))
}

fn collect(part: &Value, attachments: &mut Vec<Value>) {
    if part["filename"].as_str().is_some_and(|it| !it.is_empty()) {
        attachments.push(json!({
            "attachmentId": part["body"]["attachmentId"],
            "filename": part["filename"],
            "mimeType": part["mimeType"],
            "size": part["body"]["size"],
        }));
    }
    for part in part["parts"].as_array().into_iter().flatten() {
        collect(part, attachments);
    }
}
