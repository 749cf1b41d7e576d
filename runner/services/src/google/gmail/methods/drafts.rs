//! `users.drafts`.

use proctor_types::journal::{Change, View};
use serde::Serialize;

use super::render::{Format, Labelled, Reference, Shown, listed_entry, shown};
use super::sending::{deliver, message_in};
use super::{
    changed, check_user, mailbox, no_source, plan_of, read, source_of, text, thread_of, wanted,
};
use crate::google::Ctx;
use crate::google::call::{At, Call, Reply};
use crate::google::error::ApiError;
use crate::google::gmail::mailbox::{Cursor, DraftId};

#[derive(Serialize)]
struct Draft<M: Serialize> {
    id: String,
    message: M,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listing {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    drafts: Vec<Draft<Reference>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
    result_size_estimate: usize,
}

pub(super) fn list(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    check_user(ctx, call)?;
    let plan = plan_of(ctx, call);
    let found = ctx.google.gmail.find_drafts(&wanted(call, &plan, &[])?);
    let draft = |(id, message): &(&DraftId, &std::sync::Arc<_>)| Draft {
        id: id.to_string(),
        message: Reference::to(message),
    };
    let mut reply = call.reply(&Listing {
        drafts: found.items.iter().map(draft).collect(),
        next_page_token: found.next.map(Cursor::token),
        result_size_estimate: found.total,
    })?;
    for (at, (id, message)) in found.items.iter().enumerate() {
        let entry = At::Item("drafts", at);
        reply = reply.read_at(read("gmail.draft", &id, View::Reference), entry, |it| {
            it.get("id").map(|_| View::Reference)
        });
        let touch = read("gmail.message", &message.id, View::Reference);
        reply = reply.read_at(touch, entry, |it| it.get("message").and_then(listed_entry));
    }
    Ok(reply)
}

pub(super) fn get(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let mailbox = mailbox(ctx, call)?;
    let id = DraftId::new(call.path("id"));
    let message = mailbox.draft(&id).ok_or_else(ApiError::entity_not_found)?;
    let format = Format::of(call);
    let view = format.view();
    let reply = call.reply(&Draft {
        id: id.to_string(),
        message: Shown::new(message, &format),
    })?;
    Ok(reply
        .read_at(read("gmail.draft", &id, view), At::Root, |it| {
            let message = it.get("message").and_then(shown);
            message.or_else(|| it.get("id").map(|_| View::Reference))
        })
        .read_at(
            read("gmail.message", &message.id, view),
            At::Member("message"),
            shown,
        ))
}

pub(super) fn create(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    check_user(ctx, call)?;
    let body = message_in(call);
    let source = source_of(call, body, "draft.message.raw")?.ok_or_else(no_source)?;
    let mailbox = &mut ctx.google.gmail;
    let thread = thread_of(mailbox, body)?;
    let id = mailbox.create_draft(ctx.ids, ctx.clock, &source, thread)?;
    let reply = saved(ctx, call, &id)?.changed(changed("gmail.draft", &id, Change::Created));
    let message = ctx.google.gmail.draft(&id).map(|it| it.id);
    let touch = message.map(|id| changed("gmail.message", &id, Change::Created));
    Ok(touch.into_iter().fold(reply, Reply::changed))
}

pub(super) fn update(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    check_user(ctx, call)?;
    let id = DraftId::new(call.path("id"));
    let mailbox = &mut ctx.google.gmail;
    mailbox.draft(&id).ok_or_else(ApiError::entity_not_found)?;
    let body = message_in(call);
    let source = source_of(call, body, "draft.message.raw")?.ok_or_else(no_source)?;
    let thread = thread_of(mailbox, body)?;
    let replaced = mailbox
        .update_draft(ctx.ids, ctx.clock, &id, &source, thread)?
        .ok_or_else(ApiError::entity_not_found)?;
    Ok(saved(ctx, call, &id)?
        .changed(changed("gmail.draft", &id, Change::Updated).fields(["message"]))
        .changed(changed("gmail.message", &replaced.old, Change::Deleted))
        .changed(changed("gmail.message", &replaced.new, Change::Created)))
}

fn saved(ctx: &Ctx<'_>, call: &Call, id: &DraftId) -> Result<Reply, ApiError> {
    let message = ctx
        .google
        .gmail
        .draft(id)
        .ok_or_else(ApiError::entity_not_found)?;
    call.reply(&Draft {
        id: id.to_string(),
        message: Labelled::of(message),
    })
}

pub(super) fn delete(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let mailbox = mailbox(ctx, call)?;
    let id = DraftId::new(call.path("id"));
    let message = mailbox
        .draft(&id)
        .ok_or_else(ApiError::entity_not_found)?
        .id;
    mailbox.delete(message);
    Ok(Reply::empty()
        .changed(changed("gmail.draft", &id, Change::Deleted))
        .changed(changed("gmail.message", &message, Change::Deleted)))
}

/// Sends the draft that the body names, with what the body brings in place of
/// what the draft has.
pub(super) fn send(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    check_user(ctx, call)?;
    let id = text(call.body(), "id").ok_or_else(|| ApiError::invalid("Missing draft id"))?;
    let id = DraftId::new(id);
    let mailbox = &mut ctx.google.gmail;
    mailbox.draft(&id).ok_or_else(ApiError::entity_not_found)?;
    let source = source_of(call, message_in(call), "draft.message.raw")?;
    let sent = mailbox
        .send_draft((ctx.ids, ctx.clock), ctx.known, &id, source.as_deref())?
        .ok_or_else(ApiError::entity_not_found)?;
    let message = mailbox
        .get(sent.new)
        .ok_or_else(ApiError::entity_not_found)?;
    let reply = call
        .reply(&Labelled::of(message))?
        .changed(changed("gmail.draft", &id, Change::Deleted))
        .changed(changed("gmail.message", &sent.old, Change::Deleted))
        .changed(changed("gmail.message", &sent.new, Change::Created));
    Ok(deliver(ctx, sent.new, reply))
}
