//! The tree of MIME parts.
//!
//! mail-parser's own walk over a whole message is not used: in the version
//! that this workspace's compiler can build it looks for a boundary that never
//! comes in all the rest of the message, once for each part that names one, and
//! it drops nested messages recursively. A hostile mail would stop or end the
//! process. Here every level looks at its own bytes once, and depth and number
//! of parts are bounded.

use std::borrow::Cow;
use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use memchr::{memchr, memmem};
use sha2::{Digest, Sha256};

use super::body::{self, Encoding};
use super::fields::{Block, Field, content_type};

/// Deepest nesting. JSON readers commonly stop at 128 levels, and every part
/// takes two.
const DEEPEST: usize = 50;
/// Most parts of one mail; what follows is not shown.
const MOST_PARTS: usize = 2_000;

/// A MIME part.
#[derive(Debug, Clone)]
pub struct Part {
    /// Position in the tree as Gmail writes it: empty for the root, `0`,
    /// `0.1`, ...
    pub id: Box<str>,
    /// Media type, lower-case, without parameters.
    pub mime: Box<str>,
    /// File name; empty where there is none.
    pub filename: Box<str>,
    /// Header fields in order.
    pub fields: Vec<Field>,
    /// Length of the content in bytes; of text as UTF-8.
    pub size: usize,
    /// What is in it.
    pub kind: Kind,
    /// Parts in it; for an attached message its root.
    pub children: Vec<Part>,
    body: Range<usize>,
    encoding: Encoding,
    charset: Option<Box<str>>,
    has_content_id: bool,
}

/// What a part is for a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// It holds other parts.
    Container,
    /// Text of the mail itself.
    Text,
    /// Content to be fetched by this identifier: files, pictures, attached
    /// messages.
    Attachment(Box<str>),
}

impl Part {
    /// The part and all that is in it, in order.
    pub fn walk<'p>(&'p self, visit: &mut dyn FnMut(&'p Part)) {
        visit(self);
        for child in &self.children {
            child.walk(visit);
        }
    }

    /// Identifier under which the content can be fetched.
    pub fn attachment_id(&self) -> Option<&str> {
        match &self.kind {
            Kind::Attachment(id) => Some(id),
            _ => None,
        }
    }

    /// The decoded content.
    pub(super) fn content<'s>(&self, source: &'s [u8]) -> Cow<'s, [u8]> {
        self.encoding
            .decode(source.get(self.body.clone()).unwrap_or_default())
    }

    /// The decoded content as text.
    pub(super) fn text<'s>(&self, source: &'s [u8]) -> Cow<'s, str> {
        body::to_utf8(self.content(source), self.charset.as_deref())
    }

    /// Whether it is a picture that an HTML text shows.
    pub(super) fn is_embedded(&self) -> bool {
        self.has_content_id && self.mime.starts_with("image/")
    }

    fn is_multipart(&self) -> bool {
        self.mime.starts_with("multipart/")
    }
}

/// The parts of a mail.
pub(super) fn split(source: &[u8], header: &Block, digest: &[u8; 32]) -> Part {
    let mut splitter = Splitter {
        source,
        digest,
        parts: 1,
    };
    let range = header.body..source.len();
    splitter.part(header, range, String::new(), 0, "text/plain")
}

struct Splitter<'s> {
    source: &'s [u8],
    digest: &'s [u8; 32],
    parts: usize,
}

impl Splitter<'_> {
    /// The part with this header, whose body is `range`.
    fn part(
        &mut self,
        header: &Block,
        range: Range<usize>,
        id: String,
        depth: usize,
        default_mime: &str,
    ) -> Part {
        let typed = header
            .value(self.source, "Content-Type")
            .and_then(content_type);
        let disposition = header
            .value(self.source, "Content-Disposition")
            .and_then(content_type);
        let encoding = header.value(self.source, "Content-Transfer-Encoding");
        let mime = typed
            .as_ref()
            .and_then(|it| Some(format!("{}/{}", it.ctype(), it.subtype()?)));
        let named = disposition.as_ref().and_then(|it| it.attribute("filename"));
        let filename = named
            .or_else(|| typed.as_ref()?.attribute("name"))
            .unwrap_or_default();
        let mut part = Part {
            id: id.into(),
            mime: mime.unwrap_or_else(|| default_mime.to_owned()).into(),
            filename: super::fields::plain(filename.as_bytes()).into(),
            fields: header.decode(self.source),
            size: 0,
            kind: Kind::Container,
            children: Vec::new(),
            body: range,
            encoding: encoding.map(Encoding::named).unwrap_or_default(),
            charset: typed
                .as_ref()
                .and_then(|it| it.attribute("charset"))
                .map(Into::into),
            has_content_id: header.value(self.source, "Content-ID").is_some(),
        };
        let boundary = typed
            .as_ref()
            .and_then(|it| it.attribute("boundary"))
            .unwrap_or_default();
        self.fill(&mut part, boundary, depth);
        if part.is_multipart() && part.children.is_empty() {
            // A multipart that cannot be opened is read as the text it is.
            part.mime = "text/plain".into();
        }
        if part.kind == Kind::Container && !part.is_multipart() {
            let detached = disposition.is_some_and(|it| it.ctype() == "attachment");
            self.classify(&mut part, detached);
        }
        part
    }

    /// Finds the parts in a part.
    fn fill(&mut self, part: &mut Part, boundary: &str, depth: usize) {
        if depth >= DEEPEST {
            return;
        }
        if part.is_multipart() {
            let inner = if &*part.mime == "multipart/digest" {
                "message/rfc822"
            } else {
                "text/plain"
            };
            for range in pieces(self.source, part.body.clone(), boundary.as_bytes()) {
                let position = part.children.len();
                let dot = if part.id.is_empty() { "" } else { "." };
                self.child(part, range, &format!("{dot}{position}"), depth, inner);
            }
        } else if &*part.mime == "message/rfc822" && part.encoding == Encoding::Identity {
            self.child(part, part.body.clone(), ".0", depth, "text/plain");
        }
    }

    fn child(
        &mut self,
        part: &mut Part,
        range: Range<usize>,
        suffix: &str,
        depth: usize,
        mime: &str,
    ) {
        if self.parts >= MOST_PARTS {
            return;
        }
        self.parts += 1;
        let header = Block::read(self.source, range.clone());
        let id = format!("{}{suffix}", part.id);
        let child = self.part(&header, header.body..range.end, id, depth + 1, mime);
        part.children.push(child);
    }

    /// Says whether a leaf is text to read or something to fetch.
    fn classify(&self, part: &mut Part, detached: bool) {
        let is_text = part.mime.starts_with("text/") && part.filename.is_empty() && !detached;
        if is_text {
            part.kind = Kind::Text;
            part.size = part.text(self.source).len();
        } else {
            let mut hash = Sha256::new();
            hash.update(self.digest);
            hash.update(part.id.as_bytes());
            part.kind = Kind::Attachment(URL_SAFE_NO_PAD.encode(hash.finalize()).into());
            part.size = part.content(self.source).len();
        }
    }
}

/// The bytes between the delimiter lines of a multipart body. A last part
/// without a closing delimiter goes on to the end.
fn pieces(source: &[u8], range: Range<usize>, boundary: &[u8]) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let body = source.get(range.clone()).unwrap_or_default();
    if boundary.is_empty() {
        return pieces;
    }
    let delimiter = [b"--", boundary].concat();
    let mut open: Option<usize> = None;
    for at in memmem::find_iter(body, &delimiter) {
        let line_start = at == 0 || body.get(at - 1) == Some(&b'\n');
        let Some(after) = body.get(at + delimiter.len()..).filter(|_| line_start) else {
            continue;
        };
        let line = after
            .get(..memchr(b'\n', after).map_or(after.len(), |end| end + 1))
            .unwrap_or_default();
        let (closing, blank) = match line.strip_prefix(b"--") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        if !blank.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        if let Some(start) = open {
            pieces.push(range.start + start..range.start + before_break(body, start, at));
        }
        open = (!closing && pieces.len() < MOST_PARTS).then_some(at + delimiter.len() + line.len());
        if open.is_none() {
            return pieces;
        }
    }
    pieces.extend(open.map(|start| range.start + start..range.end));
    pieces
}

/// The line break before a delimiter belongs to the delimiter.
fn before_break(body: &[u8], start: usize, at: usize) -> usize {
    let piece = body.get(start..at).unwrap_or_default();
    let piece = piece.strip_suffix(b"\n").unwrap_or(piece);
    let piece = piece.strip_suffix(b"\r").unwrap_or(piece);
    start + piece.len()
}
