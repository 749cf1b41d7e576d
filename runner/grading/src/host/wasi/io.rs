//! Streams and waiting. Nothing here ever waits.

use wasmtime::Result;
use wasmtime::component::Resource;

use super::bindings::wasi::io::{error, poll, streams};
use super::fault::FileFault;
use super::files::Node;
use super::scratch::NodeId;
use crate::host::state::{State, Stop};
use crate::log::LogLevel;

/// Most bytes of one read, and of one write.
const CHUNK: u64 = 1 << 20;
/// A line that is longer is logged in pieces.
const LINE_BYTES: usize = 8 << 10;

/// What went wrong on a stream. The word is for people.
#[derive(Debug)]
pub struct IoError(&'static str);

/// Something to wait for.
#[derive(Debug)]
pub enum Pollable {
    /// Everything but a clock is ready at any time.
    Ready,
    /// An instant of the monotonic clock. Waiting for it makes it come.
    At(u64),
}

/// Something to read from.
#[derive(Debug)]
pub enum InputStream {
    /// Standard input.
    Empty,
    /// A file, from a place on.
    File {
        /// Which.
        node: Node,
        /// Where the next read begins.
        offset: u64,
    },
}

/// Something to write to.
#[derive(Debug)]
pub enum OutputStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
    /// A file of the scratch directory.
    File {
        /// Which.
        id: NodeId,
        /// Where the next write begins; at the file's end where `None`.
        offset: Option<u64>,
    },
}

/// An operation on a stream that did not work.
#[derive(Debug)]
pub enum StreamFault {
    /// There is no more.
    Closed,
    /// In plain words.
    Failed(&'static str),
    /// The grade ends.
    Stop(wasmtime::Error),
}

impl From<wasmtime::Error> for StreamFault {
    fn from(error: wasmtime::Error) -> Self {
        Self::Stop(error)
    }
}

impl From<Stop> for StreamFault {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop.into())
    }
}

impl From<wasmtime::component::ResourceTableError> for StreamFault {
    fn from(error: wasmtime::component::ResourceTableError) -> Self {
        Self::Stop(error.into())
    }
}

/// Output that waits for the end of its line.
#[derive(Debug, Default)]
pub(super) struct Lines(Vec<u8>);

impl Lines {
    /// Adds output and gives the lines that are complete.
    fn add(&mut self, bytes: &[u8], mut line: impl FnMut(&str) -> bool) -> bool {
        for &byte in bytes {
            if byte != b'\n' {
                self.0.push(byte);
            }
            if (byte == b'\n' || self.0.len() >= LINE_BYTES) && !self.end(&mut line) {
                return false;
            }
        }
        true
    }

    fn end(&mut self, line: &mut impl FnMut(&str) -> bool) -> bool {
        let taken = line(&String::from_utf8_lossy(&self.0));
        self.0.clear();
        taken
    }
}

impl State {
    /// Logs what was printed without an end of its line.
    pub(in super::super) fn flush_output(&mut self) {
        let Self { wasi, log, .. } = self;
        for (lines, level) in [
            (&mut wasi.stdout, LogLevel::Info),
            (&mut wasi.stderr, LogLevel::Warn),
        ] {
            if !lines.0.is_empty() {
                // The quota does not matter any more.
                lines.end(&mut |line: &str| log.push(level, line));
            }
        }
    }

    fn print(&mut self, level: LogLevel, bytes: &[u8]) -> Result<(), StreamFault> {
        self.charge(bytes.len() as u64)?;
        let Self { wasi, log, .. } = self;
        let lines = if level == LogLevel::Info {
            &mut wasi.stdout
        } else {
            &mut wasi.stderr
        };
        if lines.add(bytes, |line| log.push(level, line)) {
            Ok(())
        } else {
            Err(Stop::LogQuota.into())
        }
    }

    fn read_stream(
        &mut self,
        stream: &Resource<InputStream>,
        length: u64,
    ) -> Result<Vec<u8>, StreamFault> {
        self.charge(0)?;
        let (node, at) = match self.wasi.table.get(stream)? {
            InputStream::Empty => return Err(StreamFault::Closed),
            InputStream::File { node, offset } => (node.clone(), *offset),
        };
        let bytes = self
            .read_node(&node, at, length.min(CHUNK))
            .map_err(StreamFault::from)?;
        if bytes.is_empty() && length > 0 {
            return Err(StreamFault::Closed);
        }
        if let InputStream::File { offset, .. } = self.wasi.table.get_mut(stream)? {
            *offset = at.saturating_add(bytes.len() as u64);
        }
        Ok(bytes)
    }

    fn write_stream(
        &mut self,
        stream: &Resource<OutputStream>,
        bytes: &[u8],
    ) -> Result<(), StreamFault> {
        let (id, at) = match self.wasi.table.get(stream)? {
            OutputStream::Stdout => return self.print(LogLevel::Info, bytes),
            OutputStream::Stderr => return self.print(LogLevel::Warn, bytes),
            OutputStream::File { id, offset } => (*id, *offset),
        };
        let from = at.unwrap_or_else(|| self.wasi.scratch.size(id));
        self.write_scratch(id, from, bytes)
            .map_err(|fault| match fault {
                FileFault::Code(_) => StreamFault::Failed("the scratch directory is full"),
                FileFault::Stop(error) => StreamFault::Stop(error),
            })?;
        if let OutputStream::File {
            offset: Some(offset),
            ..
        } = self.wasi.table.get_mut(stream)?
        {
            *offset = from.saturating_add(bytes.len() as u64);
        }
        Ok(())
    }
}

impl error::Host for State {}

impl error::HostError for State {
    fn to_debug_string(&mut self, error: Resource<IoError>) -> Result<String> {
        self.charge(0)?;
        Ok(self.wasi.table.get(&error)?.0.to_owned())
    }

    fn drop(&mut self, error: Resource<IoError>) -> Result<()> {
        self.wasi.table.delete(error)?;
        Ok(())
    }
}

impl poll::Host for State {
    fn poll(&mut self, list: Vec<Resource<Pollable>>) -> Result<Vec<u32>> {
        self.charge(list.len() as u64 * 8)?;
        let mut first = u64::MAX;
        for one in &list {
            first = first.min(match self.wasi.table.get(one)? {
                Pollable::Ready => 0,
                Pollable::At(instant) => *instant,
            });
        }
        if list.is_empty() {
            wasmtime::bail!("poll: the list is empty");
        }
        self.wasi.clock.sleep_until(first);
        let mut ready = Vec::new();
        for (index, one) in (0..).zip(&list) {
            if self.is_ready(one)? {
                ready.push(index);
            }
        }
        Ok(ready)
    }
}

impl State {
    fn is_ready(&self, pollable: &Resource<Pollable>) -> Result<bool> {
        Ok(match self.wasi.table.get(pollable)? {
            Pollable::Ready => true,
            Pollable::At(instant) => self.wasi.clock.has_come(*instant),
        })
    }
}

impl poll::HostPollable for State {
    fn ready(&mut self, pollable: Resource<Pollable>) -> Result<bool> {
        self.charge(0)?;
        self.is_ready(&pollable)
    }

    fn block(&mut self, pollable: Resource<Pollable>) -> Result<()> {
        self.charge(0)?;
        if let Pollable::At(instant) = self.wasi.table.get(&pollable)? {
            self.wasi.clock.sleep_until(*instant);
        }
        Ok(())
    }

    fn drop(&mut self, pollable: Resource<Pollable>) -> Result<()> {
        self.wasi.table.delete(pollable)?;
        Ok(())
    }
}

impl streams::Host for State {
    fn convert_stream_error(&mut self, fault: StreamFault) -> Result<streams::StreamError> {
        match fault {
            StreamFault::Closed => Ok(streams::StreamError::Closed),
            StreamFault::Failed(what) => {
                let error = self.wasi.table.push(IoError(what))?;
                Ok(streams::StreamError::LastOperationFailed(error))
            }
            StreamFault::Stop(error) => Err(error),
        }
    }
}

impl streams::HostInputStream for State {
    fn read(&mut self, stream: Resource<InputStream>, length: u64) -> Result<Vec<u8>, StreamFault> {
        self.read_stream(&stream, length)
    }

    fn blocking_read(
        &mut self,
        stream: Resource<InputStream>,
        length: u64,
    ) -> Result<Vec<u8>, StreamFault> {
        self.read_stream(&stream, length)
    }

    fn skip(&mut self, stream: Resource<InputStream>, length: u64) -> Result<u64, StreamFault> {
        self.read_stream(&stream, length)
            .map(|bytes| bytes.len() as u64)
    }

    fn blocking_skip(
        &mut self,
        stream: Resource<InputStream>,
        length: u64,
    ) -> Result<u64, StreamFault> {
        self.skip(stream, length)
    }

    fn subscribe(&mut self, _: Resource<InputStream>) -> Result<Resource<Pollable>> {
        self.charge(0)?;
        Ok(self.wasi.table.push(Pollable::Ready)?)
    }

    fn drop(&mut self, stream: Resource<InputStream>) -> Result<()> {
        if let InputStream::File { node, .. } = self.wasi.table.delete(stream)? {
            self.wasi.scratch.close(&node);
        }
        Ok(())
    }
}

impl streams::HostOutputStream for State {
    fn check_write(&mut self, _: Resource<OutputStream>) -> Result<u64, StreamFault> {
        self.charge(0)?;
        Ok(CHUNK)
    }

    fn write(
        &mut self,
        stream: Resource<OutputStream>,
        contents: Vec<u8>,
    ) -> Result<(), StreamFault> {
        self.write_stream(&stream, &contents)
    }

    fn blocking_write_and_flush(
        &mut self,
        stream: Resource<OutputStream>,
        contents: Vec<u8>,
    ) -> Result<(), StreamFault> {
        self.write_stream(&stream, &contents)
    }

    fn flush(&mut self, _: Resource<OutputStream>) -> Result<(), StreamFault> {
        self.charge(0)?;
        Ok(())
    }

    fn blocking_flush(&mut self, _: Resource<OutputStream>) -> Result<(), StreamFault> {
        self.charge(0)?;
        Ok(())
    }

    fn subscribe(&mut self, _: Resource<OutputStream>) -> Result<Resource<Pollable>> {
        self.charge(0)?;
        Ok(self.wasi.table.push(Pollable::Ready)?)
    }

    fn write_zeroes(
        &mut self,
        stream: Resource<OutputStream>,
        length: u64,
    ) -> Result<(), StreamFault> {
        if length > CHUNK {
            let error = wasmtime::format_err!("write-zeroes: more than check-write allows");
            return Err(StreamFault::Stop(error));
        }
        let zeroes = vec![0; usize::try_from(length).unwrap_or_default()];
        self.write_stream(&stream, &zeroes)
    }

    fn blocking_write_zeroes_and_flush(
        &mut self,
        stream: Resource<OutputStream>,
        length: u64,
    ) -> Result<(), StreamFault> {
        self.write_zeroes(stream, length)
    }

    fn splice(
        &mut self,
        to: Resource<OutputStream>,
        from: Resource<InputStream>,
        length: u64,
    ) -> Result<u64, StreamFault> {
        let bytes = self.read_stream(&from, length)?;
        self.write_stream(&to, &bytes)?;
        Ok(bytes.len() as u64)
    }

    fn blocking_splice(
        &mut self,
        to: Resource<OutputStream>,
        from: Resource<InputStream>,
        length: u64,
    ) -> Result<u64, StreamFault> {
        self.splice(to, from, length)
    }

    fn drop(&mut self, stream: Resource<OutputStream>) -> Result<()> {
        if let OutputStream::File { id, .. } = self.wasi.table.delete(stream)? {
            self.wasi.scratch.close(&Node::Scratch(id));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_becomes_lines_and_no_line_grows_without_end() {
        let mut seen = Vec::new();
        let mut lines = Lines::default();
        let mut take = |line: &str| {
            seen.push(line.to_owned());
            true
        };
        assert!(lines.add(b"one\ntw", &mut take));
        assert!(lines.add(b"o\n\n\xff", &mut take));
        assert!(lines.add(&[b'x'; LINE_BYTES], &mut take));
        lines.end(&mut take);
        assert_eq!(seen[..3], ["one", "two", ""]);
        assert!(seen[3].starts_with("\u{fffd}xx") && seen[3].len() < LINE_BYTES + 3);
        assert_eq!(seen[4], "x");
        assert!(!lines.add(b"a\n", |_| false), "a quota is heard");
    }
}
