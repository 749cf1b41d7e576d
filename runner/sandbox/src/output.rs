//! Reading what a command writes.

use std::time::{Duration, Instant};

use bytes::BytesMut;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;

use crate::exec::{Chunk, Stream};

/// Space for one read.
const READ: usize = 64 << 10;
/// How long a pipe must be silent, once the command has ended, to count as
/// drained although something in the background holds it open.
const QUIET: Duration = Duration::from_millis(200);
/// How long such a pipe is read at most.
const LINGER: Duration = Duration::from_secs(2);

/// What came out of one pipe.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tally {
    pub(crate) written: u64,
    kept: u64,
}

impl Tally {
    pub(crate) fn met_cap(&self) -> bool {
        self.kept < self.written
    }
}

/// Forwards one pipe.
pub(crate) struct Pump {
    pipe: pipe::Receiver,
    stream: Stream,
    cap: u64,
    /// `None` once nobody listens.
    to: Option<mpsc::Sender<Chunk>>,
    over: watch::Receiver<bool>,
    tally: Tally,
}

impl Pump {
    pub(crate) fn new(
        pipe: pipe::Receiver,
        stream: Stream,
        cap: usize,
        to: mpsc::Sender<Chunk>,
        over: watch::Receiver<bool>,
    ) -> Self {
        Self {
            pipe,
            stream,
            cap: cap as u64,
            to: Some(to),
            over,
            tally: Tally::default(),
        }
    }

    /// Forwards until the pipe closes or the command has ended and the pipe is
    /// drained, says so, and swallows whatever a process in the background
    /// still writes (which a closed pipe would kill).
    pub(crate) async fn run(mut self, done: oneshot::Sender<Tally>) {
        self.forward().await;
        self.to = None;
        // Nobody waits for a command that was dropped.
        let _ = done.send(self.tally);
        let _ = tokio::io::copy(&mut self.pipe, &mut tokio::io::sink()).await;
    }

    async fn forward(&mut self) {
        let mut buffer = BytesMut::new();
        // Time left for reading; none is counted while the command runs.
        let mut left = None;
        loop {
            if buffer.capacity() < READ / 16 {
                buffer.reserve(READ);
            }
            let began = Instant::now();
            let read = match left {
                None => tokio::select! {
                    read = self.pipe.read_buf(&mut buffer) => read,
                    _ = self.over.changed() => {
                        left = Some(LINGER);
                        continue;
                    }
                },
                Some(left) => {
                    let read = self.pipe.read_buf(&mut buffer);
                    match timeout(QUIET.min(left), read).await {
                        Ok(read) => read,
                        Err(_) => return,
                    }
                }
            };
            if !matches!(read, Ok(1..)) {
                return;
            }
            left = left.map(|left| left.saturating_sub(began.elapsed()));
            self.deliver(&mut buffer).await;
        }
    }

    /// Time in here belongs to the reader and is not counted.
    async fn deliver(&mut self, buffer: &mut BytesMut) {
        let mut bytes = buffer.split().freeze();
        self.tally.written += bytes.len() as u64;
        let room = usize::try_from(self.cap - self.tally.kept).unwrap_or(usize::MAX);
        bytes.truncate(room);
        let Some(to) = self.to.as_ref().filter(|_| !bytes.is_empty()) else {
            return;
        };
        let length = bytes.len() as u64;
        if to
            .send(Chunk {
                stream: self.stream,
                bytes,
            })
            .await
            .is_ok()
        {
            self.tally.kept += length;
        } else {
            self.to = None;
        }
    }
}

/// Cuts a stream of bytes into lines.
#[derive(Debug)]
pub struct LineSplitter {
    partial: Vec<u8>,
    longest: usize,
}

impl LineSplitter {
    /// Lines of more than `longest` bytes come in pieces of that length.
    pub fn new(longest: usize) -> Self {
        Self {
            partial: Vec::new(),
            longest: longest.max(1),
        }
    }

    /// Takes bytes and hands on every line that is whole, without its newline.
    pub fn push(&mut self, mut bytes: &[u8], mut line: impl FnMut(&[u8])) {
        while !bytes.is_empty() {
            let room = self.longest - self.partial.len();
            let newline = bytes.iter().take(room + 1).position(|byte| *byte == b'\n');
            if let Some(end) = newline {
                self.partial.extend_from_slice(&bytes[..end]);
                line(&self.partial);
                self.partial.clear();
                bytes = &bytes[end + 1..];
            } else if bytes.len() > room {
                self.partial.extend_from_slice(&bytes[..room]);
                line(&self.partial);
                self.partial.clear();
                bytes = &bytes[room..];
            } else {
                self.partial.extend_from_slice(bytes);
                return;
            }
        }
    }

    /// Hands on what came after the last newline, if anything did.
    pub fn finish(self, line: impl FnOnce(&[u8])) {
        if !self.partial.is_empty() {
            line(&self.partial);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(longest: usize, pieces: &[&str]) -> Vec<String> {
        let mut found = Vec::new();
        let mut splitter = LineSplitter::new(longest);
        let mut take = |line: &[u8]| found.push(String::from_utf8(line.to_vec()).unwrap());
        for piece in pieces {
            splitter.push(piece.as_bytes(), &mut take);
        }
        splitter.finish(take);
        found
    }

    #[test]
    fn lines_are_whole_whatever_the_pieces() {
        assert_eq!(
            lines(100, &["a\nb", "c\n", "\n", "d"]),
            ["a", "bc", "", "d"]
        );
        assert_eq!(lines(100, &["", "a\n"]), ["a"]);
        assert!(lines(100, &[]).is_empty());
    }

    #[test]
    fn a_line_without_end_comes_in_pieces() {
        assert_eq!(lines(3, &["abcdefgh\ni"]), ["abc", "def", "gh", "i"]);
        assert_eq!(lines(3, &["abc\n", "abc", "d\n"]), ["abc", "abc", "d"]);
        assert_eq!(lines(1, &["ab"]), ["a", "b"]);
    }

    #[tokio::test]
    async fn a_silent_pipe_that_stays_open_ends_with_the_command() {
        let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).unwrap();
        rustix::io::write(&writer, b"hello").unwrap();
        let (to, mut chunks) = mpsc::channel(4);
        let (ended, over) = watch::channel(false);
        let (done, tally) = oneshot::channel();
        let pipe = pipe::Receiver::from_owned_fd(reader).unwrap();
        tokio::spawn(Pump::new(pipe, Stream::Stdout, 3, to, over).run(done));
        ended.send(true).unwrap();
        assert_eq!(&chunks.recv().await.unwrap().bytes[..], b"hel");
        assert!(chunks.recv().await.is_none());
        let tally = tally.await.unwrap();
        assert_eq!((tally.written, tally.kept, tally.met_cap()), (5, 3, true));
        // Still drained: a full pipe would block this.
        for _ in 0..64 {
            let writer = writer.try_clone().unwrap();
            tokio::task::spawn_blocking(move || rustix::io::write(&writer, &[0; 4096]).unwrap())
                .await
                .unwrap();
        }
    }
}
