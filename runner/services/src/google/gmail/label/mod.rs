//! Labels: their identifiers, sets of them, and those that the user made.

mod user;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub(in crate::google::gmail) use user::in_palette;
pub use user::{Color, Labels, ListVisibility, MessageVisibility, NameError, UserLabel};

/// Identifier of a label: one of the system labels, or `Label_` and a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LabelId(u32);

/// System labels in the order of their numbers, and whether Gmail's own
/// interface hides them from its lists.
const SYSTEM: [(&str, bool); 14] = [
    ("CHAT", true),
    ("SENT", false),
    ("INBOX", false),
    ("IMPORTANT", true),
    ("TRASH", true),
    ("DRAFT", false),
    ("SPAM", true),
    ("CATEGORY_FORUMS", true),
    ("CATEGORY_UPDATES", true),
    ("CATEGORY_PERSONAL", true),
    ("CATEGORY_PROMOTIONS", true),
    ("CATEGORY_SOCIAL", true),
    ("STARRED", false),
    ("UNREAD", false),
];
/// Numbers from here on belong to the labels of users.
const FIRST_USER: u32 = 1 << 8;

impl LabelId {
    /// Chats.
    pub const CHAT: Self = Self(0);
    /// Mail that the account sent.
    pub const SENT: Self = Self(1);
    /// The inbox.
    pub const INBOX: Self = Self(2);
    /// Marked as important.
    pub const IMPORTANT: Self = Self(3);
    /// Thrown away, not yet gone.
    pub const TRASH: Self = Self(4);
    /// A draft.
    pub const DRAFT: Self = Self(5);
    /// Spam.
    pub const SPAM: Self = Self(6);
    /// The tab for mailing lists.
    pub const FORUMS: Self = Self(7);
    /// The tab for notifications.
    pub const UPDATES: Self = Self(8);
    /// The tab for everything else.
    pub const PERSONAL: Self = Self(9);
    /// The tab for advertisements.
    pub const PROMOTIONS: Self = Self(10);
    /// The tab for social networks.
    pub const SOCIAL: Self = Self(11);
    /// Starred.
    pub const STARRED: Self = Self(12);
    /// Not read yet.
    pub const UNREAD: Self = Self(13);

    /// Every system label.
    pub fn system() -> impl Iterator<Item = Self> {
        (0..).take(SYSTEM.len()).map(Self)
    }

    /// The user's label number `number`.
    pub(in crate::google::gmail) fn user(number: u32) -> Self {
        Self(FIRST_USER.saturating_add(number))
    }

    /// Whether it belongs to Gmail rather than to the user.
    pub fn is_system(self) -> bool {
        self.0 < FIRST_USER
    }

    /// Whether requests may put it on a message or take it off. `SENT`,
    /// `DRAFT` and `CHAT` say what a message is, not where it lies.
    pub fn can_be_applied(self) -> bool {
        !matches!(self, Self::SENT | Self::DRAFT | Self::CHAT)
    }

    /// Whether it is one of the tabs of the inbox.
    pub(in crate::google::gmail) fn is_category(self) -> bool {
        matches!(
            self,
            Self::FORUMS | Self::UPDATES | Self::PERSONAL | Self::PROMOTIONS | Self::SOCIAL
        )
    }

    /// Whether Gmail's own interface keeps this system label out of its lists.
    pub(in crate::google::gmail) fn is_hidden(self) -> bool {
        SYSTEM
            .get(self.0 as usize)
            .is_some_and(|(_, hidden)| *hidden)
    }

    fn system_name(self) -> Option<&'static str> {
        SYSTEM.get(self.0 as usize).map(|(name, _)| *name)
    }

    /// The system label with this name, in any case.
    pub(in crate::google::gmail) fn system_named(name: &str) -> Option<Self> {
        Self::system().find(|id| {
            id.system_name()
                .is_some_and(|it| it.eq_ignore_ascii_case(name))
        })
    }
}

impl fmt::Display for LabelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.system_name() {
            Some(name) => f.write_str(name),
            None => write!(f, "Label_{}", self.0.saturating_sub(FIRST_USER)),
        }
    }
}

/// What is no identifier of a label.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no label id; expected a system label like `INBOX`, or `Label_` and a number")]
pub struct UnknownLabel(String);

impl FromStr for LabelId {
    type Err = UnknownLabel;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let user = || {
            let digits = text.strip_prefix("Label_")?;
            let number: u32 = digits.parse().ok()?;
            let plain =
                number > 0 && number < u32::MAX - FIRST_USER && !digits.starts_with(['0', '+']);
            plain.then(|| Self::user(number))
        };
        Self::system()
            .find(|id| id.system_name() == Some(text))
            .or_else(user)
            .ok_or_else(|| UnknownLabel(text.chars().take(80).collect()))
    }
}

impl Serialize for LabelId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.system_name() {
            Some(name) => serializer.serialize_str(name),
            None => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for LabelId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

/// A set of labels, in order of id. Sets are small: a sorted list is smaller
/// and quicker than anything cleverer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<LabelId>")]
pub struct LabelSet(Vec<LabelId>);

impl From<Vec<LabelId>> for LabelSet {
    fn from(ids: Vec<LabelId>) -> Self {
        ids.into_iter().collect()
    }
}

impl FromIterator<LabelId> for LabelSet {
    fn from_iter<I: IntoIterator<Item = LabelId>>(ids: I) -> Self {
        let mut set = Self::default();
        for id in ids {
            set.insert(id);
        }
        set
    }
}

impl LabelSet {
    /// Whether `id` is in the set.
    pub fn has(&self, id: LabelId) -> bool {
        self.0.contains(&id)
    }

    /// Whether all of `ids` are in the set.
    pub(in crate::google::gmail) fn has_all(&self, ids: &[LabelId]) -> bool {
        ids.iter().all(|id| self.has(*id))
    }

    /// Adds `id`; whether it was new.
    pub(in crate::google::gmail) fn insert(&mut self, id: LabelId) -> bool {
        match self.0.binary_search(&id) {
            Ok(_) => false,
            Err(at) => {
                self.0.insert(at, id);
                true
            }
        }
    }

    /// Removes `id`; whether it was there.
    pub(in crate::google::gmail) fn remove(&mut self, id: LabelId) -> bool {
        match self.0.binary_search(&id) {
            Ok(at) => {
                self.0.remove(at);
                true
            }
            Err(_) => false,
        }
    }

    /// The labels in order of id.
    pub fn iter(&self) -> impl Iterator<Item = LabelId> {
        self.0.iter().copied()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is in this set and not in `other`.
    pub(in crate::google::gmail) fn minus(&self, other: &Self) -> Self {
        Self(self.iter().filter(|id| !other.has(*id)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_survive_a_round_trip_and_nothing_else_is_one() {
        for id in LabelId::system().chain([LabelId::user(1), LabelId::user(40_000)]) {
            assert_eq!(id.to_string().parse(), Ok(id));
        }
        for text in [
            "",
            "inbox",
            "Label_",
            "Label_0",
            "Label_01",
            "Label_+1",
            "Label_4294967295",
            "X",
        ] {
            assert!(text.parse::<LabelId>().is_err(), "{text}");
        }
        assert_eq!(LabelId::SOCIAL.to_string(), "CATEGORY_SOCIAL");
        assert_eq!(LabelId::UNREAD.to_string(), "UNREAD");
    }
}
