//! Identifiers of messages and threads.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Identifier of a message, and of the thread that it began: 16 hex digits, of
/// which the upper ones are the moment it came in, as Gmail makes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId(u64);

/// Identifier of a thread: that of the message it began with.
pub type ThreadId = MessageId;

/// Bits of an identifier below the milliseconds.
const LOW_BITS: u32 = 20;

impl MessageId {
    /// The identifier of a message that came in at `ms` (since 1970); `low`
    /// tells those of one moment apart.
    pub(super) fn at(ms: i64, low: u64) -> Self {
        let ms = u64::try_from(ms).unwrap_or_default() & (u64::MAX >> LOW_BITS);
        Self((ms << LOW_BITS) | (low & ((1 << LOW_BITS) - 1)))
    }

    /// The next identifier in order, for when this one is taken.
    pub(super) fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }

    /// The identifier as a number.
    pub(super) fn number(self) -> u64 {
        self.0
    }

    /// The identifier with this number.
    pub(super) fn from_number(number: u64) -> Self {
        Self(number)
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// What is no identifier of a message or a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected 1 to 16 hex digits")]
pub struct NoId;

impl FromStr for MessageId {
    type Err = NoId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let valid = (1..=16).contains(&text.len()) && text.bytes().all(|it| it.is_ascii_hexdigit());
        if !valid {
            return Err(NoId);
        }
        u64::from_str_radix(text, 16).map(Self).map_err(|_| NoId)
    }
}

impl Serialize for MessageId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for MessageId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_hex_and_in_order_of_time() {
        let id = MessageId::at(1_772_442_000_000, 0x12345);
        assert_eq!(id.to_string(), "19cadc69a8012345");
        assert_eq!(id.to_string().parse(), Ok(id));
        assert!(id < MessageId::at(1_772_442_000_001, 0));
        assert_eq!(MessageId::at(-1, 1).to_string(), "0000000000000001");
        assert_eq!("1F".parse(), Ok(MessageId(31)));
        for text in ["", "x", "+1", "0x1", "11112222333344445", "é"] {
            assert_eq!(text.parse::<MessageId>(), Err(NoId), "{text}");
        }
    }
}
