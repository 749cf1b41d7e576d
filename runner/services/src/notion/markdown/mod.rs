//! Pages as Markdown, in the dialect that Notion has for it: one line is one
//! block, what is in a block is indented by a tab, and what Markdown has no
//! words for is a tag
//! (<https://developers.notion.com/guides/data-apis/enhanced-markdown>).
//!
//! Ordinary Markdown is read as well: tables with pipes, lists indented by
//! spaces, blank lines between blocks. Blocks that the dialect cannot express
//! are served as `<unknown>` and stay what they are where an edit leaves that
//! line in place. Bookmarks and embeds are tags of our own, so that their
//! addresses are not lost.

mod edit;
mod escape;
mod inline;
mod parse;
mod render;
mod table;
mod tags;

use super::accept::blocks::Draft;
use super::block::{Block, Extra};
use super::id::Id;
use super::rest::error::ApiError;
use super::rich::{Rich, Run, Style, What};
use super::store::Notion;

pub(crate) use inline::inline;
pub(crate) use parse::parse;
pub(crate) use render::render;

/// Who and what a text can refer to.
pub(crate) trait Names {
    /// The user that an address stands for.
    fn user(&self, url: &str) -> Option<Id>;
    /// The page or database that an address stands for.
    fn page(&self, url: &str) -> Option<Id>;
    /// Whether it is a database rather than a page.
    fn is_database(&self, id: Id) -> bool;
    /// The block that an address points at.
    fn block(&self, url: &str) -> Option<Id>;
}

/// What is there when a request is answered.
pub(crate) struct Served<'a>(pub(crate) &'a Notion);

impl Names for Served<'_> {
    fn user(&self, url: &str) -> Option<Id> {
        let by_id = Id::of_url(url).filter(|id| self.0.user(*id).is_some());
        by_id.or_else(|| Some(self.0.user_of(url.trim_start_matches("mailto:"))?.id))
    }

    fn page(&self, url: &str) -> Option<Id> {
        let id = Id::of_url(url)?;
        let node = self.0.node(id)?;
        (node.page().is_some() || node.database().is_some()).then_some(id)
    }

    fn is_database(&self, id: Id) -> bool {
        self.0
            .node(id)
            .is_some_and(|node| node.database().is_some())
    }

    fn block(&self, url: &str) -> Option<Id> {
        let id = Id::parse(url.rsplit('#').next()?)?;
        self.0.node(id)?.block().map(|_| id)
    }
}

/// Blocks that Markdown describes.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Parsed {
    pub(crate) pieces: Vec<Piece>,
    /// What does not mean what its author thought: line, from 1, and problem.
    pub(crate) problems: Vec<(usize, String)>,
}

/// A block, with those in it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Piece {
    pub(crate) what: Shape,
    pub(crate) children: Vec<Piece>,
    /// Line that it begins in, from 1.
    pub(crate) line: usize,
}

/// What a piece of Markdown stands for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    New(Block),
    /// A page, database or block that is there already.
    Existing(Id),
}

/// Most blocks that one text may describe.
const MAX_BLOCKS: usize = 10_000;

impl Parsed {
    /// Refuses more blocks than one request may make.
    pub(crate) fn fits(&self) -> Result<(), ApiError> {
        let count: usize = self.pieces.iter().map(Piece::count).sum();
        if count > MAX_BLOCKS {
            let text = format!("The content has {count} blocks; the most are {MAX_BLOCKS}.");
            return Err(ApiError::validation(text));
        }
        Ok(())
    }

    /// The blocks without references to what is there already.
    pub(crate) fn new_only(self) -> Vec<Draft> {
        self.pieces.into_iter().filter_map(Piece::draft).collect()
    }
}

impl Piece {
    /// How many blocks it is, with those in it.
    fn count(&self) -> usize {
        1 + self.children.iter().map(Self::count).sum::<usize>()
    }

    pub(crate) fn draft(self) -> Option<Draft> {
        let Shape::New(block) = self.what else {
            return None;
        };
        let children = self.children.into_iter();
        Some(Draft {
            block,
            children: children.filter_map(Self::draft).collect(),
        })
    }
}

/// A block without what Markdown does not carry, so that two can be compared.
pub(crate) fn canonical(block: &Block) -> Block {
    let extra = match &block.extra {
        Extra::Width(_) => Extra::None,
        Extra::Code { language, .. } => Extra::Code {
            language: language.clone(),
            caption: Rich::new(),
        },
        Extra::Cells(cells) => Extra::Cells(cells.iter().map(|cell| merged(cell)).collect()),
        Extra::Expression(expression) => {
            let lines = expression.split('\n').filter(|line| line.trim() != "$$");
            Extra::Expression(lines.collect::<Vec<_>>().join("\n"))
        }
        other => other.clone(),
    };
    let text = if matches!(extra, Extra::Code { .. }) {
        let plain = |run: &Run| match &run.what {
            What::Text(text) | What::Equation(text) => text.clone(),
            What::Mention(_) => String::new(),
        };
        super::rich::plain(&block.text.iter().map(plain).collect::<String>())
    } else {
        merged(&block.text)
    };
    Block {
        kind: block.kind,
        text,
        color: block.color,
        extra,
    }
}

/// Rich text with neighbours of one style put together and nothing empty, and
/// without white space around it.
pub(crate) fn merged(rich: &[Run]) -> Rich {
    let mut merged = Rich::new();
    for run in rich {
        let text = match &run.what {
            What::Text(text) | What::Equation(text) if text.is_empty() => continue,
            What::Text(text) => text,
            _ => {
                merged.push(run.clone());
                continue;
            }
        };
        if let Some(last) = merged.last_mut()
            && (last.style, &last.link) == (run.style, &run.link)
            && let What::Text(before) = &mut last.what
        {
            before.push_str(text);
        } else {
            merged.push(run.clone());
        }
    }
    trim(&mut merged);
    merged
}

fn trim(rich: &mut Rich) {
    let is_code = |style: Style| style.code;
    while let Some(first) = rich.first_mut() {
        let What::Text(text) = &mut first.what else {
            break;
        };
        if is_code(first.style) {
            break;
        }
        *text = text.trim_start().to_owned();
        if !text.is_empty() {
            break;
        }
        rich.remove(0);
    }
    while let Some(last) = rich.last_mut() {
        let What::Text(text) = &mut last.what else {
            break;
        };
        if is_code(last.style) {
            break;
        }
        *text = text.trim_end().to_owned();
        if !text.is_empty() {
            break;
        }
        rich.pop();
    }
}

#[cfg(test)]
mod tests;
