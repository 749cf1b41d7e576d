//! Files that the agent left, and files that the task seeded.
//!
//! ```
//! use proctor_grader::files::Parsed;
//! use proctor_grader::testing::Bundle;
//! use serde_json::Value;
//!
//! let evidence = Bundle::new()
//!     .fixture("in.csv", "name,hours\nAda,3\n")
//!     .workspace("in.csv", "name,hours\nAda,3\n")
//!     .workspace("out/report.json", "{\"total\": 3}")
//!     .workspace("out/broken.json", "{")
//!     .evidence();
//! let workspace = evidence.workspace().unwrap();
//!
//! let report = workspace.json::<Value>("out/report.json").unwrap();
//! assert_eq!(report.valid().unwrap()["total"], 3);
//! let broken = workspace.json::<Value>("out/broken.json").unwrap();
//! assert!(matches!(broken, Parsed::Malformed(_)));
//!
//! let table = workspace.csv("in.csv").unwrap().valid().unwrap();
//! assert_eq!(table.cell(0, "Hours"), Some("3"));
//!
//! let changes = workspace.changes();
//! let paths: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
//! assert_eq!(paths, ["out/broken.json", "out/report.json"]);
//! ```
//!
//! What an agent wrote can be anything. So nothing here fails because of it:
//! text is made of whatever bytes there are, and what should be JSON or CSV
//! comes as [`Parsed`], with the reason in plain words where it is not.

mod changes;
pub(crate) mod glob;
mod table;

use std::borrow::Cow;

use proctor_types::workspace::{self, Entry};
use proctor_types::{WorkspaceListing, bundle};
use serde::de::DeserializeOwned;

use crate::evidence::expect_schema;
use crate::{Error, Evidence, File};

pub use changes::{FileChange, Happened};
pub use table::Table;

/// What is read of a file as text, JSON or CSV, in bytes: 8 MiB. An agent
/// decides how long its files get, and a grader must not break over that.
pub const TEXT_BYTES: u32 = 8 << 20;

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

    /// Files whose path fits a pattern, sorted by path: `?` is one character,
    /// `*` any number of them, neither of them a `/`; `**` is anything, so that
    /// `**/*.md` fits `a.md` and `notes/b.md`. Case counts.
    pub fn glob(&self, pattern: &str) -> Vec<File> {
        // No path can fit that differs before the first wildcard.
        let fixed = pattern.find(['*', '?']).unwrap_or(pattern.len());
        let mut files = self.list(&pattern[..fixed]);
        files.retain(|file| glob::fits(&file.path, pattern));
        files
    }

    /// Content of the file, or nothing where there is none. The error of a file
    /// that is longer than the host hands out at once (64 MiB) is the
    /// agent's doing: use [`Files::head`] where that can be.
    pub fn bytes(&self, path: &str) -> Result<Option<Vec<u8>>, Error> {
        let path = self.in_bundle(path);
        if self.evidence.stat(&path).is_none() {
            return Ok(None);
        }
        self.evidence.read(&path).map(Some)
    }

    /// Text of the file, or nothing where there is none. Bytes that are not
    /// UTF-8 become `U+FFFD`; what lies beyond [`TEXT_BYTES`] is left out.
    pub fn text(&self, path: &str) -> Result<Option<String>, Error> {
        Ok(self.head(path, TEXT_BYTES)?.map(|head| head.text))
    }

    /// Text of a file that has to be UTF-8.
    pub fn utf8(&self, path: &str) -> Result<Parsed<String>, Error> {
        self.parse(path, |bytes| {
            let wrong = |error: std::string::FromUtf8Error| {
                let at = error.utf8_error().valid_up_to();
                format!("it is not UTF-8 from byte {at} on")
            };
            String::from_utf8(bytes).map_err(wrong)
        })
    }

    /// A JSON document. A byte order mark is passed over.
    pub fn json<T: DeserializeOwned>(&self, path: &str) -> Result<Parsed<T>, Error> {
        self.parse(path, |bytes| {
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
            serde_json::from_slice(bytes)
                .map_err(|error| format!("it is not the expected JSON: {error}"))
        })
    }

    /// A table with commas between its cells and a head.
    pub fn csv(&self, path: &str) -> Result<Parsed<Table>, Error> {
        self.table(path, b',')
    }

    /// A table with another separator between its cells, and a head.
    pub fn table(&self, path: &str, separator: u8) -> Result<Parsed<Table>, Error> {
        self.parse(path, |bytes| Table::read(&bytes, separator))
    }

    fn parse<T>(
        &self,
        path: &str,
        parse: impl FnOnce(Vec<u8>) -> Result<T, String>,
    ) -> Result<Parsed<T>, Error> {
        let path = self.in_bundle(path);
        let Some(file) = self.evidence.stat(&path) else {
            return Ok(Parsed::Missing);
        };
        if file.bytes > u64::from(TEXT_BYTES) {
            let problem = format!(
                "it is {} bytes long; {TEXT_BYTES} are read at most",
                file.bytes
            );
            return Ok(Parsed::Malformed(problem));
        }
        Ok(match parse(self.evidence.read(&path)?) {
            Ok(value) => Parsed::Valid(value),
            Err(problem) => Parsed::Malformed(problem),
        })
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

/// A file that should have a certain form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parsed<T> {
    /// There is no such file.
    Missing,
    /// It is there and does not have the form: why, in plain words.
    Malformed(String),
    /// Its content.
    Valid(T),
}

impl<T> Parsed<T> {
    /// The content, where the file is what it should be.
    pub fn valid(self) -> Option<T> {
        match self {
            Self::Valid(value) => Some(value),
            Self::Missing | Self::Malformed(_) => None,
        }
    }

    /// The content by reference, where the file is what it should be.
    pub fn as_ref(&self) -> Parsed<&T> {
        match self {
            Self::Valid(value) => Parsed::Valid(value),
            Self::Malformed(problem) => Parsed::Malformed(problem.clone()),
            Self::Missing => Parsed::Missing,
        }
    }

    /// What is wrong, in words that can follow the file's name and a colon;
    /// nothing where it is what it should be.
    pub fn problem(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Valid(_) => None,
            Self::Missing => Some("there is no such file".into()),
            Self::Malformed(problem) => Some(problem.into()),
        }
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

pub(crate) fn lossy(bytes: Vec<u8>) -> String {
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
        if !listing.entries.is_sorted_by(|a, b| a.path <= b.path) {
            listing.entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        }
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
