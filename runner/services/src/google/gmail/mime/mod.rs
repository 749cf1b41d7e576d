//! A mail: its exact source, and what is read from it once.

mod body;
mod compose;
mod fields;
mod parts;

use std::borrow::Cow;
use std::sync::OnceLock;

use bytes::Bytes;
use sha2::{Digest, Sha256};

pub use fields::{Address, Field};
pub use parts::{Kind, Part};

pub(super) use compose::{Additions, Sender, delivered};
use fields::Block;

use super::query::words::Index;

/// Most bytes of a text that searches look at.
const SEARCHED: usize = 1 << 20;
/// Characters of a snippet.
const SNIPPET: usize = 200;

/// A mail as it was received. It never changes: messages, worlds and requests
/// share it.
pub struct Mail {
    source: Bytes,
    digest: [u8; 32],
    head: Head,
    root: Part,
    index: Index,
    snippet: Box<str>,
    evidence_len: OnceLock<u64>,
}

/// What the header of a mail says, as far as Gmail acts on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// `From`.
    pub from: Vec<Address>,
    /// `To`.
    pub to: Vec<Address>,
    /// `Cc`.
    pub cc: Vec<Address>,
    /// `Bcc`.
    pub bcc: Vec<Address>,
    /// `Delivered-To`.
    pub delivered_to: Vec<Address>,
    /// Subject, decoded.
    pub subject: Box<str>,
    /// Message identifier, without angle brackets.
    pub message_id: Option<Box<str>>,
    /// Messages that this one answers: `In-Reply-To` and `References`.
    pub references: Vec<Box<str>>,
    /// `Date`, milliseconds since 1970.
    pub date_ms: Option<i64>,
    /// Whether there is a `Date`, readable or not.
    pub has_date: bool,
    /// `List-ID`, decoded.
    pub list: Box<str>,
}

impl Mail {
    /// Reads a mail. There is nothing that cannot be read: what is malformed
    /// is shown as it stands.
    pub fn parse(source: impl Into<Bytes>) -> Self {
        let source = source.into();
        let digest: [u8; 32] = Sha256::digest(&source).into();
        let header = Block::read(&source, 0..source.len());
        let head = Head::read(&source, &header);
        let root = parts::split(&source, &header, &digest);
        let text = text_of(&root, &source);
        let files = file_names(&root);
        let searched = text
            .get(..text.floor_char_boundary(SEARCHED))
            .unwrap_or_default();
        let index = Index::new(&head, &files, searched);
        let snippet = snippet_of(&text).into();
        Self {
            source,
            digest,
            head,
            root,
            index,
            snippet,
            evidence_len: OnceLock::new(),
        }
    }

    /// The exact source.
    pub fn source(&self) -> &Bytes {
        &self.source
    }

    /// SHA-256 of the source, lower-case hex.
    pub fn sha256(&self) -> String {
        hex::encode(self.digest)
    }

    /// What its header says.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Its parts.
    pub fn root(&self) -> &Part {
        &self.root
    }

    /// Header fields in order.
    pub fn fields(&self) -> &[Field] {
        &self.root.fields
    }

    /// What searches look at.
    pub(super) fn index(&self) -> &Index {
        &self.index
    }

    /// The beginning of its text on one line, HTML-escaped.
    pub fn snippet(&self) -> &str {
        &self.snippet
    }

    /// Length of what a snapshot says of it, which `measure` finds out once.
    pub(super) fn evidence_len(&self, measure: fn(&Self) -> u64) -> u64 {
        *self.evidence_len.get_or_init(|| measure(self))
    }

    /// The text to read, decoded; made from the HTML where there is no other.
    pub fn text(&self) -> String {
        text_of(&self.root, &self.source)
    }

    /// The HTML, decoded.
    pub fn html(&self) -> Option<String> {
        let mut found = None;
        visit_own(&self.root, &mut |part| {
            if found.is_none() && part.kind == Kind::Text && &*part.mime == "text/html" {
                found = Some(part.text(&self.source).into_owned());
            }
        });
        found
    }

    /// Files, pictures and attached messages in order. What an attached
    /// message holds is not listed apart from it.
    pub fn attachments(&self) -> Vec<&Part> {
        let mut found = Vec::new();
        visit_own(&self.root, &mut |part| {
            if part.attachment_id().is_some() {
                found.push(part);
            }
        });
        found
    }

    /// Whether it brings files, not counting pictures that its HTML shows.
    pub fn has_attachment(&self) -> bool {
        self.attachments().iter().any(|part| !part.is_embedded())
    }

    /// The part that can be fetched under `id`, attached messages included.
    pub fn attachment(&self, id: &str) -> Option<&Part> {
        let mut found = None;
        self.root.walk(&mut |part| {
            if part.attachment_id() == Some(id) {
                found = Some(part);
            }
        });
        found
    }

    /// The decoded content of one of its parts.
    pub fn content(&self, part: &Part) -> Cow<'_, [u8]> {
        part.content(&self.source)
    }

    /// The decoded text of one of its parts.
    pub fn part_text(&self, part: &Part) -> Cow<'_, str> {
        part.text(&self.source)
    }
}

impl PartialEq for Mail {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Mail {}

impl std::fmt::Debug for Mail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mail")
            .field("subject", &self.head.subject)
            .field("bytes", &self.source.len())
            .finish_non_exhaustive()
    }
}

impl Head {
    /// The header of a source.
    pub fn of(source: &[u8]) -> Self {
        Self::read(source, &Block::read(source, 0..source.len()))
    }

    fn read(source: &[u8], header: &Block) -> Self {
        let all = |name| {
            header
                .values(source, name)
                .flat_map(fields::addresses)
                .collect()
        };
        let text = |name| {
            header
                .value(source, name)
                .map(fields::plain)
                .unwrap_or_default()
                .into()
        };
        let ids = |name| header.values(source, name).flat_map(fields::message_ids);
        Self {
            from: all("From"),
            to: all("To"),
            cc: all("Cc"),
            bcc: all("Bcc"),
            delivered_to: all("Delivered-To"),
            subject: text("Subject"),
            message_id: ids("Message-ID").next().filter(|id| !id.is_empty()),
            references: ids("In-Reply-To").chain(ids("References")).collect(),
            date_ms: header.value(source, "Date").and_then(fields::date_ms),
            has_date: header.value(source, "Date").is_some(),
            list: text("List-ID"),
        }
    }

    /// Everyone whom the mail is addressed to.
    pub fn recipients(&self) -> impl Iterator<Item = &Address> {
        self.to.iter().chain(&self.cc).chain(&self.bcc)
    }
}

/// Where in `source` (a line, from 1) the first field called `name` stands.
pub(super) fn line_of(source: &[u8], name: &str) -> Option<u64> {
    let header = Block::read(source, 0..source.len());
    let at = header.named(source, name).next()?.whole.start;
    let before = source.get(..at)?;
    Some(memchr::memchr_iter(b'\n', before).count() as u64 + 1)
}

/// Visits the parts that are the mail's own: not those of attached messages.
fn visit_own<'p>(part: &'p Part, visit: &mut dyn FnMut(&'p Part)) {
    visit(part);
    if part.attachment_id().is_none() {
        for child in &part.children {
            visit_own(child, visit);
        }
    }
}

/// The text of a part: of alternatives the plain one, of a mixture all.
fn text_of(part: &Part, source: &[u8]) -> String {
    match part.kind {
        Kind::Attachment(_) => String::new(),
        Kind::Text if &*part.mime == "text/html" => body::text_of_html(&part.text(source)),
        Kind::Text => part.text(source).into_owned(),
        Kind::Container if &*part.mime == "multipart/alternative" => {
            // Some mailers send an empty plain text beside the HTML.
            let plain = part.children.iter().filter(|it| has_plain_text(it));
            let other = part.children.iter().filter(|it| !has_plain_text(it));
            let mut texts = plain.chain(other).map(|it| text_of(it, source));
            texts
                .find(|text| !text.trim().is_empty())
                .unwrap_or_default()
        }
        Kind::Container => {
            let texts = part.children.iter().map(|it| text_of(it, source));
            texts
                .filter(|text| !text.is_empty())
                .collect::<Vec<_>>()
                .join("\n")
        }
    }
}

fn has_plain_text(part: &Part) -> bool {
    let mut found = false;
    visit_own(part, &mut |it| {
        found |= it.kind == Kind::Text && &*it.mime == "text/plain";
    });
    found
}

fn file_names(root: &Part) -> String {
    let mut names = String::new();
    visit_own(root, &mut |part| {
        if !part.filename.is_empty() {
            names.push_str(&part.filename);
            names.push('\n');
        }
    });
    names
}

/// The beginning of a text on one line, escaped as Gmail escapes it.
fn snippet_of(text: &str) -> String {
    let mut out = String::new();
    let mut length = 0;
    'words: for word in text.split_whitespace() {
        if length > 0 {
            length += 1;
            out.push(' ');
        }
        for c in word.chars().filter(|c| !c.is_control()) {
            if length >= SNIPPET {
                break 'words;
            }
            length += 1;
            match c {
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '"' => out.push_str("&quot;"),
                '\'' => out.push_str("&#39;"),
                c => out.push(c),
            }
        }
    }
    out.truncate(out.trim_end().len());
    out
}

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod tests;
