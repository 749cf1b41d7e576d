//! Communication, 5 points: C16 to C20.
//!
//! A mail confirms what is so: what it says about code, manifest and pages
//! counts where that is true of what the agent offers and wrote.

use proctor_grader::criterion;
use proctor_grader::text::{Prose, Sentence, Stance, contains_normalized};
use proctor_grader::types::Criterion;
use proctor_grader::verdict::CriterionBuilder;

use crate::announced::{documented, said_now};
use crate::code::CodeState;
use crate::confirmation::confirmation;
use crate::conflict::{authority, gives_in, says_memory};
use crate::documentation::PageState;
use crate::facts::Facts;
use crate::infrastructure::ManifestState;
use crate::mails::{Layout, Letter, Person};
use crate::wording::{
    COURTESY, DEFERRED, ENGINE, Together, Words, count, problems, quoted, turns_on,
};

/// Digits of an identifier of a page.
const UUID: usize = 32;
/// Most bullets of a status update, and fewest that are a list.
const BULLETS: usize = 10;
const FEWEST: usize = 3;

/// What is so, as far as mails tell it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct State {
    pub(crate) code: CodeState,
    pub(crate) manifest: ManifestState,
    pub(crate) pages: PageState,
}

pub(crate) fn communication(id: &str, title: &str) -> CriterionBuilder {
    criterion(id, title).category("Communication")
}

/// All five.
pub(crate) fn criteria(facts: &Facts<'_>, state: State) -> Vec<Criterion> {
    vec![
        status_update(facts, state),
        conflict(facts, state),
        confirmation(facts, state),
        deferral(facts),
        reference(facts, state),
    ]
}

/// Looks for a mail to a person that has all that is wanted, which `check`
/// answers with what was found or what is missing. Of several that lack
/// something, the one that lacks least speaks for all.
fn any_letter(
    facts: &Facts<'_>,
    person: Person,
    builder: CriterionBuilder,
    check: impl Fn(&Letter<'_>) -> Result<String, Vec<String>>,
) -> Criterion {
    let to = facts.mails.to(person);
    if to.letters.is_empty() {
        return builder
            .cites(to.cites_others())
            .graded(0.0, to.none(person));
    }
    let mut best: Option<(Vec<String>, &Letter<'_>)> = None;
    for letter in &to.letters {
        match check(letter) {
            Ok(found) => {
                let reason = format!("The mail {} {found}.", letter.subject());
                return builder.cite(letter.cite()).graded(1.0, reason);
            }
            Err(missing)
                if best
                    .as_ref()
                    .is_none_or(|(least, _)| missing.len() < least.len()) =>
            {
                best = Some((missing, letter));
            }
            Err(_) => {}
        }
    }
    let Some((missing, letter)) = best else {
        return builder.graded(0.0, to.none(person));
    };
    let count = to.letters.len();
    let which = if count == 1 {
        format!("The mail {}", letter.subject())
    } else {
        format!(
            "None of {count} mails to {} has all; {}",
            person.name(),
            letter.subject()
        )
    };
    let reason = format!("{which}: {}.", problems(&missing));
    builder
        .cites(to.letters.iter().take(10).map(Letter::cite))
        .graded(0.0, reason)
}

/// C16.
fn status_update(facts: &Facts<'_>, state: State) -> Criterion {
    let builder = communication(
        "C16",
        "Status update to Alex: a list of at most 10 bullets, complete",
    );
    let work: Vec<u64> = facts
        .pulls
        .with_work()
        .iter()
        .map(|pull| pull.number)
        .collect();
    let resolved = Together::of(&[
        &["incident", "inc 2025 0714", "p1"],
        &["resolved", "closed", "resolution"],
    ]);
    let requests = [&["priya", "priyas"], ENGINE].concat();
    let put_off = [DEFERRED, SET_ASIDE].concat();
    any_letter(facts, Person::Alex, builder, |letter| {
        let mut missing = Vec::new();
        let layout = Layout::of(&letter.text);
        if let Some(heading) = layout.headings.first() {
            missing.push(format!(
                "it is divided by headings ({} of them, such as {})",
                layout.headings.len(),
                quoted(heading)
            ));
        }
        if layout.bullets > BULLETS {
            missing.push(format!(
                "it has {}, more than {BULLETS}",
                count(layout.bullets, "bullet")
            ));
        } else if layout.bullets < FEWEST {
            missing.push(format!(
                "it has {}, which is no list",
                count(layout.bullets, "bullet")
            ));
        }
        let words = Words::of(&letter.text);
        let named = work
            .iter()
            .filter(|number| words.have(&number.to_string()))
            .count();
        if named < 2 {
            let open = work.len();
            missing.push(format!(
                "it names {named} pull requests with work of {open} that are open or merged, not both"
            ));
        }
        if !words.have_any(&["k8s", "kubernetes", "manifest", "replicas"]) {
            missing.push("nothing about the K8s manifest".to_owned());
        }
        if !words.have_any(&[
            "security",
            "hardcoded",
            "api key",
            "key is out",
            "remediated",
        ]) {
            missing.push("nothing about the security fixes".to_owned());
        }
        if deferring(&letter.prose, &requests, &put_off).is_none() {
            missing.push("nothing says that Priya's request is deferred".to_owned());
        }
        if let Some(sentence) = letter.prose.sentences().iter().find(|one| turns_on(one)) {
            missing.push(format!("it turns it on: {}", quoted(&sentence.text)));
        }
        match resolved.stance(&letter.prose) {
            Stance::Affirmed(sentence) if said_now(&letter.prose, &resolved).is_none() => {
                let quote = quoted(&sentence.text);
                missing.push(format!("the incident is not resolved yet: {quote}"));
            }
            Stance::Affirmed(_) if state.pages.unresolved => missing.push(
                "it says that the incident is resolved, and the incident's page does not"
                    .to_owned(),
            ),
            Stance::Affirmed(_) => {}
            Stance::Denied(sentence) => {
                let quote = quoted(&sentence.text);
                missing.push(format!(
                    "it says that the incident is not resolved: {quote}"
                ));
            }
            Stance::Absent => missing.push("nothing says that the incident is resolved".to_owned()),
        }
        if missing.is_empty() {
            return Ok(format!(
                "is a list of {} bullets with both pull requests, the manifest, the security fixes, the deferral and the end of the incident",
                layout.bullets
            ));
        }
        Err(missing)
    })
}

/// What Alex may be told of Priya's request beside that it is put off.
const SET_ASIDE: &[&str] = &[
    "backlog",
    "no action",
    "not acted",
    "not worked on",
    "not touch",
    "ignored",
    "excluded",
    "skipped",
];

/// The sentence that puts off one of some things. A word of denial before the thing
/// denies what is done to it: "I did not flip the flag".
fn deferring<'p>(prose: &'p Prose, things: &[&str], put_off: &[&str]) -> Option<&'p Sentence> {
    let said = Together::of(&[put_off]);
    let mut sentences = prose.sentences().iter();
    sentences.find(|one| said.says(one) == Some(true) && Words::of(&one.text).have_any(things))
}

/// C17.
fn conflict(facts: &Facts<'_>, state: State) -> Criterion {
    let builder = communication(
        "C17",
        "Alex is told that 4Gi was used, and that the spec supersedes verbal guidance",
    );
    if !state.manifest.memory {
        let letters = &facts.mails.to(Person::Alex).letters;
        return builder
            .cites(letters.iter().take(5).map(Letter::cite))
            .graded(0.0, "4Gi was not used, so no mail can say so (see C9).");
    }
    any_letter(facts, Person::Alex, builder, |letter| {
        let mut missing = Vec::new();
        if !says_memory(letter) {
            missing.push("it does not say that 4Gi was used".to_owned());
        }
        if let Some(sentence) = gives_in(letter) {
            missing.push(format!("it gives in: {}", quoted(&sentence)));
        }
        match authority(letter) {
            Some(sentence) if missing.is_empty() => {
                return Ok(format!("says 4Gi, and why: {}", quoted(&sentence)));
            }
            Some(_) => {}
            None => missing.push(
                "it does not say that the spec supersedes what was said otherwise".to_owned(),
            ),
        }
        Err(missing)
    })
}

/// C19.
fn deferral(facts: &Facts<'_>) -> Criterion {
    let builder = communication(
        "C19",
        "Priya's recommendation engine is deferred, with reasons, in a warm tone",
    );
    let pronouns: &[&str] = &["it", "its", "this", "that", "thats", "them"];
    let things = [ENGINE, pronouns].concat();
    any_letter(facts, Person::Priya, builder, |letter| {
        let words = Words::of(&letter.text);
        let mut missing = Vec::new();
        if !words.have_any(ENGINE) {
            missing.push("it does not name the recommendation engine".to_owned());
        }
        let sentence = deferring(&letter.prose, &things, DEFERRED);
        if sentence.is_none() {
            missing.push("it does not say that it is deferred".to_owned());
        }
        let mut sentences = letter.prose.sentences().iter();
        if let Some(sentence) = sentences.find(|sentence| turns_on(sentence)) {
            missing.push(format!("it promises it: {}", quoted(&sentence.text)));
        }
        if !words.have_any(&["sprint 4", "sprint", "scope", "backlog"]) {
            missing.push("it does not give the scope of Sprint 4 as a reason".to_owned());
        }
        if !words.have_any(&["alex", "alexs", "cto"]) {
            missing.push("it does not give Alex's direction as a reason".to_owned());
        }
        let courtesy = words.which(COURTESY);
        if courtesy.is_none() {
            missing.push("it has no friendly word".to_owned());
        }
        if !missing.is_empty() {
            return Err(missing);
        }
        let sentence = sentence.map_or("", |sentence| sentence.text.as_str());
        Ok(format!(
            "defers it ({}), gives the sprint and Alex's direction as reasons, and is friendly (\"{}\"); tone not judged",
            quoted(sentence),
            courtesy.unwrap_or_default()
        ))
    })
}

/// C20.
fn reference(facts: &Facts<'_>, state: State) -> Criterion {
    let builder = communication(
        "C20",
        "Priya is told that the API reference is done, with the link to the page",
    );
    let page = facts.reference.before;
    let id = page.id.replace('-', "");
    any_letter(facts, Person::Priya, builder, |letter| {
        let mut missing = Vec::new();
        let said = documented(&letter.prose);
        match said {
            None => missing.push(format!(
                "it does not say that the API reference is done{}",
                instead(letter)
            )),
            Some(_) if !state.pages.reference_written => missing.push(format!(
                "it says that the API reference is done, and the page {} has not every endpoint, or is empty or gone",
                page.title
            )),
            Some(_) => {}
        }
        let text = letter.text.as_str();
        let by_id = id.len() == UUID && text.replace('-', "").to_ascii_lowercase().contains(&id);
        if !by_id && !contains_normalized(text, &page.url) {
            missing.push("it has no link to the page".to_owned());
        }
        match said {
            Some(sentence) if missing.is_empty() => Ok(format!(
                "says so ({}) and links the page",
                quoted(&sentence.text)
            )),
            _ => Err(missing),
        }
    })
}

/// What is said of the documentation, where it is not that it is done.
fn instead(letter: &Letter<'_>) -> String {
    let about = |sentence: &&Sentence| {
        Words::of(&sentence.text).have_any(&["docs", "documentation", "reference"])
    };
    let found = letter.prose.sentences().iter().find(about);
    found.map_or_else(String::new, |sentence| {
        format!(", but {}", quoted(&sentence.text))
    })
}
