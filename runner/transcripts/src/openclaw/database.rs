//! `openclaw-agent.sqlite` (measured with 2026.9.6): the table
//! `transcript_events`, one entry of a session in a row. Short ones are JSON in
//! `event_json`, longer ones Zstandard in `event_zstd`, with the length of the
//! JSON in `event_utf8_bytes`; both lengths are at most 4 MiB.

use std::collections::BTreeMap;
use std::io::Read;

use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use serde_json::Value;

use crate::builder::Builder;
use crate::error::{ReadError, sample};
use crate::sqlite::{Database, Row};
use crate::transcript::NativeFile;

use super::session::Session;

const TABLES: [&str; 1] = ["transcript_events"];
/// Longest entry, in bytes, by the table's own rules.
const ENTRY_BYTES: u64 = 4 << 20;
/// Memory that a frame may ask for before it is decompressed.
const WINDOW_BYTES: u64 = 8 << 20;

/// Reads the session `wanted`, or every one, that which began first first.
pub(super) fn read(
    builder: &mut Builder<'_>,
    session: &mut Session,
    file: &NativeFile,
    files: &[NativeFile],
    wanted: Option<&str>,
) -> Result<(), ReadError> {
    builder.at(file, None);
    let database = Database::open(file, files, &TABLES, builder.limits())?;
    let columns = [
        "session_id",
        "created_at",
        "event_json",
        "event_zstd",
        "event_utf8_bytes",
    ];
    let question = format!(
        "SELECT {} FROM transcript_events ORDER BY session_id, seq",
        columns.join(", ")
    );
    let mut sessions: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for row in database.rows(&question, &columns)? {
        let id = row.text(0).unwrap_or_default().to_owned();
        sessions.entry(id).or_default().push(row);
    }
    if let Some(wanted) = wanted
        && sessions.contains_key(wanted)
    {
        sessions.retain(|id, _| id == wanted);
    }
    let mut sessions: Vec<Vec<Row>> = sessions.into_values().collect();
    sessions.sort_by_key(|rows| rows.first().and_then(|row| row.number(1)));
    let mut left = builder.limits().bytes;
    for row in sessions.iter().flatten() {
        match json_of(row, left) {
            Ok(json) => {
                left -= json.len() as u64;
                match builder.embedded(&json)? {
                    Some(fields) => session.entry(builder, fields)?,
                    None => strange(builder, "a row that is no JSON object", json.as_bytes())?,
                }
            }
            Err(Problem::Spent) => {
                return Err(ReadError::TooLarge {
                    file: file.shown(),
                    line: None,
                    what: "bytes in rows",
                    limit: builder.limits().bytes,
                });
            }
            Err(Problem::Row(problem)) => {
                strange(builder, &problem, row.bytes(3).unwrap_or_default())?;
            }
        }
    }
    Ok(())
}

fn strange(builder: &mut Builder<'_>, problem: &str, bytes: &[u8]) -> Result<(), ReadError> {
    builder.stray(
        Value::String(problem.to_owned()),
        problem.to_owned(),
        sample(bytes),
    )
}

enum Problem {
    /// The reading's bytes are used up.
    Spent,
    /// Something is wrong with the row.
    Row(String),
}

fn json_of(row: &Row, left: u64) -> Result<String, Problem> {
    if let Some(json) = row.text(2) {
        return if json.len() as u64 > left {
            Err(Problem::Spent)
        } else {
            Ok(json.to_owned())
        };
    }
    let (Some(compressed), Some(length)) = (row.bytes(3), row.number(4)) else {
        return Err(Problem::Row("a row without an event".to_owned()));
    };
    let length = u64::try_from(length).unwrap_or_default();
    if !(1..=ENTRY_BYTES).contains(&length) {
        return Err(Problem::Row(format!(
            "a row that says it has {length} bytes"
        )));
    }
    if length > left {
        return Err(Problem::Spent);
    }
    inflate(compressed, length).map_err(Problem::Row)
}

/// Decompresses one frame to exactly `length` bytes of text.
fn inflate(compressed: &[u8], length: u64) -> Result<String, String> {
    let mut decoder = FrameDecoder::new();
    decoder.set_max_window_size(WINDOW_BYTES);
    let mut stream = StreamingDecoder::new_with_decoder(compressed, decoder)
        .map_err(|error| format!("no Zstandard: {error}"))?;
    let mut text = Vec::new();
    Read::by_ref(&mut stream)
        .take(length + 1)
        .read_to_end(&mut text)
        .map_err(|error| format!("broken Zstandard: {error}"))?;
    if text.len() as u64 != length {
        return Err(format!("not the {length} bytes that the row says"));
    }
    if !stream.get_ref().is_empty() {
        return Err("more than one frame".to_owned());
    }
    String::from_utf8(text).map_err(|_| "not UTF-8".to_owned())
}
