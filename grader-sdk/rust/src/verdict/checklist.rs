//! Lists of things that a criterion wants.

use proctor_types::Citation;

use crate::text::{Concept, Prose, Stance, excerpt};

/// Longest quotation in a reason, in characters.
const QUOTED: usize = 80;

/// Things that a criterion wants, and which of them are met: gives a criterion
/// its points, its reason and its citations
/// ([`all_of`](super::CriterionBuilder::all_of),
/// [`shared`](super::CriterionBuilder::shared)).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Checklist {
    items: Vec<Item>,
    citations: Vec<Citation>,
}

#[derive(Debug, Clone, PartialEq)]
struct Item {
    what: String,
    weight: f64,
    met: bool,
    /// What was found instead.
    instead: Option<String>,
}

impl Checklist {
    /// A list of nothing. It is not complete, and worth nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// A thing, in words that can stand behind "Found:" and "Missing:".
    #[must_use]
    pub fn item(self, what: impl Into<String>, met: bool) -> Self {
        self.add(what.into(), 1.0, met, None)
    }

    /// A thing that counts as much as `weight` others; one that is not above 0
    /// counts nothing in a [share](super::CriterionBuilder::shared).
    #[must_use]
    pub fn weighted(self, what: impl Into<String>, weight: f64, met: bool) -> Self {
        self.add(what.into(), weight, met, None)
    }

    /// A thing that is met, or else what was found instead.
    #[must_use]
    pub fn found(self, what: impl Into<String>, found: Result<(), String>) -> Self {
        self.add(what.into(), 1.0, found.is_ok(), found.err())
    }

    /// Things that a text has to say. Where it denies one, the reason quotes it.
    #[must_use]
    pub fn says(mut self, prose: &Prose, concepts: &[Concept]) -> Self {
        for concept in concepts {
            let found = match prose.stance(concept) {
                Stance::Affirmed(_) => Ok(()),
                Stance::Absent => Err(None),
                Stance::Denied(sentence) => Err(Some(format!(
                    "denied: \"{}\"",
                    excerpt(&sentence.text, QUOTED)
                ))),
            };
            let met = found.is_ok();
            self = self.add(concept.name().to_owned(), 1.0, met, found.err().flatten());
        }
        self
    }

    /// Where in the evidence it can be seen.
    #[must_use]
    pub fn cite(mut self, citation: Citation) -> Self {
        self.citations.push(citation);
        self
    }

    /// Whether all of them are met, and there are any.
    pub fn is_complete(&self) -> bool {
        !self.is_empty() && self.items.iter().all(|item| item.met)
    }

    /// How many are met.
    pub fn met(&self) -> usize {
        self.items.iter().filter(|item| item.met).count()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The share that is met, by weight, 0 to 1; of nothing it is 0.
    pub fn share(&self) -> f64 {
        let sum = |met_only: bool| -> f64 {
            let counted = self.items.iter().filter(|item| item.met || !met_only);
            counted.map(|item| item.weight.max(0.0)).sum()
        };
        let all = sum(false);
        if all > 0.0 { sum(true) / all } else { 0.0 }
    }

    /// What is met and what is not, in a sentence or two.
    pub fn reason(&self) -> String {
        let list = |met: bool| -> Vec<String> {
            let items = self.items.iter().filter(|item| item.met == met);
            items.map(Item::words).collect()
        };
        let (found, missing) = (list(true), list(false));
        let mut reason = format!("{} of {}.", found.len(), self.items.len());
        for (word, list) in [("Found", found), ("Missing", missing)] {
            if !list.is_empty() {
                reason.push_str(&[" ", word, ": ", &list.join("; "), "."].concat());
            }
        }
        reason
    }

    pub(super) fn citations(&self) -> &[Citation] {
        &self.citations
    }

    fn add(mut self, what: String, weight: f64, met: bool, instead: Option<String>) -> Self {
        self.items.push(Item {
            what,
            weight,
            met,
            instead,
        });
        self
    }
}

impl Item {
    fn words(&self) -> String {
        match &self.instead {
            Some(instead) => format!("{} ({instead})", self.what),
            None => self.what.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_decide_the_share_and_words_the_reason() {
        let list = Checklist::new()
            .weighted("the value", 3.0, true)
            .found("the test", Err("there is no file `test.py`".to_owned()))
            .weighted("nothing", -1.0, true);
        assert!((list.share() - 0.75).abs() < f64::EPSILON);
        assert!(!list.is_complete());
        assert_eq!((list.met(), list.len()), (2, 3));
        assert_eq!(
            list.reason(),
            "2 of 3. Found: the value; nothing. Missing: the test (there is no file `test.py`)."
        );
        assert!(Checklist::new().is_empty());
        assert!(Checklist::new().share().abs() < f64::EPSILON);
        let broken = Checklist::new().weighted("x", f64::NAN, true);
        assert!(broken.share().abs() < f64::EPSILON);
    }

    #[test]
    fn a_denial_is_quoted() {
        let prose = Prose::new("The flag was not flipped. The limit is 4Gi.");
        let wanted = [
            Concept::new("flag flipped").together(["flag", "flipped"]),
            Concept::new("4Gi"),
        ];
        let list = Checklist::new().says(&prose, &wanted);
        assert_eq!(
            list.reason(),
            "1 of 2. Found: 4Gi. Missing: flag flipped (denied: \"The flag was not flipped.\")."
        );
    }
}
