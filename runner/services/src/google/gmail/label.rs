//! Labels: which there are, how they are named, and sets of them.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

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
    pub(super) fn user(number: u32) -> Self {
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
    pub(super) fn is_category(self) -> bool {
        matches!(
            self,
            Self::FORUMS | Self::UPDATES | Self::PERSONAL | Self::PROMOTIONS | Self::SOCIAL
        )
    }

    /// Whether Gmail's own interface keeps this system label out of its lists.
    pub(super) fn is_hidden(self) -> bool {
        SYSTEM
            .get(self.0 as usize)
            .is_some_and(|(_, hidden)| *hidden)
    }

    fn system_name(self) -> Option<&'static str> {
        SYSTEM.get(self.0 as usize).map(|(name, _)| *name)
    }

    /// The system label with this name, in any case.
    pub(super) fn system_named(name: &str) -> Option<Self> {
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
    pub(super) fn has_all(&self, ids: &[LabelId]) -> bool {
        ids.iter().all(|id| self.has(*id))
    }

    /// Adds `id`; whether it was new.
    pub(super) fn insert(&mut self, id: LabelId) -> bool {
        match self.0.binary_search(&id) {
            Ok(_) => false,
            Err(at) => {
                self.0.insert(at, id);
                true
            }
        }
    }

    /// Removes `id`; whether it was there.
    pub(super) fn remove(&mut self, id: LabelId) -> bool {
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
    pub(super) fn minus(&self, other: &Self) -> Self {
        Self(self.iter().filter(|id| !other.has(*id)).collect())
    }
}

/// Where a label is shown in Gmail's list of labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ListVisibility {
    /// Always.
    LabelShow,
    /// While something under it is unread.
    LabelShowIfUnread,
    /// Never.
    LabelHide,
}

/// Whether messages show a label in lists of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MessageVisibility {
    /// They do.
    Show,
    /// They do not.
    Hide,
}

/// Colour of a label, both from Gmail's palette.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Color {
    /// `#rrggbb` of the text.
    pub text_color: String,
    /// `#rrggbb` behind the text.
    pub background_color: String,
}

/// A label that the user made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserLabel {
    /// Name; `/` nests.
    pub name: String,
    /// Where it is shown in the list of labels.
    pub list: ListVisibility,
    /// Whether messages show it.
    pub messages: MessageVisibility,
    /// Colour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<Color>,
}

impl UserLabel {
    /// A label as Gmail makes one where a request says only its name.
    pub(super) fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            list: ListVisibility::LabelShow,
            messages: MessageVisibility::Show,
            color: None,
        }
    }
}

/// Most labels of one account.
const MOST_LABELS: usize = 10_000;
/// Longest name in characters.
const LONGEST_NAME: usize = 225;

/// Why a label cannot have a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// It is no name.
    #[error("Invalid label name")]
    Invalid,
    /// Something else has it.
    #[error("Label name exists or conflicts")]
    Conflict,
    /// There are too many labels.
    #[error("Too many labels: an account can have {MOST_LABELS}")]
    TooMany,
}

/// The labels that the user made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Labels {
    /// By number of the id.
    made: BTreeMap<u32, UserLabel>,
    /// Number of the newest label; numbers are never given twice.
    newest: u32,
}

impl Labels {
    /// The user's labels in order of id.
    pub fn iter(&self) -> impl Iterator<Item = (LabelId, &UserLabel)> {
        self.made
            .iter()
            .map(|(number, label)| (LabelId::user(*number), label))
    }

    /// A label of the user.
    pub fn get(&self, id: LabelId) -> Option<&UserLabel> {
        self.made.get(&id.0.checked_sub(FIRST_USER)?)
    }

    /// Whether there is such a label, the user's or Gmail's.
    pub fn has(&self, id: LabelId) -> bool {
        id.is_system() || self.get(id).is_some()
    }

    /// Name of a label as shown.
    pub fn name(&self, id: LabelId) -> &str {
        id.system_name()
            .or_else(|| self.get(id).map(|label| label.name.as_str()))
            .unwrap_or("")
    }

    /// The label that `text` means: an id, or the name of a user's label.
    pub(super) fn find(&self, text: &str) -> Option<LabelId> {
        let by_id = text.parse().ok().filter(|id| self.has(*id));
        by_id.or_else(|| {
            self.iter()
                .find(|(_, it)| it.name == text)
                .map(|(id, _)| id)
        })
    }

    /// Labels whose name reads as `text` in a search, where case, spaces,
    /// slashes and hyphens do not count.
    pub(super) fn searched(&self, text: &str) -> Vec<LabelId> {
        let wanted = searchable(text);
        self.iter()
            .filter(|(_, it)| searchable(&it.name) == wanted)
            .map(|(id, _)| id)
            .collect()
    }

    /// Adds a label.
    pub(super) fn create(&mut self, label: UserLabel) -> Result<LabelId, NameError> {
        if self.made.len() >= MOST_LABELS || self.newest == u32::MAX - FIRST_USER {
            return Err(NameError::TooMany);
        }
        self.check_name(&label.name, None)?;
        self.newest += 1;
        self.made.insert(self.newest, label);
        Ok(LabelId::user(self.newest))
    }

    /// Replaces a label; `false` where there is none.
    pub(super) fn update(&mut self, id: LabelId, label: UserLabel) -> Result<bool, NameError> {
        self.check_name(&label.name, Some(id))?;
        let slot =
            id.0.checked_sub(FIRST_USER)
                .and_then(|number| self.made.get_mut(&number));
        Ok(slot.map(|slot| *slot = label).is_some())
    }

    /// Removes a label; whether there was one.
    pub(super) fn remove(&mut self, id: LabelId) -> bool {
        id.0.checked_sub(FIRST_USER)
            .is_some_and(|number| self.made.remove(&number).is_some())
    }

    fn check_name(&self, name: &str, of: Option<LabelId>) -> Result<(), NameError> {
        let bad_part = |part: &str| part.is_empty() || part.trim() != part;
        if name.chars().count() > LONGEST_NAME
            || name.chars().any(char::is_control)
            || name.starts_with('^')
            || name.split('/').any(bad_part)
        {
            return Err(NameError::Invalid);
        }
        // Gmail keeps the names of its own labels for itself, `Sent` and
        // `drafts` as well as `SENT` and `DRAFT`.
        let plain = name.to_lowercase();
        let reserved = LabelId::system_named(&plain).is_some()
            || matches!(
                plain.as_str(),
                "drafts" | "chats" | "starred" | "bin" | "junk"
            );
        let taken = self
            .iter()
            .any(|(id, it)| Some(id) != of && it.name.to_lowercase() == plain);
        if reserved {
            Err(NameError::Invalid)
        } else if taken {
            Err(NameError::Conflict)
        } else {
            Ok(())
        }
    }
}

fn searchable(name: &str) -> String {
    name.chars()
        .flat_map(char::to_lowercase)
        .map(|c| {
            if c.is_whitespace() || matches!(c, '/' | '&' | '(' | ')') {
                '-'
            } else {
                c
            }
        })
        .collect()
}

/// Colours that a label may have
/// (<https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.labels>).
const PALETTE: &str = "\
000000 434343 666666 999999 cccccc efefef f3f3f3 ffffff fb4c2f ffad47 fad165 16a766 43d692 4a86e8 \
a479e2 f691b3 f6c5be ffe6c7 fef1d1 b9e4d0 c6f3de c9daf8 e4d7f5 fcdee8 efa093 ffd6a2 fce8b3 89d3b2 \
a0eac9 a4c2f4 d0bcf1 fbc8d9 e66550 ffbc6b fcda83 44b984 68dfa9 6d9eeb b694e8 f7a7c0 cc3a21 eaa041 \
f2c960 149e60 3dc789 3c78d8 8e63ce e07798 ac2b16 cf8933 d5ae49 0b804b 2a9c68 285bac 653e9b b65775 \
822111 a46a21 aa8831 076239 1a764d 1c4587 41236d 83334c 464646 e7e7e7 0d3472 b6cff5 0d3b44 98d7e4 \
3d188e e3d7ff 711a36 fbd3e0 8a1c0a f2b2a8 7a2e0b ffc8af 7a4706 ffdeb5 594c05 fbe983 684e07 fdedc1 \
0b4f30 b3efd3 04502e a2dcc1 c2c2c2 4986e7 2da2bb b99aff 994a64 f691b2 ff7537 ffad46 662e37 ebdbde \
cca6ac 094228 42d692 16a765 757575 1e53b8 007286 7858c3 c2185b d93025 54240e 633e04 521d28 202124 \
083018";

/// Whether `color` (`#rrggbb`) is in Gmail's palette.
pub(super) fn in_palette(color: &str) -> bool {
    color.strip_prefix('#').is_some_and(|hex| {
        hex.len() == 6
            && PALETTE
                .split(' ')
                .any(|known| known.eq_ignore_ascii_case(hex))
    })
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

    #[test]
    fn a_name_is_taken_once_whatever_its_case() {
        let mut labels = Labels::default();
        let work = labels.create(UserLabel::new("Work")).unwrap();
        assert_eq!(
            labels.create(UserLabel::new("WORK")),
            Err(NameError::Conflict)
        );
        assert_eq!(
            labels
                .create(UserLabel::new("Work/Acme"))
                .map(|id| id.to_string()),
            Ok("Label_2".into())
        );
        assert_eq!(labels.update(work, UserLabel::new("work")), Ok(true));
        assert_eq!(
            labels.update(work, UserLabel::new("work/acme")),
            Err(NameError::Conflict)
        );
        assert!(labels.remove(work) && !labels.remove(work));
        assert_eq!(
            labels
                .create(UserLabel::new("Work"))
                .map(|id| id.to_string()),
            Ok("Label_3".into())
        );
    }

    #[test]
    fn names_that_are_none() {
        let mut labels = Labels::default();
        let long = "x".repeat(LONGEST_NAME + 1);
        for name in [
            "",
            " ",
            " a",
            "a ",
            "/a",
            "a/",
            "a//b",
            "a/ b",
            "^x",
            "a\nb",
            "Inbox",
            "sent",
            "Drafts",
            "category_social",
            &long,
        ] {
            assert_eq!(
                labels.create(UserLabel::new(name)),
                Err(NameError::Invalid),
                "{name:?}"
            );
        }
        assert!(
            labels
                .create(UserLabel::new("x".repeat(LONGEST_NAME)))
                .is_ok()
        );
    }

    #[test]
    fn the_palette_is_gmails() {
        assert!(in_palette("#fb4c2f") && in_palette("#FB4C2F"));
        assert!(!in_palette("#fb4c2e") && !in_palette("fb4c2f") && !in_palette("#000 000"));
    }
}
