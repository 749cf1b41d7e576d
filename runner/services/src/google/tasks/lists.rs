//! `tasks.tasklists.*`.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use proctor_types::journal::{Change, Touch};

use super::edit;
use super::store::{DEFAULT, ID, full, invalid, list_len, new_id};
use super::view::{ListView, Page, list_read, shown, shown_item};
use crate::google::Ctx;
use crate::google::call::{At, Call, Reply};
use crate::google::error::ApiError;

/// Most lists of an account.
const MAX_LISTS: usize = 2000;
/// Most lists on a page, and how many are on it by default.
const PAGE: usize = 1000;

pub(super) fn list(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let size = call.int("maxResults", PAGE, PAGE)?;
    let after = match call.query("pageToken").filter(|token| !token.is_empty()) {
        None => 0,
        Some(token) => serial_of(token).ok_or_else(|| invalid("pageToken"))?,
    };
    let store = &ctx.google.tasks;
    let mut rest = store
        .lists
        .iter()
        .filter(|list| list.serial > after)
        .peekable();
    let page: Vec<_> = rest.by_ref().take(size).collect();
    let last = page.last().filter(|_| rest.peek().is_some());
    let revisions: Vec<String> = store
        .lists
        .iter()
        .map(super::store::TaskList::etag)
        .collect();
    let etag = collection_etag(&revisions);
    let answer = Page {
        kind: "tasks#taskLists",
        etag: etag.clone(),
        next_page_token: last.map(|list| URL_SAFE_NO_PAD.encode(list.serial.to_string())),
        items: page.iter().map(|list| ListView::new(list)).collect(),
    };
    let mut reply = call.reply(&answer)?.etag(etag);
    for (n, list) in page.iter().enumerate() {
        reply = reply.read_at(list_read(list), At::Item("items", n), shown_item);
    }
    Ok(reply)
}

fn serial_of(token: &str) -> Option<u64> {
    String::from_utf8(URL_SAFE_NO_PAD.decode(token).ok()?)
        .ok()?
        .parse()
        .ok()
}

/// One tag for many: a checksum of theirs.
fn collection_etag(tags: &[String]) -> String {
    // FNV-1a, 32 bits: tags are compared, not trusted.
    let bytes = tags.iter().flat_map(|tag| tag.bytes());
    let sum = bytes.fold(0x811c_9dc5_u32, |sum, byte| {
        (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    format!("\"{}\"", URL_SAFE_NO_PAD.encode(sum.to_string()))
}

pub(super) fn get(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let list = ctx.google.tasks.list(call.path("tasklist"))?;
    let reply = call.reply(&ListView::new(list))?.etag(list.etag());
    Ok(reply.read_at(list_read(list), At::Root, shown))
}

pub(super) fn insert(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let title = edit::title(call.body())?.unwrap_or_default();
    let store = &mut ctx.google.tasks;
    store.check_room(list_len(&title) + ID)?;
    if store.lists.len() >= MAX_LISTS {
        return Err(full());
    }
    let id = new_id(ctx.ids, "tasks.tasklist");
    let list = store.add_list(id, title, ctx.clock.now());
    let created = Touch::changed("tasks.tasklist", &list.id, Change::Created);
    let reply = call.reply(&ListView::new(list))?.etag(list.etag());
    Ok(reply
        .read_at(list_read(list), At::Root, shown)
        .changed(created))
}

pub(super) fn update(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let title = edit::title(call.body())?.unwrap_or_default();
    let id = ctx.google.tasks.list(call.path("tasklist"))?.id.clone();
    match call.text("id") {
        None => return Err(ApiError::bad_request("required", "Missing task list ID")),
        Some(given) if given != id && given != DEFAULT => return Err(invalid("id")),
        Some(_) => {}
    }
    change(ctx, call, Some(title))
}

pub(super) fn patch(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let title = edit::title(call.body())?;
    change(ctx, call, title)
}

fn change(ctx: &mut Ctx<'_>, call: &Call, title: Option<String>) -> Result<Reply, ApiError> {
    let before = ctx.google.tasks.list(call.path("tasklist"))?;
    call.check_match(&before.etag())?;
    if let Some(title) = &title {
        let growth = list_len(title).saturating_sub(list_len(&before.title));
        ctx.google.tasks.check_room(growth)?;
    }
    let list = ctx.google.tasks.list_mut(call.path("tasklist"))?;
    let title = title.filter(|title| *title != list.title);
    let fields = title.is_some().then_some("title");
    list.title = title.unwrap_or_else(|| std::mem::take(&mut list.title));
    list.touch(ctx.clock.now());
    let updated = Touch::changed("tasks.tasklist", &list.id, Change::Updated).fields(fields);
    let reply = call.reply(&ListView::new(list))?.etag(list.etag());
    Ok(reply
        .read_at(list_read(list), At::Root, shown)
        .changed(updated))
}

pub(super) fn delete(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let store = &mut ctx.google.tasks;
    let list = store.list(call.path("tasklist"))?;
    call.check_match(&list.etag())?;
    let id = list.id.clone();
    // The default list stays.
    if store.lists.first().is_some_and(|first| first.id == id) {
        return Err(invalid("tasklist"));
    }
    store.lists.retain(|list| list.id != id);
    Ok(Reply::empty().changed(Touch::changed("tasks.tasklist", id, Change::Deleted)))
}
