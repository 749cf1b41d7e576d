//! Recorded traffic, replayed without a key or a network.
//!
//! A cassette is a file of JSON, one object a line. Its first line is
//! `{"cassette": "proctor.cassette/1"}`; of the others, `text` lines hold long
//! texts by the SHA-256 of what they say, once each, and `request` lines a
//! request, as it is compared, with its reply in the pieces in which it came.
//! No line holds a key or a header field that could.
//!
//! # Which reply belongs to which request
//! Method, host, path and body have to be the same; of several recorded replies
//! to the same request each is given once, in the order in which they were
//! recorded. Bodies are compared as JSON, whatever the order of fields, and
//! without what differs between two runs of the same session:
//!
//! - top-level `metadata`, `user`, `prompt_cache_key`, `safety_identifier` and
//!   `client_metadata`, in which clients send identifiers of the session;
//! - the values of fields named `id`, `call_id`, `tool_call_id` and
//!   `tool_use_id`;
//! - inside of text: UUIDs; dates and times of day; seconds since 1970;
//!   durations in ms, s or seconds; hexadecimal numbers of 16 digits and more;
//!   the names directly below `/tmp`; identifiers that begin with `toolu_`,
//!   `call_`, `fc_`, `msg_`, `resp_`, `rs_` or `chatcmpl-`.
//!
//! A request that is not recorded gets no reply, and a report: what was asked,
//! the nearest recorded request that has not been played, and where the two
//! first differ.

mod normal;
mod report;
mod store;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::{BufRead, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::gateway::Ready;
use crate::redact::Redactor;

/// Names the format.
const FORMAT: &str = "proctor.cassette/1";
/// Bytes of a cassette.
const FILE: u64 = 1 << 30;
/// Bytes of one of its lines.
const LINE: u64 = 256 << 20;

/// Why a cassette cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CassetteError {
    /// It cannot be read or written.
    #[error("the cassette cannot be read or written: {0}")]
    Io(#[from] std::io::Error),
    /// It is none.
    #[error("the file is no cassette: its first line does not say {FORMAT:?}")]
    Format,
    /// It is too long.
    #[error("the cassette is longer than {FILE} bytes, or a line of it than {LINE}")]
    Long,
    /// A line is broken.
    #[error("line {line} of the cassette is broken: {reason}")]
    Line {
        /// Number of the line, from 1.
        line: usize,
        /// In which way.
        reason: String,
    },
}

/// One line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Line {
    Text { id: String, text: String },
    Request(Entry),
}

/// A request and its reply.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Entry {
    /// Order of the requests within the recording.
    n: u64,
    method: String,
    host: String,
    /// With the query.
    path: String,
    /// Body as it is compared; long texts are in lines of their own.
    body: Value,
    status: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    pieces: Vec<Piece>,
}

/// A piece of a reply.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum Piece {
    Text(String),
    Bytes { base64: String },
}

impl Piece {
    fn of(data: &[u8]) -> Self {
        match std::str::from_utf8(data) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Bytes {
                base64: STANDARD.encode(data),
            },
        }
    }

    fn bytes(&self) -> Result<Bytes, String> {
        match self {
            Self::Text(text) => Ok(Bytes::copy_from_slice(text.as_bytes())),
            Self::Bytes { base64 } => STANDARD
                .decode(base64)
                .map(Bytes::from)
                .map_err(|error| error.to_string()),
        }
    }
}

/// A request as the gateway sends it.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) method: &'a str,
    pub(crate) host: &'a str,
    pub(crate) path: String,
    pub(crate) query: Option<&'a str>,
    pub(crate) body: &'a Bytes,
}

impl Asked<'_> {
    fn path(&self) -> String {
        match self.query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }

    fn key(&self, body: &Value) -> Key {
        Key {
            method: self.method.to_owned(),
            host: self.host.to_owned(),
            path: self.path(),
            body: normal::digest(body),
        }
    }
}

/// What makes two requests the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    method: String,
    host: String,
    path: String,
    body: [u8; 32],
}

/// A recording, read.
#[derive(Debug)]
pub struct Cassette {
    entries: Vec<Recorded>,
    by_key: HashMap<Key, Vec<usize>>,
}

#[derive(Debug)]
struct Recorded {
    /// Line of the file, from 1.
    line: usize,
    key: Key,
    body: Value,
    reply: Ready,
}

impl Cassette {
    /// Reads a cassette from a file.
    ///
    /// # Errors
    /// When it cannot be read or is none.
    pub fn open(path: &Path) -> Result<Arc<Self>, CassetteError> {
        let file = std::fs::File::open(path)?;
        Self::read(std::io::BufReader::new(file))
    }

    /// Reads a cassette.
    ///
    /// # Errors
    /// When it cannot be read or is none.
    pub fn read(reader: impl BufRead) -> Result<Arc<Self>, CassetteError> {
        let mut entries = store::read(reader)?;
        entries.sort_by_key(|(_, entry)| entry.n);
        let mut cassette = Self {
            entries: Vec::with_capacity(entries.len()),
            by_key: HashMap::new(),
        };
        for (line, entry) in entries {
            let recorded = Recorded::new(line, entry)
                .map_err(|reason| CassetteError::Line { line, reason })?;
            let of_key = cassette.by_key.entry(recorded.key.clone()).or_default();
            of_key.push(cassette.entries.len());
            cassette.entries.push(recorded);
        }
        Ok(Arc::new(cassette))
    }

    /// How many requests it holds.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Plays it from the beginning.
    pub(crate) fn player(self: Arc<Self>) -> Player {
        Player {
            played: Mutex::new(vec![false; self.entries.len()]),
            cassette: self,
        }
    }
}

impl Recorded {
    fn new(line: usize, entry: Entry) -> Result<Self, String> {
        let status = StatusCode::from_u16(entry.status).map_err(|error| error.to_string())?;
        let mut headers = HeaderMap::new();
        for (name, value) in &entry.headers {
            let name: HeaderName = name.parse().map_err(|_| format!("{name:?} is no field"))?;
            let value: HeaderValue = value.parse().map_err(|_| format!("{name}: no value"))?;
            headers.insert(name, value);
        }
        let pieces: Result<VecDeque<_>, _> = entry.pieces.iter().map(Piece::bytes).collect();
        Ok(Self {
            line,
            key: Key {
                method: entry.method,
                host: entry.host,
                path: entry.path,
                body: normal::digest(&entry.body),
            },
            body: entry.body,
            reply: Ready {
                status,
                headers,
                pieces: pieces?,
            },
        })
    }
}

/// A cassette being played by one trial.
#[derive(Debug)]
pub(crate) struct Player {
    cassette: Arc<Cassette>,
    played: Mutex<Vec<bool>>,
}

impl Player {
    /// The reply to a request; without one, the report.
    pub(crate) fn play(&self, asked: &Asked<'_>) -> Result<Ready, String> {
        let body = normal::body(asked.body);
        let key = asked.key(&body);
        let mut played = self.played.lock().unwrap_or_else(PoisonError::into_inner);
        let of_key = self
            .cassette
            .by_key
            .get(&key)
            .map_or(&[][..], Vec::as_slice);
        if let Some(&index) = of_key.iter().find(|&&index| !played[index]) {
            played[index] = true;
            return Ok(self.cassette.entries[index].reply.clone());
        }
        let left = self.cassette.entries.iter().zip(played.iter());
        let left = left.filter(|it| !it.1).map(|it| it.0);
        Err(report::report(&key, &body, of_key.len(), left))
    }

    pub(crate) fn unplayed(&self) -> usize {
        let played = self.played.lock().unwrap_or_else(PoisonError::into_inner);
        played.iter().filter(|played| !**played).count()
    }
}

/// Writes a cassette.
pub struct Recorder(Mutex<store::Writer>);

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Recorder")
    }
}

impl Recorder {
    /// A cassette in a new file.
    ///
    /// # Errors
    /// When there is a file already, or it cannot be made.
    pub fn create(path: &Path) -> Result<Arc<Self>, CassetteError> {
        let file = std::fs::File::create_new(path)?;
        Self::new(Box::new(std::io::BufWriter::new(file)))
    }

    /// A cassette written to anything.
    ///
    /// # Errors
    /// When it cannot be written to.
    pub fn new(writer: Box<dyn Write + Send>) -> Result<Arc<Self>, CassetteError> {
        Ok(Arc::new(Self(Mutex::new(store::Writer::new(writer)?))))
    }

    /// Begins to record a request.
    pub(crate) fn take(self: &Arc<Self>, asked: &Asked<'_>, redactor: &Redactor) -> Take {
        let body = redactor.bytes(asked.body.clone());
        let n = {
            let mut writer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            writer.next()
        };
        Take {
            recorder: Arc::clone(self),
            entry: Entry {
                n,
                method: asked.method.to_owned(),
                host: asked.host.to_owned(),
                path: asked.path(),
                body: normal::body(&body),
                status: 0,
                headers: BTreeMap::new(),
                pieces: Vec::new(),
            },
        }
    }

    /// Writes what is buffered and says how many requests are recorded.
    ///
    /// # Errors
    /// The first error that writing met: then the cassette is not complete.
    pub fn finish(&self) -> Result<u64, CassetteError> {
        let mut writer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(writer.finish()?)
    }
}

/// A request being recorded. Only what is kept is written: a reply that broke
/// off is none to replay.
#[derive(Debug)]
pub(crate) struct Take {
    recorder: Arc<Recorder>,
    entry: Entry,
}

impl Take {
    /// The reply begins; `headers` are those that the agent gets.
    pub(crate) fn begins(&mut self, status: StatusCode, headers: &HeaderMap) {
        self.entry.status = status.as_u16();
        for name in ["content-type", "content-encoding", "x-should-retry"] {
            let value = headers.get(name).and_then(|it| it.to_str().ok());
            if let Some(value) = value {
                self.entry.headers.insert(name.to_owned(), value.to_owned());
            }
        }
    }

    /// A piece of it, keys blanked.
    pub(crate) fn piece(&mut self, data: &[u8]) {
        if !data.is_empty() {
            self.entry.pieces.push(Piece::of(data));
        }
    }

    /// It is complete.
    pub(crate) fn keep(self) {
        let Self { recorder, entry } = self;
        let mut writer = recorder.0.lock().unwrap_or_else(PoisonError::into_inner);
        writer.write(entry);
    }
}

#[cfg(test)]
mod tests;
