//! The state: one tree of pages, blocks, databases and their tables.
//!
//! Everything is a node. Its children are in the order in which they are read,
//! those in the trash among them, so that what is restored is where it was.

use std::collections::BTreeMap;
use std::sync::Arc;

use indexmap::IndexMap;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::block::{Block, Icon};
use super::id::Id;
use super::property::{Definition, Property};
use super::rich::Rich;

/// Most nodes above a block or page. It bounds what walks the tree; an agent
/// decides how deep the tree gets.
pub(crate) const MAX_DEPTH: usize = 120;

/// Most bytes of requests that change something, all together. Whatever is in a
/// world must be readable by its grader.
pub(crate) const ADDED_CAP: u64 = 8 << 20;

/// Most characters of a title that an address repeats.
const MAX_SLUG: usize = 100;

/// Pages and databases of one workspace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Notion {
    /// Name of the workspace.
    pub(crate) workspace: String,
    pub(crate) users: Vec<User>,
    /// Who tokens stand for besides the bot.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) tokens: BTreeMap<String, Id>,
    /// The integration that requests come from.
    pub(crate) bot: Id,
    pub(crate) nodes: BTreeMap<Id, Arc<Node>>,
    /// What is in nothing else.
    pub(crate) roots: Vec<Id>,
    /// Oldest first.
    pub(crate) comments: Vec<Arc<Comment>>,
    /// Bytes of requests that have changed something.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) added: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A person or the bot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct User {
    pub(crate) id: Id,
    pub(crate) name: String,
    /// Of people only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) email: Option<String>,
}

/// When, and by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    pub(crate) at: Timestamp,
    pub(crate) by: Id,
}

/// Something in the tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Node {
    /// `None`: the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<Id>,
    pub(crate) created: Stamp,
    pub(crate) edited: Stamp,
    /// Whether it was itself put into the trash.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) trashed: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) seeded: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) children: Vec<Id>,
    pub(crate) body: Body,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Body {
    Page(Page),
    Block(Block),
    Database(Database),
    /// A table of a database.
    Source(Source),
}

/// A page or a row.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Page {
    pub(crate) title: Rich,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) icon: Option<Icon>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cover: Option<String>,
    /// Values besides the title, by identifier of the property. What has no
    /// value is not there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) properties: BTreeMap<String, Property>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) locked: bool,
}

/// A database. Its children are its tables.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Database {
    pub(crate) title: Rich,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) description: Rich,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) icon: Option<Icon>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cover: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) inline: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) locked: bool,
}

/// A table. Its children are its rows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Source {
    pub(crate) title: Rich,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) icon: Option<Icon>,
    /// By identifier of the property.
    pub(crate) schema: IndexMap<String, Definition>,
}

/// A comment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Comment {
    pub(crate) id: Id,
    pub(crate) discussion: Id,
    /// Page or block.
    pub(crate) on: Id,
    pub(crate) text: Rich,
    pub(crate) created: Stamp,
    pub(crate) edited: Timestamp,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) seeded: bool,
}

/// Where among its siblings something goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Start,
    End,
    After(Id),
}

impl Node {
    /// A new one without anything in it.
    pub(crate) fn new(parent: Option<Id>, stamp: Stamp, body: Body) -> Self {
        Self {
            parent,
            created: stamp,
            edited: stamp,
            trashed: false,
            seeded: false,
            children: Vec::new(),
            body,
        }
    }

    pub(crate) fn page(&self) -> Option<&Page> {
        match &self.body {
            Body::Page(page) => Some(page),
            _ => None,
        }
    }

    pub(crate) fn block(&self) -> Option<&Block> {
        match &self.body {
            Body::Block(block) => Some(block),
            _ => None,
        }
    }

    pub(crate) fn database(&self) -> Option<&Database> {
        match &self.body {
            Body::Database(database) => Some(database),
            _ => None,
        }
    }

    pub(crate) fn source(&self) -> Option<&Source> {
        match &self.body {
            Body::Source(source) => Some(source),
            _ => None,
        }
    }
}

impl Notion {
    pub(crate) fn node(&self, id: Id) -> Option<&Node> {
        self.nodes.get(&id).map(Arc::as_ref)
    }

    pub(crate) fn node_mut(&mut self, id: Id) -> Option<&mut Node> {
        self.nodes.get_mut(&id).map(Arc::make_mut)
    }

    pub(crate) fn user(&self, id: Id) -> Option<&User> {
        self.users.iter().find(|user| user.id == id)
    }

    pub(crate) fn user_of(&self, email: &str) -> Option<&User> {
        self.users.iter().find(|user| {
            let known = user.email.as_deref();
            known.is_some_and(|known| known.eq_ignore_ascii_case(email))
        })
    }

    /// The node and what it is in, innermost first.
    pub(crate) fn up(&self, id: Id) -> impl Iterator<Item = (Id, &Node)> {
        let first = self.node(id).map(|node| (id, node));
        std::iter::successors(first, |(_, node)| {
            let parent = node.parent?;
            Some((parent, self.node(parent)?))
        })
    }

    /// How many nodes a node is in.
    pub(crate) fn depth(&self, id: Id) -> usize {
        self.up(id).count().saturating_sub(1)
    }

    /// How many levels there are below a node.
    pub(crate) fn height(&self, id: Id) -> usize {
        let Some(node) = self.node(id) else { return 0 };
        let below = node.children.iter().map(|child| self.height(*child) + 1);
        below.max().unwrap_or(0)
    }

    /// Whether it, or something that it is in, is in the trash.
    pub(crate) fn in_trash(&self, id: Id) -> bool {
        self.up(id).any(|(_, node)| node.trashed)
    }

    /// The page or row that something is on; itself where it is one.
    pub(crate) fn page_of(&self, id: Id) -> Option<Id> {
        let mut above = self.up(id);
        above
            .find(|(_, node)| node.page().is_some())
            .map(|(id, _)| id)
    }

    /// The children that are not in the trash, in order.
    pub(crate) fn living(&self, id: Id) -> impl Iterator<Item = (Id, &Node)> {
        let children = self.node(id).map_or(&[][..], |node| &node.children);
        children.iter().filter_map(|child| {
            let node = self.node(*child)?;
            (!node.trashed).then_some((*child, node))
        })
    }

    /// Title of a page, database or table.
    pub(crate) fn title(&self, id: Id) -> Option<String> {
        match &self.node(id)?.body {
            Body::Page(page) => Some(self.plain_title(&page.title)),
            Body::Database(database) => Some(self.plain_title(&database.title)),
            Body::Source(source) => Some(self.plain_title(&source.title)),
            Body::Block(_) => None,
        }
    }

    /// A title may mention what mentions it: mentions in titles are by what
    /// they are, not by the other's title.
    fn plain_title(&self, title: &Rich) -> String {
        use super::rich::{Mention, What};
        let of = |run: &super::rich::Run| match &run.what {
            What::Mention(Mention::Page(_) | Mention::Database(_)) => "Untitled".to_owned(),
            _ => self.plain(std::slice::from_ref(run)),
        };
        title.iter().map(of).collect()
    }

    /// Titles from the top to a page or database. A table has the place of its
    /// database.
    pub(crate) fn path(&self, id: Id) -> Vec<String> {
        let above = self.up(id).filter(|(_, node)| node.source().is_none());
        let mut path: Vec<String> = above.filter_map(|(id, _)| self.title(id)).collect();
        path.reverse();
        path
    }

    /// Where a browser finds a page or database.
    pub(crate) fn url(&self, id: Id) -> String {
        let title = self.title(id).unwrap_or_default();
        let title: String = title.chars().take(MAX_SLUG).collect();
        let words = title.split(|c: char| !c.is_ascii_alphanumeric());
        let mut slug: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let plain = id.plain();
        slug.push(&plain);
        format!("https://www.notion.so/{}", slug.join("-"))
    }

    /// Under which name a parent is referred to.
    pub(crate) fn parent_key(&self, id: Id) -> &'static str {
        match self.node(id).map(|node| &node.body) {
            Some(Body::Page(_)) => "page_id",
            Some(Body::Database(_)) => "database_id",
            Some(Body::Source(_)) => "data_source_id",
            Some(Body::Block(_)) | None => "block_id",
        }
    }

    /// A user as other objects refer to one.
    pub(crate) fn user_ref(id: Id) -> Value {
        json!({"object": "user", "id": id})
    }

    /// Puts a new node, or one that was taken out, into the tree.
    pub(crate) fn insert(&mut self, id: Id, node: Node, place: Place) {
        let parent = node.parent;
        self.nodes.insert(id, Arc::new(node));
        let siblings = match parent {
            None => &mut self.roots,
            Some(parent) => match self.nodes.get_mut(&parent) {
                Some(parent) => &mut Arc::make_mut(parent).children,
                None => return,
            },
        };
        let at = match place {
            Place::Start => 0,
            Place::End => siblings.len(),
            Place::After(other) => siblings
                .iter()
                .rposition(|sibling| *sibling == other)
                .map_or(siblings.len(), |at| at + 1),
        };
        siblings.insert(at, id);
    }

    /// Takes a node out of the order of its siblings; gives the node.
    pub(crate) fn detach(&mut self, id: Id) -> Option<Node> {
        let node = self.node(id)?.clone();
        match node.parent {
            None => self.roots.retain(|root| *root != id),
            Some(parent) => {
                if let Some(parent) = self.node_mut(parent) {
                    parent.children.retain(|child| *child != id);
                }
            }
        }
        Some(node)
    }

    /// Notes that something was edited: it, and the page that it is on.
    pub(crate) fn edited(&mut self, id: Id, stamp: Stamp) {
        let page = self.page_of(id);
        for id in [Some(id), page].into_iter().flatten() {
            if let Some(node) = self.node_mut(id) {
                node.edited = stamp;
            }
        }
    }

    /// The only table of a database; `None` where it has several.
    pub(crate) fn only_source(&self, database: Id) -> Option<Id> {
        self.node(database)?.database()?;
        let mut living = self.living(database).map(|(id, _)| id);
        let first = living.next()?;
        living.next().is_none().then_some(first)
    }

    /// The table that a page is a row of.
    pub(crate) fn source_of(&self, page: Id) -> Option<(Id, &Source)> {
        let parent = self.node(page)?.parent?;
        Some((parent, self.node(parent)?.source()?))
    }
}
