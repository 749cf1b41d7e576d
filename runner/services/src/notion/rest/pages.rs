//! Pages: their properties, their place, their content as Markdown.

use proctor_types::{Change, View};
use serde_json::{Map, Value, json};

use super::error::ApiError;
use super::paging::{Paging, list};
use super::{Call, Cx};
use crate::notion::accept::blocks::{Draft, children as drafts};
use crate::notion::accept::properties::{Given, of_page, of_row};
use crate::notion::accept::rich::{MAX_TEXT, title_length};
use crate::notion::accept::{
    At, Bad, cover, flag, icon, id, object, only, optional, required, trash, word,
};
use crate::notion::block::Kind;
use crate::notion::id::Id;
use crate::notion::markdown;
use crate::notion::property::{Cell, Config};
use crate::notion::store::{Body, MAX_DEPTH, Page, Place};

/// A page in the path.
fn find(cx: &Cx<'_>, call: &Call) -> Result<Id, ApiError> {
    let id = call.id()?;
    let other = match &cx.node(id, "page")?.body {
        Body::Page(_) => return Ok(id),
        Body::Block(_) => ("block", "block"),
        Body::Database(_) => ("database", "database"),
        Body::Source(_) => ("data_source", "data source"),
    };
    let (_, name) = other;
    Err(ApiError::validation(format!(
        "Provided ID {id} is a {name}, not a page. Use the retrieve {name} API instead."
    )))
}

pub(super) fn retrieve(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    let id = find(cx, call)?;
    let only = call.queries("filter_properties");
    Ok(cx.object(id, &only))
}

impl Cx<'_> {
    /// What a request names as the parent of a page: a page, the table of a
    /// database, or (`None`) the workspace.
    fn parent(&self, value: &Value, at: &At<'_>) -> Result<Option<Id>, ApiError> {
        let parent = object(value, at)?;
        let of = |key| optional(parent, key).map(|value| id(value, &at.key(key)));
        if let Some(page) = of("page_id").transpose()? {
            return match &self.node(page, "page")?.body {
                Body::Page(_) => Ok(Some(page)),
                _ => Err(ApiError::not_found("page", page)),
            };
        }
        if let Some(source) = of("data_source_id").transpose()? {
            return match &self.node(source, "data_source")?.body {
                Body::Source(_) => Ok(Some(source)),
                _ => Err(ApiError::not_found("data_source", source)),
            };
        }
        if let Some(database) = of("database_id").transpose()? {
            return self.source_of_database(database).map(Some);
        }
        if parent.get("workspace") == Some(&Value::Bool(true)) {
            return Ok(None);
        }
        let keys = ["page_id", "database_id", "data_source_id", "workspace"];
        Err(Bad::either(keys.map(|key| at.key(key).missing())).into())
    }

    /// The only table of a database.
    pub(crate) fn source_of_database(&self, database: Id) -> Result<Id, ApiError> {
        let node = self.node(database, "database")?;
        if node.database().is_none() {
            return Err(ApiError::not_found("database", database));
        }
        self.notion.only_source(database).ok_or_else(|| {
            ApiError::validation(
                "Databases with multiple data sources are not supported in this API version.",
            )
        })
    }

    /// The properties that a request gives a page in `parent`.
    fn given(&mut self, parent: Option<Id>, value: &Value, at: &At<'_>) -> Result<Given, ApiError> {
        let source = parent.and_then(|id| self.notion.node(id)?.source());
        let given = match source {
            Some(source) => of_row(self.notion, self.ids, source, value, at)?,
            None => of_page(value, at)?,
        };
        if let Some(title) = &given.title {
            self.mentions(title)?;
        }
        Ok(given)
    }

    /// Options that came with values belong to the table from now on.
    fn learn(&mut self, parent: Option<Id>, given: &mut Given) {
        let Some((id, table)) = parent.zip(given.source.take()) else {
            return;
        };
        if let Some(node) = self.notion.node_mut(id) {
            node.body = Body::Source(table);
        }
        self.change(id, Change::Updated, &["properties"]);
    }
}

/// Icon and cover, where a request says them.
fn looks(page: &mut Page, body: &Map<String, Value>, at: &At<'_>) -> Result<(), ApiError> {
    if let Some(value) = body.get("icon") {
        page.icon = icon(value, &at.key("icon"))?;
    }
    if let Some(value) = body.get("cover") {
        page.cover = cover(value, &at.key("cover"))?;
    }
    Ok(())
}

pub(super) fn create(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    let at = At::Root("body");
    let body = &call.body;
    let known = [
        "parent",
        "properties",
        "icon",
        "cover",
        "content",
        "children",
        "markdown",
        "allow_async",
        "template",
        "position",
    ];
    only(body, &known, &at)?;
    let parent = required(body, "parent", &at)?;
    let parent = cx.parent(parent, &at.key("parent"))?;
    if let Some(parent) = parent {
        if cx.notion.in_trash(parent) {
            return Err(ApiError::archived_ancestor());
        }
        if cx.notion.depth(parent) + 2 > MAX_DEPTH {
            let text = format!("Pages cannot be nested more than {MAX_DEPTH} levels deep.");
            return Err(ApiError::validation(text));
        }
    }
    let mut page = Page::default();
    looks(&mut page, body, &at)?;
    let mut given = match optional(body, "properties") {
        Some(value) => cx.given(parent, value, &at.key("properties"))?,
        None if cx.version.has_sources() => Given::default(),
        None => return Err(at.key("properties").missing().into()),
    };
    let mut content = content(cx, body, &at)?;
    if given.title.is_none() && body.contains_key("markdown") {
        // The first heading of Markdown is the title of a page without one.
        let is_title = |it: &Draft| {
            let is_heading = it.block.kind == Kind::Heading1 && it.children.is_empty();
            is_heading && title_length(&it.block.text) <= MAX_TEXT
        };
        if content.first().is_some_and(is_title) {
            given.title = Some(content.remove(0).block.text);
        }
    }
    cx.learn(parent, &mut given);
    page.title = given.title.unwrap_or_default();
    for (id, value) in given.values {
        page.set(&id, value);
    }
    let place = place(cx, body, parent, &at)?;
    let id = Id::draw(cx.ids, "notion.page");
    cx.insert(id, parent, place, Body::Page(page));
    cx.add(id, content, Place::End)?;
    if let Some(parent) =
        parent.filter(|it| cx.notion.node(*it).is_some_and(|it| it.page().is_some()))
    {
        cx.edited(parent);
        cx.change(parent, Change::Updated, &["content"]);
    }
    Ok(cx.written(id))
}

impl Cx<'_> {
    /// An object as the answer to what changed it: nothing new was read.
    pub(crate) fn written(&mut self, id: Id) -> Value {
        let reads = self.read.len();
        let value = self.object(id, &[]);
        self.read.truncate(reads);
        value
    }
}

/// The blocks of a new page, given as blocks or as Markdown.
fn content(cx: &Cx<'_>, body: &Map<String, Value>, at: &At<'_>) -> Result<Vec<Draft>, ApiError> {
    let blocks = ["children", "content"]
        .into_iter()
        .find_map(|key| Some((key, optional(body, key)?)));
    match (blocks, optional(body, "markdown")) {
        (Some((key, value)), Some(_)) => Err(at.key(key).surplus(value).into()),
        (Some((key, value)), None) => drafts(value, &at.key(key)),
        (None, Some(value)) => {
            let text = crate::notion::accept::string(value, &at.key("markdown"))?;
            let parsed = markdown::parse(text, &markdown::Served(cx.notion));
            parsed.fits()?;
            Ok(parsed.new_only())
        }
        (None, None) => Ok(Vec::new()),
    }
}

/// Where among the blocks of its parent a new page goes.
fn place(
    cx: &Cx<'_>,
    body: &Map<String, Value>,
    parent: Option<Id>,
    at: &At<'_>,
) -> Result<Place, ApiError> {
    let Some(value) = optional(body, "position") else {
        return Ok(Place::End);
    };
    let at = at.key("position");
    let position = object(value, &at)?;
    let kind = required(position, "type", &at)?;
    let kinds = ["after_block", "page_start", "page_end"];
    match word(kind, &kinds, &at.key("type"))? {
        "page_start" => Ok(Place::Start),
        "page_end" => Ok(Place::End),
        _ => {
            let value = required(position, "after_block", &at)?;
            let at = at.key("after_block");
            let value = required(object(value, &at)?, "id", &at)?;
            let after = id(value, &at.key("id"))?;
            let is_child = cx
                .notion
                .node(after)
                .is_some_and(|node| node.parent == parent);
            if is_child {
                Ok(Place::After(after))
            } else {
                Err(ApiError::not_found("block", after))
            }
        }
    }
}

pub(super) fn update(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    let id = find(cx, call)?;
    let at = At::Root("body");
    let body = &call.body;
    let known = [
        "properties",
        "icon",
        "cover",
        "is_locked",
        "archived",
        "in_trash",
        "template",
        "erase_content",
        "allow_async",
    ];
    only(body, &known, &at)?;
    if let Some(trashed) = trash(body, &at)? {
        cx.set_trashed(id, trashed)?;
    }
    let edits = ["properties", "icon", "cover", "is_locked", "erase_content"];
    if !edits.iter().any(|key| body.contains_key(*key)) {
        return Ok(cx.written(id));
    }
    cx.editable(id)?;
    let parent = cx.node(id, "page")?.parent;
    let mut given = match optional(body, "properties") {
        Some(value) => cx.given(parent, value, &at.key("properties"))?,
        None => Given::default(),
    };
    let mut page = cx.node(id, "page")?.page().cloned().unwrap_or_default();
    let (old, before) = (page.clone(), cx.notion.properties_json(id, &[]));
    looks(&mut page, body, &at)?;
    page.locked = flag(body, "is_locked", &at)?.unwrap_or(page.locked);
    cx.learn(parent, &mut given);
    if let Some(title) = given.title {
        page.title = title;
    }
    for (property, value) in given.values {
        page.set(&property, value);
    }
    let looks_changed = [
        ("icon", page.icon != old.icon),
        ("cover", page.cover != old.cover),
        ("is_locked", page.locked != old.locked),
    ];
    if let Some(node) = cx.notion.node_mut(id) {
        node.body = Body::Page(page);
    }
    let after = cx.notion.properties_json(id, &[]);
    let value_of = |all: &Value, name: &str| {
        let served = all.get(name)?;
        served.get(served.get("type")?.as_str()?).cloned()
    };
    let changed = given
        .names
        .iter()
        .filter(|name| value_of(&before, name) != value_of(&after, name))
        .map(String::as_str);
    let looks_changed = looks_changed
        .iter()
        .filter(|(_, is)| *is)
        .map(|(key, _)| *key);
    let mut fields: Vec<&str> = changed.chain(looks_changed).collect();
    if flag(body, "erase_content", &at)? == Some(true) {
        let children: Vec<Id> = cx.notion.living(id).map(|(child, _)| child).collect();
        for child in children {
            cx.set_trashed(child, true)?;
        }
        fields.push("content");
    }
    cx.change(id, Change::Updated, &fields);
    cx.edited(id);
    Ok(cx.written(id))
}

pub(super) fn property(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    let page = find(cx, call)?;
    let key = call.path("property_id").to_owned();
    let paging = Paging::of_query(call)?;
    cx.read(page, View::Summary);
    let cells = cx.notion.cells(page);
    let found = cells.iter().find(|cell| cell.id == key || cell.name == key);
    let Some(found) = found.copied() else {
        let text = format!("Could not find property with name or id: {key}");
        return Err(ApiError::new(404, "object_not_found", text));
    };
    property_item(cx, page, found, paging)
}

/// A property by itself: a list where its value is one.
fn property_item(cx: &Cx<'_>, page: Id, cell: Cell<'_>, paging: Paging) -> Result<Value, ApiError> {
    let kind = cell.config.name();
    let value = cx.notion.value_json(page, cell);
    let item = |value: Value| {
        let mut item = json!({"object": "property_item", "id": cell.id, "type": kind});
        item[kind] = value;
        item
    };
    let is_list = matches!(
        cell.config,
        Config::Title | Config::RichText | Config::Relation(_) | Config::People
    );
    let Value::Array(values) = value else {
        return Ok(item(value));
    };
    if !is_list {
        return Ok(item(Value::Array(values)));
    }
    let part = paging.cut(values, |value| {
        let id = value.get("id").and_then(Value::as_str);
        id.and_then(Id::parse).unwrap_or(page)
    })?;
    let results = part.items.into_iter().map(item).collect();
    let mut list = list("property_item", results, part.next);
    list["property_item"] = json!({"id": cell.id, "next_url": null, "type": kind});
    list["property_item"][kind] = json!({});
    Ok(list)
}

pub(super) fn relocate(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    let id = find(cx, call)?;
    let at = At::Root("body");
    let value = required(&call.body, "parent", &at)?;
    let parent = cx.parent(value, &at.key("parent"))?;
    cx.editable(id)?;
    if let Some(parent) = parent {
        if cx.notion.up(parent).any(|(above, _)| above == id) {
            return Err(ApiError::validation("A page cannot be moved into itself."));
        }
        cx.editable(parent)?;
        if cx.notion.depth(parent) + 1 + cx.notion.height(id) > MAX_DEPTH {
            let text = format!("Pages cannot be nested more than {MAX_DEPTH} levels deep.");
            return Err(ApiError::validation(text));
        }
    }
    let from = cx.node(id, "page")?.parent;
    if from != parent {
        if let Some(mut node) = cx.notion.detach(id) {
            node.parent = parent;
            if let Body::Page(page) = &mut node.body {
                // Another table has other properties.
                page.properties.clear();
            }
            cx.notion.insert(id, node, Place::End);
        }
        cx.change(id, Change::Moved, &[]);
        for page in [from, parent].into_iter().flatten() {
            if cx
                .notion
                .node(page)
                .is_some_and(|node| node.page().is_some())
            {
                cx.edited(page);
                cx.change(page, Change::Updated, &["content"]);
            }
        }
        let stamp = cx.stamp();
        cx.notion.edited(id, stamp);
    }
    Ok(cx.written(id))
}

fn page_markdown(cx: &Cx<'_>, id: Id) -> Value {
    json!({
        "object": "page_markdown",
        "id": id,
        "markdown": markdown::render(cx.notion, id),
        "truncated": false,
        "unknown_block_ids": [],
    })
}

pub(super) fn markdown(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    // A block may be asked for, too.
    let id = match call
        .id()
        .and_then(|id| Ok((id, cx.node(id, "page")?.block().is_some())))?
    {
        (id, true) => id,
        _ => find(cx, call)?,
    };
    cx.read(id, View::Full);
    Ok(page_markdown(cx, id))
}

pub(super) fn update_markdown(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    let id = find(cx, call)?;
    cx.editable(id)?;
    cx.edit_markdown(id, &call.body)?;
    Ok(page_markdown(cx, id))
}
