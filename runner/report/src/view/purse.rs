//! How much of a trial goes into a page: everything is paid for out of one purse,
//! and what does not fit is cut where a reader sees it.

use serde::Serialize;
use serde_json::{Map, Value, json};

/// Bytes that a trial's details may still take.
#[derive(Debug)]
pub(crate) struct Purse {
    left: usize,
    /// Most bytes of a single text.
    text: usize,
    /// Whether anything was cut.
    cut: bool,
}

/// A text, or the beginning of one.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub(crate) enum Text {
    /// All of it.
    Whole(String),
    /// Its beginning.
    Cut {
        /// The beginning.
        t: String,
        /// Bytes that are not there.
        cut: usize,
    },
}

/// Items of a list, as many as fitted.
#[derive(Debug, Serialize)]
pub(crate) struct List<T> {
    pub(crate) items: Vec<T>,
    /// Items that are not there.
    pub(crate) cut: usize,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            cut: 0,
        }
    }
}

impl Purse {
    /// A purse with `bytes` in it.
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            left: bytes,
            text: (bytes / 16).clamp(4 << 10, 64 << 10),
            cut: false,
        }
    }

    /// Another purse with `share` of what this one has left, of ten. What it
    /// does not spend comes back with [`Purse::put_back`].
    pub(crate) fn part(&mut self, share: usize) -> Self {
        let bytes = self.left / 10 * share;
        self.left -= bytes;
        Self {
            left: bytes,
            text: self.text,
            cut: false,
        }
    }

    /// Takes back what is left of `part`.
    pub(crate) fn put_back(&mut self, part: &Self) {
        self.left += part.left;
        self.cut |= part.cut;
    }

    /// Whether anything did not fit so far.
    pub(crate) fn has_cut(&self) -> bool {
        self.cut
    }

    /// What was cut so far is nothing that a reader misses.
    pub(crate) fn forget_cuts(&mut self) {
        self.cut = false;
    }

    /// Pays for `bytes`; nothing where there is not so much left.
    pub(crate) fn pay(&mut self, bytes: usize) -> bool {
        let Some(left) = self.left.checked_sub(bytes) else {
            self.cut = true;
            return false;
        };
        self.left = left;
        true
    }

    /// `text`, or as much of it as may be.
    pub(crate) fn text(&mut self, text: &str) -> Text {
        self.text_of(text, self.text)
    }

    /// `text`, or at most `most` bytes of it.
    pub(crate) fn text_of(&mut self, text: &str, most: usize) -> Text {
        let room = most.min(self.left);
        if text.len() <= room {
            self.left -= text.len();
            return Text::Whole(text.to_owned());
        }
        self.cut = true;
        let t = &text[..text.floor_char_boundary(room)];
        self.left -= t.len();
        Text::Cut {
            t: t.to_owned(),
            cut: text.len() - t.len(),
        }
    }

    /// Every item of `items` for which there is room: `view` makes what is shown
    /// of it, and each costs `each` bytes besides its texts.
    pub(crate) fn list<I, T>(
        &mut self,
        items: impl IntoIterator<Item = I>,
        each: usize,
        mut view: impl FnMut(&mut Self, I) -> T,
    ) -> List<T> {
        let mut list = List::default();
        for item in items {
            if list.cut > 0 || !self.pay(each) {
                list.cut += 1;
            } else {
                list.items.push(view(self, item));
            }
        }
        list
    }

    /// A JSON value with long texts and lists cut: `{"t": ..., "cut": BYTES}` in
    /// place of a text, `{"cut": ITEMS}` as the last item of a list.
    pub(crate) fn value(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => match self.text(text) {
                Text::Whole(text) => Value::String(text),
                Text::Cut { t, cut } => json!({"t": t, "cut": cut}),
            },
            Value::Array(items) => {
                let list = self.list(items, 2, Self::value);
                let mut items = list.items;
                if list.cut > 0 {
                    items.push(json!({"cut": list.cut}));
                }
                Value::Array(items)
            }
            Value::Object(fields) => {
                let mut kept = Map::new();
                for (name, value) in fields {
                    if !self.pay(name.len() + 4) {
                        break;
                    }
                    kept.insert(name.clone(), self.value(value));
                }
                Value::Object(kept)
            }
            other => {
                self.pay(8);
                other.clone()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_cut_where_one_sees_it() {
        let mut purse = Purse::new(100);
        assert!(matches!(purse.text("short"), Text::Whole(text) if text == "short"));
        let long = "ä".repeat(100);
        let Text::Cut { t, cut } = purse.text(&long) else {
            panic!("it is cut")
        };
        assert_eq!((t.len(), cut), (94, 106));
        assert!(purse.has_cut());
    }

    #[test]
    fn a_list_ends_at_the_first_item_that_does_not_fit() {
        let mut purse = Purse::new(10);
        let list = purse.list(["aaa", "bbbbbbbbb", "c"], 2, Purse::text);
        assert_eq!((list.items.len(), list.cut), (2, 1));
        let mut purse = Purse::new(12);
        let value = purse.value(&json!(["aaaa", "bbbb", "cccc"]));
        assert_eq!(value, json!(["aaaa", "bbbb", {"cut": 1}]));
    }

    #[test]
    fn a_part_gives_back_what_it_does_not_need() {
        let mut purse = Purse::new(100);
        let mut part = purse.part(5);
        part.text("12345");
        purse.put_back(&part);
        assert!(purse.pay(95) && !purse.pay(1));
    }
}
