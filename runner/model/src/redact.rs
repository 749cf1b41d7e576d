//! Blanking keys, in text and in streams.

use bytes::{Bytes, BytesMut};
use memchr::memmem::Finder;

use crate::secret::Secret;

/// Shorter keys are not looked for: servers that want none are given words like
/// `none` or `ollama`, and blanking those would garble every text.
const SHORTEST: usize = 8;

/// Knows the keys of a trial and blanks them with stars. A text keeps its
/// length, so that what was counted before stays right.
#[derive(Clone, Default)]
pub(crate) struct Redactor {
    keys: Vec<Finder<'static>>,
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Redactor({})", self.keys.len())
    }
}

impl Redactor {
    pub(crate) fn new<'a>(keys: impl IntoIterator<Item = &'a Secret>) -> Self {
        let mut known: Vec<Finder<'static>> = Vec::new();
        for key in keys {
            let bytes = key.expose().as_bytes();
            if bytes.len() >= SHORTEST && known.iter().all(|it| it.needle() != bytes) {
                known.push(Finder::new(bytes).into_owned());
            }
        }
        Self { keys: known }
    }

    /// Whether there is a key in `bytes`.
    pub(crate) fn finds(&self, bytes: &[u8]) -> bool {
        self.keys.iter().any(|key| key.find(bytes).is_some())
    }

    /// Bytes without keys; the same allocation where there was none.
    pub(crate) fn bytes(&self, bytes: Bytes) -> Bytes {
        if !self.finds(&bytes) {
            return bytes;
        }
        let mut copy = BytesMut::from(&bytes[..]);
        self.blank(&mut copy);
        copy.freeze()
    }

    /// Text without keys.
    pub(crate) fn text(&self, text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        self.blank(&mut bytes);
        // A key is ASCII, so that blanking one leaves UTF-8 what it is.
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn blank(&self, bytes: &mut [u8]) {
        for key in &self.keys {
            let length = key.needle().len();
            let mut from = 0;
            while let Some(at) = key.find(&bytes[from..]) {
                let start = from + at;
                bytes[start..start + length].fill(b'*');
                from = start + length;
            }
        }
    }

    /// Where the longest end of `bytes` that may be the beginning of a key
    /// starts; their length when there is none.
    fn tail(&self, bytes: &[u8]) -> usize {
        let starts = self.keys.iter().filter_map(|key| {
            let key = key.needle();
            let from = bytes.len().saturating_sub(key.len() - 1);
            let mut starts = memchr::memchr_iter(key[0], &bytes[from..]);
            starts.find_map(|at| key.starts_with(&bytes[from + at..]).then_some(from + at))
        });
        starts.min().unwrap_or(bytes.len())
    }
}

/// Blanks keys in a stream, also those that lie across two pieces of it. Holds
/// back only what may be the beginning of a key.
#[derive(Debug, Default)]
pub(crate) struct Scrubber {
    redactor: Redactor,
    held: BytesMut,
}

impl Scrubber {
    pub(crate) fn new(redactor: Redactor) -> Self {
        Self {
            redactor,
            held: BytesMut::new(),
        }
    }

    /// What may be passed on now; may be empty.
    pub(crate) fn push(&mut self, data: Bytes) -> Bytes {
        if self.redactor.keys.is_empty() {
            return data;
        }
        let mut whole = if self.held.is_empty() {
            self.redactor.bytes(data)
        } else {
            let mut joined = std::mem::take(&mut self.held);
            joined.extend_from_slice(&data);
            self.redactor.blank(&mut joined);
            joined.freeze()
        };
        let tail = whole.split_off(self.redactor.tail(&whole));
        self.held = BytesMut::from(&tail[..]);
        whole
    }

    /// What was held back, at the end.
    pub(crate) fn finish(&mut self) -> Bytes {
        std::mem::take(&mut self.held).freeze()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redactor() -> Redactor {
        let keys =
            ["sk-planted-0001", "sk-other-key-2", "short"].map(|it| Secret::new(it).unwrap());
        Redactor::new(&keys)
    }

    #[test]
    fn keys_are_blanked_and_lengths_kept() {
        let text = "a sk-planted-0001 b sk-other-key-2sk-planted-0001 short";
        let blanked = redactor().text(text);
        assert_eq!(blanked.len(), text.len());
        assert!(!blanked.contains("planted") && !blanked.contains("other-key"));
        assert!(blanked.ends_with(" short"), "short words stay: {blanked}");
    }

    #[test]
    fn a_key_in_pieces_is_blanked_wherever_it_is_cut() {
        let text = b"xx sk-sk-planted-0001yy sk-other-key-2";
        for first in 0..=text.len() {
            for second in first..=text.len() {
                let mut scrubber = Scrubber::new(redactor());
                let mut out = Vec::new();
                for piece in [&text[..first], &text[first..second], &text[second..]] {
                    out.extend_from_slice(&scrubber.push(Bytes::copy_from_slice(piece)));
                }
                out.extend_from_slice(&scrubber.finish());
                assert_eq!(
                    String::from_utf8(out).unwrap(),
                    "xx sk-***************yy **************",
                    "{first} {second}"
                );
            }
        }
    }

    #[test]
    fn what_cannot_be_a_key_is_not_held_back() {
        let mut scrubber = Scrubber::new(redactor());
        assert_eq!(
            scrubber.push(Bytes::from_static(b"data: x\n\n")),
            "data: x\n\n"
        );
        assert_eq!(scrubber.push(Bytes::from_static(b"so sk-pl")), "so ");
        assert_eq!(scrubber.push(Bytes::from_static(b"ain")), "sk-plain");
    }
}
