//! Server-sent events, incrementally and within bounds.
//!
//! The crates for this are adapters of streams and put no bound on an event;
//! what is needed here is to look at bytes that pass by, a piece at a time,
//! whatever they are. Only `data` and `event` matter to model APIs.

use memchr::memchr2;

/// Bytes of one event; longer ones are skipped and counted.
const LONGEST: usize = 16 << 20;

/// Reads an event stream piece by piece (WHATWG HTML, 9.2.6). Line breaks are
/// LF, CR LF or CR.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts of one position"
)]
pub(crate) struct SseParser {
    /// The line that is not complete yet.
    line: Vec<u8>,
    /// Data of the event that is not complete yet.
    data: Vec<u8>,
    /// Whether the event has a `data` line.
    any: bool,
    /// Whether the event was too long and is being skipped.
    skipping: bool,
    /// Whether the last byte was a CR: an LF after it belongs to it.
    after_cr: bool,
    /// Whether the first line has been seen (a byte order mark may precede it).
    begun: bool,
    skipped: u64,
}

impl SseParser {
    /// Takes the next piece and hands over the data of each event that is
    /// complete with it.
    pub(crate) fn feed(&mut self, mut bytes: &[u8], mut event: impl FnMut(&[u8])) {
        if self.after_cr && !bytes.is_empty() {
            self.after_cr = false;
            if bytes[0] == b'\n' {
                bytes = &bytes[1..];
            }
        }
        while let Some(at) = memchr2(b'\n', b'\r', bytes) {
            if self.line.is_empty() {
                self.line(&bytes[..at], &mut event);
            } else {
                self.extend(&bytes[..at]);
                let line = std::mem::take(&mut self.line);
                self.line(&line, &mut event);
                self.line = line;
                self.line.clear();
            }
            let mut next = at + 1;
            if bytes[at] == b'\r' {
                match bytes.get(next) {
                    Some(b'\n') => next += 1,
                    Some(_) => {}
                    None => self.after_cr = true,
                }
            }
            bytes = &bytes[next..];
        }
        self.extend(bytes);
    }

    /// Events that were too long to be looked at.
    pub(crate) fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Whether the stream ended between two events. Data of an event without
    /// the empty line after it does not count (as in browsers), but providers'
    /// clients take it: it is handed over.
    pub(crate) fn finish(&mut self, mut event: impl FnMut(&[u8])) {
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            self.line(&line, &mut event);
        }
        self.line(b"", &mut event);
    }

    fn extend(&mut self, bytes: &[u8]) {
        if self.line.len() + bytes.len() > LONGEST {
            self.skipping = true;
            self.line.clear();
            // Something has to stay, so that the rest is no line of its own.
            self.line.push(b':');
        } else {
            self.line.extend_from_slice(bytes);
        }
    }

    fn line(&mut self, line: &[u8], event: &mut impl FnMut(&[u8])) {
        let line = if self.begun {
            line
        } else {
            self.begun = true;
            line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line)
        };
        if line.is_empty() {
            if self.skipping {
                self.skipped += 1;
            } else if self.any {
                event(&self.data);
            }
            self.data.clear();
            self.any = false;
            self.skipping = false;
            return;
        }
        let Some(rest) = line.strip_prefix(b"data") else {
            return;
        };
        let value = match rest.strip_prefix(b":") {
            Some(value) => value.strip_prefix(b" ").unwrap_or(value),
            None if rest.is_empty() => rest,
            None => return,
        };
        if self.data.len() + value.len() > LONGEST {
            self.skipping = true;
            self.data.clear();
        } else if !self.skipping {
            if self.any {
                self.data.push(b'\n');
            }
            self.data.extend_from_slice(value);
        }
        self.any = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&[u8]]) -> Vec<String> {
        let mut parser = SseParser::default();
        let mut events = Vec::new();
        for piece in pieces {
            parser.feed(piece, |data| {
                events.push(String::from_utf8_lossy(data).into_owned());
            });
        }
        parser.finish(|data| events.push(String::from_utf8_lossy(data).into_owned()));
        events
    }

    #[test]
    fn events_are_the_same_wherever_the_stream_is_cut() {
        let text = b"\xef\xbb\xbfevent: a\r\ndata: one\r\n\r\n: ping\n\ndata:two\ndata: lines\n\nid: 3\rdata\r\rdata: last";
        let expected = ["one", "two\nlines", "", "last"];
        assert_eq!(read(&[text]), expected);
        for at in 0..text.len() {
            assert_eq!(read(&[&text[..at], &text[at..]]), expected, "cut at {at}");
        }
        let bytes: Vec<&[u8]> = text.chunks(1).collect();
        assert_eq!(read(&bytes), expected);
    }

    #[test]
    fn an_event_without_end_takes_bounded_memory_and_the_next_is_read() {
        let mut parser = SseParser::default();
        let mut events = Vec::new();
        let piece = vec![b'x'; 1 << 20];
        parser.feed(b"data: ", |_| panic!("no event yet"));
        for _ in 0..40 {
            parser.feed(&piece, |_| panic!("no event yet"));
            assert!(parser.line.len() <= LONGEST);
        }
        parser.feed(b"\n\ndata: next\n\n", |data| events.push(data.to_vec()));
        assert_eq!((events, parser.skipped()), (vec![b"next".to_vec()], 1));

        let line = [b"data: ".as_slice(), &piece, b"\n"].concat();
        for _ in 0..40 {
            parser.feed(&line, |_| panic!("no event yet"));
            assert!(parser.data.len() <= LONGEST);
        }
        parser.feed(b"\ndata: next\n\n", |data| assert_eq!(data, b"next"));
        assert_eq!(parser.skipped(), 2);
    }
}
