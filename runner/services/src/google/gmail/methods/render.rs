//! Messages as the API shows them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use proctor_types::journal::View;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::google::call::Call;
use crate::google::gmail::id::{MessageId, ThreadId};
use crate::google::gmail::label::LabelSet;
use crate::google::gmail::mailbox::Message;
use crate::google::gmail::mime::{Field, Kind, Mail, Part};

/// How much of a message is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Format {
    /// Labels and snippet.
    Minimal,
    /// Everything, taken apart.
    Full,
    /// Everything, as its source.
    Raw,
    /// Its header: all of it, or these fields.
    Metadata(Vec<String>),
}

impl Format {
    /// What a call asks for.
    pub(super) fn of(call: &Call) -> Self {
        match call
            .query("format")
            .unwrap_or("full")
            .to_ascii_lowercase()
            .as_str()
        {
            "minimal" => Self::Minimal,
            "raw" => Self::Raw,
            // One name a parameter, or several of them with commas.
            "metadata" => Self::Metadata(
                call.queries("metadataHeaders")
                    .flat_map(|names| names.split(','))
                    .map(|name| name.trim().to_owned())
                    .filter(|name| !name.is_empty())
                    .collect(),
            ),
            _ => Self::Full,
        }
    }

    /// How much of a message an answer in this format carries.
    pub(super) fn view(&self) -> View {
        match self {
            Self::Full | Self::Raw => View::Full,
            Self::Minimal | Self::Metadata(_) => View::Summary,
        }
    }
}

/// How much a masked answer still shows of the message that its request named.
pub(super) fn shown(message: &Value) -> Option<View> {
    let members = message.as_object().filter(|members| !members.is_empty())?;
    let whole = members.contains_key("raw") || members.get("payload").is_some_and(has_data);
    // A mask on parts that are not there leaves an empty payload.
    let is_empty = |value: &Value| value.as_object().is_some_and(Map::is_empty);
    let only_ids = members
        .iter()
        .all(|(name, value)| name == "id" || name == "threadId" || is_empty(value));
    Some(match (whole, only_ids) {
        (true, _) => View::Full,
        (_, true) => View::Reference,
        _ => View::Summary,
    })
}

/// The same for a message in a list. Unlike there, nothing but the answer says
/// which one it is: its identifier or its own words.
pub(super) fn shown_item(message: &Value) -> Option<View> {
    let view = shown(message)?;
    let words = ["id", "snippet"]
        .iter()
        .any(|name| message.get(name).is_some())
        || message.get("payload").is_some_and(has_headers);
    (words || view == View::Full).then_some(view)
}

/// Whether a part or one in it still has its text.
fn has_data(part: &Value) -> bool {
    let data = |part: &Value| {
        part.get("body")
            .is_some_and(|body| body.get("data").is_some())
    };
    any_part(part, &data)
}

/// Whether a part or one in it still says something in its header.
fn has_headers(part: &Value) -> bool {
    let says = |field: &Value| field.get("value").is_some();
    let headers = |part: &Value| {
        let fields = part.get("headers").and_then(Value::as_array);
        fields.is_some_and(|fields| fields.iter().any(says))
            || part.get("filename").is_some_and(|name| name != "")
    };
    any_part(part, &headers)
}

fn any_part(part: &Value, is: &dyn Fn(&Value) -> bool) -> bool {
    let parts = part.get("parts").and_then(Value::as_array);
    is(part) || parts.is_some_and(|parts| parts.iter().any(|part| any_part(part, is)))
}

/// How much a masked answer still shows of an object that its request named and
/// that it does not show whole.
pub(super) fn shown_entry(entry: &Value) -> Option<View> {
    let members = entry.as_object().filter(|members| !members.is_empty())?;
    let only_ids = members
        .keys()
        .all(|name| name == "id" || name == "threadId");
    Some(if only_ids {
        View::Reference
    } else {
        View::Summary
    })
}

/// How much a masked answer still shows of an object that its request named and
/// that is small enough to be shown whole.
pub(super) fn shown_whole(object: &Value) -> Option<View> {
    let members = object.as_object().filter(|members| !members.is_empty())?;
    let only_ids = members.keys().all(|name| name == "id");
    Some(if only_ids {
        View::Reference
    } else {
        View::Full
    })
}

/// [`shown_entry`] for an entry of a list, which must say itself what it is.
pub(super) fn listed_entry(entry: &Value) -> Option<View> {
    shown_entry(entry).filter(|_| is_named(entry))
}

/// [`shown_whole`] for an entry of a list, which must say itself what it is.
pub(super) fn listed_whole(entry: &Value) -> Option<View> {
    shown_whole(entry).filter(|_| is_named(entry))
}

/// Whether an entry of a list has its identifier or its own words.
fn is_named(entry: &Value) -> bool {
    const NAMING: [&str; 8] = [
        "id",
        "name",
        "snippet",
        "criteria",
        "sendAsEmail",
        "displayName",
        "replyToAddress",
        "signature",
    ];
    NAMING.iter().any(|name| entry.get(name).is_some())
}

/// A message in lists: where it is, no more.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Reference {
    id: MessageId,
    thread_id: ThreadId,
}

impl Reference {
    pub(super) fn to(message: &Message) -> Self {
        Self {
            id: message.id,
            thread_id: message.thread,
        }
    }
}

/// A message after a request has put it somewhere: with its labels.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Labelled<'a> {
    id: MessageId,
    thread_id: ThreadId,
    #[serde(skip_serializing_if = "LabelSet::is_empty")]
    label_ids: &'a LabelSet,
}

impl<'a> Labelled<'a> {
    pub(super) fn of(message: &'a Message) -> Self {
        Self {
            id: message.id,
            thread_id: message.thread,
            label_ids: &message.labels,
        }
    }
}

/// A message in the format that was asked for.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Shown<'a> {
    id: MessageId,
    thread_id: ThreadId,
    #[serde(skip_serializing_if = "LabelSet::is_empty")]
    label_ids: &'a LabelSet,
    snippet: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload: Option<Payload<'a>>,
    size_estimate: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<Encoded<'a>>,
    history_id: String,
    internal_date: String,
}

impl<'a> Shown<'a> {
    pub(super) fn new(message: &'a Message, format: &Format) -> Self {
        let mail = &*message.mail;
        let payload = match format {
            Format::Minimal | Format::Raw => None,
            Format::Full => Some(Payload::Whole(PartView::new(mail, mail.root()))),
            Format::Metadata(names) => Some(Payload::Header(HeaderView::new(mail.root(), names))),
        };
        Self {
            id: message.id,
            thread_id: message.thread,
            label_ids: &message.labels,
            snippet: mail.snippet(),
            payload,
            size_estimate: mail.source().len(),
            raw: (*format == Format::Raw).then(|| Encoded(mail.source())),
            history_id: message.history_id.to_string(),
            internal_date: message.date_ms.to_string(),
        }
    }
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Payload<'a> {
    Whole(PartView<'a>),
    Header(HeaderView<'a>),
}

/// A message's header without its content.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct HeaderView<'a> {
    mime_type: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    headers: Vec<&'a Field>,
}

impl<'a> HeaderView<'a> {
    fn new(root: &'a Part, names: &[String]) -> Self {
        let asked = |field: &&Field| {
            names.is_empty()
                || names
                    .iter()
                    .any(|name| name.eq_ignore_ascii_case(&field.name))
        };
        Self {
            mime_type: &root.mime,
            headers: root.fields.iter().filter(asked).collect(),
        }
    }
}

/// A part with all that is in it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PartView<'a> {
    part_id: &'a str,
    mime_type: &'a str,
    filename: &'a str,
    #[serde(skip_serializing_if = "<[Field]>::is_empty")]
    headers: &'a [Field],
    body: BodyView<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<PartView<'a>>,
}

impl<'a> PartView<'a> {
    fn new(mail: &'a Mail, part: &'a Part) -> Self {
        Self {
            part_id: &part.id,
            mime_type: &part.mime,
            filename: &part.filename,
            headers: &part.fields,
            body: BodyView {
                attachment_id: part.attachment_id(),
                size: part.size,
                data: (part.kind == Kind::Text).then_some(TextOf(mail, part)),
            },
            parts: part
                .children
                .iter()
                .map(|child| Self::new(mail, child))
                .collect(),
        }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct BodyView<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    attachment_id: Option<&'a str>,
    size: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<TextOf<'a>>,
}

/// The text of a part, decoded when it is written.
#[derive(Debug)]
struct TextOf<'a>(&'a Mail, &'a Part);

impl Serialize for TextOf<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.0.part_text(self.1);
        Encoded(text.as_bytes()).serialize(serializer)
    }
}

/// Bytes as padded base64url.
#[derive(Debug)]
pub(super) struct Encoded<'a>(pub(super) &'a [u8]);

impl Serialize for Encoded<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&URL_SAFE.encode(self.0))
    }
}
