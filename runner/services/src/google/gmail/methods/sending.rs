//! `users.messages`: the methods that bring new ones in.

use std::sync::Arc;

use proctor_types::journal::Change;
use serde_json::Value;

use super::render::Labelled;
use super::{changed, check_user, label_of, no_source, source_of, texts, thread_of};
use crate::google::Ctx;
use crate::google::call::{Call, Reply};
use crate::google::error::ApiError;
use crate::google::gmail::id::MessageId;
use crate::google::gmail::label::{LabelId, LabelSet};
use crate::google::gmail::mailbox::{DateSource, Incoming};
use crate::google::gmail::mime::Head;

pub(super) fn send(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    check_user(ctx, call)?;
    let source = source_of(call, call.body(), "message.raw")?.ok_or_else(no_source)?;
    let mailbox = &mut ctx.google.gmail;
    let thread = thread_of(mailbox, call.body())?;
    let id = mailbox.send((ctx.ids, ctx.clock), ctx.known, &source, thread)?;
    Ok(deliver(ctx, id, created(ctx, call, id)?))
}

/// Puts copies of a mail that was just sent into the mailboxes of those people
/// of the world whom it is addressed to.
pub(super) fn deliver(ctx: &mut Ctx<'_>, sent: MessageId, reply: Reply) -> Reply {
    let Some(message) = ctx.google.gmail.get(sent).map(Arc::clone) else {
        return reply;
    };
    let to = ctx.known.addressed(message.mail.head(), &ctx.account.email);
    let copies = ctx
        .google
        .deliver((ctx.known, &to), (ctx.clock, ctx.ids), &message.mail);
    copies.iter().fold(reply, |reply, id| {
        reply.changed(changed("gmail.delivery", id, Change::Created))
    })
}

pub(super) fn insert(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    put(ctx, call, DateSource::Received, false)
}

pub(super) fn import(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    put(ctx, call, DateSource::Header, true)
}

/// `date` is where the internal date comes from unless the request says
/// otherwise. An import is looked at as if it had come in by mail: what the
/// account wrote itself counts as sent.
fn put(ctx: &mut Ctx<'_>, call: &Call, date: DateSource, import: bool) -> Result<Reply, ApiError> {
    check_user(ctx, call)?;
    let source = source_of(call, call.body(), "message.raw")?.ok_or_else(no_source)?;
    let mailbox = &mut ctx.google.gmail;
    let date = match call.query("internalDateSource") {
        Some("receivedTime") => DateSource::Received,
        Some("dateHeader") => DateSource::Header,
        _ => date,
    };
    let mut labels = LabelSet::default();
    for name in texts(call.body(), "labelIds") {
        match label_of(&mailbox.labels, name)? {
            LabelId::DRAFT | LabelId::CHAT => {
                return Err(ApiError::invalid(format!("Invalid label: {name}")));
            }
            label => labels.insert(label),
        };
    }
    if import
        && Head::of(&source)
            .from
            .iter()
            .any(|it| mailbox.identities.may_send_as(&it.email))
    {
        labels.insert(LabelId::SENT);
    }
    let thread = thread_of(mailbox, call.body())?;
    let incoming = Incoming {
        source,
        thread,
        labels,
        date,
    };
    let id = mailbox.insert(ctx.ids, ctx.clock, incoming)?;
    let reply = created(ctx, call, id)?;
    if call.flag("deleted") {
        // Visible to an administrator's archive only, which is not here.
        ctx.google.gmail.delete(id);
        return Ok(reply.changed(changed("gmail.message", &id, Change::Deleted)));
    }
    Ok(reply)
}

fn created(ctx: &Ctx<'_>, call: &Call, id: MessageId) -> Result<Reply, ApiError> {
    let message = ctx
        .google
        .gmail
        .get(id)
        .ok_or_else(ApiError::entity_not_found)?;
    let reply = call.reply(&Labelled::of(message))?;
    Ok(reply.changed(changed("gmail.message", &id, Change::Created)))
}

/// The message in a draft's body.
pub(super) fn message_in(call: &Call) -> &serde_json::Map<String, Value> {
    static NONE: std::sync::LazyLock<serde_json::Map<String, Value>> =
        std::sync::LazyLock::new(serde_json::Map::new);
    call.body()
        .get("message")
        .and_then(Value::as_object)
        .unwrap_or(&NONE)
}
