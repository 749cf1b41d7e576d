//! Each criterion: earned, half earned, and not earned by what looks like it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{
    CI, COMPLETED, PENDING, PLANNING, REVIEW, TIMESHEET, Trial, assert_graded, citations, points,
};
use proctor_grader::Error;
use proctor_grader::types::journal::Payload;
use proctor_grader::types::world::TaskStatus;
use proctor_grader::types::{Change, Touch, View};

#[test]
fn a_good_agent_gets_every_point_with_reasons_and_citations() {
    let verdict = Trial::good().grade();
    let ids: Vec<&str> = verdict
        .criteria()
        .iter()
        .map(|criterion| &*criterion.id)
        .collect();
    assert_eq!(
        ids,
        [
            "listed_tasks",
            "updated_completed",
            "read_emails",
            "created_new_task",
            "meaningful_titles",
            "summary_created",
        ]
    );
    for criterion in verdict.criteria() {
        assert_graded(criterion, 1.0, "");
        assert!(
            !criterion.reason.is_empty() && !criterion.citations.is_empty(),
            "{criterion:?}"
        );
    }
    assert!(verdict.notes().is_empty(), "{:?}", verdict.notes());
}

#[test]
fn an_agent_that_does_nothing_gets_nothing() {
    let verdict = Trial::new().grade();
    assert_eq!(verdict.criteria().len(), 6);
    for criterion in verdict.criteria() {
        assert_graded(criterion, 0.0, "");
        assert!(!criterion.reason.is_empty());
    }
}

#[test]
fn listing_counts_what_the_answers_showed() {
    let mut partly = Trial::new();
    partly.list_tasks().read.truncate(1);
    let criterion = partly.criterion("listed_tasks");
    assert_graded(
        &criterion,
        0.5,
        "showed “Review Q3 proposal”, but never “Update documentation”",
    );
    assert_eq!(citations(&criterion), ["journal:1"]);

    let mut in_two_answers = partly.clone();
    in_two_answers.list_tasks().read.remove(0);
    assert_graded(
        &in_two_answers.criterion("listed_tasks"),
        1.0,
        "“Update documentation”",
    );

    let mut refused = Trial::new();
    refused.list_tasks().status = 401;
    let criterion = refused.criterion("listed_tasks");
    assert_graded(&criterion, 0.0, "refused with HTTP 401");
    assert_eq!(citations(&criterion), ["journal:1"]);

    let mut identifiers_only = Trial::new();
    for touch in &mut identifiers_only.list_tasks().read {
        touch.view = Some(View::Reference);
    }
    assert_graded(
        &identifiers_only.criterion("listed_tasks"),
        0.0,
        "no answer carried the title of a task",
    );
    for touch in &mut identifiers_only.journal[0].read {
        touch.view = Some(View::Summary);
    }
    assert_graded(
        &identifiers_only.criterion("listed_tasks"),
        0.0,
        "no answer carried the title of a task",
    );

    let mut other = Trial::new();
    other
        .request("tasks.tasklists.list")
        .read
        .push(Touch::read("tasks.tasklist", "x", View::Full));
    assert_graded(&other.criterion("listed_tasks"), 0.0, "No accepted request");
}

#[test]
fn tasks_that_a_plain_listing_hides_need_not_be_listed() {
    let mut trial = Trial::new();
    for tasks in [&mut trial.before, &mut trial.after] {
        let mut hidden = tasks[1].clone();
        hidden.id = "task-hidden".to_owned();
        hidden.hidden = true;
        tasks.push(hidden);
    }
    trial.list_tasks().read.truncate(2);
    assert_graded(&trial.criterion("listed_tasks"), 1.0, "");
}

#[test]
fn completing_is_an_act_and_not_a_state() {
    let mut patched = Trial::new();
    patched.patch(COMPLETED, br#"{"status":"completed"}"#, &[]);
    let criterion = patched.criterion("updated_completed");
    assert_graded(
        &criterion,
        1.0,
        "marked “Update documentation” as completed",
    );
    assert_eq!(
        citations(&criterion),
        ["journal:1", "after:tasks.task/task-docs"]
    );

    let mut replaced = patched.clone();
    replaced.journal[0].operation = Some("tasks.tasks.update".to_owned());
    assert_graded(&replaced.criterion("updated_completed"), 1.0, "");

    let mut refused = patched.clone();
    refused.journal[0].status = 404;
    assert_graded(
        &refused.criterion("updated_completed"),
        0.0,
        "not the agent's doing",
    );

    let mut undone = patched.clone();
    undone.task(COMPLETED).status = TaskStatus::NeedsAction;
    assert_graded(
        &undone.criterion("updated_completed"),
        0.0,
        "is not in the end",
    );

    let mut deleted = patched.clone();
    deleted.task(COMPLETED).deleted = true;
    let verdict = deleted.grade();
    assert_graded(
        verdict.criterion("updated_completed").unwrap(),
        0.0,
        "is deleted",
    );
    assert!(verdict.notes()[0].contains("Deleted from the task list: “Update documentation”"));
}

#[test]
fn an_update_of_something_else_marks_nothing() {
    let mut renamed = Trial::new();
    renamed.patch(COMPLETED, br#"{"notes":"seen"}"#, &["notes"]);
    assert_graded(
        &renamed.criterion("updated_completed"),
        0.0,
        "no update said",
    );

    let mut body_lost = renamed.clone();
    body_lost.journal[0].request.kept = false;
    assert_graded(
        &body_lost.criterion("updated_completed"),
        0.0,
        "no update said",
    );
    body_lost.journal[0].changed[0].fields.clear();
    assert_graded(
        &body_lost.criterion("updated_completed"),
        0.0,
        "is not in the evidence",
    );

    let mut wrong_task = Trial::new();
    wrong_task.patch(PENDING, br#"{"status":"completed"}"#, &["status"]);
    wrong_task.task(PENDING).status = TaskStatus::Completed;
    let verdict = wrong_task.grade();
    assert_graded(
        verdict.criterion("updated_completed").unwrap(),
        0.0,
        "“Update documentation”",
    );
    assert!(
        verdict.notes()[0].contains("“Review Q3 proposal”"),
        "{:?}",
        verdict.notes()
    );

    let mut own_task = Trial::new();
    own_task.create("mine", "Done").status = TaskStatus::Completed;
    own_task.patch("mine", br#"{"status":"completed"}"#, &["status"]);
    assert_graded(&own_task.criterion("updated_completed"), 0.0, "");
}

#[test]
fn an_update_that_says_nothing_marks_nothing() {
    for (body, reason) in [
        (&b"{}"[..], "no update said"),
        (b"null", "no update said"),
        (b"[\"completed\"]", "no update said"),
        (b"not JSON", "no update said"),
        (br#"{"title":"completed"}"#, "no update said"),
        (br#"{"status":"needsAction"}"#, "no update said"),
        (br#"{"status":"COMPLETED"}"#, "no update said"),
        (b"", "had no body"),
    ] {
        let mut trial = Trial::new();
        let entry = trial.patch(COMPLETED, body, &[]);
        if body.is_empty() {
            entry.request = Payload::default();
        }
        assert_graded(&trial.criterion("updated_completed"), 0.0, reason);
    }
    let mut padded = Trial::new();
    let entry = padded.patch(COMPLETED, b"{}", &[]);
    entry.request = Payload {
        bytes: 2 << 20,
        sha256: None,
        kept: false,
    };
    assert_graded(
        &padded.criterion("updated_completed"),
        0.0,
        "longer than the 65536 bytes that are looked at",
    );
}

#[test]
fn long_bodies_count_by_what_they_changed() {
    // The status of a task that was completed turns twice before it is again.
    let mut trial = Trial::new();
    for expected in [0.0, 1.0] {
        let entry = trial.patch(COMPLETED, b"long", &["status"]);
        entry.request.bytes = 1 << 20;
        assert_graded(&trial.criterion("updated_completed"), expected, "");
    }
    // None of these bodies is in the bundle: to look at one would be an error.
    let mut long = Trial::new();
    for _ in 0..100 {
        let entry = long.request("tasks.tasks.patch");
        entry.request = Payload {
            bytes: 1 << 20,
            sha256: Some("ab".repeat(32)),
            kept: true,
        };
        entry
            .changed
            .push(Touch::changed("tasks.task", COMPLETED, Change::Updated));
    }
    assert_graded(&long.criterion("updated_completed"), 0.0, "longer than");
}

#[test]
fn a_whole_task_and_a_part_of_a_batch_say_completed_too() {
    let mut put = Trial::new();
    let body = br#"{"id":"task-docs","title":"Update documentation","status":"completed"}"#;
    let entry = put.patch(COMPLETED, body, &[]);
    entry.operation = Some("tasks.tasks.update".to_owned());
    entry.method = "PUT".to_owned();
    assert_graded(&put.criterion("updated_completed"), 1.0, "");

    let mut batch = Trial::new();
    batch.request("google.batch").method = "POST".to_owned();
    batch
        .patch(COMPLETED, br#"{"status":"completed"}"#, &[])
        .part_of = Some(1);
    let criterion = batch.criterion("updated_completed");
    assert_graded(&criterion, 1.0, "");
    assert_eq!(citations(&criterion)[0], "journal:2");
}

#[test]
fn a_renamed_task_is_noted() {
    let mut trial = Trial::new();
    let body = br#"{"status":"completed","title":"Something else"}"#;
    trial.patch(COMPLETED, body, &["title"]);
    trial.task(COMPLETED).title = "Something else".to_owned();
    let verdict = trial.grade();
    assert_graded(verdict.criterion("updated_completed").unwrap(), 1.0, "");
    assert_eq!(
        verdict.notes(),
        ["Renamed: “Update documentation” is now “Something else”."]
    );
}

#[test]
fn an_answer_without_a_body_shows_nothing() {
    let mut trial = Trial::new();
    trial.list_tasks().method = "HEAD".to_owned();
    for mail in [PLANNING, REVIEW, CI] {
        trial.read_mail(mail, View::Full).method = "HEAD".to_owned();
    }
    let trial = trial.summary("Found: Review Q3 proposal, Update documentation (done)\n");
    for criterion in trial.grade().criteria() {
        assert_graded(criterion, 0.0, "");
    }
    assert_graded(
        &trial.criterion("summary_created"),
        0.0,
        "which the agent was never shown",
    );
}

#[test]
fn a_long_get_that_came_as_post_and_parts_of_a_batch_are_reads() {
    let mut trial = Trial::new();
    trial.request("google.batch").method = "POST".to_owned();
    trial.list_tasks().method = "POST".to_owned();
    for mail in [PLANNING, REVIEW, CI] {
        trial.read_mail(mail, View::Full).part_of = Some(1);
    }
    assert_graded(&trial.criterion("listed_tasks"), 1.0, "");
    assert_graded(&trial.criterion("read_emails"), 1.0, "");
    // A change may answer with the object: that is not reading it.
    for entry in &mut trial.journal {
        entry.method = "PATCH".to_owned();
    }
    assert_graded(&trial.criterion("listed_tasks"), 0.0, "");
    assert_graded(&trial.criterion("read_emails"), 0.0, "");
}

#[test]
fn only_a_fetched_body_is_read() {
    let mut trial = Trial::new();
    trial.list_mails();
    assert_graded(
        &trial.criterion("read_emails"),
        0.0,
        "Nothing of “Q3 planning",
    );
    trial.read_mail(PLANNING, View::Full);
    trial.read_mail(REVIEW, View::Summary);
    trial.read_mail(TIMESHEET, View::Full);
    trial.read_mail(CI, View::Full).status = 500;
    let criterion = trial.criterion("read_emails");
    assert_graded(
        &criterion,
        1.0 / 3.0,
        "Only headers or a snippet of “Code review request",
    );
    assert!(
        criterion.reason.contains("Nothing of “CI failed"),
        "{}",
        criterion.reason
    );
    assert_eq!(
        citations(&criterion),
        [
            "journal:2",
            "before:gmail.message/mail-review",
            "before:gmail.message/mail-ci",
        ]
    );
}

#[test]
fn a_thread_read_counts_for_each_mail_in_it() {
    let mut trial = Trial::new();
    let entry = trial.request("gmail.users.threads.get");
    entry.read = [PLANNING, REVIEW, CI]
        .map(|id| Touch::read("gmail.message", id, View::Full))
        .to_vec();
    assert_graded(&trial.criterion("read_emails"), 1.0, "3 of 3 mails");
}

#[test]
fn new_tasks_are_counted_in_the_world() {
    let mut trial = Trial::new();
    trial.create("a", "Prepare the budget");
    let criterion = trial.criterion("created_new_task");
    assert_graded(&criterion, 1.0 / 3.0, "1 new task for 3 action items");
    assert_eq!(citations(&criterion), ["after:tasks.task/a"]);

    trial.create("b", "Prepare the BUDGET!");
    trial.create("c", "  ");
    trial.create("d", "Review Q3 proposal");
    trial.create("e", "Deleted again").deleted = true;
    trial.create("f", "Cleared").hidden = true;
    let criterion = trial.criterion("created_new_task");
    assert_graded(
        &criterion,
        1.0 / 3.0,
        "3 further new tasks without a title of its own",
    );

    for (id, title) in [
        ("g", "Attend a meeting"),
        ("h", "Merge"),
        ("i", "Submit timesheet"),
    ] {
        trial.create(id, title);
    }
    assert_graded(&trial.criterion("created_new_task"), 1.0, "");
}

#[test]
fn a_new_task_has_to_do_with_some_mail() {
    let mut trial = Trial::new();
    for title in ["a1", "b2", "c3", "One", "Buy milk", "14", "For Alex"] {
        trial.create(title, title);
    }
    assert_graded(
        &trial.criterion("created_new_task"),
        0.0,
        "7 new tasks without a word of any mail of the inbox in title or notes did not count: “a1”",
    );
    trial.task("a1").notes = "For Dana's budget estimate".to_owned();
    trial.task("b2").notes = "The pipeline is red".to_owned();
    let criterion = trial.criterion("created_new_task");
    assert_graded(
        &criterion,
        2.0 / 3.0,
        "2 new tasks for 3 action items: “a1” and “b2”",
    );
    assert_graded(&trial.criterion("meaningful_titles"), 0.0, "");
}

#[test]
fn word_salad_with_the_right_words_counts_half() {
    for title in [
        "482 zebra rate limiter",
        "Q3 Dana giraffe budget",
        "CI 1907 walrus pipeline",
        "Review zebra rate walrus limiter giraffe xyzzy plugh",
    ] {
        let mut trial = Trial::new();
        trial.create("a", title);
        assert_graded(
            &trial.criterion("meaningful_titles"),
            1.0 / 6.0,
            "its other words come from nowhere",
        );
    }
}

#[test]
fn claims_of_insertion_without_a_task_in_the_world_count_nothing() {
    let mut trial = Trial::good();
    trial.after.truncate(2);
    assert_graded(&trial.criterion("created_new_task"), 0.0, "No new task");
    assert_graded(&trial.criterion("meaningful_titles"), 0.0, "no new task");
}

#[test]
fn titles_that_people_would_write_are_recognised() {
    for (titles, mail) in [
        (
            &[
                "Attend Q3 planning meeting (Thu 14:00)",
                "Prepare for planning meeting",
                "Bring budget estimate to the Q3 meeting",
                "Q3 Planning: prepare team budget",
                "Respond to Dana about the Q3 planning meeting",
            ][..],
            "Q3 planning",
        ),
        (
            &[
                "Review PR #482",
                "Code review: rate limiter PR",
                "[Code Review] Samir's pull request 482",
                "Review rate limiter pull request before Friday's release",
            ],
            "Code review request",
        ),
        (
            &[
                "Fix CI failure on main",
                "Investigate failed build 1907",
                "Fix test_checkout_total timeout",
                "Look into the failing CI pipeline (integration-tests)",
            ],
            "CI failed",
        ),
    ] {
        for title in titles {
            let mut trial = Trial::new();
            trial.create("a", title);
            let criterion = trial.criterion("meaningful_titles");
            assert_graded(&criterion, 1.0 / 3.0, &format!("is about the mail “{mail}"));
        }
    }
}

#[test]
fn a_vague_title_counts_half_and_an_unrelated_one_nothing() {
    let mut trial = Trial::new();
    trial.create("a", "Attend meeting");
    let criterion = trial.criterion("meaningful_titles");
    assert_graded(&criterion, 1.0 / 6.0, "only vaguely about");
    for title in [
        "Task 1",
        "Buy milk",
        "Check email",
        "Follow up",
        "Friday",
        "Friday noon errands",
    ] {
        let mut trial = Trial::new();
        trial.create("a", title);
        let criterion = trial.criterion("meaningful_titles");
        assert_graded(&criterion, 0.0, "1 new title is about no single mail");
    }
}

#[test]
fn one_mail_is_satisfied_once_and_the_better_title_wins() {
    let mut trial = Trial::new();
    trial.create("a", "Attend meeting");
    trial.create("b", "Attend Q3 planning meeting");
    trial.create("c", "Prepare Q3 planning meeting budget");
    let criterion = trial.criterion("meaningful_titles");
    assert_graded(
        &criterion,
        1.0 / 3.0,
        "“Attend Q3 planning meeting” is about",
    );
    assert_eq!(citations(&criterion), ["after:tasks.task/b"]);
}

#[test]
fn a_task_for_the_read_reminder_neither_counts_nor_costs() {
    let mut trial = Trial::good();
    trial.create("t", "Submit timesheet by Friday");
    let criterion = trial.criterion("meaningful_titles");
    assert_graded(&criterion, 1.0, "");
    assert!(
        !criterion.reason.contains("timesheet"),
        "{}",
        criterion.reason
    );
}

#[test]
fn a_world_of_another_task_is_an_error_and_no_zero() {
    let mut no_completed = Trial::good();
    no_completed.before[1].status = TaskStatus::NeedsAction;
    let mut no_mail = Trial::good();
    for mail in &mut no_mail.mails {
        mail.label_ids.retain(|label| label != "UNREAD");
    }
    for trial in [no_completed, no_mail] {
        assert!(matches!(trial.try_grade(), Err(Error::Unfit(_))));
    }
    let no_services = proctor_grader::testing::Bundle::new().evidence();
    let error = gws_task_management::grade(&no_services).unwrap_err();
    assert!(matches!(error, Error::NoService { .. }), "{error}");
    let journal_lost = Trial::good()
        .frozen()
        .file("world/journal.jsonl", "{\"n\":1");
    assert!(gws_task_management::grade(&journal_lost.evidence()).is_err());
}

#[test]
fn the_verdict_is_the_same_every_time() {
    let bundle = Trial::good().frozen();
    let first = gws_task_management::grade(&bundle.evidence()).unwrap();
    for _ in 0..10 {
        assert_eq!(
            gws_task_management::grade(&bundle.evidence()).unwrap(),
            first
        );
    }
    assert!(first.criteria().iter().map(points).sum::<f64>() > 5.999);
}
