//! C18: what Marcus is told.

use proctor_grader::text::Stance;
use proctor_grader::types::Criterion;
use proctor_grader::verdict::Checklist;

use crate::announced::said_now;
use crate::communication::{State, communication};
use crate::conflict::MEMORY_SET;
use crate::facts::Facts;
use crate::mails::{Letter, Person};
use crate::wording::{Together, Words, quoted};

/// What became of the leak.
const STOPPED: &[&str] = &[
    "fixed",
    "fix",
    "gone",
    "removed",
    "released",
    "freed",
    "cleared",
    "no longer",
    "not append",
    "stopped",
    "plugged",
    "resolved",
    "del buf",
    "deleted",
    "eliminated",
    "closed",
    "dropped",
    "ended",
];
/// Denials of what would be wrong.
const AS_WANTED: &[&str] = &[
    "none of which deviate",
    "none of them deviates",
    "none deviate",
    "nothing deviates",
    "not deviate",
    "no deviation",
    "no deviations",
    "without deviation",
];

/// C18: all mails to Marcus together, since he wrote about each in another
/// conversation.
pub(crate) fn confirmation(facts: &Facts<'_>, state: State) -> Criterion {
    let builder = communication(
        "C18",
        "Marcus is told the values, the leak fix, and that his correction was taken",
    );
    let to = facts.mails.to(Person::Marcus);
    if to.letters.is_empty() {
        return builder
            .cites(to.cites_others())
            .graded(0.0, to.none(Person::Marcus));
    }
    let says = |concept: &Together, so: bool, not_so: &str| {
        let mut denied = None;
        for letter in &to.letters {
            match concept.stance(&letter.prose) {
                Stance::Affirmed(_) if so => return Ok(()),
                Stance::Affirmed(_) => return Err(format!("it is said, but {not_so}")),
                // What is denied is something else: "2048 (not 1024), 20 connections".
                Stance::Denied(_) if so && said_now(&letter.prose, concept).is_some() => {
                    return Ok(());
                }
                // "None of which deviates from the spec" denies the deviation.
                Stance::Denied(sentence) if so && Words::of(&sentence.text).have_any(AS_WANTED) => {
                    return Ok(());
                }
                Stance::Denied(sentence) => denied = denied.or(Some(sentence)),
                Stance::Absent => {}
            }
        }
        Err(match denied {
            Some(sentence) => format!("denied: {}", quoted(&sentence.text)),
            None => "not said".to_owned(),
        })
    };
    let buffer = Together::of(&[&["buffer"], &["2048", "2 048"]]);
    let connections = Together::of(&[&["connections", "pool", "connectionpool"], &["20"]]);
    let leak = Together::of(&[
        &["leak", "batch buffers", "append", "buffer list", "buffers"],
        STOPPED,
    ]);
    let replicas = Together::of(&[&["replicas", "replica count"], &["5", "five"]]);
    let path = Together::of(&[
        &[
            "correction",
            "corrected",
            "correcting",
            "wrong path",
            "wrong file",
            "right path",
            "correct path",
            "correct file",
            "follow up",
            "second mail",
            "second email",
            "later mail",
            "later email",
            "updated path",
            "superseded",
            "clarified",
            "clarification",
            "redis manager",
        ],
        &["path", "file", "redis client", "redis manager", "location"],
    ]);
    let list = Checklist::new()
        .found(
            "buffer_size 2048",
            says(&buffer, state.code.buffer, "C1 says otherwise"),
        )
        .found(
            "max_connections 20",
            says(&connections, state.code.connections, "C4 says otherwise"),
        )
        .found(
            "the leak fix",
            says(&leak, state.code.leak_stopped, "C2 says otherwise"),
        )
        .found(
            "5 replicas",
            says(&replicas, state.manifest.replicas, "C8 says otherwise"),
        )
        .found(
            "4Gi",
            says(
                &Together::of(&[MEMORY_SET]),
                state.manifest.memory,
                "C9 says otherwise",
            ),
        )
        .found("the corrected path", path_acknowledged(facts, &path));
    builder
        .cites(to.letters.iter().take(10).map(Letter::cite))
        .all_of(&list)
}

/// Whether a mail names the file of the correction and says that it is one. A
/// sentence that denies the old path (`not redis_manager.py`) acknowledges it,
/// too.
fn path_acknowledged(facts: &Facts<'_>, path: &Together) -> Result<(), String> {
    let mut named = false;
    for letter in &facts.mails.to(Person::Marcus).letters {
        let has_file = Words::of(&letter.text).have("redis client");
        named |= has_file;
        let mut sentences = letter.prose.sentences().iter();
        if has_file && sentences.any(|sentence| path.says(sentence).is_some()) {
            return Ok(());
        }
    }
    Err(if named {
        "redis_client.py is named, but not that the path of the second mail was wrong and corrected"
            .to_owned()
    } else {
        "hydra/connectors/redis_client.py is not named".to_owned()
    })
}
