//! The pages as evidence.

use std::collections::BTreeMap;

use proctor_types::world::notion as shape;
use serde_json::Value;

use super::block::Extra;
use super::id::Id;
use super::markdown;
use super::rest::version::Version;
use super::store::{Body, Node, Notion};

impl Notion {
    /// The pages and databases, made for reading by a grader.
    pub fn snapshot(&self) -> shape::Notion {
        let mut pages = Vec::new();
        let mut databases = Vec::new();
        for (id, node) in &self.nodes {
            match &node.body {
                Body::Page(_) => pages.push(self.page_shape(*id, node)),
                Body::Database(_) => databases.push(self.database_shape(*id, node)),
                Body::Block(_) | Body::Source(_) => {}
            }
        }
        pages.sort_by(|one, two| (&one.path, &one.id).cmp(&(&two.path, &two.id)));
        databases.sort_by(|one, two| (&one.path, &one.id).cmp(&(&two.path, &two.id)));
        let mut users: Vec<shape::User> = self
            .users
            .iter()
            .map(|user| shape::User {
                id: user.id.to_string(),
                name: user.name.clone(),
                email: user.email.clone(),
            })
            .collect();
        users.sort_by(|one, two| one.id.cmp(&two.id));
        shape::Notion {
            pages,
            databases,
            users,
        }
    }

    fn page_shape(&self, id: Id, node: &Node) -> shape::Page {
        let mut blocks = Vec::new();
        self.blocks_shape(id, 0, &mut blocks);
        let properties = self.cells(id).into_iter().map(|cell| {
            let property = shape::Property {
                kind: cell.config.name().to_owned(),
                text: self.value_text(id, cell),
                value: self.value_json(id, cell),
            };
            (cell.name.to_owned(), property)
        });
        let comments = self.comments.iter().filter(|comment| {
            let page = self.page_of(comment.on);
            page == Some(id)
        });
        let comments = comments.map(|comment| shape::Comment {
            id: comment.id.to_string(),
            discussion_id: comment.discussion.to_string(),
            parent: self.reference(comment.on),
            text: self.plain(&comment.text),
            created_by: comment.created.by.to_string(),
            created_time: comment.created.at.to_string(),
            seeded: comment.seeded,
        });
        shape::Page {
            id: id.to_string(),
            path: self.path(id),
            title: self.title(id).unwrap_or_default(),
            url: self.url(id),
            parent: self.parent_shape(node),
            in_trash: self.in_trash(id),
            properties: properties.collect(),
            blocks,
            markdown: markdown::render(self, id),
            comments: comments.collect(),
            created_time: node.created.at.to_string(),
            last_edited_time: node.edited.at.to_string(),
            seeded: node.seeded,
        }
    }

    /// The blocks in something, each before those in it. What is in a child
    /// page is among the blocks of that page.
    fn blocks_shape(&self, id: Id, depth: u32, blocks: &mut Vec<shape::Block>) {
        for (id, node) in self.living(id) {
            let mut shape = shape::Block {
                id: id.to_string(),
                depth,
                last_edited_time: node.edited.at.to_string(),
                seeded: node.seeded,
                ..shape::Block::default()
            };
            let Body::Block(block) = &node.body else {
                let served = self.block_json(id, Version::V2026_03_11);
                let kind = served
                    .get("type")
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                kind.clone_into(&mut shape.kind);
                shape.text = self.title(id).unwrap_or_default();
                shape.content = served.get(kind).cloned().unwrap_or_default();
                blocks.push(shape);
                continue;
            };
            block.kind.name().clone_into(&mut shape.kind);
            shape.text = match &block.extra {
                Extra::Expression(expression) => expression.clone(),
                _ => self.plain(&block.text),
            };
            shape.checked = block.is_checked();
            if let Extra::Cells(cells) = &block.extra {
                shape.cells = cells.iter().map(|cell| self.plain(cell)).collect();
            }
            shape.content = self.block_content(block);
            blocks.push(shape);
            self.blocks_shape(id, depth + 1, blocks);
        }
    }

    fn database_shape(&self, id: Id, node: &Node) -> shape::Database {
        let sources = self.living(id).filter_map(|(source, node)| {
            let table = node.source()?;
            let schema = self.schema_json(table, Version::V2026_03_11);
            let rows = self.living(source).map(|(row, _)| row.to_string());
            Some(shape::DataSource {
                id: source.to_string(),
                name: self.title(source).unwrap_or_default(),
                properties: schema.into_iter().collect::<BTreeMap<_, _>>(),
                rows: rows.collect(),
            })
        });
        shape::Database {
            id: id.to_string(),
            path: self.path(id),
            title: self.title(id).unwrap_or_default(),
            url: self.url(id),
            parent: self.parent_shape(node),
            in_trash: self.in_trash(id),
            data_sources: sources.collect(),
            seeded: node.seeded,
        }
    }

    fn parent_shape(&self, node: &Node) -> shape::Parent {
        node.parent
            .map_or(shape::Parent::Workspace, |parent| self.reference(parent))
    }

    fn reference(&self, id: Id) -> shape::Parent {
        let text = id.to_string();
        match self.node(id).map(|node| &node.body) {
            Some(Body::Page(_)) => shape::Parent::PageId { page_id: text },
            Some(Body::Database(_)) => shape::Parent::DatabaseId { database_id: text },
            Some(Body::Source(_)) => shape::Parent::DataSourceId {
                data_source_id: text,
            },
            Some(Body::Block(_)) | None => shape::Parent::BlockId { block_id: text },
        }
    }
}
