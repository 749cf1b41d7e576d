//! Texts that are too long, with their middle left out.

use std::collections::VecDeque;

/// `text` in at most some `limit` bytes, and how many bytes were left out. A mark
/// says so in their place.
pub(crate) fn middle(text: &str, limit: usize) -> (String, u64) {
    if text.len() <= limit {
        return (text.to_owned(), 0);
    }
    let head = text.floor_char_boundary(limit / 2);
    let tail = text.ceil_char_boundary(text.len() - limit / 2);
    let cut = (tail - head) as u64;
    let text = format!("{}{}{}", &text[..head], mark(cut), &text[tail..]);
    (text, cut)
}

/// The beginning of `text`, for messages.
pub(crate) fn beginning(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

fn mark(bytes: u64) -> String {
    format!("\n[... {bytes} bytes left out ...]\n")
}

/// Keeps beginning and end of a stream whose length nobody knows.
#[derive(Debug)]
pub(crate) struct Ends {
    half: usize,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
}

impl Ends {
    /// Keeps at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            half: limit / 2,
            head: Vec::new(),
            tail: VecDeque::new(),
            total: 0,
        }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.total = self.total.saturating_add(bytes.len() as u64);
        let room = self.half - self.head.len();
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(first);
        let rest = &rest[rest.len().saturating_sub(self.half)..];
        let excess = (self.tail.len() + rest.len()).saturating_sub(self.half);
        self.tail.drain(..excess);
        self.tail.extend(rest);
    }

    /// What was kept as text, and how many bytes were left out. What is not UTF-8
    /// is replaced.
    pub(crate) fn finish(self) -> (String, u64) {
        let cut = self.total - (self.head.len() + self.tail.len()) as u64;
        let mut bytes = self.head;
        let tail = Vec::from(self.tail);
        if cut == 0 {
            bytes.extend(tail);
            return (String::from_utf8_lossy(&bytes).into_owned(), 0);
        }
        let (head, tail) = (
            String::from_utf8_lossy(&bytes),
            String::from_utf8_lossy(&tail),
        );
        (format!("{head}{}{tail}", mark(cut)), cut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_stays_and_the_rest_loses_its_middle() {
        assert_eq!(middle("abc", 3), ("abc".to_owned(), 0));
        let (text, cut) = middle(&format!("{}é{}", "a".repeat(5), "z".repeat(500)), 10);
        assert_eq!(text, "aaaaa\n[... 497 bytes left out ...]\nzzzzz");
        assert_eq!(cut, 497);
        // Not in the middle of a character.
        let (text, cut) = middle(&"é".repeat(50), 10);
        assert_eq!((text.matches('é').count(), cut), (4, 92));
    }

    #[test]
    fn a_stream_keeps_its_ends_however_it_comes() {
        let bytes: Vec<u8> = (0..1000_u32).map(|it| b'a' + (it % 26) as u8).collect();
        for step in [1, 3, 7, 100, 1000] {
            let mut ends = Ends::new(20);
            for piece in bytes.chunks(step) {
                ends.push(piece);
            }
            let (text, cut) = ends.finish();
            assert_eq!(cut, 980, "{step}");
            let expected: String = bytes[990..].iter().map(|it| char::from(*it)).collect();
            assert_eq!(text, format!("abcdefghij{}{expected}", mark(980)));
        }
        let mut whole = Ends::new(20);
        whole.push(b"caf\xc3");
        whole.push(b"\xa9 \xff");
        assert_eq!(whole.finish(), ("café \u{fffd}".to_owned(), 0));
    }
}
