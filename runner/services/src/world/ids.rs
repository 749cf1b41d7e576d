//! Where identifiers come from.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A deterministic source of identifiers that look like random ones.
///
/// Each kind of object has its own counter: creating a task does not change
/// the identifier of the next mail. Nothing here is secret or unguessable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ids {
    seed: u64,
    drawn: BTreeMap<String, u64>,
}

impl Ids {
    /// A source whose every identifier follows from `seed`.
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            drawn: BTreeMap::new(),
        }
    }

    /// 1, 2, 3, ... for each kind.
    pub fn serial(&mut self, kind: &str) -> u64 {
        if let Some(count) = self.drawn.get_mut(kind) {
            *count += 1;
            return *count;
        }
        self.drawn.insert(kind.to_owned(), 1);
        1
    }

    /// The next identifier of `digits` (1 to 64) lower-case hex digits, the
    /// first of which is not 0.
    pub fn hex(&mut self, kind: &str, digits: usize) -> String {
        let serial = self.serial(kind);
        hex_of(&self.digest(kind, &serial.to_be_bytes()), digits)
    }

    /// The next identifier of `chars` (1 to 43) characters of base64url.
    pub fn base64url(&mut self, kind: &str, chars: usize) -> String {
        let serial = self.serial(kind);
        let mut text = URL_SAFE_NO_PAD.encode(self.digest(kind, &serial.to_be_bytes()));
        text.truncate(chars);
        text
    }

    /// The next number of `digits` (1 to 19) decimal digits.
    pub fn number(&mut self, kind: &str, digits: u32) -> u64 {
        let serial = self.serial(kind);
        let digest = self.digest(kind, &serial.to_be_bytes());
        let drawn = digest
            .iter()
            .take(8)
            .fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        let low = 10_u64.pow(digits.clamp(1, 19) - 1);
        low + drawn % (low * 9)
    }

    /// The identifier of something that has a name of its own (a file of the
    /// seed): the same whatever else there is. No counter moves.
    pub fn hex_for(&self, kind: &str, name: &str, digits: usize) -> String {
        hex_of(&self.digest(kind, name.as_bytes()), digits)
    }

    /// As [`Ids::hex_for`], in `chars` (1 to 43) characters of base64url.
    pub fn base64url_for(&self, kind: &str, name: &str, chars: usize) -> String {
        let mut text = URL_SAFE_NO_PAD.encode(self.digest(kind, name.as_bytes()));
        text.truncate(chars);
        text
    }

    /// The lengths keep (kind, rest) pairs apart that have the same
    /// concatenation.
    fn digest(&self, kind: &str, rest: &[u8]) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(self.seed.to_be_bytes());
        hash.update((kind.len() as u64).to_be_bytes());
        hash.update(kind.as_bytes());
        hash.update(rest);
        hash.finalize().into()
    }
}

fn hex_of(digest: &[u8; 32], digits: usize) -> String {
    let mut text = hex::encode(digest);
    if text.starts_with('0') {
        text.replace_range(..1, "1");
    }
    text.truncate(digits);
    text
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_same_draws_give_the_same_identifiers() {
        let draw = |mut ids: Ids| {
            (
                ids.hex("m", 16),
                ids.base64url("t", 22),
                ids.number("d", 19),
            )
        };
        assert_eq!(draw(Ids::new(7)), draw(Ids::new(7)));
        assert_ne!(draw(Ids::new(7)), draw(Ids::new(8)));
    }

    #[test]
    fn kinds_do_not_disturb_each_other() {
        let mut ids = Ids::new(7);
        ids.hex("task", 16);
        ids.hex("task", 16);
        assert_eq!(ids.hex("mail", 16), Ids::new(7).hex("mail", 16));
        assert_ne!(ids.hex("mail", 16), ids.hex("mail", 16));
        assert_eq!(ids.serial("mail"), 4);
    }

    #[test]
    fn the_shapes_are_as_asked() {
        let mut ids = Ids::new(0);
        let mut seen = HashSet::new();
        for digits in 1..=19 {
            let number = ids.number("n", digits).to_string();
            assert_eq!(number.len(), digits as usize);
        }
        for _ in 0..1000 {
            let text = ids.hex("h", 16);
            assert!(text.len() == 16 && !text.starts_with('0'), "{text}");
            assert!(
                text.bytes()
                    .all(|b| b.is_ascii_hexdigit() && !b.is_ascii_uppercase())
            );
            assert!(seen.insert(text));
            assert_eq!(ids.base64url("b", 12).len(), 12);
        }
    }

    #[test]
    fn a_source_survives_a_round_trip() {
        let mut ids = Ids::new(9);
        ids.hex("a", 8);
        let text = serde_json::to_string(&ids).unwrap();
        let mut back: Ids = serde_json::from_str(&text).unwrap();
        assert_eq!(back.hex("a", 8), ids.hex("a", 8));
    }
}
