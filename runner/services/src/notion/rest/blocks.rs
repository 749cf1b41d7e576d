//! Blocks.

use proctor_types::{Change, View};
use serde_json::{Map, Value};

use super::error::ApiError;
use super::paging::{Paging, list};
use super::{Call, Cx};
use crate::notion::accept::blocks::{Draft, children as drafts, may_hold, updated};
use crate::notion::accept::{At, Bad, id, object, optional, required, trash, word};
use crate::notion::block::{KINDS, Kind};
use crate::notion::id::Id;
use crate::notion::rich::{Mention, Rich, What};
use crate::notion::store::{Body, MAX_DEPTH, Place};

/// A block in the path; a table of a database is none.
fn find(cx: &Cx<'_>, call: &Call) -> Result<Id, ApiError> {
    let id = call.id()?;
    match cx.node(id, "block")?.body {
        Body::Source(_) => Err(ApiError::not_found("block", id)),
        _ => Ok(id),
    }
}

pub(super) fn retrieve(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    let id = find(cx, call)?;
    Ok(cx.block(id))
}

pub(super) fn children(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    let id = find(cx, call)?;
    let is_page = cx.node(id, "block")?.page().is_some();
    let children: Vec<Id> = if cx.node(id, "block")?.database().is_some() {
        Vec::new()
    } else {
        cx.notion.living(id).map(|(child, _)| child).collect()
    };
    let part = Paging::of_query(call)?.cut(children, |id| *id)?;
    if is_page {
        // Whoever has seen the last part has gone through the whole page.
        let view = if part.next.is_none() {
            View::Full
        } else {
            View::Summary
        };
        cx.read(id, view);
    }
    let results = part.items.into_iter().map(|id| cx.block(id)).collect();
    Ok(list("block", results, part.next))
}

impl Cx<'_> {
    /// Refuses to edit what is in the trash.
    pub(crate) fn editable(&self, id: Id) -> Result<(), ApiError> {
        if self.notion.node(id).is_some_and(|node| node.trashed) {
            return Err(ApiError::archived());
        }
        if self.notion.in_trash(id) {
            return Err(ApiError::archived_ancestor());
        }
        Ok(())
    }

    /// Puts something into the trash, or takes it out. Gives whether that
    /// changed anything.
    pub(crate) fn set_trashed(&mut self, id: Id, trashed: bool) -> Result<bool, ApiError> {
        let above = self.notion.node(id).and_then(|node| node.parent);
        if above.is_some_and(|above| self.notion.in_trash(above)) {
            return Err(ApiError::archived_ancestor());
        }
        let stamp = self.stamp();
        let Some(node) = self.notion.node_mut(id) else {
            return Ok(false);
        };
        if node.trashed == trashed {
            return Ok(false);
        }
        node.trashed = trashed;
        node.edited = stamp;
        if trashed {
            self.change(id, Change::Deleted, &[]);
        } else {
            self.change(id, Change::Updated, &["in_trash"]);
        }
        if let Some(above) = above {
            self.edited(above);
        }
        Ok(true)
    }

    /// Puts new blocks into a page or block; gives their identifiers.
    pub(crate) fn add(
        &mut self,
        parent: Id,
        drafts: Vec<Draft>,
        place: Place,
    ) -> Result<Vec<Id>, ApiError> {
        let depth = self.notion.depth(parent);
        let mut added = Vec::new();
        let mut place = place;
        for draft in drafts {
            self.check(parent, &draft)?;
            let id = self.grow(parent, draft, place, depth + 1)?;
            place = Place::After(id);
            added.push(id);
        }
        Ok(added)
    }

    fn check(&self, parent: Id, draft: &Draft) -> Result<(), ApiError> {
        match &self.node(parent, "block")?.body {
            Body::Block(block) => may_hold(block, &draft.block),
            Body::Page(_) if matches!(draft.block.kind, Kind::TableRow | Kind::Column) => {
                let name = draft.block.kind.name();
                let text = format!("A {name} block cannot be in a page directly.");
                Err(ApiError::validation(text))
            }
            Body::Page(_) => Ok(()),
            Body::Database(_) | Body::Source(_) => Err(ApiError::validation(
                "Cannot append blocks to a database. Create a page in it instead.",
            )),
        }
    }

    fn grow(
        &mut self,
        parent: Id,
        draft: Draft,
        place: Place,
        depth: usize,
    ) -> Result<Id, ApiError> {
        if depth > MAX_DEPTH {
            let text = format!("Blocks cannot be nested more than {MAX_DEPTH} levels deep.");
            return Err(ApiError::validation(text));
        }
        self.mentions(&draft.block.text)?;
        let id = Id::draw(self.ids, "notion.block");
        self.insert(id, Some(parent), place, Body::Block(draft.block));
        for child in draft.children {
            self.grow(id, child, Place::End, depth + 1)?;
        }
        Ok(id)
    }

    /// Whatever a text mentions has to be there.
    pub(crate) fn mentions(&self, text: &Rich) -> Result<(), ApiError> {
        for run in text {
            let What::Mention(mention) = &run.what else {
                continue;
            };
            match mention {
                Mention::User(id) if self.notion.user(*id).is_none() => {
                    return Err(ApiError::not_found("user", *id));
                }
                Mention::Page(id) if self.node(*id, "page")?.page().is_none() => {
                    return Err(ApiError::not_found("page", *id));
                }
                Mention::Database(id) if self.node(*id, "database")?.page().is_some() => {
                    return Err(ApiError::not_found("database", *id));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

pub(super) fn append(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    let parent = find(cx, call)?;
    let at = At::Root("body");
    let value = required(&call.body, "children", &at)?;
    let drafts = drafts(value, &at.key("children"))?;
    cx.editable(parent)?;
    let place = place(cx, &call.body, parent, &at)?;
    let added = cx.add(parent, drafts, place)?;
    if !added.is_empty() {
        cx.edited(parent);
    }
    let results = added.iter().map(|id| cx.notion.block_json(*id, cx.version));
    Ok(list("block", results.collect(), None))
}

/// Where new blocks go: `position`, or `after` as older versions say it.
fn place(
    cx: &Cx<'_>,
    body: &Map<String, Value>,
    parent: Id,
    at: &At<'_>,
) -> Result<Place, ApiError> {
    let known = ["children", "after", "position"];
    crate::notion::accept::only(body, &known, at)?;
    let after = if let Some(value) = optional(body, "after") {
        id(value, &at.key("after"))?
    } else if let Some(value) = optional(body, "position") {
        let at = at.key("position");
        let position = object(value, &at)?;
        let kind = required(position, "type", &at)?;
        let kinds = ["after_block", "start", "end"];
        match word(kind, &kinds, &at.key("type"))? {
            "start" => return Ok(Place::Start),
            "end" => return Ok(Place::End),
            _ => {
                let value = required(position, "after_block", &at)?;
                let at = at.key("after_block");
                let value = required(object(value, &at)?, "id", &at)?;
                id(value, &at.key("id"))?
            }
        }
    } else {
        return Ok(Place::End);
    };
    if cx.notion.living(parent).any(|(child, _)| child == after) {
        return Ok(Place::After(after));
    }
    let text = format!("Block with ID {after} is not a child of the parent block {parent}.");
    Err(ApiError::validation(text))
}

pub(super) fn update(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    let id = find(cx, call)?;
    let at = At::Root("body");
    let trashed = trash(&call.body, &at)?;
    let names = KINDS.map(|(_, name)| name);
    let known = [
        &names[..],
        &["type", "archived", "in_trash", "object", "id"],
    ]
    .concat();
    let page_kinds = ["child_page", "child_database"];
    let allowed = [&known[..], &page_kinds].concat();
    crate::notion::accept::only(&call.body, &allowed, &at)?;
    let Some(block) = cx.node(id, "block")?.block().cloned() else {
        let Some(trashed) = trashed else {
            let text = "This block is a page or database: update it by the endpoint of its kind.";
            return Err(ApiError::validation(text));
        };
        cx.set_trashed(id, trashed)?;
        return Ok(cx.notion.block_json(id, cx.version));
    };
    let new = updated(&block, &call.body)?;
    let says_nothing = trashed.is_none() && !call.body.contains_key(block.kind.name());
    if says_nothing {
        return Err(Bad::either([at.key(block.kind.name()).missing()]).into());
    }
    if let Some(trashed) = trashed {
        cx.set_trashed(id, trashed)?;
    }
    if call.body.contains_key(block.kind.name()) {
        cx.editable(id)?;
        cx.mentions(&new.text)?;
        let above = cx.node(id, "block")?.parent;
        if let Some(above) = above.and_then(|above| cx.notion.node(above)?.block()) {
            may_hold(above, &new)?;
        }
        let fields = changed_fields(cx, &block, &new);
        if let Some(node) = cx.notion.node_mut(id) {
            node.body = Body::Block(new);
        }
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        cx.change(id, Change::Updated, &fields);
        cx.edited(id);
    }
    Ok(cx.notion.block_json(id, cx.version))
}

/// Names of the members of a block's content that are other ones now.
fn changed_fields(
    cx: &Cx<'_>,
    was: &crate::notion::block::Block,
    is: &crate::notion::block::Block,
) -> Vec<String> {
    let (was, is) = (cx.notion.block_content(was), cx.notion.block_content(is));
    let is = is.as_object().cloned().unwrap_or_default();
    let changed = is
        .into_iter()
        .filter(|(key, value)| was.get(key) != Some(value));
    changed.map(|(key, _)| key).collect()
}

pub(super) fn delete(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    let id = find(cx, call)?;
    cx.editable(id)?;
    cx.set_trashed(id, true)?;
    Ok(cx.notion.block_json(id, cx.version))
}
