//! Edits of a page as Markdown. The blocks that an edit leaves as they are stay
//! the blocks that they are.

use std::collections::HashMap;
use std::fmt::Write as _;

use imara_diff::{Algorithm, Diff, InternedInput};
use proctor_types::Change;
use serde_json::{Map, Value};

use super::{Piece, Served, Shape, canonical, parse, render};
use crate::notion::accept::blocks::Draft;
use crate::notion::accept::{At, array, flag, object, only, optional, required, string, word};
use crate::notion::block::Block;
use crate::notion::id::Id;
use crate::notion::rest::Cx;
use crate::notion::rest::error::ApiError;
use crate::notion::store::{Body, Place};

/// Most replacements of one request.
const MAX_UPDATES: usize = 100;
/// Longest Markdown that an edit may lead to, in bytes.
const MAX_MARKDOWN: usize = 2 << 20;

impl Cx<'_> {
    /// Does what a request says to a page's Markdown.
    pub(crate) fn edit_markdown(
        &mut self,
        page: Id,
        body: &Map<String, Value>,
    ) -> Result<(), ApiError> {
        let at = At::Root("body");
        let kinds = [
            "update_content",
            "replace_content",
            "insert_content",
            "replace_content_range",
        ];
        only(body, &[&kinds[..], &["type", "allow_async"]].concat(), &at)?;
        let kind = word(required(body, "type", &at)?, &kinds, &at.key("type"))?;
        let at = at.key(kind);
        let command = body.get(kind).ok_or_else(|| at.missing())?;
        let command = object(command, &at)?;
        let old = render(self.notion, page);
        let text = |key: &str| -> Result<&str, ApiError> {
            Ok(string(required(command, key, &at)?, &at.key(key))?)
        };
        let new = match kind {
            "update_content" => updated(&old, command, &at)?,
            "replace_content" => text("new_str")?.to_owned(),
            "insert_content" => inserted(&old, text("content")?, command, &at)?,
            _ => {
                let (from, to) = selection(&old, text("content_range")?)?;
                splice(&old, from, to, text("content")?)
            }
        };
        if new.len() > MAX_MARKDOWN {
            return Err(too_long());
        }
        let may_delete = flag(command, "allow_deleting_content", &at)? == Some(true);
        let parsed = parse(&new, &Served(self.notion));
        parsed.fits()?;
        let before: Vec<Id> = self.changed_blocks();
        let mut gone = Vec::new();
        self.reconcile(page, parsed.pieces, &mut gone)?;
        if !gone.is_empty() && !may_delete {
            let titles: Vec<String> = gone
                .iter()
                .filter_map(|id| self.notion.title(*id))
                .collect();
            return Err(ApiError::validation(format!(
                "This operation would delete {} child page(s) or database(s): {}. Keep their tags \
                 in the content, or set allow_deleting_content to true.",
                gone.len(),
                titles.join(", ")
            )));
        }
        for id in gone {
            // Or it went with the block that it is in.
            if !self.notion.in_trash(id) {
                self.set_trashed(id, true)?;
            }
        }
        if self.changed_blocks() != before {
            let stamp = self.stamp();
            self.notion.edited(page, stamp);
        }
        self.change(page, Change::Updated, &["content"]);
        Ok(())
    }

    fn changed_blocks(&self) -> Vec<Id> {
        self.changed
            .iter()
            .filter_map(|touch| Id::parse(&touch.id))
            .collect()
    }

    /// Makes the children of a node what the pieces say. Pages and databases
    /// that no piece keeps are left for the caller to decide.
    fn reconcile(
        &mut self,
        parent: Id,
        pieces: Vec<Piece>,
        gone: &mut Vec<Id>,
    ) -> Result<(), ApiError> {
        let old: Vec<Id> = self.notion.living(parent).map(|(id, _)| id).collect();
        let mut input = InternedInput::default();
        input.update_before(old.iter().map(|id| self.signature(*id)));
        input.update_after(pieces.iter().map(signature));
        let diff = Diff::compute(Algorithm::Histogram, &input);
        let mut order: Vec<Id> = Vec::new();
        let mut left: Vec<Id> = Vec::new();
        let mut pieces = pieces.into_iter();
        let mut at = 0;
        let index = |position: u32| usize::try_from(position).unwrap_or(usize::MAX);
        for hunk in diff.hunks() {
            let same = index(hunk.before.start) - at;
            order.extend(old.iter().skip(at).take(same));
            pieces.by_ref().take(same).for_each(drop);
            at = index(hunk.before.end);
            let mut replaced: Vec<Id> = old
                .iter()
                .copied()
                .skip(index(hunk.before.start))
                .take(hunk.before.len())
                .collect();
            for piece in pieces.by_ref().take(hunk.after.len()) {
                let place = order.last().map_or(Place::Start, |id| Place::After(*id));
                if let Some(id) = self.settle(parent, piece, &mut replaced, place, gone)? {
                    order.push(id);
                }
            }
            left.extend(replaced);
        }
        order.extend(old.iter().skip(at));
        for id in left {
            if order.contains(&id) {
                continue;
            }
            // Part of the page may have moved elsewhere within it.
            if self.notion.node(id).and_then(|node| node.parent) != Some(parent) {
                continue;
            }
            let is_block = self
                .notion
                .node(id)
                .is_some_and(|node| node.block().is_some());
            if is_block {
                self.set_trashed(id, true)?;
                self.rescue(id, gone);
            } else {
                gone.push(id);
            }
        }
        // The page came back by a tag that stands further down.
        gone.retain(|id| !order.contains(id));
        self.arrange(parent, &order);
        Ok(())
    }

    /// Pages in a block that goes are not to go unnoticed.
    fn rescue(&self, id: Id, gone: &mut Vec<Id>) {
        let children: Vec<Id> = self.notion.living(id).map(|(child, _)| child).collect();
        for child in children {
            match self.notion.node(child) {
                Some(node) if node.block().is_some() => self.rescue(child, gone),
                _ => gone.push(child),
            }
        }
    }

    /// The block that a piece becomes: one that it replaces where there is one
    /// of its kind.
    fn settle(
        &mut self,
        parent: Id,
        piece: Piece,
        replaced: &mut Vec<Id>,
        place: Place,
        gone: &mut Vec<Id>,
    ) -> Result<Option<Id>, ApiError> {
        let block = match piece.what {
            Shape::Existing(id) => return self.keep(parent, id, replaced, gone),
            Shape::New(block) => block,
        };
        let known = |id: &Id| self.notion.node(*id).and_then(|node| node.block());
        let same = replaced
            .iter()
            .position(|id| known(id).is_some_and(|old| old.kind == block.kind));
        let Some(at) = same else {
            let draft = Draft {
                block,
                children: Vec::new(),
            };
            let added = self.add(parent, vec![draft], place)?;
            let Some(id) = added.first().copied() else {
                return Ok(None);
            };
            self.reconcile(id, piece.children, gone)?;
            return Ok(Some(id));
        };
        let id = replaced.remove(at);
        let old = known(&id).cloned();
        let changed = old.is_none_or(|old| canonical(&old) != canonical(&block));
        if changed {
            let stamp = self.stamp();
            self.mentions(&block.text)?;
            if let Some(node) = self.notion.node_mut(id) {
                node.body = Body::Block(block);
                node.edited = stamp;
            }
            self.change(id, Change::Updated, &["content"]);
        }
        self.reconcile(id, piece.children, gone)?;
        Ok(Some(id))
    }

    /// Something that is there already stays, or comes from elsewhere on the
    /// page.
    fn keep(
        &mut self,
        parent: Id,
        id: Id,
        replaced: &mut Vec<Id>,
        gone: &mut Vec<Id>,
    ) -> Result<Option<Id>, ApiError> {
        replaced.retain(|other| *other != id);
        let from = self.notion.node(id).and_then(|node| node.parent);
        if from == Some(parent) {
            gone.retain(|other| *other != id);
            return Ok(Some(id));
        }
        let page = self.notion.page_of(parent);
        let is_here = from.is_some_and(|from| self.notion.page_of(from) == page);
        let is_above = self.notion.up(parent).any(|(above, _)| above == id);
        if !is_here || is_above {
            return Err(ApiError::validation(format!(
                "The page or block with ID {id} is not part of this page. Move it by the endpoint \
                 for moving pages, or mention it."
            )));
        }
        if let Some(mut node) = self.notion.detach(id) {
            node.parent = Some(parent);
            self.notion.insert(id, node, Place::End);
            self.change(id, Change::Moved, &[]);
        }
        gone.retain(|other| *other != id);
        Ok(Some(id))
    }

    /// Puts the children of a node into order; those in the trash come last.
    fn arrange(&mut self, parent: Id, order: &[Id]) {
        let place: HashMap<Id, usize> =
            order.iter().enumerate().map(|(at, id)| (*id, at)).collect();
        if let Some(node) = self.notion.node_mut(parent) {
            node.children
                .sort_by_key(|id| place.get(id).copied().unwrap_or(usize::MAX));
        }
    }

    /// What a node looks like in Markdown.
    fn signature(&self, id: Id) -> String {
        let mut text = String::new();
        self.sign(id, &mut text);
        text
    }

    fn sign(&self, id: Id, text: &mut String) {
        let block = self.notion.node(id).and_then(|node| node.block());
        let Some(block) = block.filter(|block| is_expressible(block)) else {
            let _ = write!(text, "existing {id}");
            return;
        };
        let _ = write!(text, "{:?}(", canonical(block));
        for (child, _) in self.notion.living(id) {
            self.sign(child, text);
        }
        text.push(')');
    }
}

/// Whether Markdown has words for a block.
fn is_expressible(block: &Block) -> bool {
    use crate::notion::block::Kind;
    !matches!(
        block.kind,
        Kind::Breadcrumb | Kind::LinkToPage | Kind::SyncedBlock
    )
}

fn signature(piece: &Piece) -> String {
    fn sign(piece: &Piece, text: &mut String) {
        let _ = match &piece.what {
            Shape::Existing(id) => write!(text, "existing {id}"),
            Shape::New(block) => {
                let _ = write!(text, "{:?}(", canonical(block));
                for child in &piece.children {
                    sign(child, text);
                }
                write!(text, ")")
            }
        };
    }
    let mut text = String::new();
    sign(piece, &mut text);
    text
}

fn too_long() -> ApiError {
    let text = format!("The content would be longer than {MAX_MARKDOWN} bytes.");
    ApiError::validation(text)
}

/// Replaces what the updates name.
fn updated(old: &str, command: &Map<String, Value>, at: &At<'_>) -> Result<String, ApiError> {
    let mut text = old.to_owned();
    let at = at.key("content_updates");
    let updates = command.get("content_updates").ok_or_else(|| at.missing())?;
    let updates = array(updates, &at)?;
    if updates.len() > MAX_UPDATES {
        let what = format!("\u{2264} `{MAX_UPDATES}`");
        return Err(at
            .key("length")
            .wrong(&what, Some(&updates.len().into()))
            .into());
    }
    for (n, update) in updates.iter().enumerate() {
        let at = at.item(n);
        let update = object(update, &at)?;
        let find = string(required(update, "old_str", &at)?, &at.key("old_str"))?;
        let put = string(required(update, "new_str", &at)?, &at.key("new_str"))?;
        let all = flag(update, "replace_all_matches", &at)? == Some(true);
        if find.is_empty() {
            let value = update.get("old_str");
            return Err(at.key("old_str").wrong("not empty", value).into());
        }
        let matches = text.matches(find).count();
        if text.len() + matches * put.len() > 2 * MAX_MARKDOWN {
            return Err(too_long());
        }
        match matches {
            0 => {
                return Err(ApiError::validation(format!(
                    "Could not find the old_str of content_updates[{n}] in the page content. \
                     Retrieve the page as markdown and copy the text exactly."
                )));
            }
            1 => text = text.replacen(find, put, 1),
            _ if all => text = text.replace(find, put),
            several => {
                return Err(ApiError::validation(format!(
                    "The old_str of content_updates[{n}] matches {several} places in the page \
                     content. Add context to make it unique, or set replace_all_matches to true."
                )));
            }
        }
    }
    Ok(text)
}

/// The text with new content: after a selection, or at either end.
fn inserted(
    old: &str,
    content: &str,
    command: &Map<String, Value>,
    at: &At<'_>,
) -> Result<String, ApiError> {
    if let Some(value) = optional(command, "after") {
        let (_, to) = selection(old, string(value, &at.key("after"))?)?;
        let end = old.get(to..).and_then(|rest| rest.find('\n'));
        let end = end.map_or(old.len(), |end| to + end);
        return Ok(splice(old, end, end, &format!("\n{content}")));
    }
    let mut at_start = false;
    if let Some(value) = optional(command, "position") {
        let at = at.key("position");
        let kind = required(object(value, &at)?, "type", &at)?;
        at_start = word(kind, &["start", "end"], &at.key("type"))? == "start";
    }
    Ok(match (old.is_empty(), at_start) {
        (true, _) => content.to_owned(),
        (_, true) => format!("{content}\n{old}"),
        (_, false) => format!("{old}\n{content}"),
    })
}

/// Where in a text a selection is: `its beginning...its end`, or all of it.
fn selection(text: &str, range: &str) -> Result<(usize, usize), ApiError> {
    let missing = || {
        ApiError::validation(format!(
            "Could not find the selection {} in the page content. It is the start and the end of \
             the text with an ellipsis between them: \"start text...end text\".",
            Value::from(range)
        ))
    };
    let (first, last) = range.split_once("...").unwrap_or((range, ""));
    let from = text
        .find(first)
        .filter(|_| !range.is_empty())
        .ok_or_else(missing)?;
    let after = from + first.len();
    let rest = text.get(after..).ok_or_else(missing)?;
    let to = rest.find(last).ok_or_else(missing)?;
    Ok((from, after + to + last.len()))
}

fn splice(text: &str, from: usize, to: usize, new: &str) -> String {
    let before = text.get(..from).unwrap_or_default();
    let after = text.get(to..).unwrap_or_default();
    format!("{before}{new}{after}")
}
