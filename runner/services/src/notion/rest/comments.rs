//! Comments.

use std::sync::Arc;

use proctor_types::world::notion::COMMENT;
use proctor_types::{Change, Touch, View};
use serde_json::{Map, Value, json};

use super::error::ApiError;
use super::paging::{Paging, list as list_of};
use super::{Call, Cx};
use crate::notion::accept::rich::rich;
use crate::notion::accept::{At, Bad, id, object, optional, short};
use crate::notion::id::Id;
use crate::notion::markdown;
use crate::notion::property::time;
use crate::notion::rich::Rich;
use crate::notion::store::{Comment, Notion};

impl Notion {
    fn comment_json(&self, comment: &Comment) -> Value {
        let key = match self.node(comment.on) {
            Some(node) if node.page().is_some() => "page_id",
            _ => "block_id",
        };
        let mut parent = json!({"type": key});
        parent[key] = json!(comment.on);
        let by = self.user(comment.created.by);
        let kind = match by.map(|user| &user.email) {
            Some(None) => "integration",
            _ => "user",
        };
        json!({
            "object": "comment",
            "id": comment.id,
            "parent": parent,
            "discussion_id": comment.discussion,
            "created_time": time(comment.created.at),
            "last_edited_time": time(comment.edited),
            "created_by": Self::user_ref(comment.created.by),
            "rich_text": self.rich_json(&comment.text),
            "display_name": {"type": kind, "resolved_name": by.map(|user| &user.name)},
        })
    }
}

/// Comments whose object is still there, of `on`.
pub(super) fn list(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    let at = At::Root("query");
    let on = call.query("block_id").map(Value::from);
    let on = on.ok_or_else(|| at.key("block_id").missing())?;
    let on = id(&on, &at.key("block_id"))?;
    cx.node(on, "block")?;
    let comments: Vec<Arc<Comment>> = cx
        .notion
        .comments
        .iter()
        .filter(|comment| comment.on == on)
        .cloned()
        .collect();
    let part = Paging::of_query(call)?.cut(comments, |comment| comment.id)?;
    let results = part.items.iter().map(|comment| show(cx, comment));
    let results = results.collect();
    Ok(list_of("comment", results, part.next))
}

fn show(cx: &mut Cx<'_>, comment: &Comment) -> Value {
    let touch = Touch::read(COMMENT, comment.id.to_string(), View::Full);
    cx.read.push(touch.within(comment.on.to_string()));
    cx.notion.comment_json(comment)
}

fn find(cx: &Cx<'_>, call: &Call) -> Result<(usize, Arc<Comment>), ApiError> {
    let id = call.id()?;
    let mut all = cx.notion.comments.iter().enumerate();
    let found = all.find(|(_, comment)| comment.id == id);
    found
        .map(|(at, comment)| (at, comment.clone()))
        .ok_or_else(|| ApiError::not_found("comment", id))
}

pub(super) fn retrieve(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    let (_, comment) = find(cx, call)?;
    Ok(show(cx, &comment))
}

/// The text of a comment, as rich text or as Markdown.
fn text(cx: &Cx<'_>, body: &Map<String, Value>) -> Result<Rich, ApiError> {
    let at = At::Root("body");
    if let Some(value) = body.get("rich_text") {
        let text = rich(value, &at.key("rich_text"))?;
        if text.is_empty() {
            return Err(at.key("rich_text").wrong("not empty", Some(value)).into());
        }
        return Ok(text);
    }
    match body.get("markdown") {
        Some(value) => {
            let source = short(value, 20_000, &at.key("markdown"))?;
            let names = markdown::Served(cx.notion);
            Ok(markdown::inline(source, &names))
        }
        None => Err(at.key("rich_text").missing().into()),
    }
}

pub(super) fn create(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    let body = &call.body;
    let at = At::Root("body");
    let text = text(cx, body)?;
    let (on, discussion) = place(cx, body, &at)?;
    if cx.notion.in_trash(on) {
        return Err(ApiError::archived());
    }
    let discussion = discussion.unwrap_or_else(|| Id::draw(cx.ids, "notion.discussion"));
    let comment = Arc::new(Comment {
        id: Id::draw(cx.ids, "notion.comment"),
        discussion,
        on,
        text,
        created: cx.stamp(),
        edited: cx.now,
        seeded: false,
    });
    cx.notion.comments.push(comment.clone());
    cx.change_comment(comment.id, on, Change::Created);
    Ok(cx.notion.comment_json(&comment))
}

/// What a new comment is on, and the discussion that it answers in.
fn place(
    cx: &Cx<'_>,
    body: &Map<String, Value>,
    at: &At<'_>,
) -> Result<(Id, Option<Id>), ApiError> {
    if let Some(value) = optional(body, "discussion_id") {
        let discussion = id(value, &at.key("discussion_id"))?;
        let mut known = cx.notion.comments.iter();
        let known = known.find(|comment| comment.discussion == discussion);
        return known
            .map(|comment| (comment.on, Some(discussion)))
            .ok_or_else(|| ApiError::not_found("discussion", discussion));
    }
    let Some(parent) = body.get("parent") else {
        return Err(
            Bad::either(["parent", "discussion_id"].map(|key| at.key(key).missing())).into(),
        );
    };
    let at = at.key("parent");
    let parent = object(parent, &at)?;
    for (key, kind) in [("page_id", "page"), ("block_id", "block")] {
        if let Some(value) = parent.get(key) {
            let on = id(value, &at.key(key))?;
            let node = cx.node(on, kind)?;
            if node.source().is_some() || kind == "page" && node.page().is_none() {
                return Err(ApiError::not_found(kind, on));
            }
            return Ok((on, None));
        }
    }
    Err(Bad::either(["page_id", "block_id"].map(|key| at.key(key).missing())).into())
}

pub(super) fn update(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    let (at, comment) = find(cx, call)?;
    let text = text(cx, &call.body)?;
    let comment = Arc::new(Comment {
        text,
        edited: cx.now,
        ..Comment::clone(&comment)
    });
    if let Some(slot) = cx.notion.comments.get_mut(at) {
        *slot = comment.clone();
    }
    cx.change_comment(comment.id, comment.on, Change::Updated);
    Ok(cx.notion.comment_json(&comment))
}

pub(super) fn delete(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    let (at, comment) = find(cx, call)?;
    cx.notion.comments.remove(at);
    cx.change_comment(comment.id, comment.on, Change::Deleted);
    Ok(cx.notion.comment_json(&comment))
}
