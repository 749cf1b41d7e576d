//! Databases. Before tables had a name of their own, a database was its table.

use proctor_types::Change;
use serde_json::{Map, Value};

use super::error::ApiError;
use super::{Call, Cx, query as ask};
use crate::notion::accept::rich::{rich, title};
use crate::notion::accept::{
    At, cover, flag, icon, id, object, only, optional, required, schema, trash,
};
use crate::notion::id::Id;
use crate::notion::property::Config;
use crate::notion::store::{Body, Database, MAX_DEPTH, Place, Source};

/// A database in the path.
fn find(cx: &Cx<'_>, call: &Call) -> Result<Id, ApiError> {
    let id = call.id()?;
    match &cx.node(id, "database")?.body {
        Body::Database(_) => Ok(id),
        Body::Page(_) => Err(ApiError::validation(format!(
            "Provided database_id {id} is a page, not a database. Use the pages API instead, or \
             pass the ID of the database itself."
        ))),
        Body::Block(_) | Body::Source(_) => Err(ApiError::not_found("database", id)),
    }
}

pub(super) fn retrieve(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    let id = find(cx, call)?;
    Ok(cx.object(id, &[]))
}

pub(super) fn query(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    let id = find(cx, call)?;
    let source = cx.source_of_database(id)?;
    ask::query(cx, call, source)
}

/// What a request says of a database besides its table.
fn describe(
    database: &mut Database,
    body: &Map<String, Value>,
    at: &At<'_>,
) -> Result<Vec<&'static str>, ApiError> {
    let old = database.clone();
    if let Some(value) = optional(body, "title") {
        database.title = title(value, &at.key("title"))?;
    }
    if let Some(value) = optional(body, "description") {
        database.description = rich(value, &at.key("description"))?;
    }
    if let Some(value) = body.get("icon") {
        database.icon = icon(value, &at.key("icon"))?;
    }
    if let Some(value) = body.get("cover") {
        database.cover = cover(value, &at.key("cover"))?;
    }
    database.inline = flag(body, "is_inline", at)?.unwrap_or(database.inline);
    database.locked = flag(body, "is_locked", at)?.unwrap_or(database.locked);
    let changed = [
        ("title", old.title != database.title),
        ("description", old.description != database.description),
        ("icon", old.icon != database.icon),
        ("cover", old.cover != database.cover),
        ("is_inline", old.inline != database.inline),
        ("is_locked", old.locked != database.locked),
    ];
    let changed = changed.into_iter().filter(|(_, is)| *is);
    Ok(changed.map(|(name, _)| name).collect())
}

pub(super) fn create(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    let at = At::Root("body");
    let body = &call.body;
    let known = [
        "parent",
        "title",
        "description",
        "icon",
        "cover",
        "is_inline",
        "initial_data_source",
        "properties",
    ];
    only(body, &known, &at)?;
    let parent = parent(cx, required(body, "parent", &at)?, &at.key("parent"))?;
    let mut database = Database::default();
    describe(&mut database, body, &at)?;
    let properties_at = at.key("properties");
    let initial_at = at.key("initial_data_source");
    let inner_at = initial_at.key("properties");
    let properties = if cx.version.has_sources() {
        if let Some(value) = body.get("properties") {
            return Err(properties_at.surplus(value).into());
        }
        let initial = optional(body, "initial_data_source");
        let initial = initial
            .map(|value| object(value, &initial_at))
            .transpose()?;
        (
            initial.and_then(|initial| optional(initial, "properties")),
            &inner_at,
        )
    } else {
        (Some(required(body, "properties", &at)?), &properties_at)
    };
    let schema = if let (Some(value), at) = properties {
        schema::new(cx.notion, cx.ids, value, at)?
    } else {
        let mut source = Source::default();
        schema::add(&mut source, cx.ids, "Name", Config::Title)?;
        source.schema
    };
    let source = Source {
        title: database.title.clone(),
        icon: None,
        schema,
    };
    let id = Id::draw(cx.ids, "notion.database");
    cx.insert(id, parent, Place::End, Body::Database(database));
    let table = Id::draw(cx.ids, "notion.data_source");
    cx.insert(table, Some(id), Place::End, Body::Source(source));
    if let Some(parent) = parent {
        cx.edited(parent);
        cx.change(parent, Change::Updated, &["content"]);
    }
    Ok(cx.written(id))
}

/// A page, or (`None`) the workspace.
fn parent(cx: &Cx<'_>, value: &Value, at: &At<'_>) -> Result<Option<Id>, ApiError> {
    let parent = object(value, at)?;
    if parent.get("workspace") == Some(&Value::Bool(true)) {
        return Ok(None);
    }
    let page = id(required(parent, "page_id", at)?, &at.key("page_id"))?;
    if cx.node(page, "page")?.page().is_none() {
        return Err(ApiError::not_found("page", page));
    }
    cx.editable(page)?;
    if cx.notion.depth(page) + 3 > MAX_DEPTH {
        let text = format!("Databases cannot be nested more than {MAX_DEPTH} levels deep.");
        return Err(ApiError::validation(text));
    }
    Ok(Some(page))
}

pub(super) fn update(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    let id = find(cx, call)?;
    let at = At::Root("body");
    let body = &call.body;
    let known = [
        "parent",
        "title",
        "description",
        "is_inline",
        "icon",
        "cover",
        "in_trash",
        "archived",
        "is_locked",
        "properties",
    ];
    only(body, &known, &at)?;
    if let Some(trashed) = trash(body, &at)? {
        cx.set_trashed(id, trashed)?;
    }
    let mut database = cx
        .node(id, "database")?
        .database()
        .cloned()
        .unwrap_or_default();
    let mut fields = describe(&mut database, body, &at)?;
    let title = database.title.clone();
    if let Some(value) = body.get("parent") {
        let parent = parent(cx, value, &at.key("parent"))?;
        if let Some(mut node) = cx.notion.detach(id) {
            node.parent = parent;
            cx.notion.insert(id, node, Place::End);
            cx.change(id, Change::Moved, &[]);
        }
    }
    if let Some(value) = body.get("properties") {
        let at = at.key("properties");
        if cx.version.has_sources() {
            return Err(at.surplus(value).into());
        }
        let source = cx.source_of_database(id)?;
        super::data_sources::reshape(cx, source, value, &at)?;
        fields.push("properties");
    }
    let only_trash = fields.is_empty() && trash(body, &at)?.is_some();
    if !only_trash {
        cx.editable(id)?;
        if let Some(node) = cx.notion.node_mut(id) {
            node.body = Body::Database(database);
        }
        if fields.contains(&"title")
            && let Some(source) = cx.notion.only_source(id)
            && let Some(Body::Source(table)) = cx.notion.node_mut(source).map(|it| &mut it.body)
        {
            table.title = title;
        }
        cx.change(id, Change::Updated, &fields);
        let stamp = cx.stamp();
        cx.notion.edited(id, stamp);
    }
    Ok(cx.written(id))
}
