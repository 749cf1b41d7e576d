//! `users.messages`, but for the methods that bring new ones in.

use proctor_types::journal::{Change, View};
use serde::Serialize;

use super::render::{
    Encoded, Format, Labelled, Reference, Shown, listed_entry, shown, shown_whole,
};
use super::{
    changed, id_of, label_change, mailbox, plan_of, read, relabelled, texts, wanted, wanted_labels,
};
use crate::google::Ctx;
use crate::google::call::{At, Call, Reply};
use crate::google::error::ApiError;
use crate::google::gmail::id::MessageId;
use crate::google::gmail::mailbox::{Cursor, LabelChange};

/// Most messages of one batch.
const MOST_IDS: usize = 1_000;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listing {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    messages: Vec<Reference>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
    result_size_estimate: usize,
}

pub(super) fn list(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    super::check_user(ctx, call)?;
    let labels = wanted_labels(&ctx.google.gmail.labels, call)?;
    let plan = plan_of(ctx, call);
    let found = ctx.google.gmail.find(&wanted(call, &plan, &labels)?);
    let mut reply = call.reply(&Listing {
        messages: found.items.iter().map(|it| Reference::to(it)).collect(),
        next_page_token: found.next.map(Cursor::token),
        result_size_estimate: found.total,
    })?;
    for (at, message) in found.items.iter().enumerate() {
        let touch = read("gmail.message", &message.id, View::Reference);
        reply = reply.read_at(touch, At::Item("messages", at), listed_entry);
    }
    Ok(reply)
}

pub(super) fn get(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let mailbox = mailbox(ctx, call)?;
    let message = mailbox
        .get(id_of(call, "id")?)
        .ok_or_else(ApiError::entity_not_found)?;
    let format = Format::of(call);
    let reply = call.reply(&Shown::new(message, &format))?;
    Ok(reply.read_at(
        read("gmail.message", &message.id, format.view()),
        At::Root,
        shown,
    ))
}

#[derive(Serialize)]
struct AttachmentBody<'a> {
    size: usize,
    data: Encoded<'a>,
}

pub(super) fn attachment(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let mailbox = mailbox(ctx, call)?;
    let message = mailbox
        .get(id_of(call, "messageId")?)
        .ok_or_else(ApiError::entity_not_found)?;
    let id = call.path("id");
    let part = message
        .mail
        .attachment(id)
        .ok_or_else(|| ApiError::invalid("Invalid attachment token"))?;
    let content = message.mail.content(part);
    let reply = call.reply(&AttachmentBody {
        size: content.len(),
        data: Encoded(&content),
    })?;
    let touch = read("gmail.attachment", &id, View::Full).within(message.id.to_string());
    Ok(reply.read_at(touch, At::Root, |it| {
        it.get("data").and_then(|_| shown_whole(it))
    }))
}

pub(super) fn modify(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let mailbox = mailbox(ctx, call)?;
    let id = id_of(call, "id")?;
    mailbox.get(id).ok_or_else(ApiError::entity_not_found)?;
    let change = label_change(&mailbox.labels, call.body())?;
    relabel(ctx, call, id, &change)
}

pub(super) fn trash(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    mailbox(ctx, call)?;
    relabel(ctx, call, id_of(call, "id")?, &LabelChange::trash())
}

pub(super) fn untrash(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    mailbox(ctx, call)?;
    relabel(ctx, call, id_of(call, "id")?, &LabelChange::untrash())
}

fn relabel(
    ctx: &mut Ctx<'_>,
    call: &Call,
    id: MessageId,
    change: &LabelChange,
) -> Result<Reply, ApiError> {
    let mailbox = &mut ctx.google.gmail;
    mailbox.check_labels(&[id], change)?;
    let is_other = mailbox
        .relabel(id, change)
        .ok_or_else(ApiError::entity_not_found)?;
    let message = mailbox.get(id).ok_or_else(ApiError::entity_not_found)?;
    Ok(call
        .reply(&Labelled::of(message))?
        .changed(relabelled(id, is_other)))
}

pub(super) fn delete(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let mailbox = mailbox(ctx, call)?;
    let id = id_of(call, "id")?;
    if !mailbox.delete(id) {
        return Err(ApiError::entity_not_found());
    }
    Ok(Reply::empty().changed(changed("gmail.message", &id, Change::Deleted)))
}

/// The `ids` of a batch.
fn ids(call: &Call) -> Result<Vec<MessageId>, ApiError> {
    let texts = texts(call.body(), "ids");
    if texts.is_empty() {
        return Err(ApiError::invalid("No message ids specified"));
    }
    if texts.len() > MOST_IDS {
        return Err(ApiError::invalid(format!(
            "Number of ids cannot exceed {MOST_IDS}"
        )));
    }
    let parse = |text: &str| {
        text.parse()
            .map_err(|_| ApiError::invalid("Invalid ids value"))
    };
    texts.into_iter().map(parse).collect()
}

/// Messages that do not exist are passed over, as Gmail does.
pub(super) fn batch_modify(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let mailbox = mailbox(ctx, call)?;
    let change = label_change(&mailbox.labels, call.body())?;
    let ids = ids(call)?;
    mailbox.check_labels(&ids, &change)?;
    let mut reply = Reply::empty();
    for id in ids {
        if let Some(is_other) = mailbox.relabel(id, &change) {
            reply = reply.changed(relabelled(id, is_other));
        }
    }
    Ok(reply)
}

/// Messages that do not exist are passed over, as Gmail does.
pub(super) fn batch_delete(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let mailbox = mailbox(ctx, call)?;
    let mut reply = Reply::empty();
    for id in ids(call)? {
        if mailbox.delete(id) {
            reply = reply.changed(changed("gmail.message", &id, Change::Deleted));
        }
    }
    Ok(reply)
}
