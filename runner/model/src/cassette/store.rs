//! The file.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead, Read as _, Write};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::{CassetteError, Entry, FILE, FORMAT, LINE, Line};

/// Bytes from which on a text has a line of its own: a conversation is sent
/// whole with each of its requests.
const LONG: usize = 256;
/// The name of the only field of an object that stands for a text.
const REFERENCE: &str = "$text";

#[derive(Serialize, Deserialize)]
struct Head {
    #[serde(rename = "cassette")]
    format: String,
}

pub(super) struct Writer {
    out: Box<dyn Write + Send>,
    texts: HashSet<String>,
    next: u64,
    written: u64,
    error: Option<std::io::Error>,
}

impl Writer {
    pub(super) fn new(writer: Box<dyn Write + Send>) -> std::io::Result<Self> {
        let mut this = Self {
            out: writer,
            texts: HashSet::new(),
            next: 0,
            written: 0,
            error: None,
        };
        this.line(&Head {
            format: FORMAT.to_owned(),
        })?;
        Ok(this)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    pub(super) fn write(&mut self, mut entry: Entry) {
        if self.error.is_some() {
            return;
        }
        let mut texts = Vec::new();
        entry.body = self.shorten(std::mem::take(&mut entry.body), &mut texts);
        let lines = texts.into_iter().chain([Line::Request(entry)]);
        for line in lines {
            if let Err(error) = self.line(&line) {
                self.error = Some(error);
                return;
            }
        }
        self.written += 1;
    }

    pub(super) fn finish(&mut self) -> std::io::Result<u64> {
        match self.error.take() {
            Some(error) => Err(error),
            None => self.out.flush().map(|()| self.written),
        }
    }

    fn line(&mut self, line: &impl Serialize) -> std::io::Result<()> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        self.out.write_all(&bytes)
    }

    /// The same with long texts replaced by their names; those that are new are
    /// added to `lines`.
    fn shorten(&mut self, value: Value, lines: &mut Vec<Line>) -> Value {
        match value {
            Value::String(text) if text.len() >= LONG => {
                let id = hex::encode(&Sha256::digest(&text)[..16]);
                if self.texts.insert(id.clone()) {
                    lines.push(Line::Text {
                        id: id.clone(),
                        text,
                    });
                }
                let mut object = Map::new();
                object.insert(REFERENCE.to_owned(), Value::String(id));
                Value::Object(object)
            }
            Value::Array(all) => {
                let all = all.into_iter().map(|it| self.shorten(it, lines));
                Value::Array(all.collect())
            }
            Value::Object(all) => {
                let all = all
                    .into_iter()
                    .map(|(name, it)| (name, self.shorten(it, lines)));
                Value::Object(all.collect())
            }
            other => other,
        }
    }
}

/// The entries of a cassette with their lines.
pub(super) fn read(mut reader: impl BufRead) -> Result<Vec<(usize, Entry)>, CassetteError> {
    let mut texts = HashMap::new();
    let mut entries = Vec::new();
    let mut total = 0;
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = reader.by_ref().take(LINE).read_until(b'\n', &mut line)? as u64;
        total += read;
        if read == LINE || total > FILE {
            return Err(CassetteError::Long);
        }
        if read == 0 {
            if number == 1 {
                return Err(CassetteError::Format);
            }
            break;
        }
        if number == 1 {
            let head: Result<Head, _> = serde_json::from_slice(&line);
            if head.is_ok_and(|head| head.format == FORMAT) {
                continue;
            }
            return Err(CassetteError::Format);
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let broken = |reason: String| CassetteError::Line {
            line: number,
            reason,
        };
        match serde_json::from_slice(&line).map_err(|error| broken(error.to_string()))? {
            Line::Text { id, text } => {
                texts.insert(id, text);
            }
            Line::Request(mut entry) => {
                entry.body = lengthen(entry.body, &texts);
                entries.push((number, entry));
            }
        }
    }
    Ok(entries)
}

fn lengthen(value: Value, texts: &HashMap<String, String>) -> Value {
    match value {
        Value::Array(all) => Value::Array(all.into_iter().map(|it| lengthen(it, texts)).collect()),
        Value::Object(all) => {
            let name = all.get(REFERENCE).and_then(Value::as_str);
            if let (1, Some(text)) = (all.len(), name.and_then(|name| texts.get(name))) {
                return Value::String(text.clone());
            }
            let all = all
                .into_iter()
                .map(|(name, it)| (name, lengthen(it, texts)));
            Value::Object(all.collect())
        }
        other => other,
    }
}
