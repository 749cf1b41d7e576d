//! Identifiers: UUIDs, written with hyphens and read with or without.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::world::Ids;

/// Hex digits of an identifier.
const DIGITS: usize = 32;

/// What names a page, block, database, comment or user.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id([u8; 16]);

impl Id {
    /// The identifier that `text` is, with hyphens where a UUID has them or
    /// without any.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let hyphens = [8, 13, 18, 23];
        let is_shaped = match text.len() {
            DIGITS => text.bytes().all(|byte| byte.is_ascii_hexdigit()),
            36 => text.bytes().enumerate().all(|(at, byte)| {
                if hyphens.contains(&at) {
                    byte == b'-'
                } else {
                    byte.is_ascii_hexdigit()
                }
            }),
            _ => false,
        };
        if !is_shaped {
            return None;
        }
        let digits: String = text.chars().filter(|digit| *digit != '-').collect();
        let mut bytes = [0; 16];
        hex::decode_to_slice(digits, &mut bytes).ok()?;
        Some(Self(bytes))
    }

    /// The identifier that an address ends with: `user://ID`,
    /// `https://www.notion.so/Title-ID?query#fragment`, or nothing around it.
    pub(crate) fn of_url(url: &str) -> Option<Self> {
        let path = url.split(['?', '#']).next()?;
        let last = path.rsplit('/').next()?;
        let tail = |length: usize| last.len().checked_sub(length).and_then(|at| last.get(at..));
        [36, DIGITS]
            .into_iter()
            .filter_map(tail)
            .find_map(Self::parse)
    }

    /// The next identifier of a kind of object.
    pub(crate) fn draw(ids: &mut Ids, kind: &str) -> Self {
        Self::of_digits(&ids.hex(kind, DIGITS))
    }

    /// The identifier of something that has a name of its own.
    pub(crate) fn named(ids: &Ids, kind: &str, name: &str) -> Self {
        Self::of_digits(&ids.hex_for(kind, name, DIGITS))
    }

    /// Random digits as a UUID of version 4 (RFC 9562, section 5.4).
    fn of_digits(digits: &str) -> Self {
        let mut bytes = [0; 16];
        // Cannot fail: the source gives 32 hex digits.
        let _ = hex::decode_to_slice(digits, &mut bytes);
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        Self(bytes)
    }

    /// Without hyphens, as addresses have it.
    pub(crate) fn plain(self) -> String {
        hex::encode(self.0)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, byte) in self.0.iter().enumerate() {
            if [4, 6, 8, 10].contains(&at) {
                f.write_str("-")?;
            }
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| de::Error::custom("expected a UUID"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_are_one_identifier() {
        let id = Id::draw(&mut Ids::new(1), "page");
        assert_eq!(Id::parse(&id.to_string()), Some(id));
        assert_eq!(Id::parse(&id.plain()), Some(id));
        assert_eq!(Id::parse(&id.plain().to_uppercase()), Some(id));
        assert_eq!(id.to_string().as_bytes()[14], b'4', "{id}");
    }

    #[test]
    fn nothing_else_is_one() {
        let plain = Id::draw(&mut Ids::new(1), "page").plain();
        for text in [
            "",
            "x",
            &plain[1..],
            &format!("{plain}0"),
            &format!("{}g", &plain[1..]),
            &format!("{}-{}", &plain[..3], &plain[3..]),
            "é-------------------------------",
        ] {
            assert_eq!(Id::parse(text), None, "{text}");
        }
    }

    #[test]
    fn addresses_end_with_one() {
        let id = Id::draw(&mut Ids::new(1), "page");
        for url in [
            format!("https://www.notion.so/Sprint-4-{}?pvs=4#x", id.plain()),
            format!("user://{id}"),
            id.to_string(),
        ] {
            assert_eq!(Id::of_url(&url), Some(id), "{url}");
        }
        assert_eq!(Id::of_url("https://example.com/x"), None);
    }
}
