//! Pages and databases in a snapshot of the world.
//!
//! Fields are called as in Notion's API where it has them. What it serves under
//! the name of a block's or property's type is kept as it is served, and what
//! graders mostly look for (plain text, check marks, cells) stands beside it.
//!
//! Objects are named in journals and citations by the kinds below and the
//! identifier that the API gives them: a UUID in lower case with hyphens.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Kind of a page.
pub const PAGE: &str = "notion.page";
/// Kind of a block.
pub const BLOCK: &str = "notion.block";
/// Kind of a database.
pub const DATABASE: &str = "notion.database";
/// Kind of a data source, the table of a database.
pub const DATA_SOURCE: &str = "notion.data_source";
/// Kind of a comment.
pub const COMMENT: &str = "notion.comment";

/// The pages and databases of a world.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Notion {
    /// Pages in order of path, rows of databases and archived ones included.
    pub pages: Vec<Page>,
    /// Databases in order of path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub databases: Vec<Database>,
    /// Who there is, in order of identifier.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub users: Vec<User>,
}

/// A person or a bot.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// Identifier.
    pub id: String,
    /// Name.
    pub name: String,
    /// Address, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

/// What something is in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Parent {
    /// The workspace itself.
    #[default]
    Workspace,
    /// A page.
    PageId {
        /// Its identifier.
        page_id: String,
    },
    /// A block.
    BlockId {
        /// Its identifier.
        block_id: String,
    },
    /// A database.
    DatabaseId {
        /// Its identifier.
        database_id: String,
    },
    /// The table of a database.
    DataSourceId {
        /// Its identifier.
        data_source_id: String,
    },
}

impl Parent {
    /// Identifier of the parent, where it has one.
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::Workspace => None,
            Self::PageId { page_id: id }
            | Self::BlockId { block_id: id }
            | Self::DatabaseId { database_id: id }
            | Self::DataSourceId { data_source_id: id } => Some(id),
        }
    }
}

/// A page, or a row of a database.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// Identifier.
    pub id: String,
    /// Titles from the top to this page.
    pub path: Vec<String>,
    /// Its title.
    pub title: String,
    /// Where a browser finds it.
    #[serde(default)]
    pub url: String,
    /// What it is in.
    #[serde(default)]
    pub parent: Parent,
    /// Whether it is in the trash (`archived` in older versions of the API).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_trash: bool,
    /// Properties by name; the title is one of them.
    #[serde(default)]
    pub properties: BTreeMap<String, Property>,
    /// All its blocks in the order in which they are read: each before those in
    /// it, which are deeper by one. A list, since an agent decides how deep a
    /// tree gets.
    #[serde(default)]
    pub blocks: Vec<Block>,
    /// The blocks as Markdown.
    #[serde(default)]
    pub markdown: String,
    /// Comments on it and its blocks, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<Comment>,
    /// RFC 3339.
    #[serde(default)]
    pub created_time: String,
    /// RFC 3339.
    #[serde(default)]
    pub last_edited_time: String,
    /// Whether it came from the seed rather than from a request.
    pub seeded: bool,
}

/// The value of a property.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Property {
    /// `title`, `rich_text`, `status`, `select`, `checkbox`, `number`, ...
    #[serde(rename = "type")]
    pub kind: String,
    /// Plain text of the value: text, name of the option, number, date or
    /// address; several joined by `, `. Empty where there is no value.
    #[serde(default)]
    pub text: String,
    /// What the API serves under the name of the type.
    #[serde(default)]
    pub value: Value,
}

/// A block. Those of a child page are among the blocks of that page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// Identifier.
    pub id: String,
    /// `paragraph`, `heading_1`, `to_do`, `table`, `table_row`, ...
    #[serde(rename = "type")]
    pub kind: String,
    /// How many blocks it is in.
    #[serde(default)]
    pub depth: u32,
    /// Its own plain text; of a child page or database the title.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// For to-dos: whether it is checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<bool>,
    /// For rows of a table: plain text of its cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<String>,
    /// What the API serves under the name of the type.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub content: Value,
    /// RFC 3339.
    #[serde(default)]
    pub last_edited_time: String,
    /// Whether it came from the seed rather than from a request.
    pub seeded: bool,
}

/// A database.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Database {
    /// Identifier.
    pub id: String,
    /// Titles from the top to this database.
    pub path: Vec<String>,
    /// Its title.
    pub title: String,
    /// Where a browser finds it.
    #[serde(default)]
    pub url: String,
    /// What it is in.
    #[serde(default)]
    pub parent: Parent,
    /// Whether it is in the trash.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_trash: bool,
    /// Its tables; a database of the API before 2025-09-03 has one.
    pub data_sources: Vec<DataSource>,
    /// Whether it came from the seed rather than from a request.
    pub seeded: bool,
}

/// A table of a database.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DataSource {
    /// Identifier.
    pub id: String,
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// Definition of its properties by name, as the API serves them.
    #[serde(default)]
    pub properties: BTreeMap<String, Value>,
    /// Identifiers of its rows in order; the rows are among the
    /// [pages](Notion::pages).
    #[serde(default)]
    pub rows: Vec<String>,
}

/// A comment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// Identifier.
    pub id: String,
    /// Identifier of the discussion.
    #[serde(default)]
    pub discussion_id: String,
    /// Page or block that it is on.
    pub parent: Parent,
    /// Plain text.
    pub text: String,
    /// Identifier of who wrote it.
    #[serde(default)]
    pub created_by: String,
    /// RFC 3339.
    #[serde(default)]
    pub created_time: String,
    /// Whether it came from the seed rather than from a request.
    pub seeded: bool,
}
