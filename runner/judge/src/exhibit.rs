//! Exhibits as a judge gets them: visible, bounded, with what is left out told;
//! and the search for quotes in them.

use proctor_types::Citation;
use proctor_types::verdict::Exhibit;

use crate::text::{Cut, cut, omission, one_line, squeezed, visible};

/// How much of the exhibits one question shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExhibitLimits {
    /// Exhibits. Those after them are left out, and the judge is told how many.
    /// Default 80.
    pub count: usize,
    /// One exhibit's text in bytes. Default 64 KiB.
    pub exhibit_bytes: usize,
    /// The texts of all exhibits in bytes. Default 192 KiB, some 50,000 tokens.
    pub total_bytes: usize,
}

impl Default for ExhibitLimits {
    fn default() -> Self {
        Self {
            count: 80,
            exhibit_bytes: 64 << 10,
            total_bytes: 192 << 10,
        }
    }
}

/// Shortest quote that proves anything, in characters after white space is
/// squeezed. An exhibit that is shorter can be quoted whole.
pub(crate) const QUOTE_CHARACTERS: usize = 10;

/// One exhibit as it is shown.
#[derive(Debug, Clone)]
pub(crate) struct Shown {
    pub(crate) title: String,
    pub(crate) citation: Citation,
    pub(crate) text: String,
    /// The pieces of the text that are the exhibit's own, squeezed: a quote has
    /// to be in one of them.
    pieces: Vec<String>,
}

/// The exhibits of one question.
#[derive(Debug, Clone, Default)]
pub(crate) struct ShownExhibits {
    pub(crate) exhibits: Vec<Shown>,
    /// How many more there are.
    pub(crate) left_out: usize,
}

/// Why a quote proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadQuote {
    TooShort,
    NotThere,
}

impl ShownExhibits {
    pub(crate) fn new(exhibits: &[Exhibit], limits: &ExhibitLimits) -> Self {
        let (kept, rest) = exhibits.split_at(exhibits.len().min(limits.count));
        let left_out = rest.len();
        let visible: Vec<_> = kept.iter().map(|one| visible(&one.text)).collect();
        let lengths = visible.iter().map(|text| text.len());
        let bytes = share(lengths, limits);
        let exhibits = kept
            .iter()
            .zip(&visible)
            .map(|(exhibit, text)| Shown::new(exhibit, text, bytes))
            .collect::<Vec<_>>();
        Self { exhibits, left_out }
    }

    /// Whether there is nothing that could be quoted.
    pub(crate) fn are_empty(&self) -> bool {
        self.exhibits
            .iter()
            .all(|one| one.pieces.iter().all(String::is_empty))
    }

    /// The first exhibit in which `quote` stands. White space does not count.
    pub(crate) fn find(&self, quote: &str) -> Result<&Shown, BadQuote> {
        let quote = squeezed(&visible(quote));
        let whole = |one: &Shown| one.pieces.len() == 1 && one.pieces[0] == quote;
        if quote.chars().count() < QUOTE_CHARACTERS {
            // Of an exhibit "OK", "OK" is all that there is to quote.
            let found = self.exhibits.iter().find(|one| whole(one));
            return found
                .filter(|_| !quote.is_empty())
                .ok_or(BadQuote::TooShort);
        }
        let has = |one: &&Shown| one.pieces.iter().any(|piece| piece.contains(&quote));
        self.exhibits.iter().find(has).ok_or(BadQuote::NotThere)
    }
}

impl Shown {
    fn new(exhibit: &Exhibit, text: &str, bytes: usize) -> Self {
        let Cut {
            head,
            left_out,
            tail,
        } = cut(text, bytes);
        let (text, pieces) = if left_out == 0 {
            (head.to_owned(), vec![squeezed(head)])
        } else {
            let marker = omission(left_out as u64);
            (
                format!("{head}\n{marker}\n{tail}"),
                vec![squeezed(head), squeezed(tail)],
            )
        };
        Self {
            title: one_line(&exhibit.title),
            citation: exhibit.citation.clone(),
            text,
            pieces,
        }
    }
}

/// How many bytes each exhibit may have so that all of them fit: small ones are
/// shown whole, and the large ones share what is left.
fn share(lengths: impl Iterator<Item = usize>, limits: &ExhibitLimits) -> usize {
    let mut lengths: Vec<usize> = lengths
        .map(|length| length.min(limits.exhibit_bytes))
        .collect();
    lengths.sort_unstable();
    let mut left = limits.total_bytes;
    for (index, length) in lengths.iter().enumerate() {
        let each = left / (lengths.len() - index);
        if *length > each {
            return each;
        }
        left -= length;
    }
    limits.exhibit_bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exhibit(text: &str) -> Exhibit {
        Exhibit {
            title: "A file".to_owned(),
            citation: "workspace:a.md".parse().unwrap(),
            text: text.to_owned(),
        }
    }

    fn shown(texts: &[&str], limits: ExhibitLimits) -> ShownExhibits {
        let exhibits: Vec<_> = texts.iter().map(|text| exhibit(text)).collect();
        ShownExhibits::new(&exhibits, &limits)
    }

    #[test]
    fn small_exhibits_are_whole_and_large_ones_share_the_rest() {
        let limits = ExhibitLimits {
            count: 3,
            exhibit_bytes: 1_000,
            total_bytes: 500,
        };
        let (large, small) = ("x".repeat(5_000), "y".repeat(100));
        let shown = shown(&[&large, &small, &large, &small], limits);
        assert_eq!(shown.left_out, 1);
        assert_eq!(shown.exhibits[1].text, small);
        for at in [0, 2] {
            let text = &shown.exhibits[at].text;
            assert_eq!(text.matches('x').count(), 200);
            assert!(text.contains("\n[... 4800 bytes left out ...]\n"), "{text}");
        }
    }

    #[test]
    fn a_quote_must_stand_in_one_exhibit_but_for_white_space() {
        let limits = ExhibitLimits::default();
        let shown = shown(
            &[
                "The report is\n  complete and\ttrue.",
                "OK",
                "Second text here",
            ],
            limits,
        );
        let at = |quote: &str| shown.find(quote).map(|one| one.text.as_str());
        assert!(at("report is complete and true").is_ok());
        assert_eq!(at("Second  text\nhere"), Ok("Second text here"));
        assert_eq!(at(" OK\n"), Ok("OK"));
        assert_eq!(at("true."), Err(BadQuote::TooShort));
        assert_eq!(at("  "), Err(BadQuote::TooShort));
        assert_eq!(at("the report is complete"), Err(BadQuote::NotThere));
        // From one exhibit into the next.
        assert_eq!(at("and true. OK Second"), Err(BadQuote::NotThere));
    }

    #[test]
    fn what_is_left_out_cannot_be_quoted_nor_can_the_marker() {
        let limits = ExhibitLimits {
            exhibit_bytes: 100,
            ..ExhibitLimits::default()
        };
        let text = format!("{} middle of it all {}", "a".repeat(200), "z".repeat(200));
        let shown = shown(&[&text], limits);
        assert_eq!(
            shown.find("middle of it all").err(),
            Some(BadQuote::NotThere)
        );
        assert_eq!(shown.find("bytes left out").err(), Some(BadQuote::NotThere));
        assert!(shown.find(&"a".repeat(60)).is_ok() && shown.find(&"z".repeat(20)).is_ok());
    }

    #[test]
    fn exhibits_without_text_are_empty() {
        assert!(shown(&[], ExhibitLimits::default()).are_empty());
        assert!(shown(&["", " \n"], ExhibitLimits::default()).are_empty());
        assert!(!shown(&["", "x"], ExhibitLimits::default()).are_empty());
    }
}
