//! `users.threads`.

use proctor_types::journal::{Change, View};
use serde::Serialize;

use super::render::{Format, Labelled, Shown, listed_entry, shown, shown_entry, shown_item};
use super::{
    changed, check_user, id_of, label_change, mailbox, plan_of, read, relabelled, wanted,
    wanted_labels,
};
use crate::google::Ctx;
use crate::google::call::{At, Call, Reply};
use crate::google::error::ApiError;
use crate::google::gmail::id::{MessageId, ThreadId};
use crate::google::gmail::mailbox::{Cursor, LabelChange};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listing<'a> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    threads: Vec<Entry<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
    result_size_estimate: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'a> {
    id: ThreadId,
    snippet: &'a str,
    history_id: String,
}

pub(super) fn list(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    check_user(ctx, call)?;
    let mailbox = &ctx.google.gmail;
    let labels = wanted_labels(&mailbox.labels, call)?;
    let plan = plan_of(ctx, call);
    let found = mailbox.find_threads(&wanted(call, &plan, &labels)?);
    let ids: Vec<ThreadId> = found.items.iter().map(|(id, _)| *id).collect();
    let entries = found.items.iter().zip(mailbox.thread_histories(&ids));
    let mut reply = call.reply(&Listing {
        threads: entries
            .map(|((id, newest), history)| Entry {
                id: *id,
                snippet: newest.mail.snippet(),
                history_id: history.to_string(),
            })
            .collect(),
        next_page_token: found.next.map(Cursor::token),
        result_size_estimate: found.total,
    })?;
    for (at, id) in ids.iter().enumerate() {
        let touch = read("gmail.thread", &id, View::Summary);
        reply = reply.read_at(touch, At::Item("threads", at), listed_entry);
    }
    Ok(reply)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Thread<M: Serialize> {
    id: ThreadId,
    history_id: String,
    messages: Vec<M>,
}

pub(super) fn get(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let mailbox = mailbox(ctx, call)?;
    let id = id_of(call, "id")?;
    let format = Format::of(call);
    let messages: Vec<_> = mailbox.thread(id).collect();
    let newest = messages.iter().map(|it| it.history_id).max();
    let mut reply = call.reply(&Thread {
        id,
        history_id: newest.ok_or_else(ApiError::entity_not_found)?.to_string(),
        messages: messages.iter().map(|it| Shown::new(it, &format)).collect(),
    })?;
    reply = reply.read_at(
        read("gmail.thread", &id, format.view()),
        At::Root,
        shown_thread,
    );
    for (at, message) in messages.iter().enumerate() {
        let touch = read("gmail.message", &message.id, format.view());
        reply = reply.read_at(touch, At::Item("messages", at), shown_item);
    }
    Ok(reply)
}

/// How much of a thread a masked answer still shows: as much as of the message
/// that it shows most of.
fn shown_thread(thread: &serde_json::Value) -> Option<View> {
    let messages = thread.get("messages").and_then(serde_json::Value::as_array);
    let best = messages.and_then(|messages| messages.iter().filter_map(shown).max());
    best.or_else(|| shown_entry(thread))
}

pub(super) fn modify(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let mailbox = mailbox(ctx, call)?;
    let id = id_of(call, "id")?;
    if !mailbox.has_thread(id) {
        return Err(ApiError::entity_not_found());
    }
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

#[derive(Serialize)]
struct Changed<'a> {
    id: ThreadId,
    messages: Vec<Labelled<'a>>,
}

fn relabel(
    ctx: &mut Ctx<'_>,
    call: &Call,
    id: ThreadId,
    change: &LabelChange,
) -> Result<Reply, ApiError> {
    let mailbox = &mut ctx.google.gmail;
    let members: Vec<MessageId> = mailbox.thread(id).map(|it| it.id).collect();
    if members.is_empty() {
        return Err(ApiError::entity_not_found());
    }
    mailbox.check_labels(&members, change)?;
    let touched: Vec<(MessageId, bool)> = members
        .iter()
        .filter_map(|it| Some((*it, mailbox.relabel(*it, change)?)))
        .collect();
    let is_other = touched.iter().any(|(_, is_other)| *is_other);
    let messages = mailbox.thread(id).map(|it| Labelled::of(it)).collect();
    let mut reply = call.reply(&Changed { id, messages })?;
    let fields = is_other.then_some("labelIds");
    reply = reply.changed(changed("gmail.thread", &id, Change::Updated).fields(fields));
    for (message, is_other) in touched {
        reply = reply.changed(relabelled(message, is_other));
    }
    Ok(reply)
}

pub(super) fn delete(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let mailbox = mailbox(ctx, call)?;
    let id = id_of(call, "id")?;
    let members: Vec<MessageId> = mailbox.thread(id).map(|it| it.id).collect();
    if members.is_empty() {
        return Err(ApiError::entity_not_found());
    }
    let mut reply = Reply::empty().changed(changed("gmail.thread", &id, Change::Deleted));
    for message in members {
        mailbox.delete(message);
        reply = reply.changed(changed("gmail.message", &message, Change::Deleted));
    }
    Ok(reply)
}
