//! The files of a seed's `notion/` folder.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;
use serde_saphyr::Spanned;

use crate::notion::block::Icon;
use crate::notion::id::Id;
use crate::world::{SeedDir, SeedError, SeedFile};

/// What a folder's own page says.
const PAGE_FILE: &str = "_page.md";
/// What makes a folder a database.
const DATABASE_FILE: &str = "_database.yaml";
/// Most folders in each other.
const MAX_LEVELS: usize = 16;

/// A page or database that a file or folder describes.
pub(super) struct Found {
    /// File to name in errors.
    pub(super) file: String,
    /// What its identifier follows from.
    pub(super) key: String,
    /// Identifier, where the file says one.
    pub(super) id: Option<Id>,
    pub(super) title: String,
    /// Index of the entry that it is in.
    pub(super) parent: Option<usize>,
    pub(super) what: What,
}

pub(super) enum What {
    Page(Box<PageFile>),
    Database(SeedFile),
}

/// A page's file, taken apart.
pub(super) struct PageFile {
    pub(super) path: String,
    pub(super) title: String,
    pub(super) icon: Option<Icon>,
    pub(super) front: Front,
    pub(super) body: String,
    /// Line of the file that the body begins in.
    pub(super) body_line: u64,
}

/// What stands between the two `---` at the beginning of a page.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Front {
    pub(super) id: Option<Spanned<String>>,
    title: Option<Spanned<String>>,
    icon: Option<String>,
    pub(super) cover: Option<String>,
    pub(super) properties: IndexMap<String, Spanned<Value>>,
    pub(super) created: Option<Spanned<String>>,
    pub(super) created_by: Option<Spanned<String>>,
    pub(super) edited: Option<Spanned<String>>,
    pub(super) edited_by: Option<Spanned<String>>,
    pub(super) comments: Vec<FrontComment>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FrontComment {
    pub(super) by: Spanned<String>,
    pub(super) text: String,
    #[serde(default)]
    pub(super) at: Option<Spanned<String>>,
}

/// An emoji, or the address of a picture.
pub(super) fn icon_of(text: &str) -> Icon {
    if text.starts_with("http://") || text.starts_with("https://") {
        Icon::External(text.to_owned())
    } else {
        Icon::Emoji(text.to_owned())
    }
}

/// Everything that a folder describes, each entry before those in it.
pub(super) fn walk(dir: &SeedDir) -> Result<Vec<Found>, SeedError> {
    let mut found = Vec::new();
    folder(dir, None, 0, &mut found)?;
    Ok(found)
}

fn folder(
    dir: &SeedDir,
    parent: Option<usize>,
    level: usize,
    found: &mut Vec<Found>,
) -> Result<(), SeedError> {
    if level > MAX_LEVELS {
        let text = format!("folders are nested more than {MAX_LEVELS} levels deep");
        return Err(SeedError::file(dir.path(), text));
    }
    let names = dir.names()?;
    for name in &names {
        let is_root = level == 0;
        if is_root && name == super::WORKSPACE_FILE
            || !is_root && (name == PAGE_FILE || name == DATABASE_FILE)
        {
            continue;
        }
        if dir.is_folder(name)? {
            if names.iter().any(|other| *other == format!("{name}.md")) {
                let text = format!(
                    "collides with `{name}.md` beside it: both would be the page `{name}`. Put \
                     the text into `{name}/{PAGE_FILE}`"
                );
                return Err(SeedError::file(dir.path_of(name), text));
            }
            let Some(inner) = dir.folder(name)? else {
                continue;
            };
            let at = found.len();
            found.push(of_folder(&inner, name, parent)?);
            folder(&inner, Some(at), level + 1, found)?;
            continue;
        }
        let Some(stem) = name.strip_suffix(".md").filter(|stem| !stem.is_empty()) else {
            let text = format!(
                "nothing reads this; expected pages (`*.md`), folders, and in a folder \
                 `{PAGE_FILE}` or `{DATABASE_FILE}`"
            );
            return Err(SeedError::file(dir.path_of(name), text));
        };
        let file = page(&dir.file(name)?, stem)?;
        found.push(of_page(file, parent)?);
    }
    Ok(())
}

/// The page or database that a folder is.
fn of_folder(dir: &SeedDir, name: &str, parent: Option<usize>) -> Result<Found, SeedError> {
    if let Some(file) = dir.optional_file(DATABASE_FILE)? {
        if dir.has(PAGE_FILE) {
            let text = format!("a folder with `{DATABASE_FILE}` is a database, not a page");
            return Err(SeedError::file(dir.path_of(PAGE_FILE), text));
        }
        let title = super::database::title(&file)?.unwrap_or_else(|| name.to_owned());
        return Ok(Found {
            file: file.path.clone(),
            key: dir.path().to_owned(),
            id: None,
            title,
            parent,
            what: What::Database(file),
        });
    }
    match dir.optional_file(PAGE_FILE)? {
        Some(file) => {
            let mut found = of_page(page(&file, name)?, parent)?;
            dir.path().clone_into(&mut found.key);
            Ok(found)
        }
        None => Ok(Found {
            file: dir.path().to_owned(),
            key: dir.path().to_owned(),
            id: None,
            title: name.to_owned(),
            parent,
            what: What::Page(Box::new(PageFile {
                path: dir.path().to_owned(),
                title: name.to_owned(),
                icon: None,
                front: Front::default(),
                body: String::new(),
                body_line: 1,
            })),
        }),
    }
}

fn of_page(file: PageFile, parent: Option<usize>) -> Result<Found, SeedError> {
    let id = match &file.front.id {
        None => None,
        Some(text) => {
            let id = Id::parse(&text.value);
            let line = text.referenced.line();
            let wrong = || SeedError::at(&file.path, line, "expected a UUID: 32 hex digits");
            Some(id.ok_or_else(wrong)?)
        }
    };
    Ok(Found {
        file: file.path.clone(),
        key: file.path.trim_end_matches(".md").to_owned(),
        id,
        title: file.title.clone(),
        parent,
        what: What::Page(Box::new(file)),
    })
}

/// Takes a page's file apart: what is in front of it, and its text.
fn page(file: &SeedFile, stem: &str) -> Result<PageFile, SeedError> {
    let text = file.text()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut front = Front::default();
    let mut body = text;
    let mut body_line = 1;
    let starts = text
        .strip_prefix("---\n")
        .or_else(|| text.strip_prefix("---\r\n"));
    if let Some(rest) = starts {
        let mut length = 0;
        let mut lines = 1_u64;
        let mut is_closed = false;
        for line in rest.split_inclusive('\n') {
            lines += 1;
            if line.trim_end() == "---" {
                is_closed = true;
                body = rest.get(length + line.len()..).unwrap_or_default();
                break;
            }
            length += line.len();
        }
        if !is_closed {
            let text = "begins with `---` and has no second one that ends the front matter";
            return Err(SeedError::at(&file.path, 1, text));
        }
        body_line = lines + 1;
        // A line in place of the first keeps the numbers of the others.
        let yaml = format!("\n{}", rest.get(..length).unwrap_or_default());
        if !yaml.trim().is_empty() {
            let part = SeedFile {
                path: file.path.clone(),
                name: file.name.clone(),
                bytes: yaml.into_bytes(),
            };
            front = part.yaml()?;
        }
    }
    let title = match &front.title {
        Some(title) if title.value.trim().is_empty() => {
            let line = title.referenced.line();
            return Err(SeedError::at(&file.path, line, "expected a title"));
        }
        Some(title) => title.value.trim().to_owned(),
        None => stem.to_owned(),
    };
    Ok(PageFile {
        path: file.path.clone(),
        title,
        icon: front.icon.as_deref().map(icon_of),
        front,
        body: body.to_owned(),
        body_line,
    })
}
