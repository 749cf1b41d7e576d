//! Blocks: what kinds there are, what each holds, and how the API serves it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::id::Id;
use super::rich::{Color, Rich};
use super::store::Notion;

/// Kind of a block. Child pages and databases are nodes of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    Embed,
    Bookmark,
    Image,
    Video,
    Pdf,
    File,
    Audio,
    Code,
    Equation,
    Divider,
    Breadcrumb,
    TableOfContents,
    LinkToPage,
    TableRow,
    Table,
    ColumnList,
    Column,
    #[serde(rename = "heading_1")]
    Heading1,
    #[serde(rename = "heading_2")]
    Heading2,
    #[serde(rename = "heading_3")]
    Heading3,
    #[serde(rename = "heading_4")]
    Heading4,
    Paragraph,
    BulletedListItem,
    NumberedListItem,
    Quote,
    ToDo,
    Toggle,
    Callout,
    SyncedBlock,
}

/// Every kind with its name, in the order in which errors list them.
pub(crate) const KINDS: [(Kind, &str); 29] = [
    (Kind::Embed, "embed"),
    (Kind::Bookmark, "bookmark"),
    (Kind::Image, "image"),
    (Kind::Video, "video"),
    (Kind::Pdf, "pdf"),
    (Kind::File, "file"),
    (Kind::Audio, "audio"),
    (Kind::Code, "code"),
    (Kind::Equation, "equation"),
    (Kind::Divider, "divider"),
    (Kind::Breadcrumb, "breadcrumb"),
    (Kind::TableOfContents, "table_of_contents"),
    (Kind::LinkToPage, "link_to_page"),
    (Kind::TableRow, "table_row"),
    (Kind::Table, "table"),
    (Kind::ColumnList, "column_list"),
    (Kind::Column, "column"),
    (Kind::Heading1, "heading_1"),
    (Kind::Heading2, "heading_2"),
    (Kind::Heading3, "heading_3"),
    (Kind::Heading4, "heading_4"),
    (Kind::Paragraph, "paragraph"),
    (Kind::BulletedListItem, "bulleted_list_item"),
    (Kind::NumberedListItem, "numbered_list_item"),
    (Kind::Quote, "quote"),
    (Kind::ToDo, "to_do"),
    (Kind::Toggle, "toggle"),
    (Kind::Callout, "callout"),
    (Kind::SyncedBlock, "synced_block"),
];

impl Kind {
    pub(crate) fn parse(name: &str) -> Option<Self> {
        KINDS
            .iter()
            .find(|(_, known)| *known == name)
            .map(|(kind, _)| *kind)
    }

    pub(crate) fn name(self) -> &'static str {
        KINDS
            .iter()
            .find(|(kind, _)| *kind == self)
            .map_or("unsupported", |(_, name)| name)
    }

    /// Whether its content has `rich_text`.
    pub(crate) fn has_text(self) -> bool {
        self.heading().is_some()
            || matches!(
                self,
                Self::Paragraph
                    | Self::BulletedListItem
                    | Self::NumberedListItem
                    | Self::Quote
                    | Self::ToDo
                    | Self::Toggle
                    | Self::Callout
                    | Self::Code
            )
    }

    /// Whether its content has `color`.
    pub(crate) fn has_color(self) -> bool {
        self.has_text() && self != Self::Code || self == Self::TableOfContents
    }

    /// Whether its content is a file with `caption`.
    pub(crate) fn is_media(self) -> bool {
        matches!(
            self,
            Self::Image | Self::Video | Self::Pdf | Self::File | Self::Audio
        )
    }

    /// Level of a heading.
    pub(crate) fn heading(self) -> Option<usize> {
        match self {
            Self::Heading1 => Some(1),
            Self::Heading2 => Some(2),
            Self::Heading3 => Some(3),
            Self::Heading4 => Some(4),
            _ => None,
        }
    }

    /// The heading of a level; those beyond the last are the last.
    pub(crate) fn of_heading(level: usize) -> Self {
        match level {
            0 | 1 => Self::Heading1,
            2 => Self::Heading2,
            3 => Self::Heading3,
            _ => Self::Heading4,
        }
    }
}

/// A block's own content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Block {
    pub(crate) kind: Kind,
    /// Its text, or its caption where it is no text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) text: Rich,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) color: Color,
    #[serde(default, skip_serializing_if = "Extra::is_none")]
    pub(crate) extra: Extra,
}

/// What only some kinds have.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Extra {
    #[default]
    None,
    /// A to-do that is done.
    Checked,
    /// A heading that folds what is in it away.
    Toggleable,
    Code {
        language: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        caption: Rich,
    },
    Icon(Icon),
    Table {
        width: usize,
        column_header: bool,
        row_header: bool,
    },
    Cells(Vec<Rich>),
    /// Of a bookmark, an embed or an external file.
    Url(String),
    Expression(String),
    /// What a link or a synced block points at.
    Target(Id),
    /// Share of the width that a column has.
    Width(f64),
}

impl Extra {
    fn is_none(&self) -> bool {
        *self == Self::None
    }
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
fn is_default(color: &Color) -> bool {
    color.is_default()
}

/// Icon of a page, database or callout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Icon {
    Emoji(String),
    External(String),
}

impl Icon {
    pub(crate) fn json(&self) -> Value {
        match self {
            Self::Emoji(emoji) => json!({"type": "emoji", "emoji": emoji}),
            Self::External(url) => json!({"type": "external", "external": {"url": url}}),
        }
    }
}

impl Block {
    pub(crate) fn new(kind: Kind, text: Rich) -> Self {
        Self {
            kind,
            text,
            color: Color::default(),
            extra: Extra::None,
        }
    }

    pub(crate) fn with(mut self, extra: Extra) -> Self {
        self.extra = extra;
        self
    }

    /// Whether other blocks can be in it.
    pub(crate) fn takes_children(&self) -> bool {
        matches!(
            self.kind,
            Kind::Paragraph
                | Kind::BulletedListItem
                | Kind::NumberedListItem
                | Kind::Quote
                | Kind::ToDo
                | Kind::Toggle
                | Kind::Callout
                | Kind::SyncedBlock
                | Kind::Column
                | Kind::ColumnList
                | Kind::Table
        ) || self.extra == Extra::Toggleable
    }

    pub(crate) fn is_checked(&self) -> Option<bool> {
        (self.kind == Kind::ToDo).then_some(self.extra == Extra::Checked)
    }
}

impl Notion {
    /// What the API serves under the name of a block's kind.
    pub(crate) fn block_content(&self, block: &Block) -> Value {
        let mut content = Map::new();
        let kind = block.kind;
        if kind.has_text() {
            content.insert("rich_text".into(), self.rich_json(&block.text));
        }
        if kind.heading().is_some() {
            let toggleable = block.extra == Extra::Toggleable;
            content.insert("is_toggleable".into(), toggleable.into());
        }
        if let Some(checked) = block.is_checked() {
            content.insert("checked".into(), checked.into());
        }
        if kind == Kind::Callout {
            let icon = match &block.extra {
                Extra::Icon(icon) => icon.json(),
                _ => Value::Null,
            };
            content.insert("icon".into(), icon);
        }
        if kind.has_color() {
            content.insert("color".into(), block.color.name().into());
        }
        if kind == Kind::Bookmark || kind == Kind::Embed || kind.is_media() {
            content.insert("caption".into(), self.rich_json(&block.text));
        }
        match &block.extra {
            Extra::Code { language, caption } => {
                content.insert("caption".into(), self.rich_json(caption));
                content.insert("language".into(), language.as_str().into());
            }
            Extra::Table {
                width,
                column_header,
                row_header,
            } => {
                content.insert("table_width".into(), (*width).into());
                content.insert("has_column_header".into(), (*column_header).into());
                content.insert("has_row_header".into(), (*row_header).into());
            }
            Extra::Cells(cells) => {
                let cells: Value = cells.iter().map(|cell| self.rich_json(cell)).collect();
                content.insert("cells".into(), cells);
            }
            Extra::Url(url) if kind.is_media() => {
                content.insert("type".into(), "external".into());
                content.insert("external".into(), json!({"url": url}));
                if kind == Kind::File {
                    let name = url.rsplit('/').next().unwrap_or_default();
                    content.insert("name".into(), name.into());
                }
            }
            Extra::Url(url) => {
                content.insert("url".into(), url.as_str().into());
            }
            Extra::Expression(expression) => {
                content.insert("expression".into(), expression.as_str().into());
            }
            Extra::Target(id) if kind == Kind::LinkToPage => {
                let key = self.parent_key(*id);
                content.insert("type".into(), key.into());
                content.insert(key.into(), json!(id));
            }
            Extra::Width(ratio) => {
                content.insert("width_ratio".into(), json!(ratio));
            }
            _ => {}
        }
        if kind == Kind::SyncedBlock {
            let from = match block.extra {
                Extra::Target(id) => json!({"type": "block_id", "block_id": id}),
                _ => Value::Null,
            };
            content.insert("synced_from".into(), from);
        }
        Value::Object(content)
    }
}

/// Languages of code blocks.
pub(crate) const LANGUAGES: &[&str] = &[
    "abap",
    "abc",
    "agda",
    "arduino",
    "ascii art",
    "assembly",
    "bash",
    "basic",
    "bnf",
    "c",
    "c#",
    "c++",
    "clojure",
    "coffeescript",
    "coq",
    "css",
    "dart",
    "dhall",
    "diff",
    "docker",
    "ebnf",
    "elixir",
    "elm",
    "erlang",
    "f#",
    "flow",
    "fortran",
    "gherkin",
    "glsl",
    "go",
    "graphql",
    "groovy",
    "haskell",
    "hcl",
    "html",
    "idris",
    "java",
    "javascript",
    "json",
    "julia",
    "kotlin",
    "latex",
    "less",
    "lisp",
    "livescript",
    "llvm ir",
    "lua",
    "makefile",
    "markdown",
    "markup",
    "matlab",
    "mathematica",
    "mermaid",
    "nix",
    "notion formula",
    "objective-c",
    "ocaml",
    "pascal",
    "perl",
    "php",
    "plain text",
    "powershell",
    "prolog",
    "protobuf",
    "purescript",
    "python",
    "r",
    "racket",
    "reason",
    "ruby",
    "rust",
    "sass",
    "scala",
    "scheme",
    "scss",
    "shell",
    "smalltalk",
    "solidity",
    "sql",
    "swift",
    "toml",
    "typescript",
    "vb.net",
    "verilog",
    "vhdl",
    "visual basic",
    "webassembly",
    "xml",
    "yaml",
    "java/c/c++/c#",
];

/// The language that a fence of Markdown means; what is unknown is plain text.
pub(crate) fn language_of_fence(info: &str) -> &'static str {
    let name = info.trim().to_ascii_lowercase();
    let name = match name.as_str() {
        "js" | "jsx" | "mjs" => "javascript",
        "ts" | "tsx" => "typescript",
        "py" => "python",
        "sh" | "console" | "zsh" => "shell",
        "yml" => "yaml",
        "rs" => "rust",
        "rb" => "ruby",
        "md" => "markdown",
        "dockerfile" => "docker",
        "cpp" => "c++",
        "csharp" | "cs" => "c#",
        "" | "text" | "txt" | "plain" => "plain text",
        other => other,
    };
    LANGUAGES
        .iter()
        .find(|known| **known == name)
        .copied()
        .unwrap_or("plain text")
}
