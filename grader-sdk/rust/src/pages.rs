//! The pages and databases, before and after.
//!
//! ```
//! use proctor_grader::pages::PropertyExt as _;
//! use proctor_grader::testing::{self, Bundle};
//! # use proctor_grader::Error;
//!
//! let path = ["Engineering", "Sprint 4"];
//! let before = testing::page("p1", &path, "- [ ] #142 OOM fix\n- [ ] #144 Recommendations\n");
//! let mut after = testing::page("p1", &path, "- [x] #142 OOM fix\n- [ ] #144 Recommendations\n");
//! testing::property(&mut after, "Status", "status", "Done");
//! let evidence = Bundle::new().pages(&[before], &[after]).evidence();
//!
//! let sprint = evidence.pages().at("Engineering / Sprint 4")?.unwrap();
//! assert_eq!(sprint.to_dos().filter(|block| block.checked == Some(true)).count(), 1);
//! assert_eq!(sprint.property("status").unwrap().text, "Done");
//! let changed: Vec<_> = sprint.changed_blocks().iter().map(|change| change.is.text.as_str()).collect();
//! assert_eq!(changed, ["#142 OOM fix"]);
//! # Ok::<(), Error>(())
//! ```

use std::collections::{BTreeMap, BTreeSet};

use proctor_types::citation::Moment;
use proctor_types::world::notion::{Block, Database, Notion, Page, Property};
use serde_json::Value;

use crate::markdown::Document;
use crate::text::words;
use crate::{Error, Evidence};

pub use proctor_types::world::notion::{BLOCK, COMMENT, DATA_SOURCE, DATABASE, PAGE};

/// The pages of a trial.
#[derive(Clone, Copy)]
pub struct Pages<'e> {
    evidence: &'e Evidence,
}

impl<'e> Pages<'e> {
    pub(crate) fn new(evidence: &'e Evidence) -> Self {
        Self { evidence }
    }

    /// The pages before the agent's first request.
    pub fn before(&self) -> Result<&'e Notion, Error> {
        self.evidence.snapshot(Moment::Before)?.notion()
    }

    /// The pages after the agent stopped.
    pub fn after(&self) -> Result<&'e Notion, Error> {
        self.evidence.snapshot(Moment::After)?.notion()
    }

    /// All pages as the agent left them, rows of databases included; those in
    /// the trash are not.
    pub fn all(&self) -> Result<Vec<PageView<'e>>, Error> {
        let seeded: BTreeMap<&str, &Page> = by_id(self.before()?);
        let left = self.after()?.pages.iter().filter(|page| !page.in_trash);
        Ok(left
            .map(|page| PageView {
                page,
                before: seeded.get(page.id.as_str()).copied(),
            })
            .collect())
    }

    /// The page with this identifier as the agent left it, unless it is in the
    /// trash.
    pub fn page(&self, id: &str) -> Result<Option<PageView<'e>>, Error> {
        Ok(self.all()?.into_iter().find(|view| view.page.id == id))
    }

    /// Pages with a title of these words, whatever its case and punctuation.
    pub fn titled(&self, title: &str) -> Result<Vec<PageView<'e>>, Error> {
        let mut all = self.all()?;
        all.retain(|view| words(&view.page.title).eq(words(title)));
        Ok(all)
    }

    /// The page at the end of a path of titles, `Engineering / Incidents`. The
    /// titles are compared by their words; those at the beginning can be left
    /// out. Where several fit, a seeded one is preferred: what an agent made
    /// beside a page does not take its place.
    pub fn at(&self, path: &str) -> Result<Option<PageView<'e>>, Error> {
        let path: Vec<Vec<String>> = path
            .split('/')
            .map(|title| words(title).collect())
            .collect();
        let fits = |page: &Page| {
            let ends = page.path.len().checked_sub(path.len());
            ends.is_some_and(|skipped| {
                let titles = page.path[skipped..].iter();
                titles
                    .zip(&path)
                    .all(|(title, wanted)| words(title).eq(wanted.iter().cloned()))
            })
        };
        let mut all = self.all()?;
        all.retain(|view| fits(view.page));
        let seeded = all.iter().position(|view| view.before.is_some());
        Ok(all.get(seeded.unwrap_or(0)).copied())
    }

    /// Pages that did not exist before.
    pub fn created(&self) -> Result<Vec<PageView<'e>>, Error> {
        let mut all = self.all()?;
        all.retain(|view| view.before.is_none());
        Ok(all)
    }

    /// Pages that existed before and are gone or in the trash, as they were.
    pub fn removed(&self) -> Result<Vec<&'e Page>, Error> {
        let after = by_id(self.after()?);
        let gone = |page: &&Page| after.get(page.id.as_str()).is_none_or(|page| page.in_trash);
        let before = self.before()?.pages.iter().filter(|page| !page.in_trash);
        Ok(before.filter(gone).collect())
    }

    /// Pages that existed before and are other ones now: title, place,
    /// properties, blocks or comments.
    pub fn changed(&self) -> Result<Vec<PageView<'e>>, Error> {
        let mut all = self.all()?;
        all.retain(|view| {
            view.before
                .is_some_and(|before| !says_the_same(before, view.page))
        });
        Ok(all)
    }

    /// The database with a title of these words as the agent left it.
    pub fn database(&self, title: &str) -> Result<Option<&'e Database>, Error> {
        let same =
            |database: &&Database| !database.in_trash && words(&database.title).eq(words(title));
        Ok(self.after()?.databases.iter().find(same))
    }

    /// Rows of all tables of a database as the agent left them, in order.
    pub fn rows(&self, database: &Database) -> Result<Vec<PageView<'e>>, Error> {
        let all = self.all()?;
        let by_id: BTreeMap<&str, PageView<'e>> = all
            .into_iter()
            .map(|view| (view.page.id.as_str(), view))
            .collect();
        let ids = database.data_sources.iter().flat_map(|source| &source.rows);
        Ok(ids
            .filter_map(|id| by_id.get(id.as_str()).copied())
            .collect())
    }
}

fn by_id(notion: &Notion) -> BTreeMap<&str, &Page> {
    notion
        .pages
        .iter()
        .map(|page| (page.id.as_str(), page))
        .collect()
}

fn says_the_same(one: &Page, other: &Page) -> bool {
    one.title == other.title
        && one.path == other.path
        && one.parent == other.parent
        && one.properties == other.properties
        && one.comments == other.comments
        && one.blocks.len() == other.blocks.len()
        && one.blocks.iter().zip(&other.blocks).all(|(one, other)| {
            one.id == other.id && one.depth == other.depth && same_block(one, other)
        })
}

/// Whether two blocks say the same, whatever is in them and whenever they were
/// edited.
fn same_block(one: &Block, other: &Block) -> bool {
    one.kind == other.kind
        && one.text == other.text
        && one.checked == other.checked
        && one.cells == other.cells
        && one.content == other.content
}

/// A page as the agent left it, and as it was before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageView<'e> {
    page: &'e Page,
    before: Option<&'e Page>,
}

impl std::ops::Deref for PageView<'_> {
    type Target = Page;

    fn deref(&self) -> &Page {
        self.page
    }
}

/// What a block says: its text or cells, or where it has neither (a bookmark)
/// its links.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Said<'b> {
    text: &'b str,
    cells: &'b [String],
    links: Vec<&'b str>,
}

impl Said<'_> {
    fn is_nothing(&self) -> bool {
        self.text.is_empty() && self.cells.is_empty() && self.links.is_empty()
    }
}

fn said_by(block: &Block) -> Said<'_> {
    let (text, cells) = (block.text.trim(), &block.cells[..]);
    let plain = text.is_empty() && cells.is_empty();
    Said {
        text,
        cells,
        links: if plain { block.links() } else { Vec::new() },
    }
}

/// A heading and the blocks below it, up to the next heading of its level or a
/// higher one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageSection<'e> {
    /// The heading.
    pub heading: &'e Block,
    /// What stands below it, at any depth.
    pub blocks: &'e [Block],
}

fn level(block: &Block) -> Option<u8> {
    let level = block.kind.strip_prefix("heading_")?;
    level.parse().ok()
}

/// A block that is not as it was.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlockChange<'e> {
    /// The block before; nothing for a new one.
    pub was: Option<&'e Block>,
    /// The block as the agent left it.
    pub is: &'e Block,
}

impl<'e> PageView<'e> {
    /// The page as the agent left it.
    pub fn page(&self) -> &'e Page {
        self.page
    }

    /// The page as it was before, where it existed.
    pub fn before(&self) -> Option<&'e Page> {
        self.before
    }

    /// Blocks at any depth, in the order in which they are read.
    pub fn blocks(&self) -> &'e [Block] {
        &self.page.blocks
    }

    /// Blocks of one type: `to_do`, `heading_2`, `callout`, ...
    pub fn blocks_of(&self, kind: &str) -> impl Iterator<Item = &'e Block> {
        self.blocks().iter().filter(move |block| block.kind == kind)
    }

    /// To-dos at any depth.
    pub fn to_dos(&self) -> impl Iterator<Item = &'e Block> {
        self.blocks_of("to_do")
    }

    /// Tables at any depth, each as its rows.
    pub fn tables(&self) -> impl Iterator<Item = Vec<&'e Block>> {
        let tables = (1..)
            .zip(self.blocks())
            .filter(|(_, block)| block.kind == "table");
        let blocks = self.blocks();
        tables.map(move |(next, table)| inside(&blocks[next..], table.depth).collect())
    }

    /// Blocks that are in the block with this identifier, not deeper ones.
    pub fn children(&self, id: &str) -> impl Iterator<Item = &'e Block> {
        let found = self.blocks().iter().position(|block| block.id == id);
        let from = found.map_or(self.blocks().len(), |index| index + 1);
        let depth = found.map_or(0, |index| self.blocks()[index].depth);
        inside(&self.blocks()[from..], depth)
    }

    /// The first row of a table with a cell that has these words in a row.
    pub fn row(&self, phrase: &str) -> Option<&'e Block> {
        let has = |cell: &String| crate::text::contains(cell, phrase);
        self.blocks_of("table_row")
            .find(|row| row.cells.iter().any(has))
    }

    /// Sections by their headings, in order, nested ones included. Also a toggle
    /// can be a heading; what is bold is none.
    pub fn sections(&self) -> impl Iterator<Item = PageSection<'e>> {
        let blocks = self.blocks();
        let headings = (1..).zip(blocks);
        headings.filter_map(move |(next, heading)| {
            let level = level(heading)?;
            let rest = &blocks[next..];
            let ends = |block: &Block| self::level(block).is_some_and(|other| other <= level);
            let end = rest.iter().position(ends).unwrap_or(rest.len());
            Some(PageSection {
                heading,
                blocks: &rest[..end],
            })
        })
    }

    /// Sections whose heading has these words in a row.
    pub fn sections_titled(&self, phrase: &str) -> impl Iterator<Item = PageSection<'e>> {
        self.sections()
            .filter(move |section| crate::text::contains(&section.heading.text, phrase))
    }

    /// Blocks before the first heading: often fields.
    pub fn preamble(&self) -> &'e [Block] {
        let blocks = self.blocks();
        let first = blocks.iter().position(|block| level(block).is_some());
        &blocks[..first.unwrap_or(blocks.len())]
    }

    /// Blocks that say or link something that no block of the page did before,
    /// in order. Other than [`changed_blocks`](Self::changed_blocks) this does not go
    /// by identifiers: a page that was written anew as a whole has written what
    /// is new in it.
    pub fn written_blocks(&self) -> Vec<&'e Block> {
        let before = self.before.map_or(&[][..], |page| &page.blocks);
        let said: BTreeSet<Said<'_>> = before.iter().map(said_by).collect();
        let is_new = |block: &&Block| {
            let says = said_by(block);
            !says.is_nothing() && !said.contains(&says)
        };
        self.blocks().iter().filter(is_new).collect()
    }

    /// The block with this identifier.
    pub fn block(&self, id: &str) -> Option<&'e Block> {
        self.blocks().iter().find(|block| block.id == id)
    }

    /// The property with a name of these words, whatever its case and
    /// punctuation.
    pub fn property(&self, name: &str) -> Option<&'e Property> {
        property(self.page, name)
    }

    /// The same property as it was before.
    pub fn property_before(&self, name: &str) -> Option<&'e Property> {
        property(self.before?, name)
    }

    /// The page's Markdown and its structure.
    pub fn document(&self) -> Document {
        Document::parse(&self.page.markdown)
    }

    /// Blocks that are new or say something else than before, in order. Moving
    /// one is no change of it.
    pub fn changed_blocks(&self) -> Vec<BlockChange<'e>> {
        let known = self.blocks_before();
        self.blocks()
            .iter()
            .map(|is| BlockChange {
                was: known.get(is.id.as_str()).copied(),
                is,
            })
            .filter(|change| change.was.is_none_or(|was| !same_block(was, change.is)))
            .collect()
    }

    /// Blocks that were there before and are gone, as they were.
    pub fn removed_blocks(&self) -> Vec<&'e Block> {
        let left: BTreeMap<&str, &Block> = self
            .blocks()
            .iter()
            .map(|block| (block.id.as_str(), block))
            .collect();
        let before = self.before.map_or(&[][..], |page| &page.blocks);
        before
            .iter()
            .filter(|block| !left.contains_key(block.id.as_str()))
            .collect()
    }

    fn blocks_before(&self) -> BTreeMap<&'e str, &'e Block> {
        let before = self.before.map_or(&[][..], |page| &page.blocks);
        before
            .iter()
            .map(|block| (block.id.as_str(), block))
            .collect()
    }
}

fn property<'e>(page: &'e Page, name: &str) -> Option<&'e Property> {
    let named = |(other, _): &(&String, &Property)| words(other).eq(words(name));
    page.properties
        .iter()
        .find(named)
        .map(|(_, property)| property)
}

/// Blocks in one of this depth, which stands right before `rest`.
fn inside(rest: &[Block], depth: u32) -> impl Iterator<Item = &Block> {
    rest.iter()
        .take_while(move |block| block.depth > depth)
        .filter(move |block| block.depth - 1 == depth)
}

/// Questions to a block.
pub trait BlockExt {
    /// Addresses that its text or its content links to, in order, each once.
    fn links(&self) -> Vec<&str>;
}

impl BlockExt for Block {
    fn links(&self) -> Vec<&str> {
        let mut found = Vec::new();
        links(&self.content, &mut found);
        found
    }
}

/// Values of `href` and `url` anywhere in what the API serves. As deep as the
/// parser let it be.
fn links<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(url) if name == "href" || name == "url" => {
                        if !found.contains(&url.as_str()) {
                            found.push(url);
                        }
                    }
                    other => links(other, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| links(item, found)),
        _ => {}
    }
}

/// Typed access to the value of a property.
pub trait PropertyExt {
    /// Value of a checkbox.
    fn checkbox(&self) -> Option<bool>;

    /// Value of a number.
    fn number(&self) -> Option<f64>;

    /// Names of the options of a status, select or multi-select.
    fn options(&self) -> Vec<&str>;

    /// Beginning of a date, as the API writes it.
    fn date(&self) -> Option<&str>;

    /// Identifiers of related pages, or of people.
    fn ids(&self) -> Vec<&str>;
}

impl PropertyExt for Property {
    fn checkbox(&self) -> Option<bool> {
        self.value.as_bool()
    }

    fn number(&self) -> Option<f64> {
        self.value.as_f64()
    }

    fn options(&self) -> Vec<&str> {
        each(&self.value, "name")
    }

    fn date(&self) -> Option<&str> {
        self.value.get("start")?.as_str()
    }

    fn ids(&self) -> Vec<&str> {
        each(&self.value, "id")
    }
}

/// A field of an object, or of each object of a list.
fn each<'v>(value: &'v Value, field: &str) -> Vec<&'v str> {
    let of = |value: &'v Value| value.get(field)?.as_str();
    match value {
        Value::Array(items) => items.iter().filter_map(of).collect(),
        one => of(one).into_iter().collect(),
    }
}
