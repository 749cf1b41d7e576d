//! `users.labels`.

use proctor_types::journal::{Change, View};
use serde::Serialize;
use serde_json::{Map, Value};

use super::render::{listed_entry, shown_whole};
use super::{changed, mailbox, read};
use crate::google::Ctx;
use crate::google::call::{At, Call, Reply};
use crate::google::error::ApiError;
use crate::google::gmail::label::{
    Color, LabelId, Labels, ListVisibility, MessageVisibility, NameError, UserLabel, in_palette,
};
use crate::google::gmail::mailbox::Counts;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown<'a> {
    id: LabelId,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_list_visibility: Option<MessageVisibility>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label_list_visibility: Option<ListVisibility>,
    r#type: &'static str,
    #[serde(flatten)]
    counts: Option<ShownCounts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    color: Option<&'a Color>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownCounts {
    messages_total: usize,
    messages_unread: usize,
    threads_total: usize,
    threads_unread: usize,
}

impl<'a> Shown<'a> {
    fn new(labels: &'a Labels, id: LabelId, counts: Option<Counts>) -> Self {
        let made = labels.get(id);
        let hidden = id.is_system() && id.is_hidden();
        Self {
            id,
            name: labels.name(id),
            message_list_visibility: made
                .map(|it| it.messages)
                .or(hidden.then_some(MessageVisibility::Hide)),
            label_list_visibility: made
                .map(|it| it.list)
                .or(hidden.then_some(ListVisibility::LabelHide)),
            r#type: if id.is_system() { "system" } else { "user" },
            counts: counts.map(|it| ShownCounts {
                messages_total: it.messages,
                messages_unread: it.unread_messages,
                threads_total: it.threads,
                threads_unread: it.unread_threads,
            }),
            color: made.and_then(|it| it.color.as_ref()),
        }
    }
}

#[derive(Serialize)]
struct Listing<'a> {
    labels: Vec<Shown<'a>>,
}

pub(super) fn list(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let labels = &mailbox(ctx, call)?.labels;
    let all: Vec<LabelId> = LabelId::system()
        .chain(labels.iter().map(|(id, _)| id))
        .collect();
    let shown = all.iter().map(|id| Shown::new(labels, *id, None)).collect();
    let mut reply = call.reply(&Listing { labels: shown })?;
    for (at, id) in all.iter().enumerate() {
        let touch = read("gmail.label", &id, View::Summary);
        reply = reply.read_at(touch, At::Item("labels", at), listed_entry);
    }
    Ok(reply)
}

/// The label of the path.
fn label_of(labels: &Labels, call: &Call) -> Result<LabelId, ApiError> {
    let id = call.path("id").parse().ok().filter(|id| labels.has(*id));
    id.ok_or_else(ApiError::entity_not_found)
}

pub(super) fn get(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let mailbox = mailbox(ctx, call)?;
    let id = label_of(&mailbox.labels, call)?;
    let shown = Shown::new(&mailbox.labels, id, Some(mailbox.count(id)));
    let reply = call.reply(&shown)?;
    Ok(reply.read_at(read("gmail.label", &id, View::Full), At::Root, shown_whole))
}

pub(super) fn create(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let labels = &mut mailbox(ctx, call)?.labels;
    let mut label = UserLabel::new("");
    fill(&mut label, call.body())?;
    let id = labels.create(label)?;
    let reply = call.reply(&Shown::new(labels, id, None))?;
    Ok(reply.changed(changed("gmail.label", &id, Change::Created)))
}

/// Replaces everything that a request can set.
pub(super) fn update(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    put(ctx, call, |_| UserLabel::new(""))
}

/// Changes what the request names.
pub(super) fn patch(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    put(ctx, call, UserLabel::clone)
}

fn put(
    ctx: &mut Ctx<'_>,
    call: &Call,
    from: fn(&UserLabel) -> UserLabel,
) -> Result<Reply, ApiError> {
    let labels = &mut mailbox(ctx, call)?.labels;
    let id = label_of(labels, call)?;
    let other = call.text("id").is_some_and(|given| given != id.to_string());
    let Some(before) = labels.get(id).cloned().filter(|_| !other) else {
        return Err(ApiError::invalid("Invalid update request"));
    };
    let mut label = from(&before);
    fill(&mut label, call.body())?;
    labels.update(id, label)?;
    let fields = labels
        .get(id)
        .map(|after| different(&before, after))
        .unwrap_or_default();
    let reply = call.reply(&Shown::new(labels, id, None))?;
    Ok(reply.changed(changed("gmail.label", &id, Change::Updated).fields(fields)))
}

fn different(before: &UserLabel, after: &UserLabel) -> Vec<&'static str> {
    let mut fields = Vec::new();
    if before.name != after.name {
        fields.push("name");
    }
    if before.messages != after.messages {
        fields.push("messageListVisibility");
    }
    if before.list != after.list {
        fields.push("labelListVisibility");
    }
    if before.color != after.color {
        fields.push("color");
    }
    fields
}

/// Takes over what a body says. `null` brings a member back to its default.
fn fill(label: &mut UserLabel, body: &Map<String, Value>) -> Result<(), ApiError> {
    if let Some(name) = body.get("name") {
        name.as_str()
            .unwrap_or_default()
            .clone_into(&mut label.name);
    }
    if let Some(value) = body.get("labelListVisibility") {
        label.list = match value.as_str() {
            Some("labelHide") => ListVisibility::LabelHide,
            Some("labelShowIfUnread") => ListVisibility::LabelShowIfUnread,
            _ => ListVisibility::LabelShow,
        };
    }
    if let Some(value) = body.get("messageListVisibility") {
        label.messages = match value.as_str() {
            Some("hide") => MessageVisibility::Hide,
            _ => MessageVisibility::Show,
        };
    }
    if let Some(value) = body.get("color") {
        label.color = value.as_object().map(color).transpose()?;
    }
    Ok(())
}

fn color(value: &Map<String, Value>) -> Result<Color, ApiError> {
    let part = |name: &str| {
        let text = value.get(name).and_then(Value::as_str).unwrap_or_default();
        if in_palette(text) {
            return Ok(text.to_ascii_lowercase());
        }
        let message = format!("Label color {text} is not on the allowed color palette");
        Err(ApiError::invalid(message))
    };
    Ok(Color {
        text_color: part("textColor")?,
        background_color: part("backgroundColor")?,
    })
}

impl From<NameError> for ApiError {
    fn from(error: NameError) -> Self {
        match error {
            NameError::Conflict => Self::conflict(error.to_string()),
            NameError::Full => Self::new(
                403,
                "RESOURCE_EXHAUSTED",
                "quotaExceeded",
                error.to_string(),
            ),
            NameError::Invalid | NameError::TooMany => Self::invalid(error.to_string()),
        }
    }
}

pub(super) fn delete(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let mailbox = mailbox(ctx, call)?;
    let id = label_of(&mailbox.labels, call)?;
    if !mailbox.delete_label(id) {
        return Err(ApiError::invalid("Invalid delete request"));
    }
    Ok(Reply::empty().changed(changed("gmail.label", &id, Change::Deleted)))
}
