//! Where exchanges are written down.

use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

use proctor_types::model::Exchange;

/// Takes exchanges, each when it is over. They hold no key.
pub trait Record: Send + Sync {
    /// Takes one. Called on the runtime's threads: has to be quick.
    fn exchange(&self, exchange: Exchange);
}

/// Keeps exchanges in memory.
#[derive(Debug, Default)]
pub struct MemoryRecord(Mutex<Vec<Exchange>>);

impl MemoryRecord {
    /// All that are over.
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Record for MemoryRecord {
    fn exchange(&self, exchange: Exchange) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(exchange);
    }
}

/// Writes exchanges as JSON, one a line, up to a number of bytes: an agent can
/// make any number of requests that are refused. The last quarter of the room
/// is for exchanges without the beginnings of their bodies, so that many such
/// requests do not push out what calls of tools there were later.
#[derive(Debug)]
pub struct JsonLines<W>(Mutex<Lines<W>>);

#[derive(Debug)]
struct Lines<W> {
    writer: W,
    left: u64,
    /// Of `left`, what only short lines may take.
    short: u64,
    dropped: u64,
    error: Option<std::io::Error>,
}

impl<W: Write> JsonLines<W> {
    /// Writes to `writer`, at most `most` bytes.
    pub fn new(writer: W, most: u64) -> Self {
        Self(Mutex::new(Lines {
            writer,
            left: most,
            short: most / 4,
            dropped: 0,
            error: None,
        }))
    }

    /// Writes what is buffered and says how many exchanges there was no room
    /// for.
    ///
    /// # Errors
    /// The first error that writing met.
    pub fn finish(&self) -> std::io::Result<u64> {
        let mut lines = self.lines();
        if let Some(error) = lines.error.take() {
            return Err(error);
        }
        lines.writer.flush()?;
        Ok(lines.dropped)
    }

    fn lines(&self) -> MutexGuard<'_, Lines<W>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Write + Send> Record for JsonLines<W> {
    fn exchange(&self, mut exchange: Exchange) {
        let mut lines = self.lines();
        let Some(mut line) = line_of(&exchange) else {
            return;
        };
        if lines.left.saturating_sub(line.len() as u64) < lines.short {
            exchange.request = None;
            exchange.reply = None;
            let Some(short) = line_of(&exchange) else {
                return;
            };
            line = short;
        }
        let Some(left) = lines.left.checked_sub(line.len() as u64) else {
            lines.dropped += 1;
            return;
        };
        lines.left = left;
        if lines.error.is_none() {
            lines.error = lines.writer.write_all(&line).err();
        }
    }
}

fn line_of(exchange: &Exchange) -> Option<Vec<u8>> {
    // Strings and numbers: nothing that can fail.
    let mut line = serde_json::to_vec(exchange).ok()?;
    line.push(b'\n');
    Some(line)
}
