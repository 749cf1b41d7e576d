//! Labels that the user made.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{FIRST_USER, LabelId};
use crate::evidence_text::escaped_len;

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
    pub(in crate::google::gmail) fn new(name: impl Into<String>) -> Self {
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
/// Most bytes of all labels in a snapshot.
const EVIDENCE_CAP: usize = 1 << 20;
/// What a label takes there besides its name.
const LABEL: usize = 64;
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
    /// Their names are too long together.
    #[error("Label names are too long: an account can have {} KiB of them", EVIDENCE_CAP >> 10)]
    Full,
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
    pub(in crate::google::gmail) fn find(&self, text: &str) -> Option<LabelId> {
        let by_id = text.parse().ok().filter(|id| self.has(*id));
        by_id.or_else(|| {
            self.iter()
                .find(|(_, it)| it.name == text)
                .map(|(id, _)| id)
        })
    }

    /// Labels whose name reads as `text` in a search, where case, spaces,
    /// slashes and hyphens do not count.
    pub(in crate::google::gmail) fn searched(&self, text: &str) -> Vec<LabelId> {
        let wanted = searchable(text);
        self.iter()
            .filter(|(_, it)| searchable(&it.name) == wanted)
            .map(|(id, _)| id)
            .collect()
    }

    /// Adds a label.
    pub(in crate::google::gmail) fn create(
        &mut self,
        label: UserLabel,
    ) -> Result<LabelId, NameError> {
        if self.made.len() >= MOST_LABELS || self.newest == u32::MAX - FIRST_USER {
            return Err(NameError::TooMany);
        }
        self.check_name(&label.name, None)?;
        self.newest += 1;
        self.made.insert(self.newest, label);
        Ok(LabelId::user(self.newest))
    }

    /// Replaces a label; `false` where there is none.
    pub(in crate::google::gmail) fn update(
        &mut self,
        id: LabelId,
        label: UserLabel,
    ) -> Result<bool, NameError> {
        self.check_name(&label.name, Some(id))?;
        let slot =
            id.0.checked_sub(FIRST_USER)
                .and_then(|number| self.made.get_mut(&number));
        Ok(slot.map(|slot| *slot = label).is_some())
    }

    /// Removes a label; whether there was one.
    pub(in crate::google::gmail) fn remove(&mut self, id: LabelId) -> bool {
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
        let others = self.iter().filter(|(id, _)| Some(*id) != of);
        let names = others.map(|(_, it)| it.name.as_str()).chain([name]);
        let bytes: usize = names.map(|name| LABEL + escaped_len(name)).sum();
        if reserved {
            Err(NameError::Invalid)
        } else if taken {
            Err(NameError::Conflict)
        } else if bytes > EVIDENCE_CAP {
            Err(NameError::Full)
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
pub(in crate::google::gmail) fn in_palette(color: &str) -> bool {
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
