//! Words that texts are looked through for, and agent-made text in reasons:
//! quoted, short and few.

use proctor_grader::text::{
    Concept, Prose, Sentence, Stance, contains_words, excerpt, stem, words,
};

/// Things that a reason names before it only counts the others.
const NAMED: usize = 5;
/// Problems that a reason tells.
const MOST: usize = 8;

/// The first `limit` characters of a text.
pub(crate) fn head(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    text.char_indices()
        .nth(limit)
        .map_or(text, |(end, _)| &text[..end])
}

/// `a`, `a and b`, `a, b and 7 more`.
pub(crate) fn listed<T: AsRef<str>>(things: impl IntoIterator<Item = T>) -> String {
    let mut things = things.into_iter();
    let mut parts: Vec<String> = things
        .by_ref()
        .take(NAMED)
        .map(|thing| excerpt(thing.as_ref(), 80))
        .collect();
    let more = things.count();
    if more > 0 {
        parts.push(format!("{more} more"));
    }
    match parts.split_last() {
        None => "nothing".to_owned(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

/// What is wrong with something, one after the other.
pub(crate) fn problems<T: AsRef<str>>(problems: &[T]) -> String {
    let shown = problems.iter().take(MOST);
    let shown: Vec<String> = shown.map(|one| excerpt(one.as_ref(), 400)).collect();
    shown.join("; ")
}

/// `1 bullet`, `2 bullets`.
pub(crate) fn count(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

/// A quotation.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", excerpt(text, 100))
}

/// `#145 and #146`.
pub(crate) fn numbers(numbers: impl IntoIterator<Item = u64>) -> String {
    listed(numbers.into_iter().map(|number| format!("#{number}")))
}

/// The words of a text as they are compared: by their stems.
pub(crate) struct Words(Vec<String>);

impl Words {
    pub(crate) fn of(text: &str) -> Self {
        Self(words(text).map(|word| stem(&word).to_owned()).collect())
    }

    /// Whether the words of a phrase stand here in a row, inflected as they may
    /// be.
    pub(crate) fn have(&self, phrase: &str) -> bool {
        contains_words(&self.0, &Self::of(phrase).0)
    }

    pub(crate) fn have_any(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.have(phrase))
    }

    pub(crate) fn which<'p>(&self, phrases: &[&'p str]) -> Option<&'p str> {
        phrases.iter().find(|phrase| self.have(phrase)).copied()
    }
}

/// What a sentence says with one word of each of several groups.
pub(crate) struct Together(Vec<Concept>);

impl Together {
    pub(crate) fn of(groups: &[&[&str]]) -> Self {
        let group = |words: &&[&str]| {
            let words = words.iter();
            words.fold(Concept::named(""), |concept, word| concept.or(word))
        };
        Self(groups.iter().map(group).collect())
    }

    /// Whether the sentence says it; `Some(false)` where it denies one of them.
    pub(crate) fn says(&self, sentence: &Sentence) -> Option<bool> {
        let mut affirmed = true;
        for group in &self.0 {
            affirmed &= sentence.says(group)?;
        }
        Some(affirmed)
    }

    /// How a text stands to it: one sentence that says it is enough.
    pub(crate) fn stance<'p>(&self, prose: &'p Prose) -> Stance<'p> {
        let mut denied = None;
        for sentence in prose.sentences() {
            match self.says(sentence) {
                Some(true) => return Stance::Affirmed(sentence),
                Some(false) => denied = denied.or(Some(sentence)),
                None => {}
            }
        }
        denied.map_or(Stance::Absent, Stance::Denied)
    }

    pub(crate) fn is_said(&self, prose: &Prose) -> bool {
        self.stance(prose).is_affirmed()
    }
}

/// What the recommendation engine is called.
pub(crate) const ENGINE: &[&str] = &[
    "recommendation engine",
    "recommendations engine",
    "rec engine",
    "recs engine",
    "recs v2",
    "rec v2",
    "recommendations v2",
    "recommendation v2",
    "feature flag recs v2",
    "144",
];

/// Ways to put something off.
pub(crate) const DEFERRED: &[&str] = &[
    "defer",
    "deferral",
    "deferring",
    "postpone",
    "deprioritize",
    "deprioritise",
    "deprioritization",
    "after the demo",
    "after wednesday",
    "post demo",
    "out of scope",
    "outside",
    "not in scope",
    "not in the scope",
    "not part of",
    "isnt part of",
    "not in sprint 4",
    "later sprint",
    "next sprint",
    "future sprint",
    "on hold",
    "hold off",
    "held back",
    "parked",
    "declined",
    "not included",
    "wont be",
    "will not be",
    "not be able",
    "cant include",
    "cannot include",
    "cant turn",
    "cannot turn",
    "cant flip",
    "cannot flip",
    "cant enable",
    "cannot enable",
    "not able to",
    "need to wait",
    "have to wait",
    "as false",
    "stays off",
    "remains off",
    "stays false",
    "remains false",
    "still false",
    "not flipped",
    "didnt flip",
    "havent flipped",
    "not enabled",
    "didnt enable",
    "havent enabled",
    "not touched",
    "not started",
    "untouched",
    "out of sprint",
    "outside of sprint",
    "left false",
    "left off",
    "not built",
    "stay disabled",
    "stays disabled",
    "remain disabled",
    "remains disabled",
    "will not make",
    "wont make",
    "cannot make",
    "cant make",
    "not a sprint 4",
    "not on the sprint",
    "keep the flag off",
    "keeping the flag off",
    "pushed to after",
    "pushed to the next",
    "pushed to a later",
    "pushed to sprint",
    "pushed to the backlog",
    "moved to after",
    "moved to the next",
    "moved to a later",
    "moved to sprint",
    "moved to the backlog",
    "waits",
    "has to wait",
    "will wait",
];

/// Verbs of somebody who turns something on.
const TURNS_ON: &[&str] = &[
    "flip", "enable", "turn", "switch", "activate", "ship", "deploy", "release", "build",
];
/// How somebody says what he does or will do.
const FIRST_PERSON: &[&str] = &["i", "ill", "im", "ive", "we", "well", "were", "weve"];
/// What keeps it from being a promise for now: another time, or a condition.
const NOT_NOW: &[&str] = &[
    "after",
    "once",
    "when",
    "if",
    "later",
    "next sprint",
    "until",
    "off",
    "false",
    "would",
    "could",
    "disabled",
    "sprint 5",
    "asked",
    "wanted",
];

/// How something is that was turned on.
const TURNED_ON: &[&str] = &[
    "is on",
    "is live",
    "now live",
    "now on",
    "is now true",
    "now true",
    "is enabled",
    "now enabled",
    "been enabled",
    "is flipped",
    "been flipped",
    "is turned on",
    "been turned on",
];

/// Whether a sentence says that its writer turns something on now, or by
/// Wednesday, or has done so: the opposite of putting it off.
pub(crate) fn turns_on(sentence: &Sentence) -> bool {
    let about = Words::of(&sentence.text);
    if !about.have_any(ENGINE) && !about.have("flag") {
        return false;
    }
    let clauses = sentence.text.replace(" but ", ", ").replace(" and ", ", ");
    clauses
        .split([',', ';', ':', '—', '–', '(', ')'])
        .any(turned_on_in)
}

fn turned_on_in(clause: &str) -> bool {
    let all = words(clause).collect::<Vec<_>>();
    let verb = |word: &String| TURNS_ON.iter().any(|verb| stem(verb) == stem(word));
    let person = all.iter().enumerate().any(|(at, word)| {
        let mut next = all[at + 1..].iter().take(4);
        FIRST_PERSON.contains(&word.as_str()) && next.any(verb)
    });
    let prose = Prose::new(clause);
    let does = person && Together::of(&[TURNS_ON]).is_said(&prose);
    let is = !does && Together::of(&[TURNED_ON]).is_said(&prose);
    let about = Words::of(clause);
    let object = about.have_any(ENGINE) || about.have_any(&["flag", "it", "feature"]);
    (does || is) && object && !about.have_any(NOT_NOW)
}

/// Words of somebody who is friendly.
pub(crate) const COURTESY: &[&str] = &[
    "thank",
    "thanks",
    "appreciate",
    "understand",
    "sorry",
    "happy to",
    "glad",
    "love to",
    "would like to",
    "great",
    "excited",
    "enthusiasm",
    "unfortunately",
    "hope",
    "looking forward",
    "wonderful",
    "fantastic",
    "apologize",
    "apologies",
    "kind regards",
    "warm regards",
    "warmly",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_short() {
        assert_eq!(listed(Vec::<String>::new()), "nothing");
        assert_eq!(numbers([1, 2]), "#1 and #2");
        assert_eq!(listed(["a"; 9]), "a, a, a, a, a and 4 more");
    }

    #[test]
    fn one_of_each_group_has_to_be_said() {
        let both = Together::of(&[&["a1", "a2"], &["b1", "b2"]]);
        assert!(both.is_said(&Prose::new("a2 and b1")));
        assert!(!both.is_said(&Prose::new("a1. b1.")));
        assert!(!both.is_said(&Prose::new("not a2 and b1")));
    }
}
