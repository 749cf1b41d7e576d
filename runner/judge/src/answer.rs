//! What a judge has to answer, and whether it did.

use proctor_types::Citation;
use proctor_types::verdict::Level;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::exhibit::{BadQuote, QUOTE_CHARACTERS, ShownExhibits};
use crate::text::{excerpt, squeezed, visible};

/// Longest answer that is looked at, in bytes.
pub(crate) const ANSWER_BYTES: usize = 64 << 10;
/// Longest reason in characters.
const REASON_CHARACTERS: usize = 4_000;
/// Most quotes of one answer.
const QUOTES: usize = 20;
/// Longest quote in characters.
const QUOTE_CHARACTERS_MOST: usize = 2_000;
/// What an error says of a text that it is about, in bytes.
const EXCERPT: usize = 120;

/// An answer that keeps all rules.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    /// Index into the levels, from 0.
    pub(crate) level: usize,
    pub(crate) reason: String,
    /// Each quote with the exhibit that it is from.
    pub(crate) quotes: Vec<Quote>,
}

/// Words of an exhibit that a judge's answer rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quote {
    /// The words, white space squeezed.
    pub text: String,
    /// The exhibit's source.
    pub citation: Citation,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    level: i64,
    reason: String,
    quotes: Vec<String>,
}

/// The JSON Schema of an answer. It keeps to what the providers' strict modes
/// know: no ranges of numbers, no lengths, every property required.
pub(crate) fn schema(levels: usize) -> Value {
    json!({
        "type": "object",
        "properties": {
            "reason": {
                "type": "string",
                "description": "Why this level and no other, in at most five sentences."
            },
            "quotes": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Words copied exactly out of the exhibits, that the reason rests on."
            },
            "level": {
                "type": "integer",
                "enum": (1..=levels).collect::<Vec<_>>(),
                "description": "The number of the level."
            }
        },
        "required": ["reason", "quotes", "level"],
        "additionalProperties": false
    })
}

/// Whether a level is about something not being there, so that there may be
/// nothing to quote for it.
pub(crate) fn says_absent(level: &Level) -> bool {
    const PHRASES: &[&str] = &[
        "absent",
        "missing",
        "nothing",
        "none",
        "empty",
        "no evidence",
        "not there",
        "not present",
        "not found",
        "not done",
        "not attempted",
        "not exist",
        "not existing",
        "not created",
        "not provided",
    ];
    let spaced = |text: &str| {
        let words = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty());
        let lower: Vec<_> = words.map(str::to_lowercase).collect();
        format!(" {} ", lower.join(" "))
    };
    let text = spaced(&level.text);
    // A good level may say "nothing is missing", a middling one "some are
    // missing": there is something to quote for both.
    level.score < 0.5
        && (text.starts_with(" no ")
            || PHRASES
                .iter()
                .any(|phrase| text.contains(&format!(" {phrase} "))))
}

/// Reads an answer. The error is told to the judge: it says what is wrong and
/// what was expected.
pub(crate) fn read(
    text: &str,
    levels: &[Level],
    exhibits: &ShownExhibits,
) -> Result<Answer, String> {
    let raw = parse(text)?;
    let level = usize::try_from(raw.level)
        .ok()
        .filter(|number| (1..=levels.len()).contains(number))
        .ok_or_else(|| {
            let (found, most) = (raw.level, levels.len());
            format!("the level is {found}; expected a number from 1 to {most}")
        })?
        - 1;
    let reason = visible(raw.reason.trim()).into_owned();
    let characters = reason.chars().count();
    if characters == 0 || characters > REASON_CHARACTERS {
        return Err(format!(
            "the reason has {characters} characters; expected 1 to {REASON_CHARACTERS}"
        ));
    }
    if raw.quotes.len() > QUOTES {
        let count = raw.quotes.len();
        return Err(format!("there are {count} quotes; at most {QUOTES} may be"));
    }
    if raw.quotes.is_empty() && !exhibits.are_empty() && !says_absent(&levels[level]) {
        return Err(format!(
            "there is no quote; level {} has to be shown by words out of the exhibits",
            level + 1
        ));
    }
    let quotes = raw.quotes.iter().map(|text| quote(text, exhibits));
    Ok(Answer {
        level,
        reason,
        quotes: quotes.collect::<Result<_, _>>()?,
    })
}

fn quote(text: &str, exhibits: &ShownExhibits) -> Result<Quote, String> {
    let characters = text.chars().count();
    if characters > QUOTE_CHARACTERS_MOST {
        return Err(format!(
            "a quote has {characters} characters; at most {QUOTE_CHARACTERS_MOST} may be"
        ));
    }
    let shown = excerpt(text, EXCERPT);
    match exhibits.find(text) {
        Ok(exhibit) => Ok(Quote {
            text: squeezed(&visible(text)),
            citation: exhibit.citation.clone(),
        }),
        Err(BadQuote::TooShort) => Err(format!(
            "the quote \"{shown}\" is too short to prove anything; expected at least \
             {QUOTE_CHARACTERS} characters"
        )),
        Err(BadQuote::NotThere) => Err(format!(
            "the quote \"{shown}\" does not occur in the exhibits; quotes are copied from one \
             exhibit, letter by letter"
        )),
    }
}

/// The answer has to be one JSON object and nothing else: who writes prose
/// around it was not held to the schema, and which of several objects counts
/// would be a guess.
fn parse(text: &str) -> Result<Raw, String> {
    if text.len() > ANSWER_BYTES {
        let length = text.len();
        return Err(format!(
            "the answer is {length} bytes long; at most {ANSWER_BYTES} may be"
        ));
    }
    let text = text.trim();
    if text.is_empty() {
        return Err("the answer is empty; expected a JSON object".to_owned());
    }
    if !text.starts_with('{') {
        return Err(format!(
            "the answer is no JSON object but begins with \"{}\"; expected the object alone, \
             without prose or a code fence",
            excerpt(text, EXCERPT)
        ));
    }
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let first = stream.next();
    if matches!(first, Some(Ok(_))) {
        let rest = text[stream.byte_offset()..].trim();
        if !rest.is_empty() {
            return Err(format!(
                "behind the JSON object stands \"{}\"; expected the object alone",
                excerpt(rest, EXCERPT)
            ));
        }
    }
    // Not from the value: a field that is there twice is an error of the text.
    serde_json::from_str(text)
        .map_err(|error| format!("the answer is not the JSON object that was asked for: {error}"))
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
