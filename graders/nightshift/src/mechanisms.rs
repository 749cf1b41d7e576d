//! The four mechanisms of the incident, as a root cause may put them.

use proctor_grader::text::{Prose, mentions, stem, words};

use crate::wording::{Together, Words};

const BUFFER: &[&str] = &["buffer", "buffer size", "512"];
const FRAGMENTED: &[&str] = &["fragment", "fragmentation", "fragmented"];
const LIST: &[&str] = &["buffer", "batch buffers", "list", "bytearray"];
const KEPT: &[&str] = &[
    "never cleared",
    "never released",
    "never removed",
    "never freed",
    "never emptied",
    "not cleared",
    "not released",
    "not removed",
    "not freed",
    "nothing ever removed",
    "nothing removed",
    "nothing removes",
    "nothing cleared",
    "nothing clears",
    "nothing empties",
    "no cleanup",
    "without cleanup",
    "without being cleared",
    "without being released",
    "without ever being",
    "unbounded",
    "without bound",
    "indefinitely",
    "forever",
    "accumulate",
    "accumulating",
    "accumulation",
    "leak",
    "leaked",
    "retained",
    "piled up",
    "nothing was ever taken out",
    "nothing was ever removed",
    "nothing was ever cleared",
    "nothing was ever released",
    "nothing was ever freed",
    "nothing was removed",
    "nothing was taken out",
    "nothing took",
    "nothing released",
    "never taken out",
    "never drained",
    "never purged",
    "never let go",
    "kept growing",
    "held on to",
];
const REDIS: &[&str] = &["redis", "connection", "get redis client", "tcp connection"];
const EACH_BATCH: &[&str] = &[
    "per batch",
    "every batch",
    "each batch",
    "on every call",
    "on each call",
    "every call",
    "each call",
    "per call",
    "every invocation",
    "each invocation",
    "per invocation",
    "every batch run",
    "batch opened",
    "batch opens",
];
const MEMORY_GONE: &[&str] = &[
    "oomkill",
    "oomkills",
    "oomkilled",
    "oom kill",
    "oom killed",
    "oom",
    "out of memory",
    "memory ran out",
    "memory runs out",
    "exhausted",
    "memory limit",
];
const COMBINED: &[&str] = &[
    "together",
    "combined",
    "combine",
    "combination",
    "compound",
    "compounding",
    "both",
    "in sum",
    "cumulative",
    "interact",
    "interaction",
    "all three",
    "jointly",
    "add up",
    "added up",
    "amplify",
];

/// Words that may stand between "every" and "batch".
const BETWEEN: usize = 3;

/// Whether a text has each of the four, by name. Each is said within one
/// paragraph or item; how they combine may take two in a row.
pub(crate) fn mechanisms(texts: &[String]) -> [(&'static str, bool); 4] {
    let proses: Vec<Prose> = texts.iter().map(|text| Prose::new(text)).collect();
    let says = |groups: &[&[&str]]| {
        let concepts = groups.iter().map(|group| Together::of(&[group]));
        let concepts: Vec<Together> = concepts.collect();
        proses
            .iter()
            .any(|prose| concepts.iter().all(|one| one.is_said(prose)))
    };
    [
        (
            "small buffers that fragment the heap",
            says(&[BUFFER, FRAGMENTED]),
        ),
        (
            "the list of buffers that is never cleared",
            says(&[LIST, KEPT]) || proses.iter().any(never_taken_out),
        ),
        (
            "a Redis connection for each batch",
            says(&[REDIS, EACH_BATCH]) || proses.iter().any(for_each_batch),
        ),
        (
            "how they lead to an OOMKill about every 7 minutes together",
            combined(texts),
        ),
    ]
}

/// Whether a sentence is about Redis and each batch or call, with a few words
/// between: "a client in every `_process_batch` call".
fn for_each_batch(prose: &Prose) -> bool {
    const EACH: [&str; 3] = ["every", "each", "per"];
    const RUN: [&str; 4] = ["batch", "call", "invocation", "run"];
    let each = Together::of(&[REDIS, &EACH]);
    let near = |text: &str| {
        let words: Vec<String> = words(text).collect();
        words.iter().enumerate().any(|(at, word)| {
            let mut next = words[at + 1..].iter().take(BETWEEN + 1);
            EACH.contains(&word.as_str()) && next.any(|word| RUN.contains(&word.as_str()))
        })
    };
    let mut sentences = prose.sentences().iter();
    sentences.any(|sentence| each.says(sentence) == Some(true) && near(&sentence.text))
}

/// Whether a sentence about the list denies that something is taken out of it:
/// "never gets cleared", "there was no code to remove it".
fn never_taken_out(prose: &Prose) -> bool {
    const DENIALS: [&str; 6] = ["never", "not", "no", "nothing", "nobody", "without"];
    const REMOVALS: [&str; 12] = [
        "clear", "release", "remove", "removal", "free", "empty", "pop", "purge", "drain",
        "delete", "discard", "cleanup",
    ];
    let removes = |word: &String| REMOVALS.iter().any(|one| stem(one) == stem(word));
    let mut sentences = prose.sentences().iter();
    sentences.any(|sentence| {
        let words: Vec<String> = words(&sentence.text).collect();
        let denied = words.iter().enumerate().any(|(at, word)| {
            let mut next = words[at + 1..].iter().take(BETWEEN + 1);
            DENIALS.contains(&word.as_str()) && next.any(removes)
        });
        denied && Words::of(&sentence.text).have_any(LIST)
    })
}

fn combined(texts: &[String]) -> bool {
    texts.iter().any(|text| {
        let words = Words::of(text);
        let every_seven = mentions(text, 7.0, &["minutes", "minute", "min", "mins"])
            || words.have_any(&["seven minutes", "7 minute", "6 8 minutes"]);
        every_seven && words.have_any(MEMORY_GONE) && words.have_any(COMBINED)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn found(texts: &[&str], expected: [bool; 4]) {
        let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
        assert_eq!(
            mechanisms(&texts).map(|(_, found)| found),
            expected,
            "{texts:?}"
        );
    }

    #[test]
    fn each_is_found_where_it_is_said() {
        found(
            &["buffer_size was too small, and grew in place. That led to fragmentation."],
            [true, false, false, false],
        );
        found(
            &["Every buffer went into _batch_buffers, which was never cleared"],
            [false, true, false, false],
        );
        found(
            &["A new Redis connection was opened on each batch."],
            [false, false, true, false],
        );
        found(
            &["`get_redis_client()` built a new client in every `_process_batch` call."],
            [false, false, true, false],
        );
        found(
            &["Each buffer went to a list. Nothing was ever taken out of it."],
            [false, true, false, false],
        );
        found(
            &["Together they exhausted the pod: an OOMKill about every seven minutes."],
            [false, false, false, true],
        );
    }

    #[test]
    fn what_is_denied_or_only_touched_on_is_not() {
        found(&["Buffers were not fragmented."], [false; 4]);
        found(&["Redis was not called in every batch."], [false; 4]);
        found(
            &["The buffers were not leaked. Redis was fine."],
            [false; 4],
        );
        found(&["It is OOMKilled every 7 minutes."], [false; 4]);
        found(&["buffer", "fragmentation"], [false; 4]);
        found(&[], [false; 4]);
    }
}
