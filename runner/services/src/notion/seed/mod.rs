//! Pages of a seed: one Markdown file for each, folders for what they are in.
//!
//! Pages and databases come first, so that whatever is written in one can refer
//! to any other.

mod database;
mod files;
mod names;
mod values;

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::Deserialize;
use serde_saphyr::Spanned;

use self::files::{Found, PageFile, What as FileKind};
use self::names::SeedNames;
use super::id::Id;
use super::markdown::{self, Piece, Shape};
use super::rich::Rich;
use super::store::{Body, Comment, Node, Notion, Place, Stamp, User};
use crate::world::{SeedContext, SeedDir, SeedError};

/// What the workspace is called, in `notion/`.
const WORKSPACE_FILE: &str = "_workspace.yaml";

/// `_workspace.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WorkspaceFile {
    name: Option<String>,
    /// Name of the integration that requests come from.
    bot: Option<String>,
}

impl Notion {
    /// The workspace that the seed's `notion/` folder describes; an empty one
    /// where there is no folder.
    ///
    /// # Errors
    /// Says which file is wrong, in which line, and what was expected.
    pub fn seed(context: &mut SeedContext<'_>) -> Result<Self, SeedError> {
        let mut notion = Self::empty(context);
        let Some(dir) = context.dir else {
            return Ok(notion);
        };
        if let Some(file) = dir.optional_file(WORKSPACE_FILE)? {
            let WorkspaceFile { name, bot } = file.yaml()?;
            if let Some(name) = name {
                notion.workspace = name;
            }
            let id = notion.bot;
            let user = notion.users.iter_mut().find(|user| user.id == id);
            if let (Some(user), Some(bot)) = (user, bot) {
                user.name = bot;
            }
        }
        let mut seeder = Seeder {
            notion,
            context,
            paths: HashMap::new(),
        };
        seeder.run(dir)?;
        Ok(seeder.notion)
    }

    /// A workspace with its users.
    fn empty(context: &SeedContext<'_>) -> Self {
        let bot = Id::named(context.ids, "notion.user", "bot");
        let mut users = vec![User {
            id: bot,
            name: format!("{}'s integration", context.account.name),
            email: None,
        }];
        let own = context.accounts.notion.as_ref();
        let account = (&context.account.email, own.unwrap_or(&context.account.name));
        let people = context.people.iter().map(|person| {
            (
                &person.email,
                person.notion.as_ref().unwrap_or(&person.name),
            )
        });
        for (email, name) in std::iter::once(account).chain(people) {
            let is_known = users.iter().any(|user| {
                let known = user.email.as_deref();
                known.is_some_and(|known| known.eq_ignore_ascii_case(email))
            });
            if !is_known {
                users.push(User {
                    id: Id::named(context.ids, "notion.user", &email.to_ascii_lowercase()),
                    name: name.clone(),
                    email: Some(email.clone()),
                });
            }
        }
        let mut notion = Self {
            workspace: "Workspace".to_owned(),
            users,
            tokens: std::collections::BTreeMap::new(),
            bot,
            nodes: std::collections::BTreeMap::new(),
            roots: Vec::new(),
            comments: Vec::new(),
            added: 0,
        };
        for (token, email) in &context.accounts.tokens {
            if let Some(user) = notion.user_of(email) {
                let id = user.id;
                notion.tokens.insert(token.clone(), id);
            }
        }
        notion
    }
}

/// Something that a file refers to, and the place where it does.
struct Spot<'a> {
    file: &'a str,
    line: u64,
}

impl Spot<'_> {
    fn wrong(&self, problem: impl Into<String>) -> SeedError {
        SeedError::at(self.file, self.line, problem)
    }
}

struct Seeder<'s, 'c> {
    notion: Notion,
    context: &'s mut SeedContext<'c>,
    /// Pages and databases by their path, in lower case.
    paths: HashMap<String, Id>,
}

impl Seeder<'_, '_> {
    fn run(&mut self, dir: &SeedDir) -> Result<(), SeedError> {
        let found = files::walk(dir)?;
        let mut places = Vec::new();
        for entry in &found {
            places.push(self.plant(entry, &places)?);
        }
        // Tables before rows: values are read by their definitions, and a
        // relation needs the table that it leads to.
        let mut tables = Vec::new();
        for (entry, (id, path)) in found.iter().zip(&places) {
            if let FileKind::Database(file) = &entry.what {
                let rows = self.define(file, *id)?;
                tables.push((entry, *id, path.clone(), rows));
            }
        }
        let mut rows = Vec::new();
        for (entry, id, path, specs) in tables {
            let mut place = Place::Start;
            for spec in specs {
                let row = self.plant_row(entry, id, &path, &spec, place)?;
                place = Place::After(row);
                rows.push((entry, row, spec));
            }
        }
        for (entry, id, spec) in rows {
            self.fill_row(&entry.file, id, &spec)?;
        }
        for (entry, (id, path)) in found.iter().zip(&places) {
            if let FileKind::Page(file) = &entry.what {
                self.fill(file, *id, path)?;
            }
        }
        Ok(())
    }

    /// A stamp of the world's beginning.
    fn stamp(&self) -> Stamp {
        let by = self.notion.user_of(&self.context.account.email);
        Stamp {
            at: self.context.clock.start(),
            by: by.map_or(self.notion.bot, |user| user.id),
        }
    }

    /// Puts a page or database into the tree, still empty.
    fn plant(
        &mut self,
        entry: &Found,
        places: &[(Id, Vec<String>)],
    ) -> Result<(Id, Vec<String>), SeedError> {
        let above = entry.parent.and_then(|at| places.get(at));
        let mut path = above.map_or_else(Vec::new, |(_, path)| path.clone());
        path.push(entry.title.clone());
        let kind = match entry.what {
            FileKind::Page(_) => "notion.page",
            FileKind::Database(_) => "notion.database",
        };
        let id = entry
            .id
            .unwrap_or_else(|| Id::named(self.context.ids, kind, &entry.key));
        self.know(&entry.file, &path, id)?;
        let parent = above.map(|(id, _)| self.notion.only_source(*id).unwrap_or(*id));
        let body = match entry.what {
            FileKind::Page(_) => Body::Page(super::store::Page::default()),
            FileKind::Database(_) => Body::Database(super::store::Database::default()),
        };
        self.insert(id, parent, body, Place::End);
        if let FileKind::Database(_) = entry.what {
            let table = Id::named(self.context.ids, "notion.data_source", &entry.key);
            self.insert(
                table,
                Some(id),
                Body::Source(super::store::Source::default()),
                Place::End,
            );
        }
        Ok((id, path))
    }

    /// Remembers what a path leads to.
    fn know(&mut self, file: &str, path: &[String], id: Id) -> Result<(), SeedError> {
        let key = names::key(&path.join("/"));
        if self.paths.insert(key, id).is_some() || self.notion.node(id).is_some() {
            let text = format!("there is another page at the path `{}`", path.join(" / "));
            return Err(SeedError::file(file, text));
        }
        Ok(())
    }

    fn insert(&mut self, id: Id, parent: Option<Id>, body: Body, place: Place) {
        let stamp = self.stamp();
        let node = Node {
            seeded: true,
            ..Node::new(parent, stamp, body)
        };
        self.notion.insert(id, node, place);
    }

    fn names<'n>(&'n self, path: &'n [String]) -> SeedNames<'n> {
        SeedNames {
            notion: &self.notion,
            paths: &self.paths,
            here: path,
        }
    }

    /// The page's own content.
    fn fill(&mut self, file: &PageFile, id: Id, path: &[String]) -> Result<(), SeedError> {
        let (created, edited) = self.stamps(file)?;
        let title = self.text(
            &file.title,
            &Spot {
                file: &file.path,
                line: 1,
            },
        )?;
        if let Some(Body::Page(page)) = self.notion.node_mut(id).map(|node| &mut node.body) {
            page.title = title;
            page.icon.clone_from(&file.icon);
            page.cover.clone_from(&file.front.cover);
        }
        self.properties(file, id)?;
        self.content(file, id, path)?;
        self.comments(file, id)?;
        let mut inside = vec![id];
        while let Some(next) = inside.pop() {
            let Some(node) = self.notion.node_mut(next) else {
                continue;
            };
            if next == id || matches!(node.body, Body::Block(_)) {
                node.created = created;
                node.edited = edited;
                inside.extend(&node.children);
            }
        }
        Ok(())
    }

    /// When, and by whom, a page was made and changed.
    fn stamps(&self, file: &PageFile) -> Result<(Stamp, Stamp), SeedError> {
        let front = &file.front;
        let mut created = self.stamp();
        if let Some(at) = &front.created {
            created.at = moment(&file.path, at)?;
        }
        if let Some(by) = &front.created_by {
            created.by = self.person(&file.path, by)?;
        }
        let mut edited = created;
        if let Some(at) = &front.edited {
            edited.at = moment(&file.path, at)?;
        }
        if let Some(by) = &front.edited_by {
            edited.by = self.person(&file.path, by)?;
        }
        Ok((created, edited))
    }

    fn person(&self, file: &str, email: &Spanned<String>) -> Result<Id, SeedError> {
        let spot = Spot {
            file,
            line: email.referenced.line(),
        };
        let user = self.notion.user_of(&email.value);
        user.map(|user| user.id).ok_or_else(|| {
            let text = format!(
                "`{}` is neither the account nor one of `people`",
                email.value
            );
            spot.wrong(text)
        })
    }

    /// The text of a title, cell or comment.
    fn text(&self, text: &str, spot: &Spot<'_>) -> Result<Rich, SeedError> {
        let parsed = markdown::parse(text, &self.names(&[]));
        if let Some((_, problem)) = parsed.problems.into_iter().next() {
            return Err(spot.wrong(problem));
        }
        Ok(markdown::inline(text, &self.names(&[])))
    }

    fn content(&mut self, file: &PageFile, id: Id, path: &[String]) -> Result<(), SeedError> {
        let parsed = markdown::parse(&file.body, &self.names(path));
        if let Some((line, problem)) = parsed.problems.into_iter().next() {
            let line = file.body_line + line as u64 - 1;
            return Err(SeedError::at(&file.path, line, problem));
        }
        let pages = match self.notion.node_mut(id) {
            Some(node) => std::mem::take(&mut node.children),
            None => Vec::new(),
        };
        let mut writer = Writer {
            seeder: self,
            file,
            page: id,
            count: 0,
        };
        writer.add(id, parsed.pieces)?;
        for page in pages {
            let is_unplaced = self
                .notion
                .node(page)
                .is_some_and(|it| it.parent == Some(id));
            if let Some(node) = self.notion.node_mut(id)
                && is_unplaced
                && !node.children.contains(&page)
            {
                node.children.push(page);
            }
        }
        Ok(())
    }

    fn comments(&mut self, file: &PageFile, id: Id) -> Result<(), SeedError> {
        for (n, comment) in file.front.comments.iter().enumerate() {
            let spot = Spot {
                file: &file.path,
                line: comment.by.referenced.line(),
            };
            let mut created = self.stamp();
            created.by = self.person(&file.path, &comment.by)?;
            if let Some(at) = &comment.at {
                created.at = moment(&file.path, at)?;
            }
            let text = self.text(&comment.text, &spot)?;
            let key = format!("{}#{n}", file.path);
            self.notion.comments.push(Arc::new(Comment {
                id: Id::named(self.context.ids, "notion.comment", &key),
                discussion: Id::named(self.context.ids, "notion.discussion", &key),
                on: id,
                text,
                created,
                edited: created.at,
                seeded: true,
            }));
        }
        Ok(())
    }
}

fn moment(file: &str, at: &Spanned<String>) -> Result<Timestamp, SeedError> {
    at.value.parse().map_err(|_| {
        let text = format!(
            "`{}` is no RFC 3339 time like `2026-03-02T09:00:00Z`",
            at.value
        );
        SeedError::at(file, at.referenced.line(), text)
    })
}

/// Puts the blocks of a file into the tree.
struct Writer<'w, 's, 'c> {
    seeder: &'w mut Seeder<'s, 'c>,
    file: &'w PageFile,
    page: Id,
    count: usize,
}

impl Writer<'_, '_, '_> {
    fn add(&mut self, parent: Id, pieces: Vec<Piece>) -> Result<(), SeedError> {
        for piece in pieces {
            let block = match piece.what {
                Shape::New(block) => block,
                Shape::Existing(id) => {
                    self.place(parent, id, piece.line)?;
                    continue;
                }
            };
            self.count += 1;
            let key = format!("{}#{}", self.file.path, self.count);
            let id = Id::named(self.seeder.context.ids, "notion.block", &key);
            self.seeder
                .insert(id, Some(parent), Body::Block(block), Place::End);
            self.add(id, piece.children)?;
        }
        Ok(())
    }

    /// Puts a child page where its tag stands.
    fn place(&mut self, parent: Id, id: Id, line: usize) -> Result<(), SeedError> {
        let notion = &mut self.seeder.notion;
        let is_child = notion.node(id).and_then(|node| node.parent) == Some(self.page);
        let is_placed = notion
            .node(self.page)
            .is_some_and(|it| it.children.contains(&id));
        if !is_child || is_placed {
            let line = self.file.body_line + line as u64 - 1;
            let text = "expected a page or database of this page, each once; to refer to another, \
                        mention it";
            return Err(SeedError::at(&self.file.path, line, text));
        }
        if let Some(mut node) = notion.detach(id) {
            node.parent = Some(parent);
            notion.insert(id, node, Place::End);
        }
        Ok(())
    }
}
