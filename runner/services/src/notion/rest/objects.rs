//! Pages, blocks, databases and tables as each version of the API serves them.

use proctor_types::View;
use serde_json::{Map, Value, json};

use super::Cx;
use super::version::Version;
use crate::notion::block::Icon;
use crate::notion::id::Id;
use crate::notion::property::time;
use crate::notion::store::{Body, Node, Notion};

impl Cx<'_> {
    /// A page, database or table with its properties.
    pub(super) fn object(&mut self, id: Id, only: &[String]) -> Value {
        let view = self.view(id);
        self.read(id, view);
        self.notion.object_json(id, self.version, only)
    }

    /// How much an object shows by itself: of a page with content only what is
    /// above it.
    fn view(&self, id: Id) -> View {
        let has_content = self.notion.living(id).next().is_some();
        let is_page = self
            .notion
            .node(id)
            .is_some_and(|node| node.page().is_some());
        if is_page && has_content {
            View::Summary
        } else {
            View::Full
        }
    }

    /// A block; of a page or database the block that stands for it.
    pub(super) fn block(&mut self, id: Id) -> Value {
        let is_block = self
            .notion
            .node(id)
            .is_some_and(|node| node.block().is_some());
        self.read(
            id,
            if is_block {
                View::Full
            } else {
                View::Reference
            },
        );
        self.notion.block_json(id, self.version)
    }
}

fn icon(icon: Option<&Icon>) -> Value {
    icon.map_or(Value::Null, Icon::json)
}

fn cover(cover: Option<&String>) -> Value {
    cover.map_or(
        Value::Null,
        |url| json!({"type": "external", "external": {"url": url}}),
    )
}

impl Notion {
    /// What something is in.
    pub(crate) fn parent_json(&self, id: Id, version: Version) -> Value {
        let Some(parent) = self.node(id).and_then(|node| node.parent) else {
            return json!({"type": "workspace", "workspace": true});
        };
        let is_source = self.node(parent).is_some_and(|it| it.source().is_some());
        if is_source {
            let database = self.node(parent).and_then(|node| node.parent);
            return if version.has_sources() {
                json!({
                    "type": "data_source_id",
                    "data_source_id": parent,
                    "database_id": database,
                })
            } else {
                json!({"type": "database_id", "database_id": database})
            };
        }
        let key = self.parent_key(parent);
        let mut value = json!({"type": key});
        value[key] = json!(parent);
        value
    }

    fn object_json(&self, id: Id, version: Version, only: &[String]) -> Value {
        let Some(node) = self.node(id) else {
            return Value::Null;
        };
        let mut map = Map::new();
        match &node.body {
            Body::Page(page) => {
                self.common(&mut map, "page", id, node, version);
                map.insert("cover".into(), cover(page.cover.as_ref()));
                map.insert("icon".into(), icon(page.icon.as_ref()));
                map.insert("parent".into(), self.parent_json(id, version));
                map.insert("is_locked".into(), page.locked.into());
                map.insert("properties".into(), self.properties_json(id, only));
                self.addresses(&mut map, id);
            }
            Body::Database(_) => return self.database_json(id, node, version),
            Body::Source(source) => {
                let database = node.parent;
                self.common(&mut map, "data_source", id, node, version);
                map.insert("title".into(), self.rich_json(&source.title));
                map.insert("icon".into(), icon(source.icon.as_ref()));
                if let Some(owner) = database.and_then(|it| self.node(it)?.database()) {
                    map.insert("description".into(), self.rich_json(&owner.description));
                    map.insert("cover".into(), cover(owner.cover.as_ref()));
                    map.insert("is_inline".into(), owner.inline.into());
                }
                let parent = json!({"type": "database_id", "database_id": database});
                map.insert("parent".into(), parent);
                if let Some(database) = database {
                    let above = self.parent_json(database, version);
                    map.insert("database_parent".into(), above);
                }
                let schema = self.schema_json(source, version);
                map.insert("properties".into(), Value::Object(schema));
                self.addresses(&mut map, database.unwrap_or(id));
            }
            Body::Block(_) => return self.block_json(id, version),
        }
        Value::Object(map)
    }

    fn database_json(&self, id: Id, node: &Node, version: Version) -> Value {
        let mut map = Map::new();
        let Body::Database(database) = &node.body else {
            return Value::Null;
        };
        self.common(&mut map, "database", id, node, version);
        map.insert("title".into(), self.rich_json(&database.title));
        map.insert("description".into(), self.rich_json(&database.description));
        map.insert("icon".into(), icon(database.icon.as_ref()));
        map.insert("cover".into(), cover(database.cover.as_ref()));
        map.insert("is_inline".into(), database.inline.into());
        map.insert("parent".into(), self.parent_json(id, version));
        if version.has_sources() {
            map.insert("is_locked".into(), database.locked.into());
            let sources = self.living(id).map(
                |(source, _)| json!({"id": source, "name": self.title(source).unwrap_or_default()}),
            );
            map.insert("data_sources".into(), sources.collect());
        } else if let Some(source) = self.only_source(id).and_then(|it| self.node(it)?.source()) {
            let schema = self.schema_json(source, version);
            map.insert("properties".into(), Value::Object(schema));
        }
        self.addresses(&mut map, id);
        Value::Object(map)
    }

    /// The block that something is.
    pub(crate) fn block_json(&self, id: Id, version: Version) -> Value {
        let Some(node) = self.node(id) else {
            return Value::Null;
        };
        let (kind, content) = match &node.body {
            Body::Block(block) => (block.kind.name(), self.block_content(block)),
            Body::Page(_) => (
                "child_page",
                json!({"title": self.title(id).unwrap_or_default()}),
            ),
            Body::Database(_) | Body::Source(_) => (
                "child_database",
                json!({"title": self.title(id).unwrap_or_default()}),
            ),
        };
        let is_table = matches!(node.body, Body::Database(_) | Body::Source(_));
        let has_children = !is_table && self.living(id).next().is_some();
        let mut map = Map::new();
        self.common(&mut map, "block", id, node, version);
        map.insert("parent".into(), self.parent_json(id, version));
        map.insert("has_children".into(), has_children.into());
        map.insert("type".into(), kind.into());
        map.insert(kind.into(), content);
        Value::Object(map)
    }

    /// What all objects have.
    fn common(
        &self,
        map: &mut Map<String, Value>,
        object: &str,
        id: Id,
        node: &Node,
        version: Version,
    ) {
        let in_trash = self.in_trash(id);
        map.insert("object".into(), object.into());
        map.insert("id".into(), json!(id));
        map.insert("created_time".into(), time(node.created.at).into());
        map.insert("last_edited_time".into(), time(node.edited.at).into());
        map.insert("created_by".into(), Self::user_ref(node.created.by));
        map.insert("last_edited_by".into(), Self::user_ref(node.edited.by));
        if version < Version::V2026_03_11 {
            map.insert("archived".into(), in_trash.into());
        }
        map.insert("in_trash".into(), in_trash.into());
    }

    fn addresses(&self, map: &mut Map<String, Value>, id: Id) {
        map.insert("url".into(), self.url(id).into());
        map.insert("public_url".into(), Value::Null);
    }
}
