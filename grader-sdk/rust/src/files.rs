//! Files that the agent left, and files that the task seeded.

use proctor_types::workspace::{self, Entry};
use proctor_types::{WorkspaceListing, bundle};

use crate::evidence::expect_schema;
use crate::{Error, Evidence, File};

/// The files under one directory of the bundle, by their path in the workspace.
#[derive(Clone, Copy)]
pub struct Files<'e> {
    evidence: &'e Evidence,
    dir: &'static str,
}

impl<'e> Files<'e> {
    pub(crate) fn new(evidence: &'e Evidence, dir: &'static str) -> Self {
        Self { evidence, dir }
    }

    /// The file, or nothing where there is none of that path.
    pub fn stat(&self, path: &str) -> Option<File> {
        let file = self.evidence.stat(&self.in_bundle(path))?;
        Some(File {
            path: path.to_owned(),
            ..file
        })
    }

    /// Whether there is a regular file of that path.
    pub fn exists(&self, path: &str) -> bool {
        self.stat(path).is_some()
    }

    /// Files whose path starts with `prefix`, sorted by path.
    pub fn list(&self, prefix: &str) -> Vec<File> {
        let skip = self.dir.len() + 1;
        let mut files = self.evidence.list(&self.in_bundle(prefix));
        for file in &mut files {
            file.path.drain(..skip);
        }
        files
    }

    /// Content of the file, or nothing where there is none.
    pub fn bytes(&self, path: &str) -> Result<Option<Vec<u8>>, Error> {
        let path = self.in_bundle(path);
        if self.evidence.stat(&path).is_none() {
            return Ok(None);
        }
        self.evidence.read(&path).map(Some)
    }

    /// Text of the file, or nothing where there is none. Bytes that are not
    /// UTF-8 become `U+FFFD`.
    pub fn text(&self, path: &str) -> Result<Option<String>, Error> {
        Ok(self.bytes(path)?.map(lossy))
    }

    /// The first `limit` bytes of the file as text, and whether that is all of
    /// it. For files whose length the agent decides.
    pub fn head(&self, path: &str, limit: u32) -> Result<Option<Head>, Error> {
        let path = self.in_bundle(path);
        let Some(file) = self.evidence.stat(&path) else {
            return Ok(None);
        };
        let bytes = if file.bytes == 0 {
            Vec::new()
        } else {
            self.evidence.read_range(&path, 0, limit)?
        };
        Ok(Some(Head {
            complete: file.bytes <= u64::from(limit),
            text: lossy(bytes),
        }))
    }

    fn in_bundle(self, path: &str) -> String {
        format!("{}/{path}", self.dir)
    }
}

/// Share of characters that no text has, one in so many, from which on a file is
/// no text.
const GARBLED: usize = 20;

/// The beginning of a text file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The text.
    pub text: String,
    /// Whether the file ends there.
    pub complete: bool,
}

impl Head {
    /// The lines with their numbers from 1, as [citations](crate::cite::line)
    /// count them.
    pub fn lines(&self) -> impl Iterator<Item = (u64, &str)> {
        (1..).zip(self.text.lines())
    }

    /// Whether it reads as text in UTF-8: hardly anything in it is a control
    /// character or was no UTF-8. UTF-16 and binary files are no text; one stray
    /// byte of an older encoding does not keep a long text from being one.
    pub fn is_text(&self) -> bool {
        let strange =
            |char: &char| *char == '\u{fffd}' || (char.is_control() && !char.is_whitespace());
        // What `limit` cut in two does not count.
        let whole = self.text.trim_end_matches('\u{fffd}');
        let seen = if self.complete { &self.text } else { whole };
        seen.chars().filter(strange).count() * GARBLED <= seen.chars().count()
    }
}

fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// The workspace as the agent left it.
#[derive(Clone, Copy)]
pub struct Workspace<'e> {
    files: Files<'e>,
    listing: &'e WorkspaceListing,
}

impl<'e> Workspace<'e> {
    pub(crate) fn new(evidence: &'e Evidence, listing: &'e WorkspaceListing) -> Self {
        Self {
            files: Files::new(evidence, bundle::WORKSPACE_DIR),
            listing,
        }
    }

    pub(crate) fn read_listing(evidence: &Evidence) -> Result<WorkspaceListing, Error> {
        let mut listing: WorkspaceListing = evidence.json(bundle::WORKSPACE_LISTING)?;
        expect_schema(
            bundle::WORKSPACE_LISTING,
            &listing.schema,
            workspace::SCHEMA,
        )?;
        // As the collector sorts them, which `entry` relies on.
        listing.entries.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(listing)
    }

    /// Every entry, also those that the collector refused, sorted by path.
    pub fn entries(&self) -> &'e [Entry] {
        &self.listing.entries
    }

    /// The entry of that path: tells a missing file from one that was refused.
    pub fn entry(&self, path: &str) -> Option<&'e Entry> {
        let entries = &self.listing.entries;
        let index = entries.partition_point(|entry| entry.path.as_str() < path);
        entries.get(index).filter(|entry| entry.path == path)
    }
}

impl<'e> std::ops::Deref for Workspace<'e> {
    type Target = Files<'e>;

    fn deref(&self) -> &Self::Target {
        &self.files
    }
}
