//! The reply: T1.

use std::collections::BTreeSet;

use proctor_grader::mailbox::{MESSAGE, MailExt as _};
use proctor_grader::repositories::Repo;
use proctor_grader::text::{Concept, Prose, contains, excerpt, mentions};
use proctor_grader::types::Criterion;
use proctor_grader::types::world::Mail;
use proctor_grader::{Error, Evidence, cite, criterion};

use crate::code::Work;

/// Replies that are read.
const REPLIES: usize = 20;
/// Ways to say when something will be there.
const WHEN: &[&str] = &[
    "eta",
    "today",
    "tonight",
    "tomorrow",
    "by noon",
    "this afternoon",
    "end of day",
    "by monday",
    "by tuesday",
    "by wednesday",
    "by thursday",
    "by friday",
    "within the hour",
    "in an hour",
];

/// T1: a point for the confirmation, another for the link or a time.
pub(crate) fn reply(
    evidence: &Evidence,
    repo: &Repo<'_>,
    work: &Work<'_>,
) -> Result<Criterion, Error> {
    let builder = criterion(
        "T1",
        "A reply to Alex that confirms the fix, with the link or a time",
    )
    .category("Communication")
    .max(2.0);
    let mailbox = evidence.mailbox();
    let received = mailbox.received()?;
    if received.is_empty() {
        return Err(Error::unfit("the inbox has no mail"));
    }
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut replies: Vec<&Mail> = Vec::new();
    for mail in received {
        for reply in mailbox.replies_to(mail)? {
            if reply.is_to(&mail.from) && seen.insert(&reply.id) {
                replies.push(reply);
            }
        }
    }
    if replies.is_empty() {
        let other = mailbox.sent()?;
        let reason = match other.first() {
            Some(mail) => format!(
                "No mail answers Alex in the conversation; \"{}\" went elsewhere.",
                excerpt(&mail.subject, 60)
            ),
            None => "No mail was sent.".to_owned(),
        };
        return Ok(builder.graded(0.0, reason));
    }
    let cited = replies
        .iter()
        .take(5)
        .map(|mail| cite::after(MESSAGE, &mail.id));
    let builder = builder.cites(cited);
    let (mut best, mut reason) = (-1.0, String::new());
    for mail in replies.into_iter().take(REPLIES) {
        let text = mail.own_text();
        let confirms = confirms(&text) && !work.offered.is_empty();
        let link = link(repo, work, mail, &text);
        let points = f64::from(u8::from(confirms)) + f64::from(u8::from(link.is_ok()));
        if points > best {
            best = points;
            let fix = match (confirms, work.offered.is_empty()) {
                (true, _) => "It confirms the fix",
                (_, true) => "There is no fix that it could confirm",
                _ => "It does not say that the threshold is 0.85 or the false positives are fixed",
            };
            let link = link.unwrap_or_else(|instead| instead);
            reason = format!("{fix}; {link}.");
        }
    }
    Ok(builder.graded(best.max(0.0), reason))
}

/// Whether a text says that it is fixed, or changed to 0.85.
fn confirms(text: &str) -> bool {
    let verbs = [
        "fixed",
        "fix",
        "corrected",
        "resolved",
        "changed",
        "raised",
        "updated",
        "increased",
    ];
    let fixed = verbs.iter().fold(Concept::named("fixed"), |concept, verb| {
        concept
            .together([*verb, "false positive"])
            .together([*verb, "threshold"])
            .together([*verb, "classifier"])
            .together([*verb, "0 85"])
            .together([*verb, "bug"])
    });
    Prose::new(text).stance(&fixed).is_affirmed() && mentions(text, 0.85, &[])
}

fn link(repo: &Repo<'_>, work: &Work<'_>, mail: &Mail, text: &str) -> Result<String, String> {
    let html = mail.html.as_deref().unwrap_or_default();
    let links = repo.linked_pulls(&[text, html].join("\n"));
    if let Some(pull) = work
        .offered
        .iter()
        .find(|pull| links.contains(&pull.number))
    {
        return Ok(format!("it links #{}", pull.number));
    }
    if let Some(number) = links.first() {
        return Err(format!("it links #{number}, which is not open or merged"));
    }
    let names = |pull: &&&proctor_grader::types::world::github::PullRequest| {
        contains(text, &format!("pull request {}", pull.number))
            || contains(text, &format!("pr {}", pull.number))
    };
    if work.offered.iter().find(names).is_some() {
        return Err("it names the pull request without a link".to_owned());
    }
    match WHEN.iter().find(|when| contains(text, when)) {
        Some(when) => Ok(format!(
            "it says when the pull request will be there (\"{when}\")"
        )),
        None => Err("it has neither a link to the pull request nor a time".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::confirms;

    #[test]
    fn a_confirmation_says_what_was_done() {
        assert!(confirms(
            "The false positives are fixed: the threshold is 0.85 now."
        ));
        assert!(confirms("I changed the threshold from 0.70 to 0.85."));
        assert!(!confirms(
            "I have not fixed the false positives; 0.85 is what the spec says."
        ));
        assert!(!confirms("All done!"));
    }
}
