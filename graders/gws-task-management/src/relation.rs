//! Which mail a title is about.

use proctor_grader::mailbox::MailExt as _;
use proctor_grader::text::{Terms, term, terms, words};
use proctor_grader::types::world::Mail;
use proctor_grader::{Error, Evidence};

use crate::ordinary::is_ordinary;
use crate::wording::{TITLE_CHARS, head};

/// Characters of a mail's text that count.
const BODY_CHARS: usize = 20_000;
/// A text with more meaning-bearing words than this is no title. It keeps an
/// agent from pasting whole mails.
const TITLE_TERMS: usize = 30;
/// Weight of a word that only one mail has. Words that several mails have
/// share it, so it divides well.
const UNIT: usize = 60;

/// A text with more words than this, whatever they are, is no title either:
/// counting them is cheap.
const TITLE_WORDS: usize = 120;
/// Words of a task's title and of its notes that are looked for in the mails.
const SOUGHT_WORDS: usize = 100;
/// The mails that somebody else sent and that lay in the inbox at the start.
pub(crate) struct Mails<'e> {
    items: Vec<Item<'e>>,
    /// Words of the account's own name, which every mail may have.
    own: Terms,
}

/// A mail and its words.
pub(crate) struct Item<'e> {
    pub(crate) mail: &'e Mail,
    /// Unread at the start: it carries an action item.
    pub(crate) is_action: bool,
    /// Words of the subject and of the sender's name.
    anchors: Terms,
    /// All its words.
    terms: Terms,
}

/// The mail that a title is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct About {
    /// Position of the mail in [`Mails`].
    pub(crate) mail: usize,
    /// Whether more than one word says so, and few others say something else.
    pub(crate) is_clear: bool,
    /// Whether it would be clear without words that neither a mail nor an
    /// ordinary task has.
    pub(crate) is_mixed: bool,
    /// The words that they share, as they stand in the title.
    pub(crate) shared: Vec<String>,
}

impl<'e> Mails<'e> {
    pub(crate) fn received(evidence: &'e Evidence) -> Result<Self, Error> {
        let items = evidence
            .mailbox()
            .received()?
            .into_iter()
            .map(Item::new)
            .collect();
        Ok(Self {
            items,
            own: terms(&evidence.account()?.name),
        })
    }

    /// Whether a meaning-bearing word of the text stands in one of the mails.
    /// The account's own name and short numbers say nothing.
    pub(crate) fn have_word_of(&self, text: &str) -> bool {
        let mut words = words(head(text, TITLE_CHARS)).take(SOUGHT_WORDS);
        words.any(|word| {
            term(&word)
                .filter(|term| !is_short_number(term) && !self.own.contains(term))
                .is_some_and(|term| self.items.iter().any(|item| item.terms.contains(term)))
        })
    }

    /// Whether the title has words that neither the mail nor an ordinary task
    /// has: more than half of them beside an ordinary one, any without. "482
    /// zebra payment webhooks" is no title, for all its right words.
    fn is_mixed(title: &Terms, item: &Item<'_>) -> bool {
        let foreign = title.iter().filter(|term| {
            !is_short_number(term) && !item.terms.contains(term) && !is_ordinary(term)
        });
        let foreign = foreign.count();
        let has_ordinary = title.iter().any(is_ordinary);
        foreign > 0 && (!has_ordinary || foreign * 2 > title.len())
    }

    pub(crate) fn action_items(&self) -> impl Iterator<Item = &Item<'e>> {
        self.items.iter().filter(|item| item.is_action)
    }

    pub(crate) fn get(&self, index: usize) -> &Item<'e> {
        &self.items[index]
    }

    /// The one mail that a title is about, if there is one.
    ///
    /// Shared words count by how few mails have them, twice in a subject. The
    /// best mail must lead the second by half: a title that is stuffed with the
    /// words of all mails is about none of them, and no title is about two.
    pub(crate) fn about(&self, title: &str) -> Option<About> {
        let text = head(title, TITLE_CHARS);
        if words(text).nth(TITLE_WORDS).is_some() {
            return None;
        }
        let title = terms(text);
        if title.is_empty() || title.len() > TITLE_TERMS {
            return None;
        }
        let scores: Vec<usize> = self
            .items
            .iter()
            .map(|item| self.score(item, &title))
            .collect();
        let best = (0..scores.len()).rev().max_by_key(|index| scores[*index])?;
        let rest = scores
            .iter()
            .enumerate()
            .filter(|(index, _)| *index != best);
        let second = rest.map(|(_, score)| *score).max().unwrap_or(0);
        if scores[best] * 2 < second * 3 {
            return None;
        }
        let item = &self.items[best];
        let shared = title.shared(&item.terms).count();
        if shared * 4 < title.len() {
            return None;
        }
        let anchored = title.shared(&item.anchors).next().is_some();
        let is_clear = (anchored && shared >= 2 && scores[best] >= 2 * UNIT)
            || (shared >= 3 && scores[best] >= 3 * UNIT);
        let is_weak = anchored && scores[best] >= UNIT;
        let is_mixed = is_clear && Self::is_mixed(&title, item);
        (is_clear || is_weak).then(|| About {
            mail: best,
            is_clear: is_clear && !is_mixed,
            is_mixed,
            shared: item.shared_words(text),
        })
    }

    fn score(&self, item: &Item<'_>, title: &Terms) -> usize {
        let weight = |term: &str| {
            let spread = self
                .items
                .iter()
                .filter(|item| item.terms.contains(term))
                .count();
            let twice = usize::from(item.anchors.contains(term)) + 1;
            twice * UNIT / spread.max(1)
        };
        title.shared(&item.terms).map(weight).sum()
    }
}

/// A day, an hour, a count.
fn is_short_number(term: &str) -> bool {
    term.len() <= 2 && term.bytes().all(|byte| byte.is_ascii_digit())
}

impl<'e> Item<'e> {
    fn new(mail: &'e Mail) -> Self {
        let from = mail.header("From").unwrap_or_default();
        let sender = from.split_once('<').map_or("", |(name, _)| name);
        let anchors = format!("{} {sender}", head(&mail.subject, TITLE_CHARS));
        let terms_of = format!("{anchors} {}", head(&mail.text, BODY_CHARS));
        Self {
            mail,
            is_action: mail.has_label("UNREAD"),
            anchors: terms(&anchors),
            terms: terms(&terms_of),
        }
    }

    /// Words of the text that the mail has too, each once.
    fn shared_words(&self, text: &str) -> Vec<String> {
        let mut shared = Vec::new();
        for word in words(text) {
            let is_shared = term(&word).is_some_and(|term| self.terms.contains(term));
            if is_shared && !shared.contains(&word) {
                shared.push(word);
            }
        }
        shared
    }
}
