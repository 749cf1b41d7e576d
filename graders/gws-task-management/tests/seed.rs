//! The mails of the task pack itself, and titles that agents give to tasks about
//! them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::fs;
use std::path::Path;

use common::{Trial, assert_graded};
use mail_parser::MessageParser;
use proctor_grader::testing;
use proctor_grader::types::world::Mail;

/// A message of the pack's seed, unread in the inbox.
fn seeded(name: &str) -> Mail {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = dir
        .join("../../tasks/gws-task-management/seed/google/mail")
        .join(name);
    let source = fs::read(&path).unwrap();
    let message = MessageParser::default().parse(&source).unwrap();
    let from = message.from().unwrap().first().unwrap();
    let from = format!("{} <{}>", from.name().unwrap(), from.address().unwrap());
    testing::mail(
        name,
        &from,
        message.subject().unwrap(),
        &message.body_text(0).unwrap(),
    )
}

/// An agent that has done nothing yet in the world of the pack.
fn trial() -> Trial {
    let mut trial = Trial::new();
    let files = [
        "q3-planning-meeting.eml",
        "code-review-request.eml",
        "ci-failure.eml",
    ];
    let mut timesheet = seeded("timesheet-reminder.eml");
    timesheet.label_ids = vec!["INBOX".to_owned()];
    trial.mails = files
        .iter()
        .map(|file| seeded(file))
        .chain([timesheet])
        .collect();
    trial
}

#[test]
fn titles_about_each_mail_are_recognised() {
    for (titles, subject) in [
        (
            &[
                "Prepare headcount and budget figures for the Q3 planning meeting",
                "Send budget and headcount slides to Priya",
                "Q3 planning: prepare figures by Wednesday",
                "Attend Q3 Planning Meeting on Thursday, June 19",
                "Prepare headcount & budget figures (due 18 June)",
            ][..],
            "Q3 planning",
        ),
        (
            &[
                "Review pull request #482: retry payment webhooks",
                "Review PR #482",
                "Code review for Jonas Müller: payment webhooks",
                "Review Jonas's retry webhooks PR before Wednesday's release branch cut",
            ],
            "Code review request",
        ),
        (
            &[
                "Fix the CI failure on checkout-service main (refund rounding test)",
                "Fix CI failure",
                "Investigate failing integration test in checkout-service build #20931",
                "Fix test_partial_refund_is_rounded_once",
                "Fix failing CI build on main",
            ],
            "CI failure",
        ),
    ] {
        for title in titles {
            let mut trial = trial();
            trial.create("a", title);
            let criterion = trial.criterion("meaningful_titles");
            assert_graded(
                &criterion,
                1.0 / 3.0,
                &format!("is about the mail “{subject}"),
            );
        }
    }
}

#[test]
fn titles_that_need_no_mail_to_write_are_not() {
    for title in [
        "Task from email 1",
        "Action item",
        "Handle email",
        "Reply to colleague",
        "Buy groceries",
        "Important",
        "Do this by Thursday",
        "Water the plants",
    ] {
        let mut trial = trial();
        trial.create("a", title);
        let criterion = trial.criterion("meaningful_titles");
        assert!(
            criterion.points.unwrap() < 0.2,
            "{title}: {}",
            criterion.reason
        );
        assert!(
            !criterion.reason.contains(" is about the mail"),
            "{title}: {}",
            criterion.reason
        );
    }
}

#[test]
fn words_of_a_mail_among_others_are_no_full_title() {
    let mut trial = trial();
    trial.create("a", "482 zebra payment webhooks");
    let criterion = trial.criterion("meaningful_titles");
    assert_graded(&criterion, 1.0 / 6.0, "its other words come from nowhere");
}

#[test]
fn junk_is_no_task_for_a_mail() {
    let mut trial = trial();
    for title in ["a1", "b2", "c3", "2", "x y z"] {
        trial.create(title, title);
    }
    assert_graded(&trial.criterion("created_new_task"), 0.0, "did not count");
}
