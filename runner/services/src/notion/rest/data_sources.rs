//! Data sources: the tables of databases.

use proctor_types::Change;
use serde_json::{Value, json};

use super::error::ApiError;
use super::{Call, Cx, query as ask};
use crate::notion::accept::rich::title as title_of;
use crate::notion::accept::{At, icon, id, object, only, optional, required, schema, trash};
use crate::notion::id::Id;
use crate::notion::property::TITLE;
use crate::notion::store::{Body, Place, Source};

/// A table in the path.
fn find(cx: &Cx<'_>, call: &Call) -> Result<Id, ApiError> {
    let id = call.id()?;
    match &cx.node(id, "data_source")?.body {
        Body::Source(_) => Ok(id),
        _ => Err(ApiError::not_found("data_source", id)),
    }
}

pub(super) fn retrieve(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    let id = find(cx, call)?;
    Ok(cx.object(id, &[]))
}

pub(super) fn query(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    let id = find(cx, call)?;
    ask::query(cx, call, id)
}

/// Tables of this world have no templates.
pub(super) fn templates(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    find(cx, call)?;
    Ok(json!({"templates": [], "has_more": false, "next_cursor": null}))
}

pub(super) fn create(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    let at = At::Root("body");
    let body = &call.body;
    only(body, &["parent", "properties", "title", "icon"], &at)?;
    let parent_at = at.key("parent");
    let parent = object(required(body, "parent", &at)?, &parent_at)?;
    let database = required(parent, "database_id", &parent_at)?;
    let database = id(database, &parent_at.key("database_id"))?;
    if cx.node(database, "database")?.database().is_none() {
        return Err(ApiError::not_found("database", database));
    }
    cx.editable(database)?;
    let properties = required(body, "properties", &at)?;
    let mut source = Source {
        schema: schema::new(cx.notion, cx.ids, properties, &at.key("properties"))?,
        ..Source::default()
    };
    if let Some(title) = optional(body, "title") {
        source.title = title_of(title, &at.key("title"))?;
    }
    if let Some(value) = body.get("icon") {
        source.icon = icon(value, &at.key("icon"))?;
    }
    let id = Id::draw(cx.ids, "notion.data_source");
    cx.insert(id, Some(database), Place::End, Body::Source(source));
    cx.change(database, Change::Updated, &["data_sources"]);
    Ok(cx.written(id))
}

pub(super) fn update(cx: &mut Cx<'_>, call: &Call) -> Result<Value, ApiError> {
    let id = find(cx, call)?;
    let at = At::Root("body");
    let body = &call.body;
    let known = [
        "archived",
        "title",
        "icon",
        "properties",
        "in_trash",
        "parent",
    ];
    only(body, &known, &at)?;
    if let Some(trashed) = trash(body, &at)? {
        cx.set_trashed(id, trashed)?;
    }
    if !["title", "icon", "properties"]
        .iter()
        .any(|key| body.contains_key(*key))
    {
        return Ok(cx.written(id));
    }
    cx.editable(id)?;
    if let Some(value) = optional(body, "properties") {
        reshape(cx, id, value, &at.key("properties"))?;
    }
    let mut source = cx
        .node(id, "data_source")?
        .source()
        .cloned()
        .unwrap_or_default();
    let old = source.clone();
    if let Some(title) = optional(body, "title") {
        source.title = title_of(title, &at.key("title"))?;
    }
    if let Some(value) = body.get("icon") {
        source.icon = icon(value, &at.key("icon"))?;
    }
    let fields = [
        ("title", source.title != old.title),
        ("icon", source.icon != old.icon),
    ];
    let fields: Vec<&str> = fields
        .iter()
        .filter(|(_, is)| *is)
        .map(|(key, _)| *key)
        .collect();
    if let Some(node) = cx.notion.node_mut(id) {
        node.body = Body::Source(source);
    }
    cx.change(id, Change::Updated, &fields);
    let stamp = cx.stamp();
    cx.notion.edited(id, stamp);
    Ok(cx.written(id))
}

/// Changes the properties of a table, and takes from its rows the values that
/// no property has any more.
pub(super) fn reshape(cx: &mut Cx<'_>, id: Id, value: &Value, at: &At<'_>) -> Result<(), ApiError> {
    let old = cx
        .node(id, "data_source")?
        .source()
        .cloned()
        .unwrap_or_default();
    let mut source = old.clone();
    let changed = schema::update(cx.notion, cx.ids, &mut source, value, at)?;
    let outlived = |key: &String| {
        let kind = |source: &Source| source.schema.get(key).map(|it| it.config.name());
        key != TITLE && kind(&old) == kind(&source)
    };
    let rows = cx.node(id, "data_source")?.children.clone();
    for row in rows {
        if let Some(Body::Page(page)) = cx.notion.node_mut(row).map(|node| &mut node.body) {
            page.properties.retain(|key, _| outlived(key));
        }
    }
    if let Some(node) = cx.notion.node_mut(id) {
        node.body = Body::Source(source);
    }
    let fields: Vec<String> = changed
        .iter()
        .map(|name| format!("properties.{name}"))
        .collect();
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    cx.change(id, Change::Updated, &fields);
    Ok(())
}
